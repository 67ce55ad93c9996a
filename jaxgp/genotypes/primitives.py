"""Primitive sets: every function and terminal is declared once, all tables derive from the declarations.

Types are strong, as in STGP (D. Montana, "Strongly Typed Genetic Programming", Evolutionary Computation 3(2), 1995):
a slot (the root of a tree, or an argument of a function) accepts the terminals and functions that return its type. A
type may be declared as a set of others; a slot of that type accepts any of them.
"""

import hashlib
import re
from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, Literal

import numpy as np
from jax import Array

from jaxgp.checks.values import real, whole
from jaxgp.errors import reject
from jaxgp.genotypes.moves import Moves

FLOAT = "float"
BOOL = "bool"

Weighting = Literal["none", "path", "noops"]
OWN: Final = "own"
"""The gradient of a function that is the derivative of its `call`."""

MOST = 2**24
"""Whole numbers up to this one are float32s, which constants are."""
MOST_EFFECTS = 24
"""Effects of a tree that the interpreter can tell apart: each is a bit of a float32."""
UNREACHABLE = 10**6
"""Depth and size of a slot that no finite tree can fill."""


@dataclass(frozen=True)
class Integers:
    """Whole numbers from `low` to `high`, both included, drawn uniformly."""

    low: int
    high: int

    def __post_init__(self) -> None:
        whole("low", self.low, -MOST, MOST)
        whole("high", self.high, self.low, MOST, "beyond it a float32 holds no whole number")

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high and float(value).is_integer()

    def __str__(self) -> str:
        return f"a whole number from {self.low} to {self.high}"


@dataclass(frozen=True)
class Floats:
    """Real numbers from `low` to `high`, drawn uniformly."""

    low: float
    high: float

    def __post_init__(self) -> None:
        real("low", self.low)
        real("high", self.high, self.low)

    def __contains__(self, value: float) -> bool:
        # Constants are float32, and the nearest float32 of a bound may lie just outside it.
        return bool(np.float32(self.low) <= value <= np.float32(self.high))

    def __str__(self) -> str:
        return f"a number from {self.low:g} to {self.high:g}"


@dataclass(frozen=True)
class Levels:
    """A few numbers, in ascending order, drawn uniformly."""

    values: tuple[float, ...]

    def __post_init__(self) -> None:
        for value in self.values:
            real("values", value)
        if not self.values or list(self.values) != sorted(set(self.values)):
            reject("values", self.values, "one or more numbers in ascending order")

    @property
    def low(self) -> float:
        return self.values[0]

    @property
    def high(self) -> float:
        return self.values[-1]

    def __contains__(self, value: float) -> bool:
        return bool((np.asarray(self.values, np.float32) == np.float32(value)).any())

    def __str__(self) -> str:
        return "one of " + ", ".join(f"{value:.9g}" for value in self.values)


@dataclass(frozen=True)
class Points(Integers):
    """Points of a rectangle, drawn uniformly, numbered row by row; [x,y] in the text form. See `rectangle`."""

    left: int
    bottom: int
    width: int

    def point(self, value: float) -> tuple[int, int]:
        """Return x and y of the point of this number."""
        return self.left + int(value) % self.width, self.bottom + int(value) // self.width

    def number(self, x: int, y: int) -> int | None:
        """Return the number of a point; None outside the rectangle."""
        number = (y - self.bottom) * self.width + x - self.left
        return number if 0 <= x - self.left < self.width and number in self else None

    def __str__(self) -> str:
        right, top = self.point(self.high)
        return f"a point from [{self.left},{self.bottom}] to [{right},{top}]"


def rectangle(left: int, bottom: int, width: int, height: int) -> Points:
    """Return the points of a rectangle, given its lower left corner and the number of points along each side."""
    return Points(0, width * height - 1, left, bottom, width)


Domain = Integers | Floats | Levels


