"""The tables of docs/results/robocode.md, made from the tables of docs/data whose names begin with `robocode`."""

from functools import partial

import numpy as np

from jaxgp import reading
from jaxgp.errors import UsageError
from jaxgp.league import crosstable, ratings
from jaxgp.report.generated import table
from jaxgp.statistics.comparison import dominance
from jaxgp.statistics.permutation import rank_sum
from jaxgp.statistics.verdicts import holm
from jaxgp.store.table import Cells
from tables.shared.data import Data

SAMPLES = (
    *("Walls", "TrackFire", "SpinBot", "VelociRobot", "RamFire", "Tracker"),
    *("MyFirstRobot", "Corners", "Crazy", "Fire", "SittingDuck", "Target"),
)
"""The samples of the engine, the hardest ones for small robots first."""
THREE = ("haiku.HaikuPoet", "haiku.HaikuWalls", "sample.Walls")
TRAINED = {
    "robocode_haiku_engine": THREE,
    "robocode_islands_engine": THREE,
    "robocode_islands_many_engine": (THREE[0], THREE[2], "sample.SpinBot", "sample.RamFire", "sample.Crazy"),
}
"""Whom the champions that fought in the real engine were trained on, by table."""
REPORTING = ("sample.TrackFire", "sample.Tracker", "sample.VelociRobot", "sampleex.Alien", "sampleex.MasterAndSlave")
ENGINE = " in Robocode "
NONE = ""


def figures(data: Data, name: str) -> dict[tuple[bool, str, str], Cells]:
    """Return the figures of a champion by arena (true: the real engine), rival and quantity; later rows count."""
    rows = data[name]
    return {(ENGINE in row["driver"], row["rival"], row["quantity"]): row for row in rows}


def fought(name: str, data: Data) -> str:
    """Return what a champion reaches against each robot, here and in the real engine."""
    found, lines, trained = figures(data, name), [], TRAINED[name]
    rivals = dict.fromkeys(rival for _, rival, _ in found)
    for rival in sorted(rivals, key=lambda one: (one not in trained, one in REPORTING, one)):
        cells = [_share(found.get((real, rival, "share"))) for real in (False, True)]
        real, here = found.get((True, rival, "firsts")), found.get((False, rival, "share"))
        rounds = found.get((True, rival, "rounds"))
        won = NONE
        if real is not None and rounds is not None:
            battles = int(real["rollouts"])
            won = f"{float(real['mean']) * battles:.0f} of {float(rounds['mean']) * battles:.0f}"
        turns = [_turns(one) for one in (here, found.get((True, rival, "share")))]
        kinds = " ".join(
            f"{float(found[True, rival, kind]['mean']):.0f}" if (True, rival, kind) in found else NONE
            for kind in ("survival", "last", "bullet", "bullet_bonus", "ram", "ram_bonus")
        )
        role = "trained on" if rival in trained else "for reporting" if rival in REPORTING else "for choosing"
        lines.append([rival, role, *cells, won, kinds, *turns])
    header = ["robot", "used", "F here", "F in the engine", "rounds won there", "points there", "turns here", "there"]
    return table(header, lines)


def bar(name: str, data: Data) -> str:
    """Return a champion's figures beside the bar: the mean over the samples, and against Walls and HaikuPoet."""
    found, lines = figures(data, name), []
    for name, real in (("here", False), ("in the engine", True)):
        means = [found[real, f"sample.{one}", "share"] for one in SAMPLES if (real, f"sample.{one}", "share") in found]
        mean = sum(float(one["mean"]) for one in means) / len(means)
        error = sum(float(one["error"]) ** 2 for one in means) ** 0.5 / len(means)
        most = sum(float(one["mean"]) > 0.5 for one in means)
        others = [_share(found.get((real, who, "share"))) for who in ("sample.Walls", "haiku.HaikuPoet")]
        low, high = mean - 1.96 * error, mean + 1.96 * error
        lines.append([name, f"{mean:.3f} ({low:.3f} to {high:.3f})", f"{most} of {len(means)}", *others])
    lines.append(["the bar", "above 0.88", NONE, "above 0.5", "above 0.5"])
    return table(["arena", "mean F of the samples", "more than half of the points", "Walls", "HaikuPoet"], lines)


def _share(row: Cells | None) -> str:
    if row is None:
        return NONE
    return f"{float(row['mean']):.2f} ({max(0.0, float(row['low'])):.2f} to {min(1.0, float(row['high'])):.2f})"


def _turns(row: Cells | None) -> str:
    return NONE if row is None else f"{float(row['steps']):.0f}"


def runs(data: Data) -> str:
    """Return the best and the mean fitness of runs, every few generations."""
    lines = [
        [row["generation"], *(f"{float(row[name]):.2f}" for name in ("best", "mean")), f"{float(row['size']):.0f}"]
        for row in data["robocode_run"]
    ]
    return table(["generation", "best F", "mean F of the population", "mean nodes"], lines)


