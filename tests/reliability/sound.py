"""Sound files of every kind that a person may hand over, and what reads them, in this process."""

import functools
import json
import shlex
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import jax
import numpy as np

import envs
from envs.backgammon import network
from envs.chess.notation.fen import kinds_of
from envs.chess.tables import keep, read, table
from envs.rars import tracks
from envs.rush_hour import boards
from jaxgp.config import validate
from jaxgp.config.compose import Composer
from jaxgp.config.games import cast_of
from jaxgp.config.schema import Config
from jaxgp.evolution.state import EvolutionState, fault_of
from jaxgp.games.outside import Games, load
from jaxgp.host import savedgame, savedrollout
from jaxgp.host.driving import Driven, drive
from jaxgp.host.savedgame import PlayedGame
from jaxgp.league import crosstable
from jaxgp.measure import champions, games, panels
from jaxgp.measure.puzzles import instances
from jaxgp.run.assemble import Experiment, assemble
from jaxgp.seats.agents import random_agent
from jaxgp.seats.gtp import Engine
from jaxgp.seats.moves import Stepper, game_key, play_on
from jaxgp.seats.options import player
from jaxgp.store import checkpoint, record
from jaxgp.store.directory import RunDirectory, digest
from jaxgp.study import results
from jaxgp.study.designs import planning
from jaxgp.study.study_options import DesignOptions
from tests.envs.replays import TURNS
from tests.reliability import typed_words
from tests.reliability.children import KEPT, ROOT
from tests.scripts.commands import write_run

CONF = ROOT / "conf"
CART = ROOT / "tests" / "fixtures" / "cart"
PLIES = 40
DRIVERS = {"rars": ("tuto3",), "robocode": ("sample.Walls", "haiku.HaikuPoet")}
COMPILED = 120
"""Seconds for what compiles: a simulation whose settings were changed, say."""


class Kind(NamedTuple):
    """A kind of file: its name, what writes a sound one, what reads one, and the seconds for that; 0: few."""

    file: str
    write: Callable[[Path], object]
    read: Callable[[Path], object]
    limit: float = 0


@functools.cache
def played(name: str) -> PlayedGame:
    """Return a random game."""
    spec, game = envs.spec(name), envs.make(name)
    stepper = Stepper(game, game_key(3))
    record = play_on(stepper, [random_agent(game)] * game.seats, max_plies=PLIES)
    return PlayedGame(stepper, spec, ("A", "B")[: game.seats], record)


def of_games() -> dict[str, Kind]:
    """Return the kinds of saved games: in our own format, in that of each ending, and as text."""
    found = {}
    for name in TURNS:
        ask = {"name": name}
        endings = (".json", ".txt", ".svg", *envs.spec(name).notation.formats)
        for ending in endings:
            form = envs.spec(name).notation.formats.get(ending)
            if form is not None and ending in (".mat", ".xgid", ".gnubgid", ".svg"):
                continue  # written, never read
            found[f"{name}{ending}"] = Kind(
                f"game{ending}",
                lambda path, name=name: savedgame.write([path], played(name)),
                lambda path, ask=ask: savedgame.read(str(path), envs, ask),
            )
        if envs.spec(name).notation.written is not None:
            found[f"{name} in moves"] = Kind(
                "moves.txt",
                lambda path, name=name: path.write_text(
                    envs.spec(name).notation.written(
                        played(name).game, [move.action for move in played(name).moves[1:]]
                    )
                ),
                lambda path, ask=ask: savedgame.read(str(path), envs, ask),
            )
    return found


@functools.cache
def driven() -> object:
    """Return a rollout of the cart."""
    spec = load(CART)
    game = spec.make(horizon=20)
    return drive(spec, game, [("bounce", spec.fixed.make("bounce", game))], game_key(1))


def rollout_again(path: Path, games: Games) -> None:
    text = savedrollout.text_of(str(path))
    if text is not None:
        savedrollout.read(str(path), text, games)


@functools.cache
def configured(name: str) -> Config:
    """Return the configuration of a small run of a system."""
    with Composer(Config, CONF, "config") as composer:
        return composer.compose(typed_words.SYSTEMS[name].split())


