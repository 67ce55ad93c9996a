"""Plots and the report of a run. A failure here costs a picture, never data."""

from collections.abc import Callable
from dataclasses import asdict

from omegaconf import OmegaConf

from jaxgp.errors import reason
from jaxgp.files import write_text
from jaxgp.genotypes.language import UNITS, explain, kind
from jaxgp.host.replay import ReplayGame
from jaxgp.reading import read_text
from jaxgp.report import plots, report
from jaxgp.report.tableau import heading, tableau
from jaxgp.run.loop import Run
from jaxgp.store import champion as champions


def write(run: Run) -> list[ReplayGame]:
    """Write plots/ and report.html of a run that has at least one row; return the games in it.

    `run.warn` reports failures.
    """
    _try(run, "plots", lambda: plots.save(run.directory.plots, run.rows, _unit(run)))
    games: list[ReplayGame] = []
    _try(run, "replay", lambda: games.extend(run.experiment.replay(run.state, run.config.seed)))
    _try(run, "report", lambda: write_text(run.directory.report, page(run, games)))
    return games


def page(run: Run, games: list[ReplayGame]) -> str:
    """Return the report as one HTML page."""
    config = OmegaConf.to_yaml(OmegaConf.create(asdict(run.config)))
    return report.page(
        title=run.name,
        champion=champions.describe(run.state.champion, run.experiment.language, run.config),
        explained=explain(run.experiment.language, run.state.champion.genome),
        tableau=(heading(run.config), tableau(run.config, run.experiment.language)),
        rows=run.rows,
        generations=run.config.algorithm.generations,
        games=games,
        config=config,
        environment=read_text(run.directory.environment),
        notations=run.experiment.notations(run.state),
    )


def _unit(run: Run) -> str:
    return UNITS[kind(run.experiment.language)]


def _try(run: Run, what: str, action: Callable[[], object]) -> None:
    try:
        action()
    except OSError as error:
        run.warn(f"{what} not written ({reason(error)})")
    except Exception as error:  # anything: the record and the checkpoint are safe already
        lines = str(error).strip().splitlines()
        run.warn(f"{what} not written ({lines[0] if lines else type(error).__name__})")
