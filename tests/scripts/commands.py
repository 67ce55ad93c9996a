"""What tests of several commands need: the command as a module, and a champion for it to work with."""

import importlib.util
from dataclasses import asdict
from pathlib import Path

import pytest

import envs
from jaxgp.config import arguments, cli, games
from jaxgp.config.games import cast_of
from jaxgp.config.schema import Config
from jaxgp.genotypes import language as languages
from jaxgp.measure import champions
from jaxgp.run import resume
from jaxgp.store import champion

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"


def compiled_once():
    """Make the same players of the same options, so that they are compiled once for all commands: for a fixture."""
    made = {}

    def cast_once(config, found, genotype=None):
        asked = repr((found.available(), config.game, config.program, genotype))
        if asked not in made:
            made[asked] = cast_of(config, found, genotype)
        return made[asked]

    with pytest.MonkeyPatch.context() as patch:
        for module in (games, champions):
            patch.setattr(module, "cast_of", cast_once)
        yield


def load(name):
    """Import `scripts/NAME.py` as a module of its own."""
    spec = importlib.util.spec_from_file_location(f"script_{name}", SCRIPTS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(name, *options):
    """Run `scripts/NAME.py` in this process; returns its exit code."""
    script = load(name)
    return arguments.main(script.Options, script.task, script.__doc__, options)


def train(*options):
    """Run `scripts/train.py` in this process; returns its exit code."""
    script = load("train")
    command = cli.Command(Config, envs, resume.plan, script.task, script.describe, resume.complete)
    with pytest.raises(SystemExit) as ended:
        cli.main(command, SCRIPTS.parent / "conf", "config", options)
    return ended.value.code


def write_run(folder, game, text, program=None, *, games=envs, **about):
    """Write the champion of a game into a folder, which then is a run directory; returns the folder.

    `program` may name a role and some of its options; `about` is what the file says besides.
    """
    cast = cast_of(Config(game=game, program=program or {}), games)
    genome = languages.parse(cast.language, text)
    sizes = {"size": int(languages.sizes(genome)), "depth": languages.depth(genome)}
    kind, program = languages.kind(cast.language), {"role": cast.role.name, **asdict(cast.options)}
    return write_champion(folder, game, cast.language, text, kind=kind, program=program, **sizes | about)


def write_champion(folder, game, language, text, *, kind="program", program=None, **about):
    """Write a champion file into a folder, which then is a run directory; returns the folder."""
    content = {
        "game": game,
        "program": program or {},
        "language": {"kind": kind, "name": language.name, "version": language.version},
        "text": text,
        "size": 4,
        "depth": 2,
        "fitness": 1.0,
        "points": {"first": 1.0, "second": 1.0},
        "generation": 0,
        "seed": 0,
    }
    champion.write(folder / "champion.json", champion.ChampionFile(**content | about))
    return folder
