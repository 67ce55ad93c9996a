"""Why a player moves as it does in one position: what it values, which rule fires, what each node of a program says."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from jaxgp.anatomy.trace import Tracer, Tree
from jaxgp.contracts import Alone, ListsMoves, Position
from jaxgp.games.casting import Cast
from jaxgp.genotypes.language import Genome, to_text
from jaxgp.genotypes.text import print_name
from jaxgp.interpreter import rules
from jaxgp.interpreter.evaluate import evaluate
from jaxgp.players.greedy import ChosenPlayer, GreedyPlayer
from jaxgp.players.program import ProgramPlayer
from jaxgp.players.rules import RulePlayer
from jaxgp.players.searched import SearchedPlayer
from jaxgp.players.searches import TAIL, draws_anew, searches
from jaxgp.printable import plies
from jaxgp.search.alphabeta import AlphaBeta
from jaxgp.search.chance import unused_key
from jaxgp.search.lookahead import tail_of
from jaxgp.seats.moves import legal
from jaxgp.seats.options import PlayerOptions
from jaxgp.spec import Strategy

MOST_NODES = 400
"""Nodes of a tree that is drawn with its values."""
Valued = tuple[Array, Array]
"""float32[K], what moves are worth to the side to move, and int32[L, K], what is expected after each; -1: nothing."""


@dataclass(frozen=True)
class Reasons:
    """What is known of a move.

    Attributes:
        says: how the player decides, in words.
        moves: (name of a legal move, what it is worth, what is expected after it), the best first; empty: not valued.
        rules: (text of a rule, whether it fires, whether it was passed over), in their order; empty: there are none.
        trees: S-expressions in which each node bears its value.
    """

    says: str
    moves: Sequence[tuple[str, float, str]] = ()
    rules: Sequence[tuple[str, bool, bool]] = ()
    trees: Sequence[str] = field(default_factory=tuple)


def explain(cast: Cast, player: PlayerOptions, genome: Genome | None, state: Position) -> Reasons:
    """Say why a player moves as it does.

    Args:
        cast: the game, and how the genome plays it.
        player: the player.
        genome: of a champion; None for other players.
        state: a position whose game goes on.
    """
    if player.kind == "search":
        return _of_search(cast, player, state)
    if player.kind == "random":
        return Reasons("It draws any legal move with equal probability.")
    if player.kind == "strategy":
        return _of_strategy(cast, player, state)
    depth = getattr(player, "depth", None)
    cast = cast if depth is None else cast.at_depth(depth, "depth")
    return _of_genome(cast.actor, cast, genome, state)


def _of_search(cast: Cast, player: Any, state: Position) -> Reasons:
    found = searches(cast.spec, cast.game, player.evaluator, player.depth, "first", TAIL, lanes=8)
    if len(found) > 1 or draws_anew(found[0]):
        return Reasons("A search whose values are drawn anew for every move.")
    named = player.evaluator or next(iter(cast.spec.evaluators(cast.game)))
    return Reasons(
        f"A search of {plies(player.depth)} by {named}. Values are those for the side to move.",
        _searched(cast, found[0], (), player.depth, state),
    )


def _of_strategy(cast: Cast, player: Any, state: Position) -> Reasons:
    named = player.named(cast).name
    found = cast.spec.strategy_of(named, cast.game)
    if not isinstance(found, Strategy):
        return Reasons(f"The strategy {named} is a function of the game's own.")
    role = cast.spec.role(found.role)
    language, actor = role.make(cast.game, found.options)
    from jaxgp.genotypes.language import parse

    own = replace(cast, role=role, options=found.options, language=language, actor=actor)
    return _of_genome(actor, own, parse(language, found.text), state)


def _of_genome(actor: Any, cast: Cast, genome: Genome | None, state: Position) -> Reasons:
    assert genome is not None
    if isinstance(actor, Alone):
        return Reasons(_of_soloist(actor, genome, cast, state))
    plans = jax.jit(actor.prepare)(jax.tree.map(lambda x: jnp.asarray(x)[None], genome))
    if isinstance(actor, SearchedPlayer):
        says = (
            f"A program values the leaves of a search of {plies(actor.depth)}; values are those for the side to move."
        )
        moves = _searched(cast, actor.search(), plans, actor.depth, state)
        return Reasons(says, moves, trees=_trees(actor, genome, _seen(actor, state)))
    if isinstance(actor, GreedyPlayer):
        moves, first = _greedy(actor, cast, plans, state)
        return Reasons("A program values each move by what it leads to.", moves, trees=_trees(actor, genome, first))
    if isinstance(actor, ChosenPlayer):
        return Reasons("A program values what each move leads to.", _chosen(actor, cast, plans, state))
    if isinstance(actor, RulePlayer):
        return Reasons("The first rule that matches the view acts.", rules=_fired(actor, cast, plans, genome, state))
    if isinstance(actor, ProgramPlayer):
        return Reasons(
            "The value of the program names the move. The numbers are the values in this position.",
            trees=_trees(actor, genome, jax.jit(actor.features)(state)),
        )
    return Reasons(f"Players of the role {cast.role and cast.role.name} are not explained.")


def _of_soloist(actor: Alone, genome: Genome, cast: Cast, state: Position) -> str:
    count = int(np.asarray(getattr(state, "count", 0)))
    record = actor.record(genome)
    if count >= len(record):
        return "The player has no move in this position."
    action, node = record[count]
    return f"Move {count + 1} of its own game: {actor.reason(genome, node)} plays {_name(cast, action)}."


def _name(cast: Cast, action: int) -> str:
    return cast.spec.notation.action_name(cast.game, action)


def _searched(cast: Cast, search: AlphaBeta, plans: Any, depth: int, state: Position) -> list[tuple[str, float, str]]:
    """Value every legal move exactly, by a search of what it leads to; the best first."""
    actions = legal(cast.game, state)
    padded = actions + actions[:1] * (-len(actions) % 8)
    rules_ = search.game if search.twin is None else search.twin
    inner = replace(search, max_depth=max(depth - 1, 1), tail=tail_of(rules_, 1))
    found = _following(inner, depth)(plans, state, jnp.asarray(padded, jnp.int32))
    values, lines = (np.asarray(one) for one in found)
    order = sorted(range(len(actions)), key=lambda n: -values[n])
    return [
        (
            _name(cast, actions[n]),
            float(values[n]),
            " ".join(_name(cast, int(action)) for action in lines[:, n] if action >= 0),
        )
        for n in order
    ]


@lru_cache(maxsize=16)
def _following(search: AlphaBeta, depth: int) -> Callable[[Any, Position, Array], Valued]:
    """Compile: (contexts, state, int32[K] actions) -> their values, and the lines that are expected after each."""

    def leaves(contexts: Any, states: Position) -> Array:
        seen = states if search.twin is None else jax.vmap(search.twin.pack)(states)
        count = len(states.to_move)
        if search.evaluate is not None:
            return jax.vmap(search.evaluate)(seen)
        assert search.leaf_evaluator is not None
        return search.leaf_evaluator(contexts, jnp.zeros(count, jnp.int32), seen, jnp.int32(count))

    step = jax.vmap(lambda state, action: search.game.step(state, action, unused_key()))

    def valued(contexts: Any, state: Position, actions: Array) -> Valued:
        count = len(actions)
        root = jax.tree.map(lambda x: jnp.broadcast_to(x, (count, *jnp.shape(x))), state)
        states = step(root, actions)
        values, lines = leaves(contexts, states), []
        mine = states.to_move == state.to_move
        for left in range(depth - 1, 0, -1):
            whose = None if search.leaf_evaluator is None else jnp.zeros(count, jnp.int32)
            found = search.search(states, jnp.full(count, left), jnp.int32(count), contexts, whose).values
            if left == depth - 1:
                values = jnp.where(states.terminated, values, found.max(-1))
            best = found.argmax(-1).astype(jnp.int32)
            lines.append(jnp.where(states.terminated, -1, best))
            states = step(states, best)
        return jnp.where(mine, values, -values), jnp.stack(lines) if lines else jnp.zeros((0, count), jnp.int32)

    return jax.jit(valued)


def _seen(actor: SearchedPlayer, state: Position) -> Array | None:
    """Return float32[F], what a program sees of a position; None where that is packed."""
    found = jax.jit(lambda state: actor.view(state if actor.twin is None else actor.twin.pack(state)))(state)
    return found if isinstance(found, Array) else None


def _greedy(
    actor: GreedyPlayer, cast: Cast, plans: Any, state: Position
) -> tuple[list[tuple[str, float, str]], Array | None]:
    """Value every move; return also what the program sees after the best one."""
    count = int(jax.jit(actor.choices)(state))
    places = jnp.minimum(jnp.arange(count + -count % 8, dtype=jnp.int32), count - 1)

    def each(plans: Any, state: Position, places: Array) -> tuple[Array, Array, Array]:
        moves, seen = jax.vmap(actor.outcome, (None, 0))(state, places)
        return moves, evaluate(actor.primitives, plans, seen.T)[0], seen

    moves, values, seen = jax.jit(each)(plans, state, places)
    order = sorted(range(count), key=lambda n: -float(values[n]))
    return [(_name(cast, int(moves[n])), float(values[n]), "") for n in order], seen[order[0]]


def _chosen(actor: ChosenPlayer, cast: Cast, plans: Any, state: Position) -> list[tuple[str, float, str]]:
    """Value every move on the list of the game; nothing where whole turns are valued."""
    game: Any = cast.game
    if not isinstance(game, ListsMoves) or cast.game.chance:
        return []
    count = int(jax.jit(game.choices)(state))
    places = jnp.minimum(jnp.arange(count + -count % 8, dtype=jnp.int32), count - 1)

    def each(plans: Any, state: Position, places: Array) -> tuple[Array, Array]:
        outcomes = jax.vmap(actor.outcome, (None, 0))(state, places)
        alone, looked = jax.tree.map(lambda x: x[None], (state, outcomes))
        values = actor.values(plans, alone, looked, jnp.ones((1, len(places)), bool))
        return jax.vmap(game.choice, (None, 0))(state, places), values[0, 0]

    moves, values = jax.jit(each)(plans, state, places)
    order = sorted(range(count), key=lambda n: -float(values[n]))
    return [(_name(cast, int(moves[n])), float(values[n]), "") for n in order]


def _fired(actor: RulePlayer, cast: Cast, masks: Any, genome: Genome, state: Position) -> list[tuple[str, bool, bool]]:
    """Return the rules in their order, and which of them fires."""
    find = jax.jit(lambda masks, state: rules.act(actor.language, masks, actor.view(state)[None, None]))
    action, fired = (int(x[0, 0]) for x in find(masks, state))
    written = to_text(actor.language, genome).splitlines()
    listed = [(text, number == fired, number < fired or fired < 0) for number, text in enumerate(written)]
    default = f"otherwise {actor.language.actions[actor.language.default]}"
    del action
    return [*listed, (default, fired < 0, False)]


def _trees(actor: Any, genome: Any, seen: Array | None) -> list[str]:
    """Write the trees of a program with the value of each node; none if they are large, or what they see is packed."""
    if seen is None or getattr(actor, "top", None) is not None:
        return []
    tracer = Tracer(actor.primitives, np.asarray(seen, np.float32)[:, None])
    found = []
    for number in range(actor.primitives.num_trees):
        tree = Tree.of(actor.primitives, jax.tree.map(lambda x, number=number: np.asarray(x)[number], genome))
        if len(tree) > MOST_NODES:
            return []
        values = tracer.values(tree)[:, 0]
        found.append(_with_values(tree, values))
    return found


def _with_values(tree: Tree, values: np.ndarray) -> str:
    """Write a tree as an S-expression whose words bear values, each after an arrow."""
    texts: list[str] = []
    for node, args in enumerate(tree.args):
        name = print_name(tree.primitives, tree.codes[node], tree.values[node]).strip("() ").replace(" ", ":")
        word = f"{name}\u2192{values[node]:.4g}" if name != f"{values[node]:.4g}" else name
        inside = texts[len(texts) - len(args) :] if args else []
        del texts[len(texts) - len(args) :]
        texts.append(f"({' '.join([word, *inside])})" if args else word)
    return texts[-1]
