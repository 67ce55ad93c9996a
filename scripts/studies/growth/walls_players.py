"""The players of Walls whose time is measured, with their operations and what those say about growth.

Derivation, for boards of N x N, S moves to a stall (9), rule lists of R rules over M x M cells, searches of d plies:

- moves of a game: a player that lays k bricks makes at most S k moves up to its last brick and S more until it is
  stalled, and both together lay at most N^2. So a game has at most S (N^2 + 2) moves: O(N^2);
- a move of a rule list: M^2 squares are looked up, and up to R rules compared in two ways (as written and mirrored),
  nine or ten cells to a word: O(R M^2) for every N. So a game takes O(N^2 R M^2). What is counted are the readings up
  to the first one that matches;
- a move of a search: at most 3^d sequences of moves, the square root of that where alpha-beta orders them perfectly.
  So a game takes O(N^2 3^d), and down to the end of the game O(3^(S (N^2 + 2)));
- bricks are bits: step and look-up go over ceil(N^2 / 32) words, 1 for N = 3 and 5, 2 for 7, 3 for 9, 4 for 11. This
  factor is O(N^2) in the long run, so all of the above becomes O(N^4) with boards far beyond those measured.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from envs.walls.opponents import decided, majority
from envs.walls.primitives import Options, rule_language, view
from envs.walls.rules import State, Walls
from envs.walls.strategies import STRATEGIES, strategy
from jaxgp.genotypes.rulelists import RuleLists
from jaxgp.genotypes.ruletext import parse_rules
from jaxgp.interpreter import rules
from jaxgp.operators.rulelists import RuleCreation, create
from jaxgp.search.alphabeta import AlphaBeta
from studies.growth.scaling import Mover, Rival

RULE_ORDER = "O(N^2) moves of O(R M^2): O(N^2 R M^2)"


class Evolved(NamedTuple):
    """An evolved rule list: what it is called, and how it reads."""

    name: str
    options: Options
    mask: int
    text: str


def movers(
    game: Walls,
    masks: Sequence[int],
    lengths: Sequence[int],
    depths: Sequence[int],
    lists: int,
    seed: int,
    champions: Sequence[Evolved] = (),
) -> list[Mover]:
    """Return all players for one board: random moves, fixed strategies, random rule lists, searches, champions.

    Args:
        game: the board.
        masks: M of the rule lists; those larger than the board are left out.
        lengths: R of the rule lists.
        depths: of the searches.
        lists: random rule lists of each kind, played in turn.
        seed: of the rule lists.
        champions: evolved rule lists; those that look further than the board are left out.
    """
    found = [Mover("random moves", None, np.zeros(1), "none", "O(N^2) moves")]
    found += [fixed(game, name) for name in STRATEGIES]
    found += [
        random_lists(game, mask, length, lists, seed) for mask in masks if mask <= game.size for length in lengths
    ]
    found += [evolved(game, one) for one in champions if one.mask <= game.size]
    return found + searchers(game, depths)


def evolved(game: Walls, champion: Evolved) -> Mover:
    """Return a champion; on every board it looks as far as on that of its evolution."""
    options = replace(champion.options, mask=champion.mask)
    language = rule_language(game, options)
    one = parse_rules(language, champion.text, max(1, len(champion.text.splitlines())))
    return _by_rules(game, options, champion.name, jax.tree.map(lambda x: jnp.asarray(x)[None], one))


def fixed(game: Walls, name: str) -> Mover:
    """Return one of the fixed strategies."""
    options, one = _strategy(game, name)
    # The smallest board has a list of its own, which is another player.
    title = f"strategy {name}" + (" of N = 3" if game.size == 3 and name == "fixed" else "")
    return _by_rules(game, options, title, jax.tree.map(lambda x: jnp.asarray(x)[None], one))


def opponent(game: Walls, name: str) -> Rival | None:
    """Return who the players meet: a fixed strategy by its name, or `random` moves."""
    if name == "random":
        return None
    options, one = _strategy(game, name)
    language = rule_language(game, options)
    masks = rules.prepare(language, one, options.symmetric)
    return lambda state: rules.act(language, masks, view(game, options, state)[None])[0][0]


def _strategy(game: Walls, name: str) -> tuple[Options, RuleLists]:
    found = strategy(name, game)
    capacity = max(1, len(found.text.splitlines()))
    return found.options, parse_rules(rule_language(game, found.options), found.text, capacity)


def random_lists(game: Walls, mask: int, length: int, lists: int, seed: int) -> Mover:
    """Return random rule lists, their conditions "don't care" four times in five, matched with symmetry."""
    options = Options(mask=mask, matching="symmetric")
    language, config = rule_language(game, options), RuleCreation(length, length, dont_care=0.8)
    made = jax.vmap(lambda key: create(key, language, config, max(1, length)))(
        jax.random.split(jax.random.key(seed), lists)
    )
    return _by_rules(game, options, f"rule list M={mask} R={length}", made)


def searchers(game: Walls, depths: Sequence[int]) -> list[Mover]:
    """Return alpha-beta searches that stop where a side has more than half of the squares; one program for all."""
    if not depths:
        return []
    search = AlphaBeta(
        majority(game),
        lambda state: decided(game, state),
        max_depth=max(depths),
        tail=min(2, *depths),
        lanes=1,
    )

    def act(depth: Array, state: State) -> tuple[Array, Array]:
        found = search.search(jax.tree.map(lambda x: x[None], state), depth[None], jnp.int32(1))
        return jnp.argmax(found.values[0]).astype(jnp.int32), found.nodes[0]

    order = "O(N^2) moves of O(3^d): O(N^2 3^d)"
    return [Mover(f"search d={depth}", act, np.full(1, depth, np.int32), "nodes", order) for depth in depths]


def _by_rules(game: Walls, options: Options, name: str, lists: RuleLists) -> Mover:
    """Return a player of rule lists [K], which are made ready for matching once and not in every game."""
    language = rule_language(game, options)
    masks = jax.vmap(lambda one: rules.prepare(language, one, options.symmetric))(lists)

    def act(one: rules.Masks, state: State) -> tuple[Array, Array]:
        return rules.compared(one, language, view(game, options, state))

    return Mover(name, act, masks, "readings compared", RULE_ORDER)
