"""Declaring an option once: its type, default, words, and choices or limits, beside what it steers.

Options are the fields of a dataclass. `option` adds what the type cannot say; from it derive the checks (`check`), the
help of every command, the parameter tables and the documents. This module imports neither JAX nor Hydra.
"""

import copy
import dataclasses
import functools
import math
import numbers
import types
import typing
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

from jaxgp.checks.unions import Kinds
from jaxgp.checks.values import is_power_of_two_or_zero
from jaxgp.errors import UsageError, reject
from jaxgp.files import user_path
from jaxgp.printable import brief

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Default = TypeVar("Default")
Schema = TypeVar("Schema")

MAX_SEED = 2**32 - 1
MAX_CORES = 1024
MAX_COUNT = 10**9
"""Counts are int32 on the device; the sum of two of them is one as well."""
MAX_GAMES = 100_000
"""Games of two players, and genomes that somebody meets; their product is a count."""
MAX_POPULATION = 10**6
"""Individuals; each with a thousand games or a thousand nodes is a count."""
MAX_PLIES = 10**6
"""Plies of a game; no game here comes near."""
MAX_LANES = 2**16
"""Searches side by side; each holds a stack of positions."""
MAX_TABLE = 2**28
"""Slots of a table: gigabytes."""
DEEPEST = 24
"""Plies of a search; each costs several times as long as the one before."""
MAX_WEIGHT = 1e6
"""Weights, and factors of a fitness; the product of two of them and a score is a float32."""
MAX_FITNESS = 1e12
"""No fitness is greater: the product of two weights."""
MAX_POWER = 100
"""An exponent of fitness relative to the best; a greater one leaves nothing but the best."""
MAX_SECONDS = 1e6
"""Clocks of operating systems wait for up to 2**31 milliseconds."""


class Limits(NamedTuple):
    """What an option says beside its type and default.

    Attributes:
        says: its meaning, in a few words.
        choices: the values that it takes, if they can be listed; never null.
        low: the least number.
        high: the greatest number, or the name of another option of the dataclass that holds it; None: no limit.
        above: whether a number must be greater than `low`, not equal to it.
        unit: what a number counts, as in "seconds".
        why: where `high` comes from, in words.
        test: a further condition on the value, such as being odd.
        accepted: this condition in words.
        label: what tables call the option.
        path: whether it is the path of a file or a directory.
        own: whether it names a place that code is loaded from, or that is written to or called outside the run. It is
            for whoever types a command, and for the files of `conf/`: no run, design or other file may set it.
    """

    says: str = ""
    choices: tuple[str, ...] = ()
    low: float | None = None
    high: float | str | None = None
    above: bool = False
    unit: str = ""
    why: str = ""
    test: Callable[..., bool] | None = None
    accepted: str = ""
    label: str = ""
    path: bool = False
    own: bool = False


def option(
    default: Default,
    says: str,
    choices: Sequence[str] = (),
    *,
    low: float | None = None,
    high: float | str | None = None,
    above: bool = False,
    unit: str = "",
    why: str = "",
    test: Callable[..., bool] | None = None,
    accepted: str = "",
    label: str = "",
    path: bool = False,
    own: bool = False,
) -> Default:
    """Declare a field of a dataclass of options: its default, and what `Limits` holds."""
    limits = Limits(says, tuple(choices), low, high, above, unit, why, test, accepted, label, path, own)
    metadata = {"limits": limits}
    if isinstance(default, dict | list) or dataclasses.is_dataclass(default):
        return cast(Default, dataclasses.field(default_factory=lambda: copy.deepcopy(default), metadata=metadata))
    return dataclasses.field(default=default, metadata=metadata)


def declared(schema: type, name: str) -> Any:
    """Declare a field of a dataclass of options as another dataclass declares it."""
    one = find(schema, name)
    return option(one.default, **one.limits._asdict())


