"""Lets a champion search problems, and sets its nodes beside those of the reference search, by n."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxgp.errors import reject
from jaxgp.fitness.puzzles.suite import instances
from jaxgp.players.problems.prover import ProgramProver
from jaxgp.report.waiting import waiting

if TYPE_CHECKING:
    from jaxgp.measure.champions import Loaded

COLUMNS = {
    "n": "moves that the solver may make",
    "problems": "how many",
    "solved": "in how many a first move that wins by force was chosen",
    "claimed": "in how many the search says so",
    "proved": "in how many of these complete search, or the search itself, has proved it",
    "truncated": "searches that reached the limit",
    "nodes": "moves made, in all",
    "geometric": "geometric mean of the nodes",
    "reference": "nodes of the reference search, in all",
    "reference_geometric": "geometric mean of these",
}


def measure(loaded: "Loaded", suite: str | None, limit: int | None, split: str) -> list[dict[str, Any]]:
    """Return a row of `COLUMNS` for each length of problems.

    Args:
        loaded: the champion.
        suite: a suite or a file; None: the last suite of the game, which no evolution may see.
        limit: nodes at which a search is truncated; None: those of the actor.
        split: `test`, `train` or `all`.

    Raises:
        UsageError: no such suite, or no problem in it.
    """
    cast, prover = loaded.cast, loaded.cast.actor
    found = instances("suite", suite or next(reversed(cast.spec.suites(cast.game)), None), cast)
    wanted = {"test": found.test, "train": ~found.test, "all": np.ones_like(found.test)}[split]
    at = np.flatnonzero(wanted)
    unsettled = found.keys is None and not prover.proves
    if not len(at) or unsettled or found.reference is None or found.lengths is None:
        reject("split", split, "a side of the suite with problems whose keys, lengths and reference nodes are known")
    if limit is not None and limit < (first := cast.game.most_choices):
        reject("limit", limit, f"a whole number from {first}, the most first moves of a problem")
    if isinstance(prover, ProgramProver) and (need := prover.need(loaded.genome)) > prover.frames:
        reject("program.frames", prover.frames, f"a whole number from {need}, the functions of this program that wait")
    states = jax.tree.map(lambda x: jnp.asarray(x[at]), found.states)
    most = jnp.full(len(at), limit or prover.limit, jnp.int32)
    whose = jnp.zeros(len(at), jnp.int32)
    genome = jax.tree.map(lambda x: jnp.asarray(x)[None], loaded.genome)
    with waiting("Compiling and searching"):
        run = jax.jit(lambda genome, *args: prover.prove(prover.prepare(genome), *args))
        claims = jax.device_get(run(genome, whose, states, most))
    lengths = found.lengths[at]
    right = claims.solved
    if found.keys is not None:
        right = ((found.keys[at] == claims.chosen[:, None]) & (found.keys[at] >= 0)).any(1)
    return [
        {
            "n": int(n),
            "problems": int((own := lengths == n).sum()),
            "solved": int(right[own].sum()),
            "claimed": int(claims.solved[own].sum()),
            "proved": int((claims.solved & right)[own].sum()),
            "truncated": int(claims.truncated[own].sum()),
            "nodes": int(claims.nodes[own].sum()),
            "geometric": _geometric(claims.nodes[own]),
            "reference": int(found.reference[at][own].sum()),
            "reference_geometric": _geometric(found.reference[at][own]),
        }
        for n in np.unique(lengths)
    ]


def _geometric(nodes: np.ndarray) -> float:
    return float(np.exp(np.log(np.maximum(nodes, 1)).mean()).round(1))


def text(rows: Sequence[dict[str, Any]]) -> str:
    """Return the rows as lines for people."""
    lines = [[str(row[name]) for name in COLUMNS] for row in rows]
    wide = [max(len(name), *(len(line[n]) for line in lines)) for n, name in enumerate(COLUMNS)]
    return "\n".join(
        "  ".join(word.rjust(w) for word, w in zip(line, wide, strict=True)) for line in [[*COLUMNS], *lines]
    )
