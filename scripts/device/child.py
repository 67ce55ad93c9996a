"""Does one part of `part=gpu` on one side, in a process of its own; its rows are lines of JSON on standard output."""

import importlib
import json
import sys
import time
from pathlib import Path

from device.work import DEVICE, Work
from jaxgp import terminal


def main(side: str, part: str, which: str, small: str, seconds: str, folder: str) -> int:
    """Yield the rows of a part, and last one that says that it came to its end."""
    begun = time.perf_counter()
    terminal.graphs()
    if side == DEVICE and small == "0":
        import jax

        if jax.default_backend() == "cpu":
            raise SystemExit("JAX finds no GPU")
    work = Work(side, which, small == "1", float(seconds), begun, Path(folder))
    for row in importlib.import_module(f"device.parts.{part}").rows(work):
        print(json.dumps(row), flush=True)
    print(json.dumps({"part": part, "side": side, "ended": True, "took": time.perf_counter() - begun}), flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
