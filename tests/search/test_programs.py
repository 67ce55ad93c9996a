"""The frame machine against recursive Python, on take the last stone in n: values, moves, nodes, order, truncation."""

import itertools
from types import SimpleNamespace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from envs.chess.language import functions as generic
from envs.mate import functions as mate
from jaxgp.genotypes.primitives import Levels, Primitive, PrimitiveSet
from jaxgp.genotypes.text import print_program
from jaxgp.operators.creation import create
from jaxgp.operators.options import CreationOptions
from jaxgp.players.prover import ProgramProver
from tests.fixtures.last_stone import HEAPS, LastStone
from tests.reference.moves import Run, read

GAME = LastStone()
NAMES = ("Total", "IsEven", "Largest", *mate.TRAITS, *mate.GATES)
CAPACITY = 63


def view(before, action, after, look, wanted):
    total, most = after.heaps.sum(), after.heaps.max()
    return jnp.stack(
        [
            total,
            total % 2 == 0,
            most,
            action % HEAPS == 0,
            (after.heaps == 0).sum() > (before.heaps == 0).sum(),
            total < 4,
            most < before.heaps.max(),
            total % 2 == 1,
            look.forcing > 0,
            look.count == 2,
        ]
    ).astype(jnp.float32)


class Rules:
    """The same game in plain Python; a board is (heaps, whether it is the solver's turn)."""

    def moves(self, board):
        heaps, _ = board
        if heaps == (1,) * HEAPS:
            return []
        return [n for n in range(2 * HEAPS) if heaps[n % HEAPS] >= 2 - n // HEAPS]

    def make(self, board, move):
        heaps, mine = board
        return tuple(h - (2 - move // HEAPS) * (n == move % HEAPS) for n, h in enumerate(heaps)), not mine

    def mine(self, board):
        return board[1]

    def won(self, board):
        return not any(board[0])

    def forcing(self, board, move):
        return move < HEAPS

    def see(self, name, before, move, board):
        total, most = sum(board[0]), max(board[0])
        return {
            "Total": total,
            "IsEven": total % 2 == 0,
            "Largest": most,
            "CapturesClose": move % HEAPS == 0,
            "PinsClose": board[0].count(0) > before[0].count(0),
            "AttacksKing": total < 4,
            "ClearsWay": most < max(before[0]),
            "SuicideCheck": total % 2 == 1,
            "KingMustMove": len(self.moves(board)) == 2,
        }[name]


def language(again=True, **readings):
    at = {name: n for n, name in enumerate(NAMES)}
    own = (
        Primitive("Total", feature=0),
        Primitive("IsEven", "query", feature=1),
        Primitive("Largest", feature=2),
        mate.MATE_IN_ONE,
        Primitive("ERC", domain=Levels((-1000.0, -2.0, 2.0, 1000.0))),
        *((Primitive("Depth", feature=len(NAMES)), mate.AGAIN) if again else ()),
    )
    makers = mate.functions(at, mate.Readings(**readings))
    return PrimitiveSet(
        "stones",
        own,
        (*makers, *generic()),
        type_sets=tuple((kind, ("query",)) for kind in ("float", "bool")),
    )


def problems():
    heaps = [h for h in itertools.product(range(5), repeat=HEAPS) if sum(h) > 1]
    return [(heap, n) for heap, n in zip(heaps, itertools.cycle((3, 2, 4, 1, 5)), strict=False)]


def compared(programs, which, budgets, told=True, prover=None, traced=400, **readings):
    """Return differences between the machine and plain Python, for triples of a program, a problem and a budget."""
    primitives = language(**{k: v for k, v in readings.items() if k in ("again", "reply", "iter", "made")})
    prover = prover or ProgramProver(primitives, GAME, view, GAME.deepest, told, readings.get("stops", False), 64, lanes=64, narrow=64)
    posed = problems()
    states = jax.vmap(GAME.position)(
        jnp.asarray([posed[n][0] for n in which]), jnp.asarray([posed[n][1] for n in which])
    )
    plans = prover.prepare(programs)
    whose = jnp.arange(len(which)) % len(programs.length)

    @jax.jit
    def run(plans, whose, states, budgets):
        return prover.searching(plans, traced).search(states, budgets, jnp.int32(len(which)), plans, whose)

    found = jax.device_get(run(plans, whose, states, jnp.asarray(budgets)))
    wrong = []
    for n, (at, budget) in enumerate(zip(which, budgets, strict=True)):
        one = jax.tree.map(lambda x, p=int(whose[n]): np.asarray(x[p]), programs)
        text = print_program(primitives, one)
        heaps, moves = posed[at]
        words = {k: v for k, v in readings.items() if k in ("reply", "iter", "made")}
        plain = Run(Rules(), read(text), budget, stop=readings.get("stops", False), **words)
        scores, best = plain.solve((heaps, True), moves if told else GAME.deepest)
        made, names = [], [()]
        for parent, action in zip(found.parents[n], found.actions[n], strict=True):
            if len(made) == min(found.nodes[n], traced):
                break
            names.append((*names[parent], int(action)))
            made.append(names[-1])
        mine = SimpleNamespace(
            scores=found.scores[n][: len(scores)].tolist(),
            chosen=int(found.chosen[n]),
            nodes=int(found.nodes[n]),
            truncated=bool(found.truncated[n]),
            refused=int(found.refused[n]),
            deepest=int(found.deepest[n]),
            made=made,
        )
        theirs = SimpleNamespace(
            scores=scores,
            chosen=Rules().moves((heaps, True))[best] if scores else -1,
            nodes=plain.nodes,
            truncated=plain.truncated,
            refused=plain.refused,
            deepest=plain.deepest,
            made=plain.made_moves[:traced],
        )
        if mine != theirs:
            wrong.append((text, posed[at], budget, mine, theirs))
    return wrong


def random_programs(count, seed=0, **readings):
    primitives = language(**readings)
    options = CreationOptions(max_depth=5)
    return create(jax.random.key(seed), primitives, options, count, CAPACITY)


@pytest.mark.parametrize("readings", [{}, {"reply": "worst", "iter": "first", "made": True, "told": False}])
def test_the_machine_computes_what_recursive_python_does(readings):
    told = readings.pop("told", True)
    generator = np.random.default_rng(1)
    programs = random_programs(256)
    which = generator.integers(0, len(problems()), 1024)
    budgets = generator.choice([10, 20, 50, 200, 1000, 5000], 1024)
    wrong = compared(programs, which, budgets, told, **readings)
    assert not wrong, wrong[:2]
