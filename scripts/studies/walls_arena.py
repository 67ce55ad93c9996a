"""What the fixed strategy of Walls scores against random moves, random rule lists and searches, from both seats.

python scripts/studies/walls_arena.py
python scripts/studies/walls_arena.py games=100 searched=20 sizes=[5] depths=[2]

python scripts/studies/walls_arena.py table=docs/data/walls_arena.csv

It prints a row for each opponent and size: won + drawn + lost, as first and as second player.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

from dataclasses import dataclass

import jax
from jax import Array

from envs.walls.opponents import decided
from envs.walls.primitives import Options as Sight
from envs.walls.primitives import rule_language, view
from envs.walls.rules import State, Walls
from envs.walls.strategies import strategy
from jaxgp import files
from jaxgp.config import arguments
from jaxgp.genotypes.rulelists import RuleLists
from jaxgp.genotypes.ruletext import parse_rules
from jaxgp.interpreter import rules
from jaxgp.operators.options import RuleCreation
from jaxgp.operators.rulelists import create
from jaxgp.options import DEEPEST, MAX_CORES, MAX_SEED, option
from jaxgp.search import cores
from jaxgp.store.table import Table
from studies import checks
from studies.series import Reply, random_moves, results, search

COLUMNS = {
    "opponent": "whom the fixed strategy met",
    "size": "side of the board",
    "seat": "of the fixed strategy",
    "won": "games that it won",
    "drawn": "games that nobody won",
    "lost": "games that it lost",
    "seed": "of random moves and random ties",
}
"""The columns of the table, and what is in them."""
SEATS = ("first", "second")
HEAD = "| opponent | size | as first player | as second player |\n|---|---|---|---|"


@dataclass
class Options:
    """How many games are played, and on which boards."""

    games: int = option(
        1000, "games from each seat against random moves, and against random rule lists", low=1, high=100_000
    )
    searched: int = option(200, "games from each seat against each search", low=1, high=100_000)
    sizes: tuple[int, ...] = option(
        (3, 5, 7), "sides of the boards", low=3, high=checks.LARGEST, test=checks.side, accepted=checks.SIDES
    )
    depths: tuple[int, ...] = option((2, 4, 6), "plies of the searches", low=1, high=DEEPEST)
    seed: int = option(0, "of random moves and random ties", low=0, high=MAX_SEED)
    cores: int | None = option(None, "of a CPU that share searches; null: all of them, up to 8", low=1, high=MAX_CORES)
    table: str | None = option(None, "CSV file that gets a row for each opponent, size and seat; null: none", path=True)

    def laws(self, prefix: str) -> None:
        """Refuse numbers that come twice; raises UsageError."""
        checks.once(self, ("sizes", "depths"))


def task(options: Options) -> int:
    """Play, print a row for each opponent."""
    cores.use(options.cores)
    table = Table(files.user_path("table", options.table), COLUMNS) if options.table else None
    if table is not None:
        table.check("table")
    print(HEAD)
    for size in options.sizes:
        game = Walls(size)
        player = fixed(game)
        for name, (number, opponent) in opponents(game, options).items():
            scores = results(game, player, opponent, number, options.seed)
            said = " | ".join(" + ".join(map(str, score.tolist())) for score in scores)
            print(f"| {name} | {size} | {said} |", flush=True)
            rows = [
                dict(zip(COLUMNS, (name, size, seat, *score.tolist(), options.seed), strict=True))
                for seat, score in zip(SEATS, scores, strict=True)
            ]
            if table is not None:
                table.keep(rows, arguments.say)
    return 0


def opponents(game: Walls, options: Options) -> dict[str, tuple[int, Reply]]:
    """Return who is met, and in how many games from each seat."""
    games, searched = options.games, options.searched
    sparse = RuleCreation(dont_care=0.8)
    return {
        "random moves": (games, random_moves(game)),
        "random rule lists, conditions uniform": (games, random_lists(game, games, RuleCreation())),
        'random rule lists, 80 % "don\'t care"': (games, random_lists(game, games, sparse)),
        **{f"search, {depth} plies, random ties": (searched, search(game, depth, decided)) for depth in options.depths},
    }


def fixed(game: Walls, name: str = "fixed") -> Reply:
    """Play a fixed strategy."""
    found = strategy(name, game)
    capacity = max(1, len(found.text.splitlines()))
    return by_rules(game, found.options, parse_rules(rule_language(game, found.options), found.text, capacity))


def random_lists(game: Walls, games: int, config: RuleCreation, seed: int = 1) -> Reply:
    """Play a random rule list in each game, read strictly, over 3 x 3 cells."""
    sight = Sight(mask=3, matching="strict")
    language = rule_language(game, sight)
    keys = jax.random.split(jax.random.key(seed), games)
    lists = jax.jit(jax.vmap(lambda key: create(key, language, config, config.max_rules)))(keys)
    return by_rules(game, sight, lists)


def by_rules(game: Walls, sight: Sight, lists: RuleLists) -> Reply:
    """Play rule lists [G], one in each game, or one list in all."""
    language = rule_language(game, sight)
    masks = rules.prepare(language, lists, sight.symmetric)

    def reply(states: State, bits: Array) -> Array:
        views = jax.vmap(lambda state: view(game, sight, state))(states)
        if masks.length.ndim:
            return rules.act(language, masks, views[:, None])[0][:, 0]
        return rules.act(language, masks, views)[0]

    return reply


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__))
