"""jaxgp's programs under DEAP, as cases to time: evaluated on positions, and playing the study's games."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from deap import base, gp

from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.genotypes.programs import Programs
from rivals import deap_mancala, trees
from rivals.timing import Case, Times


def calls(primitives: PrimitiveSet, programs: Programs, table: np.ndarray, values: np.ndarray) -> dict[str, Case]:
    """Return compiled trees called on each row of `table`, without and with their compilation.

    Args:
        primitives: the set of the programs, Kalah's or `trees.ARITHMETIC`.
        programs: [P, L].
        table: float32[B, F], a case in each row.
        values: float32[P, B], what jaxgp found.

    Raises:
        AssertionError: a result differs.
    """
    if primitives is trees.ARITHMETIC:
        functions, rows = trees.deap_arithmetic(), [tuple(row) for row in table.tolist()]
    else:
        functions, rows = deap_mancala.primitive_set(), [(row,) for row in table.astype(int).tolist()]
    expressions = trees.deap_trees(primitives, functions, programs, gp.PrimitiveTree)

    def compile_all() -> list:
        return [gp.compile(expression, functions) for expression in expressions]

    def call(programs: list) -> list:
        return [[program(*row) for row in rows] for program in programs]

    ready, work = compile_all(), int(programs.length.sum()) * len(rows)
    np.testing.assert_allclose(values, np.array(call(ready)), rtol=1e-3, atol=1e-3)
    return {
        "calls of compiled trees": Case(lambda: call(ready), work, warm=False),
        "compilation and calls": Case(lambda: call(compile_all()), work, warm=False),
    }


class Games:
    """The games of a sample of a population, and the breeding of all of it.

    Args:
        primitives: Kalah's set.
        population: [P, L].
        points: [P, 2], what jaxgp's games ended with, in each seat.
        fitness: [P].
        depth: plies of the opponent's search.
        sample: programs that play.

    Raises:
        AssertionError: a game ends differently.
    """

    def __init__(
        self,
        primitives: PrimitiveSet,
        population: Programs,
        points: np.ndarray,
        fitness: np.ndarray,
        depth: int,
        sample: int,
    ) -> None:
        self.depth = depth
        self.known = deap_mancala.toolbox(depth, cached=True)
        kind = deap_mancala.classes()
        self.people: list[Any] = trees.deap_trees(primitives, self.known.functions, population, kind)
        for tree, worth in zip(self.people, fitness.tolist(), strict=True):
            tree.fitness.values = (worth,)
        chosen = np.unique(np.linspace(0, len(self.people) - 1, sample).astype(int))
        self.sample = [self.people[i] for i in chosen]
        np.testing.assert_array_equal(points[chosen], np.array(self._play(self.known)))
        self.searches = self.known.answer.func.cache_info().misses

    def _play(self, box: base.Toolbox) -> list[tuple[int, int]]:
        return [box.scores(tree) for tree in self.sample]

    def cases(self) -> dict[str, Case]:
        """Return what is measured."""
        plain, games = deap_mancala.toolbox(self.depth), 2 * len(self.sample)
        return {
            "searching": Case(lambda: self._play(plain), games, warm=False),
            "remembering": Case(
                self._play, games, warm=False, before=lambda: deap_mancala.toolbox(self.depth, cached=True)
            ),
            "knowing": Case(lambda: self._play(self.known), games, warm=False),
            "breeding": Case(lambda: deap_mancala.breed(self.people, plain), 1, warm=False),
        }

    def estimates(
        self, times: dict[str, Times], searches: int, searched: list[int]
    ) -> Iterator[tuple[str, str, int, Times, str]]:
        """Extrapolate to the whole population.

        Args:
            times: of `cases`.
            searches: distinct positions that the opponent meets in one evaluation of the population.
            searched: positions that are new to the opponent, in each of several generations; empty if none were run.

        Yields:
            (name, unit, the measurement of jaxgp beside it: 0 cold, 1 warm, 2 generations, times, how it was found).
        """
        games = 2 * len(self.people)
        rounds = [self._round(times, games, kind) for kind in ("wall", "cpu")]
        mean = f"the mean of {2 * len(self.sample)} of {games} games"

        def made(work: float, seconds: list[np.ndarray]) -> Times:
            wall, cpu = (np.maximum(s, 1e-9).tolist() for s in seconds)
            return Times(work, wall, cpu)

        def cached(positions: float) -> list[np.ndarray]:
            return [known + positions * search for _, search, known, _ in rounds]

        yield "games, every reply searched", "games/s", 0, made(games, [r[0] for r in rounds]), mean
        how = f"{mean} with known replies, and one search of each of {searches} distinct positions"
        yield "games, empty reply cache", "games/s", 0, made(games, cached(searches)), how
        yield "games, full reply cache", "games/s", 1, made(games, [r[2] for r in rounds]), mean
        if not searched:
            return
        bred = f"{mean} of the first generation, and the breeding of all programs"
        yield "generations, every reply searched", "generations/s", 2, made(1, [r[0] + r[3] for r in rounds]), bred
        new = sum(searched) / len(searched)
        how = f"{mean} of the first generation with known replies, {new:.0f} searches a generation, the breeding"
        seconds = [s + r[3] for s, r in zip(cached(new), rounds, strict=True)]
        yield "generations from an empty reply cache", "generations/s", 2, made(1, seconds), how

    def _round(self, times: dict[str, Times], games: int, kind: str) -> tuple[np.ndarray, ...]:
        """Return seconds, repeat by repeat: all games with searches, one search, all games with known replies, and
        breeding.
        """
        searching, remembering, knowing, breeding = (np.array(getattr(t, kind)) for t in times.values())
        share = games / (2 * len(self.sample))
        search = np.maximum(remembering - knowing, 0) / max(self.searches, 1)
        return searching * share, search, knowing * share, breeding
