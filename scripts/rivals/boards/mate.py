"""Mate in n: moves with check and replies, the next move of a list, programs, and `few` in lanes beside plain C++."""

import functools
from collections.abc import Iterator

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from envs.chess.board import moves, position
from envs.chess.board.position import Board
from envs.mate import language, roles, suites
from envs.mate.rules import Mate
from jaxgp.genotypes.programs import Programs
from jaxgp.genotypes.text import parse_program
from jaxgp.operators.creation import create
from jaxgp.operators.options import CreationOptions
from jaxgp.search.proofs.depth import DepthFirst
from rivals.plain import mate as plain
from rivals.timing import Bench, Case, Job, compare, compile_function, measure, plain_lanes, report_lanes

PLIES = 16
"""Moves of each board in one call."""
LEAST = 64
"""Smaller batches are of no interest here."""
MAKE, LIST, FEW = "moves with check and replies", "moves in order, with check and replies", "few"
LANES = 256
LIMIT = 20_000
RECURSIVE = "(IfForAllOpponentMoves (Equal (IfMyMoveExistsSuchThat (Equal Again 1000) 1000 -1000) 1000) 1000 -1000)"
"""Algorithm 6.3 of the source."""
PROGRAMS = {"programs, algorithm 6.3": 2000, "programs, random": 1000}
"""Nodes of each pair of a program and a problem at most."""
PAIRS, CAPACITY = 1024, 128


def jobs(bench: Bench) -> Iterator[Job]:
    """All batches but small ones, then programs, then the search."""
    for batch in bench.options.batch:
        if batch >= LEAST:
            yield 1.0, functools.partial(boards, bench, batch)
    yield 1.0, functools.partial(programs, bench)
    yield 1.0, functools.partial(search, bench)


def problems(count: int) -> list[tuple[str, int]]:
    """Return own problems, around again."""
    known = suites.shipped()
    return [known[n % len(known)][:2] for n in range(count)]


def boards(bench: Bench, batch: int, until: float) -> None:
    """Make moves on boards, and read the legal moves and the checks of what comes of them."""
    states = Mate().positions(problems(min(batch, 1024)))
    begun = jax.tree.map(
        lambda x: jnp.asarray(np.resize(x, (batch, *x.shape[1:]))), jax.vmap(lambda s: s.board)(states)
    )
    seen = jax.jit(jax.vmap(moves.look))(begun)
    listed = jax.jit(jax.vmap(moves.listed))(seen)
    places = np.arange(PLIES)[:, None] % np.maximum(np.asarray(seen.count), 1)
    actions = jnp.asarray(np.take_along_axis(np.asarray(listed), places.T, 1).T, jnp.int32)
    make, took = compile_function(_make, begun, actions)
    choose, took_too = compile_function(_list, seen)
    cases = {MAKE: Case(lambda: make(begun, actions), batch * PLIES), LIST: Case(lambda: choose(seen), batch * PLIES)}
    times = measure(cases, bench.options.repeats, until)
    size = sum(leaf.nbytes for leaf in jax.tree.leaves(begun)) // batch
    for name, seconds in ((MAKE, took), (LIST, took_too)):
        bench.report.ours("mate", name, "moves/s", times[name], {"batch": batch}, seconds, state_bytes=size)


def _make(boards: Board, actions: Array) -> Array:
    """Make moves (int32[PLIES, B]) on boards; return how many replies there are to all of them."""

    def ply(total: Array, action: Array) -> tuple[Array, None]:
        seen = jax.vmap(moves.look)(jax.vmap(position.advance)(boards, action))
        return total + seen.count + seen.checked, None

    return lax.scan(ply, jnp.zeros(actions.shape[1], jnp.int32), actions)[0]


def _list(seen: moves.Look) -> Array:
    """Make the first moves of the lists of boards, around again; return how many replies there are to all of them."""

    def ply(carried: tuple[Array, Array], _: None) -> tuple[tuple[Array, Array], None]:
        total, action = carried
        action = jax.vmap(moves.following)(seen, action)
        after = jax.vmap(moves.look)(jax.vmap(position.advance)(seen.board, jnp.maximum(action, 0)))
        return (total + after.count + after.checked, action), None

    begun = jnp.zeros_like(seen.count), jnp.full_like(seen.count, -1)
    return lax.scan(ply, begun, None, PLIES)[0][0]


def programs(bench: Bench, until: float) -> None:
    """Let programs that make moves search own problems of n = 2 and 3, in lanes; count boards looked at."""
    primitives, prover = roles.search(Mate(), language.Options(language="again"))
    again = parse_program(primitives, RECURSIVE, CAPACITY)
    random = create(jax.random.key(0), primitives, CreationOptions(max_depth=6), PAIRS, CAPACITY)
    alike = jax.tree.map(lambda x: jnp.broadcast_to(x, (PAIRS, *x.shape)), again)
    chosen = [one[:2] for one in suites.shipped() if one[1] in (2, 3)]
    states = Mate().positions([chosen[n % len(chosen)] for n in range(PAIRS)])

    @jax.jit
    def run(given: Programs, limits: Array) -> tuple[Array, Array]:
        found = prover.prove(prover.prepare(given), jnp.arange(PAIRS), states, limits)
        return found.nodes.sum(), found.boards.sum()

    made, seconds = compile_function(run, alike, jnp.full(PAIRS, 1))
    for (name, limit), given in zip(PROGRAMS.items(), (alike, random), strict=True):
        limits = jnp.full(PAIRS, limit)
        nodes, looked = (int(x) for x in made(given, limits))
        sizes = {"pairs": PAIRS, "lanes": prover.lanes, "limit": limit, "nodes": nodes}
        cases = {name: Case(functools.partial(made, given, limits), looked)}
        times = measure(cases, bench.options.repeats, until)
        bench.report.ours("mate", name, "boards/s", times[name], sizes, seconds)


def search(bench: Bench, until: float) -> None:
    """Search own problems by `few`, as jaxgp does here, in lanes, and in plain C++."""
    chosen = problems(len(suites.shipped()))
    game = Mate()
    finder = DepthFirst(game, deepest=max(own for _, own in chosen), lanes=LANES, narrow=LANES // 4)
    given = jax.tree.map(jnp.asarray, game.positions(chosen)), jnp.full(len(chosen), LIMIT)
    run, seconds = compile_function(finder.search, *given)
    found = run(*given)
    nodes = int(found.nodes.sum())
    sizes = {"problems": len(chosen), "lanes": LANES, "limit": LIMIT}

    def theirs() -> dict[str, Case]:
        counted = sum(found.nodes for found in plain.count("few", chosen, LIMIT))
        return {"plain C++": Case(lambda: plain.count("few", chosen, LIMIT), counted, warm=False)}

    rivals = compare(bench, "plain C++", "mate", FEW, "nodes/s", sizes, theirs)
    lanes = {} if finder.why_in_lanes() else plain_lanes(bench, finder.search, given, found, nodes)
    cases = {FEW: Case(lambda: run(*given), nodes), **rivals, **lanes}
    times = measure(cases, bench.options.repeats, until)
    bench.report.ours("mate", FEW, "nodes/s", times[FEW], sizes, seconds)
    report_lanes(bench, "mate", FEW, "nodes/s", sizes, times)
    for name in rivals:
        bench.report.rival("mate", FEW, "nodes/s", times[name], sizes, who=name, ours=times[FEW], against=FEW)
