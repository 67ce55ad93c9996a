"""Full factorial designs: named factors with levels, replicates, and runs in random order. Does not import JAX.

After D. Montgomery, "Design and Analysis of Experiments": every combination of levels is a cell; each cell is run as
often as there are replicates, each run with a seed of its own; the order of all runs is a uniform permutation.
"""

import itertools
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from jaxgp.checks.values import choice, whole
from jaxgp.config.schema import METRICS, Config
from jaxgp.errors import UsageError, reject, show
from jaxgp.options import MAX_SEED, list_options, own

Level = float | int | bool | str
Numbers = Mapping[str, Mapping[str, Level]]
"""Published numbers by name: of a group its coefficients, p values and optimum; of a comparison a12 and p."""

RESPONSES = METRICS
"""What is measured in a run: see `jaxgp.study.member.summary`."""
COLUMNS = ("trial", "order", "group", "replicate", "seed", *RESPONSES)
"""Columns of the table of results, besides the factors."""
GOALS = ("maximum", "minimum")
MAX_FACTORS = 8
MAX_TRIALS = 100_000
MAX_CELLS = 10_000
"""Combinations of levels in groups; the options of each are checked before the first run, which takes minutes."""
MAX_LEVEL = 1e15
"""Levels are numbers of a model; whole numbers up to this are exact in it."""
KEYS = ("title", "base", "groups", "factors", "replicates", "seed", "response", "goal", "published")
"""Entries that a design file may have."""
TAKEN = ("seed", "resume", "table")
"""Options of a run that a design sets itself, beside Hydra's."""


@dataclass(frozen=True)
class Factor:
    """Something that is varied.

    Attributes:
        name: name of its column.
        levels: two or more numbers; or two words, or false and true.
        options: the options of a run that it sets, each with one value for each level. A factor with the name of an
            option sets that option to the levels.
    """

    name: str
    levels: tuple[Level, ...]
    options: Mapping[str, tuple[Level, ...]]

    @property
    def numeric(self) -> bool:
        return not isinstance(self.levels[0], str | bool)

    def coded(self, level: Level) -> float:
        """Return the code of a level: linear, -1 for the least level and 1 for the greatest; -1 for the first word."""
        if not self.numeric:
            return 2.0 * self.levels.index(level) - 1.0
        low, high = self._ends()
        return (2.0 * float(level) - low - high) / (high - low)

    def natural(self, coded: float) -> Level:
        """Return the number with this code, which may lie between levels; of words the one with the nearer code."""
        if not self.numeric:
            return self.levels[int(coded > 0)]
        low, high = self._ends()
        return (low + high) / 2 + coded * (high - low) / 2

    def _ends(self) -> tuple[float, float]:
        numbers = [float(level) for level in self.levels]
        return min(numbers), max(numbers)


@dataclass(frozen=True)
class Cell:
    """One group at one combination of levels.

    Attributes:
        group: name of the group.
        levels: level of each factor, in the order of the factors.
        overrides: the options of its runs, without the seed, as on the command line of `scripts/train.py`.
    """

    group: str
    levels: tuple[Level, ...]
    overrides: tuple[str, ...]


@dataclass(frozen=True)
class Trial:
    """One run of a cell.

    Attributes:
        number: place in standard order, from 0: by group, levels (the last factor varies fastest) and replicate.
        order: place in the random order, from 0.
        cell: the cell of the run.
        replicate: number of the replicate, from 0.
        seed: seed of the run; all runs differ.
    """

    number: int
    order: int
    cell: Cell
    replicate: int
    seed: int

    @property
    def overrides(self) -> tuple[str, ...]:
        return (*self.cell.overrides, f"seed={self.seed}")


