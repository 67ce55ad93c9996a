"""Composing options of `scripts/train.py` from the files below `conf/` and the command line, by Hydra."""

import copy
import itertools
import os
import re
import shlex
import typing
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import hydra
from hydra.core.config_loader import ConfigLoader
from hydra.core.config_search_path import ConfigSearchPath
from hydra.core.config_store import ConfigStore
from hydra.core.global_hydra import GlobalHydra
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override
from hydra.core.plugins import Plugins
from hydra.plugins.search_path_plugin import SearchPathPlugin
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf, open_dict, read_write
from omegaconf.errors import GrammarParseError, InterpolationResolutionError, OmegaConfBaseException

from jaxgp.checks.unions import Kinds
from jaxgp.config import quoting, typed
from jaxgp.config.games import place
from jaxgp.config.launching import hydra_words
from jaxgp.config.launching.options import LAUNCHERS
from jaxgp.config.mistakes import COMPOSITION_ERRORS, composition_error, first_line
from jaxgp.errors import UsageError, reject
from jaxgp.evolution.options import AlgorithmOptions
from jaxgp.files import user_path
from jaxgp.kinds import FitnessOptions
from jaxgp.options import list_options
from jaxgp.seats.options import PlayerOptions

if TYPE_CHECKING:
    from jaxgp.games.outside import Games

Schema = TypeVar("Schema")

SCHEMA_NAME = "schema"
"""What a primary config calls the schema in its defaults list."""
JOB = "train"
HYDRA_PATHS = ("hydra.run.dir", "hydra.sweep.dir", "hydra.sweep.subdir")
"""Options of Hydra that are paths; ${...} in them is filled in."""


class Folders(SearchPathPlugin):
    """Adds folders of config files to the config tree, while the context of `loader` is open."""

    first: tuple[Path, ...] = ()

    def manipulate_search_path(self, search_path: ConfigSearchPath) -> None:
        """Put these folders in front of the search path; Hydra calls this."""
        for folder in self.first:
            search_path.prepend("command-line", f"file://{folder}")


class Placed(NamedTuple):
    """Options, and the source of the games that they name.

    Attributes:
        overrides: as typed, with the name of a game or of a kind in place of its folder.
        games: where games come from.
        folders: the folders of games outside the project.
        kinds: the options that name kinds outside the project, and the folders of these.
    """

    overrides: list[str]
    games: "Games"
    folders: tuple[Path, ...] = ()
    kinds: tuple[tuple[str, Path], ...] = ()


def name_folder(overrides: Sequence[str], games: "Games", sweep: bool = False) -> Placed:
    """Replace `game=FOLDER` by the name of the game in that folder; in a sweep commas stand between several.

    In the same way `fitness.kind=FOLDER` is replaced by the name of the kind of fitness in that folder,
    `algorithm.kind=FOLDER` by that of the algorithm, and `fitness.opponents.NAME.kind=FOLDER` by that of the kind of
    players.

    Raises:
        UsageError: a folder is not a package.
    """
    found = Placed([], games)
    for override in overrides:
        key, equals, value = override.partition("=")
        words, option = value.split(",") if sweep else [value], key.strip().lstrip("+")
        if _kinds(option) is not None and os.sep in value:
            outside = [(option, user_path(option, word).resolve()) for word in words if os.sep in word]
            names = [add_kind(option, user_path(option, word).resolve()) if os.sep in word else word for word in words]
            found = found._replace(kinds=(*found.kinds, *outside))
            override = f"{key}={','.join(names)}"
        if option != "game" or not equals:
            found.overrides.append(override)
            continue
        names = []
        for word in words:
            here, name = place(word.strip(), found.games)
            if here is not found.games:
                folder = user_path("game", word.strip()).resolve()
                found = found._replace(games=here, folders=(*found.folders, folder))
            names.append(name)
        found.overrides.append(f"game={','.join(names)}")
    return found


def add_kind(option: str, folder: Path) -> str:
    """Take a kind of fitness, of algorithms or of players, as the option says, from a folder, and return its name.

    Raises:
        UsageError: the folder is no package that has it.
    """
    kinds = _kinds(option)
    assert kinds is not None
    return kinds.add(folder)