LAST = 19
"""The last generation that all seeds of the book's run have."""


def seeds(data: Data) -> str:
    """Return where the seeds of the book's run stand in the last generation that all of them have."""
    lines = []
    rows = [{name: float(cell) for name, cell in row.items()} for row in data["robocode_seeds"]]
    for seed in dict.fromkeys(row["seed"] for row in rows):
        found = [row for row in rows if row["seed"] == seed and row["generation"] <= LAST]
        turns, last = sum(row["turns"] for row in found) / 1e6, found[-1]
        best, mean = (f"{max(row[name] for row in found):.2f}" for name in ("best", "mean"))
        cells = f"{last['best']:.2f}", best, f"{last['mean']:.2f}", mean, f"{last['size']:.0f}"
        lines.append([f"{seed:.0f}", f"{turns:.1f}", *cells])
    header = ["seed", "million turns", "best F", "the best so far", "mean F", "the greatest so far", "mean nodes"]
    return table(header, lines)


EQUAL = 6.5e6
"""Turns after which the book's run and that on islands are compared, again and again."""


def islands(data: Data) -> str:
    """Return the book's run beside the one on islands, after equal numbers of turns."""
    found = {name: _by_turns(data[f"robocode_{name}"]) for name in ("run", "islands")}
    lines, most = [], min(one[-1][0] for one in found.values())
    for step in range(1, int(most / EQUAL) + 1):
        last = [max((row for row in one if row[0] <= step * EQUAL), default=one[0]) for one in found.values()]
        cells = [f"{row[1]} | {row[2]:.2f} | {row[3]:.2f}" for row in last]
        lines.append([f"{step * EQUAL / 1e6:g} million", *" | ".join(cells).split(" | ")])
    figures = "best F so far", "mean F"
    header = ["turns", "generations of the book's", *figures, "generations on islands", *figures]
    return table(header, lines)


def by_hand(data: Data) -> str:
    """Return how robots written by hand in the language of programs fight, here."""
    rivals = ("haiku.HaikuPoet", "haiku.HaikuWalls", "sample.Walls", "sample.SpinBot", "sample.TrackFire")
    lines = [
        [f"`{row['program']}`", *(f"{float(row[one]):.2f}" for one in rivals), row["shots"]]
        for row in data["robocode_by_hand"]
    ]
    return table(["program", *(one.partition(".")[2] for one in rivals), "shots in a round"], lines)


def _by_turns(rows: list[Cells]) -> list[tuple[float, int, float, float]]:
    """Return the turns until each generation that a table has, its number, the best fitness so far, and the mean.

    Generations that are left out have as many turns as those beside them.
    """
    found, turns, best, before = [], 0.0, -1.0, -1
    for row in rows:
        number = int(row["generation"])
        turns += float(row["turns"]) * (number - before)
        best, before = max(best, float(row["best"])), number
        found.append((turns, number + 1, best, float(row["mean"])))
    return found


def scatter(data: Data) -> str:
    """Return two pairs in many rounds, here and in the real engine."""
    lines = []
    for row in data["robocode_scatter"]:
        share, error = float(row["share"]), float(row["error"])
        interval = f"{share - 1.96 * error:.3f} to {share + 1.96 * error:.3f}"
        lines.append(
            [f"{row['a']}, {row['b']}", row["arena"], row["rounds"], f"{share:.3f} ({interval})", row["turns"]]
        )
    return table(["pair", "arena", "rounds", "share of the first one", "turns of a round"], lines)


def speed(data: Data) -> str:
    """Return turns in a second of CPU."""
    lines = []
    for row in data["robocode_speed"]:
        turns = float(row["work"]) / float(row["cpu_seconds"])
        lines.append([row["name"], row["rival"] or "jaxgp", f"{int(row['battles']):,}", f"{turns:,.0f}"])
    return table(["turns", "by", "battles at once", "in a second of CPU"], lines)


KINDS = ("survival", "last", "bullet", "bullet_bonus", "ram", "ram_bonus")
QUANTITIES = (
    *("score", "share", *KINDS, "firsts"),
    *("shots", "hits", "driven", "rounds", "stopped"),
)
"""What the simulation measures, in the order of the league's file."""


def league(data: Data) -> str:
    """Return the columns of the book's league for fifteen robots and a champion: sums over all battles."""
    path = data.path / "robocode_league.json"
    try:
        content = reading.read_json(path)
        names = [row["name"].removeprefix("strategy:") for row in content["players"]]
        games = crosstable.fill_table(content["results"], len(names), content["measures"])
    except (KeyError, TypeError, ValueError, IndexError, OSError) as error:
        raise UsageError(f"{path}: it is damaged ({error})") from error
    battles = games.games.sum(1) + games.games.sum(0)
    sums = games.measured() * battles[:, None]
    at = {name: place for place, name in enumerate(QUANTITIES)}
    wanted = *KINDS, "firsts", "rounds"
    return _standings(games, names, sums[:, [at[name] for name in wanted]])


