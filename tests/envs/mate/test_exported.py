"""Guides as Python modules: they see what programs see, and make the moves that the search in lanes makes."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from envs.mate import export, language, plain, roles, suites
from envs.mate.export.searcher import Seen
from envs.mate.rules import Mate
from envs.mate.terminals import CHESS, MATE
from jaxgp.errors import UsageError
from jaxgp.export.export import Written
from jaxgp.genotypes.text import parse_program

GAME, OPTIONS = Mate(), language.GuideOptions(entries=2**14)
LANGUAGE = language.guide_set(OPTIONS)
TREES = (
    "(PROGRAM -1000 1000)",
    "(PROGRAM IsNextMoveForced -1000)",
    "(PROGRAM (If3 IsCheck NumNotMovesOppKing NumMyPiecesCanCheck) NumOppPiecesAttacked)",
    "(PROGRAM (If3 IsCheckFork Depth IsPinCloseToKing) EvaluateMaterial)",
)


def module(text, options=OPTIONS):
    """Return what a guide's module defines."""
    program = parse_program(LANGUAGE, text, 31)
    names = {}
    exec(export.python(GAME, options, Written(LANGUAGE, program, "seen")), names)
    return names


def test_what_trees_see_in_plain_python_is_what_terminals_show():
    chess = pytest.importorskip("chess")
    from tests.envs.mate import test_terminals
    from tests.envs.mate.twin import Rules

    hand = [
        (chess.Board(f"{text} w - - 0 1"), chess.Move.from_uci(move), True) for _, text, move, _ in test_terminals.HAND
    ]
    for board, move, solver in [*hand, *test_terminals.played(60, 3)]:
        before = plain.start(board.fen())
        after = board.copy(stack=False)
        after.push(move)
        seen, rules = Seen(before, plain.moves(before)[move.uci()], solver, 2, 3), Rules(solver)
        for name in (*CHESS, *MATE):
            forced = name == "IsNextMoveForced" and rules.mine(after)
            wanted = 0.0 if forced else float(rules.see(name, board, move, after))
            assert seen[name] == wanted, (name, board.fen(), move, solver)


def test_an_exported_module_mates_by_itself():
    for text in TREES:
        names = module(text)
        assert {"jaxgp", "envs", "fen"}.isdisjoint(names)
        found, nodes = names["search"]("7k/8/5K2/8/8/8/8/6R1 w - - 0 1", 2)
        assert (found, nodes > 1) == ("f6f7", True)
        assert names["search"]("7k/8/8/8/8/8/8/K5R1 w - - 0 1", 2)[0] is None
        assert names["search"]("7k/8/5K2/8/8/8/8/6R1 w - - 0 1", 2, 1) == (None, 1)


def test_a_tree_that_reads_no_board_makes_no_move_to_sort():
    assert "order_moves" not in str(module(TREES[0])["search"].__code__.co_names)
    assert "order_replies" in str(module(TREES[2])["search"].__code__.co_names)


def test_a_search_by_proof_numbers_is_not_written():
    options = language.GuideOptions(within="proof")
    program = parse_program(language.guide_set(options), "(PROGRAM 250 250 250)", 31)
    with pytest.raises(UsageError, match=r"program\.within=proof: accepted: deepening"):
        export.python(GAME, options, Written(language.guide_set(options), program, "seen"))


@pytest.mark.slow
@pytest.mark.parametrize(("told", "equal"), [(True, "list"), (False, "list"), (True, "replies"), (True, "less")])
def test_an_exported_module_makes_as_many_moves_as_the_search_in_lanes(told, equal):
    options = language.GuideOptions(told=told, entries=2**17, equal=equal)
    _, prover = roles.guide(GAME, options)
    some = [one[:2] for n in (1, 2, 3) for one in [row for row in suites.shipped() if row[1] == n][:5]]
    programs = jax.tree.map(lambda *x: jnp.stack(x), *(parse_program(LANGUAGE, text, 31) for text in TREES))
    whose = np.repeat(np.arange(len(TREES)), len(some))
    states = GAME.positions(some * len(TREES))
    run = jax.jit(lambda programs, *given: prover.prove(prover.prepare(programs), *given))
    found = jax.device_get(run(programs, whose, states, jnp.full(len(whose), 3000)))
    alike = []
    for n, (tree, (text, own)) in enumerate(zip(whose, some * len(TREES), strict=True)):
        names = module(TREES[tree], options)
        chosen, nodes = names["search"](text, own, 3000)
        assert (chosen is not None) == found.solved[n], (TREES[tree], text, own)
        # Lanes replace entries of their tables, and make more moves for what they have forgotten.
        assert nodes <= found.nodes[n] <= 1.02 * nodes + 1, (TREES[tree], text, own)
        alike.append(nodes == found.nodes[n])
    assert np.mean(alike) > 0.9
