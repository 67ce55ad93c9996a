"""Count how many programs have the time to a crash, `AH % V` or its inverse: champions, and random programs.

python scripts/studies/rars/crash.py "runs=[docs/data/champions/rars_*]" table=docs/data/rars_crash.csv

Random programs are those of a first generation. They are drawn once for each number of nodes that a champion has, too:
of 100,000 random programs those as long as a champion, so that long champions are not compared with short programs.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

from dataclasses import dataclass

import jax
import numpy as np

import envs
from jaxgp import files
from jaxgp.config import arguments
from jaxgp.games.casting import cast
from jaxgp.league.members import champion_files
from jaxgp.measure import champions
from jaxgp.operators.creation import create
from jaxgp.operators.options import CreationOptions
from jaxgp.options import MAX_SEED, option
from jaxgp.store.table import CSVTable

COLUMNS = {
    "who": "champions of a file, or random programs",
    "programs": "how many",
    "time": "how many of them have AH % V",
    "inverse": "how many of them have V % AH",
    "expected": "the share of random programs that have one of both, of the same numbers of nodes, mean",
}
"""The columns and what is in them."""
MANY = 100_000
NEAR = 0.2
"""Random programs whose nodes differ from those of a champion by less than this share are as long as it."""


@dataclass
class Options:
    """Which champions."""

    runs: list[str] = option([], "run directories, folders of such, champion files, or patterns")
    seed: int = option(0, "of the random programs", low=0, high=MAX_SEED)
    table: str | None = option(None, "a CSV file that gets the rows; null: none", path=True)


def pairs(opcode: np.ndarray, code: dict[str, int]) -> np.ndarray:
    """Return bool[P, 2]: which programs, int[P, T, L] in postfix order, have AH % V, and V % AH."""

    def has(a: str, b: str) -> np.ndarray:
        found = (opcode[..., :-2] == code[a]) & (opcode[..., 1:-1] == code[b]) & (opcode[..., 2:] == code["%"])
        there: np.ndarray = found.any((1, 2))
        return there

    return np.stack([has("AH", "V"), has("V", "AH")], 1)


def task(options: Options) -> int:
    """Count."""
    there = cast(envs.spec("rars"), envs.make("rars"))
    code = {one.name: number for number, one in enumerate(there.language.primitives)}
    made = jax.jit(lambda key: create(key, there.language, CreationOptions("ramped", 1, 5), MANY, 128))
    random = jax.device_get(made(jax.random.key(options.seed)))
    live = np.arange(random.opcode.shape[-1]) < random.length[..., None]
    have = pairs(np.where(live, random.opcode.astype(int), -1), code)
    nodes = random.length.sum(1)
    rows: list[dict[str, object]] = [
        {
            "who": "random programs",
            "programs": MANY,
            "time": int(have[:, 0].sum()),
            "inverse": int(have[:, 1].sum()),
            "expected": f"{have.any(1).mean():.4f}",
        }
    ]
    groups: dict[str, list[tuple[np.ndarray, float]]] = {}
    for path in champion_files("runs", options.runs):
        one = champions.load(str(path), envs, "runs")
        genome = jax.device_get(one.genome)
        of = {primitive.name: number for number, primitive in enumerate(one.cast.language.primitives)}
        alive = np.arange(genome.opcode.shape[-1]) < np.asarray(genome.length)[:, None]
        found = pairs(np.where(alive, genome.opcode.astype(int), -1)[None], of)[0]
        alike = np.abs(nodes - one.content.size) <= NEAR * one.content.size
        name = path.parent.parent.name if one.in_run else path.name.partition(".jsonl")[0]
        groups.setdefault(name, []).append((found, float(have[alike].any(1).mean()) if alike.any() else np.nan))
    for name, some in groups.items():
        both = np.array([found for found, _ in some])
        shares = np.array([share for _, share in some])
        expected = f"{np.nanmean(shares):.4f}" if np.isfinite(shares).any() else ""
        cells = {"programs": len(some), "time": int(both[:, 0].sum()), "inverse": int(both[:, 1].sum())}
        rows.append({"who": name, **cells, "expected": expected})
    for row in rows:
        print(", ".join(f"{key} {value}" for key, value in row.items()))
    if options.table:
        CSVTable(files.user_path("table", options.table), COLUMNS).keep(rows, arguments.say)
    return 0


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__))
