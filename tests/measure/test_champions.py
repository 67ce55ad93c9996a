"""Champions of puzzles solve other instances than that of their run."""

from pathlib import Path

import pytest

import envs
from jaxgp.errors import UsageError
from jaxgp.measure import champions

ROOT = Path(__file__).resolve().parents[2]
CHAMPION = str(ROOT / "docs/data/champions/rush_hour_policy.jsonl#0")


def test_a_champion_of_a_puzzle_is_loaded_for_the_instance_that_is_asked_for():
    own, other = (champions.load(CHAMPION, envs, asked=asked).cast for asked in ({}, {"board": "JAM05"}))
    assert other.game.board == "JAM05"
    assert own.game.board != "JAM05"
    assert (other.program, other.language) == (own.program, own.language)
    assert other.actor.game == other.game


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"board": "JAM99"}, "game.board=JAM99: no board has this name"),
        ({"board": "EVO01"}, "game.size=6: accepted: 8 with this board"),
        ({"board": "JAM05", "metric": "steps"}, "is a game with game.metric="),
        ({"size": 7}, "is a game with game.size=6"),
    ],
)
def test_other_settings_than_the_instance_are_those_of_the_run(asked, said):
    with pytest.raises(UsageError) as raised:
        champions.load(CHAMPION, envs, asked=asked)
    assert said in str(raised.value)
