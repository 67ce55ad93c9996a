"""The process that mirrors a run to Weights & Biases, started by `tracking` beside it. It imports nothing of jaxgp.

W&B works by a service of its own, by sockets and by hooks at the end of the process, and any of them can wait for ever.
Here they keep nobody waiting. Each line of standard input is a JSON list, the name of a message and its content:

    ["start", {...}]     `init`, arguments of `wandb.init`; `settings` are those of `wandb.Settings`; `command`, that of
                         the run; `summaries`, what W&B says of a metric beside its last value: name -> max, mean
    ["rows", [...]]      rows of the record
    ["end", {...}]       `summary`; `step`, the last generation; `images` and `pages`, name -> file; `texts`, name ->
                         HTML; `table`, a list of rows; `artifacts`; and the `exit_code` of the run

The end of the input without an `end` means that the run was killed. A failure is one line on standard output.
"""

import json
import os
import sys
from collections.abc import Iterable
from types import ModuleType
from typing import IO, Any


def follow(messages: Iterable[str]) -> None:
    """Do what the messages say; raises what W&B raises."""
    import wandb

    run: Any = None
    for line in messages:
        kind, content = json.loads(line)
        if kind == "start":
            run = start(wandb, content)
        elif kind == "rows":
            for row in content:
                # W&B leaves out a step that it has already, so a resumed run may send rows again. A row is sent when
                # the next one comes, the last one together with what `complete` shows.
                run.log(row, step=row["generation"])
        else:
            try:
                complete(wandb, run, content)
            finally:
                run.finish(exit_code=content["exit_code"])
            return
    if run is not None:
        run.finish(exit_code=1)


def start(wandb: ModuleType, content: dict[str, Any]) -> Any:
    """Return the run of W&B, new or gone on with."""
    sys.argv = content["command"] or sys.argv  # W&B says of a run by which command it was started
    given = content["init"]
    run = wandb.init(**given, settings=wandb.Settings(**content["settings"]))
    run.define_metric("generation")
    run.define_metric("*", step_metric="generation")
    for name, kind in content["summaries"].items():
        run.define_metric(name, step_metric="generation", summary=f"{kind},last")
    return run


def complete(wandb: ModuleType, run: Any, content: dict[str, Any]) -> None:
    """Show what a run has led to."""
    run.summary.update(content["summary"])
    shown = {name: wandb.Image(path) for name, path in content["images"].items()}
    shown |= {name: wandb.Html(path, inject=False) for name, path in content["pages"].items()}
    shown |= {name: wandb.Html(text, inject=False, data_is_not_path=True) for name, text in content["texts"].items()}
    if rows := content["table"]:
        columns = list(rows[0])
        shown["panel"] = wandb.Table(columns, [[row.get(name) for name in columns] for row in rows])
    if shown:
        run.log(shown, step=content["step"])
    for one in content["artifacts"]:
        artifact = wandb.Artifact(one["name"], one["type"], metadata=one["metadata"])
        for name, path in one["files"].items():
            artifact.add_file(path, name, skip_cache=True)
        run.log_artifact(artifact, aliases=["latest", one["alias"]])


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