@dataclass(frozen=True)
class Design:
    """A full factorial design, for one or more groups that each get a model of their own.

    Attributes:
        factors: what is varied.
        groups: the options of each group, by name.
        replicates: runs of each cell.
        seed: seed of the random order; run i in standard order has seed + i.
        response: what is measured, one of `RESPONSES`.
        goal: whether the `maximum` or the `minimum` of the response is wanted.
        title: heading of the report.
        published: published results to show for comparison, by group; see `conf/design/morpion_study.yaml`.
    """

    factors: tuple[Factor, ...]
    groups: Mapping[str, tuple[str, ...]]
    replicates: int = 1
    seed: int = 0
    response: str = "fitness"
    goal: str = "maximum"
    title: str = ""
    published: Mapping[str, Numbers] = field(default_factory=dict)

    @property
    def combinations(self) -> int:
        """How many combinations of levels there are."""
        return math.prod(len(factor.levels) for factor in self.factors)

    @property
    def size(self) -> int:
        """How many runs there are."""
        return len(self.groups) * self.combinations * self.replicates

    def cells(self) -> list[Cell]:
        """Return every combination of levels in every group, in standard order."""
        return [
            Cell(group, tuple(f.levels[i] for f, i in zip(self.factors, at, strict=True)), (*base, *self._set(at)))
            for group, base in self.groups.items()
            for at in itertools.product(*(range(len(factor.levels)) for factor in self.factors))
        ]

    def _set(self, at: Sequence[int]) -> Iterator[str]:
        """Yield the options that the factors set at these levels, given by index."""
        for factor, i in zip(self.factors, at, strict=True):
            for option, values in factor.options.items():
                yield f"{option}={word(values[i])}"

    def trials(self) -> list[Trial]:
        """Return every run, in the random order."""
        order = np.random.default_rng(self.seed).permutation(self.size)
        runs = [(cell, replicate) for cell in self.cells() for replicate in range(self.replicates)]
        made = [Trial(i, int(order[i]), cell, r, self.seed + i) for i, (cell, r) in enumerate(runs)]
        return sorted(made, key=lambda trial: trial.order)

    def as_dict(self) -> dict[str, object]:
        """Return the content from which `read` makes the same design."""
        return {
            "title": self.title,
            "groups": {name: list(base) for name, base in self.groups.items()},
            "factors": {
                factor.name: {
                    "levels": list(factor.levels),
                    "options": {option: list(values) for option, values in factor.options.items()},
                }
                for factor in self.factors
            },
            "replicates": self.replicates,
            "seed": self.seed,
            "response": self.response,
            "goal": self.goal,
            "published": {name: dict(numbers) for name, numbers in self.published.items()},
        }


def read(content: Mapping[str, object]) -> Design:
    """Make a design from the content of a file or the command line.

    Args:
        content: `factors` ({name: levels, or {levels, options}}), and any other entries of `KEYS`; `base` are options
            of all groups.

    Raises:
        UsageError: the first mistake; the message names the entry, its value and what is accepted.
    """
    for key in content:
        if key not in KEYS:
            raise UsageError(f"{key}: unknown in a design; accepted: {', '.join(KEYS)}")
    base = words("base", content.get("base") or [])
    replicates, seed = content.get("replicates", 1), content.get("seed", 0)
    groups = _section("groups", content.get("groups")) or {"all": []}
    design = Design(
        factors=tuple(_factors(_section("factors", content.get("factors")))),
        groups={str(name): (*base, *words(f"groups.{name}", given)) for name, given in groups.items()},
        replicates=whole("replicates", replicates, 1, MAX_TRIALS),
        seed=whole("seed", seed, 0, MAX_SEED),
        response=choice("response", content.get("response", "fitness"), RESPONSES),
        goal=choice("goal", content.get("goal", "maximum"), GOALS),
        title=str(content.get("title") or ""),
        published=_published(content.get("published")),
    )
    _check(design)
    return design


def word(value: Level) -> str:
    """Write a level as the value of an option, quoted where the command line needs that."""
    text = show(value) if isinstance(value, bool) else str(value)
    return text if all(c.isalnum() or c in "._-+/" for c in text) else '"' + text.replace('"', '\\"') + '"'


def _factors(tree: Mapping[str, object], prefix: str = "") -> Iterator[Factor]:
    """Read factors. A name with dots may have been split into nested sections."""
    for key, value in tree.items():
        name = f"{prefix}{key}"
        if not isinstance(value, Mapping):
            levels = _levels(f"factors.{name}", value)
            yield Factor(name, levels, {name: levels})
        elif "levels" in value:
            yield _factor(name, value)
        else:
            yield from _factors(value, name + ".")


def _factor(name: str, value: Mapping[str, object]) -> Factor:
    said = f"factors.{name}"
    for key in value:
        if key not in ("levels", "options"):
            raise UsageError(f"{said}.{key}: unknown in a factor; accepted: levels, options")
    levels = _levels(f"{said}.levels", value["levels"])
    given = dict(_flat(_section(f"{said}.options", value.get("options"))))
    options = {option: _values(f"{said}.options.{option}", values, len(levels)) for option, values in given.items()}
    return Factor(name, levels, options or {name: levels})


def _values(option: str, given: object, count: int) -> tuple[Level, ...]:
    """Read the values of an option, one for each of `count` levels."""
    if not isinstance(given, Sequence) or isinstance(given, str) or len(given) != count:
        reject(option, given, f"a list of {count} values, one for each level")
    return tuple(_level(option, value) for value in given)


