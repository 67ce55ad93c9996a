"""A mirror of metrics.jsonl in Weights & Biases. An error there does not stop the run."""

import secrets
import string
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from jaxgp.config.schema import Config
from jaxgp.store.directory import RunDirectory
from jaxgp.store.record import Row

INIT_TIMEOUT = 30
"""Seconds that an online run waits for the server."""


class Tracker:
    """Follows a run. In mode `disabled` it does nothing and does not import W&B.

    Args:
        config: configuration of the run; `logger` says how to track.
        directory: the run directory; W&B's files go below it, and the id by which a resumed run continues.
        warn: told once, when W&B first fails; after that nothing more is sent.
    """

    def __init__(self, config: Config, directory: RunDirectory, warn: Callable[[str], None]) -> None:
        self._warn = warn
        self._run: Any = None
        if config.logger.mode != "disabled":
            self._guard(lambda: self._start(config, directory))

    def _start(self, config: Config, directory: RunDirectory) -> None:
        import wandb

        logger = config.logger
        self._run = wandb.init(
            mode=logger.mode,  # type: ignore[arg-type]
            project=logger.project,
            entity=logger.entity,
            group=logger.group,
            tags=logger.tags,
            name=config.title or None,
            id=_identity(directory.tracking),
            resume="allow",
            dir=str(directory.path),
            config=asdict(config),
            settings=wandb.Settings(console="off", init_timeout=INIT_TIMEOUT, quiet=True, silent=True),
        )
        self._run.define_metric("generation")
        self._run.define_metric("*", step_metric="generation")

    def wait(self, generation: int, seconds: float) -> None:
        """Hear that a program compiles: nothing to send."""

    def update(self, row: Row) -> None:
        """Send one row."""
        if self._run is not None:
            self._guard(lambda: self._run.log(row))

    def finish(self, summary: Mapping[str, object], exit_code: int = 0) -> None:
        """Send the summary and end; safe to call twice."""
        if self._run is not None:
            self._guard(lambda: self._run.summary.update(summary))
        run, self._run = self._run, None
        if run is not None:
            self._guard(lambda: run.finish(exit_code=exit_code))

    def _guard(self, action: Callable[[], object]) -> None:
        try:
            action()
        except Exception as error:  # anything: a mirror must not stop the run
            self._run = None
            lines = str(error).strip().splitlines()
            self._warn(f"Weights & Biases is off: {lines[0] if lines else type(error).__name__}")


def _identity(path: Path) -> str:
    """Return the id of this run, made at its first start and kept beside it."""
    try:
        return path.read_text().strip()
    except OSError:
        name = "".join(secrets.choice(string.ascii_lowercase + string.digits) for _ in range(8))
        path.write_text(name + "\n")
        return name