def power_of_two(default: int, says: str, low: int, high: int) -> int:
    """Declare a field of a dataclass of options: a power of two from `low` on, or also 0 if that is `low`."""
    accepted = f"a power of two from {low} to {high}" if low else f"0, or a power of two up to {high}"
    return option(default, says, low=low, high=high, test=is_power_of_two_or_zero, accepted=accepted)


class Option(NamedTuple):
    """One option of a dataclass.

    Attributes:
        name: of the field.
        kinds: its type; of a union all members but None.
        nullable: whether it may be null.
        default: its default.
        limits: what `option` declared.
    """

    name: str
    kinds: tuple[object, ...]
    nullable: bool
    default: object
    limits: Limits

    @property
    def choices(self) -> tuple[str, ...]:
        """The values that it takes, if they can be listed: declared, or those of a Literal type."""
        if self.limits.choices:
            return self.limits.choices
        listed = [typing.get_args(kind) for kind in self.kinds if typing.get_origin(kind) is typing.Literal]
        return tuple(str(value) for values in listed for value in values)

    @property
    def sections(self) -> list[type]:
        """The dataclasses that it may be; empty for an option that is a value."""
        return [kind for kind in self.kinds if isinstance(kind, type) and dataclasses.is_dataclass(kind)]

    @property
    def many(self) -> type[list[object]] | type[tuple[object, ...]] | None:
        """`list` or `tuple` if it takes several values, else None."""
        origins = [typing.get_origin(kind) for kind in self.kinds]
        return list if list in origins else tuple if tuple in origins else None

    @property
    def items(self) -> tuple[object, ...]:
        """The types of one value."""
        return tuple(typing.get_args(kind)[0] for kind in self.kinds) if self.many else self.kinds

    @property
    def accepted(self) -> str:
        """What it takes, in words."""
        limits, null = self.limits, ", or null" if self.nullable else ""
        if self.sections:
            return any_of(*(kind.__name__ for kind in self.sections)) + null
        if self.many:
            numbers = f"whole numbers{_range(limits)}, as in [1,2,3]" if int in self.items else "a list, as in [a,b]"
            return (limits.accepted or numbers) + null
        if limits.accepted:
            return limits.accepted + null
        if self.choices:
            return ", ".join(self.choices) + null
        if bool in self.kinds:
            return "true or false" + null
        if limits.path:
            return "a path" + null
        if int in self.kinds or float in self.kinds:
            number = f"a {'number' if float in self.kinds else 'whole number'}"
            return number + _range(limits) + null
        return "text" + null

    def within(self, values: object) -> "Option":
        """Return the option with `high` as a number, where `high` names another option of the dataclass `values`."""
        if not isinstance(self.limits.high, str):
            return self
        return self._replace(limits=self.limits._replace(high=getattr(values, self.limits.high)))

    def check(self, name: str, value: object) -> None:
        """Check a value by the type, the choices and the limits; raises UsageError."""
        if value is None and self.nullable:
            return
        if not _right(self, value):
            reject(name, value, self.accepted)
        if self.limits.path:
            user_path(name, str(value))


def list_options(schema: object) -> Iterator[Option]:
    """Yield the options of a dataclass, or of an instance of one, in their order."""
    kind = cast("type[DataclassInstance]", schema if isinstance(schema, type) else type(schema))
    hints = _hints(kind)
    for field in dataclasses.fields(kind):
        hint = hints[field.name]
        union = isinstance(hint, types.UnionType) or typing.get_origin(hint) is typing.Union
        hinted = typing.get_args(hint) if union else (hint,)
        kinds = tuple(dict.fromkeys(one for kind in hinted for one in members(kind)))
        default: object = field.default
        if default is dataclasses.MISSING and field.default_factory is not dataclasses.MISSING:
            default = field.default_factory()
        limits = field.metadata.get("limits", Limits())
        yield Option(field.name, tuple(k for k in kinds if k is not type(None)), type(None) in kinds, default, limits)


