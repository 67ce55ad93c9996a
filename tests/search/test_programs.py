"""The frame machine against recursive Python, on take the last stone in n: values, moves, nodes, order, truncation."""

import itertools
from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from envs.chess.language import functions as generic
from envs.mate import functions as mate
from jaxgp.genotypes.primitives import Levels, Primitive, PrimitiveSet
from jaxgp.genotypes.text import parse_program, print_program
from jaxgp.operators.creation import create
from jaxgp.operators.options import CreationOptions
from jaxgp.players.problems.prover import ProgramProver
from tests.fixtures.last_stone import HEAPS, LastStone
from tests.reference.moves import Run, read, reads

GAME = LastStone()
NAMES = ("Total", "IsEven", "Largest", *mate.TRAITS, *mate.GATES)
CAPACITY = 63
TRACED = 400
BY_HAND = (
    "(IfForAllOpponentMoves IsMateInOneOrLess 1000 -1000)",
    "(IfForAllOpponentMoves (Equal (IfMyMoveExistsSuchThat (Equal Again 1000) 1000 -1000) 1000) 1000 -1000)",
)
"""Algorithms 6.2 and 6.3 of the source."""


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

    def key(self, board):
        return board

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
    makers = mate.functions(at, mate.ReadingOptions(**readings))
    return PrimitiveSet(
        "stones",
        own,
        (*makers, *generic()),
        type_sets=tuple((kind, ("query",)) for kind in ("float", "bool")),
    )


def problems():
    heaps = [h for h in itertools.product(range(5), repeat=HEAPS) if sum(h) > 1]
    return [(heap, n) for heap, n in zip(heaps, itertools.cycle((3, 2, 4, 1, 5)), strict=False)]


def drawn(primitives):
    return create(jax.random.key(0), primitives, CreationOptions(max_depth=5), 256, CAPACITY)


class Compared:
    """What the machine makes of triples of a program, a problem and a budget, to be compared with plain Python."""

    def __init__(self, count=300, told=True, stops=False, entries=0, **readings):
        self.told, self.words = told, dict(stop=stops, remember=entries > 0, **readings)
        self.primitives = language(**readings)
        generator = np.random.default_rng(3)
        hand = [parse_program(self.primitives, text, CAPACITY) for text in BY_HAND * 8]
        self.programs = jax.jit(drawn, static_argnums=0)(self.primitives)
        self.programs = jax.tree.map(
            lambda all_, *some: np.concatenate([some, all_[len(some) :]]), self.programs, *hand
        )
        self.which = generator.integers(0, len(problems()), count)
        self.budgets = generator.choice([10, 20, 50, 200, 1000, 5000], count)
        self.whose = np.arange(count) % 256
        prover = ProgramProver(self.primitives, GAME, view, GAME.deepest, told, stops, 64, entries, lanes=64, narrow=64)
        posed = [problems()[n] for n in self.which]

        @jax.jit
        def run(programs, whose, heaps, numbers, budgets):
            plans, states = prover.prepare(programs), jax.vmap(GAME.position)(heaps, numbers)
            return prover.searching(plans, TRACED).search(states, budgets, jnp.int32(count), plans, whose)

        heaps, numbers = (np.array(column) for column in zip(*posed, strict=True))
        self.found = jax.device_get(run(self.programs, self.whose, heaps, numbers, self.budgets))

    def differences(self, kind=Run, most=1):
        """Return up to so many differences from a kind of run in plain Python."""
        found, wrong = self.found, []
        for n, (at, budget) in enumerate(zip(self.which, self.budgets, strict=True)):
            one = jax.tree.map(lambda x, p=self.whose[n]: np.asarray(x[p]), self.programs)
            text = print_program(self.primitives, one)
            heaps, own = problems()[at]
            plain = kind(Rules(), read(text), int(budget), **self.words)
            scores, best = plain.solve((heaps, True), own if self.told else GAME.deepest)
            made, names = [], [()]
            for parent, action in zip(found.parents[n], found.actions[n], strict=True):
                if len(made) < min(found.nodes[n], TRACED):
                    names.append((*names[parent], int(action)))
                    made.append(names[-1])
            mine = (
                found.scores[n][: len(scores)].tolist(),
                int(found.chosen[n]),
                *(int(x[n]) for x in (found.nodes, found.refused, found.deepest)),
                bool(found.truncated[n]),
                made,
            )
            chosen = Rules().moves((heaps, True))[best] if scores else -1
            counts = plain.nodes, plain.refused, plain.deepest, plain.truncated
            theirs = (scores, chosen, *counts, plain.made_moves[:TRACED])
            if mine != theirs:
                wrong.append((text, (heaps, own), budget, mine, theirs))
            if len(wrong) == most:
                break
        return wrong


