"""All games of a league's players against each other: each against every other one, from both seats.

Two players without chance, in a game without chance, meet once from each seat. Leagues draw their schedules from this
table, so every game is played once, for any number of leagues. A player that names an illegal move loses the game.
"""

import itertools
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from jaxgp import files, reading
from jaxgp.contracts import Opponent
from jaxgp.errors import UsageError, reason
from jaxgp.fitness import matches
from jaxgp.games.casting import Cast
from jaxgp.genotypes import language as languages
from jaxgp.genotypes.language import Genome
from jaxgp.league.members import GenomeActor, Member
from jaxgp.measure import evaluation
from jaxgp.players.program import ProgramOpponent
from jaxgp.report.waiting import announce, waiting
from jaxgp.seats.agents import Agent
from jaxgp.seats.moves import Stepper, game_key, play_on
from jaxgp.seats.options import PlayerOptions

FORMAT, FORMAT_VERSION = "jaxgp cross-table", 1


@dataclass(frozen=True)
class CrossTable:
    """Results of N players.

    Attributes:
        results: int8[N, N, G]: results of the row's player, who begins, against the column's: 1 won, 0 drawn, -1 lost.
        games: int32[N, N]: how many of a pair's G entries are games; 0 on the diagonal.
        measures: float[N, N, 2, Q]: sums of the quantities of a simulation over these, of the row's player and of the
            column's; None: it is a game.
    """

    results: np.ndarray
    games: np.ndarray
    measures: np.ndarray | None = None

    def worth(self, draw: float) -> np.ndarray:
        """Return float[N, N]: mean result of the row's player, who begins: win 1, draw `draw`, loss 0; nan if none."""
        played = np.arange(self.results.shape[2]) < self.games[..., None]
        value = np.where(self.results > 0, 1.0, np.where(self.results == 0, draw, 0.0)) * played
        return np.divide(value.sum(-1), self.games, out=np.full(self.games.shape, np.nan), where=self.games > 0)

    def scores(self) -> np.ndarray:
        """Return float[N, 2]: mean score of each player by seat; a draw is half a win."""
        worth = self.worth(0.5)
        return np.stack([np.nanmean(worth, 1), np.nanmean(1 - worth, 0)], 1)

    def pick(self, places: Sequence[int]) -> "CrossTable":
        """Return the table of some of the players, in this order."""
        measures = None if self.measures is None else self.measures[np.ix_(places, places)]
        return CrossTable(self.results[np.ix_(places, places)], self.games[np.ix_(places, places)], measures)

    def measured(self) -> np.ndarray:
        """Return float[N, Q]: the mean of each quantity of a simulation over all battles of each player."""
        assert self.measures is not None
        played = self.games.sum(1) + self.games.sum(0)
        return (self.measures[:, :, 0].sum(1) + self.measures[:, :, 1].sum(0)) / np.maximum(played, 1)[:, None]


Rival = tuple[np.ndarray, Opponent]
"""Places of some players, and one opponent that plays for all of them."""


@dataclass(frozen=True)
class Team:
    """Genomes [P, ...] that one program plays side by side, their places among all players, and how they play."""

    places: np.ndarray
    player: Any  # a player of the game; of a simulation a driver
    genomes: Genome


def play(
    cast: Cast,
    members: Sequence[Member],
    games: int,
    seed: int,
    say: Callable[[str], object] = lambda _: None,
    known: CrossTable | None = None,
    keep: Callable[[CrossTable], object] = lambda _: None,
) -> CrossTable:
    """Play each player against every other one from both seats, all games of a team as one device program.

    Args:
        cast: the game.
        members: the players.
        games: games of an ordered pair whose games have chance in them; other pairs play one game.
        seed: of that chance.
        say: told who plays next.
        known: games that were played before, of the same players and the same chance; they are not played again.
        keep: given the games so far, whenever there are more; pairs that have not met have no games in it.
    """
    number = plan_games(members, games)
    results = np.zeros((*number.shape, int(number.max())), np.int8)
    met = np.zeros(number.shape, bool)
    if known is not None:
        met = known.games == number
        kept = min(results.shape[2], known.results.shape[2])
        results[..., :kept] = (known.results * met[..., None])[..., :kept]
    teams = _teams(members)
    others = [place for place, member in enumerate(members) if not isinstance(member.plays, GenomeActor)]
    total = len(teams) + bool(len(others) > 1)
    for index, team in enumerate(teams):
        now = [*(rival.places for rival in teams[index:] if _meet(team, rival)), np.array(others, int)]
        pairs = np.zeros(number.shape, bool)
        pairs[np.ix_(team.places, np.concatenate(now).astype(int))] = True
        pairs |= pairs.T
        if met[pairs].all():
            continue
        say(f"Playing games of {_named(members, team.places)}, {index + 1} of {total}")
        key = jax.random.fold_in(jax.random.key(seed), index)
        rivals: list[Rival] = [
            (rival.places, _bench(cast, rival, _most(number, team, rival.places)))
            for rival in teams[index:]
            if _meet(team, rival)
        ]
        for place in others:
            rivals.append((np.array([place]), _seat(cast, members[place], _most(number, team, np.array([place])))))
        _fill(results, team, rivals, _returns(key, cast, team, [opponent for _, opponent in rivals]))
        met |= pairs
        keep(CrossTable(results, number * met))
    if len(others) > 1 and not met[np.ix_(others, others)].all():
        say(f"Playing games of {_named(members, others)} among each other, {total} of {total}")
        for one, other in _on_host(cast, members, others, number, seed, results, met):
            met[one, other] = True
            keep(CrossTable(results, number * met))
    return CrossTable(results, number)


