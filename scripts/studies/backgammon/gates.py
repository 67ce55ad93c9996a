"""Games of sums of gates against Pubeval, valued by products of matrices.

python scripts/studies/backgammon/gates.py runs=[docs/data/champions/backgammon_gates.jsonl#0] games=100000 seed=2001

A champion of `algorithm=gates` is a program like any other, and `scripts/evaluate.py` measures it node by node. Here
its weights are read from the program (`jaxgp.genotypes.gates`), so that its values differ by rounding alone, and games
take a small part of the time. Each side begins half of them. Pubeval takes the first of equal turns.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

import time
from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

import envs
import jaxgp
from envs.backgammon import language
from envs.backgammon.rules import racing
from jaxgp import files
from jaxgp.config import arguments
from jaxgp.errors import UsageError
from jaxgp.genotypes import gates
from jaxgp.genotypes.gates import Form
from jaxgp.measure import champions
from jaxgp.options import MAX_GAMES, MAX_SEED, option
from jaxgp.run.run import use_compilation_cache
from jaxgp.schemes.breeding.gates import look
from jaxgp.statistics.intervals import interval
from jaxgp.store.table import CSVTable
from studies.backgammon.gnubg import COLUMNS, share
from studies.backgammon_learn import meet_pubeval

ENDS = (("score", "low", "high"), ("share", "share_low", "share_high"))
TOGETHER = 10_000
"""Games that are played side by side."""
MOST = 1000
"""Gates of a tree, at most."""
Weights = tuple[Array, Array]
SIZES = {
    "nodes": "nodes of both trees",
    "run": "the champion",
    "jaxgp": "version of jaxgp",
    "jax": "version of JAX",
}


@dataclass
class Options:
    """Whose games, and how many."""

    runs: list[str] = option([], "run directories, or FILE.jsonl#SEED", path=True)
    games: int = option(
        10_000,
        "games of each champion; each side begins half of them",
        low=2,
        high=MAX_GAMES,
        test=lambda games: games % 2 == 0,
        accepted=f"an even number from 2 to {MAX_GAMES}",
    )
    seed: int = option(1001, "of the dice", low=0, high=MAX_SEED)
    table: str | None = option(None, "a CSV file that gets a row for each champion; null: none", path=True)
    compilation_cache: str | None = option("~/.cache/jaxgp", "folder for compiled programs; null: none", path=True)


def weights_of(loaded: champions.Loaded) -> tuple[tuple[Form, ...], Weights]:
    """Return the weights of a champion; raises UsageError where it is no sum of gates."""
    primitives, program = loaded.cast.language, loaded.genome
    if loaded.cast.spec.name != "backgammon" or loaded.cast.options.phase != "after":
        raise UsageError(f"runs={loaded.path}: accepted: champions of backgammon with program.phase=after")
    forms, found = [], []
    for tree in range(primitives.num_trees):
        one = jax.tree.map(lambda x, t=tree: x[t], program)
        alive = np.arange(one.capacity) < one.length
        known = gates.form(primitives, tree, 1)
        assert known is not None
        number = int((alive & (np.asarray(one.opcode) == known.choose)).sum())
        form = gates.form(primitives, tree, number) if 0 < number <= MOST else None
        weight = None if form is None else gates.read(form, one)
        if form is None or weight is None or not _equal(gates.write(form, weight, one.capacity), one):
            raise UsageError(f"runs={loaded.path}: accepted: champions of algorithm=gates, which are sums of gates")
        forms.append(form)
        found.append(weight)
    return tuple(forms), (found[0], found[1])


def _equal(one: object, other: object) -> bool:
    return bool(jax.tree.all(jax.tree.map(np.array_equal, one, other)))


def value(forms: tuple[Form, ...], weights: Weights, own: Array, other: Array) -> Array:
    """Return float32[N]: the values of positions after turns, int8[N, 26] twice."""
    primitives, seen = language.primitive_set(), language.view(own.T, other.T)
    found = [gates.values(form, one, look(primitives, form, seen)) for form, one in zip(forms, weights, strict=True)]
    return jnp.where(racing(own.T, other.T), found[language.RACE], found[language.CONTACT])


@partial(jax.jit, static_argnames=("forms", "games"))
def against_pubeval(forms: tuple[Form, ...], weights: Weights, key: Array, games: int) -> Array:
    """Return float32[G]: the points of each game of a champion; see `meet_pubeval`."""
    return meet_pubeval(lambda lanes, men, needed: value(forms, weights, *men), key, games)


def measure(name: str, options: Options) -> dict[str, object]:
    """Let a champion play, and return its row."""
    loaded = champions.load(name, envs, "runs")
    forms, weights = weights_of(loaded)
    begun, found = time.process_time(), list[np.ndarray]()
    for part, first in enumerate(range(0, options.games, TOGETHER)):
        count = min(TOGETHER, options.games - first)
        key = jax.random.fold_in(jax.random.key(options.seed), part)
        found.append(np.asarray(against_pubeval(forms, weights, key, count)))
    points = np.concatenate(found)
    low, high = interval((points > 0).astype(float)[:, None])
    ratio, share_low, share_high = share(points)
    return {
        "player": f"champion {loaded.content.title}",
        "opponent": "pubeval",
        "games": options.games,
        "wins": int((points > 0).sum()),
        "score": (points > 0).mean(),
        "low": low,
        "high": high,
        "points": np.maximum(points, 0).mean(),
        "against": np.maximum(-points, 0).mean(),
        "share": ratio,
        "share_low": share_low,
        "share_high": share_high,
        "seconds": time.process_time() - begun,
        "command": arguments.command("scripts/studies/backgammon/gates.py", options),
        "seed": options.seed,
        "nodes": loaded.content.size,
        "run": name,
        "jaxgp": jaxgp.__version__,
        "jax": jax.__version__,
    }


def task(options: Options) -> int:
    """Check, play, print, add rows."""
    use_compilation_cache(options.compilation_cache)
    table = None
    if options.table is not None:
        left = {name: what for name, what in COLUMNS.items() if name not in ("turns", "package")}
        table = CSVTable(files.user_path("table", options.table), left | SIZES)
        table.check("table")
    for name in options.runs:
        row = measure(name, options)
        won, ratio = (f"{row[one]:.2%} ({row[low]:.2%} to {row[high]:.2%})" for one, low, high in ENDS)
        print(f"{name}: {won} of {options.games} games, {ratio} of the points, {row['nodes']} nodes", flush=True)
        if table is not None:
            table.keep([row], arguments.say)
    return 0


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__ or ""))
