"""The GP Mancala study's second run as one would write it with DEAP: a complete program in plain Python.

    python scripts/rivals/deap_mancala.py population=20 generations=3 depth=3 seed=0

It is what `bench.py` compares whole evaluations and generations with. Needs DEAP alone; only its options are read
as those of the other scripts.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

import dataclasses
import functools
import operator
import random
from collections.abc import Callable, Sequence

from deap import base, creator, gp, tools

from jaxgp.config import arguments
from jaxgp.options import DEEPEST, MAX_COUNT, MAX_POPULATION, MAX_SEED, option
from rivals.plain import kalah

HIGHEST = 90
"""Python cannot compile deeper expressions; DEAP's documentation recommends this limit."""
LONGEST = 512
"""Nodes of a program, as in jaxgp's configuration of the study."""


class Board(list):
    """The type of a compiled program's argument. No node of a tree has it."""


def value_at(board: Sequence[int], index: int) -> int:
    """Return the stones in a cell; outside the board there are none."""
    return board[index] if 0 <= index < 14 else 0


def if_less(a: int, b: int, yes: int, no: int) -> int:
    return yes if a < b else no


def primitive_set() -> gp.PrimitiveSetTyped:
    """The study's functions, and the whole numbers from 0 to 13."""
    functions = gp.PrimitiveSetTyped("mancala", [Board], int)
    functions.renameArguments(ARG0="board")
    functions.addPrimitive(operator.add, [int, int], int, "ADD")
    functions.addPrimitive(operator.sub, [int, int], int, "SUB")
    functions.addPrimitive(value_at, [int], int, "VALUE_AT")
    functions.addPrimitive(if_less, [int] * 4, int, "IF")
    # The board is passed on when the tree is written as Python, so that programs need no global state.
    functions.mapping["VALUE_AT"].seq = "VALUE_AT(board, {0})"
    for number in range(14):
        functions.addTerminal(number, int)
    return functions


def choose(program: Callable[[Sequence[int]], int], view: Sequence[int]) -> int:
    """Turn the program's value into a move: modulo six, and on to the next pit that holds stones."""
    wanted = program(view)
    for pit in range(wanted, wanted + 6):
        if view[pit % 6]:
            return pit % 6
    raise ValueError("no pit holds stones")


def reply(view: tuple[int, ...], depth: int) -> int:
    """Return the search's move; `view` is the board with the mover's side first."""
    return kalah.AlphaBeta().best_move(list(view), depth)[0]


def score(program: Callable[[Sequence[int]], int], seat: int, answer: Callable[[tuple[int, ...]], int]) -> int:
    """Play one game and return the stones that the program, in this seat, ends up with."""
    board, mover, over = list(kalah.START), 0, False
    while not over:
        view = board[7:] + board[:7] if mover else board
        pit = choose(program, view) if mover == seat else answer(tuple(view))
        board, again, over = kalah.play(board, pit + 7 * mover)
        if not again:
            mover = 1 - mover
    return board[kalah.STORE[seat]]


def scores(tree: gp.PrimitiveTree, functions: gp.PrimitiveSetTyped, answer: Callable) -> tuple[int, int]:
    """Compile a tree and play both games: as first and as second player."""
    program = gp.compile(tree, functions)
    return score(program, 0, answer), score(program, 1, answer)


def fitness(tree: gp.PrimitiveTree, points: tuple[int, int]) -> tuple[float]:
    """Return a hundred times the points less one for each node, at least 1."""
    return (max(1.0, 100.0 * sum(points) - len(tree)),)


def grow(functions: gp.PrimitiveSetTyped, depth: int) -> list:
    """Grow a random tree: at each node a terminal with probability 1/2."""
    return gp.generate(functions, depth, depth, lambda height, at: at == height or random.random() < 0.5, int)


def mutate(tree: gp.PrimitiveTree, functions: gp.PrimitiveSetTyped, depth: int) -> gp.PrimitiveTree:
    """Grow all arguments of a random node anew."""
    at = random.randrange(len(tree))
    grown = [tree[at]]
    for _ in range(tree[at].arity):
        grown += grow(functions, depth - 1)
    tree[tree.searchSubtree(at)] = grown
    return tree


def classes() -> type:
    """Return the individual's class; DEAP keeps such classes in a module of its own."""
    if not hasattr(creator, "MancalaProgram"):
        creator.create("MancalaFitness", base.Fitness, weights=(1.0,))
        creator.create("MancalaProgram", gp.PrimitiveTree, fitness=creator.MancalaFitness)
    return creator.MancalaProgram


def toolbox(depth: int, cached: bool = False) -> base.Toolbox:
    """Put the operators together; `cached` remembers the search's replies by position."""
    functions, box = primitive_set(), base.Toolbox()
    answer = functools.partial(reply, depth=depth)
    box.register("answer", functools.cache(answer) if cached else answer)
    box.register("scores", scores, functions=functions, answer=box.answer)
    box.register("individual", lambda: classes()(grow(functions, 16)))
    box.register("population", tools.initRepeat, list, box.individual)
    box.register("select", tools.selRoulette)
    box.register("mate", gp.cxOnePoint)
    box.register("mutate", mutate, functions=functions, depth=20)
    box.register("fits", lambda tree: len(tree) <= LONGEST and tree.height <= HIGHEST)
    box.functions = functions
    return box


def evaluate(population: list, box: base.Toolbox) -> None:
    """Give every individual its fitness."""
    for tree in population:
        tree.fitness.values = fitness(tree, box.scores(tree))


def breed(population: list, box: base.Toolbox) -> list:
    """Make the next generation: the best individual, and children of parents drawn by roulette."""
    parents = box.select(population, len(population) - 1)
    mates = box.select(population, len(population) - 1)
    offspring = [box.clone(tools.selBest(population, 1)[0])]
    for parent, mate in zip(parents, mates, strict=True):
        child = box.clone(parent)
        if random.random() < 0.9:
            child, _ = box.mate(child, box.clone(mate))
        if random.random() < 0.005:
            child = box.mutate(child)
        offspring.append(child if box.fits(child) else box.clone(parent))
    return offspring


def run(population: int, generations: int, depth: int, seed: int) -> list[float]:
    """Evolve, print one line a generation, and return the best fitness of each."""
    random.seed(seed)
    box, best = toolbox(depth, cached=True), []
    people = box.population(population)
    for generation in range(generations):
        evaluate(people, box)
        champion = tools.selBest(people, 1)[0]
        best.append(champion.fitness.values[0])
        print(f"generation {generation}: best fitness {best[-1]:.0f}, {len(champion)} nodes", flush=True)
        people = breed(people, box)
    return best


@dataclasses.dataclass
class Options:
    """How large the run is."""

    population: int = option(20, "programs", low=2, high=MAX_POPULATION)
    generations: int = option(3, "generations of the run", low=1, high=MAX_COUNT)
    depth: int = option(3, "plies of the search that programs play against", low=1, high=DEEPEST)
    seed: int = option(0, "of everything that is drawn", low=0, high=MAX_SEED)


def task(options: Options) -> int:
    """Evolve; return the exit code."""
    run(options.population, options.generations, options.depth, options.seed)
    return 0


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__ or ""))
