"""Why a player moves as it does in one position: what it values, which rule fires, what each node of a program says."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from jaxgp.anatomy.reasons import guides, masks
from jaxgp.anatomy.reasons.drawn import Drawn, PaleNodes, with_leaf, with_values
from jaxgp.anatomy.reasons.masks import Ruled
from jaxgp.contracts import Alone, ListsMoves, Position
from jaxgp.games.casting import Cast
from jaxgp.genotypes.language import Genome
from jaxgp.interpreter.evaluate import evaluate
from jaxgp.players.alone.guided import GuidedSoloist
from jaxgp.players.alone.walk import Walker
from jaxgp.players.greedy import ChoosingPlayer, ChosenPlayer, GreedyPlayer, WeighedPlayer
from jaxgp.players.program import ProgramPlayer
from jaxgp.players.rules import RulePlayer
from jaxgp.players.searched import SearchedPlayer
from jaxgp.players.searches import TAIL, draws_anew, searches
from jaxgp.players.solver import ProgramSolver
from jaxgp.printable import plies
from jaxgp.search.alphabeta import AlphaBeta
from jaxgp.search.chance import unused_key
from jaxgp.search.lookahead import tail_of
from jaxgp.seats.moves import legal
from jaxgp.seats.options import PlayerOptions
from jaxgp.spec import Strategy

Valued = tuple[Array, Array]
"""float32[K], what moves are worth to the side to move, and int32[L, K], what is expected after each; -1: nothing."""
MoveLine = tuple[str, float, str]
"""The name of a move, what it is worth, and what else is known of it."""
TERMS = 5
"""Terms of a sum that are told, the largest ones."""


@dataclass(frozen=True)
class Reasons:
    """What is known of a move.

    Attributes:
        says: how the player decides, in words.
        moves: legal moves with their values and what is expected after each, the one that is preferred first; empty:
            they are not valued.
        then: what the last column of `moves` is.
        rules: those of a list or a policy, in their order; empty: there are none.
        mask: the conditions of the rule that fires: (place of the board, symbol).
        legend: how symbols are read.
        trees: S-expressions, with marks of their nodes.
    """

    says: str
    moves: Sequence[MoveLine] = ()
    then: str = "then"
    rules: Sequence[Ruled] = ()
    mask: Sequence[tuple[str, str]] = ()
    legend: str = ""
    trees: Sequence[Drawn] = field(default_factory=tuple)


def explain(
    cast: Cast,
    player: PlayerOptions,
    genome: Genome | None,
    state: Position,
    actions: Sequence[int] = (),
    introns: PaleNodes | None = None,
) -> Reasons:
    """Say why a player moves as it does.

    Args:
        cast: the game, and how the genome plays it.
        player: the player.
        genome: of a champion; None for other players.
        state: a position whose game goes on.
        actions: the moves that led there; only those who play alone ask for them.
        introns: of the genome, where they are known.
    """
    if player.kind in ("search", "deepening"):
        return _of_search(cast, player, state)
    if player.kind == "random":
        return Reasons("It draws any legal move with equal probability.")
    if player.kind == "strategy":
        return _of_strategy(cast, player, state, actions)
    if player.kind == "program":
        genome = player.hand("player", cast).genome
    if genome is None:
        return Reasons("It does not say why it moves.")
    depth = getattr(player, "depth", None)
    cast = cast if depth is None else cast.at_depth(depth, "depth")
    return _of_genome(cast.actor, cast, genome, state, actions, introns)


def _of_search(cast: Cast, player: Any, state: Position) -> Reasons:
    found = searches(cast.spec, cast.game, player.evaluator, player.depth, "first", TAIL, lanes=8)
    if len(found) > 1 or draws_anew(found[0]):
        return Reasons("A search whose values are drawn anew for every move.")
    named = player.evaluator or next(iter(cast.spec.evaluators(cast.game)))
    return Reasons(
        f"A search of {plies(player.depth)} by {named}. Values are those for the side to move.",
        _searched(cast, found[0], (), player.depth, state),
    )


def _of_strategy(cast: Cast, player: Any, state: Position, actions: Sequence[int]) -> Reasons:
    named = player.named(cast).name
    found = cast.spec.strategy_of(named, cast.game)
    if not isinstance(found, Strategy):
        return Reasons(f"The strategy {named} is a function of the game's own.")
    role = cast.spec.role(found.role)
    language, actor = role.make(cast.game, found.options)
    from jaxgp.genotypes.language import parse

    own = replace(cast, role=role, options=found.options, language=language, actor=actor)
    return _of_genome(actor, own, parse(language, found.text), state, actions)


def _of_genome(
    actor: Any,
    cast: Cast,
    genome: Genome,
    state: Position,
    actions: Sequence[int] = (),
    introns: PaleNodes | None = None,
) -> Reasons:
    if isinstance(actor, ProgramSolver):
        return _of_solver(actor, cast, genome, state, introns)
    if isinstance(actor, GuidedSoloist):
        says = "A program guides a nested search: the higher the bias of a line, the likelier its random games draw it."
        moves = [(_name(cast, action), bias, "") for action, bias in guides.biases(actor, genome, actions)]
        return Reasons(f"{says} {_of_soloist(actor, genome, cast, actions)[0]}", moves)
    if isinstance(actor, Alone):
        says, leaf = _of_soloist(actor, genome, cast, actions)
        if not isinstance(actor, Walker) or leaf is None:
            return Reasons(says)
        return Reasons(says, trees=with_leaf(actor.primitives, genome, leaf, introns))
    if isinstance(actor, RulePlayer):
        rules, mask = masks.fired(actor, genome, state)
        legend = actor.language.legend
        return Reasons("The first rule that matches the view acts.", rules=rules, mask=mask, legend=legend)
    plans = jax.jit(actor.prepare)(jax.tree.map(lambda x: jnp.asarray(x)[None], genome))
    trees = lambda seen, top=None: with_values(actor.primitives, genome, seen, introns, top)  # noqa: E731
    if isinstance(actor, SearchedPlayer):
        says = (
            f"A program values the leaves of a search of {plies(actor.depth)}; values are those for the side to move. "
            f"The tree has the values of this position{'' if actor.mover else ', as the other side sees it'}."
        )
        seen = jax.jit(jax.vmap(actor.view, out_axes=1))(_packed(actor, state))
        return Reasons(says, _searched(cast, actor.search(), plans, actor.depth, state), trees=trees(seen, actor.top))
    if isinstance(actor, GreedyPlayer):
        moves, first = _greedy(actor, cast, plans, state)
        says = "A program values each move by what it leads to; its tree has the values after the best one."
        return Reasons(says, moves, trees=trees(first))
    if isinstance(actor, ChosenPlayer):
        moves, after = _chosen(actor, cast, plans, state)
        what = "whole turn" if actor.names else "move"
        says = f"A program values what each {what} leads to; its trees have the values after the best one."
        if len(actor.primitives.roots) > 1 and after is not None:
            says += f" Tree {int(jax.jit(actor.tree)(state, after)) + 1} is the one that values it."
        return Reasons(says, moves, trees=[] if after is None else trees(jax.jit(actor.view)(_many(after))))
    if isinstance(actor, WeighedPlayer):
        moves, after = _chosen(actor, cast, plans, state)
        says = "A weighted sum values what each move leads to."
        return Reasons(says if after is None else f"{says} {_terms(actor, plans, after)}", moves)
    if isinstance(actor, ProgramPlayer):
        says = "The value of the program names the move. The numbers are the values in this position."
        return Reasons(says, trees=trees(jax.jit(actor.features)(state)[:, None]))
    return Reasons(f"Players of the role {cast.role and cast.role.name} are not explained.")


def _of_solver(actor: ProgramSolver, cast: Cast, genome: Genome, state: Position, introns: PaleNodes | None) -> Reasons:
    actions, values, fires, nodes = guides.estimates(actor, genome, state)
    order = sorted(range(len(actions)), key=lambda n: (np.isnan(values[n]), values[n]))
    rule = lambda n: "" if fires is None else f"rule {fires[n] + 1}"  # noqa: E731
    last = len(actor.primitives.rules)
    said = ["" if fires is None else ("otherwise" if fires[n] == last else rule(n)) for n in order]
    moves = [(_name(cast, actions[n]), float(values[n]), text) for n, text in zip(order, said, strict=True)]
    searched = guides.told(guides.nodes_needed(actor, genome, state))
    says = f"A search goes first where the value is lowest. {searched}"
    if fires is not None:
        return Reasons(says, moves, "by", rules=guides.policy(actor, genome, fires, order[0]))
    first = _many(jax.tree.map(lambda x: x[order[0]], nodes))
    seen = jax.jit(jax.vmap(actor.valued.view, out_axes=-1))(first)
    return Reasons(says, moves, trees=with_values(actor.primitives, genome, seen, introns))


def _of_soloist(actor: Any, genome: Genome, cast: Cast, actions: Sequence[int]) -> tuple[str, int | None]:
    """Say which move of its one game an individual makes now; return also the node that makes it."""
    count, record = len(actions), actor.record(genome)
    if count >= len(record) or [action for action, _ in record[:count]] != list(actions):
        return "The player has no move in this position, which is not one of its own game.", None
    action, node = record[count]
    return f"Move {count + 1} of its own game: {actor.reason(genome, node)} plays {_name(cast, action)}.", node


def _packed(actor: SearchedPlayer, state: Position) -> Any:
    """Return a state as the program sees it, [1]."""
    return _many(state if actor.twin is None else actor.twin.pack(state))


def _many(one: Any) -> Any:
    """Return something as a batch of one."""
    return jax.tree.map(lambda x: jnp.asarray(x)[None], one)


def _name(cast: Cast, action: int) -> str:
    return cast.spec.notation.action_name(cast.game, action)


def _searched(cast: Cast, search: AlphaBeta, plans: Any, depth: int, state: Position) -> list[MoveLine]:
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


def _greedy(actor: GreedyPlayer, cast: Cast, plans: Any, state: Position) -> tuple[list[MoveLine], Array]:
    """Value every move; return also what the program sees after the best one, float32[F, 1]."""
    count = int(jax.jit(actor.choices)(state))
    places = jnp.minimum(jnp.arange(count + -count % 8, dtype=jnp.int32), count - 1)

    def each(plans: Any, state: Position, places: Array) -> tuple[Array, Array, Array]:
        moves, seen = jax.vmap(actor.outcome, (None, 0))(state, places)
        return moves, evaluate(actor.primitives, plans, seen.T)[0], seen

    moves, values, seen = jax.jit(each)(plans, state, places)
    order = sorted(range(count), key=lambda n: -float(values[n]))
    return [(_name(cast, int(moves[n])), float(values[n]), "") for n in order], seen[order[0]][:, None]


def _chosen(actor: ChoosingPlayer[Any], cast: Cast, plans: Any, state: Position) -> tuple[list[MoveLine], Any]:
    """Value every move on the list of the game, or every whole turn; return also what the best one leads to."""
    game: Any = cast.game
    if actor.names is not None:
        names = actor.names(state)
    elif isinstance(game, ListsMoves) and not cast.game.chance:
        count = int(jax.jit(game.choices)(state))
        choice = jax.jit(game.choice)
        names = [_name(cast, int(choice(state, jnp.int32(n)))) for n in range(count)]
    else:
        return [], None
    room = max(8, 1 << (len(names) - 1).bit_length())  # few sizes, so that little is compiled
    places = jnp.minimum(jnp.arange(room, dtype=jnp.int32), len(names) - 1)
    outcomes, values = _valuing(actor)(plans, state, places)
    order = sorted(range(len(names)), key=lambda n: -float(values[n]))
    best = jax.tree.map(lambda x: x[order[0]], outcomes)
    return [(names[n], float(values[n]), "") for n in order], best


def _terms(actor: WeighedPlayer, plans: Array, after: Any) -> str:
    """Say which terms of a sum count most after the best move."""
    worth = np.asarray(jax.jit(actor.parts)(plans, actor.view(_many(after))))[0, :, 0]
    most = sorted(np.flatnonzero(worth).tolist(), key=lambda n: -abs(worth[n]))[:TERMS]
    told = ", ".join(f"{actor.primitives.roots[n]} {worth[n]:+.3f}" for n in most)
    return f"After the best one its largest terms are {told}." if most else "After the best one all its terms are 0."


@lru_cache(maxsize=8)
def _valuing(actor: ChoosingPlayer[Any]) -> Callable[[Any, Position, Array], tuple[Any, Array]]:
    """Compile: (plans of one individual, state, int32[K] places) -> outcomes [K], and their values, float32[K]."""

    def each(plans: Any, state: Position, places: Array) -> tuple[Any, Array]:
        outcomes = jax.vmap(actor.outcome, (None, 0))(state, places)
        alone, looked = jax.tree.map(lambda x: x[None], (state, outcomes))
        return outcomes, actor.values(plans, alone, looked, jnp.ones((1, len(places)), bool))[0, 0]

    return jax.jit(each)