@functools.cache
def begun(name: str) -> tuple[Experiment, EvolutionState]:
    """Return a small run of a system, and its state before the first generation."""
    experiment = assemble(configured(name), envs)
    return experiment, experiment.init(jax.random.key(3))


def goes_on(name: str, path: Path) -> None:
    """Read a checkpoint as a run that goes on does."""
    experiment, state = begun(name)
    fault = lambda state, generation: fault_of(state, experiment.language, generation)  # noqa: E731
    found = checkpoint.newest(path.parent, state, digest(experiment.config), fault)
    if found.unusable:
        raise checkpoint.UnreadableError(found.unusable[0][1])


@functools.cache
def rolled(name: str) -> Driven:
    """Return a rollout of a small run, driven by hand."""
    spec = envs.spec(name)
    game = spec.make(**{key: value for key, value in configured(name).game.items() if key != "name"})
    return drive(spec, game, [(one, spec.fixed.make(one, game)) for one in DRIVERS[name]], game_key(1))


def of_systems() -> dict[str, Kind]:
    """Return the kinds of files that small runs of systems leave, and those that they read."""
    found = {
        f"rollout of {name}": Kind(
            "rollout.json",
            lambda path, name=name: savedrollout.write([path], [rolled(name)]),
            lambda path: rollout_again(path, envs),
            COMPILED,
        )
        for name in DRIVERS
    }
    for name in typed_words.SYSTEMS:
        found[f"checkpoint of {name}"] = Kind(
            "generation_00000000.npz",
            lambda path, name=name: checkpoint.save(path.parent, 0, begun(name)[1], digest(begun(name)[0].config)),
            lambda path, name=name: goes_on(name, path),
            COMPILED,
        )
        found[f"config of {name}"] = Kind(
            "config.yaml",
            lambda path, name=name: write_config(path, configured(name)),
            check_config,
            COMPILED,
        )
    pair = kinds_of("KRK")
    return found | {
        "table of chess": Kind(
            "KRK.npz", lambda path: keep(path, table(pair)), lambda path: read(path, pair), COMPILED
        ),
        "positions of chess": Kind(
            "positions.fen",
            lambda path: path.write_text(
                "# two\n8/8/6K1/8/2r1k3/R7/7q/3Q4 w - - 0 1\n7k/8/5K2/8/8/8/8/R7 b - - 12 7\n"
            ),
            lambda path: envs.make("chess", start="fen", fen=str(path)),
        ),
    }


class Outside:
    """Where the cart comes from."""

    def available(self) -> list[str]:
        return ["cart"]

    def spec(self, name: str) -> object:
        return load(CART)


def of_champions() -> dict[str, Kind]:
    """Return the kinds of champion files, of runs and kept ones."""
    found = {}
    for name, (game, text) in typed_words.CHAMPIONS.items():
        found[f"champion of {name}"] = Kind(
            "champion.json",
            lambda path, game=game, text=text: write_run(path.parent, game, text),
            lambda path: champions.load(str(path), envs),
        )
    for name, kept in KEPT.items():
        file, _, seed = kept.rpartition("#")
        found[f"kept {name}"] = Kind(
            "kept.jsonl",
            lambda path, file=file: path.write_bytes(b"".join(Path(file).read_bytes().splitlines(True)[:3])),
            lambda path, seed=seed: champions.load(f"{path}#{seed}", envs),
        )
    return found


STATE = {"genome": np.arange(12, dtype=np.int32), "value": np.float32(1.5)}
ROWS = "".join(json.dumps({"generation": n, "best_fitness": n / 7, "elapsed": n * 1.5}) + "\n" for n in range(5))
LEAGUE = [SimpleNamespace(identity=name, random=False, name=name, source="here") for name in "ab"]
RUSH_HOUR = """# three
mine ooBBCCooLoJKAALoJKoIDDEEoIGooooGHHoo 5
51 GBBoLoGHIoLMGHIAAMCCCKoMooJKDDEEJFFo 4780
60 IBBxooIooLDDJAALooJoKEEMFFKooMGGHHHM 2332
"""


def write_config(path: Path, config: Config) -> None:
    RunDirectory(path.parent).write_config(config)
    (path.parent / "metrics.jsonl").write_text(ROWS)


def check_config(path: Path) -> None:
    validate.check(RunDirectory(path.parent).read_config(), envs)


