"""Evolve players of a game.

python scripts/train.py game=mancala seed=1 algorithm.generations=50
python scripts/train.py experiment=mancala_run1
python scripts/train.py +fitness.opponents.beginner.kind=random    a + adds what is not there yet
python scripts/train.py -m seed=0,1,2,3                            a run of each
python scripts/train.py -m seed=0,1,2,3 hydra/launcher=slurm       the same on a cluster; docs/clusters.md
python scripts/train.py seeds=0-9                                  a run of each, all in one program
python scripts/train.py resume=RUN_DIR algorithm.generations=300
python scripts/train.py --help game=walls                          options of another game

The run directory (hydra.run.dir, by default below outputs/) gets config.yaml, metrics.jsonl, checkpoints/,
champion.json, plots/ and report.html. Ctrl-C stops after the current generation; the run can then be resumed. --cfg job
shows the options of a command line without running it. --hydra-help explains Hydra's own flags.
"""

from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from jaxgp.config import cli, help
from jaxgp.config.quoting import quote_for_shell, trains
from jaxgp.config.schema import Config
from jaxgp.errors import UsageError, require
from jaxgp.files import short
from jaxgp.run import resume

if TYPE_CHECKING:
    from jaxgp.games.outside import Games

CONFIG_DIR = Path(__file__).parents[1] / "conf"
"""A link to the project's `conf/`; in a wheel the files themselves."""
SCRIPT = "python scripts/train.py"


def describe(config: Config, groups: dict[str, list[str]], games: "Games") -> str:
    """Return what `--help` prints; it imports the game, and so JAX."""
    return help.describe_run((__doc__ or "").replace(SCRIPT, trains()), config, groups, games)


def task(planned: resume.RunPlan, games: "Games") -> int:
    """Run."""
    from jaxgp.run.run import train

    code = train(planned, games)
    if planned.members:
        swept(planned.directory)
    return code


def swept(directory: Path) -> None:
    """Report a sweep; this imports Matplotlib, pandas and statsmodels."""
    from jaxgp.config import arguments
    from jaxgp.study.study_options import STUDY

    try:
        require("the page of the sweep", STUDY, "study")
    except UsageError as error:
        arguments.say(f"warning: {error}")
        arguments.say(f"Then: python scripts/analyse.py analysis=sweep {quote_for_shell('sweep', short(directory))}")
        return
    from jaxgp.study import sweep

    sweep.conclude(directory, print, arguments.say)


def score(planned: resume.RunPlan) -> float:
    """Return what a sweeper such as Optuna optimises: `metric`, and of several seeds their mean."""
    from jaxgp.study import member

    return member.score([one.directory for one in planned.runs], planned.config.metric)


def main(games: "Games") -> NoReturn:
    """Carry out the command line of this process, for games from there, and exit; see `jaxgp.config.cli.main`."""
    command = cli.Command(
        Config,
        games,
        resume.plan,
        task,
        describe,
        resume.complete,
        swept,
        finished=resume.is_finished,
        is_idle=resume.is_idle,
        score=score,
    )
    cli.main(command, CONFIG_DIR, "config")
