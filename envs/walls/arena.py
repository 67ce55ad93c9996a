"""What the fixed strategy scores against random moves, random rule lists and searches, from both seats.

    python -m envs.walls.arena [games [searched [sizes ...]]]

It prints a row for each opponent and size: won + drawn + lost, as first and as second player. `games` are played from
each seat, `searched` against each search.
"""

import sys

import jax
from jax import Array

from envs.walls.opponents import decided
from envs.walls.primitives import Options, rule_language, view
from envs.walls.rules import State, Walls
from envs.walls.strategies import strategy
from jaxgp.genotypes.rulelists import RuleLists
from jaxgp.genotypes.ruletext import parse_rules
from jaxgp.interpreter import rules
from jaxgp.measure.arena import Reply, random_moves, results, search
from jaxgp.operators.rulelists import RuleCreation, create

DEPTHS = (2, 4, 6)


def by_rules(game: Walls, options: Options, lists: RuleLists) -> Reply:
    """Play rule lists [G], one in each game, or one list in all."""
    language = rule_language(game, options)
    masks = rules.prepare(language, lists, options.symmetric)

    def reply(states: State, bits: Array) -> Array:
        views = jax.vmap(lambda state: view(game, options, state))(states)
        if masks.length.ndim:
            return rules.act(language, masks, views[:, None])[0][:, 0]
        return rules.act(language, masks, views)[0]

    return reply


def fixed(game: Walls, name: str = "fixed") -> Reply:
    """Play a fixed strategy."""
    found = strategy(name, game)
    capacity = max(1, len(found.text.splitlines()))
    return by_rules(game, found.options, parse_rules(rule_language(game, found.options), found.text, capacity))


def random_lists(game: Walls, games: int, config: RuleCreation, seed: int = 1) -> Reply:
    """Play a random rule list in each game, read strictly, over 3 x 3 cells."""
    options = Options(mask=3, matching="strict")
    language = rule_language(game, options)
    keys = jax.random.split(jax.random.key(seed), games)
    lists = jax.jit(jax.vmap(lambda key: create(key, language, config, config.max_rules)))(keys)
    return by_rules(game, options, lists)


def main(games: int = 1000, searched: int = 200, *sizes: int) -> None:
    """Print the table."""
    print("| opponent | size | as first player | as second player |\n|---|---|---|---|")
    for size in sizes or (3, 5, 7):
        game = Walls(size)
        opponents = {
            "random moves": (games, random_moves(game)),
            "random rule lists, conditions uniform": (games, random_lists(game, games, RuleCreation())),
            'random rule lists, 80 % "don\'t care"': (games, random_lists(game, games, RuleCreation(dont_care=0.8))),
            **{f"search, {depth} plies, random ties": (searched, search(game, depth, decided)) for depth in DEPTHS},
        }
        for name, (number, opponent) in opponents.items():
            scores = results(game, fixed(game), opponent, number)
            said = " | ".join(" + ".join(map(str, score.tolist())) for score in scores)
            print(f"| {name} | {size} | {said} |", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
