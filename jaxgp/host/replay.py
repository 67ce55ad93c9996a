"""Games of one individual against its panel, move by move, for people to look at."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from jaxgp.contracts import Game, Opponent, Player, Solver
from jaxgp.games.casting import Cast
from jaxgp.genotypes.language import Genome
from jaxgp.seats.agents import opponent_agent, program_agent
from jaxgp.seats.moves import Move, Stepper, game_key, play_on
from jaxgp.spec import Rules, Spec

SEATS = ("first", "second")
CHAMPION = "champion"


@dataclass(frozen=True)
class ReplayGame:
    """One recorded game, for the report.

    Attributes:
        title: who played, and how it ended.
        frames: caption and SVG of each position.
        result: the same as the title, for a table: names and values.
        ends: whether a reader sees the last position first.
    """

    title: str
    frames: list[tuple[str, str]] = field(default_factory=list)
    result: dict[str, str | float] = field(default_factory=dict)
    ends: bool = False


@dataclass(frozen=True)
class Rival:
    """A member of the panel, as the run knows it.

    Attributes:
        name: what the panel calls it.
        opponent: how it plays.
        memory: what it carries: reply tables, champions of the past. A rival of several genomes plays the first one.
    """

    name: str
    opponent: Opponent
    memory: Any


def record(
    game: Game, player: Player, genome: Genome, rivals: Sequence[Rival], max_plies: int, seed: int
) -> Iterator[tuple[Rival, int, list[Move]]]:
    """Play an individual from each seat against each rival.

    Args:
        game: the rules.
        player: how the individual plays.
        genome: of the individual.
        rivals: the panel.
        max_plies: longer games are stopped and scored as they stand.
        seed: of all chance; every game has a key of its own.

    Yields:
        The rival, the individual's seat and the record of each game.
    """
    champion = program_agent(player, genome, CHAMPION)
    for number, (rival, seat) in enumerate((rival, seat) for rival in rivals for seat in (0, 1)):
        # Games of the first seat come first among those of an opponent.
        other = opponent_agent(rival.opponent, rival.memory, rival.name, seat * rival.opponent.games)
        movers = (champion, other) if seat == 0 else (other, champion)
        yield rival, seat, play_on(Stepper(game, game_key(seed, number)), movers, max_plies=max_plies)


def replay_games(cast: Cast, genome: Genome, rivals: Sequence[Rival], max_plies: int, seed: int) -> list[ReplayGame]:
    """Draw the games of `record`."""
    game, games = cast.game, []
    for rival, seat, moves in record(game, cast.actor, genome, rivals, max_plies, seed):
        names = {seat: CHAMPION, 1 - seat: rival.name}
        score = np.asarray(game.score(moves[-1].state))
        title = f"{SEATS[seat]} against {rival.name}: {score[seat]:g} to {score[1 - seat]:g}"
        result: dict[str, str | float] = {
            "opponent": rival.name,
            "champion moves": SEATS[seat],
            "points": float(score[seat]),
            "opponent's points": float(score[1 - seat]),
            "plies": len(moves) - 1,
        }
        games.append(ReplayGame(title, frames(cast.spec, game, moves, names), result))
    return games


def frames(spec: Spec[Rules], game: Rules, moves: Sequence[Move], names: Mapping[int, str]) -> list[tuple[str, str]]:
    """Return a caption and a picture of the opening and of the position after each move; `names` is by seat."""
    said = [_caption(spec, game, i, move, names) for i, move in enumerate(moves)]
    return list(zip(said, pictures(spec, game, moves), strict=True))


def replay_alone(cast: Cast, genome: Genome) -> ReplayGame:
    """Draw the game of one program that plays alone; the captions say what made each move."""
    game, player, moves = cast.game, cast.actor, cast.actor.record(genome)
    said = ["the opening position"]
    for number, (action, node) in enumerate(moves, 1):
        name = cast.spec.notation.action_name(game, action)
        said.append(f"move {number}: {player.reason(genome, node)} plays {name}")
    actions = [action for action, _ in moves]
    drawn = sheets(cast.spec, game, actions) or pictures(
        cast.spec, game, list(Stepper(game, game_key(0)).retrace(actions))
    )
    title = f"the champion's game: {len(moves)}"
    if isinstance(player, Solver):
        found = f"a solution of {len(moves)} moves" if moves else f"no solution within {player.limit} nodes"
        title = f"the champion finds {found}"
    ends = not isinstance(player, Solver)
    return ReplayGame(title, list(zip(said, drawn, strict=True)), {"moves": len(moves)}, ends)


def _caption(spec: Spec[Rules], game: Rules, ply: int, move: Move, names: Mapping[int, str]) -> str:
    if ply == 0:
        return "the opening position"
    what = "forfeits" if move.action is None else f"plays {spec.notation.action_name(game, move.action)}"
    return f"ply {ply}: {names[move.seat]} {what}"


def pictures(spec: Spec[Rules], game: Rules, moves: Sequence[Move]) -> list[str]:
    """Draw the opening and the position after each move, as pictures of the whole game where a game has these."""
    drawn = sheets(spec, game, [move.action for move in moves[1:] if move.action is not None])
    if not drawn:
        return [spec.drawing.svg(game, move.state, move.action, seat=move.seat) for move in moves]
    return drawn + drawn[-1:] * (len(moves) - len(drawn))


def sheets(spec: Spec[Rules], game: Rules, actions: Sequence[int]) -> list[str]:
    """Draw the whole game up to the opening and up to each move, all in one size; empty if a game cannot draw this."""
    draw = spec.notation.picture
    return [] if draw is None else [draw(game, actions, upto) for upto in range(len(actions) + 1)]
