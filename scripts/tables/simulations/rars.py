"""The tables of docs/results/rars.md, made from the tables of docs/data whose names begin with `rars`.

Figures of the book are those of M. Sipper, "Evolved to Win" (2011), tables 9.2 and 9.5. Laps of other drivers were
recorded from RARS 0.91.2, with fixed friction: `rars_drivers.csv`.
"""

from collections.abc import Iterable, Mapping, Sequence
from statistics import median

import numpy as np

from envs.rars import tracks
from envs.rars.rules import NEVER
from jaxgp.report.generated import table
from jaxgp.statistics.comparison import dominance
from jaxgp.statistics.permutation import rank_sum
from jaxgp.statistics.verdicts import holm
from jaxgp.store.table import Cells
from tables.shared.data import Data

EXPERIMENTS = {
    "rars_time": "race time, as the book",
    "rars_distance": "race distance, as the book",
    "rars_islands": "race time, islands",
    "rars_factors": "race time, islands, nodes with factors",
    "rars_continued": "race time, the champion with factors continued",
    "rars_v01": "race time on v01, as the book",
    "rars_v01_factors": "race time on v01, nodes with factors",
    "rars_many": "race time on sixteen tracks",
    "rars_many_continued": "race time on sixteen tracks, the champion of the islands continued",
    "rars_wide": "race time on fifty tracks, `rars_many_continued#1` continued",
    "rars_wide_numbers": "race time on fifty tracks, the numbers of `rars_many_continued#1` alone",
    "rars_endurance": "three laps with a price of damage",
    "rars_path": "a path that a controller follows",
    "rars_follow": "programs that follow a path",
}
"""Experiments by name, and what tables call them."""
OURS = (
    "rars_islands",
    "rars_factors",
    "rars_continued",
    "rars_many",
    "rars_many_continued",
    "rars_wide",
    "rars_wide_numbers",
)
"""Those whose way to evolve drivers the book does not have."""
PLANNED = ("rars_path", "rars_follow")
"""Those that know their track before the race."""
REACTIVE = tuple(one for one in EXPERIMENTS if one not in PLANNED)
"""The others."""
REFERENCE = "reference"
"""The title of the runs that others differ from in one option."""
BOOK_TRACKS = ("v03", "clkwis", "v01", "oval2")
FIELD = (
    *("Vector", "WappuCar", "Apex8", "Djoefe", "Mafanja", "Burns", "Eagle", "Bulle", "Magic", "Tuto3", "Tuto4"),
    "Felix16",
)
"""The drivers of a season."""
POINTS = (20, 16, 14, 12, 10, 8, 6, 5, 4, 3, 2, 1)
LEADS = 1
"""A point more for the fastest."""
PLANNERS = ("Dodger6", "Bulle2", "Sparky5", "J++")
"""Drivers that compute a path from the map before they start."""
LOST = ("clkwis", "Vector")
"""A recorded lap of 426 seconds: a car that had lost its way."""
NONE = ""

Races = Mapping[tuple[str, str, int], Cells]
"""Rows of races by driver, track and laps."""


def races(data: Data, title: str) -> Races:
    """Return the races of a title; of rows with the same place the last counts."""
    rows = data["rars_races"]
    return {(one["driver"], one["track"], int(one["laps"])): one for one in rows if one["title"] == title}


def recorded(data: Data) -> dict[tuple[str, str], float]:
    """Return the first laps that were recorded, in seconds, by track and driver."""
    found = {(row["track"], row["driver"]): float(row["seconds"]) for row in data["rars_drivers"]}
    found.pop(LOST, None)
    return found


def champions(data: Data, experiment: str) -> dict[str, float]:
    """Return the champions of an experiment, and their fitness in ten races each: the figure they are chosen by."""
    found = [row for row in data["rars_runs"] if row["experiment"] == experiment]
    return {f"{experiment}#{row['seed']}": float(row["fitness"]) for row in found}


def best(data: Data, experiment: str) -> str | None:
    """Return the champion of an experiment that is best in its ten races; None without runs."""
    found = champions(data, experiment)
    return max(found, key=lambda name: found[name]) if found else None


def bests(data: Data, experiments: Iterable[str] = REACTIVE) -> dict[str, str]:
    """Return the best champion of each experiment that has runs, and what tables call it."""
    found = ((best(data, one), EXPERIMENTS[one]) for one in experiments)
    return {name: f"`{name}`, {title}" for name, title in found if name is not None}