def plan_games(members: Sequence[Member], games: int) -> np.ndarray:
    """Return int32[N, N], how many games each pair plays; `games` is what `play` takes."""
    random = np.array([member.random for member in members])
    number = np.where(random[:, None] | random, games, 1) * ~np.eye(len(members), dtype=bool)
    return number.astype(np.int32)


def _meet(team: Team, rival: Team) -> bool:
    """Say whether there are games between two teams: a team of one has none of its own."""
    return team is not rival or len(team.places) > 1


def _most(number: np.ndarray, team: Team, places: np.ndarray) -> int:
    """Return the most games that a player of the team plays from each seat against one of the players at `places`."""
    return int(number[np.ix_(team.places, places)].max())


def _returns(key: Array, cast: Cast, team: Team, opponents: Sequence[Opponent]) -> np.ndarray:
    """Play a team against all its opponents as one device program; return float32[P, games], of the first seat."""
    if not opponents:
        return np.zeros((len(team.places), 0))

    @jax.jit
    def run(key: Array, genomes: Genome) -> Array:
        keys = jax.random.split(key, len(opponents) + 1)
        memories = [opponent.init(own) for opponent, own in zip(opponents, keys[1:], strict=True)]
        plans = team.player.prepare(genomes)
        played, _ = matches.play(keys[0], cast.game, team.player, plans, opponents, memories, evaluation.MAX_PLIES)
        first: Array = played.states.returns[..., 0]
        return first

    with waiting("Compiling the games"):
        compiled = run.lower(key, team.genomes).compile()
    return np.asarray(compiled(key, team.genomes))


def _fill(results: np.ndarray, team: Team, rivals: Sequence[Rival], first: np.ndarray) -> None:
    """Enter the results of a team's games (float32[P, games]) into the table, in place."""
    start = 0
    for places, opponent in rivals:
        stop = start + 2 * opponent.games
        # Axes: the team's player, its seat, the game, the opponent.
        mine = first[:, start:stop].reshape(len(team.places), 2, -1, len(places))
        signs = np.moveaxis(np.sign(mine), 2, -1).astype(np.int8)
        start = stop
        for (a, one), (b, other) in itertools.product(enumerate(team.places), enumerate(places)):
            if one != other:
                results[one, other, : signs.shape[-1]] = signs[a, 0, b]
                results[other, one, : signs.shape[-1]] = signs[a, 1, b]


def _teams(members: Sequence[Member]) -> list[Team]:
    """Group the genomes that one device program can play side by side."""
    by_team: dict[str, list[int]] = {}
    for place, member in enumerate(members):
        if isinstance(member.plays, GenomeActor):
            by_team.setdefault(member.plays.team, []).append(place)
    return [gather(members, places) for places in by_team.values()]


def gather(members: Sequence[Member], places: Sequence[int]) -> Team:
    """Return some players that are genomes of one language as a team."""
    evolved = [plays for place in places if isinstance(plays := members[place].plays, GenomeActor)]
    genomes, language = [one.genome for one in evolved], evolved[0].language
    if language is not None:
        room = max(int(languages.sizes(genome)) for genome in genomes)
        genomes = [languages.parse(language, languages.to_text(language, genome), room) for genome in genomes]
    return Team(np.array(places), evolved[0].player, jax.tree.map(lambda *x: jnp.stack(x), *genomes))


def _bench(cast: Cast, team: Team, games: int) -> ProgramOpponent:
    count = len(team.places)
    return ProgramOpponent(cast.game, team.player, lambda *_: team.genomes, count, rounds=games, forfeits=True)


def _seat(cast: Cast, member: Member, games: int) -> Opponent:
    assert isinstance(member.plays, PlayerOptions)
    return evaluation.seat_opponent(cast, member.plays, games)


