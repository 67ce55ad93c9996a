"""Mistakes that Hydra finds while it composes a configuration, each put into one line."""

import dataclasses
import typing
from collections.abc import Sequence

from hydra.errors import MissingConfigException, OverrideParseException
from omegaconf.errors import ConfigKeyError, OmegaConfBaseException

from jaxgp.config import quoting, typed
from jaxgp.config.quoting import SHORTER, TOO_LONG
from jaxgp.errors import UsageError, rejection, show

PACKAGES = {
    "slurm": "-e '.[slurm]'",
    "submitit_slurm": "-e '.[slurm]'",
    "submitit_local": "-e '.[slurm]'",
    "joblib": "-e '.[joblib]'",
    "optuna": "-e '.[optuna]'",
    "ray": "hydra-ray-launcher",
    "rq": "hydra-rq-launcher",
}
"""Launchers and sweepers that need packages of their own, and what pip installs them by."""
COMPOSITION_ERRORS = (Exception,)
"""What composing a configuration may raise for a mistake of the user: whatever Hydra, OmegaConf and YAML fail by."""


def composition_error(schema: type, error: Exception, overrides: Sequence[str]) -> UsageError:
    """Put an error of Hydra's composition into one line that names the option and what is accepted."""
    if isinstance(error, UsageError):
        return error
    if isinstance(error, MissingConfigException):
        return _unknown_choice(error)
    if isinstance(error, OverrideParseException):
        given = show(str(error.override).removeprefix("++"))
        return UsageError(f"{given}: not an option; write option=value (quote special characters)")
    cause = error.__cause__ if isinstance(error.__cause__, OmegaConfBaseException) else error
    if isinstance(cause, OmegaConfBaseException):
        option = str(cause.full_key or cause.key or "")
        if isinstance(cause, ConfigKeyError | AttributeError):
            if option.split(".")[0] == "hydra":
                return UsageError(f"{option}: unknown option of Hydra; accepted: those that --cfg hydra shows")
            return _not_in_config(schema, option)
        return UsageError(f"{option}: {first_line(cause)}" if option else first_line(cause))
    if isinstance(error, TypeError):
        given = next((item for item in overrides if "=[" in item and _is_section(schema, item)), "a group=")
        return rejection(*_parts(given), "the name of one choice; --help lists them")
    text = first_line(error)
    if text.startswith(("Ambiguous value", "Sweep parameters")):
        given = next((item for item in overrides if item in text), text).removeprefix("++")
        name, equals, value = given.partition("=")
        return UsageError(
            f"{name}{equals}{show(value)}: several values need -m (one run each); a list is written [a,b]"
        )
    if text.startswith("Multiple values for"):
        return UsageError(f"{text.split('.')[0]}; write it without the +")
    if text.startswith("Config group override"):
        groups = [item for item in overrides if not item.startswith("hydra") and _is_section(schema, item)]
        given = next((item for item in groups if not _is_word(_parts(item)[1])), [*groups, "a group="][0])
        return rejection(*_parts(given), "the name of one choice; --help lists them")
    if text.startswith("You must specify"):
        return UsageError(f"{text.split(chr(39))[1]}=???: accepted: the name of one choice; --help lists them")
    if text.startswith("Error resolving interpolation"):
        given = next((item for item in overrides if "${" in item), "")
        return rejection(*_parts(given), f"the name of one choice ({text})")
    if text.startswith(TOO_LONG):
        return rejection(*_parts(max(overrides, key=len)), SHORTER)
    return UsageError(text)


def say_how_to_install(choice: str) -> str:
    """Say how the packages of a launcher or a sweeper are installed."""
    return f"not installed; pip install {PACKAGES[choice]}"


def _parts(override: str) -> tuple[str, str]:
    """Return the name and the value of an override."""
    name, _, value = override.partition("=")
    return name.strip("+~"), value


def _is_word(written: str) -> bool:
    """Whether a value is a word or a list, as choices are."""
    try:
        return isinstance(quoting.read(written), str | list)
    except ValueError:
        return False


def first_line(error: BaseException) -> str:
    """Return the first line of an error that says anything, with the next one where it ends in a colon."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return " ".join(lines[: 2 if lines[0].endswith(":") else 1]) if lines else type(error).__name__


def _unknown_choice(error: MissingConfigException) -> UsageError:
    group, _, choice = str(error.missing_cfg_file or "").rpartition("/")
    options = ", ".join(sorted(error.options or ()))
    if group in ("hydra/launcher", "hydra/sweeper") and choice in PACKAGES:
        return UsageError(f"{group}={choice}: {say_how_to_install(choice)}")
    if group and options:
        return UsageError(f"{group}={choice}: unknown choice; accepted: {options}")
    return UsageError(first_line(error))


def _is_section(schema: type, override: str) -> bool:
    """Whether an override names a group of files or a section, rather than a value."""
    kinds = typed.kinds(schema, override.split("=")[0].strip("+~"))
    return not kinds or any(dataclasses.is_dataclass(kind) or typing.get_origin(kind) is dict for kind in kinds)


def _not_in_config(schema: type, option: str) -> UsageError:
    """Return the error for an option that the composed configuration lacks."""
    parent, _, name = option.rpartition(".")
    if any(typing.get_origin(kind) is dict for kind in typed.kinds(schema, parent)):
        return UsageError(f"{option}: there is none; to add it, write options as +{option}.OPTION=VALUE")
    names = typed.names(schema, parent)
    if name in names:  # members of a panel need not name all of their options, and Hydra knows only the named ones
        return UsageError(f"{option}: not set yet; with a plus sign it is added: +{option}=VALUE")
    return typed.unknown(option, names)
