"""Words of the command line that are Hydra's own: which of them are refused, since Hydra itself would take nearly all.

An option of Hydra may name code that is run (`_target_`, callbacks), and a new one is added by a plus sign. Files of
the configuration may name launchers and sweepers in this way; words may not.
"""

import os
import re

from hydra.core.hydra_config import HydraConfig
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from jaxgp.config.mistakes import first_line
from jaxgp.errors import UsageError, reject

VALUES = ("mode", "output_subdir", "searchpath", "verbose")
SECTIONS = ("job", "run", "sweep", "launcher", "sweeper", "help", "hydra_help", "job_logging", "hydra_logging")
FREE = ("job.env_set", "launcher", "sweeper", "job_logging", "hydra_logging")
"""Sections that new options may be added to."""
CODE = re.compile(r"_(target|args|partial|recursive|convert)_")
"""Keys by which Hydra finds out what to call, and how."""
NO_CALLBACKS = "nothing; no callbacks are called here"


def check(override: str) -> None:
    """Refuse a word that Hydra must not read; raises UsageError, which names the option."""
    key, _, written = override.partition("=")
    name = key.strip().lstrip("+~")
    if "oc.deprecated" in written:
        reject(name, written, "a value; ${oc.deprecated} stands for options that were renamed, of which there are none")
    head, *rest = re.split(r"[./@]", name)
    if head != "hydra" or not rest:
        return
    if override.startswith("~"):
        raise UsageError(f"~{name}: an option of Hydra cannot be removed; set it instead: {name}=VALUE")
    if CODE.search(override):
        reject(name, written, "options that name no code; launchers and sweepers are chosen by hydra/launcher=NAME")
    if rest[0] == "callbacks":
        reject(name, written, NO_CALLBACKS)
    if "/" in name:
        return
    known = rest[0] in VALUES + SECTIONS
    inside = ".".join(rest)
    if not known or (key.startswith("+") and not any(inside.startswith(f"{one}.") for one in FREE)):
        raise UsageError(f"{name}: unknown option of Hydra; accepted: those that --cfg hydra shows")
    _check_value(name, inside, written)
    if inside.startswith("sweeper.params."):
        reject(name, written, "nothing; options of a sweep are written as any others, with commas between their values")
    if len(rest) == 1 and rest[0] in SECTIONS and not rest[0].endswith("logging"):
        reject(name, written, f"options below it: {name}.OPTION=VALUE")


def check_composed(config: DictConfig) -> None:
    """Refuse callbacks wherever they come from, and variables whose values cannot be filled in; raises UsageError."""
    if config.hydra.callbacks:
        reject("hydra.callbacks", ", ".join(map(str, config.hydra.callbacks)), NO_CALLBACKS)
    before = HydraConfig.instance().cfg
    HydraConfig.instance().set_config(config)  # the values may refer to others of Hydra
    try:
        OmegaConf.to_container(config.hydra.job.env_set, resolve=True)
    except OmegaConfBaseException as error:
        raise UsageError(f"{error.full_key or 'hydra.job.env_set'}: {first_line(error)}") from error
    finally:
        HydraConfig.instance().cfg = before


def _check_value(name: str, inside: str, written: str) -> None:
    """Refuse what Hydra fails by, or passes over, while it composes."""
    if inside == "output_subdir" and written.strip(" '\"") not in ("null", ".hydra"):
        # Other names may lie anywhere, or be those of a run's own files.
        reject(name, written, "null, or .hydra; a run keeps its configuration in config.yaml")
    listed = [] if inside not in ("job.env_copy", "searchpath") else [one.strip(" []'\"") for one in written.split(",")]
    for one in filter(None, listed):
        if inside == "job.env_copy" and one not in os.environ:
            reject(name, written, f"a list of variables that the environment has; {one} is none")
        if inside == "searchpath" and not os.path.isdir(one.removeprefix("file://")):
            reject(name, written, f"a list of folders; {one} is none")
