"""What programs see of chess, against plain Python on boards of python-chess; and what the source prints."""

import csv
import re
from functools import cache, partial
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from envs.chess import language, many
from envs.chess.notation.moves import legal, read_turn, san
from envs.chess.rules import Chess
from envs.chess.sums import further
from jaxgp.errors import UsageError
from jaxgp.interpreter.evaluate import evaluate_programs
from jaxgp.options import check
from jaxgp.search.chance import stepping, unused_key
from tests.genotypes.program_cases import parse_tree

chess = pytest.importorskip("chess", reason="python-chess is not installed")
from tests.envs.chess import played, twin  # noqa: E402

FIVE = Chess(endgame="KRKR,KQKQ,KQKR,KRRKRR,KQRKQR", start="legal")
FINAL = (*language.SIMPLE, *language.COMPLEX, *language.EXTRA)
EARLY = (name for names in language.STAGES.values() for name in names)
NAMES = tuple(dict.fromkeys([*FINAL, *EARLY, *further.FURTHER]))
SEEN = jax.jit(partial(language.view, names=NAMES))
FEW = 300
"""Positions that are looked at together: what programs see is compiled for each number of them."""


@cache
def after_moves(seed, count):
    """Positions of random games, a random move in each, and what programs see after it."""
    states, actions = random_positions(seed, count)
    return states, actions, np.asarray(SEEN(jax.jit(jax.vmap(many.outcome))(states, actions)))


