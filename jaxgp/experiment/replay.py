"""Games of one individual against its panel, move by move, for people to look at."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxgp.experiment.interface import ReplayGame
from jaxgp.genotypes.language import Genome
from jaxgp.players.opponent import Opponent
from jaxgp.players.player import Player

SEATS = ("first", "second")


@dataclass(frozen=True)
class Move:
    """One move of a recorded game.

    Attributes:
        state: the position after it.
        action: what was played; None for the opening position.
        seat: who played it.
    """

    state: Any
    action: int | None
    seat: int


def record(game: Any, player: Player, genome: Genome, opponent: Opponent, seat: int, max_plies: int) -> Iterator[Move]:
    """Play an individual from one seat against an opponent, a ply at a time on the host."""
    plans = player.prepare(jax.tree.map(lambda x: x[None], genome))
    act, reply, think = jax.jit(player.act), jax.jit(opponent.reply), jax.jit(opponent.think)
    step, forfeit = jax.jit(game.step), jax.jit(game.forfeit)
    memory = opponent.init(jax.random.key(0))
    shape = (1, 2 * opponent.games)
    state = game.init(jax.random.key(0))
    yield Move(state, None, seat)
    for ply in range(max_plies):
        if state.terminated:
            return
        mover = int(state.to_move)
        if mover == seat:
            action, legal = act(plans, jax.tree.map(lambda x: x[None, None], state))
            action, legal = action[0, 0], bool(legal[0, 0])
        else:
            states = jax.tree.map(lambda x: jnp.broadcast_to(x, (*shape, *x.shape)), state)
            bits = jax.random.bits(jax.random.key(ply), shape, jnp.uint32)
            action, ready = reply(memory, states, bits)
            if not ready[0, 0]:
                memory, _ = think(memory, states, jnp.ones(shape, bool))
                action, _ = reply(memory, states, bits)
            action, legal = action[0, 0], True
        state = step(state, action) if legal else forfeit(state)
        yield Move(state, int(action) if legal else None, mover)


def replay_games(
    game: Any, render: Any, player: Player, genome: Genome, panel: Mapping[str, Opponent], max_plies: int
) -> list[ReplayGame]:
    """Draw a game from each seat against each opponent; `render` is the game's module of that name."""
    games = []
    for name, opponent in panel.items():
        for seat, label in enumerate(SEATS):
            moves = list(record(game, player, genome, opponent, seat, max_plies))
            names = {seat: "champion", 1 - seat: name}
            score = np.asarray(game.score(moves[-1].state))
            frames = [
                (_caption(game, render, i, move, names), _picture(game, render, move)) for i, move in enumerate(moves)
            ]
            title = f"{label} against {name}: {score[seat]:g} to {score[1 - seat]:g}"
            games.append(ReplayGame(title, frames))
    return games


def _caption(game: Any, render: Any, ply: int, move: Move, names: Mapping[int, str]) -> str:
    if ply == 0:
        return "the opening position"
    what = "forfeits" if move.action is None else f"plays {render.action_name(game, move.action)}"
    return f"ply {ply}: {names[move.seat]} {what}"


def _picture(game: Any, render: Any, move: Move) -> str:
    return render.svg(game, move.state, move.action, seat=move.seat)