def mean(row: Cells | None, digits: int = 1) -> str:
    """Return mean and deviation of the finished races, and how many were not finished."""
    if row is None:
        return NONE
    lost = int(row["races"]) - int(row["finished"])
    if not row["mean"]:
        return "none finished"
    spread = f" ± {float(row['deviation']):.{digits}f}" if row["deviation"] else ""
    return f"{float(row['mean']):.{digits}f}{spread}" + (f"; {lost} of {row['races']} not finished" if lost else "")


def finishes(row: Cells | None) -> float | None:
    """Return the mean seconds of a driver that finishes all races, else None."""
    return float(row["mean"]) if row and row["finished"] == row["races"] else None


# Sepang


def runs(data: Data) -> str:
    """Return the champions of the runs of each experiment on sepang, in 100 new races each."""
    there, lines = races(data, "sepang"), []
    for experiment in ("rars_time", "rars_distance", "rars_islands", "rars_factors", "rars_continued"):
        found = champions(data, experiment)
        rows = [there[name, "sepang", 1] for name in found if (name, "sepang", 1) in there]
        if not rows:
            continue
        times = sorted(float(row["mean"]) if row["mean"] else float("inf") for row in rows)
        never = sum(not int(row["finished"]) for row in rows)
        whole = sum(row["finished"] == row["races"] for row in rows)
        chosen = best(data, experiment)
        cells = [
            f"{median(times):.1f}",
            f"{times[0]:.1f} to {times[-1]:.1f}",
            mean(there.get((chosen or NONE, "sepang", 1))),
        ]
        lines.append([EXPERIMENTS[experiment], str(len(rows)), str(never), str(whole), *cells])
    header = [
        "fitness",
        "runs",
        "never finish a lap",
        "finish all races",
        "median",
        "range",
        "best in ten races before",
    ]
    return table(header, lines)


def sepang(data: Data) -> str:
    """Return laps of sepang: the book's, and those of drivers here."""
    there, extra = races(data, "sepang"), races(data, "baselines")
    names = bests(data, ("rars_time", "rars_distance", *OURS))
    names |= {"tuto3": "Tuto3, by hand"}
    made = [(title, there[name, "sepang", 1]) for name, title in names.items() if (name, "sepang", 1) in there]
    words = {
        "tuto3": "Tuto3, constants by CMA-ES",
        "random": "random programs, the best",
    }
    for (name, _, _), row in extra.items():
        made.append((words.get(name, f"`{name}#1`, its numbers by CMA-ES"), row))
    lines = [
        (float(row["mean"]), [title, mean(row), f"{float(row['damage']):,.0f}"]) for title, row in made if row["mean"]
    ]
    for row in data["rars_book"]:
        if row["track"] == "sepang":
            spread = f" ± {row['deviation']}" if row["deviation"] else ""
            lines.append((float(row["seconds"]), [f"{row['driver']}, the book", f"{row['seconds']}{spread}", NONE]))
    return table(
        ["driver", "seconds from the start", "damage"], [cells for _, cells in sorted(lines, key=lambda x: x[0])]
    )


# Tracks that no run has seen


def other(data: Data) -> str:
    """Return laps of four tracks that the book shows, or that are like those."""
    there, laps = races(data, "book"), recorded(data)
    lines = []
    for name in ("GP-Single-1", "GP-Single-2"):
        book = {row["track"]: row for row in data["rars_book"] if row["driver"] == name}
        cells = (f"{book[one]['seconds']} ± {book[one]['deviation']}" if one in book else NONE for one in BOOK_TRACKS)
        lines.append([f"{name}, the book", *cells])
    for name in ("Vector", "WappuCar", "Felix16", *PLANNERS[:1]):
        plans = ", plans on the map" if name in PLANNERS else ""
        cells = (f"{laps[one, name]:.1f}" if (one, name) in laps else NONE for one in BOOK_TRACKS)
        lines.append([f"{name}, fixed friction{plans}", *cells])
    for name, title in ({"tuto3": "Tuto3, by hand"} | bests(data)).items():
        if any((name, one, 1) in there for one in BOOK_TRACKS):
            lines.append([title, *(mean(there.get((name, one, 1))) for one in BOOK_TRACKS)])
    return table(["driver", *BOOK_TRACKS], lines)


