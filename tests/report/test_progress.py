"""What a run shows while it computes, compiles and writes, on a terminal and in a file."""

import io
import re

from jaxgp.report.progress import Progress

ROW = {"generation": 0, "best_fitness": 1.5, "mean_fitness": 1.0, "seconds": 2.0, "elapsed": 2.0}


class Terminal(io.StringIO):
    def isatty(self):
        return True


def shown(live, follow):
    """Return the lines that a progress of three generations writes while `follow` is called with it."""
    stream = Terminal() if live else io.StringIO()
    with Progress(3, stream, live) as progress:
        follow(progress)
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "\n", stream.getvalue())
    return [line.strip() for line in re.split(r"[\r\n]+", plain) if line.strip()]


def compile_and_compute(progress):
    for seconds in (0.5, 1.1, 1.9, 65.0):
        progress.wait(0, seconds)
    progress.update(ROW)
    progress.work("writing the report", 3.0)
    progress.rest()


def test_a_file_has_one_line_for_what_takes_long():
    compiling, generation, writing = shown(False, compile_and_compute)
    assert compiling == "generation 0 (1 of 3): compiling"
    assert generation.startswith("generation 0 (1/3): fitness best 1.50")
    assert writing == "writing the report"


def test_a_terminal_has_the_seconds_and_in_the_end_the_generation_alone(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    lines = shown(True, compile_and_compute)
    assert [line for line in lines if "compiling" in line] == [
        "generation 0 (1 of 3): compiling, 0:01",
        "generation 0 (1 of 3): compiling, 0:02",
        "generation 0 (1 of 3): compiling, 1:05",
    ]
    written = lines.index("writing the report, 0:03")
    assert any("generation 0 (1 of 3)" in line for line in lines[written:])


def test_what_is_over_in_a_moment_is_not_shown():
    assert shown(False, lambda progress: progress.work("writing the report", 0.9)) == []
