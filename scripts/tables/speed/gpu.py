"""The tables of docs/gpu.md, made from docs/data/gpu_*.csv."""

from collections.abc import Callable

from jaxgp.report.generated import table
from jaxgp.store.table import Cells
from measures import limits
from tables.shared.data import Data, Makers, listing

DEVICE = "NVIDIA H200"
KERNEL, PLAIN = "interpreter, {} positions a program", "interpreter in plain XLA, {} positions a program"


def golden(data: Data) -> str:
    """Return a line for each golden run, and for those that were resumed."""
    columns: dict[str, Callable[[Cells], str] | str] = {
        "run": "{run}",
        "generations": "{generations}",
        "figures, or arrays": "{figures}",
        "differ": "{differ}",
        "largest difference": "{largest_difference}",
    }
    return listing(data["gpu_golden"], columns)


def plies(data: Data) -> str:
    """Return a line for each game."""
    columns: dict[str, Callable[[Cells], str] | str] = {
        "game": "{game}",
        "plies, or steps": lambda row: f"{int(row['plies']):,}",
        "differ": "{differ}",
        "largest difference": "{largest_difference}",
    }
    return listing(data["gpu_plies"], columns)


def rates(data: Data) -> str:
    """Return a line for each game."""
    columns: dict[str, Callable[[Cells], str] | str] = {
        "what": "{what}",
        "batch": lambda row: f"{int(row['batch']):,}",
        "a second": lambda row: _millions(float(row["per_second"])),
        "unit": lambda row: row["unit"].removesuffix("/s"),
    }
    return listing([row for row in data["gpu_rates"] if not row["what"].startswith("interpreter")], columns)


def kernels(data: Data) -> str:
    """Return a line for each number of positions a program, and each batch: the kernel beside plain XLA."""
    found = {(row["what"], row["batch"]): float(row["per_second"]) for row in data["gpu_rates"]}
    lines = []
    for cases in (2, 32, 256):
        for batch in (2**16, 2**20):
            kernel, plain = (found[name.format(cases), str(batch)] for name in (KERNEL, PLAIN))
            share = kernel / (limits.on_gpu("interpreter", DEVICE, kernel=True) or 1)
            lines.append(
                [
                    str(cases),
                    f"{batch // cases:,}",
                    _millions(plain),
                    _millions(kernel),
                    f"{kernel / plain:.1f}",
                    f"{100 * share:.1f} %",
                ]
            )
    head = ["positions a program", "programs", "plain XLA", "kernel", "times as fast", "share of the limit"]
    return table(head, lines)


def ways(data: Data) -> str:
    """Return a line for each way in which something was measured."""
    columns: dict[str, Callable[[Cells], str] | str] = {
        "what": "{what}",
        "sizes": "{size}",
        "way": "{way}",
        "seconds, median": "{seconds}",
        "repeats": "{repeats}",
        "a second": lambda row: f"{float(row['per_second']):,.0f} {row['unit'].removesuffix('/s')}",
        "compiled in, s": "{compile_seconds}",
    }
    return listing(data["gpu_ways"], columns)


def _millions(rate: float) -> str:
    return f"{rate / 1e6:,.0f} M"


TABLES: Makers = {
    "gpu_golden": golden,
    "gpu_plies": plies,
    "gpu_rates": rates,
    "gpu_kernels": kernels,
    "gpu_ways": ways,
}
