"""Fight the same rounds here and in the real Robocode, and compare them turn by turn; a row for each round.

python scripts/studies/robocode/sim_to_real.py programs=200                            random programs
python scripts/studies/robocode/sim_to_real.py "runs=[outputs/robocode/*]" rounds=15   champions, each in so many rounds
python scripts/studies/robocode/sim_to_real.py robots=[sample.Walls,sample.RamFire]    all pairs of these

Every robot here knows the places at the beginning of the round, and nothing else of it. Rivals are those written by
hand, one after the other. Both sides compute in double precision. Where a round differs, the row says in which turn
first, in what, and by how much.
"""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

if __name__ == "__main__":
    os.environ["XLA_FLAGS"] = "--xla_cpu_max_isa=AVX"  # products and sums are rounded one by one, as in Java

    from jaxgp import terminal

    terminal.quiet()

import itertools
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

import envs
from jaxgp import files
from jaxgp.config import arguments
from jaxgp.errors import UsageError
from jaxgp.options import MAX_SEED, option

if TYPE_CHECKING:
    from envs.robocode.language import Options as Language
    from envs.robocode.machine import BotDriver
    from jaxgp.genotypes.programs import Programs

COLUMNS = {
    "program": "a random one by its number, a champion by its run, or a robot by its name",
    "bot": "robot or advanced; empty for one written by hand",
    "angles": "degrees or radians; empty, too",
    "rival": "the other robot",
    "seed": "of the engine",
    "turns": "until the first death",
    "first": "the first turn that differs by more than 1e-6; empty: none does",
    "differs": "what does so then: of me, of the rival, or bullets",
    "gap": "by how much, in pixels, points, pixels a turn or, of angles, the sine of half the difference",
    "before": "the greatest gap in the turn before",
}
"""The columns and what is in them."""
NODES = 512
"""Nodes of a tree of a random program."""


@dataclass
class Options:
    """Who fights."""

    runs: list[str] = option([], "champions: run directories, folders of such, champion files; none: random programs")
    robots: list[str] = option([], "robots written by hand that fight each other instead")
    programs: int = option(200, "random programs", low=1, high=10_000)
    depth: int = option(6, "of random programs, from 2 on", low=2, high=10)
    rounds: int = option(1, "of each program, each against the next rival; of each pair of robots", low=1, high=1000)
    bot: str = option("robot", "of random programs", ("robot", "advanced"))
    angles: str = option("degrees", "of random programs", ("degrees", "radians"))
    fire: str = option("function", "of random programs", ("function", "constant"))
    seed: int = option(11, "of random programs", low=0, high=MAX_SEED)
    places: int = option(1000, "the engine's seed in the first round; each one has the next", low=0, high=10**9)
    machines: int = option(4, "virtual machines side by side", low=1, high=64)
    compilation_cache: str | None = option(
        "~/.cache/jaxgp", "where compiled programs are kept; null: nowhere", path=True
    )
    table: str | None = option(None, "a CSV file that gets a row for each round; null: none", path=True)


def task(options: Options) -> int:
    """Fight, compare, add rows, and say how many rounds are equal."""
    import jax

    from envs.robocode.real import engine
    from jaxgp.run.run import use_compilation_cache
    from jaxgp.store.table import CSVTable

    if why := engine.missing():
        raise UsageError(f"engine=robocode: {why}")
    use_compilation_cache(options.compilation_cache)
    table = CSVTable(files.user_path("table", options.table), COLUMNS) if options.table else None
    if table is not None:
        table.check("table")
    with jax.enable_x64(True):
        rows = by_hand(options) if options.robots else []
        for language, programs in [] if options.robots else teams(options):
            rows += compare(options, language, programs)
    if table is not None:
        table.keep(rows, arguments.say)
    causes = Counter(row["differs"] for row in rows if row["first"])
    for row in rows:
        if row["first"]:
            print(", ".join(f"{name} {row[name]}" for name in ("program", "rival", "turns", "first", "differs", "gap")))
    equal = len(rows) - sum(causes.values())
    print(f"{equal} of {len(rows)} rounds are equal to the end; the others differ first in {dict(causes)}")
    return 0


def teams(options: Options) -> "list[tuple[Language, dict[str, Programs]]]":
    """Return programs by name, by how they perceive and act; raises UsageError."""
    import jax

    from envs.robocode.language import Options as Language
    from envs.robocode.language import primitive_set
    from jaxgp.league.members import champion_files
    from jaxgp.measure import champions
    from jaxgp.operators.creation import create
    from jaxgp.operators.options import CreationOptions

    if not options.runs:
        language = Language(angles=options.angles, bot=options.bot, fire=options.fire)  # type: ignore[arg-type]
        creation = CreationOptions("ramped", 2, options.depth)
        made = jax.device_get(
            create(jax.random.key(options.seed), primitive_set(language), creation, options.programs, NODES)
        )
        return [(language, {str(n): jax.tree.map(lambda x, n=n: x[n], made) for n in range(options.programs)})]
    found: dict[Any, dict[str, Any]] = {}
    for path in champion_files("runs", options.runs):
        one = champions.load(str(path), envs, "runs")
        if one.cast.game.name != "robocode":
            raise UsageError(f"runs={path}: is of {one.cast.game.name}; accepted: champions of robocode")
        name = path.parent.name if one.in_run else path.name.replace(".jsonl", "").removesuffix(".json")
        found.setdefault(one.cast.options, {})[name] = one.genome
    return list(found.items())


