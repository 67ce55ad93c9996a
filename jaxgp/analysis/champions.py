"""From a run directory to its champion, ready to play."""

from dataclasses import dataclass
from pathlib import Path

from jaxgp.experiment import assemble, champion
from jaxgp.experiment.champion import ChampionError, ChampionFile
from jaxgp.experiment.directory import RunDirectory
from jaxgp.experiment.errors import UsageError
from jaxgp.experiment.schema import Config
from jaxgp.genotypes.language import Genome


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