def standings(data: Data, joining: Sequence[str]) -> list[tuple[str, int, list[int | None]]]:
    """Return the drivers of a season, their points, and their places by track (None: not finished), best first.

    Args:
        data: the rows.
        joining: champions that drive along.
    """
    laps, there = recorded(data), races(data, "tracks")
    points = dict.fromkeys((*FIELD, *joining), 0)
    places: dict[str, list[int | None]] = {name: [] for name in points}
    for track in tracks.SEASON:
        times = {name: laps.get((track, name)) for name in FIELD}
        times |= {name: finishes(there.get((name, track, 1))) for name in joining}
        order = sorted((name for name in times if times[name] is not None), key=lambda name: times[name] or 0.0)
        for name in times:
            places[name].append(order.index(name) + 1 if name in order else None)
        for name, won in zip(order, POINTS, strict=False):
            points[name] += won
        points[order[0]] += LEADS
    return sorted(((name, points[name], places[name]) for name in points), key=lambda one: -one[1])


def season(data: Data) -> str:
    """Return the standings of the season, of a champion of sepang, and of one of sixteen tracks."""
    lines = []
    for experiment in ("rars_time", *OURS):
        name = best(data, experiment)
        if name is None or (name, tracks.SEASON[0], 1) not in races(data, "tracks"):
            continue
        for place, (who, points, places) in enumerate(standings(data, [name]), 1):
            if who == name:
                lost = [track for track, one in zip(tracks.SEASON, places, strict=True) if one is None]
                each = ", ".join("lost" if one is None else str(one) for one in places)
                lines.append(
                    [f"`{name}`, {EXPERIMENTS[experiment]}", f"{place} of 13", str(points), each, ", ".join(lost)]
                )
    header = ["champion", "place", "points", f"places on {', '.join(tracks.SEASON)}", "tracks not finished"]
    return table(header, lines)


def points(data: Data) -> str:
    """Return the points of all drivers, in the season of each champion."""
    names = [name for one in ("rars_time", *OURS) if (name := best(data, one))]
    names = [name for name in names if (name, tracks.SEASON[0], 1) in races(data, "tracks")]
    found = [{who: won for who, won, _ in standings(data, [name])} for name in names]
    if not found:
        return table(["driver"], [])
    order = sorted(FIELD, key=lambda who: -found[0][who])
    lines = [[who, *(str(one[who]) for one in found)] for who in order]
    lines.append(["the champion", *(str(one[name]) for one, name in zip(found, names, strict=True))])
    return table(["driver", *(f"season with `{name}`" for name in names)], lines)


def every(data: Data) -> str:
    """Return one lap of all tracks, with fixed friction: Tuto3, champions, and the fastest that was recorded."""
    there, laps = races(data, "tracks"), recorded(data)
    names = {"tuto3": "Tuto3"} | {name: f"`{name}`" for name in bests(data)}
    names = {name: title for name, title in names.items() if any(who == name for who, *_ in there)}
    lines = []
    for track in sorted({where for _, where, _ in there}):
        mine = [seconds for (where, who), seconds in laps.items() if where == track and who not in PLANNERS]
        cells = []
        for name in names:
            row = there.get((name, track, 1))
            damaged = f" ({float(row['damage']):,.0f})" if row and float(row["damage"]) and row["mean"] else ""
            cells.append(f"{float(row['mean']):.1f}{damaged}" if row and row["mean"] else "lost")
        lines.append([track, f"{tracks.public()[track].length:,.0f}", *cells, f"{min(mine):.1f}" if mine else NONE])
    return table(["track", "feet", *names.values(), "fastest recorded, without those that plan"], lines)


def together(data: Data) -> str:
    """Return what drivers came to that started together, from each place of the grid once."""
    by_driver: dict[str, list[Cells]] = {}
    for row in data["rars_together"]:
        by_driver.setdefault(row["driver"], []).append(row)
    lines = []
    for name, rows in sorted(by_driver.items(), key=lambda one: -sum(int(row["points"]) for row in one[1])):
        places = [int(row["place"]) for row in rows]
        front = [row["place"] == "1" for row in rows if row["grid"] == "1"]
        back = [row["place"] == "1" for row in rows if row["grid"] == row["cars"]]
        cells = [
            str(sum(int(row["points"]) for row in rows)),
            f"{places.count(1)} of {len(places)}",
            f"{sum(front)} of {len(front)}",
            f"{sum(back)} of {len(back)}",
            str(sum(row["finished"] == "0" for row in rows)),
            f"{sum(float(row['damage']) for row in rows) / len(rows):,.0f}",
        ]
        lines.append([f"`{name}`" if "#" in name else name, *cells])
    header = [
        "driver",
        "points",
        "races won",
        "from the first place of the grid",
        "from the last one",
        "races not finished",
        "damage, mean",
    ]
    return table(header, lines)


