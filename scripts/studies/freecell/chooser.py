"""Whether a program that looks at a deal of FreeCell can name the champion that solves it with the fewest positions.

python scripts/studies/freecell/chooser.py seeds=5 table=docs/data/freecell_chooser.csv

A program has a tree for each of five champions, and names the one whose tree has the greatest value. What each champion
expands is known: `docs/data/freecell_pairs.csv.gz` has its searches of all 32,000 deals, with 2,000 nodes at most. A
deal that it misses counts what its search has expanded, and what later searches of such deals expand in the mean.
Programs evolve on deals 1 to 16,000 and are reported on the others, beside the champion that is best on the former, and
beside an oracle that always names the best one.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

import csv
import gzip
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from scipy import stats

import jaxgp
from envs.freecell import cards
from jaxgp import files
from jaxgp.config import arguments
from jaxgp.genotypes.programs import Programs
from jaxgp.options import option
from jaxgp.store.table import CSVTable

SEARCHES = Path(__file__).resolve().parents[3] / "docs" / "data" / "freecell_pairs.csv.gz"
LIMIT, DEALS = 2_000, 32_000
COLUMNS = {
    "seed": "of the run",
    "deals": "on which it is reported",
    "chosen": "positions a deal that the named champions expand, in the mean",
    "single": "the same of the champion that is best on the deals of the run",
    "oracle": "the same of the best champion for each deal",
    "difference": "chosen less single",
    "low": "the lower end of its 95 % interval, over deals",
    "high": "the upper end",
    "train": "positions a deal on the deals of the run",
    "train_single": "the same of the best champion there",
    "size": "nodes of the program",
    "named": "how many of the champions it names",
    "command": "the command",
}
"""The columns and what is in them."""


@dataclass
class Options:
    """How long runs take, and where they are noted."""

    seeds: int = option(5, "runs", low=1, high=1000)
    population: int = option(256, "programs of a generation", low=8, high=100_000)
    generations: int = option(60, "generations of a run", low=1, high=100_000)
    table: str | None = option(None, "a CSV file that gets a row for each run; null: none", path=True)


def costs() -> np.ndarray:
    """Return float32[32,000, 5]: positions that each champion expands, and those that a deal which it misses costs."""
    found: dict[tuple[int, str], tuple[int, bool]] = {}
    later, missed = 0, 0
    with gzip.open(SEARCHES, "rt", encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            if int(row["limit"]) == LIMIT:
                found[int(row["instance"]), row["genome"]] = int(row["expanded"]), row["solved"] == "1"
                missed += row["solved"] != "1"
            else:
                later += int(row["expanded"])
    genomes = sorted({genome for _, genome in found})
    each = [[found[deal, genome] for genome in genomes] for deal in range(1, DEALS + 1)]
    return np.array(
        [[expanded + (not solved) * later / missed for expanded, solved in row] for row in each], np.float32
    )


@lru_cache(1)
def _above(layout: cards.Layout) -> dict[int, int]:
    """Return how many cards lie on each card; several features of a deal ask in turn."""
    return {card: len(pile) - 1 - n for pile in layout.cascades for n, card in enumerate(pile)}


def _covers(layout: cards.Layout, suited: bool) -> int:
    """Return how many cards lie somewhere above a lower one, of their own suit if `suited`."""
    return sum(
        any(_rank(low) < _rank(card) and (not suited or low % 4 == card % 4) for low in pile[:n])
        for pile in layout.cascades
        for n, card in enumerate(pile)
    )


def _rank(card: int) -> int:
    return card // 4


def _depth(rank: int) -> Callable[[cards.Layout], float]:
    return lambda layout: float(np.mean([above for card, above in _above(layout).items() if _rank(card) == rank]))


FEATURES: dict[str, Callable[[cards.Layout], float]] = {
    **{name: _depth(rank) for rank, name in enumerate(("AboveAces", "AboveTwos", "AboveThrees", "AboveFours"))},
    "AboveKings": _depth(12),
    "AboveDeepestAce": lambda layout: max(above for card, above in _above(layout).items() if _rank(card) == 0),
    "Covers": lambda layout: _covers(layout, suited=False),
    "CoversOfSuit": lambda layout: _covers(layout, suited=True),
    "InSequence": lambda layout: sum(cards.fits(top, on) for pile in layout.cascades for on, top in pairwise(pile)),
    "Moves": lambda layout: sum(bool(cards.fits(a[-1], b[-1])) for a in layout.cascades for b in layout.cascades),
    "BottomRanks": lambda layout: sum(_rank(pile[0]) for pile in layout.cascades),
    "TopRanks": lambda layout: sum(_rank(pile[-1]) for pile in layout.cascades),
}
"""What a program sees of a deal; programs see them less their mean, in standard deviations."""


def features(deals: range) -> np.ndarray:
    """Return float32[F, N]: what programs see of deals."""
    rows = [[float(see(layout)) for see in FEATURES.values()] for layout in map(cards.deal, deals)]
    return stats.zscore(np.array(rows), axis=0).T.astype(np.float32)


def words(champions: int) -> jaxgp.PrimitiveSet:
    """Return the set: arithmetic, a choice and a comparison on features and constants; a tree for each champion."""
    two = (jaxgp.FLOAT, jaxgp.FLOAT)
    calls: dict[str, Callable[..., Array]] = {
        "add": lambda a, b: a + b,
        "sub": lambda a, b: a - b,
        "mul": lambda a, b: a * b,
        "max": jnp.maximum,
        "min": jnp.minimum,
    }
    return jaxgp.PrimitiveSet(
        "chooser",
        (
            *(jaxgp.Primitive(name, feature=n) for n, name in enumerate(FEATURES)),
            jaxgp.Primitive("c", domain=jaxgp.Floats(-2.0, 2.0)),
        ),
        (
            *(jaxgp.Primitive(name, args=two, call=call) for name, call in calls.items()),
            jaxgp.Primitive("if", args=two + two, call=lambda a, b, c, d: jnp.where(a > b, c, d)),
        ),
        roots=(jaxgp.FLOAT,) * champions,
    )


class Side(NamedTuple):
    """Deals: what programs see of them, float32[F, N], and what each champion costs there, float32[N, C]."""

    seen: Array
    cost: Array


def named(language: jaxgp.PrimitiveSet, population: Programs, side: Side) -> Array:
    """Return int32[P, N]: which champion programs name for each deal."""
    values = jaxgp.evaluate_programs(language, population, side.seen)  # [P, C, N]
    return jnp.argmax(jnp.nan_to_num(values, nan=-jnp.inf), 1)


def spent(language: jaxgp.PrimitiveSet, population: Programs, side: Side) -> Array:
    """Return float32[P]: the mean cost of a deal."""
    return jnp.take_along_axis(side.cost.T[None], named(language, population, side)[:, None], 1)[:, 0].mean(-1)


def evolve(language: jaxgp.PrimitiveSet, train: Side, options: Options, seed: int) -> Programs:
    """Return the champion [C, L] of a run."""
    scheme = jaxgp.Generational(
        language,
        jaxgp.GPOptions(
            population=options.population,
            capacity=64,
            elites=2,
            creation=jaxgp.CreationOptions(max_depth=4),
            selection=jaxgp.SelectionOptions(method="tournament", tournament_size=5),
            crossover=jaxgp.CrossoverOptions(probability=0.7),
            mutation=jaxgp.MutationOptions(probability=0.5, subtree=1.0, point=1.0, numeric=2.0, max_depth=3),
        ),
    )
    fitness = jaxgp.FunctionFitness(lambda _, population: -spent(language, population, train))
    state, _ = jaxgp.evolve(jaxgp.Ring(fitness, scheme), jax.random.key(seed), options.generations)
    genome: Programs = state.champion.genome
    return genome


def task(options: Options) -> int:
    """Run, print and note."""
    table = None if options.table is None else CSVTable(files.user_path("table", options.table), COLUMNS)
    seen, cost = jnp.asarray(features(range(1, DEALS + 1))), jnp.asarray(costs())
    half = DEALS // 2
    train, test = Side(seen[:, :half], cost[:half]), Side(seen[:, half:], cost[half:])
    best = int(train.cost.mean(0).argmin())
    language = words(cost.shape[1])
    for seed in range(options.seeds):
        champion = jax.tree.map(lambda x: x[None], evolve(language, train, options, seed))
        which = named(language, champion, test)[0]
        chosen = np.asarray(jnp.take_along_axis(test.cost, which[:, None], 1)[:, 0], np.float64)
        single = np.asarray(test.cost[:, best], np.float64)
        more = chosen - single
        reach = float(stats.norm.ppf(0.975) * stats.sem(more))
        row = {
            "seed": seed,
            "deals": len(chosen),
            "chosen": round(float(chosen.mean()), 1),
            "single": round(float(single.mean()), 1),
            "oracle": round(float(test.cost.min(1).mean()), 1),
            "difference": round(float(more.mean()), 1),
            "low": round(float(more.mean()) - reach, 1),
            "high": round(float(more.mean()) + reach, 1),
            "train": round(float(spent(language, champion, train)[0]), 1),
            "train_single": round(float(train.cost[:, best].mean()), 1),
            "size": int(champion.length.sum()),
            "named": len(np.unique(which)),
            "command": arguments.command("scripts/studies/freecell/chooser.py", options),
        }
        print(*list(row.values())[:-1], flush=True)
        if table is not None:
            table.keep([row], arguments.say)
    return 0


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__ or ""))