def _flat(tree: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    for key, value in tree.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _levels(option: str, given: object) -> tuple[Level, ...]:
    accepted = "a list of two or more different numbers, or of two words"
    if not isinstance(given, Sequence) or isinstance(given, str) or len(given) < 2:
        reject(option, given, accepted)
    levels = tuple(_level(option, value) for value in given)
    words = [isinstance(level, str | bool) for level in levels]
    if len(set(levels)) < len(levels) or (any(words) and not (all(words) and len(levels) == 2)):
        reject(option, list(given), accepted)
    return levels


def _level(option: str, value: object) -> Level:
    if isinstance(value, bool | str) or (isinstance(value, int | float) and abs(value) <= MAX_LEVEL):
        return value
    reject(option, value, f"numbers up to {MAX_LEVEL:g}, true, false or words")


def words(option: str, given: object) -> tuple[str, ...]:
    """Read options as on the command line of `scripts/train.py`."""
    if not isinstance(given, Sequence) or isinstance(given, str):
        reject(option, given, "a list of options, as in [game=mancala,algorithm.population=64]")
    for one in given:
        name, equals, value = str(one).partition("=")
        if not equals or not name:
            reject(option, one, "options of scripts/train.py, each written option=value")
        if why := _refusal(name, value):
            reject(option, one, why)
    return tuple(str(one) for one in given)


def _refusal(name: str, value: object) -> str:
    """Say what is accepted in the place of an option that a design may not set; empty: it may.

    A design may come from anywhere, so it names nothing that code or further options are loaded from.
    """
    key = name.strip().lstrip("+~")
    option = key.partition("@")[0]
    if option in TAKEN or option.split(".")[0] == "hydra":
        return f"any option but {option}, which the design sets itself"
    if option in own(Config):
        return f"any option but {option}, which only a command line sets; for a study in base"
    group = "." not in option and option not in [one.name for one in list_options(Config) if not one.sections]
    if option.startswith("-") or os.sep in key or (group and any(one in str(value) for one in (os.sep, ".."))):
        return "options of scripts/train.py that name no file of options and no folder of code"
    return ""


def _section(option: str, given: object) -> Mapping[str, object]:
    if given is not None and not isinstance(given, Mapping):
        reject(option, given, f"entries below it, as in {option}.NAME=...")
    return given or {}


def _published(given: object) -> Mapping[str, Numbers]:
    """Read published results: sections of numbers, for a group or for a comparison."""
    return {
        name: {
            section: {term: _level(f"published.{name}.{section}.{term}", value) for term, value in numbers.items()}
            for section, numbers in _sections(f"published.{name}", below).items()
        }
        for name, below in _section("published", given).items()
    }


def _sections(option: str, given: object) -> Mapping[str, Mapping[str, object]]:
    return {name: _section(f"{option}.{name}", below) for name, below in _section(option, given).items()}


def _check(design: Design) -> None:
    """Check the conditions between the parts of a design; raises UsageError."""
    names = [factor.name for factor in design.factors]
    if not names and len(design.groups) < 2:
        reject("factors", "{}", "at least one factor, as in factors.algorithm.population=[64,128], or two groups")
    if len(names) > MAX_FACTORS:
        reject("factors", ", ".join(names), f"up to {MAX_FACTORS} factors")
    for name in names:
        if name in COLUMNS:
            raise UsageError(f"factors.{name}: a column of the table has that name; accepted: any other name")
    set_by: dict[str, str] = {}
    for factor in design.factors:
        for option, values in factor.options.items():
            if option in set_by:
                raise UsageError(f"factors.{factor.name}: {option} is set by factors.{set_by[option]} as well")
            if why := next(filter(None, (_refusal(option, value) for value in values)), ""):
                raise UsageError(f"factors.{factor.name}: {option}: accepted: {why}")
            set_by[option] = factor.name
    for says, number, most in (
        ("factors and groups have {} combinations", len(design.groups) * design.combinations, MAX_CELLS),
        ("factors, groups and replicates make {} runs", design.size, MAX_TRIALS),
    ):
        if number > most:
            raise UsageError(f"{says.format(number)}; accepted: up to {most}")
    if design.seed + design.size - 1 > MAX_SEED:
        reject("seed", design.seed, f"a whole number up to {MAX_SEED - design.size + 1}: each run takes one")
    terms = 1 + len(names) + math.comb(len(names), 2)
    if names and design.combinations * design.replicates <= terms:
        runs = f"{design.combinations * design.replicates} runs do not determine {terms} coefficients and their errors"
        reject("replicates", design.replicates, f"{terms // design.combinations + 1} or more: {runs}")
