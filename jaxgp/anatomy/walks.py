"""The anatomy of programs that act as they are walked through: they have no values, but one game each.

A leaf runs if the walk reaches it before the game ends. A subtree is an intron if no other leaf in its place changes
the moves of the game. What lies behind the end of the game is dead code, and proved to be: there is no other game.
"""

from collections.abc import Callable
from functools import cached_property

import jax
import jax.numpy as jnp
import numpy as np

from jaxgp.anatomy.introns import Introns, NodeKind
from jaxgp.anatomy.nodes import Forest, Node, write_trees
from jaxgp.anatomy.simpler.simplify import DROPPED, Site, Step, most, rewrite_tree, trees_of
from jaxgp.anatomy.trace import Tree, subtree
from jaxgp.games.casting import Cast
from jaxgp.genotypes.primitives import Integers, Levels, PrimitiveSet
from jaxgp.genotypes.programs import Programs

LANES = 32
"""Programs that are walked through side by side."""
DRAWN = 6
"""Leaves with random numbers that are tried in the place of a subtree, of each kind; without numbers there is one."""


class Walks:
    """A program that is walked through, and its game.

    Attributes:
        original: the moves of its game.
    """

    def __init__(self, cast: Cast, program: Programs, seed: int) -> None:
        self._cast, self._program = cast, program
        self._forest = Forest(cast.language)
        self._root = self._forest.read(trees_of(program)[0])
        self._tree = Tree.of(cast.language, trees_of(program)[0])
        self._random = np.random.default_rng(seed)
        self._record = cast.actor.record(program)
        self.original = [action for action, _ in self._record]
        self._game = self._games([self._root])[0]

    def moves(self, program: Programs) -> list[int]:
        """Return the moves of the game of a program, [1, L]."""
        return [action for action, _ in self._cast.actor.record(program)]

    def introns(self) -> Introns:
        """Find the introns of the program."""
        tree, runs = self._tree, self._runs()
        matters = np.zeros(len(tree), bool)
        for leaf in self._leaves():
            open_nodes = [n for n in range(len(tree)) if runs[n] and not matters[n]]
            changed = self._games([self._with({n: leaf}) for n in open_nodes])
            for node, game in zip(open_nodes, changed, strict=True):
                while game != self._game and node >= 0 and not matters[node]:
                    matters[node], node = True, tree.parents[node][0]
        kinds: list[NodeKind] = [
            "code" if counts else "live" if run else "dead" for counts, run in zip(matters, runs, strict=True)
        ]
        return Introns(tree, tuple(kinds), tuple(kind == "dead" for kind in kinds), runs)

    def _runs(self) -> np.ndarray:
        """Return bool[L]: the leaves that are reached before the game ends, and the functions that lead to them."""
        tree = self._tree
        ended, last = self._game[0], self._record[-1][1] if self._record else len(tree)
        leaf = np.array([not args for args in tree.args])
        reached = leaf & (np.arange(len(tree)) <= last) if ended else leaf
        return np.array([reached[list(subtree(tree, node))].any() for node in range(len(tree))])

    def _leaves(self) -> list[Node]:
        """Return the leaves that are tried in the place of subtrees."""
        language: PrimitiveSet = self._cast.language
        found = []
        for code, p in enumerate(language.terminals):
            for _ in range(DRAWN if p.has_number else 1):
                number = None
                if isinstance(p.domain, Integers):
                    number = float(self._random.integers(p.domain.low, p.domain.high + 1))
                elif isinstance(p.domain, Levels):
                    number = float(self._random.choice(p.domain.values))
                elif p.domain is not None:
                    number = float(self._random.uniform(p.domain.low, p.domain.high))
                found.append(self._forest.node(code, (), number))
        return found

    def _with(self, plan: dict[int, Node | None]) -> Node:
        """Return the tree with nodes replaced, by their numbers; None: left out, so that its function has fewer."""
        left_out = self._forest.node(0, (), float("nan"))

        def visit(number: int, node: Node) -> Node:
            if number in plan:
                return plan[number] or left_out
            kept = [arg for arg in node.args if arg is not left_out]
            if len(kept) == len(node.args):
                return node
            if len(kept) < 2:
                return kept[0] if kept else left_out
            fewer = [c for c, p in enumerate(self._cast.language.primitives) if p.arity == len(kept)]
            stub = self._forest.stub(int(self._cast.language.arg_type[node.code, 0]))
            if not fewer:
                return self._forest.node(node.code, [stub if arg is left_out else arg for arg in node.args], node.value)
            return self._forest.node(fewer[0], kept)

        return rewrite_tree(self._forest, self._root, visit)

    def simplify(self, found: Introns) -> tuple[Programs, list[Step]]:
        """Leave out introns, or make them leaves, as long as the game has the same moves."""
        roots = [node for node in found.roots if node + 1 < len(self._tree)]
        maximal = [node for node in roots if found.kinds[self._tree.parents[node][0]] == "code"]
        stub = self._forest.stub(int(self._cast.language.root_type[0]))

        def plan(gone: set[Site], short: set[Site]) -> dict[int, Node | None]:
            return {node: None for _, node in gone} | {node: stub for _, node in short}

        def holds(changes: dict[int, Node | None]) -> bool:
            return self._games([self._with(changes)])[0] == self._game

        sites = [(0, node) for node in maximal]
        gone = most(sites, lambda some: holds(plan(some, set())))
        rest = [site for site in sites if site not in gone and self._tree.sizes[site[1]] > 1]
        short = most(rest, lambda some: holds(plan(gone, some)))
        made = self._with(plan(gone, short))
        changed = {DROPPED: len(gone) + len(short)} if gone or short else {}
        step = Step(DROPPED, made.size, changed, len(sites) - len(gone) - len(short))
        return write_trees([made], self._program.capacity), [step]

    def _games(self, roots: list[Node]) -> list[tuple[bool, int, bytes]]:
        """Return whether the game of each program ends, the number of its moves, and hashes of them."""
        capacity, found = self._program.capacity, []
        for first in range(0, len(roots), LANES):
            some = [write_trees([root], capacity) for root in roots[first : first + LANES]]
            filled = some + [some[0]] * (LANES - len(some))
            ended, plies, behaviour = map(np.asarray, self._play(jax.tree.map(lambda *x: np.stack(x), *filled)))
            found += [(bool(ended[n]), int(plies[n]), behaviour[n].tobytes()) for n in range(len(some))]
        return found

    @cached_property
    def _play(self) -> Callable[[Programs], tuple[jax.Array, ...]]:
        actor = self._cast.actor

        def play(programs: Programs) -> tuple[jax.Array, ...]:
            walked = actor.play(actor.prepare(jax.tree.map(jnp.asarray, programs)))
            return walked.states.terminated, walked.plies, walked.behaviour

        return jax.jit(play)
