"""Measures a program that plays alone: its one game, compared with uniformly random play."""

from typing import TYPE_CHECKING

import jax
import numpy as np

from jaxgp.errors import UsageError
from jaxgp.files import Json
from jaxgp.games.casting import Cast
from jaxgp.report.waiting import waiting

if TYPE_CHECKING:
    from jaxgp.measure.champions import Loaded

LANES = 1000
"""The most random games that run side by side."""


def measure(loaded: "Loaded", games: int, seed: int) -> dict[str, Json]:
    """Play the one game of a champion, and random games.

    Args:
        loaded: the champion and the game that it plays alone.
        games: random games, at least 2.
        seed: of the random games.

    Returns:
        Figures by player. Those of `champion` are its score. Those of `random` are what `summarise` returns and
        `as_good`, the share of random games with at least the champion's score, with its 95 % Wilson interval.
    """
    from jaxgp.statistics.intervals import wilson

    walker, genome = loaded.cast.actor, jax.tree.map(lambda x: jax.numpy.asarray(x)[None], loaded.genome)
    with waiting("Compiling the champion's game"):
        play = jax.jit(lambda programs: walker.play(walker.prepare(programs))).lower(genome).compile()
    played = play(genome)
    score = float(walker.game.score(jax.tree.map(lambda x: x[0], played.states))[0])
    with waiting("Compiling and playing random games"):
        scores = random_scores(loaded.cast, games, seed)
    count = int((scores >= score).sum())
    low, high = wilson(count, games)
    as_good = {"as_good": count / games, "as_good_low": low, "as_good_high": high}
    return {"champion": {"games": 1, "score": score}, "random": summarise(scores) | as_good}


def best_of(scores: np.ndarray) -> Json:
    """Return the scores of the best games of independent searches, their mean and the greatest."""
    return {"scores": [float(x) for x in scores], "mean": float(scores.mean()), "greatest": float(scores.max())}


def random_scores(cast: Cast, games: int, seed: int) -> np.ndarray:
    """Play uniformly random games of a game for one, by the game's own `random_scores`; return int32[games]."""
    lanes = min(games, LANES)
    key, rounds = jax.random.key(seed), -(-games // lanes)
    if cast.spec.solo is None:
        raise UsageError(f"game={cast.spec.name}: has no random games to compare with")
    return np.asarray(cast.spec.solo.random_scores(cast.game, key, lanes, rounds)).ravel()[:games]


def summarise(scores: np.ndarray) -> Json:
    """Return the figures of N scores, N at least 2: `low` to `high` is the 95 % t interval of the mean."""
    from jaxgp.statistics.intervals import student

    mean, low, high = student(scores)
    spread = float(scores.std(ddof=1))
    ends = {"least": float(scores.min()), "greatest": float(scores.max())}
    return {"games": len(scores), "mean": mean, "low": low, "high": high, "spread": spread} | ends


def text(report: dict[str, Json]) -> str:
    """Return the report as text, one line for each player."""
    champion, random = report["champion"], report["random"]
    share, low, high = (f"{100 * random[name]:.2f}" for name in ("as_good", "as_good_low", "as_good_high"))
    lines = [
        f"champion  {champion['score']:g}, in the one game that it plays",
        f"random    {describe_summary(random)}; {share} % (95 % {low} to {high}) as good as the champion",
    ]
    for name, label in (("nested", "nested    "), ("guided", "guided    "), ("restarts", "restarts  ")):
        if name in report:
            row = report[name]
            scores = " ".join(f"{score:g}" for score in row["scores"])
            how = f"best of {row['playouts']} playouts, {len(row['scores'])} times: {scores}"
            lines.append(f"{label}{how}; mean {row['mean']:.1f}, greatest {row['greatest']:g}; {row['seconds']:.0f} s")
    for name, row in report.get("comparisons", {}).items():
        lines.append(f"{name}: A12 {row['a12']:.2f} ({row['low']:.2f} to {row['high']:.2f}), p = {row['p']:.2g}")
    return "\n".join(lines)


def describe_summary(figures: Json) -> str:
    """Write what `summarise` returns."""
    return (
        f"mean {figures['mean']:.2f} (95 % {figures['low']:.2f} to {figures['high']:.2f}), "
        f"{figures['least']:g} to {figures['greatest']:g} in {figures['games']} games"
    )
