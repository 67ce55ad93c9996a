"""What Weights & Biases is told of a run, as `mirror` reads it: at the start, of the rows before it, and at the end."""

import os
import re
import secrets
import shlex
import string
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

import jaxgp
from jaxgp import files, reading
from jaxgp.run.loop import End, Run
from jaxgp.store import checkpoint, runs
from jaxgp.store.record import Row

INIT_TIMEOUT = 30
"""Seconds that an online run may take to reach the server."""
SUMMARIES = {"best_fitness": "max", "best_standing": "max", "best_points": "max", "seconds": "mean"}
"""What the overview of a run says of a metric, beside its last value."""
CHECKOUT = Path(jaxgp.__file__).parents[1]
"""Where jaxgp is, with its scripts beside it."""
Message = dict[str, object]


def mode(run: Run) -> str:
    """Return how a run is mirrored: as `logger.mode` says, or less where variables of W&B ask for less."""
    asked = run.config.logger.mode
    if asked not in ("offline", "online"):
        return asked
    if os.environ.get("WANDB_DISABLED", "").strip().lower() in ("1", "t", "true", "y", "yes", "on"):
        return "disabled"
    given = os.environ.get("WANDB_MODE", "").strip().lower()
    return {"disabled": "disabled", "offline": "offline", "dryrun": "offline"}.get(given, asked)


def _variable(name: str) -> str | None:
    """Return a variable of W&B; None: it is not set."""
    return os.environ.get(f"WANDB_{name}", "").strip() or None


def start(run: Run) -> Message:
    """Return the first message; raises OSError if nothing can be written for W&B."""
    logger, directory = run.config.logger, run.directory
    directory.wandb.mkdir(exist_ok=True)
    probe = directory.wandb / ".probe"  # W&B would go on in a folder for temporary files
    files.write_text(probe, "")
    probe.unlink()
    environment = _environment(run)
    command, experiment = _commands(environment)
    return {
        "init": {
            "mode": mode(run),
            "project": (_variable("PROJECT") if logger.project == type(logger)().project else None) or logger.project,
            "entity": logger.entity or _variable("ENTITY"),
            "group": logger.group or _variable("RUN_GROUP") or experiment or None,
            "job_type": logger.job_type or _variable("JOB_TYPE") or "train",
            "tags": logger.tags or [tag.strip() for tag in (_variable("TAGS") or "").split(",") if tag.strip()],
            "name": run.config.title or _variable("NAME") or f"{run.name}, {directory.path.absolute().name}",
            "id": identity(directory.tracking),
            "resume": "allow",
            "dir": str(directory.path.absolute()),
            "config": asdict(run.config) | {"environment": environment},
        },
        "settings": {
            "console": "off",
            "init_timeout": INIT_TIMEOUT,
            "quiet": True,
            "silent": True,
            "x_stats_pid": os.getpid(),
            **_code(environment.get("revision")),
        },
        "command": command,
        "summaries": SUMMARIES,
    }


def _commands(environment: Mapping[str, object]) -> tuple[list[str], str]:
    """Return the words of the last command after `python`, and the experiment of the first; nothing if they are odd."""
    with suppress(ValueError, IndexError):
        found = runs.commands(environment)
        return shlex.split(found[-1])[1:], runs.find_setting("experiment", found)
    return [], ""


def _code(revision: object) -> Message:
    """Return the settings that say which code ran: W&B would name `mirror`, and a repository around the run."""
    program: Message = {"program": str(CHECKOUT / "scripts" / "train.py")}
    if not isinstance(revision, str):
        return {**program, "disable_git": True}
    return {**program, "git_root": str(CHECKOUT), "git_commit": revision.removesuffix("-dirty")}


def rows_before(run: Run) -> list[Row]:
    """Return the rows that W&B may lack at the start, from the first generation on.

    A server leaves out those that it has. A log that waits to be sent is not sent twice.
    """
    return [] if any(run.directory.wandb.glob("offline-run-*")) else run.rows


def end(run: Run, ended: End) -> Message:
    """Return the last message."""
    from jaxgp.report import report  # late: plotting is slow to import

    directory = run.directory
    seen = [game for game in ended.games if game.frames]
    plots = sorted(directory.plots.glob("*.png")) if run.rows else []
    return {
        "exit_code": ended.exit_code,
        "summary": dict(ended.summary),
        "step": max(run.generation - 1, 0),
        "images": {f"plots/{path.stem}": str(path) for path in plots},
        "pages": {"report": str(directory.report)} if run.rows and directory.report.is_file() else {},
        "texts": {"replay": report.replay(run.name, seen)} if seen else {},
        "table": [game.result for game in ended.games if game.result],
        "artifacts": _artifacts(run, ended) if run.rows else [],
    }


def _artifacts(run: Run, ended: End) -> list[Message]:
    """Return the champion, the record with what describes the run, and the last checkpoint if it is asked for.

    Each has a name of its own in all processes of the run, so that W&B gives what changes a new version.
    """
    directory, name = run.directory, identity(run.directory.tracking)
    record = [directory.config, directory.record, directory.environment, directory.status]
    kept = {"champion": [directory.champion, directory.candidates], "record": record}
    if run.config.logger.checkpoints:
        kept["checkpoint"] = [path for _, path in checkpoint.available(directory.checkpoints)[:1]]
    found = {kind: {path.name: str(path) for path in paths if path.is_file()} for kind, paths in kept.items()}
    return [
        {
            "name": f"{kind}-{name}",
            "type": kind,
            "alias": f"generation-{run.generation}",
            "metadata": ended.summary if kind == "champion" else {},
            "files": paths,
        }
        for kind, paths in found.items()
        if paths
    ]


def _environment(run: Run) -> Mapping[str, object]:
    with suppress(OSError, ValueError):
        found = reading.read_json(run.directory.environment)
        return found if isinstance(found, dict) else {}
    return {}


def identity(path: Path) -> str:
    """Return the id of this run, made at its first start and kept beside it; raises OSError."""
    if path.is_file():
        with suppress(ValueError):
            name = reading.read_text(path, most=100).strip()
            if re.fullmatch(r"[\w-]+", name, re.ASCII):
                return name
    name = "".join(secrets.choice(string.ascii_lowercase + string.digits) for _ in range(8))
    files.write_text(path, name + "\n")
    return name
