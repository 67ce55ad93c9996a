"""Event files of TensorBoard: the metrics as curves; at the end the champion, the settings and the plots.

The step is the generation. Each process writes a file of its own and leaves those before it, which TensorBoard may
have open; the beginning of a file says from which step on what was read before is to be forgotten.
"""

import struct
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from omegaconf import OmegaConf
from tensorboardX import summary
from tensorboardX.event_file_writer import EventsWriter
from tensorboardX.proto.event_pb2 import Event, SessionLog
from tensorboardX.proto.summary_pb2 import Summary

from jaxgp import reading
from jaxgp.run.loop import End, Run
from jaxgp.run.mirroring.copies import Copy, flat
from jaxgp.store.record import Row

NAMES = "events.out.tfevents.*"
"""How the files of TensorBoard are called."""


class Events(Copy):
    """Follows a run in tensorboard/, one event file."""

    what = "tensorboard"

    def __init__(self, run: Run) -> None:
        self._writer: EventsWriter | None = None
        self._written = run.generation  # rows that event files hold, if there are any
        self._zero = 0.0  # the clock at the beginning of the run, if it had not been interrupted
        super().__init__(run)

    def begin(self) -> None:
        """Write a file with the rows that others lack; without others, with all."""
        self.close()
        folder, rows = self.run.directory.events, self.run.rows
        folder.mkdir(exist_ok=True)
        others = len(list(folder.glob(NAMES)))
        if not others:
            self._written = 0
        self._zero = time.time() - (rows[-1]["elapsed"] if rows else 0.0)
        # Names have the time in seconds; files are read in the order of their names.
        self._writer = EventsWriter(str(folder / "events"), f".{others:04}")
        start = SessionLog(status=SessionLog.START)
        self._write(Event(session_log=start, step=self._written, wall_time=time.time()))
        self._add(rows[self._written :])

    def append(self, row: Row) -> None:
        """Write the numbers of a row to the disk."""
        self._add([row])

    def complete(self, end: End) -> None:
        """Write the champion and the settings as text, and the plots."""
        assert self._writer is not None
        run = self.run
        if not run.rows:
            return
        texts = {
            "champion": str(end.summary.get("champion", "")),
            "config": OmegaConf.to_yaml(OmegaConf.create(asdict(run.config))),
            "environment": reading.read_text(run.directory.environment),
        }
        shown = [summary.text(name, _quoted(text)) for name, text in texts.items() if text]
        shown += [_picture(path) for path in sorted(run.directory.plots.glob("*.png"))]
        last = run.rows[-1]
        for one in shown:
            self._write(Event(summary=one, step=last["generation"], wall_time=self._zero + last["elapsed"]))
        self._writer.flush()

    def close(self) -> None:
        """Close the event file."""
        if self._writer is not None:
            writer, self._writer = self._writer, None
            writer.close()

    def _add(self, rows: Sequence[Row]) -> None:
        assert self._writer is not None
        for row in rows:
            values = [
                Summary.Value(tag=name, simple_value=value)
                for name, value in flat(row).items()
                if name != "generation" and value is not None
            ]
            when = self._zero + row["elapsed"]
            self._write(Event(summary=Summary(value=values), step=row["generation"], wall_time=when))
        self._writer.flush()
        self._written = self.run.generation

    def _write(self, event: Event) -> None:
        assert self._writer is not None
        self._writer.write_event(event)


def _quoted(text: str) -> str:
    """Return text as a block of code in Markdown, which TensorBoard reads."""
    return "\n".join(f"    {line}" for line in text.splitlines())


def _picture(path: Path) -> Summary:
    """Return a PNG file as it is, without decoding it; its size stands in the first chunk."""
    content = path.read_bytes()
    width, height = struct.unpack(">II", content[16:24])
    picture = Summary.Image(width=width, height=height, colorspace=4, encoded_image_string=content)
    return Summary(value=[Summary.Value(tag=f"plots/{path.stem}", image=picture)])
