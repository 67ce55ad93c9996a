"""What the fixed strategy scores against random moves, random rule lists and searches, from both seats.

    python -m envs.walls.arena [games [searched [sizes ...]]]

It prints a row for each opponent and size: won + drawn + lost, as first and as second player. `games` are played from
each seat, `searched` against each search.
"""

import sys
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from envs.walls.opponents import decided, strategy
from envs.walls.primitives import Settings, rule_language, view
from envs.walls.rules import State, Walls
from jaxgp.genotypes.rulelists import RuleLists
from jaxgp.genotypes.ruletext import parse_rules
from jaxgp.interpreter import rules
from jaxgp.operators.rulelists import RuleCreation, create
from jaxgp.players.choice import pick
from jaxgp.search.alphabeta import AlphaBeta, best_moves

Reply = Callable[[State, Array], Array]
"""([G] states, uint32[G] random bits) -> int32[G] moves."""

DEPTHS = (2, 4, 6)


def results(game: Walls, player: Reply, opponent: Reply, games: int, seed: int = 0) -> np.ndarray:
    """Play games in lock step; return int32[2, 3]: won, drawn and lost by the player, as first and as second one."""

    @jax.jit
    def play(seat: Array) -> Array:
        def turn(carry: tuple[State, Array]) -> tuple[State, Array]:
            states, ply = carry
            bits = jax.random.bits(jax.random.fold_in(jax.random.key(seed), ply), (games,))
            mine = states.to_move == seat
            moves = jnp.where(mine, player(states, bits), opponent(states, bits))
            return jax.vmap(game.step)(states, moves), ply + 1

        start = jax.vmap(lambda _: game.init())(jnp.arange(games))
        ended, _ = lax.while_loop(lambda carry: ~carry[0].terminated.all(), turn, (start, jnp.int32(0)))
        return (ended.returns[:, seat, None] == jnp.array([1.0, 0.0, -1.0])).sum(0, dtype=jnp.int32)

    return np.stack([play(jnp.int32(seat)) for seat in (0, 1)])


def by_rules(game: Walls, settings: Settings, lists: RuleLists) -> Reply:
    """Play rule lists [G], one in each game, or one list in all."""
    language = rule_language(game, settings)
    masks = rules.prepare(language, lists, settings.symmetric)

    def reply(states: State, bits: Array) -> Array:
        views = jax.vmap(lambda state: view(game, settings, state))(states)
        if masks.length.ndim:
            return rules.act(language, masks, views[:, None])[0][:, 0]
        return rules.act(language, masks, views)[0]

    return reply


def fixed(game: Walls, name: str = "fixed") -> Reply:
    """Play a fixed strategy."""
    settings, text = strategy(name, game)
    return by_rules(game, settings, parse_rules(rule_language(game, settings), text, max(1, text.count("\n") + 1)))


def random_moves(game: Walls) -> Reply:
    """Play any legal move with equal probability."""
    return lambda states, bits: pick(jax.vmap(game.legal_actions)(states), bits)


def random_lists(game: Walls, games: int, config: RuleCreation, seed: int = 1) -> Reply:
    """Play a random rule list in each game, read strictly, over 3 x 3 cells."""
    settings = Settings(mask=3, matching="strict")
    language = rule_language(game, settings)
    keys = jax.random.split(jax.random.key(seed), games)
    lists = jax.jit(jax.vmap(lambda key: create(key, language, config, config.max_rules)))(keys)
    return by_rules(game, settings, lists)


def search(game: Walls, depth: int, evaluate: Callable[[Any, Any], Array] = decided) -> Reply:
    """Play a random one of the best moves of an alpha-beta search."""
    searcher = AlphaBeta(game, lambda state: evaluate(game, state), max_depth=depth, tail=min(2, depth), ties="all")

    def reply(states: State, bits: Array) -> Array:
        count = states.to_move.shape[0]
        found = searcher.search(states, jnp.full(count, depth, jnp.int32), jnp.int32(count))
        return pick(best_moves(found.values), bits)

    return reply


def main(games: int = 1000, searched: int = 200, *sizes: int) -> None:
    """Print the table."""
    print("| opponent | size | as first player | as second player |\n|---|---|---|---|")
    for size in sizes or (3, 5, 7):
        game = Walls(size)
        opponents = {
            "random moves": (games, random_moves(game)),
            "random rule lists, conditions uniform": (games, random_lists(game, games, RuleCreation())),
            'random rule lists, 80 % "don\'t care"': (games, random_lists(game, games, RuleCreation(dont_care=0.8))),
            **{f"search, {depth} plies, random ties": (searched, search(game, depth)) for depth in DEPTHS},
        }
        for name, (number, opponent) in opponents.items():
            scores = results(game, fixed(game), opponent, number)
            said = " | ".join(" + ".join(map(str, score.tolist())) for score in scores)
            print(f"| {name} | {size} | {said} |", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
