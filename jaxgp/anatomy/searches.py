"""What the searches of a puzzle's champion do: nodes beside those of the reference search, and which rules fire when.

A champion of weights can also be measured without each of its heuristics in turn.

A rule fires for a position if it is the first one of its policy whose condition holds there. The positions are those
that the search has to compare on the way to its solutions: for each move of a solution, all positions among which it
was chosen.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from matplotlib.figure import Figure

from jaxgp import files
from jaxgp.anatomy.anatomy_report import draw_table
from jaxgp.arrays import where
from jaxgp.contracts import Puzzle
from jaxgp.errors import UsageError, reject
from jaxgp.genotypes.programs import Programs
from jaxgp.genotypes.text import print_program, print_tree
from jaxgp.measure.champions import Loaded
from jaxgp.measure.puzzles import solving
from jaxgp.players.solver import ByWeights, ProgramSolver
from jaxgp.report import document, plots
from jaxgp.report.document import Document, DocumentTable, FoldedText, Part, Picture
from jaxgp.search.chance import unused_key
from jaxgp.search.puzzles.children import Child
from jaxgp.spec import Instances

JSON = "searches.json"
PARTS = 10
"""Parts of a solution, of equal length, in which it is counted which rules fire."""


@dataclass(frozen=True)
class Found:
    """What one order of moves found for N instances, in NumPy arrays [N]."""

    solved: np.ndarray
    nodes: np.ndarray
    length: np.ndarray


@dataclass(frozen=True)
class ChampionSearches:
    """The searches of a champion for N instances.

    Attributes:
        champion: whose searches they are.
        names: of the instances.
        limit: nodes at which a search gave up.
        name: of the reference search.
        reference: what it found.
        own: what the champion found.
        fired: int64[R + 1, PARTS], positions by the rule that fired, the last row for none, and by the part of the
            solution; None if the champion has no rules.
        left_out: what the champion found without each of its heuristics, by the name of the heuristic.
    """

    champion: Loaded
    names: tuple[str, ...]
    limit: int
    name: str
    reference: Found
    own: Found
    fired: np.ndarray | None
    left_out: dict[str, Found]


def check(champion: Loaded) -> ProgramSolver:
    """Return what searches for a champion; raises UsageError for one that solves no puzzle."""
    if not isinstance(champion.cast.actor, ProgramSolver):
        game = champion.cast.spec.name
        raise UsageError(f"run={champion.path}: {game} is no puzzle; accepted: champions that steer a search")
    return champion.cast.actor


def searches(
    champion: Loaded, some: Instances, limit: int, say: Callable[[str], object], left_out: bool = False
) -> ChampionSearches:
    """Search instances by the reference search and for a champion that `check` accepts.

    Args:
        champion: whose searches they are.
        some: the instances.
        limit: nodes at which a search gives up.
        say: told what comes next.
        left_out: whether to search without each heuristic of a champion of weights, too.

    Raises:
        UsageError: heuristics are to be left out, and the champion is none of weights.
    """
    solver, room = check(champion), len(some.names)
    others: dict[str, Programs] = {}
    if left_out:
        if not isinstance(solver.valued, ByWeights):
            game = champion.cast.spec.name
            reject("left_out", True, f"false; champions of {game} have no weights of heuristics here")
        others = solver.valued.without(champion.genome)
    limits, states = jnp.full(room, limit, jnp.int32), jax.tree.map(jnp.asarray, some.states)
    ready = solving.searches([champion], room)

    def find(order: solving.Order) -> tuple[Found, np.ndarray]:
        say(f"Solving {room} instances by {order.name}")
        one = jax.device_get(ready(order)(limits, states))
        return Found(one.solved, one.nodes, one.length), one.moves

    known = {order.name: order for order in solving.orders(champion)}
    reference, _ = find(known[solver.reference])
    own, moves = find(known[solving.CHAMPION])
    fired = None
    if solver.primitives.rules:
        say("Looking at the rules on the way to the solutions")
        fired = _fired(champion, solver, states, own, moves)
    without = {}
    for name, one in others.items():
        text = print_program(solver.primitives, one)
        without[name] = find(solving.Order(f"the champion without {name}", champion.cast, text))[0]
    return ChampionSearches(champion, some.names, limit, solver.reference, reference, own, fired, without)


def _fired(champion: Loaded, solver: ProgramSolver, states: object, found: Found, moves: np.ndarray) -> np.ndarray:
    """Count positions by rule and part of the solution, over all instances that were solved."""
    genome = jax.tree.map(jnp.asarray, champion.genome)
    count = jax.jit(partial(_along, solver, genome))
    rules = len(solver.primitives.rules)
    total = np.zeros((rules + 1, PARTS), np.int64)
    for at in np.flatnonzero(found.solved):
        start = jax.tree.map(lambda x, at=at: x[at], states)
        total += np.asarray(count(start, moves[at], found.length[at]))
    return total


def _along(solver: ProgramSolver, genome: Programs, start: object, moves: Array, length: Array) -> Array:
    """Return int32[R + 1, PARTS]: the rules that fire on the way of one solution, int16[D] moves, `length` of them."""
    rules = len(solver.primitives.rules)
    nodes, there, depth = on_the_way(solver.game, start, moves, length)
    part = depth * PARTS // jnp.maximum(length, 1)
    # Out of range for what is no child on the way.
    cell = jnp.where(there, solver.fired(genome, nodes) * PARTS + part, (rules + 1) * PARTS)
    counted = jnp.zeros((rules + 1) * PARTS, jnp.int32).at[cell].add(1, mode="drop")
    return counted.reshape(rules + 1, PARTS)


def on_the_way(game: Puzzle, start: object, moves: Array, length: Array) -> tuple[Child, Array, Array]:
    """Return the positions among which the moves of a solution were chosen, those of one move after those of another.

    Args:
        game: the rules.
        start: where the solution begins.
        moves: int16[D].
        length: how many of them are the solution.

    Returns:
        Nodes [B], bool[B], which of them are there, and int32[B], how many moves were made before each was chosen.
    """
    places = jnp.arange(game.most_choices, dtype=jnp.int32)

    def step(state: object, move: Array) -> tuple[object, object]:
        after = game.step(state, jnp.maximum(move, 0).astype(jnp.int32), unused_key())
        return where(move >= 0, after, state), state

    before = lax.scan(step, start, moves)[1]  # [D, ...]
    depth = jnp.arange(len(moves), dtype=jnp.int32)

    def children(state: object, depth: Array) -> tuple[Child, Array]:
        number = game.choices(state)
        actions = jax.vmap(partial(game.choice, state))(places)
        after = jax.vmap(lambda action: game.step(state, action, unused_key()))(actions)
        parents = jax.tree.map(lambda x: jnp.broadcast_to(x, (len(places), *x.shape)), state)
        numbers = jnp.broadcast_to(number, places.shape)
        return Child(after, parents, actions, jnp.broadcast_to(depth + 1, places.shape), numbers), places < number

    nodes, there = jax.vmap(children)(before, depth)
    nodes, there = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), (nodes, there & (depth < length)[:, None]))
    return nodes, there, jnp.repeat(depth, len(places))


def rules(found: ChampionSearches) -> list[dict[str, object]]:
    """Return the rules of a policy, how often each fires, and how often in the first and the last part of solutions."""
    assert found.fired is not None
    language, trees, told = found.champion.cast.language, _trees(found), check(found.champion).valued.told
    named = [(str(n + 1), trees[rule[0]], told([trees[t] for t in rule[1:]])) for n, rule in enumerate(language.rules)]
    last = 1 + max(tree for rule in language.rules for tree in rule)
    named.append(("default", "", told(trees[last:])))
    share = found.fired / np.maximum(found.fired.sum(0), 1)
    whole = found.fired.sum(1) / max(1, found.fired.sum())
    return [
        {"rule": name, "if": condition, "then": value, "fires": _percent(all_)}
        | {"at the beginning": _percent(one[0]), "at the end": _percent(one[-1])}
        for (name, condition, value), all_, one in zip(named, whole, share, strict=True)
    ]


def _trees(found: ChampionSearches) -> list[str]:
    """Return the trees of the champion, printed."""
    language, genome = found.champion.cast.language, found.champion.genome
    return [print_tree(language, jax.tree.map(lambda x, t=t: x[t], genome)) for t in range(len(genome.length))]


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def instances(found: ChampionSearches) -> list[dict[str, object]]:
    """Return what was found for each instance."""
    reference, own = found.reference, found.own
    columns = (found.names, reference.nodes, reference.solved, own.nodes, own.solved, own.length)
    return [
        {"instance": name, f"nodes of {found.name}": int(before), f"solved by {found.name}": bool(done)}
        | {"nodes": int(nodes), "solved": bool(solved), "moves": int(length) if solved else None}
        for name, before, done, nodes, solved, length in zip(*columns, strict=True)
    ]


def totals(found: ChampionSearches) -> list[dict[str, object]]:
    """Return how much each search solved, and the nodes that it took."""
    left_out = [(f"without {name}", one) for name, one in found.left_out.items()]
    return [
        {"search": name, "solved": f"{int(one.solved.sum())} of {len(found.names)}"}
        | {"nodes, mean": round(float(one.nodes.mean())), "nodes, median": round(float(np.median(one.nodes)))}
        for name, one in ((found.name, found.reference), ("the champion's", found.own), *left_out)
    ]


def report(found: ChampionSearches) -> Document:
    """Return the searches as a report."""
    content = found.champion.content
    facts = [("game", content.game["name"]), ("role", str(content.program["role"])), ("instances", len(found.names))]
    facts.append(("limit", f"{found.limit:,} nodes"))
    if found.fired is None:
        facts.append(("value of a position", check(found.champion).valued.told(_trees(found))))
    caption = (
        f"Nodes of the champion's search against those of {_search(found)}; crosses: not solved; below the line: fewer"
    )
    parts: list[Part] = [DocumentTable(totals(found)), Picture("nodes", caption, partial(draw_nodes, found))]
    sections: list[tuple[str, Sequence[Part]]] = [("Nodes", parts)]
    if found.fired is not None:
        how = "Counted are the positions among which each move of a solution was chosen."
        picture = Picture("rules", "Share of each rule in each tenth of the solutions", partial(draw_rules, found))
        sections.append(("Rules", [how, DocumentTable(rules(found)), picture]))
    lines = ["  ".join(f"{name}: {value}" for name, value in row.items()) for row in instances(found)]
    sections.append(("Instances", [FoldedText("each instance", "\n".join(lines))]))
    title = f"Searches of the champion of generation {content.generation}, seed {content.seed}"
    return Document(title, [(name, str(value)) for name, value in facts], sections)


def save(folder: Path, found: ChampionSearches) -> None:
    """Write the report and the figures as JSON; raises OSError."""
    figures: dict[str, object] = {"champion": str(found.champion.path), "limit": found.limit, "totals": totals(found)}
    figures["instances"] = instances(found)
    if found.fired is not None:
        figures |= {"rules": rules(found), "fired": found.fired.tolist()}
    files.write_json(folder / JSON, figures)
    document.save(folder, report(found))


def _search(found: ChampionSearches) -> str:
    return f"the {found.name} search"


def draw_nodes(found: ChampionSearches) -> Figure:
    """Draw each instance as a point: nodes of the reference search, and of the champion."""
    figure = plots.figure(6.4, 4.2)
    axis = figure.subplots()
    for solved, marker, label in ((True, "o", "solved"), (False, "x", "not solved")):
        chosen = found.own.solved == solved
        color = plots.BLUE if solved else plots.ORANGE
        axis.scatter(
            found.reference.nodes[chosen], found.own.nodes[chosen], s=22, marker=marker, label=label, color=color
        )
    least, most = 1, max(2, int(found.reference.nodes.max()), int(found.own.nodes.max()))
    axis.plot([least, most], [least, most], color=plots.GREEN, linewidth=1)
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.set_xlabel(f"nodes of {_search(found)}", color=plots.INK)
    axis.set_ylabel("nodes of the champion's search")
    axis.legend(frameon=False, fontsize=9)
    plots.paint(axis, plots.INK)
    return figure


def draw_rules(found: ChampionSearches) -> Figure:
    """Draw the share of each rule by tenths of the solutions, as bars one above the other."""
    assert found.fired is not None
    figure = plots.figure(6.4, 4.2)
    axis = figure.subplots()
    share = 100 * found.fired / np.maximum(found.fired.sum(0), 1)
    names = [f"rule {n + 1}" for n in range(len(share) - 1)] + ["default"]
    base = np.zeros(PARTS)
    for name, heights, color in zip(names, share, plots.colours(len(share)), strict=True):
        axis.bar(np.arange(1, PARTS + 1), heights, bottom=base, width=0.9, label=name, color=color)
        base += heights
    axis.set_xlabel("tenth of the solution", color=plots.INK)
    axis.set_ylabel("percent of the positions")
    axis.legend(frameon=False, fontsize=9, ncols=len(names), loc="lower left", bbox_to_anchor=(0, 1))
    plots.paint(axis, plots.INK)
    return figure


def lines(found: ChampionSearches) -> list[str]:
    """Return the figures as lines for the terminal."""
    tables = [draw_table("Nodes", totals(found))]
    if found.fired is not None:
        tables.append(draw_table("Rules on the way to the solutions", rules(found)))
    return "\n".join(tables).splitlines()
