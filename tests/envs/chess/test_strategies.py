"""Players of chess: fixed ones, which are programs of its language or its tables, and programs under a search."""

import jax
import numpy as np
import pytest

import envs
from envs.chess import hints, language, strategies
from envs.chess.notation import moves
from jaxgp.games.casting import cast
from jaxgp.genotypes.text import parse_program
from jaxgp.search.chance import unused_key
from tests.genotypes.program_cases import parse_tree


@pytest.mark.parametrize(("name", "nodes"), [("master", None), ("gpec190", 136), ("five_terms", 18)])
def test_a_strategy_is_a_program_of_three_trees(name, nodes):
    made = strategies.strategy(name, envs.make("chess"))
    program = parse_program(language.primitive_set(made.options), made.text, 256)
    assert program.length.shape == (3,)
    assert nodes in (None, int(program.length[0]))


@pytest.fixture(scope="module")
def krk():
    return envs.make("chess", endgame="KRK", start="won")


@pytest.mark.thorough
def test_the_table_wins_what_is_won_in_the_fewest_moves(krk):
    """The longest mate is one in 16 moves: 31 plies."""
    best = strategies.strategy("table", krk)

    @jax.jit
    @jax.vmap
    def played(key):
        def ply(number, state):
            return krk.step(state, best(state, jax.random.bits(jax.random.fold_in(key, number))), unused_key())

        return jax.lax.fori_loop(0, 31, ply, krk.init(key))

    ended = played(jax.random.split(jax.random.key(0), 64))
    assert (np.asarray(ended.returns) == [1, -1]).all()
    assert len(set(np.asarray(ended.plies).tolist())) > 3


def test_there_is_no_table_of_six_men():
    with pytest.raises(ValueError, match="up to four kings, queens and rooks"):
        strategies.strategy("table", envs.make("chess", endgame="KQRKQR"))


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("fen", "move", "said"),
    [
        ("8/8/8/3k4/8/8/8/K3R3 w", "Re4", "This throws the win away: now the game is drawn; Kb1 mates in 14."),
        ("8/8/8/3k4/8/8/8/K3R3 w", "Re2", "This keeps the win: mate in 15 more; Kb1 mates in 14."),
        ("8/8/8/3k4/8/8/8/K3R3 w", "Kb1", "This keeps the win: mate in 13 more."),
        ("7k/8/6K1/8/8/8/8/R7 w", "Ra8", "This is mate."),
        ("7k/8/6K1/8/8/8/8/R7 w", "Ra1-b1", "This keeps the win: mate in 1 more; Ra8# mates in 1."),
    ],
)
def test_a_beginner_hears_what_a_move_did(krk, fen, move, said):
    game = envs.make("chess", start="fen", fen=fen)
    state = jax.jit(game.init)(unused_key())
    (action,) = moves.read_turn(game, state, move)
    assert hints.remarks(krk)(state, action) == said


@pytest.mark.slow
def test_a_program_under_a_search_finds_a_mate_in_two(krk):
    """It knows mate when it sees it; one ply deep it sees none, three plies deep it finds the only way to one."""
    game = envs.make("chess", start="fen", fen="7k/8/5K2/8/8/8/8/R7 w")
    state = jax.jit(game.init)(unused_key())
    worth = np.asarray(hints.judge(krk)(state))[: len(moves.legal(state))]
    best = {action for (action, *_), value in zip(moves.legal(state), worth, strict=True) if value == worth.max()}
    assert worth.max() == 126 - 3
    for depth, found in ((1, False), (3, True)):
        made = cast(envs.spec("chess"), game, "leaf", values={"depth": depth})
        genome = jax.tree.map(lambda x: x[None, None], parse_tree(made.language, "1000*IsMate", 8))
        states = jax.tree.map(lambda x: x[None, None], state)
        move, _ = jax.jit(made.actor.act)(made.actor.prepare(genome), states, np.zeros((1, 1), np.uint32))
        assert (int(move[0, 0, 0]) in best) == found