@dataclass(frozen=True)
class Primitive:
    """One function or terminal.

    The fields that are set say which kind it is:

    - a function has `args`; `call(*args)`, or `call(features, *args)` when it `reads_features`, computes it;
    - a feature is a terminal that reads entry `feature` of the feature vector;
    - an ephemeral random constant is a terminal with a `domain`;
    - a parametrised terminal has a `domain` and a `call(features, parameter)`;
    - a terminal that is `numbered` has a `call(features, number)`, of the number of its node;
    - a terminal with a `fixed` value always has this value, and its text is its name;
    - a function or terminal with `moves` makes moves, and is evaluated by `jaxgp.interpreter.machine` alone.

    Attributes:
        name: symbol in the text form; no spaces or parentheses, and not a number.
        returns: type of the value.
        args: type of each argument slot, in order.
        call: elementwise on arrays of any one shape [B]: float32, or bool for arguments of type `bool`; `features` is
            float32[F, B]. Written with JAX operations that work on NumPy arrays too.
        feature: index into the feature vector.
        domain: values that the constant or parameter takes; of a function in a set with factors, its first factor.
        fixed: the value of a terminal that never changes; 0 or 1 for type `bool`.
        reads_features: `call` takes the feature vector first.
        reads_one: the value is 0 or one of the first `reads_one` features; the arguments alone decide which. If they
            are constant, the interpreter reads the feature at once. 0: no such promise.
        picks: the value is one of the last `picks` arguments, of type float; the arguments before them alone decide
            which. If those are constant, the interpreter skips all but one. 0: no such promise.
        ignores: the last `ignores` arguments have no influence on the value; they are never computed.
        numbered: the terminal's parameter is the number of its node in the tree, in postfix order, from 0.
        effect: what an evaluation of the function does beside giving a value: elementwise on its arguments as `call`
            is, float32[B] amounts that are not below 0; 0: it does nothing. See `PrimitiveSet.effects`.
        moves: how it makes moves.
        settles: a truth value of an argument that settles the value, whatever the arguments after it are; None: no
            argument does. Where arguments make moves, those after it are not evaluated.
        bits: digits `0` and `1` that a no-op appends to the paths of the leaves below it; a no-op is a function that
            returns its one argument. See `PrimitiveSet.weighting`.
        weight: how often random creation chooses it, relative to the other candidates.
        gradient: how reverse mode goes through a function. `own`: by the derivative of `call`, as JAX finds it. A
            function: by its derivative in the place of that of `call`, for the same arguments as numbers, float32[B]
            each; see `jaxgp.genotypes.surrogates`. None: no gradient passes, as is right for whole numbers.
        python: expression for the Python export; `{0}`, `{1}` stand for arguments, `{value}` for the constant,
            `{features}` for the feature list.
        latex: the same for LaTeX.
    """

    name: str
    returns: str = FLOAT
    args: tuple[str, ...] = ()
    call: Callable[..., Array] | None = None
    feature: int | None = None
    domain: Domain | None = None
    fixed: float | None = None
    reads_features: bool = False
    reads_one: int = 0
    picks: int = 0
    ignores: int = 0
    numbered: bool = False
    effect: Callable[..., Array] | None = None
    moves: Moves | None = None
    settles: bool | None = None
    bits: str = ""
    weight: float = 1.0
    gradient: Literal["own"] | Callable[..., Array] | None = None
    python: str = ""
    latex: str = ""

    def __post_init__(self) -> None:
        if isinstance(self.args, str):
            reject("args", self.args, "a tuple of types, as in (jaxgp.FLOAT,)")
        if not (self.gradient in (None, OWN) or callable(self.gradient)):
            reject("gradient", self.gradient, f"{OWN}, None, or a function of the same arguments")
        if self.feature is not None:
            whole("feature", self.feature, 0)
        if not isinstance(self.domain, Domain | None):
            reject("domain", self.domain, "a domain, such as jaxgp.Floats(-1.0, 1.0)")
        real("weight", self.weight, 0)

    @property
    def arity(self) -> int:
        return len(self.args)

    @property
    def has_number(self) -> bool:
        """A terminal that carries a number of its own, a constant or a parameter."""
        return self.domain is not None and not self.args

    @property
    def is_constant(self) -> bool:
        """An ephemeral random constant, printed as a bare number."""
        return self.domain is not None and self.call is None


