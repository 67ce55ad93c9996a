"""Fight the same rounds here and in the real Robocode, and compare them turn by turn; a row for each round.

python scripts/studies/robocode/sim_to_real.py programs=200                            random programs
python scripts/studies/robocode/sim_to_real.py "runs=[outputs/robocode/*]" rounds=15   champions, each in so many rounds

Every robot here knows the places at the beginning of the round, and nothing else of it. Rivals are those written by
hand, one after the other. Both sides compute in double precision. Where a round differs, the row says in which turn
first, in what, and by how much.
"""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
os.environ["XLA_FLAGS"] = "--xla_cpu_max_isa=AVX"  # products and sums are rounded one by one, as in Java

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

import tempfile
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import envs
from jaxgp import files
from jaxgp.config import arguments
from jaxgp.errors import UsageError
from jaxgp.options import MAX_SEED, option

if TYPE_CHECKING:
    from envs.robocode.language import Options as Language
    from jaxgp.genotypes.programs import Programs

COLUMNS = {
    "program": "a random one by its number, or a champion by its run",
    "bot": "robot or advanced",
    "angles": "degrees or radians",
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
PLACES_SEED = 1000
"""The engine's seed in the first round, from which places follow; each round has the next one."""


@dataclass
class Options:
    """Who fights."""

    runs: list[str] = option([], "champions: run directories, folders of such, champion files; none: random programs")
    programs: int = option(200, "random programs", low=1, high=10_000)
    depth: int = option(6, "of random programs, from 2 on", low=2, high=10)
    rounds: int = option(1, "of each program, each against the next rival", low=1, high=1000)
    bot: str = option("robot", "of random programs", ("robot", "advanced"))
    angles: str = option("degrees", "of random programs", ("degrees", "radians"))
    seed: int = option(11, "of random programs", low=0, high=MAX_SEED)
    machines: int = option(4, "virtual machines side by side", low=1, high=64)
    compilation_cache: str | None = option(
        "~/.cache/jaxgp", "where compiled programs are kept; null: nowhere", path=True
    )
    table: str | None = option(None, "a CSV file that gets a row for each round; null: none", path=True)


def task(options: Options) -> int:
    """Fight, compare, add rows, and say how many rounds are equal."""
    import jax

    from envs.robocode import engine
    from jaxgp.run.run import use_compilation_cache
    from jaxgp.store.table import CSVTable

    if why := engine.missing():
        raise UsageError(f"engine=robocode: {why}")
    use_compilation_cache(options.compilation_cache)
    table = CSVTable(files.user_path("table", options.table), COLUMNS) if options.table else None
    if table is not None:
        table.check("table")
    rows = []
    for language, programs in teams(options):
        with jax.enable_x64(True):
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
        language = Language(angles=options.angles, bot=options.bot)  # type: ignore[arg-type]
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
    import numpy as np

    from envs.robocode import export
    from envs.robocode.bots.samples import BOTS, NAMES
    from envs.robocode.engine import Arena, Battle
    from envs.robocode.machine import BotDriver
    from envs.robocode.programs import fight
    from envs.robocode.rules import SEEDS, Robocode, mixed
    from jaxgp.export.export import Written
    from jaxgp.genotypes.language import sizes
    from studies.robocode import following

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
    fought: dict[int, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        battles = [
            Battle((f"haiku.P{n}*", _spelled(rival)), 1, PLACES_SEED + k, trace=Path(folder) / f"{k}.csv")
            for k, (n, rival) in enumerate(pairs)
        ]
        cache = None if options.compilation_cache is None else Path(options.compilation_cache).expanduser()
        with Arena(texts, options.machines, cache) as arena:
            for done, one in enumerate(arena.fight(battles), 1):
                fought[one.battle.seed - PLACES_SEED] = one
                if done % 50 == 0:
                    arguments.say(f"{done} of {len(battles)} rounds were fought in the engine")
        kept = [k for k in sorted(fought) if not fought[k].skipped]
        told = [following.read(Path(folder) / f"{k}.csv") for k in kept]
    room = max(int(np.max(one.length)) for one in programs.values())
    fitting = [jax.tree.map(np.asarray, _cut(programs[names[n]], room)) for n, _ in pairs]
    genomes = jax.tree.map(lambda *x: np.stack(x), *(fitting[k] for k in kept))
    numbers = np.array([NAMES.index(pairs[k][1]) for k in kept], np.int32)
    places = np.stack([fought[k].places[0] for k in kept])
    robots = BotDriver(BOTS, precision="float64")
    arguments.say(f"{len(kept)} rounds are followed; {sum(map(int, sizes(genomes)))} nodes")
    gaps = following.follow(world, (driver, robots), (genomes, numbers), places, told, 0)
    about = {"bot": language.bot, "angles": language.angles}
    return [
        {"program": names[pairs[k][0]], **about, "rival": pairs[k][1], "seed": PLACES_SEED + k, **cells(gap)}
        for k, gap in zip(kept, gaps, strict=True)
    ]


def cells(gaps: Any) -> dict[str, object]:
    """Return the cells of a round, from the gaps of its turns."""
    import numpy as np

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
    import numpy as np

    fields = {name: np.asarray(getattr(program, name))[:, :room] for name in ("opcode", "value", "size")}
    padded = {name: np.pad(field, ((0, 0), (0, room - field.shape[1]))) for name, field in fields.items()}
    return replace(program, **padded)  # type: ignore[type-var]


def _spelled(name: str) -> str:
    return f"{name}*" if name.startswith("haiku.") else name


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__))
