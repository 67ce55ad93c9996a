"""The directories that Hydra's options name: where a run goes, and the members of a sweep."""

import itertools
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from hydra.core.hydra_config import HydraConfig
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from jaxgp import files
from jaxgp.config.quoting import unquote
from jaxgp.errors import UsageError, reason, reject

RUN, SWEEP, MEMBER = "hydra.run.dir", "hydra.sweep.dir", "hydra.sweep.subdir"


def directory(config: DictConfig, option: str) -> Path:
    """Return the path that one of Hydra's options names.

    Raises:
        UsageError: nothing, an interpolation that cannot be filled in, or a path at which no file can be.
    """
    before = HydraConfig.instance().cfg
    HydraConfig.instance().set_config(config)  # the directory may refer to other values of Hydra
    try:
        named = OmegaConf.select(config, option, throw_on_missing=True)
    except OmegaConfBaseException as error:
        raise UsageError(f"{option}: {str(error).splitlines()[0]}") from error
    finally:
        HydraConfig.instance().cfg = before
    if named is None:
        reject(option, None, "a path")
    return files.user_path(option, str(named))


def refuse(config: DictConfig, overrides: Sequence[str], option: str, accepted: str, used: Path | None = None) -> None:
    """Refuse an option for a directory that is not used, unless it names the one that is; raises UsageError.

    Args:
        config: as composed with Hydra's own options.
        overrides: the options of the command line.
        option: which of Hydra's options.
        accepted: what would be right, in words.
        used: the directory that is used; None: several are.
    """
    for override in overrides:
        key, _, written = override.partition("=")
        if key.lstrip("+") == option and (used is None or directory(config, option).resolve() != used.resolve()):
            reject(option, unquote(written), accepted)


def member(config: DictConfig) -> Path:
    """Return the absolute directory of a member of a sweep; raises UsageError like `directory`."""
    return (directory(config, SWEEP) / directory(config, MEMBER)).absolute()


def sweep() -> Path | None:
    """Return the directory of the sweep that this process runs a member of; None outside a sweep."""
    about = HydraConfig.get() if HydraConfig.initialized() else None
    # Only members of sweeps have numbers.
    return None if about is None or OmegaConf.is_missing(about.job, "num") else Path(about.sweep.dir)


def find_filled_in(config: DictConfig, option: str) -> set[str]:
    """Return what is filled in where an option has ${...}: `now` for ${now:%H}, `game` for ${game.name}."""
    section, _, name = option.rpartition(".")
    written = dict(OmegaConf.select(config, section).items_ex(resolve=False))[name]
    return set(re.findall(r"\$\{(\w+)", str(written)))


def number_paths(path: Path) -> Iterator[Path]:
    """Yield path, path_2, path_3 and so on."""
    yield path
    yield from (path.with_name(f"{path.name}_{number}") for number in itertools.count(2))


def free(path: Path) -> Path:
    """Return the first numbered path that does not exist yet; another process may still make it."""
    return next(one for one in number_paths(path) if not one.exists())


def claim(path: Path, option: str) -> Path:
    """Make the first numbered directory that does not exist yet, and return it: no other process gets the same.

    Raises:
        UsageError: it cannot be made.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        for one in number_paths(path):
            with suppress(FileExistsError):
                one.mkdir()
                return one
    except OSError as error:
        raise UsageError(f"{option}={path}: cannot be written to ({reason(error)})") from error
    raise AssertionError("numbers do not end")
