"""The rules against an independent reference in plain Python, over random games and all record games."""

import json
import os
from pathlib import Path

import jax
import numpy as np
import pytest

import envs
from tests.envs.morpion.drawings import action, points
from tests.envs.replays import replay
from tests.reference.morpion import STEPS, Position

SHARED = Path(os.environ.get("JAXGP_SHARED", Path(__file__).parents[4] / "shared"))
RECORDS = SHARED / "data" / "morpion_records.txt"
LONGEST = 100
"""Plies of a random game; the longest of a million had 89."""


def random_game(rng, game):
    """A random game of the reference: the actions, and at each ply the legal ones, with those at the end."""
    position = Position(touching=game.variant == "5T", grid=(*game.origin, game.size))
    played, legal = [], []
    while moves := sorted(position.moves()):
        legal.append({action(game, line) for line in moves})
        line = moves[rng.integers(len(moves))]
        position.play(line)
        played.append(action(game, line))
    return position, played, [*legal, set()]


def check_random_games(game, plies, seed, batch=32):
    rng, compared = np.random.default_rng(seed), 0
    while compared < plies:
        games = [random_game(rng, game) for _ in range(batch)]
        actions = np.zeros((len(games), LONGEST), np.int32)
        for row, (_, played, _) in zip(actions, games, strict=True):
            row[: len(played)] = played
        states, legal = jax.tree.map(np.asarray, replay(game)(actions))
        for n, (position, played, expected) in enumerate(games):
            count = len(played)
            assert [set(np.flatnonzero(row)) for row in legal[n, : count + 1]] == expected
            assert not states.terminated[n, :count].any()
            assert states.terminated[n, count:].all()
            assert points(game, states.crosses[n, -1]) == position.crosses
            assert tuple(states.last[n, -1]) == position.lines[-1][2]
            assert states.count[n].tolist() == [*range(count), *[count] * (LONGEST + 1 - count)]
            assert states.returns[n, -1].tolist() == [count]
            compared += count
    return compared


@pytest.mark.few(1)
@pytest.mark.parametrize("options", [{"variant": "5T"}, {"variant": "5D", "size": 20}, {"size": 41}])
def test_random_games_equal_the_reference(options):
    """20 points are so few that lines do meet the edge; 41 are the report's, two words to a row."""
    assert check_random_games(envs.make("morpion", **options), 300, seed=1, batch=10) >= 300


@pytest.mark.slow
@pytest.mark.parametrize("options", [{"variant": "5T"}, {"variant": "5D"}, {"size": 41}, {"size": 20, "variant": "5D"}])
def test_many_random_games_equal_the_reference(options):
    assert check_random_games(envs.make("morpion", **options), 100_000, seed=3) >= 100_000


def records():
    """(variant, score, moves) of the record games; a move is the new cross, the direction's letters, its place."""
    if not RECORDS.is_file():
        pytest.skip(f"{RECORDS} is not there")
    lines = [line for line in RECORDS.read_text().splitlines() if line and not line.startswith("#")]
    for head, moves in zip(lines[::2], lines[1::2], strict=True):
        _, variant, _, score, *_ = head.split()
        yield variant, int(score.removeprefix("score=")), [move.split(",") for move in moves.split()]


def record_line(move, turn=lambda x, y: (x, y)):
    """The line of a recorded move, whose y counts downwards from the top of the cross; `turn` acts about its middle."""
    x, y, direction, place = int(move[0]), int(move[1]), move[2], int(move[3])
    dx, dy = {"H": (1, 0), "V": (0, 1), "DP": (1, -1), "DN": (1, 1)}[direction]
    ends = [(x + (k - place) * dx, y + (k - place) * dy) for k in (0, 4)]
    # Twice the distance from the middle, 4.5, is whole.
    ends = [turn(2 * x - 9, 9 - 2 * y) for x, y in ends]
    (x, y), (u, v) = (((x + 9) // 2 + 16, (y + 9) // 2 + 17) for x, y in ends)
    step = (u - x) // 4, (v - y) // 4
    return ((x, y), step) if step in STEPS else ((u, v), (-step[0], -step[1]))


TURNS = {
    f"{rotation}{'m' if mirrored else ''}": (rotation, mirrored) for rotation in range(4) for mirrored in (False, True)
}


@pytest.mark.thorough
@pytest.mark.parametrize("turn", TURNS)
def test_record_games_are_legal_to_their_ends_in_every_orientation(turn):
    rotation, mirrored = TURNS[turn]

    def turned(x, y):
        x = -x if mirrored else x
        for _ in range(rotation):
            x, y = -y, x
        return x, y

    found = list(records())
    assert len(found) == 9
    assert max(score for variant, score, _ in found if variant == "5T") == 178
    for variant in ("5T", "5D"):
        game = envs.make("morpion", variant=variant)
        mine = [(score, moves) for name, score, moves in found if name == variant]
        actions = np.zeros((len(mine), 180), np.int32)
        for row, (score, moves) in zip(actions, mine, strict=True):
            assert len(moves) == score
            row[: len(moves)] = [action(game, record_line(move, turned)) for move in moves]
        states, legal = jax.tree.map(np.asarray, replay(game)(actions))
        for n, (score, _) in enumerate(mine):
            assert legal[n][np.arange(score), actions[n, :score]].all()
            assert states.terminated[n].tolist() == [ply >= score for ply in range(181)]
            assert states.returns[n, -1].tolist() == [score]


def test_the_best_game_that_the_documents_show_is_legal_and_ends_where_no_line_is_left():
    """By the reference alone."""
    game = json.loads((Path(__file__).parents[3] / "docs" / "morpion_155.json").read_text())
    position = Position()
    for move in game["moves"]:
        (x, y), (u, v) = (tuple(map(int, end.split(","))) for end in move.split("-"))
        position.play(((x, y), ((u - x) // 4, (v - y) // 4)))
    assert len(position.lines) == 155
    assert not position.moves()