SECTIONS = {one.option: one for one in (FitnessOptions.kinds, AlgorithmOptions.kinds)}
"""The kinds of whole sections, by the option that picks one."""


def _kinds(option: str) -> Kinds | None:
    """Return the kinds that an option picks from: those of a section, or those of players; None: it picks no kind."""
    players = option.startswith("fitness.") and option.endswith(".kind")
    return SECTIONS.get(option, PlayerOptions.kinds if players else None)


def as_typed(override: str) -> str:
    """Return an override with the folder of a kind outside the project in place of its name."""
    key, _, value = override.partition("=")
    kinds = _kinds(key.lstrip("+"))
    folder = None if kinds is None else kinds.folders.get(quoting.unquote(value))
    return override if folder is None else f"{key}={folder}"


@contextmanager
def loader(
    schema: type, config_dir: Path, first: Sequence[Path] = (), outside: Sequence[Path] = ()
) -> Iterator[ConfigLoader]:
    """Within this context Hydra knows the config tree.

    Args:
        schema: dataclass of the options.
        config_dir: the config tree.
        first: folders whose files come before those of the tree.
        outside: folders of games; the files in their folder `conf` come first, too.
    """
    bare = {
        folder.name: folder for folder in outside if not (folder / "conf" / "game" / f"{folder.name}.yaml").is_file()
    }
    for name, folder in bare.items():
        node = {
            "defaults": [{"override /fitness": usual_fitness(folder)}],
            "game": {"name": name},
            "program": {"role": None},
        }
        ConfigStore.instance().store(group="game", name=name, node=node, package="_global_")
    first = (*first, *(folder / "conf" for folder in outside if (folder / "conf").is_dir()))
    ConfigStore.instance().store(name=SCHEMA_NAME, node=typed.plain(schema))
    Plugins.instance().register(Folders)
    known = ConfigStore.instance().repo["hydra"]["launcher"]
    for name, launcher in LAUNCHERS.items():
        known.pop(f"{name}.yaml", None)  # of a plugin; Hydra would merge it into the file of the config tree
        ConfigStore.instance().store(group="hydra/launcher_options", name=name, node=typed.plain(launcher))
    GlobalHydra.instance().clear()
    Folders.first = first
    try:
        with hydra.initialize_config_dir(str(config_dir.resolve()), job_name=JOB, version_base="1.3"):
            yield GlobalHydra.instance().config_loader()
    finally:
        Folders.first = ()
        for name in bare:
            del ConfigStore.instance().repo["game"][f"{name}.yaml"]
        GlobalHydra.instance().clear()


def usual_fitness(folder: Path) -> str:
    """Return the choice of fitness for a game outside the project that has no file of its own; this imports the game.

    The default of the project is a formula of its first game, by which all players of another one may be equal.
    """
    from jaxgp.contracts import Simulation
    from jaxgp.games.outside import load
    from jaxgp.players.searches import explain_unsearched

    spec = load(folder)
    if issubclass(spec.rules, Simulation):
        return "rollout"
    if spec.instances is not None:
        return "suite"
    if spec.rules.seats == 1:
        return "solo"
    return "chance" if explain_unsearched(spec, spec.make()) else "shallow"


def compose(
    schema: type, loading: ConfigLoader, name: str, overrides: Sequence[str], mode: RunMode = RunMode.RUN
) -> DictConfig:
    """Return the configuration with these options; it includes Hydra's own.

    Raises:
        UsageError: an unknown option or choice.
    """
    try:
        config = loading.load_configuration(name, list(overrides), mode)
    except COMPOSITION_ERRORS as error:
        raise composition_error(schema, error, overrides) from error
    with read_write(config.hydra), open_dict(config.hydra):
        config.hydra.mode = mode
    hydra_words.check_composed(config)
    return config


