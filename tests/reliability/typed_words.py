"""Words for command lines: every option that a script declares, and values that people and accidents give to it."""

import importlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import is_dataclass
from pathlib import Path
from typing import NamedTuple

from omegaconf import OmegaConf

import envs
from jaxgp.config import cli, compose, typed
from jaxgp.config.schema import Config
from jaxgp.errors import show
from jaxgp.options import Option, list_options
from tests.golden.runs import RUNS
from tests.reliability.children import KEPT, ROOT

CONFIG_DIR = ROOT / "conf"
OUTSIDE = ROOT / "tests" / "fixtures" / "connect_four"


def words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


NUMBERS = words(
    """0 -0 -1 1 2 3 7 +5 007 1_000 1.0 1.5 .5 5. -2.5 1e3 2147483648 9223372036854775808 1000000000000 1e308 1e309
    1e-320 -1e308 nan NaN inf -inf 0x10 1e 1+1 ١٢"""
)
WORDS = words(
    """null None ??? true yes off [] [1] [1,2] [[1],[2]] [a,b] [,] [1,2 1,2 1,,2 {} {a:1} {a:{b:[1]}} {a:1 (1) ${nope}
    ${seed} ${oc.env:HOME} ${oc.env:NOT_THERE} ${ ${} $ ' " '' "" 'a "a 'a' \\ \\' a=b =a a: a:b #a a#b é ☃ a@b a|b ! *
    ? ~ % @ & a/b -1x random champions minimax program human gtp strategy strategy:nobody search:99 range(1,3)
    choice(1,2) glob(*) sort(3,1) interval(1,2) shuffle(1,2) tag(a,1) int(a) !!python/object/apply:os.system auto
    --help -m"""
)
PATHS = words(
    """~nouser/x ~ . .. file.txt file.txt/x file.txt/x/y folder folder/new/deep nothing full loop /proc/1/mem
    missing.json empty.json folder/mancala folder/walls folder/morpion folder/mancala/champion.json folder/* folder/**
    é.json a[b].txt a=b.txt a#b.txt table.csv design.yaml picture.svg out.json folder/. ./folder/../file.txt"""
)
TEXTS = (
    "",
    " ",
    "  x ",
    "a b",
    "a, b",
    "with space.txt",
    "\t",
    "a\nb",
    "a\rb",
    "\x1b[31mred",
    "\x07\x08",
    "\x7f",
    "a\u2028b",
    "a\udcffb",  # a byte that is not UTF-8, as Python hands it over
    "x" * 300,
    "x/" * 2100,
    "9" * 400,
    "1" + "0" * 5000,
    "[" * 2000,
    "[" * 100 + "]" * 100,
    "${" * 500,
    "1," * 5000 + "1",
    "x" * 1_000_000,
    "lorem ipsum " * 9000,
)
"""No argument of a process can hold a NUL byte."""
HOSTILE = (NUMBERS, WORDS, PATHS, TEXTS)


class Target(NamedTuple):
    """An option as it is typed, and values near to those that it takes."""

    name: str
    near: tuple[str, ...]


def near(one: Option, value: object = None) -> tuple[str, ...]:
    """Return values that an option takes, or just does not: its choices, its limits and what is beside them."""
    found = [*one.choices, show(one.default if value is None else value)]
    for limit, inside in ((one.limits.low, 1), (one.limits.high, -1)):
        if isinstance(limit, int | float):
            found += [f"{limit:.15g}", f"{limit + inside:.15g}", f"{limit - inside:.15g}"]
    if bool in one.kinds:
        found += ["true", "false"]
    if int in one.items or float in one.items:
        found += ["1", "2", "3"] if int in one.items else ["0.25", "0.5", "1"]
    if one.many:
        found += [f"[{item}]" for item in found[:3]] + ["[1,2]"]
    # No case writes to the places that options have by default outside its folder.
    return tuple(dict.fromkeys(Path(word).name if word.startswith("/") else word for word in found))


def of_schema(schema: object, prefix: str = "") -> Iterator[Target]:
    """Yield the options of a small script, and those of its sections."""
    for one in list_options(schema):
        name, sections = prefix + one.name, one.sections
        yield Target(name, near(one))
        if sections:
            yield from of_schema(sections[0], name + ".")
        elif typed.entries_of(one):
            yield from (Target(f"{name}.{entry}", ("a", "1")) for entry in ("name", "new", "a.b"))


