"""What a run shows while it runs: a live display in a terminal, one line a generation elsewhere."""

import sys
from collections.abc import Sequence
from types import TracebackType
from typing import TextIO

from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from jaxgp.store.record import Row

WINDOW = 10
"""How many recent generations the estimate of the time left averages."""
MOMENT = 1.0
"""Seconds that work may take before it is shown."""
PANEL = "against the panel"
APART = {"standing_solved": "on instances set apart", "standing_agreed": "in decisions set apart"}
"""What a measure by something that was set apart is called, by the metric that such a referee has."""
"""Name of the best fitness where a panel measures the fittest of each generation."""


class Progress:
    """Follows a run on a text stream.

    Args:
        generations: how many the run will have.
        stream: by default standard output.
        live: whether to redraw in place; by default only on a terminal that can do this.
        unit: what the size of an individual counts.
    """

    def __init__(
        self, generations: int, stream: TextIO | None = None, live: bool | None = None, unit: str = "nodes"
    ) -> None:
        self._generations = generations
        self._unit = unit
        self._stream = stream or sys.stdout
        # Wide lines stay whole in files and pipes.
        self._console = Console(file=self._stream, width=None if self._stream.isatty() else 160, highlight=False)
        capable = self._console.is_terminal and not self._console.is_dumb_terminal
        self._live = Live(console=self._console, auto_refresh=False) if (capable if live is None else live) else None
        self._recent: list[float] = []
        self._working = ""  # what was shown last of work that is no generation
        self._generation: list[Group] = []  # what is shown of the last generation, if there is one

    def __enter__(self) -> "Progress":
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        if self._live is not None:
            self._live.stop()

    def say(self, message: str) -> None:
        """Print a message, above the live display if there is one."""
        self._console.print(Text(message), soft_wrap=True)

    def begin(self, row: Row | None) -> None:
        """Show where the run starts: before the first generation, or after the generation of `row`."""
        if self._live is not None and row is None:
            self._live.update(Text(f"generation 0 (1 of {self._generations})"), refresh=True)

    def wait(self, generation: int, seconds: float) -> None:
        """Show that the program of this and the later generations compiles, and for how long it has."""
        self.work(f"generation {generation} ({generation + 1} of {self._generations}): compiling", seconds)

    def work(self, what: str, seconds: float) -> None:
        """Show what goes on, once it has taken longer than a moment: on a terminal with the seconds, elsewhere once.

        A terminal shows it below the last generation, until `rest` or the next generation.
        """
        said = f"{what}, {duration(seconds)}" if self._live is not None else what
        if seconds < MOMENT or said == self._working:
            return
        self._working = said
        if self._live is not None:
            self._live.update(Group(*self._generation, Text(said)), refresh=True)
        else:
            self.say(said)
            self._stream.flush()

    def rest(self) -> None:
        """Show the last generation alone again."""
        if self._live is not None:
            self._live.update(Group(*self._generation), refresh=True)

    def show(self, rows: Sequence[Row]) -> None:
        """Show one generation, of one run or of several."""
        self.update(rows[0] if len(rows) == 1 else overall(rows))

    def update(self, row: Row) -> None:
        """Show one generation."""
        self._recent = [*self._recent, float(row["seconds"])][-WINDOW:]
        if self._live is None:
            self._console.print(Text(line(row, self._generations, self._unit)), soft_wrap=True)
            self._stream.flush()
        else:
            self._generation = [self._panel(row)]
            self.rest()

    def _left(self, row: Row) -> float:
        """Return the estimated seconds until the last generation, from the mean of recent ones."""
        return (self._generations - row["generation"] - 1) * sum(self._recent) / len(self._recent)

    def _panel(self, row: Row) -> Group:
        done = row["generation"] + 1
        bar = Table.grid(padding=(0, 1))
        bar.add_row(
            ProgressBar(total=self._generations, completed=done, width=40),
            f"generation {row['generation']} ({done} of {self._generations})",
            f"{duration(row['elapsed'])} gone, {duration(self._left(row))} left",
        )
        grid = Table.grid(padding=(0, 2))
        for name, value in facts(row, self._unit):
            grid.add_row(Text(name, style="dim"), value)
        return Group(bar, grid)