def _begin_anew(schema: type, config: DictConfig, overrides: Sequence[str]) -> None:
    """Drop what files give a member of a panel that the kind that an override names does not have.

    In the same way drop what they give a section where the override names a kind outside, which has no file here.
    """
    given = dict(override.lstrip("+").partition("=")[::2] for override in overrides)
    for key, kind in given.items():
        entry, _, option = key.rpartition(".")
        outside = key in SECTIONS and kind in SECTIONS[key].folders
        names = typed.names_of_kind(schema, entry, kind, outside) if option == "kind" else []
        there = OmegaConf.select(config, entry) if names else None
        if isinstance(there, DictConfig):
            with open_dict(there):
                for name in [name for name in there if name not in names and f"{entry}.{name!s}" not in given]:
                    del there[name]


def adapt_override(schema: type, override: str, sweep: bool = False) -> str:
    """Return an override as Hydra needs it.

    Text and paths are taken literally, so they are quoted; in a sweep, where commas stand between several values, each
    of them. An option that Hydra cannot know, a game's setting or one in a section with variants, gets ++ in front:
    Hydra lets it pass, and it is checked later.
    """
    hydra_words.check(override)
    key, equals, written = override.partition("=")
    if written.startswith("[") and _is_group(schema, key.strip().lstrip("+")):
        reject(key.strip().lstrip("+"), written, "the name of one choice; --help lists them")
    section, _, name = key.rpartition(".")
    if section == "hydra.launcher" and any(typed.is_text(kind, name) for kind in LAUNCHERS.values()):
        return f"{key}={quoting.literal(written)}" if equals else override
    if equals and key in HYDRA_PATHS:
        override = f"{key}={quoting.literal(written.replace(OVERRIDES, PLAIN))}"
    elif equals and typed.is_text(schema, key.lstrip("+"), written):
        override = f"{key}={(quoting.each if sweep else quoting.literal)(written)}"
    parent, _, name = key.rpartition(".")
    if override.startswith("~") and "." in key and typed.is_option(schema, key.lstrip("~")):
        raise UsageError(f"{key}: an option cannot be removed; set it instead: {key.lstrip('~')}=VALUE")
    free = dict[str, Any] in typed.kinds(schema, parent) or (
        parent.split(".")[0] in typed.variants(schema) and not _named(schema, parent)
    )
    return "++" + override if free and name and not override.startswith(("+", "~")) else override


def _is_group(schema: type, key: str) -> bool:
    """Whether an option chooses a file of the config tree by its name: a section does, and `experiment`."""
    sections = [one.name for one in list_options(schema) if one.sections or typed.entries_of(one)]
    return "/" in key or key in (*sections, "experiment")


def _as_typed(overrides: str) -> str:
    """Return the overrides of a run, which Hydra joins to a directory's name, without what `adapt_override` adds."""
    return re.sub(r"(^|,)\+\+", r"\1", overrides)


OVERRIDES, PLAIN = "${hydra.job.override_dirname}", "${as_typed:${hydra.job.override_dirname}}"
OmegaConf.register_new_resolver("as_typed", _as_typed, replace=True)


def _named(schema: type, section: str) -> bool:
    """Whether a section, by its dotted name, is one of freely named entries, or lies within one."""
    parts = section.split(".")
    above = (".".join(parts[:number]) for number in range(1, len(parts) + 1))
    return any(typing.get_origin(kind) is dict for name in above for kind in typed.kinds(schema, name))


def word(schema: type, override: str) -> str:
    """Return an override that `adapt_override` has made as a word of a shell, as plain as it can be typed."""
    key, _, written = override.partition("=")
    plain = [f"{one}={value}" for one in (key.removeprefix("++"), key) for value in (quoting.unquote(written), written)]
    return shlex.quote(next((one for one in plain if adapt_override(schema, one) == override), override))