def random_positions(seed, count):
    games = -(-count // 20)
    states, actions = jax.device_get(played.random_games(FIVE, jax.random.split(jax.random.key(seed), games), 40))
    live = ~states.terminated[:, :-1]
    flat = jax.tree.map(lambda x: x[:, :-1][live][:count], states)
    return flat, actions[live][:count]


@pytest.mark.parametrize(("seed", "count"), [(0, FEW), pytest.param(1, 20_000, marks=pytest.mark.slow)])
def test_each_terminal_is_that_of_its_twin(seed, count):
    states, actions, seen = after_moves(seed, count)
    wrong = {}
    for n in range(len(actions)):
        state = played.at(states, n)
        board = played.board_of(state)
        move = played.move_of(state, int(actions[n]))
        captured = board.is_capture(move)
        board.push(move)
        for name, value in twin.terminals(board, captured).items():
            if value != seen[NAMES.index(name), n]:
                wrong.setdefault(name, f"{board.fen()}: {value} by the twin")
    assert wrong == {}


ROOT = Path(__file__).parents[3]
EXAMPLES = list(csv.DictReader((ROOT / "docs" / "data" / "chess_examples.csv").open(encoding="utf-8")))


@pytest.mark.parametrize("row", EXAMPLES, ids=[row["terminal"] for row in EXAMPLES])
def test_the_positions_of_the_page_are_what_the_twin_says(row):
    told = [(row[move], row[value]) for move, value in (("move", "value"), ("other", "value_of_other")) if row[move]]
    assert told
    for move, value in told:
        board = chess.Board(row["position"])
        played = board.parse_san(move)
        captured = board.is_capture(played)
        board.push(played)
        assert twin.terminals(board, captured)[row["terminal"]] == float(value)


def test_the_page_tells_what_terminals_that_are_not_of_the_source_are_in_one_position():
    page = (ROOT / "docs" / "chess_programs.md").read_text("utf-8").partition("Six are ours.")[2]
    values = twin.terminals(chess.Board(re.search(r"`([^`]* b - - 0 1)`", page)[1]), captured=False)
    told = dict(re.findall(r"\| (\w+) \| [^|]+ \| (\d+) \|", page.partition("\n## ")[0]))
    assert told == {name: str(values[name]) for name in further.FURTHER}


def test_each_terminal_of_the_tables_has_a_position_in_which_it_is_more_and_one_in_which_it_is_less():
    values = {name: set() for name in (*language.SIMPLE, *language.COMPLEX)}
    for row in EXAMPLES:
        values[row["terminal"]] |= {row["value"], row["value_of_other"]} - {""}
    assert {name for name, seen in values.items() if len(seen) < 2} == {"NotMyKingInCheck"}


RARE = ["1000*IsMate", "IsMateInOne", "IsOppKingStuck", "IsStalemate"]
"""What some hundreds of random positions need not have."""


@pytest.mark.parametrize(("seed", "count", "rare"), [(0, FEW, RARE), pytest.param(2, 2000, [], marks=pytest.mark.slow)])
def test_one_terminal_alone_is_constant(seed, count, rare):
    seen = after_moves(seed, count)[2]
    constant = [name for name, row in zip(NAMES, seen, strict=True) if (row == row[0]).all()]
    assert {"NotMyKingInCheck", "IsMyKingInCheck"} <= set(constant) <= {"NotMyKingInCheck", "IsMyKingInCheck", *rare}


def test_early_languages_have_one_tree_and_functions_of_their_own():
    first, later = (language.primitive_set(language.Options(trees="one", stage=stage)) for stage in language.STAGES)
    assert {"Add", "Sub", "Mul", "Larger", "And4"} < {p.name for p in first.functions}
    assert {"Negate", "IfAdvantage"} < {p.name for p in later.functions}
    assert not {"Add", "Larger"} & {p.name for p in later.functions}
    with pytest.raises(UsageError, match=r"program\.trees=three: accepted: one, with program\.stage=first"):
        check(language.Options(stage="first"), "program.")


@pytest.mark.thorough
def test_the_functions_of_a_later_language_compute_what_they_say():
    later = language.primitive_set(language.Options(trees="one", stage="later"))
    tree = jax.tree.map(lambda x: x[None], parse_tree(later, "(IfAdvantage (Negate IsStalemate) 0.5)", 8))
    seen = jnp.zeros((len(language.STAGES["later"]), 3)).at[-1].set(1.0)
    seen = seen.at[language.STAGES["later"].index("EvaluateMaterial")].set(jnp.array([-9.0, 0.0, 4.0]))
    values = jax.jit(evaluate_programs, static_argnums=0)(later, tree, seen)
    assert values.ravel().tolist() == [0.5, 0.5, -1.0]


GPEC = (Path(language.__file__).parent / "gpec190.txt").read_text("utf-8")
POSITION = "8/8/6K1/8/2r1k3/R7/7q/3Q4 w - - 0 1"
LINE = ("Qd3+", "Ke5", "Qe3+", "Kd6", "Rd3+", "Kc6", "Qe6+", "Kc5", "Qd5+", "Kb6", "Rb3+", "Ka6")
PRINTED = (
    {"Qd3+": 6, "Qf3+": 6, "Qg4+": 6, "Qe1+": 5, "Qb1+": 4},
    {"Ra5+": 6, "Qf5+": 6, "Qe3+": 6, "Qxc4": 4, "Qg3+": 3},
    {"Rd3+": 6, "Ra6+": 5, "Qb6+": 4, "Qd3+": 2, "Qg3+": 2},
    {"Qe6+": 4, "Qe8+": 4, "Qf3+": 0},
    {"Qd5+": 5, "Qf5+": 5, "Qe3+": 5, "Qc8+": 4},
    {"Rb3+": 6, "Qxc4": 5, "Qd6+": 4, "Qe6+": 2, "Qd8+": 2},
)
"""Table 5.1: the values of the moves of white; 0 where none is printed."""


@pytest.mark.thorough
def test_the_printed_tree_gives_20_of_the_27_printed_values_in_the_position_that_was_found_for_them():
    primitives = language.primitive_set(language.Options(trees="one"))
    tree = re.search(r"\(If3.*", GPEC, re.DOTALL)[0]
    program = jax.tree.map(lambda x: x[None], parse_tree(primitives, tree, 256))
    game = Chess(start="fen", fen=POSITION, endgame="KQRKQR")
    state, step = jax.jit(game.init)(unused_key()), stepping(game).step
    look = jax.jit(lambda state, actions: jax.vmap(many.outcome, (None, 0))(state, actions))
    worth = jax.jit(lambda seen: evaluate_programs(primitives, program, seen).reshape(-1))
    right, others = 0, 0
    for ply, word in enumerate(LINE):
        if ply % 2 == 0:
            actions = [action for action, *_ in legal(state)]
            padded = np.array([*actions, *actions[:1] * (FEW - len(actions))], np.int32)
            values = np.asarray(worth(SEEN(look(state, padded))))
            named = {san(game, state, action): value for action, value in zip(actions, values, strict=False)}
            printed = PRINTED[ply // 2]
            assert printed.keys() <= named.keys()
            right += sum(named[move] == value for move, value in printed.items())
            others += sum(value != 0 for move, value in named.items() if move not in printed)
        state = step(state, jnp.int32(read_turn(game, state, word)[0]))
    assert (right, others) == (20, 7)
