"""From a run directory to its champion, ready to play."""

from dataclasses import dataclass, replace
from pathlib import Path

from jaxgp.config.schema import Config
from jaxgp.errors import UsageError, reject
from jaxgp.genotypes.language import Genome
from jaxgp.players.searched import SearchedPlayer
from jaxgp.run import assemble
from jaxgp.store import champion
from jaxgp.store.champion import ChampionError, ChampionFile
from jaxgp.store.directory import RunDirectory


@dataclass(frozen=True)
class Loaded:
    """A champion with the game that it was evolved for.

    Attributes:
        path: of the champion file.
        content: of the file.
        table: its game, and how genomes play it.
        genome: the champion.
    """

    path: Path
    content: ChampionFile
    table: assemble.Table
    genome: Genome


def load(run: str, games: assemble.Games, option: str = "run") -> Loaded:
    """Load the champion of a run directory, or a champion file.

    Args:
        run: where it is.
        games: where games come from.
        option: what named it, for messages.

    Raises:
        UsageError: there is none, or it cannot be used here; the message names the option and what is wrong.
    """
    given = Path(run).expanduser()
    path = RunDirectory(given).champion if given.is_dir() else given
    if not path.is_file():
        wanted = f"{path.name} is missing" if given.is_dir() else "no such file or directory"
        raise UsageError(f"{option}={run}: {wanted}; accepted: a run directory with a champion, or a champion file")
    try:
        content = champion.read(path)
        config = Config(game=dict(content.game), program=dict(content.program))
        table = assemble.table(config, games, content.language["kind"])
        return Loaded(path, content, table, champion.load_genome(path, content, table.language))
    except ChampionError as error:
        raise UsageError(f"{option}={run}: {error}") from error
    except (ValueError, TypeError) as error:
        raise UsageError(f"{option}={run}: {path}: {error}") from error


def at_depth(loaded: Loaded, depth: int, games: assemble.Games, option: str = "depth") -> Loaded:
    """Return a champion that searches as it plays at another depth than it was evolved for.

    Args:
        loaded: the champion.
        depth: plies.
        games: where games come from.
        option: what asked for it, for messages.

    Raises:
        UsageError: it does not search, or not so deep; the message names the option and what is accepted.
    """
    if not isinstance(loaded.table.player, SearchedPlayer):
        raise UsageError(f"{option}: given, but the champion of {loaded.path} does not search; leave it out")
    content = loaded.content
    config = Config(game=dict(content.game), program={**content.program, "depth": depth})
    try:
        return replace(loaded, table=assemble.table(config, games, content.language["kind"]))
    except ValueError as error:
        reject(option, depth, str(error).partition("accepted: ")[2])
