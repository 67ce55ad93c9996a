"""Sweepers that choose options by the results of members, as Optuna's does: their options, and how they fail."""

from omegaconf import DictConfig, OmegaConf

from jaxgp.config.mistakes import first_line
from jaxgp.errors import RunError, UsageError, reject

SECTION = "hydra.sweeper"
OPTUNA = "hydra_optuna_sweeper"
"""Part of the class of Optuna's sweeper."""
DIRECTIONS = ("minimize", "maximize")


def check(config: DictConfig) -> None:
    """Check options that sweepers themselves find wrong late or never; raises UsageError."""
    given = config.hydra.sweeper
    if (batch := given.get("max_batch_size")) is not None and batch < 1:
        reject(f"{SECTION}.max_batch_size", batch, "a whole number from 1, or null")
    if OPTUNA not in str(given._target_):
        return
    for name in ("n_trials", "n_jobs"):
        if given[name] < 1:
            reject(f"{SECTION}.{name}", given[name], "a whole number from 1")
    if not 0 <= given.max_failure_rate <= 1:
        reject(f"{SECTION}.max_failure_rate", given.max_failure_rate, "a number from 0 to 1")
    direction = given.direction
    direction = OmegaConf.to_container(direction) if OmegaConf.is_config(direction) else direction
    if getattr(direction, "name", direction) not in DIRECTIONS:
        reject(f"{SECTION}.direction", direction, f"{' or '.join(DIRECTIONS)}, since metric is one number")


def failure(config: DictConfig, error: Exception, begun: bool) -> UsageError | RunError:
    """Put what a sweeper raised into one line.

    Args:
        config: with Hydra's own options.
        error: what it raised.
        begun: whether members have run.
    """
    said = f"hydra/sweeper={config.hydra.runtime.choices['hydra/sweeper']}: {first_line(error)}"
    return RunError(said) if begun else UsageError(said)