def overall(rows: Sequence[Row]) -> Row:
    """Return what is shown of a generation of several runs: the means of what each of them has; sums of counts.

    The number of the generation is the lowest one.
    """
    common = [name for name in rows[0] if all(isinstance(row.get(name), int | float) for row in rows)]
    found: Row = {name: sum(row[name] for row in rows) / len(rows) for name in common}
    summed = {name: sum(row[name] for row in rows) for name in ("seconds", "elapsed", "evaluations") if name in found}
    return found | summed | {"generation": min(row["generation"] for row in rows), "runs": len(rows)}


def is_measured(row: Row) -> bool:
    """Whether a panel measures the fittest of each generation, so that its measure and not the fitness decides."""
    return row.get("best_standing") is not None


def yardstick(row: Row) -> str:
    """Return the words for the measure that names the champion of a run in which the fittest are measured."""
    return next((words for name, words in APART.items() if row.get(name) is not None), PANEL)


def facts(row: Row, unit: str = "nodes") -> list[tuple[str, str]]:
    """Return the (name, value) pairs shown for a generation; missing metrics are left out."""
    said = [
        *([("means of runs", str(row["runs"]))] if "runs" in row else []),
        ("fitness", f"best {number(row.get('best_fitness'))}, mean {number(row.get('mean_fitness'))}"),
        *([(yardstick(row), number(row["best_standing"]))] if is_measured(row) else []),
        ("points", _points(row)),
        (unit, f"best {number(row.get('best_size'))}, mean {number(row.get('mean_size'))}"),
    ]
    if row.get("beaten") is not None:
        beaten = f"{number(row['beaten'])}, all opponents {number(row.get('all_beaten'))}"
        said.append(("parents that beat the first opponent", beaten))
    if row.get("solved") is not None:
        said.append(("solved", f"{100 * row['solved']:.1f} percent, best {100 * row['best_solved']:.1f}"))
    if row.get("table_hit_rate") is not None:
        said.append(("replies from table", f"{100 * row['table_hit_rate']:.1f} percent"))
    if row.get("evaluations") is not None and row["seconds"] > 0:
        said.append(("evaluations", f"{number(row['evaluations'] / row['seconds'])} per second"))
    return said


def line(row: Row, generations: int, unit: str = "nodes") -> str:
    """Return one generation as one line of text."""
    parts = [f"{name} {value}" for name, value in facts(row, unit)]
    place = f"generation {row['generation']} ({row['generation'] + 1}/{generations})"
    return f"{place}: {'; '.join(parts)}; {row['seconds']:.2f} s"


def _points(row: Row) -> str:
    first, second = row.get("best_points_first"), row.get("best_points_second")
    if first is None and second is None:
        return f"best {number(row.get('best_points'))}, mean {number(row.get('mean_points'))}"
    return f"best {number(row.get('best_points'))} (first {number(first)}, second {number(second)})"


def number(value: float | None) -> str:
    """Write a metric for people: thousands grouped; no decimals for whole numbers, two below 10, else one."""
    if value is None:
        return "-"
    if float(value).is_integer() or abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def duration(seconds: float) -> str:
    """Write seconds as h:mm:ss, or m:ss below an hour."""
    minutes, second = divmod(round(max(0.0, seconds)), 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02}:{second:02}" if hours else f"{minute}:{second:02}"


def print_pairs(title: str, rows: Sequence[tuple[str, str]], stream: TextIO | None = None) -> None:
    """Print a two-column table: a Rich one in a terminal, `name: value` lines elsewhere."""
    stream = stream or sys.stdout
    if not stream.isatty():
        print(title, *(f"  {name}: {value}" for name, value in rows), sep="\n", file=stream, flush=True)
        return
    table = Table(title=title, title_justify="left", show_header=False, title_style="bold")
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in rows:
        table.add_row(Text(name), Text(value))
    Console(file=stream).print(table)
