"""A role taken in a game, or a game that no genomes play: the value that runs, tables and notebooks work with."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic

from jaxgp import options
from jaxgp.contracts import Problem, Simulation
from jaxgp.errors import UsageError, reject
from jaxgp.spec import Role, Rules, Spec


@dataclass(frozen=True)
class Cast(Generic[Rules]):
    """A game with a role taken in it.

    Attributes:
        spec: the game.
        game: its rules, with their settings.
        role: the role; None in a game that no genomes play; then the fields below are None as well.
        options: the options of the role.
        language: what genomes are written in.
        actor: how they play.
    """

    spec: Spec[Rules]
    game: Rules
    role: Role[Rules, Any] | None
    options: Any
    language: Any
    actor: Any

    def __repr__(self) -> str:
        return f"Cast({self.game}, role={self.role.name if self.role else None})"

    @property
    def simulated(self) -> bool:
        """Whether the game is a simulation, which drivers play and nobody that moves by turns."""
        return isinstance(self.game, Simulation)

    @property
    def proves(self) -> bool:
        """Whether the game is a problem, of which provers show that a side wins by force."""
        return isinstance(self.game, Problem)

    @property
    def program(self) -> dict[str, Any]:
        """The role and all of its options, as a configuration and a champion file hold them."""
        if self.role is None:
            return {}
        return {"role": self.role.name} | {
            one.name: getattr(self.options, one.name) for one in options.list_options(self.role.options)
        }

    def at_depth(self, depth: int, option: str) -> "Cast[Rules]":
        """Return the same genomes searching `depth` plies deep.

        Args:
            depth: plies.
            option: what asked for it, for messages.

        Raises:
            UsageError: they do not search, or not this deep; the message names the option and what is accepted.
        """
        if self.role is None or self.role.deeper is None:
            reject(option, depth, f"null; programs for {self.spec.name} do not search")
        deeper = self.role.deeper(self.options, depth)
        try:
            options.check(deeper)
        except UsageError as error:
            reject(option, depth, error.accepted)
        return _cast(self.spec, self.game, self.role, deeper)


def cast(
    spec: Spec[Rules],
    game: Rules | None = None,
    role: str | None = None,
    genotype: str | None = None,
    values: Mapping[str, object] | None = None,
) -> Cast[Rules]:
    """Take a role in a game.

    Args:
        spec: the game.
        game: its rules; None: with their default settings.
        role: by name; None: the first one for the genotype.
        genotype: what the genomes are, `program` or `rules`; None: either.
        values: some options of the role, by name.

    Raises:
        UsageError: something that the game or the role does not have or accept.
    """
    game = spec.make() if game is None else game
    if not spec.roles:
        for name, value in {"role": role, **(values or {})}.items():
            if value is not None:
                reject(f"program.{name}", value, f"null; no genomes play {spec.name}")
        return Cast(spec, game, None, None, None, None)
    taken = spec.role(role, genotype)
    return _cast(spec, game, taken, role_options(spec, taken, values or {}))


def role_options(spec: Spec, role: Role, values: Mapping[str, object]) -> Any:
    """Return the options of a role with some of them given.

    Raises:
        UsageError: a wrong value, or an option that the role does not have; the message names the roles that have it.
    """
    for key in values:
        if not _has(role, key):
            others = [other.name for other in spec.roles if _has(other, key)]
            also = f"; program.role={' or '.join(others)} has it" if others else ""
            accepted = ", ".join(one.name for one in options.list_options(role.options)) or "none"
            raise UsageError(f"program.{key}: unknown option of program.role={role.name}{also}; accepted: {accepted}")
    for one in options.list_options(role.options):
        if one.name in values and one.choices and values[one.name] not in one.choices:
            others = [other.name for other in spec.roles if _takes(other, one.name, values[one.name])]
            also = f"; with program.role={' or '.join(others)} it is one" if others else ""
            reject(f"program.{one.name}", values[one.name], one.accepted + also)
    try:
        made = options.make_checked(role.options, values, "program.")
    except UsageError:
        raise
    except ValueError as error:
        raise UsageError(str(error)) from error
    return made


def _has(role: Role, name: str) -> bool:
    """Whether a role has an option of this name."""
    return name in [one.name for one in options.list_options(role.options)]


def _takes(role: Role, name: str, value: object) -> bool:
    """Whether a role has an option that takes a value."""
    return any(one.name == name and value in one.choices for one in options.list_options(role.options))


def _cast(spec: Spec[Rules], game: Rules, role: Role[Rules, Any], made: Any) -> Cast[Rules]:
    try:
        language, actor = role.make(game, made)
    except UsageError:
        raise
    except ValueError as error:
        raise UsageError(str(error)) from error
    return Cast(spec, game, role, made, language, actor)