def of_config(values: object, prefix: str = "") -> Iterator[Target]:
    """Yield the options of a composed configuration; freely named entries under their names and under a new one."""
    for one in list_options(values):
        value, name = vars(values)[one.name], prefix + one.name
        entry = typed.entries_of(one)
        if is_dataclass(value):
            yield Target(name, ("null", "{}"))
            yield from of_config(value, name + ".")
        elif entry is None:
            yield Target(name, near(one, value))
        elif isinstance(value, Mapping):
            yield Target(name, ("null", "{}", *value))
            for label, inside in value.items():
                if is_dataclass(inside):
                    yield Target(f"~{name}.{label}", ("",))
                    yield from of_config(inside, f"{name}.{label}.")
            if is_dataclass(entry):
                yield from (Target("+" + one.name, one.near) for one in of_config(entry(), f"{name}.new."))


def of_game(game: str, games: object = envs) -> Iterator[Target]:
    """Yield the settings of a game and the options of its roles."""
    spec = games.spec(game)
    yield from (Target(f"game.{one.name}", near(one)) for one in list_options(spec.make()))
    yield Target("program.role", tuple(role.name for role in spec.roles) or ("null",))
    for role in spec.roles:
        yield from (Target(f"program.{one.name}", near(one)) for one in list_options(role.options))


def of_hydra(config: Mapping[str, object], prefix: str) -> Iterator[Target]:
    """Yield the options of Hydra itself, all that a composed configuration has."""
    for key, value in config.items():
        if isinstance(value, Mapping) and value:
            yield from of_hydra(value, f"{prefix}.{key}")
        else:
            yield Target(f"{prefix}.{key}", (show(value),))


def of_train(words: Sequence[str]) -> list[Target]:
    """Return the options of `scripts/train.py` with these words on its command line: groups, sections, game, Hydra."""
    placed = compose.name_folder(words, envs)
    with compose.loader(Config, CONFIG_DIR, outside=placed.folders) as loader:
        given = [compose.adapt_override(Config, word) for word in placed.overrides]
        composed = compose.compose(Config, loader, "config", given)
        groups = {group: tuple(loader.get_group_options(group)) for group in cli.groups(composed)}
        config = compose.read_options(Config, composed, given)
    found = [Target(group, choices) for group, choices in groups.items()]
    found += [target for target in of_config(config) if target.name not in groups]
    found += of_game(str(config.game["name"]), placed.games)
    return found + list(of_hydra(OmegaConf.to_container(composed.hydra, resolve=False), "hydra"))


def flags() -> tuple[str, ...]:
    """Return the flags of `scripts/train.py`, and some that it has not."""
    known = [name for action in cli._parser()._actions for name in action.option_strings]
    return (
        *known,
        "--cfg=job",
        "--cfg=nope",
        "--info=all",
        "--info=nope",
        "--config-dir=folder",
        "--nope",
        "-",
        "--",
        "-z",
    )


WHOLE = {f"all of {path.stem}": f"game={path.stem} logger=disabled cores=1" for path in CONFIG_DIR.glob("game/*.yaml")}
"""Runs as every game has them without further words; see `LONG`."""
LONG = set(WHOLE)
"""Bases that take minutes to compile; no case that is built on one of them is carried out."""
SMALL = "algorithm.population=8 algorithm.capacity=32 algorithm.generations=2 logger=disabled cores=1 seed=3"
SYSTEMS = {
    "chess": f"game=chess {SMALL} game.endgame=KRK fitness.drawn=8 fitness.stock=16 fitness.validation=8 "
    "fitness.reported=8",
    "rars": f"game=rars game.track=oval2 game.seconds=20 {SMALL}",
    "robocode": f"game=robocode game.rounds=1 game.turns=200 {SMALL}",
}
"""Words of small runs of the dearest systems."""

CHAMPIONS = {
    "mancala": ({"name": "mancala", "pits": 3, "stones": 2}, "(VALUE_AT 3)"),
    "walls": ({"name": "walls", "size": 3}, "- - - / - N - / - - - : turn-left"),
    "morpion": ({"name": "morpion", "size": 20}, "(progn3 [17,21] getClosestToLast [17,21])"),
    "rars": ({"name": "rars"}, "(PROGRAM (neg NV) (+ V One))"),
    "robocode": ({"name": "robocode"}, "(PROGRAM (Fire 1) (Sub EnemyBearing Zero) (Add Random 0.5))"),
    "chess": ({"name": "chess"}, "(PROGRAM EvaluateMaterial NumMovesMyKing (If3 IsMyFork EvaluateMaterial 250))"),
}
"""Games and programs of champions."""

