"""Many champions measured on equally many games each, side by side where one device program can play them."""

import dataclasses
import json
from collections.abc import Callable, Iterator, Mapping, Sequence

import jax
import jax.numpy as jnp

from jaxgp.errors import UsageError
from jaxgp.games.casting import Cast
from jaxgp.genotypes import language as languages
from jaxgp.genotypes.language import Genome
from jaxgp.measure import evaluation
from jaxgp.measure.champions import Loaded
from jaxgp.measure.evaluation import Result
from jaxgp.players.searched import SearchedPlayer
from jaxgp.seats.options import OpponentOptions


def teams(loaded: Sequence[Loaded]) -> list[list[int]]:
    """Return the places of champions that one device program can play: of one language, role and depth."""
    found: dict[str, list[int]] = {}
    for place, one in enumerate(loaded):
        depth = one.player.depth if isinstance(one.player, SearchedPlayer) else None
        kind, version = one.content.language["kind"], one.cast.language.version
        found.setdefault(json.dumps([kind, version, one.cast.program, depth], sort_keys=True), []).append(place)
    return list(found.values())


def stack_genomes(team: Sequence[Loaded]) -> Genome:
    """Return the genomes of a team as one population, with room for the largest."""
    language, genomes = team[0].cast.language, [one.genome for one in team]
    room = max(int(languages.sizes(genome)) for genome in genomes)
    genomes = [languages.parse(language, languages.to_text(language, genome), room) for genome in genomes]
    return jax.tree.map(lambda *x: jnp.stack(x), *genomes)


def one_game(loaded: Sequence[Loaded]) -> None:
    """Refuse champions of several games, or of a game for one; raises UsageError."""
    first = loaded[0].cast.game
    for one in loaded:
        if one.cast.game.seats == 1:
            raise UsageError(f"runs: {one.path} plays {one.cast.game.name}, a game for one; accepted: games for two")
        if (one.cast.game.name, one.cast.game) != (first.name, first):
            raise UsageError(f"runs: {one.path} plays by other rules than {loaded[0].path}; accepted: one game")


def measure_champions(
    loaded: Sequence[Loaded],
    panel: Mapping[str, OpponentOptions],
    games: int,
    seed: int,
    say: Callable[[str], object] = lambda _: None,
    programs: Cast | None = None,
) -> Iterator[tuple[int, str, list[Result]]]:
    """Play champions against every opponent of a panel, from both seats.

    The games of a champion follow from the seed, from its place among the champions of its team and from their number.

    Args:
        loaded: the champions, of one game for two.
        panel: opponents by name, no engines outside.
        games: of each champion from each seat against an opponent with chance; one is played against another.
        seed: of chance.
        say: told what comes next.
        programs: how random programs of the panel play; None: as the champions do.

    Yields:
        The place of a champion, the name of an opponent, and the results of their games.
    """
    for places in teams(loaded):
        team = [loaded[place] for place in places]
        cast, player, genomes = team[0].cast, team[0].player, stack_genomes(team)
        for index, (name, spec) in enumerate(panel.items()):
            say(f"{len(team)} champions, {team[0].content.title or team[0].path.name} and so on, against {name}")
            theirs = programs if programs is not None and spec.kind == "program" else cast
            opponent = evaluation.seat(theirs, spec, games, player.random)
            start_key, play_key = jax.random.split(jax.random.fold_in(jax.random.key(seed), index))
            memory = jax.jit(opponent.init)(start_key)
            played = evaluation.play_out(play_key, cast.game, player, genomes, opponent, memory, name=name)
            for row, place in enumerate(places):
                states, plies = jax.tree.map(lambda x, row=row: x[row : row + 1], (played.states, played.plies))
                own = dataclasses.replace(played, states=states, plies=plies)
                yield place, name, evaluation.results(name, cast.game, opponent, own)
