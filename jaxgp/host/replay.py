"""Games of one individual against its panel, move by move, for people to look at."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxgp.contracts import Opponent, Player
from jaxgp.genotypes.language import Genome
from jaxgp.host.moves import Move, Stepper
from jaxgp.players.guided import Guide
from jaxgp.players.walk import Walker
from jaxgp.run.interface import ReplayGame

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
            title = f"{label} against {name}: {score[seat]:g} to {score[1 - seat]:g}"
            games.append(ReplayGame(title, frames(game, render, moves, names)))
    return games


def frames(game: Any, render: Any, moves: Sequence[Move], names: Mapping[int, str]) -> list[tuple[str, str]]:
    """Return a caption and a picture of the opening and of the position after each move; `names` is by seat."""
    said = [_caption(game, render, i, move, names) for i, move in enumerate(moves)]
    return list(zip(said, pictures(game, render, moves), strict=True))


def replay_alone(player: Walker | Guide, render: Any, genome: Genome) -> ReplayGame:
    """Draw the game of one program that plays alone; each move with what made it."""
    game, moves = player.game, player.record(genome)
    said = ["the opening position"]
    for number, (action, node) in enumerate(moves, 1):
        said.append(f"move {number}: {player.reason(genome, node)} plays {render.action_name(game, action)}")
    drawn = sheets(game, render, [action for action, _ in moves])
    return ReplayGame(f"the champion's game: {len(moves)}", list(zip(said, drawn, strict=True)))


def _caption(game: Any, render: Any, ply: int, move: Move, names: Mapping[int, str]) -> str:
    if ply == 0:
        return "the opening position"
    what = "forfeits" if move.action is None else f"plays {render.action_name(game, move.action)}"
    return f"ply {ply}: {names[move.seat]} {what}"


def pictures(game: Any, render: Any, moves: Sequence[Move]) -> list[str]:
    """Draw the opening and the position after each move; as sheets of one size in games that have them."""
    if not hasattr(render, "svg_game"):
        return [picture(game, render, move) for move in moves]
    drawn = sheets(game, render, [move.action for move in moves[1:] if move.action is not None])
    return drawn + drawn[-1:] * (len(moves) - len(drawn))


def sheets(game: Any, render: Any, actions: Sequence[int]) -> list[str]:
    """Draw a game up to its opening and to each of its moves."""
    return [render.svg_game(game, actions, upto) for upto in range(len(actions) + 1)]


def picture(game: Any, render: Any, move: Move) -> str:
    """Draw the position after a move, with what was played marked."""
    return render.svg(game, move.state, move.action, seat=move.seat)
