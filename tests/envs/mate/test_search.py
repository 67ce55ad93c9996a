"""Programs that search for mates against recursive Python on python-chess, and the two algorithms of the source."""

from functools import lru_cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest

chess = pytest.importorskip("chess")

from envs.chess.board.position import MOVE  # noqa: E402
from envs.mate import language, roles, suites  # noqa: E402
from envs.mate.rules import Mate  # noqa: E402
from jaxgp.genotypes.text import parse_program, print_program  # noqa: E402
from jaxgp.operators.creation import create  # noqa: E402
from jaxgp.operators.options import CreationOptions  # noqa: E402
from tests.envs.mate.twin import NEW, Rules  # noqa: E402
from tests.reference.moves import Run, read  # noqa: E402

GAME = Mate()
CAPACITY = 63
TRACED = 512
PROBLEMS = [
    ("5K2/8/2qk4/2nPp3/3r4/6B1/B7/3R4 w - e6 0 1", 1),
    ("6k1/5ppp/8/8/8/8/8/K3R3 w - - 0 1", 1),
    ("8/1p6/p1b2rpN/6Bk/1P6/4P2K/6P1/8 w - - 0 1", 2),
    ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", 2),
    ("r1bqr3/ppp1B1kp/1b4p1/n2B4/3PQ1P1/2P5/P4P2/RN4K1 w - - 1 0", 3),
    ("k7/8/8/8/8/8/1Q6/K7 b - - 0 1", 2),
    ("r3k2r/8/8/8/8/8/8/4K3 b kq - 0 1", 3),
    ("8/P7/8/8/8/5k2/7p/7K w - - 0 1", 2),
]
"""Positions and n; not all of them are mates in n."""
BUDGETS = np.unique(np.geomspace(10, 5000, 40).astype(int))
"""The least are below the number of first moves, all of which are made whatever the budget is."""
SIX_TWO = "(IfForAllOpponentMoves IsMateInOneOrLess 1000 -1000)"
SIX_THREE = "(IfForAllOpponentMoves (Equal (IfMyMoveExistsSuchThat (Equal Again 1000) 1000 -1000) 1000) 1000 -1000)"


def code(turn, move):
    """Return a move of python-chess as 12 bits, as the side to move sees it."""
    start, end = (square if turn else square ^ 56 for square in (move.from_square, move.to_square))
    return 64 * start + (4 * (end - start - 7) + NEW.index(move.promotion) if move.promotion else end)


class Traced(Rules):
    """Moves as numbers, so that lines can be compared; a board is one of python-chess."""

    def named(self, board, names):
        made = []
        for move in names:
            made.append(code(board.turn, move))
            board = self.make(board, move)
        return tuple(made)


@lru_cache(maxsize=2)
def compiled(options):
    primitives, prover = roles.search(GAME, options)

    @jax.jit
    def run(programs, whose, states, budgets):
        plans = prover.prepare(programs)
        count = jnp.int32(len(budgets))
        return prover.searching(plans, TRACED).search(states, budgets, count, plans, whose)

    return primitives, run


@lru_cache(maxsize=1)
def posed():
    """Return 20 problems: those by hand, and own ones of n = 2 to 4."""
    own = [[row[:2] for row in suites.shipped() if row[1] == n] for n in (2, 3, 4)]
    return PROBLEMS + [row for rows in own for row in rows[:: len(rows) // 4][:4]]


def by_machine(found, n, firsts):
    """Return what the machine says of a pair: scores of first moves, choice, nodes, whether it was cut, lines."""
    made, names = [], [()]
    for parent, action in zip(found.parents[n], found.actions[n], strict=True):
        if len(made) < min(found.nodes[n], TRACED):
            names.append((*names[parent], int(action) & MOVE))
            made.append(names[-1])
    scores = np.asarray(found.scores[n][:firsts], np.float32).tolist()
    return [scores, int(found.chosen[n]) & MOVE, int(found.nodes[n]), bool(found.truncated[n]), made]


def by_oracle(options, tree, problem, limit):
    """Return the same as recursive Python has it."""
    board = chess.Board(problem[0])
    rules = Traced(board.turn, options.near)
    words = {"reply": options.reply, "iter": options.iter, "made": options.made, "stop": options.stop}
    plain = Run(rules, tree, int(limit), cutoff=options.cutoff, remember=options.remember, **words)
    scores, best = plain.solve(board, problem[1] if options.told else options.deepest)
    lines = [rules.named(board, names) for names in plain.made_moves[:TRACED]]
    chosen = code(board.turn, rules.moves(board)[best])
    return [np.asarray(scores, np.float32).tolist(), chosen, plain.nodes, plain.truncated, lines]


def differences(options, count, seed):
    """Return where machine and oracle differ, of random programs and those of the source on all problems."""
    primitives, run = compiled(options)
    programs = create(jax.random.key(seed), primitives, CreationOptions(max_depth=5), count, CAPACITY)
    for n, text in enumerate([SIX_TWO, SIX_THREE] if options.language == "again" else [SIX_TWO]):
        hand = parse_program(primitives, text, CAPACITY)
        programs = jax.tree.map(lambda all_, one, n=n: all_.at[n].set(one), programs, hand)
    whose, which = np.divmod(np.arange(count * len(posed())), len(posed()))
    limits = np.random.default_rng(seed).choice(BUDGETS, len(whose))
    states = jax.tree.map(lambda x: jnp.asarray(x)[which], GAME.positions(posed()))
    found = jax.device_get(run(programs, jnp.asarray(whose), states, jnp.asarray(limits)))
    texts = [print_program(primitives, jax.tree.map(lambda x, n=n: np.asarray(x[n]), programs)) for n in range(count)]
    wrong = []
    for n, (program, at, limit) in enumerate(zip(whose, which, limits, strict=True)):
        theirs = by_oracle(options, read(texts[program]), posed()[at], limit)
        mine = by_machine(found, n, len(theirs[0]))
        if mine != theirs:
            wrong.append((texts[program], posed()[at], int(limit), mine[:4], theirs[:4]))
    return wrong


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 6))
@pytest.mark.parametrize(
    "options",
    [
        language.Options(language="again"),
        language.Options(language="book", told=False, reply="worst", iter="first", made=True),
        language.Options(language="again", reply="worst", stop=True, cutoff=True),
        language.Options(language="again", cutoff=True, counts=True, remember=True),
    ],
    ids=["again", "book", "cutoff", "remember"],
)
def test_programs_search_as_recursive_python_does(options, seed):
    wrong = differences(options, 300, seed)
    assert not wrong, wrong[0]
