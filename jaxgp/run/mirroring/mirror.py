"""The process that mirrors a run to Weights & Biases, started by `tracking` beside it. It imports nothing of jaxgp.

W&B works by a service of its own, by sockets and by hooks at the end of the process, and any of them can wait for ever.
Here they keep nobody waiting. Each line of standard input is a JSON list, the name of a message and its content:

    ["start", {...}]     arguments of `wandb.init`; `settings` are those of `wandb.Settings`
    ["row", {...}]       a row of the record
    ["end", {...}]       `summary`, and the `exit_code` of the run

The end of the input without an `end` means that the run was killed. A failure is one line on standard output.
"""

import json
import os
import sys
from collections.abc import Iterable
from typing import IO, Any


def follow(messages: Iterable[str]) -> None:
    """Do what the messages say; raises what W&B raises."""
    import wandb

    run: Any = None
    for line in messages:
        kind, content = json.loads(line)
        if kind == "start":
            settings = wandb.Settings(**content.pop("settings"))
            run = wandb.init(**content, settings=settings)
            run.define_metric("generation")
            run.define_metric("*", step_metric="generation")
        elif kind == "row":
            run.log(content)
        else:
            run.summary.update(content["summary"])
            run.finish(exit_code=content["exit_code"])
            return
    if run is not None:
        run.finish(exit_code=1)


def _private(number: int, mode: str) -> IO[str]:
    """Return a standard stream for this process alone, and put a null device in its place for W&B and its service."""
    own = os.fdopen(os.dup(number), mode, encoding="utf-8")
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, number)
    os.close(null)
    return own


def main() -> int:
    """Mirror a run; return the exit code."""
    messages, replies = _private(0, "r"), _private(1, "w")
    _private(2, "w").close()
    try:
        follow(messages)
    except Exception as error:  # anything: it is told, and the run goes on without a mirror
        lines = str(error).strip().splitlines()
        print(lines[0] if lines else type(error).__name__, file=replies, flush=True)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
