"""The command line of runs, in process: a command that only notes its plan, over the real config tree."""

from pathlib import Path

import pytest

import envs
from jaxgp.config import cli, help
from jaxgp.config.schema import Config
from jaxgp.run import resume

CONF = Path(__file__).parents[2] / "conf"


def describe(config, groups, games):
    return help.describe_run("usage", config, groups, games)


@pytest.fixture
def call(tmp_path, monkeypatch, capsys):
    """Run a command line in an empty directory: (exit code, standard error, plans that were carried out)."""
    monkeypatch.chdir(tmp_path)

    def call(*argv, task=lambda plan: 0):
        plans = []

        def note(plan, games):
            plans.append(plan)
            return task(plan)

        with pytest.raises(SystemExit) as ended:
            cli.main(cli.Command(Config, envs, resume.plan, note, describe, resume.complete), CONF, "config", argv)
        return ended.value.code, capsys.readouterr().err, plans

    return call
