"""Tables of what searches of Othello take from each other."""

import pytest

from jaxgp.config import arguments
from studies import othello_arena as arena
from tests.host.engines import fake


def run(*given):
    return arguments.main(arena.Options, arena.task, "", given)


def test_every_game_is_counted_for_its_colour(capsys):
    assert run("evaluator=material", "games=8", "depths=[0]", "size=4") == 0
    _, _, *rows = capsys.readouterr().out.splitlines()
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    assert [row[0] for row in cells] == ["random moves"]
    for _, *seats, share, interval in cells:
        counts = [list(map(int, seat.split(" + "))) for seat in seats]
        assert list(map(sum, counts)) == [4, 4]
        points = sum(won + drawn / 2 for won, drawn, _ in counts) / 8
        assert share == f"{points:.1%}"
        low, high = (float(end.strip("%")) / 100 for end in interval.split(" to "))
        assert low < points < high


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["depth=0"], "depth=0: accepted: a whole number from 1 to 12"),
        (["depths=[1,13]"], "depths=[1,13]: accepted: whole numbers from 0 to 12, as in [1,2,3]"),
        (["depths=[]"], "depths=[]: accepted: one or more whole numbers from 0 to 12"),
        (["games=3"], "games=3: accepted: an even number from 2 to 100000"),
        (["seed=-1"], "seed=-1: accepted: a whole number from 0 to 4294967295"),
        (["size=7"], "size=7: accepted: 4, 6, 8, 10"),
        (["ties=last"], "ties=last: accepted: first, random"),
        (["size=6"], "evaluator=edgar_like: accepted: material, corner_4, corner_16"),
        (["timeout=3"], "timeout: given, but command is not given"),
        (["command=x", "depths=[2]"], "depths: given, but no search is met where command is given"),
        (["command=x", "opening_plies=41"], "opening_plies=41: accepted: a whole number from 0 to 40"),
        (["command=nobody"], "command=nobody: nobody is not installed on PATH or in /usr/games"),
        (["against=best"], "against=best: accepted: material, corner_4, corner_16, edgar_like"),
    ],
)
def test_wrong_options_are_named(given, said, capsys):
    assert run(*given) == 2
    assert capsys.readouterr().err == f"error: {said}\n"


@pytest.mark.slow
def test_an_engine_outside_is_met_with_both_colours(capsys):
    assert run("ties=first", "games=12", f"command={fake()}") == 0
    *_, row = capsys.readouterr().out.splitlines()
    _, *seats, share, _ = [cell.strip() for cell in row.strip("|").split("|")]
    counts = [list(map(int, seat.split(" + "))) for seat in seats]
    assert list(map(sum, counts)) == [6, 6]
    points = sum(won + drawn / 2 for won, drawn, _ in counts) / 12
    assert share == f"{points:.1%}"
    # The table takes 95.7 % from random moves, which this engine plays: 50 % would be seven standard errors off.
    assert points > 0.5