def read_options(schema: type[Schema], config: DictConfig, overrides: Sequence[str] = ()) -> Schema:
    """Return the typed options of a configuration that was composed with these overrides; raises UsageError."""
    _begin_anew(schema, config, overrides)
    values = {name: value for name, value in config.items_ex(resolve=False) if name != "hydra"}
    try:
        plain = OmegaConf.to_container(OmegaConf.masked_copy(config, [str(name) for name in values]), resolve=True)
    except OmegaConfBaseException as error:
        option = str(error.full_key or error.key or "")
        said = isinstance(error, InterpolationResolutionError | GrammarParseError)
        raise UsageError(f"{option}: {first_line(error)}" if option and said else first_line(error)) from error
    assert isinstance(plain, dict)
    for name, value in _texts(plain):
        if "${" in value and name != "resume":
            reject(name, value, "text without ${, which config.yaml cannot hold")
    return typed.make_options(schema, plain)


def _texts(values: object, name: str = "") -> Iterator[tuple[str, str]]:
    """Yield each text among plain values, with its dotted name."""
    if isinstance(values, str):
        yield name, values
    elif isinstance(values, dict):
        for key, inside in values.items():
            yield from _texts(inside, f"{name}.{key}" if name else str(key))
    elif isinstance(values, list):
        for inside in values:
            yield from _texts(inside, name)


def jobs(overrides: Sequence[str], loading: ConfigLoader) -> list[list[str]]:
    """Return the options of each job of a sweep over all combinations of the values given."""
    parsed = OverridesParser.create(config_loader=loading).parse_overrides(list(overrides))
    return [list(job) for job in itertools.product(*(_values(one) for one in parsed))]


def _values(override: Override) -> list[str]:
    name = override.get_key_element()
    if not override.is_sweep_override():
        return [f"{name}={override.get_value_element_as_str()}"]
    if not override.is_discrete_sweep():
        raise UsageError(f"{override.input_line}: accepted: values with commas between them, or a range")
    values = list(override.sweep_string_iterator())
    if not values:
        raise UsageError(f"{override.input_line}: accepted: at least one value")
    if len(set(values)) < len(values):
        reject(name.lstrip("+"), ",".join(map(quoting.unquote, values)), "each value once, since equal runs are one")
    return [f"{name}={value}" for value in values]


class Composer(Generic[Schema]):
    """Within this context, `compose` turns options as typed into the typed configuration, for many runs quickly.

    Args:
        schema: dataclass of the options.
        config_dir: the config tree.
        config_name: the primary config in it, without `.yaml`.
        outside: folders of games that the options may name.
    """

    def __init__(self, schema: type[Schema], config_dir: Path, config_name: str, outside: Sequence[Path] = ()) -> None:
        self._schema = schema
        self._name = config_name
        self._known: dict[tuple[str, ...], DictConfig] = {}
        self._context = loader(schema, config_dir, outside=outside)

    def __enter__(self) -> "Composer[Schema]":
        self._loader = self._context.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._context.__exit__(kind, error, tb)

    def compose(self, overrides: Sequence[str]) -> Schema:
        """Return the configuration with these options, `name=value` each.

        Raises:
            UsageError: an unknown option, or a value of the wrong type; what values mean is not checked.
        """
        given = [adapt_override(self._schema, override) for override in overrides]
        try:
            parsed = OverridesParser.create().parse_overrides(given)
            config = self._set(parsed)
        except COMPOSITION_ERRORS:
            config = None
        if config is None:
            config = compose(self._schema, self._loader, self._name, given)
        return read_options(self._schema, config, given)

    def _set(self, overrides: list[Override]) -> DictConfig | None:
        """Read the files of a choice of groups once, and set the values, whose names have dots, after that.

        Return None where Hydra has to do it: for sweeps, and for options that are added or removed.
        """
        groups = tuple(str(one.input_line) for one in overrides if "." not in one.key_or_group)
        values = [one for one in overrides if "." in one.key_or_group]
        if any(one.is_sweep_override() or one.is_add() or one.is_delete() or one.package for one in values):
            return None
        if groups not in self._known:
            self._known[groups] = compose(self._schema, self._loader, self._name, groups)
        config = copy.deepcopy(self._known[groups])
        for one in values:
            OmegaConf.update(config, one.key_or_group, one.value(), merge=True, force_add=one.is_force_add())
        return config