def engine_league(data: Data) -> str:
    """Return the same of a league in the real engine."""
    rows = data["robocode_engine_league"]
    names = list(dict.fromkeys(row[seat] for row in rows for seat in "ab"))
    at = {name: place for place, name in enumerate(names)}
    games = np.zeros((len(names), len(names)), np.int32)
    results = np.zeros((*games.shape, len(rows)), np.int8)
    sums = np.zeros((len(names), len(KINDS) + 2))
    for row in rows:
        both = [at[row[seat]] for seat in "ab"]
        points = np.array([[float(row[f"{kind}_{seat}"]) for kind in KINDS] for seat in "ab"])
        for place, seat, own in zip(both, "ab", points, strict=True):
            sums[place] += [*own, float(row[f"firsts_{seat}"]), float(row["rounds"])]
        results[(*both, games[tuple(both)])] = np.sign(points[0].sum() - points[1].sum())
        games[tuple(both)] += 1
    return _standings(crosstable.CrossTable(results, games), names, sums)


def _standings(games: crosstable.CrossTable, names: list[str], sums: np.ndarray) -> str:
    """Return players by rating, with the sums of their points by kind, of firsts and of rounds."""
    rated, lines = ratings.fit(games).players, []
    for place, i in enumerate(sorted(range(len(names)), key=lambda i: -rated[i].value), 1):
        points, (firsts, rounds) = sums[i, :-2], sums[i, -2:]
        rating = f"{rated[i].value:+.0f} ({rated[i].low:+.0f} to {rated[i].high:+.0f})"
        cells = [f"{one:.0f}" for one in (points.sum(), *points)]
        lines.append([str(place), names[i], rating, *cells, f"{firsts:.0f}:{rounds - firsts:.0f}"])
    header = "rank,robot,rating,score,survival,last survivor,bullet,bonus,ram,bonus,firsts:seconds"
    return table(header.split(","), lines)


def parts(data: Data) -> str:
    """Return what a champion is worth without parts of its program."""
    lines = []
    for row in data["robocode_parts"]:
        change = f"{float(row['difference']):+.3f}" if row["difference"] else NONE
        between = f"{float(row['low']):+.3f} to {float(row['high']):+.3f}" if row["low"] else NONE
        part = f"`{row['part']}`" if row["line"] else row["part"]
        lines.append([row["line"], part, row["nodes"], row["by"], f"{float(row['share']):.3f}", change, between])
    return table(["line", "part", "nodes", "instead", "mean F", "change", "95 %"], lines)


REFERENCE = {"generalisation": "three", "coevolution": "external", "mattered": "the book"}
"""The group that the others of a study are compared with, by study."""


def compared(study: str, data: Data) -> str:
    """Return the groups of a study: F of their champions, and what their last populations do in a round."""
    rows = [row for row in data["robocode_compared"] if row["study"] == study]
    groups = {name: [row for row in rows if row["group"] == name] for name in dict.fromkeys(r["group"] for r in rows)}
    of = {name: np.array([float(row["reporting"]) for row in found]) for name, found in groups.items()}
    reference = of[REFERENCE[study]]
    others = [name for name in groups if name != REFERENCE[study]]
    corrected = dict(zip(others, holm([rank_sum(of[name], reference) for name in others]), strict=True))
    lines = []
    for name, found in groups.items():
        trained, reporting = (np.array([float(row[kind]) for row in found]) for kind in ("trained", "reporting"))
        turns = np.mean([float(row["turns"]) for row in found]) / 1e6
        cells = [_spread(trained), _spread(reporting), NONE, NONE]
        if name in corrected:
            cells[2:] = f"{dominance(of[name], reference):.2f}", f"{corrected[name]:.2g}"
        done = [f"{np.mean([float(row[kind]) for row in found]):.{digits}f}" for kind, digits in DONE.items()]
        lines.append([name, str(len(found)), f"{turns:.1f}", *cells, *done])
    header = ["group", "runs", "million turns", "F, trained on", "F, never met", "A12", "p (exact, Holm)", *DONE]
    return table(header, lines)


DONE = {"shots": 1, "hits": 2, "driven": 0}
"""What populations do in a round, and the digits of it."""


def _spread(found: np.ndarray) -> str:
    """Return the mean, and the least and the greatest of some figures."""
    return f"{found.mean():.2f} ({found.min():.2f} to {found.max():.2f})"


TABLES = {
    **{f"robocode_{study}": partial(compared, study) for study in REFERENCE},
    "robocode_run": runs,
    "robocode_seeds": seeds,
    "robocode_by_hand": by_hand,
    "robocode_islands": islands,
    **{name.replace("engine", "fought"): partial(fought, name) for name in TRAINED},
    **{name.replace("engine", "bar"): partial(bar, name) for name in TRAINED},
    "robocode_league": league,
    "robocode_engine_league": engine_league,
    "robocode_parts": parts,
    "robocode_scatter": scatter,
    "robocode_speed": speed,
}
