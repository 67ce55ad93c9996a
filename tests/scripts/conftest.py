import io

import pytest

import envs
from jaxgp.config import arguments
from jaxgp.games.casting import cast
from tests.scripts.commands import load, write_champion

PLAY = load("play")


@pytest.fixture
def play(monkeypatch, capsys):
    """Run the command with typed lines; return (exit code, output, error)."""

    def run(*options, typed=""):
        monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        code = arguments.main(PLAY.Options, PLAY.task, PLAY.__doc__, options)
        out, error = capsys.readouterr()
        return code, out, error

    return run


@pytest.fixture
def run_directory(tmp_path):
    at = cast(envs.spec("mancala"), envs.make("mancala", pits=3, stones=2))
    return write_champion(tmp_path, {"name": "mancala", "pits": 3, "stones": 2}, at.language, "(ADD 3 (VALUE_AT 5))")