# Long races, and other tracks to train on


def endurance(data: Data) -> str:
    """Return long races beside the first flying lap."""
    there, lines = races(data, "endurance"), []
    for name, track in dict.fromkeys((who, where) for who, where, _ in there):
        one, two = (finishes(there.get((name, track, laps))) for laps in (1, 2))
        flying = two - one if one and two else None
        cells = [f"{flying:.1f}" if flying else NONE]
        for laps in (30, 50):
            row = there.get((name, track, laps))
            whole = finishes(row)
            if row is None:
                cells.append(NONE)
            elif whole and one and flying:
                each = (whole - one) / (laps - 1)
                cells.append(f"{each:.1f}, {100 * (each / flying - 1):+.1f} %; damage {float(row['damage']):,.0f}")
            else:
                cells.append(f"{row['finished']} of {row['races']} finish; {float(row['distance']):,.0f} ft")
        lines.append([f"`{name}`" if "#" in name else name, *cells])
    return table(
        ["driver", "second lap, seconds", "30 laps: seconds a lap after the first", "50 laps: the same"], lines
    )


def trained(data: Data) -> str:
    """Return champions of sepang, of v01 and of many tracks, on their own tracks and on others."""
    there, lines = {**races(data, "book"), **races(data, "sepang")}, []
    groups = ("rars_time", "rars_v01", "rars_v01_factors", "rars_many_continued", "rars_wide", "rars_wide_numbers")
    for experiment in groups:
        cells = []
        for track in ("sepang", "v01", "v03", "clkwis"):
            times = [finishes(there.get((name, track, 1))) for name in champions(data, experiment)]
            known = sorted(one if one is not None else float("inf") for one in times)
            if not known:
                break
            lost = sum(one is None for one in times)
            middle = median(known)
            cells.append(
                (f"{middle:.1f}" if middle < 1e9 else "lost") + (f"; {lost} of {len(times)} lost" if lost else "")
            )
        if cells:
            lines.append([EXPERIMENTS[experiment], str(len(champions(data, experiment))), *cells])
    return table(["trained by", "runs", "sepang, median", "v01, median", "v03, median", "clkwis, median"], lines)


def specialised(data: Data) -> str:
    """Return by track how sure drivers of sepang are faster than those of v01, over runs."""
    there, measured = {**races(data, "book"), **races(data, "sepang")}, []
    for track in ("sepang", "v01", "v03", "clkwis"):
        groups = []
        for experiment in ("rars_time", "rars_v01"):
            found = (finishes(there.get((name, track, 1))) for name in champions(data, experiment))
            groups.append(np.array([NEVER if one is None else one for one in found]))
        if not all(map(len, groups)):
            return table(["track"], [])
        sepang, v01 = groups
        measured.append((track, len(sepang), len(v01), dominance(v01, sepang), rank_sum(v01, sepang)))
    corrected = holm([p for *_, p in measured])
    lines = [
        [track, f"{one} and {other}", f"{a12:.2f}", f"{p:.2g}"]
        for (track, one, other, a12, _), p in zip(measured, corrected, strict=True)
    ]
    return table(["track", "runs", "A12: those of sepang are faster", "p (exact, Holm)"], lines)


