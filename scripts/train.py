"""Evolve players of a game: `python scripts/train.py game=mancala`; `--help` lists the options."""

from collections.abc import Sequence
from pathlib import Path

import envs
from jaxgp.config import cli
from jaxgp.config.schema import Config
from jaxgp.run import resume

CONFIG_DIR = Path(__file__).resolve().parents[1] / "conf"


def plan(config: Config, overrides: Sequence[str], directory: Path) -> resume.Plan:
    """Check the options; quick, and before JAX is imported."""
    return resume.plan(config, overrides, directory, envs)


def task(planned: resume.Plan) -> int:
    """Run."""
    from jaxgp.run.run import train

    return train(planned, envs)


if __name__ == "__main__":
    cli.main(cli.Command(Config, plan, task), CONFIG_DIR, "config")