@functools.cache
def _hints(kind: type) -> dict[str, Any]:
    """Return the types of the fields of a dataclass; to evaluate their annotations takes a third of a millisecond."""
    return typing.get_type_hints(kind)


def members(kind: object) -> tuple[object, ...]:
    """Return the types that an option of this type may have: one of several kinds stands for all of them."""
    kinds = getattr(kind, "kinds", None)
    return tuple(kinds.all().values()) if isinstance(kinds, Kinds) else (kind,)


def own(schema: type) -> list[str]:
    """Return the dotted names of the options that only whoever types a command may set; see `Limits`."""
    found = []
    for one in list_options(schema):
        if one.limits.own:
            found.append(one.name)
        elif len(one.sections) == 1:
            found += [f"{one.name}.{inner}" for inner in own(one.sections[0])]
    return found


def with_own(values: Schema, source: Schema) -> Schema:
    """Return options with those that are `own` taken from `source`, which is of the same dataclass."""
    taken: dict[str, Any] = {}
    for one in list_options(values):
        if one.limits.own:
            taken[one.name] = getattr(source, one.name)
        elif len(one.sections) == 1 and own(one.sections[0]):
            taken[one.name] = with_own(getattr(values, one.name), getattr(source, one.name))
    return dataclasses.replace(cast(Any, values), **taken)


def departures(values: object) -> dict[str, object]:
    """Return what differs from the defaults in a dataclass of options, nested as it is; `kind` is always among it.

    An option that is added later, with a default that changes nothing, is in none of them.
    """
    defaults = {one.name: one.default for one in list_options(values)}
    given = {name: getattr(values, name) for name in defaults}
    return {name: _departures(value) for name, value in given.items() if name == "kind" or value != defaults[name]}


def _departures(value: object) -> object:
    if dataclasses.is_dataclass(value):
        return departures(value)
    if isinstance(value, dict):
        return {key: _departures(entry) for key, entry in value.items()}
    return value


class Checked:
    """Base of a dataclass of options that refuses wrong values where a program constructs it; raises UsageError.

    Its `repr` gives what differs from the defaults.
    """

    def __init_subclass__(cls) -> None:
        # Here and not as a method: `dataclass` keeps what a class has itself, and replaces what it inherits.
        cls.__repr__ = brief  # type: ignore[method-assign]

    def __post_init__(self) -> None:
        check(self)


def make_unchecked(schema: type[Schema], values: typing.Mapping[str, object]) -> Schema:
    """Return a dataclass of options with some of its values given, of which none is checked yet.

    A command checks all options together, by their full names. A dataclass that is not `Checked` is made as usual.
    """
    if not issubclass(schema, Checked):
        return schema(**values)
    made = object.__new__(schema)
    vars(made).update({one.name: one.default for one in list_options(schema)} | dict(values))
    return made


def check_like(values: object, schema: type, *names: str) -> None:
    """Check attributes of an object by the options of a dataclass that have the same names; raises UsageError."""
    for name in names:
        find(schema, name).check(name, getattr(values, name))


def find(schema: object, name: str) -> Option:
    """Return an option of a dataclass, or of an instance of one, by a name that exists."""
    (one,) = (one for one in list_options(schema) if one.name == name)
    return one


def check(values: object, prefix: str = "") -> None:
    """Check every value of a dataclass of options by its declaration, nested dataclasses included.

    A dataclass may have a method `laws(prefix)`, which checks the conditions between options and raises UsageError.

    Args:
        values: an instance.
        prefix: what stands before the names of its options, as in `algorithm.`.

    Raises:
        UsageError: the first option that is wrong; the message names it, its value and what is accepted.
    """
    # First those by which others are bounded: a message names the option that is wrong, not one that depends on it.
    for one in sorted(list_options(values), key=lambda one: isinstance(one.limits.high, str)):
        value, name = getattr(values, one.name), prefix + one.name
        if dataclasses.is_dataclass(value) and isinstance(value, tuple(one.sections)):
            check(value, name + ".")
        elif isinstance(value, dict) and dict in map(typing.get_origin, one.kinds):
            for label, entry in value.items():
                if dataclasses.is_dataclass(entry):
                    check(entry, f"{name}.{label}.")
        else:
            one.within(values).check(name, value)
    laws = getattr(values, "laws", None)
    if laws is not None:
        laws(prefix)


