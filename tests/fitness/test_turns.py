"""Whole turns in the games of populations: they are the games that are played move by move, to the bit."""

from dataclasses import dataclass
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envs
from jaxgp.fitness import matches
from jaxgp.fitness.among import coplay
from jaxgp.fitness.among.elimination import EliminationFitness
from jaxgp.fitness.panel import PanelFitness
from jaxgp.games.casting import cast
from jaxgp.genotypes.text import parse_program
from jaxgp.players import ply
from jaxgp.players.panel import FixedPlayer, RandomOpponent, strategy
from jaxgp.players.program import ProgramOpponent
from jaxgp.spec import ChoosesTurns
from tests.envs.replays import FAST

MANCALA = envs.make("mancala")
AT = cast(envs.spec("backgammon"))
BACKGAMMON = AT.game
PROGRAMS = (
    "(PROGRAM (Sub Enemy-Pip (Add Player-Pip Total-Hit-Prob)) (Player-Position 25))",
    "(PROGRAM (Sub Enemy-Escape (Player-Exposed 7)) 0)",
    "(PROGRAM 1 1)",  # all turns are equal
    "(PROGRAM (If (Greater Player-Pip Enemy-Pip) 1 0) (Race-Mul 2 (Player-Position 24)))",  # many turns are equal
)


@dataclass(frozen=True)
class OneByOne:
    """Hides that a player knows whole turns."""

    player: Any

    @property
    def random(self):
        return self.player.random

    def prepare(self, genomes):
        return self.player.prepare(genomes)

    def count(self, plans):
        return self.player.count(plans)

    def act(self, plans, states, bits, active=None):
        moves, legal = self.player.act(plans, states, bits, active)
        return moves[..., :1], legal


@dataclass(frozen=True)
class Chooser:
    """Chooses in Mancala a legal pit by its place, of which some lead to a further move."""

    last: bool

    def __call__(self, state, bits):
        del bits
        legal = MANCALA.legal_actions(state)
        pits = len(legal)
        return jnp.where(self.last, pits - 1 - jnp.argmax(legal[::-1]), jnp.argmax(legal)).astype(jnp.int32)


class TurnChooser(Chooser, ChoosesTurns):
    """Also knows up to three moves at once."""

    def turns(self, states, bits, active):
        del active

        def turn(state, bits):
            moves, before, goes_on = [], state, jnp.bool_(True)
            for _ in range(3):
                moves.append(jnp.where(goes_on, self(state, bits), -1))
                state = MANCALA.step(state, moves[-1], jax.random.key(0))
                goes_on &= (state.to_move == before.to_move) & ~state.terminated
            return jnp.stack(moves)

        return jax.vmap(turn)(states, bits)


def seated(player, games=4):
    return ProgramOpponent(MANCALA, player, lambda key, count: jnp.zeros(count, int), 1, rounds=games)


@cache
def of_mancala(kind, max_plies):
    """Games of two players, who move one by one or play turns, against themselves and against random moves."""
    players = [FixedPlayer(kind(last)) for last in (True, False)]
    panel = (RandomOpponent(MANCALA, games=4), *map(seated, players))

    def run(key):
        both = jnp.zeros(3, int)
        played, _ = matches.play(
            key, MANCALA, players[0], both, panel, tuple(one.init(key) for one in panel), max_plies
        )
        pairs = coplay.draw(key, 3, 5)
        entered = jnp.array([True, True, False])
        return played, coplay.play(key, MANCALA, players[1], both, pairs, max_plies, 3, entered)

    return jax.device_get(jax.jit(run, compiler_options=FAST)(jax.random.key(1)))


def same(one, other):
    jax.tree.map(np.testing.assert_array_equal, one, other)


@pytest.mark.thorough
@pytest.mark.parametrize("max_plies", [6, pytest.param(400, marks=pytest.mark.slow)])
def test_games_by_turns_are_those_by_moves_also_where_the_last_ply_is_within_a_turn(max_plies):
    played, coplayed = of_mancala(TurnChooser, max_plies)
    same((played, coplayed), of_mancala(Chooser, max_plies))
    assert len(np.unique(played.plies)) > 1 or max_plies == 6
    if max_plies == 6:
        assert (played.plies == 6).all()
        assert len(np.unique(played.states.to_move)) == 2


@pytest.mark.thorough
def test_games_by_turns_are_the_same_a_few_at_a_time(monkeypatch):
    """As a CPU plays them, without those that have ended; the last ply is within a turn."""
    monkeypatch.setattr(ply, "TOGETHER", 4)
    same(of_mancala.__wrapped__(TurnChooser, 6), of_mancala(Chooser, 6))


def programs():
    found = [parse_program(AT.language, text, 32) for text in PROGRAMS]
    return jax.tree.map(lambda *x: np.stack(x), *found)


@cache
def of_backgammon(whole, paired):
    """Panel, coplay and elimination of programs of backgammon."""
    seat = (lambda player: player) if whole else OneByOne
    player = seat(AT.actor)

    def member(name):
        found = strategy(AT.spec, BACKGAMMON, name, 2)
        return ProgramOpponent(BACKGAMMON, seat(found.player), found.create, 1, rounds=2)

    panel = (RandomOpponent(BACKGAMMON, games=2), member("pubeval"), member("network"))
    measured = PanelFitness(BACKGAMMON, player, panel, (1.0,) * 3, max_plies=150, paired=paired)
    rounds = EliminationFitness(BACKGAMMON, player, 2, opening=1, paired=paired, max_plies=150)

    def run(key):
        genomes = programs()
        memories = measured.init(key)
        played, _ = matches.play(key, BACKGAMMON, player, player.prepare(genomes), panel, memories, 150, paired=paired)
        rival = jnp.arange(4) ^ 1
        both = jnp.broadcast_to(rival[:, None], (4, 3))
        coplayed = coplay.play(
            key, BACKGAMMON, player, player.prepare(genomes), coplay.Pairs(both, both), 150, 2, None, paired
        )
        return played, coplayed, rounds.evaluate(key, genomes, ())[0]

    return jax.device_get(jax.jit(run)(jax.random.key(2)))


@pytest.mark.slow
@pytest.mark.parametrize("paired", [False, True])
def test_games_of_backgammon_by_turns_are_those_man_by_man(paired):
    whole, by_men = of_backgammon(True, paired), of_backgammon(False, paired)
    same(whole, by_men)
    played, coplayed, evaluation = whole
    assert 0 < played.states.terminated.mean() < 1, "some games end, others are stopped"
    assert (coplayed.plies > 20).all()
    assert len(np.unique(evaluation.fitness)) > 1