def _on_host(
    cast: Cast,
    members: Sequence[Member],
    places: Sequence[int],
    number: np.ndarray,
    seed: int,
    results: np.ndarray,
    met: np.ndarray,
) -> Iterator[tuple[int, int]]:
    """Play searches and random moves among each other, one game after another; fills in `results`.

    Yields:
        Each pair that has played its games, but for those that had `met` before.
    """
    hands = {place: announce(_agent(cast, members[place]), f"Compiling {members[place].name}") for place in places}
    for pair, (one, other) in enumerate(itertools.permutations(places, 2)):
        if met[one, other]:
            continue
        for game in range(number[one, other]):
            stepper = Stepper(cast.game, game_key(seed, pair * number.max() + game))
            results[one, other, game] = host_game(stepper, (hands[one], hands[other]))
        yield one, other


def host_game(stepper: Stepper, seats: Sequence[Agent]) -> int:
    """Play one game, move by move; return 1 if the first seat wins, 0 for a draw, else -1."""
    last = play_on(stepper, seats, max_plies=evaluation.MAX_PLIES)[-1].state
    return int(np.sign(np.asarray(last.returns)[0]))


def _agent(cast: Cast, member: Member) -> Agent:
    assert isinstance(member.plays, PlayerOptions)
    agent = member.plays.agent(member.name, cast)
    assert agent is not None, "no person plays in a league"
    return agent


def _named(members: Sequence[Member], places: Sequence[int] | np.ndarray) -> str:
    return members[places[0]].name if len(places) == 1 else f"{len(places)} players"


def save(path: Path, table: CrossTable, members: Sequence[Member], games: int, seed: int) -> None:
    """Write a table to a file for other leagues, atomically; raises OSError."""
    results = [
        [cell[:number].tolist() for cell, number in zip(row, numbers, strict=True)]
        for row, numbers in zip(table.results, table.games, strict=True)
    ]
    named = [{"name": m.name, "source": m.source, "identity": m.identity, "random": m.random} for m in members]
    about: dict[str, object] = {"format": FORMAT, "format_version": FORMAT_VERSION, "games": games, "seed": seed}
    if table.measures is not None:
        about["measures"] = np.round(table.measures, 3).tolist()
    # A row of the table stays on one line, for human readers.
    rows = ",\n".join(f"  {json.dumps(row, separators=(',', ':'))}" for row in results)
    head = json.dumps(about | {"players": named}, indent=1, ensure_ascii=False)
    files.write_text(path, f'{head[:-2]},\n "results": [\n{rows}\n ]\n}}\n')


def read(path: Path, members: Sequence[Member], games: int, seed: int) -> CrossTable | None:
    """Return the games of these players from a saved table, or None if it lacks some of them.

    Pairs that have not met yet, where the games were cut off, have no games in it.

    Raises:
        UsageError: the file cannot be read, or is not a cross-table.
    """
    try:
        content = reading.read_json(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise UsageError(f"table={path}: cannot be read ({reason(error)})") from error
    except ValueError as error:
        raise UsageError(f"table={path}: not JSON ({error}); remove it, or name another file") from error
    wanted = {"format": FORMAT, "format_version": FORMAT_VERSION}
    if not isinstance(content, dict) or any(content.get(name) != value for name, value in wanted.items()):
        raise UsageError(f"table={path}: not a cross-table of this version; remove it, or name another file")
    try:
        places = _places([row["identity"] for row in content["players"]], [member.identity for member in members])
        same = (content["games"], content["seed"]) == (games, seed)
        table = fill_table(content["results"], len(content["players"]), content.get("measures"))
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise UsageError(f"table={path}: damaged; remove it, or name another file") from error
    chance = any(member.random for member in members)
    return None if places is None or (chance and not same) else table.pick(places)


def _places(kept: Sequence[str], wanted: Sequence[str]) -> list[int] | None:
    """Find each wanted player among those kept; equal players are matched one after the other."""
    left = list(kept)
    found = []
    for identity in wanted:
        if identity not in left:
            return None
        found.append(left.index(identity))
        left[found[-1]] = ""
    return found


def fill_table(rows: Sequence[Sequence[list[int]]], players: int, measured: object = None) -> CrossTable:
    """Return a table from the results of each pair, and what was measured in them.

    Raises:
        TypeError: they are of another kind.
        ValueError: they are none.
    """
    measures = None if measured is None else np.array(measured, float)
    if measures is not None and (measures.ndim != 4 or measures.shape[:3] != (players, players, 2)):
        raise ValueError("a table has the measures of each pair of players")
    number: np.ndarray = np.array([[len(cell) for cell in row] for row in rows], np.int32)
    if number.shape != (players, players) or number.diagonal().any():
        raise ValueError("a table has a cell for each pair of players")
    if number.size * int(number.max()) > reading.LARGEST:
        raise ValueError("one pair has so many games that the table of all pairs is too large")
    results = np.zeros((*number.shape, int(number.max())), np.int8)
    for (i, j), length in np.ndenumerate(number):
        if not set(rows[i][j]) <= {-1, 0, 1}:
            raise ValueError("a result is 1, 0 or -1")
        results[i, j, :length] = rows[i][j]
    return CrossTable(results, number, measures)
