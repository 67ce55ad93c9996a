"""The launcher that a configuration chooses, with its options typed and checked before anything is computed."""

import importlib.util
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from jaxgp import options
from jaxgp.config import typed
from jaxgp.config.launching import members, processes, slurm
from jaxgp.config.launching.members import AnyPlan, SweepMember, Way
from jaxgp.config.launching.options import LAUNCHERS, JoblibOptions, SlurmOptions
from jaxgp.config.mistakes import first_line, say_how_to_install
from jaxgp.errors import UsageError, reject

SECTION = "hydra.launcher"
TARGETS = {"basic_launcher": "", "hydra_joblib_launcher": "joblib", "hydra_submitit_launcher": "slurm"}
"""Names of our launchers by a part of the class of Hydra's that each drives."""
PACKAGES = {
    "joblib": ("hydra_plugins.hydra_joblib_launcher", "joblib"),
    "slurm": ("hydra_plugins.hydra_submitit_launcher", "submitit"),
}


class Chosen(NamedTuple):
    """How the members of a sweep are launched.

    Attributes:
        check: (all members that are known) -> nothing. Raises UsageError.
        way: (folder of the sweep) -> the way; None: a launcher that jaxgp does not know, which Hydra calls itself.
        waits: whether all members have ended when it returns.
    """

    check: Callable[[Sequence[SweepMember]], None] = lambda due: None
    way: Callable[[Path], Way] | None = None
    waits: bool = True


def choose_launcher(config: DictConfig, finished: Callable[[AnyPlan], bool]) -> Chosen:
    """Return how a composed sweep is launched.

    Args:
        config: with Hydra's own options.
        finished: (plan) -> whether all is computed.

    Raises:
        UsageError: a wrong option of the launcher, or one whose packages are missing.
    """
    found = next((name for part, name in TARGETS.items() if part in str(config.hydra.launcher._target_)), None)
    if found == "":
        return Chosen(way=lambda folder: members.one_by_one)
    asked = _typed(config, found) if found is not None else None
    if isinstance(asked, JoblibOptions):
        return Chosen(lambda due: processes.check(asked), lambda folder: partial(processes.launch, asked, folder))
    if not isinstance(asked, SlurmOptions):
        return Chosen()
    name = str(config.hydra.job.name)

    def way(folder: Path) -> Way:
        if asked.wait:
            return partial(slurm.launch_and_wait, asked, folder, name, finished)
        return partial(slurm.launch, asked, folder, name)

    return Chosen(partial(slurm.check, asked), way, asked.wait)


def _typed(config: DictConfig, name: str) -> JoblibOptions | SlurmOptions | None:
    """Return the options of one of our launchers; None for one of Hydra's own, which has others."""
    schema, given = LAUNCHERS[name], config.hydra.launcher
    if any(one.name not in given for one in options.list_options(schema)):
        return None
    if any(not _is_there(package) for package in PACKAGES[name]):
        raise UsageError(f"hydra/launcher={config.hydra.runtime.choices['hydra/launcher']}: {say_how_to_install(name)}")
    try:
        values = OmegaConf.to_container(given, resolve=True)
    except OmegaConfBaseException as error:
        raise UsageError(f"{error.full_key or SECTION}: {first_line(error)}") from error
    assert isinstance(values, dict)
    asked = typed.make_options(
        schema, {key: value for key, value in values.items() if key != "_target_"}, f"{SECTION}."
    )
    options.check(asked, f"{SECTION}.")
    return asked


def _is_there(package: str) -> bool:
    try:
        return importlib.util.find_spec(package) is not None
    except ModuleNotFoundError:  # not even the package around it
        return False


def refuse_without_sweep(config: DictConfig) -> None:
    """Refuse a launcher where there is no sweep, since Hydra would pass over it; raises UsageError."""
    if "basic_launcher" not in str(config.hydra.launcher._target_):
        reject(
            "hydra/launcher", config.hydra.runtime.choices["hydra/launcher"], "basic; others need -m, also for one run"
        )
