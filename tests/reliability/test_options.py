"""Wrong and odd options of every script end in one line; and what looks for them would find worse."""

import functools
import os
import random
import re
import signal
import subprocess
import sys
import time
from dataclasses import dataclass

import pytest

from jaxgp.options import option
from tests.reliability import children, fuzzer, typed_words
from tests.reliability.children import ROOT, Ended, carry_out, fault
from tests.scripts import commands


def says(line, code):
    """A script that writes a line to stderr and ends."""
    print(line, file=sys.stderr)
    sys.exit(code)


def kills_itself():
    os.kill(os.getpid(), signal.SIGKILL)


BROKEN = {
    "traceback": lambda: [][0],
    "hang": functools.partial(time.sleep, 60),
    "2 lines": functools.partial(says, "error: seed=x: accepted: a number\nand more", 2),
    "exit code 2 without one line": functools.partial(says, "seed=x is wrong", 2),
    "a message of": functools.partial(says, "error: seed=" + 3000 * "x", 2),
    "a message without the name": functools.partial(says, "error: something is wrong", 2),
    "exit code 3": functools.partial(says, "error: seed=x: accepted: a number", 3),
    "exit code -9": kills_itself,
    "exit code 1 for no reason": functools.partial(says, "error: it failed", 1),
    "an error, and exit code 0": functools.partial(says, "error: seed=x: accepted: a number", 0),
}
SOUND = (
    functools.partial(says, "error: seed=x: accepted: a number", 2),
    functools.partial(says, "warning: slow\nerror: seed=x: accepted: a number", 2),
    functools.partial(says, "1 of 2\nerror: record: No space left on device", 1),
    functools.partial(says, "1 of 2", 0),
    functools.partial(says, "", children.REACHED),
)


@pytest.mark.parametrize("wrong", BROKEN)
def test_a_broken_script_is_caught(wrong, tmp_path):
    ended = carry_out(BROKEN[wrong], tmp_path, tmp_path / "said", 0.5 if wrong == "hang" else 60)
    assert fault(ended, ["seed"]).startswith(wrong)


@pytest.mark.parametrize("script", SOUND)
def test_a_script_that_ends_as_it_should_is_not_blamed(script, tmp_path):
    assert fault(carry_out(script, tmp_path, tmp_path / "said", 60), ["seed"]) == ""


@pytest.mark.parametrize("place", children.BEGINNINGS)
def test_where_computing_begins_is_a_function_that_is_there(place):
    owner, name = children.beginning(place)
    assert callable(vars(owner)[name])


@dataclass
class New:
    novel: int = option(3, "an option that somebody has just declared", low=1, high=9)


def test_a_new_option_is_tried_with_what_is_near_its_limits():
    (target,) = typed_words.of_schema(New)
    assert target.name == "novel"
    assert {"0", "1", "3", "9", "10"} <= set(target.near)


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("script", "base"),
    [("train", "kalah_panel"), ("train", "walls_groups"), ("evaluate", "walls"), ("play", "walls")],
)
def test_every_option_of_the_help_is_tried(script, base, capsys):
    """The help is written by other means."""
    words = typed_words.BASES[script][base].split()
    assert (commands.train("--help", *words) if script == "train" else commands.run(script, "--help")) == 0
    listed = set(re.findall(r"^  ([a-z0-9_.]+)=", capsys.readouterr().out, re.MULTILINE))  # not NAME and OPTION
    tried = {target.name for target in typed_words.targets(script, base)}
    assert len(listed) > 10
    assert listed <= tried
    assert script != "train" or {"hydra.run.dir", "game", "experiment", "+fitness.opponents.new.kind"} <= tried


def test_a_case_is_that_of_its_seed():
    targets = list(typed_words.of_schema(New))
    one, same, other = (fuzzer.drawn(random.Random(seed), "export", targets, "run=x", 0.5) for seed in (4, 4, 5))
    assert one == same != other


@pytest.mark.parametrize("word", ["a\nb", 1000 * "x", 900 * "lorem ipsum ", "a\udcffb", "it's é", "$HOME", "[" * 2000])
def test_a_word_can_be_pasted_into_a_shell(word):
    line = f"printf %s {fuzzer.quoted(word)}".replace("python -c", f"{sys.executable} -c")
    assert len(line) < 500
    assert subprocess.run(["bash", "-c", line], capture_output=True, check=True).stdout == word.encode(
        errors="surrogateescape"
    )


HANDFUL = {
    "train": ("algorithm.population=1e308", "game=walls"),
    "evaluate": ("panel=nope",),
    "play": ("seed=-1", "game=mancala"),
    "tournament": ("brackets=3",),
    "export": ("format=[python]",),
    "analyse": ("replicates=${nope}",),
}


@pytest.mark.parametrize("script", HANDFUL)
def test_a_wrong_value_is_one_line(script, tmp_path):
    case = fuzzer.Case(script, HANDFUL[script], (), False)
    ended = carry_out(lambda: children.script(script, case.words), tmp_path, tmp_path / "said", 30)
    assert ended.code == 2
    assert fault(ended, case.names) == ""
    assert [path.name for path in tmp_path.iterdir() if not path.name.startswith("said")] == []


def test_the_table_counts_by_script_and_outcome():
    rows = [fuzzer.outcome_of(Ended(code, "", "", 0), "") for code in (0, 2, children.REACHED, 1)]
    assert rows == ["carried out", "refused", "accepted", "the machine"]
    counts = fuzzer.Counter(("train", row) for row in rows)
    assert fuzzer.table(counts).splitlines()[-1].split() == ["all", "1", "1", "1", "1", "0", "4"]


@pytest.mark.slow
def test_random_options_of_every_script_end_in_one_line():
    command = [sys.executable, "-m", "tests.reliability.fuzzer", "cases=400"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=1800, check=False)
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr
