"""A league in the real Robocode: fifteen robots written by hand, and champions; a row for each battle.

python scripts/studies/robocode/engine_league.py champions=[docs/data/champions/robocode_haiku.json] battles=4

Each pair fights as many battles, half of them from each seat. The same command goes on where it was cut off; battles in
which a robot missed a turn are fought again, and left out if that does not help.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

import csv
import itertools
from dataclasses import dataclass

import envs
from envs.robocode.bots.samples import NAMES
from envs.robocode.real import engine, export
from jaxgp import files
from jaxgp.config import arguments
from jaxgp.errors import UsageError, reject
from jaxgp.export.export import Written
from jaxgp.measure import champions
from jaxgp.options import MAX_GAMES, MAX_SEED, option

COLUMNS = (
    *("a", "b", "seed", "rounds", "turns", "firsts_a", "firsts_b"),
    *(f"{kind}_{seat}" for kind in engine.KINDS for seat in "ab"),
)
PLACE = "league.Champion"
"""What the class of a champion is called, before its number."""


@dataclass
class Options:
    """Who fights, and how often."""

    champions: list[str] = option(
        ["docs/data/champions/robocode_haiku.json"], "champion files or run directories, beside the robots by hand"
    )
    battles: int = option(4, "of each pair", low=2, high=MAX_GAMES)
    rounds: int = option(3, "of a battle", low=1, high=1000)
    seed: int = option(500, "of the first battle of each pair; each further one has the next", low=0, high=MAX_SEED)
    machines: int = option(2, "virtual machines side by side", low=1, high=64)
    table: str = option("docs/data/robocode_engine_league.csv", "a CSV file that rows are added to", path=True)

    def laws(self, prefix: str) -> None:
        """Refuse battles that cannot be shared by the seats; raises UsageError."""
        if self.battles % 2:
            reject(prefix + "battles", self.battles, "an even number, half of them from each seat")


def classes(paths: list[str]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the Java text of champions by class, and the names that rows call them; raises UsageError."""
    texts, names = {}, {}
    for number, path in enumerate(paths):
        one = champions.load(path, envs, "champions")
        if one.cast.game.name != "robocode":
            raise UsageError(f"champions={path}: is of {one.cast.game.name}; accepted: champions of robocode")
        name = f"{PLACE}{number}"
        written = Written(one.cast.language, one.genome, name=name)
        texts[name] = export.java(one.cast.game, one.cast.options, written)
        names[f"{name}*"] = Path(path).name.removesuffix(".json")
    return texts, names


def row(one: engine.Fought, names: dict[str, str]) -> dict[str, object]:
    """Return the cells of a battle."""
    survived = one.points[:, :, engine.KINDS.index("survival")] > 0
    firsts = [int((survived[:, n] | ~survived[:, 1 - n]).sum()) for n in (0, 1)]
    a, b = (names.get(robot, robot.removesuffix("*")) for robot in one.battle.robots)
    turns = int((one.turns - engine.AFTERWARDS).sum())
    about = {"a": a, "b": b, "seed": one.battle.seed, "rounds": one.battle.rounds, "turns": turns}
    points = {
        f"{kind}_{seat}": round(float(one.points[:, place, n].sum()), 3)
        for n, kind in enumerate(engine.KINDS)
        for place, seat in enumerate("ab")
    }
    return {**about, "firsts_a": firsts[0], "firsts_b": firsts[1], **points}


def task(options: Options) -> int:
    """Fight what has not been fought, and add rows."""
    if why := engine.missing():
        raise UsageError(f"engine=robocode: {why}")
    table = files.user_path("table", options.table)
    texts, names = classes(options.champions)
    robots = [f"{name}*" if name.startswith("haiku.") else name for name in NAMES] + list(names)
    done = set()
    if table.is_file():
        with table.open(newline="") as file:
            done = {(line["a"], line["b"], int(line["seed"])) for line in csv.DictReader(file)}
    battles = []
    for pair in itertools.combinations(robots, 2):
        for number in range(options.battles):
            robot = pair if number % 2 == 0 else pair[::-1]
            called = tuple(names.get(name, name.removesuffix("*")) for name in robot)
            if (*called, options.seed + number) not in done:
                battles.append(engine.Battle(robot, options.rounds, options.seed + number))
    begins = not table.is_file()
    with engine.Arena(texts, options.machines) as arena, table.open("a", newline="") as file:
        rows = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        if begins:
            rows.writeheader()
        for fought, one in enumerate(arena.fight(battles), 1):
            if not one.skipped:
                rows.writerow(row(one, names))
                file.flush()
            if fought % 50 == 0:
                arguments.say(f"{fought} of {len(battles)} battles")
    return 0


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__))