BASES: dict[str, dict[str, str]] = {
    "train": {name: run.words for name, run in RUNS.items() if run.script == "train"}
    | WHOLE
    | {f"small {name}": words for name, words in SYSTEMS.items()}
    | {
        "outside": f"game={OUTSIDE} game.width=5 game.height=4 game.line=3 algorithm.population=4 "
        "algorithm.capacity=16 algorithm.creation.max_depth=3 fitness.opponents.minimax.kind=random "
        "logger=disabled cores=1"
    },
    "evaluate": {game: f"run=folder/{game} games=2 cores=1" for game in CHAMPIONS}
    | {f"kept {game}": f"run={kept} cores=1 output=figures.json" for game, kept in KEPT.items()}
    | {"search": "game=checkers player=ab3 panel=checkers against=[ab2] games=2 cores=1"},
    "play": {
        game: f"game={game} player=random opponent=random"
        for game in ("mancala", "walls", "othello", "backgammon", "checkers", "lose_checkers", "chess")
    }
    | {game: f"game={game} player=random" for game in ("morpion", "freecell", "rush_hour")}
    | {"rars": "game=rars player=strategy:tuto3 seed=1"}
    | {
        "robocode": "game=robocode game.rounds=1 game.turns=200 player=strategy:sample.Walls "
        "opponent=strategy:sample.SpinBot seed=1"
    }
    | {"champion": "run=folder/mancala player=champion opponent=random"}
    | {"replay": "replay=saved.json"},
    "tournament": {"members": "brackets.a=folder/walls brackets.b=random games=1 leagues=2 cores=1"},
    "analyse": {
        "design": "analysis=design base=[game=morpion,game.size=20,algorithm.population=8,algorithm.generations=1] "
        "factors.algorithm.elites=[0,1]",
        "tuned": "analysis=tuned study=study",
        "comparison": "analysis=comparison table=table.csv measures=[fitness]",
        "sweep": "analysis=sweep sweep=folder",
        "curves": "analysis=curves runs=[folder/mancala]",
        "program": "analysis=program run=folder/mancala positions=20 cores=1",
        "searches": "analysis=searches run=folder/mancala cores=1",
        "emergence": "analysis=emergence run=folder/othello panel=othello against=[random_moves] cores=1 games=2",
        "portfolio": "analysis=portfolio runs=[folder/mancala] cores=1",
        "schedule": "analysis=schedule runs=[folder/mancala] cores=1",
    },
    "export": {game: f"run=folder/{game}" for game in CHAMPIONS}
    | {f"kept {game}": f"run={kept} output=player.py" for game, kept in KEPT.items()},
    "bench": {"tiny": "part=env batch=2 seconds=0 repeats=1 rivals=false"},
    "document": {"tables": "docs=folder"},
}
"""Script -> name -> tiny options, to which cases add theirs."""


def targets(script: str, base: str) -> list[Target]:
    """Return every option that a script has beside a base."""
    words = BASES[script][base].split()
    if script == "train":
        return of_train(words)
    module = importlib.import_module(script)
    schema = module.ANALYSES[base].schema if script == "analyse" else module.Options
    found = list(of_schema(schema))
    if script == "play":
        named = [game for game in envs.available() if f"game={game}" in words]
        found += [one for game in named or envs.available() for one in of_game(game)]
    if script == "analyse" and base == "design":
        found += [Target(f"factors.{one.name}", ("[1,2]", "[1]")) for one in of_train(["game=morpion"])[:80]]
    return found


def furnish(folder: Path) -> None:
    """Put into a folder what bases and paths name: files, links, champions, a saved game, a study; for one child."""
    from jaxgp.run import assemble
    from tests.scripts.commands import load, run, write_run
    from tests.study.quick import Quick

    for name in ("empty.json", "file.txt", "é.json", "a[b].txt"):
        (folder / name).write_text("" if name == "empty.json" else "text\n")
    (folder / "nothing").symlink_to("/dev/null")
    (folder / "full").symlink_to("/dev/full")
    (folder / "loop").symlink_to("loop")
    (folder / "table.csv").write_text("group,fitness,seconds\na,1,2\na,2,2\nb,3,4\nb,2.5,4\n")
    (folder / "design.yaml").write_text("base: [game=morpion]\nfactors:\n  algorithm.elites: [0, 1]\n")
    for name, (game, text) in CHAMPIONS.items():
        (folder / "folder" / name).mkdir(parents=True)
        write_run(folder / "folder" / name, game, text)
    run("play", "game=morpion", "game.size=20", "player=random", f"save={folder}/saved.json")
    assemble.assemble = lambda config, games: Quick(config)
    groups = ("groups.a=[algorithm.elites=1]", "groups.b=[algorithm.elites=2]")
    base = "base=[game=morpion,algorithm.generations=2]"
    study = ("factors.algorithm.population=[4,8]", "replicates=2", f"output={folder}/study")
    load("analyse").main(["analysis=design", base, *groups, *study])
