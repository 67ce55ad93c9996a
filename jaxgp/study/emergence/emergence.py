"""Where the strength of a champion sits, part by part, as rows of a table that a stopped command goes on with.

Source: M. Sipper, "Evolved to Win" (2011), chapter 5. `docs/emergence.md` says what each measure means and where it
misleads.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import combinations
from pathlib import Path
from statistics import fmean

import numpy as np

from jaxgp import files
from jaxgp.anatomy import dissect
from jaxgp.contracts import Solver
from jaxgp.errors import UsageError
from jaxgp.games.outside import Games
from jaxgp.genotypes.programs import Programs
from jaxgp.measure.champions import Loaded
from jaxgp.store.table import Cells, CSVTable
from jaxgp.study.emergence import choices
from jaxgp.study.emergence.altered import Alterable, check_names, padded
from jaxgp.study.emergence.evolved import Bred, Breeder
from jaxgp.study.emergence.options import EVOLVED, RANKED, STRENGTH, EmergenceOptions
from jaxgp.study.emergence.rows import (
    COLUMNS,
    DECISIONS,
    GROUPS,
    KEY,
    RANDOM,
    REFERENCE,
    Row,
    scale,
    single_score,
    strengths,
)
from jaxgp.study.emergence.strength import Scorer, StrengthMeasure, Values, fall, score

TABLE, MOVES, FIGURES = "emergence.csv", "moves.csv", "emergence.json"
Say = Callable[[str], object]


@dataclass
class EmergenceFigures:
    """What was measured.

    Attributes:
        champion: whose strength is looked at.
        rows: of the table.
        used: how often the champion uses each terminal, or the weight that it gives it.
        counted: which of these it is, `uses` or `weight`.
        agreement: of its values with what moves are worth; None: not looked at.
        by: who says what moves are worth.
        game: the moves of a game with itself.
        reduced: figures of the smallest program; None: not looked for.
        skipped: parts that could not be measured, and why.
    """

    champion: Loaded
    rows: list[Cells] = field(default_factory=list)
    used: dict[str, float] = field(default_factory=dict)
    counted: str = "uses"
    agreement: choices.Agreement | None = None
    by: str = ""
    game: list[Row] = field(default_factory=list)
    reduced: dict[str, object] | None = None
    skipped: dict[str, str] = field(default_factory=dict)


class Study:
    """A champion, what its programs are measured by, and the table of what is known.

    Args:
        options: see there.
        loaded: the champion.
        others: further champions of the same language.
        altered: how its terminals are turned off.
        by: what programs are measured by.
        games: where games come from.
        folder: of the results.
        say: told what comes next, and what it costs.
    """

    def __init__(
        self,
        options: EmergenceOptions,
        loaded: Loaded,
        others: Sequence[Loaded],
        altered: Alterable,
        by: Sequence[StrengthMeasure],
        games: Games,
        folder: Path,
        say: Say,
    ) -> None:
        self.options, self.loaded, self.others, self.folder, self.say = options, loaded, others, folder, say
        self.altered, self.scorer = altered, Scorer(by)
        self.names = check_names("terminals", options.terminals, altered)
        self.table = CSVTable(folder / TABLE, COLUMNS)
        self.table.check("output")
        self.known = {tuple(row[name] for name in KEY): row for row in self.table.read()}
        self._check_ranking()
        self.breeder: Breeder | None = None
        if set(options.parts) & set(EVOLVED):
            self.breeder = Breeder(loaded, games, folder / "runs", options.generations, options.seed)
        self._bases: dict[tuple[str, StrengthMeasure], Values] = {}

    def _check_ranking(self) -> None:
        """Refuse parts that take the strongest terminals before any strength is known; raises UsageError."""
        parts = self.options.parts
        late = [parts.index(part) for part in RANKED if part in parts]
        earlier = set(parts[: min(late, default=0)]) & set(STRENGTH)
        if late and not (self.options.terminals or earlier or self.strengths()):
            listed = f"[{','.join(parts)}]"
            raise UsageError(
                f"parts={listed}: nothing is known of the strength of terminals; accepted: some of "
                f"{', '.join(STRENGTH)} before {' and '.join(RANKED)}, or terminals=[...] in their order"
            )

    def strengths(self) -> list[Row]:
        """Return the strengths so far: by decisions, which tell more than games, or else by what is measured first."""
        known = [*self.known.values()]
        return strengths(known, DECISIONS) or strengths(known, scale(self.scorer.by[0].names[0]))

    def price(self, parts: Sequence[str]) -> None:
        """Say what the parts will cost, before they begin."""
        self.scorer.gauge(self.altered.random())  # whose games and searches are long
        each = self.scorer.seconds
        alone = sum(len([*self.altered.alone(name)]) for name in self.names)
        count = {
            "single": alone + 1,
            "disabled": (1 + len(self.others)) * (1 + len(self.names) * len(self.options.ways)),
        }
        pairs, runs = self.options.best * (self.options.best - 1) // 2, self.options.replicates
        evolved = {
            "without": runs * (1 + len(self.names)),
            "pairs": runs * pairs,
            "groups": 2 * runs * len(self.sizes()),
        }
        for part in parts:
            if part in count:
                self.say(f"{part}: {count[part]} programs at most, about {count[part] * each:,.0f} seconds of CPU")
            if part in evolved and self.breeder is not None:
                hours = self.breeder.seconds(evolved[part]) / 3600
                self.say(f"{part}: {evolved[part]} runs, about {hours:.2f} hours by the clock, compiling included")

    def sizes(self) -> list[int]:
        """Return the sizes of groups."""
        return [*range(1, len(self.names), self.options.step), len(self.names)]

    def row(
        self,
        part: str,
        champion: str,
        terminals: str,
        way: str,
        against: str,
        values: np.ndarray,
        base: np.ndarray | float | None = None,
    ) -> Row:
        """Return a row; `base` is what games or decisions of the base are worth, float[N], or their mean."""
        mine = score(values)
        less: dict[str, float] = {}
        if isinstance(base, np.ndarray):
            one = fall(base, values)
            less = {"base": float(base.mean()), "fall": one.mean, "fall_low": one.low, "fall_high": one.high}
        elif base is not None:
            less = {"base": base, "fall": base - mine.mean}
        figures = {"score": mine.mean, "low": mine.low, "high": mine.high, **less}
        return {
            **dict.fromkeys(COLUMNS, ""),
            **{"part": part, "champion": champion, "terminals": terminals, "way": way, "against": against},
            **{"number": values.size, "seed": self.options.seed},
            **{name: round(float(x), 5) + 0.0 for name, x in figures.items()},
        }

    def add(self, rows: Sequence[Row]) -> None:
        """Keep rows in the table."""
        self.table.extend(rows)
        for row in rows:
            cells = {name: str(row[name]) for name in COLUMNS}
            self.known[tuple(cells[name] for name in KEY)] = cells

    def has(self, part: str, champion: str, terminals: str, way: str, against: str) -> bool:
        """Return whether the table holds a row."""
        wanted = part, champion, terminals, way, against
        return any(key[: len(wanted)] == wanted and self._same(key) for key in self.known)

    def lacks(self, measure: StrengthMeasure, part: str, champion: str, terminals: str, way: str) -> list[str]:
        """Return the scores of a measure that the table does not hold."""
        return [against for against in measure.names if not self.has(part, champion, terminals, way, against)]

    def _same(self, key: Sequence[str]) -> bool:
        """Return whether a row is of as many games or decisions, and of the seed, that are asked for."""
        return key[6] == str(self.options.seed) and int(key[5]) in self.scorer.numbers(key[4])

    def base(self, name: str, measure: StrengthMeasure, program: Programs) -> Values:
        """Return what all is worth to a program that others are compared with, float[1, N]."""
        if (name, measure) not in self._bases:
            found = measure.run(padded([program]))
            self._bases[name, measure] = found
            left = [against for against in measure.names if not self.has(REFERENCE, name, "", "", against)]
            self.add([self.row(REFERENCE, name, "", "", against, found[against][0]) for against in left])
        return self._bases[name, measure]

    def variants(
        self, part: str, champion: str, base: tuple[str, Programs], some: Sequence[tuple[str, str, Programs]]
    ) -> None:
        """Measure programs, by terminals and ways, that the table does not hold, a few at a time."""
        for one in self.scorer.by:
            left = [(name, way, program) for name, way, program in some if self.lacks(one, part, champion, name, way)]
            if not left:
                continue
            than = self.base(base[0], one, base[1])
            for first in range(0, len(left), one.together):
                batch = left[first : first + one.together]
                self.say(f"{part}, {one.told}: {first + len(batch)} of {len(left)}")
                found = one.run(padded([program for *_, program in batch]))
                self.add(
                    [
                        self.row(part, champion, name, way, against, found[against][at], than[against][0])
                        for at, (name, way, _) in enumerate(batch)
                        for against in self.lacks(one, part, champion, name, way)
                    ]
                )

    def single(self) -> None:
        """Measure each terminal as the whole program, with both signs, beside random values."""
        some = [
            (said, f"{sign:+d}", program) for name in self.names for said, sign, program in self.altered.alone(name)
        ]
        self.variants("single", digest(self.loaded), (RANDOM, self.altered.random()), some)

    def disabled(self) -> None:
        """Measure champions whose terminals say nothing, or something else."""
        for one in (self.loaded, *self.others):
            some = [
                (name, way, made)
                for name in self.names
                for way in self.options.ways
                if (made := self.altered.disabled(one.genome, name, way)) is not None
            ]
            self.variants("disabled", digest(one), (digest(one), self.altered.widened(one.genome)), some)

    def evolved(
        self,
        part: str,
        asked: Sequence[tuple[str, int, Sequence[str]]],
        base: Callable[[str, str], float | None],
        depth: int | None = None,
    ) -> None:
        """Evolve players without some terminals, and measure their champions.

        Args:
            part: of the study.
            asked: what rows call the terminals, the number of the run, and the terminals that no individual has.
            base: (terminals, opponent) -> the score that theirs is compared with.
            depth: limit of the depth of programs; None: that of the champion's run.
        """
        assert self.breeder is not None
        name, kinds = digest(self.loaded), dict[Bred, list[str]]()
        for kind, number, gone in asked:
            if any(self.lacks(one, part, name, kind, str(number)) for one in self.scorer.by):
                # Runs with all terminals are the same whatever they are compared with.
                run = f"{part}_{kind}" if gone or depth is not None else "without_nothing"
                kinds.setdefault(Bred(run, tuple(gone), number, depth), []).append(kind)
        for made in self.breeder.evolve([*kinds], lambda text: self.say(f"{part}: {text}")):
            for one in self.scorer.by:
                for first in range(0, len(made), one.together):
                    batch = made[first : first + one.together]
                    found = one.run(padded([self.altered.widened(champion.genome) for _, champion in batch]))
                    rows = [
                        self.row(part, name, kind, str(bred.number), against, found[against][at], base(kind, against))
                        for at, (bred, _) in enumerate(batch)
                        for kind in kinds[bred]
                        for against in self.lacks(one, part, name, kind, str(bred.number))
                    ]
                    self.add(rows)

    def mean(self, part: str, terminals: str, against: str) -> float | None:
        """Return the mean score of rows; None without any."""
        rows = [
            r for r in self.known.values() if (r["part"], r["terminals"], r["against"]) == (part, terminals, against)
        ]
        return fmean(float(row["score"]) for row in rows) if rows else None

    def without(self) -> None:
        """Evolve players without each terminal, beside as many with all of them."""
        numbers = range(self.options.replicates)
        self.evolved("without", [("nothing", number, ()) for number in numbers], lambda *_: None)
        asked = [(name, number, (name,)) for name in self.names for number in numbers]
        self.evolved("without", asked, lambda _, against: self.mean("without", "nothing", against))

    def ranking(self) -> list[str]:
        """Return the terminals by their strength so far, the greatest first; those that are named stay in order."""
        if self.options.terminals:
            return list(self.names)
        found = {row["terminal"]: row["strength"] for row in self.strengths()}
        return sorted(self.names, key=lambda name: -float(found.get(name) or 0))  # type: ignore[arg-type]

    def pairs(self) -> None:
        """Evolve players from pairs of terminals, beside the better one of each alone."""
        pairs = {"+".join(pair): pair for pair in combinations(self.ranking()[: self.options.best], 2)}

        def better(kind: str, against: str) -> float | None:
            alone = [single_score([*self.known.values()], name, against) for name in pairs[kind]]
            return max((x for x in alone if x is not None), default=None)

        asked = [
            (kind, number, self.all_but(pair))
            for kind, pair in pairs.items()
            for number in range(self.options.replicates)
        ]
        self.evolved("pairs", asked, better, self.options.pair_depth)

    def groups(self) -> None:
        """Evolve players from groups of terminals, by descending strength, and drawn, by each run for itself."""
        ranked, asked = self.ranking(), []
        for number in range(self.options.replicates):
            drawn = [*np.random.default_rng((self.options.seed, number)).permutation(self.names)]
            for how, order in zip(GROUPS, (ranked, drawn), strict=True):
                asked += [(f"{how} {size}", number, self.all_but(order[:size])) for size in self.sizes()]
        self.evolved("groups", asked, lambda *_: None)

    def all_but(self, names: Sequence[str]) -> list[str]:
        """Return the other terminals."""
        return [name for name in self.altered.names if name not in names]


def digest(loaded: Loaded) -> str:
    """Return what rows call a champion."""
    return loaded.text.removeprefix("champion ").split(" ")[0]


def reduce(loaded: Loaded, positions: int, seed: int) -> dict[str, object]:
    """Return how small a program is that plays the same moves, and the nodes that decide no move."""
    made = dissect.dissect(loaded, positions, seed, lambda _: None)
    assert made.simpler is not None
    assert made.equality is not None
    nodes = sum(len(one.tree) for one in made.trees)
    from jaxgp.genotypes.text import print_program

    return {
        "nodes": nodes,
        "introns": sum(kind != "code" for one in made.trees for kind in one.kinds),
        "left": int(np.sum(made.simpler.length)),
        "positions": made.equality.positions,
        "equal": made.equality.decisions,
        "program": print_program(loaded.cast.language, made.simpler),
    }


def carry_out(study: Study) -> Iterator[EmergenceFigures]:
    """Measure part by part; yield what is found after each of them."""
    options, loaded = study.options, study.loaded
    used = study.altered.uses(loaded.genome)
    found = EmergenceFigures(loaded, [*study.known.values()], used, study.altered.counted)
    measured = [part for part in options.parts if part not in ("moves", "reduced")]
    if measured:
        study.price(measured)
    for part in options.parts:
        if part in ("moves", "reduced"):
            try:
                if isinstance(loaded.cast.actor, Solver):
                    raise UsageError("its champion steers a search, and decides no move by itself")
                if part == "moves":
                    look_at_moves(study, found)
                else:
                    found.reduced = reduce(loaded, options.positions, options.seed)
            except UsageError as error:  # the other parts need not wait for it
                found.skipped[part] = str(error)
                study.say(f"{part} is left out: {error}")
        else:
            getattr(study, part)()
            found.rows = [*study.known.values()]
        files.write_json(study.folder / FIGURES, as_json(found))
        yield found


def look_at_moves(study: Study, found: EmergenceFigures) -> None:
    """Compare the champion's values of moves with their worth, and play a game; raises UsageError where it has none."""
    options, loaded = study.options, study.loaded
    given = loaded.cast, loaded.genome, options.truth
    found.agreement, found.by = choices.compare(*given, options.positions, options.seed)
    found.game = [*choices.play(*given, options.plies, options.seed)]
    if found.game:
        files.write_text(study.folder / MOVES, files.csv_text(found.game))


def as_json(found: EmergenceFigures) -> dict[str, object]:
    """Return the figures beside the table."""
    return {
        "champion": digest(found.champion),
        found.counted: found.used,
        "agreement": None if found.agreement is None else asdict(found.agreement) | {"by": found.by},
        "reduced": found.reduced,
        "skipped": found.skipped,
    }
