"""Othello's moves: here, in Pgx on the same device, and in OpenSpiel stepped from Python."""

import functools
from collections.abc import Callable, Iterator

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

import envs
from envs.othello.rules import Othello
from jaxgp.bits import pick
from jaxgp.contracts import Game, States
from jaxgp.search.chance import unused_key
from rivals.random_play import openings, openspiel_moves, random_moves
from rivals.timing import Bench, Case, Job, compare, compile_function, measure

PLIES = 80
"""More than any game is likely to have: 60 squares, and passes."""
UNIT = "moves/s"


def jobs(bench: Bench) -> Iterator[Job]:
    """Given games, and random ones in both ways, for each number of games side by side."""
    for batch in bench.options.batch:
        yield 1.0, functools.partial(play_recorded, bench, batch)
        yield 1.0, functools.partial(play_random, bench, batch, "random legal moves", None)
        yield 1.0, functools.partial(play_random, bench, batch, "random legal moves from the mask", from_mask)


def play_recorded(bench: Bench, batch: int, until: float) -> None:
    """Play given games, the same everywhere; work is their moves, not what is done after the end of a game."""
    game, name = envs.make("othello"), "moves of given games"
    opening = openings(game, batch)
    lines, live, results = jax.tree.map(
        np.asarray, jax.jit(random_games, static_argnums=0)(game, opening, bench.options.seed)
    )
    moves = int(live.sum())
    follow, seconds = compile_function(functools.partial(replay, batch_step(game)), opening, lines)
    ours = Case(lambda: follow(opening, lines), moves)
    sizes = {"batch": batch, "moves": round(moves / batch, 1)}

    def pgx() -> dict[str, Case]:
        step, states = pgx_game(batch)
        run, _ = compile_function(functools.partial(replay, step), states, lines)
        _, rewards = jax.jit(lambda s: jax.lax.scan(lambda s, a: (step(s, a), step(s, a).rewards), s, lines))(states)
        black = np.asarray(rewards).sum(0)[np.arange(batch), np.asarray(states.current_player)]
        np.testing.assert_array_equal(black, results)
        return {"pgx": Case(lambda: run(states, lines), moves)}

    def openspiel() -> dict[str, Case]:
        few = [lines[live[:, lane], lane].tolist() for lane in range(min(batch, 100))]
        played = openspiel_lines(few)
        assert played() == results[: len(few)].tolist(), "results differ"
        return {"open_spiel": Case(played, sum(map(len, few)))}

    report(bench, name, sizes, ours, seconds, {"pgx": pgx, "open_spiel": openspiel}, until)


def play_random(bench: Bench, batch: int, name: str, draw: Callable[..., Array] | None, until: float) -> None:
    """Draw a legal move for each game and play it; a game that has ended starts again.

    Args:
        bench: see `jobs`.
        batch: games side by side.
        name: of the measurement.
        draw: draws a move for a position of a game, from random bits; None: as random players do.
        until: see `measure`.
    """
    game, seed = envs.make("othello"), bench.options.seed
    choose = draw and functools.partial(draw, game)
    moves = min(1024, max(64, 2**18 // batch))
    opening, key = openings(game, batch), jax.random.key(seed)
    run, seconds = compile_function(functools.partial(random_moves, game, moves=moves, choose=choose), opening, key)

    def pgx() -> dict[str, Case]:
        step, states = pgx_game(batch)
        play, _ = compile_function(functools.partial(pgx_moves, step, moves=moves), states, key)
        return {"pgx": Case(lambda: play(states, key), batch * moves)}

    def openspiel() -> dict[str, Case]:
        return {"open_spiel": Case(openspiel_moves(seed, 20_000, "othello"), 20_000)}

    sizes, ours = {"batch": batch, "moves": moves}, Case(lambda: run(opening, key), batch * moves)
    report(bench, name, sizes, ours, seconds, {"pgx": pgx, "open_spiel": openspiel}, until)


def from_mask(game: Game, state: States, bits: Array) -> Array:
    """Draw a legal action from the mask of all of them, as for Pgx."""
    return pick(game.legal_actions(state), bits)


def report(
    bench: Bench,
    name: str,
    sizes: dict,
    ours: Case,
    seconds: float,
    rivals: dict[str, Callable[[], dict[str, Case]]],
    until: float,
) -> None:
    """Time jaxgp and every installed rival in turn, and write the measurements."""
    theirs: dict[str, Case] = {}
    for who, cases in rivals.items():
        theirs |= compare(bench, who, "othello", name, UNIT, sizes, cases)
    times = measure({name: ours, **theirs}, bench.options.repeats, until)
    bench.report.ours("othello", name, UNIT, times[name], sizes, seconds, "othello" if "random" in name else "")
    for who, case in theirs.items():
        own = sizes if who == "pgx" else {"batch": 1, "moves": case.work}
        more = {"who": who, "ours": times[name], "against": f"{name}, batch={sizes['batch']}"}
        bench.report.rival("othello", name, UNIT, times[who], own, **more)


def random_games(game: Othello, opening: States, seed: int) -> tuple[Array, Array, Array]:
    """Play uniformly random games to their ends.

    Returns:
        int32[PLIES, B] moves; bool[PLIES, B], whether the game went on then; float32[B], black's result. After its end
        a game goes on with passes, which do nothing here, while Pgx ends a board that is not full by two of them.
    """

    def ply(states: States, key: Array) -> tuple[States, tuple[Array, Array]]:
        moves = pick(jax.vmap(game.legal_actions)(states), jax.random.bits(key, states.terminated.shape))
        moves = jnp.where(states.terminated, game.area, moves)
        return batch_step(game)(states, moves), (moves, ~states.terminated)

    ended, (moves, live) = jax.lax.scan(ply, opening, jax.random.split(jax.random.key(seed), PLIES))
    return moves, live, ended.returns[:, 0]


def batch_step(game: Game) -> Callable[[States, Array], States]:
    """Return the step of many games of a game without chance."""
    return jax.vmap(lambda state, move: game.step(state, move, unused_key()))


def replay(step: Callable[[States, Array], States], states: States, lines: Array) -> States:
    """Play int32[PLIES, B] moves."""
    return jax.lax.scan(lambda states, moves: (step(states, moves), None), states, lines)[0]


def pgx_game(batch: int, name: str = "othello") -> tuple[Callable[[States, Array], States], States]:
    """Return Pgx's batched step and its opening positions; raises ImportError where Pgx is not installed."""
    import pgx

    game = pgx.make(name)
    states = jax.jit(jax.vmap(game.init))(jax.random.split(jax.random.key(0), batch))
    return jax.vmap(game.step), states


def pgx_moves(step: Callable[[States, Array], States], states: States, key: Array, moves: int) -> States:
    """Do with Pgx what `random_moves` does."""
    opening = states

    def each(states: States, key: Array) -> tuple[States, None]:
        after = step(states, pick(states.legal_action_mask, jax.random.bits(key, states.terminated.shape)))

        def fresh(a: Array, b: Array) -> Array:
            return jnp.where(after.terminated.reshape(-1, *[1] * (a.ndim - 1)), a, b)

        return jax.tree.map(fresh, opening, after), None

    return jax.lax.scan(each, states, jax.random.split(key, moves))[0]


def openspiel_lines(lines: list[list[int]]) -> Callable[[], list[float]]:
    """Return a function that plays games move by move and returns black's results; raises ImportError."""
    import pyspiel

    game = pyspiel.load_game("othello")

    def run() -> list[float]:
        results = []
        for line in lines:
            state = game.new_initial_state()
            for move in line:
                state.apply_action(move)
            results.append(state.returns()[0])
        return results

    return run
