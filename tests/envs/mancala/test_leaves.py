"""What programs that value the leaves of searches in Kalah see and do: against plain Python."""

from dataclasses import replace
from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envs
from envs.mancala.leaves import Options, numbers, view
from envs.mancala.roles import leaf
from jaxgp.genotypes.text import parse_program
from tests.envs.replays import FAST, KEY
from tests.reference import kalah as reference

PITS, STONES = 4, 3
GAME = envs.make("mancala", pits=PITS, stones=STONES)
PROGRAMS = [
    "Store",
    "(Plus Store:2 (Plus FriendlyExtra:3 EnemyExtra:-1))",
    "(IFT (LowerEqual EnemyCapture FriendlyCapture) Stones (Minus FriendlyPit1 EnemyPit4:2))",
]


@cache
def positions():
    """Boards of random games, from the mover's side, and their states; none of them has ended."""
    rng, boards, states = np.random.default_rng(0), [], []
    step = jax.jit(GAME.step, compiler_options=FAST)
    while len(boards) < 60:
        state = GAME.init(KEY)
        for _ in range(rng.integers(1, 25)):
            legal = np.flatnonzero(GAME.legal_actions(state))
            if not len(legal):
                break
            state = step(state, jnp.int32(rng.choice(legal)), KEY)
        if not state.terminated:
            boards.append(np.asarray(state.board).tolist())
            states.append(state)
    return boards, jax.tree.map(lambda *x: jnp.stack(x), *states)


def counted(own, other):
    """What is counted of a side, from its cells and the other's, by trying each of its moves."""
    store, taken = 0, [0]
    for pit, stones in enumerate(own[:PITS]):
        end = pit + stones
        if stones and end == PITS:
            store += 1
        if stones and end < PITS and own[end] == 0:
            taken.append(other[PITS - 1 - end])
    names = {f"Pit{number}": own[number - 1] for number in range(1, PITS + 1)}
    moves = sum(stones > 0 for stones in own[:PITS])
    return {
        "Store": own[PITS],
        "Stones": sum(own[:PITS]),
        "Mobility": moves,
        "Extra": store,
        "Capture": max(taken),
    } | names


def expected(board):
    """What a program sees of a board, by name."""
    own, other = board[: PITS + 1], board[PITS + 1 :]
    found = {f"Friendly{name}": value for name, value in counted(own, other).items()}
    found |= {f"Enemy{name}": value for name, value in counted(other, own).items()}
    return found | {name: found[f"Friendly{name}"] - found[f"Enemy{name}"] for name in ("Store", "Stones")}


def test_programs_see_positions_as_the_side_to_move_does():
    boards, states = positions()
    seen = np.asarray(jax.jit(jax.vmap(lambda state: view(GAME, state)), compiler_options=FAST)(states))
    for board, row in zip(boards, seen, strict=True):
        assert dict(zip(numbers(GAME), row.tolist(), strict=True)) == expected(board)
    assert any(expected(board)["FriendlyCapture"] and expected(board)["EnemyExtra"] for board in boards)


@pytest.mark.slow
def test_moves_are_those_of_the_search_on_plain_boards():
    """The search on packed boards, which is faster, and the one on the boards of the rules."""
    _, states = positions()
    language, player = leaf(GAME, Options(depth=2))
    assert player.twin is not None
    programs = [parse_program(language, text, 32) for text in PROGRAMS]
    plans = jax.jit(player.prepare)(jax.tree.map(lambda *x: np.stack(x), *programs))
    many = jax.tree.map(lambda x: jnp.stack([x] * len(PROGRAMS)), states)
    plain = replace(player, twin=None, view=lambda state: view(GAME, state))
    found = [np.asarray(jax.jit(one.act, compiler_options=FAST)(plans, many, None)[0]) for one in (player, plain)]
    np.testing.assert_array_equal(*found)
    assert (found[0][0] != found[0][1]).any(), "programs differ"


def worth(position, plies):
    """What a position is worth to seat 0 by plain minimax: the lead, and of an ended game its result."""
    if reference.ended(position):
        return 1000 * np.sign(reference.lead(position))
    if plies == 0:
        return reference.lead(position)
    best = (max, min)[position[1]]
    return best(worth(reference.play(position, pit), plies - 1) for pit in reference.moves(position))


@pytest.mark.thorough
def test_two_plies_deep_the_first_best_move_is_played():
    """The first program values the lead of the stores, as the reference does; extra turns are plies too."""
    boards, states = positions()
    language, player = leaf(GAME, Options(depth=2))
    program = parse_program(language, PROGRAMS[0], 32)
    plans = jax.jit(player.prepare)(jax.tree.map(lambda x: x[None], program))
    one = jax.tree.map(lambda x: x[None], states)
    moves = np.asarray(jax.jit(player.act, compiler_options=FAST)(plans, one, None)[0])[0]
    for board, chosen in zip(boards, moves, strict=True):
        position = (tuple(board[: PITS + 1]), tuple(board[PITS + 1 :])), 0
        values = {pit: worth(reference.play(position, pit), 1) for pit in reference.moves(position)}
        assert chosen == max(values, key=lambda pit: (values[pit], -pit))
