"""The table of a device, in Markdown and as JSON, from the rows that there are so far."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from device import comparing
from device.parts.compiled import BUDGET
from device.parts.rates import KERNEL, PLAIN
from device.work import CPU, DEVICE, Row
from jaxgp.files import write_json, write_text
from jaxgp.report import generated
from measures import limits

LONG = ("figures", "champion")
"""What rows of golden runs have, too long for a table; it stays in the files of the parts."""
WORK = {
    KERNEL: "interpreter",
    PLAIN: "interpreter",
    "interpreter, 2 positions a program": "interpreter in games",
    "othello, random moves": "othello",
}
"""The limit beside which a rate is read."""


def write(folder: Path, rows: Sequence[Row]) -> None:
    """Write both tables into a folder."""
    write_text(folder / "table.md", markdown(rows) + "\n")
    write_json(folder / "table.json", content(rows))


def content(rows: Sequence[Row]) -> dict[str, Any]:
    """Return what is kept as JSON: the machine, what is wrong, golden runs compared, and all rows."""
    (machine,) = [row for row in rows if row["part"] == "machine" and "jax" in row][:1] or [{}]
    short = [{key: value for key, value in row.items() if key not in LONG} for row in rows]
    return {"machine": machine, "wrong": wrong(rows), "golden": golden(rows), "rows": short}


def golden(rows: Sequence[Row]) -> list[Row]:
    """Compare the golden runs that both sides have made."""
    found = []
    sides = {side: {r["what"]: r for r in _of(rows, "golden") if r["side"] == side} for side in (CPU, DEVICE)}
    for name in [name for name in sides[CPU] if name in sides[DEVICE]]:
        one, other = sides[CPU][name], sides[DEVICE][name]
        told, count, largest = [], 0, 0.0
        for part in LONG:
            more, single, most = comparing.differences(one[part], other[part])
            told, count, largest = told + more, count + single, max(largest, most)
        generations = len(next(iter(one["figures"].values())))
        found.append(
            {"what": name, "generations": generations, "figures": count, "differ": told, "largest_difference": largest}
        )
    return found


def wrong(rows: Sequence[Row]) -> list[str]:
    """Return what the device computes otherwise than the CPU, a few words each."""
    runs = [f"golden run {one['what']}: {one['differ'][0]}" for one in golden(rows) if one["differ"]]
    resumed = [f"{one['what']} resumed: {one['differ'][0]}" for one in _of(rows, "resumed") if one["differ"]]
    played = [f"{one['what']}: {one['differ']} plies" for one in _of(rows, "plies") if one["differ"]]
    told = [f"{one['what']}: {one['oracle_differs']} plies" for one in _of(rows, "plies") if one.get("oracle_differs")]
    return [*runs, *resumed, *played, *told]


def markdown(rows: Sequence[Row]) -> str:
    """Return the whole table."""
    tables = [
        _machine(rows),
        _golden(rows),
        _plies(rows),
        _launches(rows),
        _rates(rows),
        _populations(rows),
        _left(rows),
    ]
    return "\n\n".join(filter(None, tables))


def _of(rows: Iterable[Row], part: str) -> list[Row]:
    return [row for row in rows if row["part"] == part and "what" in row and "left_out" not in row]


def _machine(rows: Sequence[Row]) -> str:
    lines = [
        f"{one['what']} ({one['platform']}, {one['platform_version']}), JAX {one['jax']}, Python {one['python']}; "
        f"{one['processor']}, {one['cores']} cores at {one['megahertz']} MHz, load average {one['load']}."
        for one in _of(rows, "machine")
    ]
    found = wrong(rows)
    verdict = "Differences: " + "; ".join(found) + "." if found else "Nothing that was compared differs."
    return "\n".join(["# Device", "", *lines, verdict])


def _section(title: str, says: str, header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    if not rows:
        return ""
    return f"## {title}\n\n{says}\n\n" + generated.table(header, [[_cell(cell) for cell in row] for row in rows])


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    return (
        f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else "" if value is None else str(value)
    )


def _golden(rows: Sequence[Row]) -> str:
    says = f"Integers are compared to the bit, floats to {comparing.TOLERANCE:g} of the greater one or of 1."
    made = [
        [one["what"], one["generations"], one["figures"], len(one["differ"]), one["largest_difference"]]
        for one in golden(rows)
    ]
    again = [
        [f"{one['what']}, resumed after {one['generation']} ({one['side']})", "", one["arrays"], len(one["differ"]), ""]
        for one in _of(rows, "resumed")
    ]
    return _section(
        "Golden runs", says, ["run", "generations", "figures", "differ", "largest difference"], [*made, *again]
    )


def _plies(rows: Sequence[Row]) -> str:
    says = "Each step begins from the CPU's position. The oracle is plain Python, which shares no code with the rules."
    made = [
        [
            one["what"],
            one["plies"],
            one["differ"],
            one["largest_difference"],
            one.get("oracle_plies"),
            one.get("oracle_differs"),
        ]
        for one in _of(rows, "plies")
    ]
    header = ["game", "plies", "differ", "largest difference", "plies of the oracle", "differ"]
    return _section("Random plies", says, header, made)


def _launches(rows: Sequence[Row]) -> str:
    made, says = [], ""
    for one in _of(rows, "compiled"):
        for loop in one.get("loops", ()):
            name = loop["path"] or "the program itself"
            made.append(["&ensp;" * loop["depth"] + name, loop["launches"], loop["bytes"], loop["trips"]])
        if "launches" in one:
            says = (
                f"One generation of {one['what']} launched {one['launches']:,} times in {one['seconds']:.3f} s, and "
                f"the device was busy for {one['busy_seconds']:.3f} s (profile: {one['trace']}). "
                f"The aim is {BUDGET['launches']:,} launches."
            )
    header = ["loop", "launches an iteration", "bytes an iteration, at most", "iterations, if the compiler knows"]
    return _section("Launches", says or "No profile was made.", header, made)


def _rates(rows: Sequence[Row]) -> str:
    found = _of(rows, "rates")
    cpu = {(one["what"], one["batch"]): one for one in found if one["side"] == CPU}
    device = {(one["what"], one["batch"]): one for one in found if one["side"] == DEVICE}
    name = next((one["what"] for one in _of(rows, "machine")), "")
    made = []
    for key in sorted(cpu.keys() | device.keys(), key=lambda key: (key[0], key[1])):
        ours, theirs = device.get(key, {}).get("value"), cpu.get(key, {}).get("value")
        limit = limits.on_gpu(WORK.get(key[0], ""), name, kernel=key[0] == KERNEL)
        share = f"{100 * ours / limit:.2g} %" if ours and limit else None
        unit = (device.get(key) or cpu[key])["unit"]
        made.append([key[0], key[1], ours, theirs, ours / theirs if ours and theirs else None, unit, share])
    header = ["what", "batch", "device", "CPU", "ratio", "unit", "share of the limit"]
    return _section("Rates", "Medians; compiling is not counted.", header, made)


def _populations(rows: Sequence[Row]) -> str:
    found = [one for one in _of(rows, "populations") if "population" in one]
    made = [
        [
            one["what"],
            one["population"],
            one["side"],
            one["value"],
            one["seconds"],
            one["needed_bytes"],
            one["compile_seconds"],
        ]
        for one in found
    ]
    header = ["run", "population", "side", "games/s", "seconds a generation", "bytes needed", "compiled in, s"]
    says = "Whole generations, with breeding."
    for name in dict.fromkeys(one["what"] for one in found):
        needs = {one["population"]: one for one in found if (one["what"], one["side"]) == (name, DEVICE)}
        free = next((one["bytes"] for one in needs.values()), None)
        if free is not None and len(needs) > 1:
            most = fits({size: one["needed_bytes"] for size, one in needs.items()}, free)
            says += f" {most:,} individuals of {name} would fit, by what the compiler counts."
    return _section("Populations", says, header, made)


def fits(needs: Mapping[int, int], free: int) -> int:
    """Return how many individuals fit into so many bytes, by the line through what the two largest populations need."""
    (small, less), (large, more) = sorted(needs.items())[-2:]
    return int(large + (free - more) * (large - small) / (more - less))


def _left(rows: Sequence[Row]) -> str:
    made = [[row["part"], row["side"], row["what"], row["left_out"]] for row in rows if "left_out" in row]
    return _section("Left out", "What did not fit into the time or the memory.", ["part", "side", "what", "why"], made)
