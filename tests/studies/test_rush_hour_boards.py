"""The command that evolves boards: its file, that it goes on from it, and what it refuses."""

import jax.numpy as jnp
import pytest

from envs.rush_hour.boards import parse
from jaxgp.config import arguments
from jaxgp.search.puzzles.deepening import Deepening
from jaxgp.search.puzzles.solutions import Solutions
from studies.rush_hour import boards as study

SMALL = {"generations": 2, "population": 6, "limit": 50, "most": 2000, "table": 64, "lanes": 4, "keep": 4}


class Counted:
    """In place of a search: a board takes ten nodes for each vehicle and is always solved."""

    lanes = narrow = 1

    def __init__(self, *_, **__):
        pass

    def search(self, states, limit, count, contexts=(), whose=None):
        nodes = 10 * (states.lengths > 0).sum(1, dtype=jnp.int32)
        yes, none = jnp.ones(len(limit), bool), jnp.zeros(len(limit), jnp.int32)
        return Solutions(yes, nodes, none, none[:, None].astype(jnp.int16), ~yes, jnp.int32(0), none)


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(study, "Deepening", Counted)

    def main(*options, save=tmp_path / "boards.txt"):
        code = arguments.main(study.Options, study.task, study.__doc__, words(*options, save=save))
        return code, save, *capsys.readouterr()

    return main


def words(*options, save):
    """The command line: small sizes, but for the options that are given."""
    given = dict(option.split("=") for option in options)
    return [f"{name}={value}" for name, value in {**SMALL, "save": save, **given}.items()]


def boards(file):
    lines = [line.split() for line in file.read_text().splitlines()]
    assert all(10 * len(parse(cells).vehicles) == int(nodes) for _, cells, nodes in lines[1:])
    return [int(nodes) for _, _, nodes in lines[1:]], dict(word.split("=") for word in lines[0][1:])


@pytest.mark.thorough
def test_the_hardest_boards_are_stored_and_a_second_command_goes_on_from_them(run):
    code, file, out, err = run()
    nodes, about = boards(file)
    assert (code, len(nodes)) == (0, 4)
    assert nodes == sorted(nodes, reverse=True)
    assert about == {"first": "200", "grow": "200", "deepest": "200", "table": "64", "generation": "2"}
    assert err.count("\n") == 2
    assert "generation 1: hardest" in err
    assert out.splitlines()[-1] == f"saved: {file}"
    code, file, out, err = run("generations=3")
    later, about = boards(file)
    assert about["generation"] == "5"
    assert later[0] >= nodes[0]
    assert "generation 4: hardest" in err


def test_what_was_found_is_stored_after_each_generation(run, monkeypatch):
    """A command that is stopped has lost nothing but the generation in which it was."""
    made = study.write_boards

    def stopped(options, stored):
        if stored.generation == 2:
            raise KeyboardInterrupt
        return made(options, stored)

    monkeypatch.setattr(study, "write_boards", stopped)
    code, file, _, _ = run("generations=5")
    assert code == 130
    assert boards(file)[1]["generation"] == "1"


def test_a_place_that_cannot_be_written_is_refused(run):
    code, _, _, err = run(save="/nowhere/boards.txt")
    assert (code, err) == (2, "error: save=/nowhere/boards.txt: cannot be written (No such file or directory)\n")


def test_only_the_hardest_board_of_a_layout_is_kept():
    alone = "." * 24 + "XX" + "." * 38
    slid, other = (alone[:32] + "." * at + "AA" + "." * (30 - at) for at in (0, 3))
    found = [study.Hard(nodes, parse(text)) for nodes, text in ((5, slid), (9, other), (7, alone))]
    assert [one.nodes for one in study.hardest(found, 9)] == [9, 7]
    assert [one.nodes for one in study.hardest(found, 1)] == [9]


@pytest.mark.parametrize(
    ("options", "text", "fault"),
    [
        (["first=300"], None, "first=300: accepted: a whole number from 1 to 200 (deepest)"),
        (["limit=3000"], None, "limit=3000: accepted: a whole number from 2 to 2000 (most)"),
        (["table=100"], None, "table=100: accepted: 0, or a power of two up to 1048576"),
        (["elites=7"], None, "elites=7: accepted: a whole number from 0 to 6 (population)"),
        ([], "", "accepted: a file of this command"),
        ([], "# first=200 grow=200 deepest=200 table=64 generation=x\n", "accepted: a file of this command"),
        ([], "# first=200 grow=200 deepest=200 table=64 generation=2\nE00 XX 9\n", "it has 2 cells"),
        (
            [],
            "# first=9 grow=200 deepest=200 table=64 generation=2\n",
            "its boards were measured with first=9 grow=200",
        ),
        ([], "# first=200 grow=200 deepest=200 table=64 generation=2\nE00 .\n", "a line does not hold a name, cells"),
    ],
)
def test_refuses_in_one_line(run, tmp_path, options, text, fault):
    file = tmp_path / "old.txt"
    if text is not None:
        file.write_text(text)
    code, _, out, err = run(*options, save=file)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert fault in err
    assert text is None or file.read_text() == text


@pytest.mark.slow
def test_boards_of_a_real_search_take_the_nodes_that_the_file_says(tmp_path, capsys):
    """The boards of the file, read from their text, are searched again."""
    import jax

    file = tmp_path / "boards.txt"
    code = arguments.main(study.Options, study.task, "", words("limit=20000", "most=20000", "table=4096", save=file))
    assert code == 0
    lines = [line.split() for line in file.read_text().splitlines()[1:]]
    states = study.GAME.positions([parse(cells) for _, cells, _ in lines])
    search = Deepening(study.GAME, 200, 200, 200, table=4096, lanes=4)
    found = search.search(jax.tree.map(jnp.asarray, states), jnp.full(len(lines), 20000), jnp.int32(len(lines)))
    assert found.nodes.tolist() == [int(nodes) for _, _, nodes in lines]
    assert found.solved.all()
