"""From a run directory to its champion, ready to play."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from jaxgp.config.games import cast_of, game_of
from jaxgp.config.schema import Config
from jaxgp.errors import UsageError, reject, show
from jaxgp.files import user_path
from jaxgp.games.casting import Cast, cast
from jaxgp.games.outside import Games
from jaxgp.genotypes.language import Genome
from jaxgp.host.savedgame import agree
from jaxgp.options import list_options
from jaxgp.players.searched import SearchedPlayer
from jaxgp.store import champion, runs
from jaxgp.store.champion import ChampionError, ChampionFile
from jaxgp.store.directory import RunDirectory


@dataclass(frozen=True)
class Loaded:
    """A champion with the game that it was evolved for.

    Attributes:
        path: the champion file.
        content: the content of the file.
        cast: its game, and how genomes play it.
        genome: the champion.
    """

    path: Path
    content: ChampionFile
    cast: Cast
    genome: Genome

    @property
    def player(self) -> Any:
        """How it plays."""
        return self.cast.actor

    @property
    def name(self) -> str:
        """What tables of results call it."""
        return "champion"

    @property
    def in_run(self) -> bool:
        """Whether the file is that of a run directory, not one that was kept alone."""
        return self.path.name == RunDirectory(self.path.parent).champion.name

    @property
    def text(self) -> str:
        """The player in words that stay the same: its digest, and how deep it searches."""
        depth = f" depth={self.player.depth}" if isinstance(self.player, SearchedPlayer) else ""
        return f"champion {runs.identity(self.content)}{depth}"


def load(run: str, games: Games, option: str = "run", asked: Mapping[str, object] | None = None) -> Loaded:
    """Load the champion of a run directory, or of a champion file: see `jaxgp.store.champion.read`.

    Args:
        run: where it is.
        games: where games come from.
        option: what named it, for messages.
        asked: the name and settings that its game must have; missing ones are not checked. The champion of a puzzle
            solves the instance that is asked for, and that of a simulation drives under the settings that are, not
            only those of its run.

    Raises:
        UsageError: there is none, or it cannot be used here; the message names the option and what is wrong.
    """
    given = user_path(option, run)
    path = RunDirectory(given).champion if given.is_dir() else given
    if not champion.file_of(path).is_file():
        wanted = f"{path.name} is missing" if given.is_dir() else "no such file or directory"
        raise UsageError(f"{option}={run}: {wanted}; accepted: a run directory with a champion, or a champion file")
    try:
        content = champion.read(path)
        cast = _cast(path, content, games)
        loaded = Loaded(path, content, cast, champion.load_genome(path, content, cast.language))
    except ChampionError as error:
        raise UsageError(f"{option}={run}: {error}") from error
    except (ValueError, TypeError) as error:
        raise UsageError(f"{option}={run}: {path}: {error}") from error
    asked, instance = asked or {}, loaded.cast.spec.instance
    free = {*asked} - {"name"} if loaded.cast.simulated else {*asked} & {instance}
    if free:
        loaded = _with_settings(loaded, {name: asked[name] for name in asked if name in free}, games)
    agree(asked, loaded.cast.game, f"{option}={run}")
    return loaded


def keep_champion(loaded: Loaded, option: str, value: object, targets: Iterable[Path]) -> None:
    """Refuse to write to the file of a champion, which would be lost, before anything is computed.

    Args:
        loaded: the champion.
        option: what names the files that are written.
        value: of the option, for messages.
        targets: these files.

    Raises:
        UsageError: one of them is the champion's.
    """
    if os.path.realpath(champion.file_of(loaded.path)) in map(os.path.realpath, targets):
        reject(option, value, "another file than the champion's")


def _with_settings(loaded: Loaded, values: Mapping[str, object], games: Games) -> Loaded:
    """Return a champion in its game with other settings than it evolved in; raises UsageError if there are none."""
    own = loaded.cast
    settings = {one.name: getattr(own.game, one.name) for one in list_options(own.game)}
    config = Config(game={"name": own.spec.name, **settings, **values}, program=own.program)
    return elsewhere(loaded, cast_of(config, games, loaded.content.language["kind"]), "game")


def elsewhere(loaded: Loaded, there: Cast, option: str) -> Loaded:
    """Return a champion in its game as it is set there, in the role that it has; raises UsageError if it cannot."""
    own, wanted = loaded.cast, there.spec.name
    if own.spec.name != wanted:
        reject(option, loaded.path, f"a champion of {wanted}; this one plays {own.spec.name}")
    values = {name: value for name, value in own.program.items() if name != "role"}
    moved = cast(there.spec, there.game, str(own.program["role"]), loaded.content.language["kind"], values)
    seen, here = ((one.language.name, one.language.version) for one in (moved, own))
    if seen != here:
        reject(option, loaded.path, f"settings of {wanted} in which programs see the same; here they see other things")
    return replace(loaded, cast=moved)


def _cast(path: Path, content: ChampionFile, games: Games) -> Cast:
    """Take the role that a champion was evolved in. Files of old versions name no role; their language tells it.

    Raises:
        UsageError: something that the game or the role does not have or accept.
    """
    kind = content.language["kind"]
    if "role" in content.program:
        return cast_of(Config(game=dict(content.game), program=dict(content.program)), games, kind)
    spec, game = game_of(content.game, games)
    found, refused = [], UsageError(f"no genomes play {spec.name}")
    for role in spec.roles:
        names = [option.name for option in list_options(role.options)]
        values = {name: value for name, value in content.program.items() if name in names}
        try:
            found.append(cast(spec, game, role.name, kind, values))
        except UsageError as error:
            refused = error
    if not found:
        raise refused
    wanted = content.language["name"], content.language["version"]
    # If no role has the language, the file is refused later, when its text is read.
    return next((one for one in found if (one.language.name, one.language.version) == wanted), found[0])


def with_program(loaded: Loaded, values: Mapping[str, object]) -> Loaded:
    """Return a champion with other settings of its role than it was evolved with.

    Args:
        loaded: the champion.
        values: settings by name.

    Raises:
        UsageError: the role has no such settings, or does not accept them; or programs see other things with them.
    """
    own = loaded.cast
    if own.role is None:
        raise UsageError(f"program: {own.spec.name} has no programs; leave it out")
    kept = {name: value for name, value in own.program.items() if name != "role"}
    changed = cast(own.spec, own.game, own.role.name, None, {**kept, **values})
    if changed.language != own.language:
        given = " ".join(f"program.{name}={show(value)}" for name, value in values.items())
        raise UsageError(f"{given}: programs would see other things; accepted: settings of their search")
    return replace(loaded, cast=changed)


def at_depth(loaded: Loaded, depth: int, option: str = "depth") -> Loaded:
    """Return a searching champion with another depth than it was evolved for.

    Args:
        loaded: the champion.
        depth: plies.
        option: what asked for it, for messages.

    Raises:
        UsageError: it does not search, or cannot search this deep; the message names the option and what is accepted.
    """
    if not isinstance(loaded.cast.actor, SearchedPlayer):
        raise UsageError(f"{option}: given, but the champion of {loaded.path} does not search; leave it out")
    return replace(loaded, cast=loaded.cast.at_depth(depth, option))
