"""Games of one individual against its panel, move by move, for people to look at."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxgp.contracts import Opponent, Player
from jaxgp.genotypes.language import Genome
from jaxgp.host.moves import Move, Stepper
from jaxgp.run.interface import ReplayGame
from jaxgp.spec import Cast, Rules, Spec

SEATS = ("first", "second")


def record(game: Any, player: Player, genome: Genome, opponent: Opponent, seat: int, max_plies: int) -> Iterator[Move]:
    """Play an individual from one seat against an opponent, a ply at a time on the host."""
    plans = player.prepare(jax.tree.map(lambda x: x[None], genome))
    act, reply, think = jax.jit(player.act), jax.jit(opponent.reply), jax.jit(opponent.think)
    stepper = Stepper(game)
    memory = opponent.init(jax.random.key(0))
    shape = (1, 2 * opponent.games)
    move = stepper.opening()
    yield move
    for ply in range(max_plies):
        state = move.state
        if state.terminated:
            return
        if int(state.to_move) == seat:
            bits = jax.random.bits(jax.random.key(ply), (1, 1), jnp.uint32)
            action, legal = act(plans, jax.tree.map(lambda x: x[None, None], state), bits)
            action, legal = action[0, 0], bool(legal[0, 0])
        else:
            states = jax.tree.map(lambda x: jnp.broadcast_to(x, (*shape, *x.shape)), state)
            bits = jax.random.bits(jax.random.key(ply), shape, jnp.uint32)
            action, ready = reply(memory, states, bits)
            if not ready[0, 0]:
                memory, _ = think(memory, states, jnp.ones(shape, bool), bits)
                action, _ = reply(memory, states, bits)
            action, legal = action[0, 0], True
        move = stepper.play(state, action if legal else None)
        yield move


def replay_games(cast: Cast[Any], genome: Genome, panel: Mapping[str, Opponent], max_plies: int) -> list[ReplayGame]:
    """Draw a game from each seat against each opponent."""
    game, games = cast.game, []
    for name, opponent in panel.items():
        for seat, label in enumerate(SEATS):
            moves = list(record(game, cast.actor, genome, opponent, seat, max_plies))
            names = {seat: "champion", 1 - seat: name}
            score = np.asarray(game.score(moves[-1].state))
            title = f"{label} against {name}: {score[seat]:g} to {score[1 - seat]:g}"
            games.append(ReplayGame(title, frames(cast.spec, game, moves, names)))
    return games


def frames(spec: Spec[Rules], game: Rules, moves: Sequence[Move], names: Mapping[int, str]) -> list[tuple[str, str]]:
    """Return a caption and a picture of the opening and of the position after each move; `names` is by seat."""
    said = [_caption(spec, game, i, move, names) for i, move in enumerate(moves)]
    return list(zip(said, pictures(spec, game, moves), strict=True))


def replay_alone(cast: Cast[Any], genome: Genome) -> ReplayGame:
    """Draw the game of one program that plays alone; each move with what made it."""
    game, player = cast.game, cast.actor
    moves = player.record(genome)
    said = ["the opening position"]
    for number, (action, node) in enumerate(moves, 1):
        said.append(f"move {number}: {player.reason(genome, node)} plays {cast.spec.drawing.action_name(game, action)}")
    actions = [action for action, _ in moves]
    drawn = sheets(cast.spec, game, actions) or pictures(cast.spec, game, list(Stepper(game).retrace(actions)))
    return ReplayGame(f"the champion's game: {len(moves)}", list(zip(said, drawn, strict=True)))


def _caption(spec: Spec[Rules], game: Rules, ply: int, move: Move, names: Mapping[int, str]) -> str:
    if ply == 0:
        return "the opening position"
    what = "forfeits" if move.action is None else f"plays {spec.drawing.action_name(game, move.action)}"
    return f"ply {ply}: {names[move.seat]} {what}"


def pictures(spec: Spec[Rules], game: Rules, moves: Sequence[Move]) -> list[str]:
    """Draw the opening and the position after each move; as sheets of one size in games that have them."""
    drawn = sheets(spec, game, [move.action for move in moves[1:] if move.action is not None])
    if not drawn:
        return [spec.drawing.svg(game, move.state, move.action, seat=move.seat) for move in moves]
    return drawn + drawn[-1:] * (len(moves) - len(drawn))


def sheets(spec: Spec[Rules], game: Rules, actions: Sequence[int]) -> list[str]:
    """Draw a game up to its opening and to each of its moves; nothing in games without pictures of whole games."""
    draw = spec.notation.picture
    return [] if draw is None else [draw(game, actions, upto) for upto in range(len(actions) + 1)]