@pytest.fixture(scope="module")
def usual():
    return Compared(cutoff=True, entries=1 << 11)


def test_the_machine_computes_what_recursive_python_does(usual):
    assert not usual.differences()
    assert usual.found.truncated.mean() > 0.05
    assert usual.found.deepest.max() > 5
    assert (usual.found.refused > 0).any()


@pytest.mark.slow
@pytest.mark.parametrize(
    "readings",
    [
        {"reply": "worst", "iter": "first", "made": True, "told": False},
        {"told": True, "stops": True, "made": True},
        {"reply": "worst"},
        {"reply": "worst", "cutoff": True, "told": False},
        {"entries": 1 << 14, "told": False},  # so many that hardly any is replaced: recursive Python replaces none
    ],
)
def test_the_machine_computes_other_readings_as_recursive_python_does(readings):
    assert not Compared(1024, **readings).differences()


class StalemateIsMate(Run):
    def mated(self, at):
        return not self.rules.mine(at.board) and not self.rules.moves(at.board)


class EveryHoldsWhereItIsCut(Run):
    def all_hold(self, condition, moves, at, entry):
        return super().all_hold(condition, moves, at, entry) or self.spent()


class RepliesCostNothing(Run):
    def pay(self, place):
        if len(place.name) % 2:
            super().pay(place)


class TheOtherSideWantsTheBest(Run):
    def best(self, name, args, moves, at, entry, choose):
        return super().best(name, args, moves, at, entry, max)


class NothingIsCutOff(Run):
    def best(self, *given):
        self.cutoff = False
        return super().best(*given)


class NothingIsRemembered(Run):
    def again(self, at):
        self.known.clear()
        return super().again(at)


class MovesLeftAreNotAsked(Run):
    def again(self, at):
        key = self.rules.key(at.board), self.rules.mine(at.board)
        if key not in self.known:
            self.known[key] = super().again(at)
        return self.known[key]


class MovesLeftStay(Run):
    def after(self, place, move):
        return replace(super().after(place, move), left=place.left)


class TheTreeInItselfIsLost(Run):
    def value(self, node, at, entry):
        return -1000.0 if node == "Again" else super().value(node, at, entry)


class FirstMovesAreNotReserved(Run):
    def spent(self):
        return self.nodes >= self.budget


class TheLastOfEqualsIsBest(Run):
    def solve(self, root, left):
        scores, best = super().solve(root, left)
        return scores, max(range(len(scores)), key=lambda n: (scores[n], n), default=best)


class AllMovesAreTriedForAMate(Run):
    def mate_in_one(self, at):
        rules, self.rules = self.rules, AllForcing()
        value = super().mate_in_one(at)
        self.rules = rules
        return value


class AllForcing(Rules):
    def forcing(self, board, move):
        return True


class AllArgumentsAreLookedAt(Run):
    def plain(self, name, args, at, entry):
        if name.startswith(("And", "Or")):
            held = [self.value(one, at, entry) != 0 for one in args]
            return all(held) if name.startswith("And") else any(held)
        return super().plain(name, args, at, entry)


class TheLastReplyStandsForAll(Run):
    def every(self, args, moves, at, entry):
        return super().every(args, moves[::-1], at, entry)


class PassingOverCosts(Run):
    def after(self, place, move):
        return replace(super().after(place, move), paid=self.nodes % 2 == 1)


class AMoveIsMadeAgainForItsValue(Run):
    def on(self, node, place, entry):
        if reads(node):
            place.paid = False
        return super().on(node, place, entry)


@pytest.mark.parametrize("error", Run.__subclasses__(), ids=lambda error: error.__name__)
def test_a_deliberate_error_is_found(usual, error):
    assert usual.differences(error)