def mattered(data: Data) -> str:
    """Return runs that differ in one option from those of the reference, by the fitness of their champions."""
    by_title: dict[str, list[float]] = {}
    for row in data["rars_mattered"]:
        by_title.setdefault(row["title"], []).append(-float(row["fitness"]))
    reference = np.array(by_title[REFERENCE])
    others = {title: np.array(found) for title, found in by_title.items() if title != REFERENCE}
    corrected = dict(zip(others, holm([rank_sum(found, reference) for found in others.values()]), strict=True))
    lines = []
    for title, found in by_title.items():
        done = sorted(one for one in found if one < NEVER)
        told = f"{median(done):.1f} ({done[0]:.1f} to {done[-1]:.1f})" if done else "none"
        cells = [title, str(len(found)), str(len(found) - len(done)), told, NONE, NONE]
        if title in others:
            cells[4:] = f"{dominance(reference, others[title]):.2f}", f"{corrected[title]:.2g}"
        lines.append(cells)
    header = [
        "runs",
        "number",
        "never finish",
        "seconds of those that do",
        "A12: faster than the reference",
        "p (exact, Holm)",
    ]
    return table(header, lines)


# Ideal laps


def planning(data: Data) -> str:
    """Return laps of sepang by drivers that know the track before the race."""
    there, laps = races(data, "planning"), recorded(data)
    found = {row["track"]: float(row["seconds"]) for row in data["rars_ideal"]}
    lines = [(found["sepang"], ["the ideal lap, below", f"{found['sepang']:.2f}", NONE])]
    lines += [(laps["sepang", who], [who, f"{laps['sepang', who]:.2f}", NONE]) for who in PLANNERS]
    for name, title in bests(data, PLANNED).items():
        if row := there.get((name, "sepang", 1)):
            lines.append((float(row["mean"]), [title, f"{float(row['mean']):.2f}", f"{float(row['damage']):,.0f}"]))
    lines.sort(key=lambda one: one[0])
    return table(["driver", "seconds of the first lap, fixed friction", "damage"], [cells for _, cells in lines])


def ideal(data: Data) -> str:
    """Return the fastest laps that were found, beside planners and champions."""
    laps, there = recorded(data), races(data, "tracks")
    names = list(bests(data, ("rars_time", *OURS)))
    lines = []
    found = {row["track"]: row for row in sorted(data["rars_ideal"], key=lambda row: -float(row["seconds"]))}
    for track, row in found.items():
        plans = [(laps[track, who], who) for who in PLANNERS if (track, who) in laps]
        own = [(seconds, name) for name in names if (seconds := finishes(there.get((name, track, 1)))) is not None]
        seconds = float(row["seconds"])
        behind = f"{min(own)[0]:.2f}: {100 * (min(own)[0] / seconds - 1):.1f} %, `{min(own)[1]}`" if own else NONE
        planned = f"{min(plans)[0]:.2f}, {min(plans)[1]}" if plans else NONE
        felix = f"{laps[track, 'Felix16']:.2f}" if (track, "Felix16") in laps else NONE
        lines.append([track, f"{seconds:.3f}", row["damage"], row["off_road"], planned, felix, behind])
    header = [
        "track",
        "ideal lap, seconds",
        "damage",
        "off the road",
        "fastest that plans",
        "Felix16",
        "a champion behind it",
    ]
    return table(header, lines)


def crash(data: Data) -> str:
    """Return how often the time to a crash stands in champions."""
    lines = []
    for row in data["rars_crash"]:
        who = EXPERIMENTS.get(row["who"], row["who"])
        expected = f"{100 * float(row['expected']):.1f} %" if row["expected"] else NONE
        lines.append([who, row["programs"], row["time"], row["inverse"], expected])
    return table(["programs", "number", "`AH % V`", "`V % AH`", "one of both in random programs as long"], lines)


def speed(data: Data) -> str:
    """Return steps in a second of one core."""
    lines = []
    for row in data["rars_speed"]:
        steps = 1e-6 * float(row["work"]) / float(row["cpu_seconds"])
        memory = f"{int(row['lane_bytes']):,}" if row["lane_bytes"] else NONE
        lines.append([row["name"], row["rival"] or "jaxgp", f"{int(row['cars']):,}", f"{steps:#.3g}", memory])
    return table(["steps", "by", "cars at once", "million in a second of CPU", "bytes a car"], lines)


TABLES = {
    "rars_runs": runs,
    "rars_sepang": sepang,
    "rars_other": other,
    "rars_season": season,
    "rars_points": points,
    "rars_every": every,
    "rars_together": together,
    "rars_endurance": endurance,
    "rars_trained": trained,
    "rars_specialised": specialised,
    "rars_mattered": mattered,
    "rars_planning": planning,
    "rars_ideal": ideal,
    "rars_crash": crash,
    "rars_speed": speed,
}