def bound(
    values: object, name: str, prefix: str, low: float | None = None, high: float | None = None, why: str = ""
) -> None:
    """Check one option by narrower limits than it declares.

    Args:
        values: a dataclass of options that `check` accepted.
        name: of the option.
        prefix: what stands before the name.
        low: the least number, instead of the declared one; None: the declared one.
        high: the greatest number, instead of the declared one; None: the declared one.
        why: where `high` comes from, in words.

    Raises:
        UsageError: see `check`.
    """
    one = find(values, name)
    limits = one.limits if low is None else one.limits._replace(low=low)
    limits = limits if high is None else limits._replace(high=high, why=why)
    one._replace(limits=limits).check(prefix + name, getattr(values, name))


def _right(one: Option, value: object) -> bool:
    """Whether a value that is not null is of the type, among the choices and within the limits of an option."""
    if one.many:
        return isinstance(value, one.many) and all(_right(one._replace(kinds=one.items), item) for item in value)
    limits = one.limits
    if one.sections:
        return isinstance(value, tuple(one.sections))
    if one.choices:
        return value in one.choices
    if bool in one.kinds:
        return isinstance(value, bool)
    text = str in one.kinds and isinstance(value, str)  # of a type that is a number or text
    if (int in one.kinds or float in one.kinds) and not text:
        whole = float not in one.kinds
        if isinstance(value, bool) or not isinstance(value, numbers.Integral if whole else numbers.Real):
            return False
        number = value if isinstance(value, int) else float(value)  # an integer may be too large for a float
        if isinstance(number, float) and not math.isfinite(number):
            return False
        assert not isinstance(limits.high, str)
        inside = limits.low is None or (number > limits.low if limits.above else number >= limits.low)
        if not inside or (limits.high is not None and number > limits.high):
            return False
    elif str in one.kinds and (not isinstance(value, str) or (limits.path and not value)):
        return False
    return limits.test is None or limits.test(value)


def _range(limits: Limits) -> str:
    """Say between which numbers a value has to be."""
    counted = f" of {limits.unit}" if limits.unit else ""
    lower = "" if limits.low is None else (f" above {limits.low:.15g}" if limits.above else f" from {limits.low:.15g}")
    if limits.high is None:
        return counted + lower
    if isinstance(limits.high, str):
        return f"{counted}{lower} to {limits.why or limits.high}"
    upper = f" {'up ' if limits.above else ''}to {limits.high:.15g}"
    return counted + lower + upper + (f" ({limits.why})" if limits.why else "")


def any_of(*words: str) -> str:
    """Return `a, b or c`."""
    return ", ".join(words[:-1]) + " or " + words[-1] if len(words) > 1 else "".join(words)


def make_checked(schema: type[Schema], values: typing.Mapping[str, object], prefix: str) -> Schema:
    """Return a dataclass of options with some of its values given, all of them checked.

    Raises:
        UsageError: an option that it does not have, or a wrong value.
    """
    names = [one.name for one in list_options(schema)]
    for key in values:
        if key not in names:
            raise UsageError(f"{prefix}{key}: unknown option; accepted: {', '.join(names) or 'none'}")
    result = schema(**values)
    check(result, prefix)
    return result


def find_changed(values: object, names: Sequence[str]) -> list[str]:
    """Return the names among `names` whose options are not at their defaults."""
    return [name for name in names if getattr(values, name) != find(values, name).default]