def write_row(columns: Mapping[str, str], path: Path) -> None:
    row = ["1" if name not in ("player", "opponent", "game") else "a" for name in columns]
    path.write_text(",".join(columns) + "\n" + 3 * (",".join(row) + "\n"))


def write_track(path: Path) -> None:
    """Write an oval as RARS keeps it."""
    head = "4\n0 0\n100\n100 100 0\n0 0\n0 0\n0 0\n0 0\n0.5 2\n0\n0 0\n0 0\n0\n"
    path.write_text(head + "0 1000 a straight\n200 3.14159\n0 1000\n200 3.14159\n")


def read_program(name: str, path: Path) -> None:
    cast = cast_of(Config(game={"name": name}), envs)
    player("program", file=str(path)).agent("player", cast)


def ask(path: Path) -> None:
    """Let a file be the answers of an engine."""
    with Engine(shlex.join(["cat", str(path)]), timeout=0.3) as engine:
        for command in ("name", "list_commands", "genmove b"):
            engine.ask(command)


def kinds() -> dict[str, Kind]:
    """Return every kind of file that scripts read, by name."""
    return (
        of_games()
        | of_champions()
        | of_systems()
        | {
            "rollout": Kind(
                "rollout.json",
                lambda path: savedrollout.write([path], [driven()]),
                lambda path: rollout_again(path, Outside()),
            ),
            "record": Kind("metrics.jsonl", lambda path: path.write_text(ROWS), record.read),
            "config": Kind(
                "config.yaml",
                lambda path: write_config(path, Config(game={"name": "mancala"})),
                check_config,
            ),
            "status": Kind(
                "status.json",
                lambda path: RunDirectory(path.parent).write_status("complete", 4, 5),
                lambda path: RunDirectory(path.parent).read_status(),
            ),
            "checkpoint": Kind(
                "generation_00000004.npz",
                lambda path: checkpoint.save(path.parent, 4, STATE, "digest"),
                lambda path: checkpoint.load(path, STATE, "digest"),
            ),
            "design": Kind(
                "design.yaml",
                lambda path: path.write_text(
                    "base: [game=morpion]\nfactors:\n  algorithm.elites: [0, 1]\nreplicates: 2\n"
                ),
                lambda path: planning.plan_design(DesignOptions(design=str(path)), CONF, envs),
            ),
            "panel": Kind(
                "panel.yaml",
                lambda path: shutil.copy(CONF / "panel" / "study.yaml", path),
                panels.read_panel,
            ),
            "results": Kind("table.csv", lambda path: path.write_text("group,fitness\na,1\na,2\nb,3\n"), results.load),
            "games": Kind(
                "games.csv",
                functools.partial(write_row, games.COLUMNS),
                lambda path: list(games.table(path).rows()),
            ),
            "instances": Kind("all.csv", functools.partial(write_row, instances.COLUMNS), instances.Book),
            "league": Kind(
                "crosstable.json",
                lambda path: crosstable.save(
                    path, crosstable.fill_table([[[], [1, 0]], [[-1, 1], []]], 2), LEAGUE, 1, 0
                ),
                lambda path: crosstable.read(path, LEAGUE, 1, 0),
            ),
            "network": Kind("network.csv", lambda path: shutil.copy(network.WEIGHTS, path), network.read),
            "boards": Kind(
                "boards.txt",
                lambda path: path.write_text(RUSH_HOUR),
                lambda path: boards.read_file(str(path), "suite"),
            ),
            "track": Kind("mine.trk", write_track, tracks.read),
            "program": Kind(
                "program.txt",
                lambda path: path.write_text("(ADD (VALUE_AT 3) (MUL 2 (VALUE_AT 5)))\n"),
                functools.partial(read_program, "mancala"),
            ),
            "rules": Kind(
                "rules.txt",
                lambda path: path.write_text("- - - / - N - / - - - : turn-left\n- - - / - - - / - - - : forward\n"),
                functools.partial(read_program, "walls"),
            ),
            "answers of an engine": Kind(
                "answers.txt", lambda path: path.write_text("=1 Fake\n\n=2 play\ngenmove\n\n=3 d3\n\n"), ask
            ),
        }
    )
