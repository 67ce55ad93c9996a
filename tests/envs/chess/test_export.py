"""Programs for chess as Python modules: they see and play what the players of the programs do."""

from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envs
from envs.chess import language, strategies
from envs.chess.notation.moves import uci
from envs.chess.notation.pgn import fen_of
from envs.chess.roles import LEAF, MOVE, SUM
from jaxgp.export import export as analysis
from jaxgp.genotypes.text import parse_program
from jaxgp.measure import champions

pytest.importorskip("chess", reason="python-chess is not installed")
from tests.envs.chess import played
from tests.envs.chess.test_language import FEW, FIVE, NAMES, after_moves

KEPT = Path(__file__).parents[3] / "docs" / "data" / "champions"


def exported(options, program):
    """The module of a program."""
    module = {}
    individual = analysis.Written(MOVE.make(FIVE, options)[0], program, MOVE.features)
    exec(MOVE.exports["python"](FIVE, options, individual, "A player of chess endgames."), module)
    return module


@pytest.mark.thorough
@pytest.mark.parametrize("stage", ["final", "first", "later"])
@pytest.mark.parametrize("count", [FEW // 3, pytest.param(5000, marks=pytest.mark.slow)])
def test_an_exported_program_sees_what_the_player_sees(stage, count):
    options = language.Options(trees="one", stage=stage)
    program = parse_program(MOVE.make(FIVE, options)[0], "EvaluateMaterial", 4)
    module = exported(options, program)
    states, actions, seen = after_moves(*((0, FEW) if count < FEW else (1, count)))
    wrong = {}
    for n in range(count):
        state = played.at(states, n)
        board, white = module["read"](fen_of(state))
        move = uci(state, int(actions[n]))
        after = {module["name"](a) + module["name"](b): after for a, b, after in module["moves"](board, white)}[move]
        mine = module["Seen"](after, white, len(after) < len(board))
        for number, name in enumerate(module["NAMES"]):
            if mine[number] != seen[NAMES.index(name), n]:
                wrong.setdefault(name, f"{fen_of(state)} {move}: {mine[number]}")
    assert wrong == {}


def of_kept(name):
    loaded = champions.load(str(KEPT / name), envs)
    return loaded.cast.options, loaded.genome


PROGRAMS = {
    "three trees, before": (language.Options(), "master"),
    "three trees, after": (language.Options(phase="after"), "gpec190"),
    "one tree, first of equal moves": (language.Options(trees="one", ties="first"), "IsMyFork"),
}


@pytest.mark.thorough
@pytest.mark.parametrize(
    "name", [next(iter(PROGRAMS)), *(pytest.param(name, marks=pytest.mark.slow) for name in list(PROGRAMS)[1:])]
)
def test_an_exported_program_plays_as_its_player(name):
    options, text = PROGRAMS[name]
    primitives, player = MOVE.make(FIVE, options)
    program = parse_program(primitives, strategies.text(text) if text in strategies.WRITTEN else text, 512)
    states = jax.tree.map(lambda x: jnp.asarray(x[:60]), after_moves(0, FEW)[0])

    @jax.jit
    def act(program, states):
        plans = player.prepare(jax.tree.map(lambda x: jnp.asarray(x)[None], program))
        bits = jnp.arange(60, dtype=jnp.uint32)[None]
        return player.act(plans, jax.tree.map(lambda x: x[None], states), bits)[0][0, :, 0]

    actions, module = np.asarray(act(program, states)), exported(options, program)
    for n, action in enumerate(actions):
        state = played.at(states, n)
        best, move = module["best"](fen_of(state)), uci(state, int(action))
        kinds = np.asarray(state.kinds)[0]
        if options.ties == "first" and len(set(kinds)) == len(kinds):
            assert move == best[0] == module["choose"](fen_of(state))
        else:
            assert move in best
            assert module["choose"](fen_of(state)) in best


def test_the_exported_program_of_a_kept_champion_chooses_a_move_unless_the_game_is_over():
    options, program = of_kept("chess_truth_kqkq.jsonl#0")
    module = exported(options, program)
    assert module["choose"]("7k/5K2/8/8/8/8/6Q1/q7 w - - 0 1") in module["best"]("7k/5K2/8/8/8/8/6Q1/q7 w - - 0 1")
    assert module["choose"]("q6k/5KQ1/8/8/8/8/8/8 b - - 0 1") is None


@pytest.mark.thorough
@pytest.mark.parametrize(("kind", "endgame"), [("sum", "KRK"), ("sum", "KQKR"), ("further", "KQKR")])
def test_an_exported_sum_plays_as_its_player(kind, endgame):
    loaded = champions.load(str(KEPT / f"chess_{kind}_{endgame.lower()}.jsonl#0"), envs)
    player, game, module = loaded.cast.actor, envs.make("chess", endgame=endgame), {}
    individual = analysis.Written(loaded.cast.language, loaded.genome)
    exec(SUM.exports["python"](game, loaded.cast.options, individual, "A player of chess endgames."), module)

    @jax.jit
    def act(key):
        states = jax.vmap(game.init)(jax.random.split(key, 40))
        plans = player.prepare(jax.tree.map(lambda x: jnp.asarray(x)[None], loaded.genome))
        bits = jnp.arange(40, dtype=jnp.uint32)[None]
        return states, player.act(plans, jax.tree.map(lambda x: x[None], states), bits)[0][0, :, 0]

    states, actions = act(jax.random.key(0))
    for n, action in enumerate(np.asarray(actions)):
        state = played.at(states, n)
        best = module["best"](fen_of(state))
        assert uci(state, int(action)) in best
        assert module["choose"](fen_of(state)) in best


def searching(depth, program):
    """The role that values leaves with a program, and its module."""
    options, module = language.LeafOptions(depth=depth), {}
    primitives, player = LEAF.make(FIVE, options)
    parsed = parse_program(primitives, program, 64)
    individual = analysis.Written(primitives, parsed, LEAF.features)
    exec(LEAF.exports["python"](FIVE, options, individual, "A player of chess endgames."), module)
    return player, parsed, module


ADDED = "(If3 1000*IsMate 1000 (If3 MyPieceCannotBeCaptured NumNotMovesOppKing EvaluateMaterial))"


def test_an_exported_search_of_one_ply_plays_a_move_that_the_program_values_most():
    options = language.Options(trees="one")
    greedy = exported(options, parse_program(MOVE.make(FIVE, options)[0], ADDED, 64))
    module = searching(1, ADDED)[2]
    for fen in (
        "8/8/6K1/8/2r1k3/R7/7q/3Q4 w - - 0 1",
        "7k/5K2/8/8/8/8/6Q1/q7 w - - 0 1",
        "7k/8/5K2/8/8/8/8/R7 w - - 0 1",
    ):
        assert module["choose"](fen) == greedy["best"](fen)[0]
    assert module["choose"]("q6k/5KQ1/8/8/8/8/8/8 b - - 0 1") is None


@pytest.mark.slow
def test_an_exported_search_plays_as_its_player():
    player, program, module = searching(2, ADDED)
    states = jax.tree.map(lambda x: jnp.asarray(x[:40]), after_moves(0, FEW)[0])
    plans = player.prepare(jax.tree.map(lambda x: jnp.asarray(x)[None], program))
    wide = jax.tree.map(lambda x: x[None], states)
    actions = np.asarray(jax.jit(player.act)(plans, wide, jnp.zeros((1, 40), jnp.uint32))[0])[0, :, 0]
    for n, action in enumerate(actions):
        state = played.at(states, n)
        fen, wide = fen_of(state), (float("-inf"), float("inf"))
        steps = module["following"](*module["begin"](fen))[1]
        values = {move: module["worth"](after, again, 2, *wide) for move, after, again in steps}
        assert values[uci(state, int(action))] == values[module["choose"](fen)] == max(values.values())