def compare(options: Options, language: "Language", programs: "Mapping[str, Programs]") -> list[dict[str, object]]:
    """Return a row for each round of programs."""
    import jax
    import jax.numpy as jnp

    from envs.robocode.bots.samples import NAMES
    from envs.robocode.programs import fight
    from envs.robocode.real import export
    from envs.robocode.rules import SEEDS, Robocode, mixed
    from jaxgp.export.export import Written
    from jaxgp.genotypes.language import sizes

    world = Robocode(precision="float64")
    primitives, driver = fight(world, language)
    own = int(mixed(jnp.uint32(0), jnp.uint32(0))) % SEEDS  # what a robot in the first seat sees of seed 0
    names = list(programs)
    texts = {
        f"haiku.P{n}": export.java(
            world, language, Written(primitives, programs[name], name=f"haiku.P{n}"), f"Program {name}.", own
        )
        for n, name in enumerate(names)
    }
    pairs = [(n, NAMES[(n + r) % len(NAMES)]) for n in range(len(names)) for r in range(options.rounds)]
    room = max(int(np.max(one.length)) for one in programs.values())
    fitting = [jax.tree.map(np.asarray, _cut(programs[names[n]], room)) for n, _ in pairs]
    genomes = jax.tree.map(lambda *x: np.stack(x), *fitting)
    arguments.say(f"{sum(map(int, sizes(genomes)))} nodes")
    found = follow(options, driver, genomes, [(f"haiku.P{n}", rival) for n, rival in pairs], texts)
    about = {"bot": language.bot, "angles": language.angles}
    return [{"program": names[pairs[k][0]], **about, "rival": pairs[k][1], **row} for k, row in found.items()]


def by_hand(options: Options) -> list[dict[str, object]]:
    """Return a row for each round of robots written by hand; raises UsageError."""
    from envs.robocode.bots.samples import BOTS, NAMES
    from envs.robocode.machine import BotDriver

    names = [_known(name, NAMES) for name in options.robots]
    pairs = [pair for pair in itertools.combinations(names, 2) for _ in range(options.rounds)]
    numbers = np.array([NAMES.index(one) for one, _ in pairs], np.int32)
    found = follow(options, BotDriver(BOTS, precision="float64"), numbers, pairs, {})
    return [{"program": pairs[k][0], "bot": "", "angles": "", "rival": pairs[k][1], **row} for k, row in found.items()]


def follow(
    options: Options, driver: "BotDriver", genomes: Any, pairs: Sequence[tuple[str, str]], texts: Mapping[str, str]
) -> dict[int, dict[str, object]]:
    """Fight rounds in the engine and follow them here; return cells of rows by the numbers of the pairs.

    Args:
        options: of the command.
        driver: of the first robots.
        genomes: of these, [N, ...].
        pairs: N names of both robots; the second ones are written by hand.
        texts: Java classes of robots by name.
    """
    import jax

    from envs.robocode.bots.samples import BOTS, NAMES
    from envs.robocode.machine import BotDriver
    from envs.robocode.real.engine import Arena, Battle
    from envs.robocode.rules import Robocode
    from studies.robocode import following

    fought: dict[int, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        battles = [
            Battle((_spelled(one), _spelled(other)), 1, options.places + k, trace=Path(folder) / f"{k}.csv")
            for k, (one, other) in enumerate(pairs)
        ]
        cache = None if options.compilation_cache is None else Path(options.compilation_cache).expanduser()
        with Arena(texts, options.machines, cache) as arena:
            for done, one in enumerate(arena.fight(battles), 1):
                fought[one.battle.seed - options.places] = one
                if done % 50 == 0:
                    arguments.say(f"{done} of {len(battles)} rounds were fought in the engine")
        kept = [k for k in sorted(fought) if not fought[k].skipped]
        told = [following.read(Path(folder) / f"{k}.csv") for k in kept]
    arguments.say(f"{len(kept)} rounds are followed")
    numbers = np.array([NAMES.index(pairs[k][1]) for k in kept], np.int32)
    places = np.stack([fought[k].places[0] for k in kept])
    drivers = driver, BotDriver(BOTS, precision="float64")
    mine = jax.tree.map(lambda x: x[np.array(kept)], genomes)
    gaps = following.follow(Robocode(precision="float64"), drivers, (mine, numbers), places, told, 0)
    return {k: {"seed": options.places + k, **cells(gap)} for k, gap in zip(kept, gaps, strict=True)}


def cells(gaps: Any) -> dict[str, object]:
    """Return the cells of a round, from the gaps of its turns."""
    from studies.robocode.following import EQUAL, SAID, equal_turns

    names = [f"{whose} {name}" for whose in ("my", "rival's") for name in SAID] + ["bullets"]
    worst, turn = gaps.max(-1), equal_turns(gaps)
    if turn == len(gaps):
        return {"turns": len(gaps), "first": "", "differs": "", "gap": "", "before": f"{worst.max():.1e}"}
    before = f"{worst[turn - 1]:.1e}" if turn else ""
    what = [names[n] for n in np.flatnonzero(~(gaps[turn] <= EQUAL))]
    return {
        "turns": len(gaps),
        "first": turn + 1,
        "differs": " ".join(what),
        "gap": f"{worst[turn]:.1e}",
        "before": before,
    }


def _cut(program: "Programs", room: int) -> "Programs":
    """Return a program, [T, L], with room for so many nodes."""
    fields = {name: np.asarray(getattr(program, name))[:, :room] for name in ("opcode", "value", "size")}
    padded = {name: np.pad(field, ((0, 0), (0, room - field.shape[1]))) for name, field in fields.items()}
    return replace(program, **padded)  # type: ignore[arg-type]


def _known(name: str, names: Sequence[str]) -> str:
    if name not in names:
        raise UsageError(f"robots={name}: accepted: {', '.join(names)}")
    return name


def _spelled(name: str) -> str:
    return f"{name}*" if name.startswith("haiku.") else name


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__))