@dataclass(frozen=True, eq=False)
class PrimitiveSet:
    """A terminal set and a function set over named types, with the root type of each tree of an individual.

    An opcode is an index into `primitives`: terminals first, then functions.

    Attributes:
        name: names the set in champion files.
        terminals: at least one.
        functions: may be empty.
        roots: root type of each of the T trees.
        type_sets: types that stand for several others: `(("query", ("float", "bool")),)`.
        weighting: `path` or `noops`: every leaf is multiplied by a weight that follows from its path to the root; see
            `jaxgp.interpreter.weights`. `none`: leaves have no weights.
        factored: every node of type `float` multiplies its value by a factor of its own, 1 in a fresh node, or drawn
            from the domain of the function (A. Benbassat and M. Sipper, "Evolving board-game players with genetic
            programming", 2011). A constant is one number: the factor is part of it, and it may leave its domain.
        rules: the trees, by number from 0, that form each rule of an individual, so that whole rules can change places;
            empty: individuals have no rules.
        left_out: names of primitives that no slot takes. Opcodes are the same without them.
        sums: for each type of numbers, the names of what adds, subtracts and multiplies two of them, and of its
            constant, so that programs can be given terms with a weight; empty: they cannot.
        gates: for each of these, the names of what chooses between two numbers, and of what compares them, so that a
            sum can count where another one is above 0; empty: none.
        numbers: names that stand for a number in a text, where another set has them as constants.
        effects: how many nodes of a tree may have an effect. In a set that has some, evaluation follows the written
            order of the arguments, of a function that `picks` only the chosen one, and drops no effect with its value.

    Raises:
        ValueError: a name is used twice or cannot be printed; a primitive that is left out is none of the set; no
            finite tree fills a slot of some type; a no-op does not return its argument; a set with weights has
            functions of more than two arguments or parametrised terminals; factors would be ambiguous; rules differ in
            their root types or share trees; or effects have no limit, or arguments with effects could be ignored.
    """

    name: str
    terminals: tuple[Primitive, ...]
    functions: tuple[Primitive, ...]
    roots: tuple[str, ...] = (FLOAT,)
    type_sets: tuple[tuple[str, tuple[str, ...]], ...] = ()
    weighting: Weighting = "none"
    factored: bool = False
    rules: tuple[tuple[int, ...], ...] = ()
    left_out: frozenset[str] = frozenset()
    sums: tuple[tuple[str, str, str, str], ...] = ()
    gates: tuple[tuple[str, str], ...] = ()
    numbers: tuple[tuple[str, float], ...] = ()
    effects: int = 0

    def __post_init__(self) -> None:
        names = [p.name for p in self.primitives]
        if unknown := sorted(self.left_out.difference(names)):
            raise ValueError(f"primitive set {self.name}: {unknown[0]} is none of {', '.join(names)}")
        names += [name for name, _ in self.numbers]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"primitive set {self.name}: {name} is declared twice")
            if re.search(r"[\s()]", name) or not name or re.fullmatch(r"[-+.\d].*\d|\d", name):
                raise ValueError(f"primitive set {self.name}: {name!r} cannot be a name in the text form")
        for p in self.terminals:
            if p.args or [p.feature, p.domain, p.fixed, p.numbered or None, p.moves].count(None) != 4:
                raise ValueError(
                    f"primitive set {self.name}: terminal {p.name} needs a feature, a domain or a fixed value, no args"
                )
        for p in self.functions:
            if not p.args or (p.call is None) == (p.moves is None):
                raise ValueError(f"primitive set {self.name}: function {p.name} needs args and a call")
            if not 0 <= p.picks <= p.arity or BOOL in p.args[p.arity - p.picks :]:
                raise ValueError(f"primitive set {self.name}: function {p.name} cannot pick {p.picks} of its arguments")
            if not 0 <= p.ignores <= p.arity:
                raise ValueError(f"primitive set {self.name}: function {p.name} cannot ignore {p.ignores} arguments")
            if p.domain is not None and not (self.factored and p.returns == FLOAT):
                raise ValueError(f"primitive set {self.name}: function {p.name} has a domain, but no factor")
            if p.bits and (set(p.bits) - set("01") or p.arity != 1 or p.picks != 1):
                raise ValueError(f"primitive set {self.name}: {p.name} is not a no-op that appends 0 and 1")
        if self.weighted and (self.max_arity > 2 or any(p.call for p in self.terminals)):
            raise ValueError(f"primitive set {self.name}: weights need at most two arguments, and plain terminals")
        if self.factored:
            self._check_factors()
        if self.rules:
            self._check_rules()
        self._check_effects()
        for slot in {*self.roots, *(a for p in self.functions for a in p.args)}:
            if self.min_depth[self.types.index(slot)] >= UNREACHABLE:
                raise ValueError(f"primitive set {self.name}: no finite tree has type {slot}")

    def _check_factors(self) -> None:
        """Refuse a set in which factors would be ambiguous."""
        floats = [p for p in self.terminals if p.returns == FLOAT]
        constants = [p for p in floats if p.is_constant]
        wrong = {
            "weights and factors exclude each other": self.weighted,
            "a parametrised terminal cannot have a factor": any(p.has_number and p.call for p in floats),
            "factors need a single constant of type float, a number": len(constants) > 1
            or any(isinstance(p.domain, Points) for p in constants),
            "names with factors have no colon": any(":" in p.name for p in self.primitives),
        }
        for reason, holds in wrong.items():
            if holds:
                raise ValueError(f"primitive set {self.name}: {reason}")

    def _check_rules(self) -> None:
        """Refuse rules that cannot stand in each other's places."""
        named = [tree for rule in self.rules for tree in rule]
        if not all(0 <= tree < self.num_trees for tree in named) or len(set(named)) < len(named):
            raise ValueError(f"primitive set {self.name}: rules name trees of an individual, each at most once")
        if len({tuple(self.roots[tree] for tree in rule) for rule in self.rules}) > 1:
            raise ValueError(f"primitive set {self.name}: rules have the same root types")

    def _check_effects(self) -> None:
        """Refuse a set whose effects have no limit, or would be lost."""
        whole("effects", self.effects, 0, MOST_EFFECTS)
        if any(p.effect for p in self.functions) != (self.effects > 0):
            raise ValueError(
                f"primitive set {self.name}: effects={self.effects}: functions with an effect need a limit"
            )
        if self.effects and (self.weighted or self.factored or any(p.ignores for p in self.functions)):
            raise ValueError(
                f"primitive set {self.name}: effects need a set without weights, factors, ignored arguments"
            )

    def __repr__(self) -> str:
        return f"PrimitiveSet({self.name}, {len(self.terminals)} terminals, {len(self.functions)} functions)"

    @cached_property
    def primitives(self) -> tuple[Primitive, ...]:
        return self.terminals + self.functions

    @cached_property
    def real(self) -> bool:
        """Whether some nodes have real numbers: constants that are drawn, or factors."""
        return self.factored or any(isinstance(p.domain, Floats) for p in self.primitives)

    @cached_property
    def scaled(self) -> np.ndarray:
        """bool[N]: the number of a node is a factor, or a constant that its factor is part of."""
        return np.array([self.factored and p.returns == FLOAT for p in self.primitives])

    @cached_property
    def factors(self) -> np.ndarray:
        """bool[N]: the number of a node is a factor of what it computes."""
        return self.scaled & np.array([not p.is_constant for p in self.primitives])

    @cached_property
    def tunable(self) -> np.ndarray:
        """bool[N]: a node has a real number that may change while the form of the program stays."""
        return self.scaled | [p.is_constant and isinstance(p.domain, Floats) for p in self.primitives]

    @cached_property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """float32[N] twice: the least and the greatest number of a node; factors have no bounds."""
        low, high = np.full((2, len(self.primitives)), np.inf, np.float32)
        low = -low
        for code, p in enumerate(self.primitives):
            if p.domain is not None and not self.scaled[code]:
                low[code], high[code] = p.domain.low, p.domain.high
        return low, high

    @property
    def weighted(self) -> bool:
        """Whether leaves have weights."""
        return self.weighting != "none"

    @property
    def multiplies(self) -> bool:
        """Whether what a function reads is multiplied by a number: a factor or a weight."""
        return self.weighted or self.factored

    @property
    def num_terminals(self) -> int:
        """The first opcode that is a function."""
        return len(self.terminals)

    @property
    def num_trees(self) -> int:
        return len(self.roots)

    @cached_property
    def types(self) -> tuple[str, ...]:
        """Every type that is named anywhere; a type id is an index into this."""
        named = [t for p in self.primitives for t in (p.returns, *p.args)] + list(self.roots)
        named += [t for name, members in self.type_sets for t in (name, *members)]
        return tuple(dict.fromkeys(named))

    @cached_property
    def arity(self) -> np.ndarray:
        """int32[N]: arguments of each primitive."""
        return np.array([p.arity for p in self.primitives], np.int32)

    @property
    def max_arity(self) -> int:
        return max(1, int(self.arity.max()))

    @cached_property
    def acts(self) -> np.ndarray:
        """bool[N]: the primitive has an effect."""
        return np.array([p.effect is not None for p in self.primitives])

    @cached_property
    def return_type(self) -> np.ndarray:
        """int32[N]: type id of each primitive's value."""
        return np.array([self.types.index(p.returns) for p in self.primitives], np.int32)

    @cached_property
    def arg_type(self) -> np.ndarray:
        """int32[N, max_arity]: type id of each argument slot; 0 where there is none (see `arity`)."""
        table = np.zeros((len(self.primitives), self.max_arity), np.int32)
        for row, p in zip(table, self.primitives, strict=True):
            row[: p.arity] = [self.types.index(t) for t in p.args]
        return table

    @cached_property
    def root_type(self) -> np.ndarray:
        """int32[T]: type id of each tree's root slot."""
        return np.array([self.types.index(t) for t in self.roots], np.int32)

    @cached_property
    def accepts(self) -> np.ndarray:
        """bool[types, types]: a slot of the first type takes a value of the second."""
        table = np.eye(len(self.types), dtype=bool)
        for name, members in self.type_sets:
            table[self.types.index(name), [self.types.index(m) for m in members]] = True
        return table

    @cached_property
    def fills(self) -> np.ndarray:
        """bool[types, N]: a slot of the type takes the primitive."""
        return self.accepts[:, self.return_type] & self.allowed

    @cached_property
    def allowed(self) -> np.ndarray:
        """bool[N]: the primitive is not left out."""
        return np.array([p.name not in self.left_out for p in self.primitives])

    @cached_property
    def weight(self) -> np.ndarray:
        """float32[N]: relative frequency in random creation."""
        return np.array([p.weight for p in self.primitives], np.float32)

    @cached_property
    def min_depth(self) -> np.ndarray:
        """int[types]: depth of the shallowest tree without effects that fills a slot; a terminal has depth 0."""
        depth = np.full(len(self.types), UNREACHABLE)
        args = [[self.types.index(t) for t in p.args] for p in self.primitives]
        for _ in self.types:  # a shallowest tree has no type twice on a path
            below = np.array([1 + depth[a].max() if a else 0 for a in args])
            fills = self.fills & ~self.acts  # a tree may have only so many effects
            depth = np.array([min(depth[slot], below[row].min(initial=UNREACHABLE)) for slot, row in enumerate(fills)])
        return depth

    @cached_property
    def version(self) -> str:
        """Twelve hexadecimal digits that change when a declaration changes, so that old files are recognised."""
        rows = [f"{p.name}:{','.join(p.args)}->{p.returns}:{p.feature}:{p.domain}" for p in self.primitives]
        rows += [f"{p.name}={p.fixed}" for p in self.terminals if p.fixed is not None]
        rows += ["factored"] * self.factored
        rows += [f"rules {self.rules}"] * bool(self.rules)
        rows += [f"effects {self.effects}"] * bool(self.effects)
        rows += [f"{p.name}:{p.moves}" for p in self.primitives if p.moves is not None]
        rows += [f"{p.name} cuts off" for p in self.primitives if p.moves is not None and p.moves.cutoff]
        rows += [self.weighting, *(f"{p.name}:{p.bits}" for p in self.functions if p.bits)] if self.weighted else []
        text = "\n".join([self.name, ",".join(self.roots), *map(str, self.type_sets), *rows])
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    def without(self, names: Iterable[str]) -> "PrimitiveSet":
        """Return the set whose slots do not take some primitives; raises ValueError as the set itself does."""
        return replace(self, left_out=self.left_out | set(names))

    def limited(self, allowed: Array) -> "PrimitiveSet":
        """Return the set whose slots take only some primitives, which a compiled program can be told when it is called.

        Args:
            allowed: bool[N]; it may be traced. It takes the place of `left_out`.
        """
        made = copy(self)
        for table in ("fills", "min_depth"):  # they follow from `allowed`
            vars(made).pop(table, None)
        vars(made)["allowed"] = allowed
        return made

    def opcode(self, name: str) -> int:
        """Return the opcode of a primitive by name; raises KeyError."""
        for code, p in enumerate(self.primitives):
            if p.name == name:
                return code
        raise KeyError(name)
