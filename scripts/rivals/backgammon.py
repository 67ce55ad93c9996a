"""Backgammon: random moves beside Pgx and OpenSpiel; Pubeval's turns and games beside plain Python and gnubg_nn."""

import functools
import random
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

import envs
from envs.backgammon import many, pubeval, whole
from envs.backgammon.rules import BAR, DICE, OFF, PASS, Backgammon, State
from jaxgp.arrays import where
from jaxgp.bits import pick, pick_bit
from jaxgp.contracts import States
from rivals.plain import backgammon as plain
from rivals.timing import Bench, Case, Job, Times, compare, compile_function, measure

if TYPE_CHECKING:
    import pgx

UNIT = "actions/s"
SAMPLE = 256
"""Positions at which Pgx's moves are compared with those here."""
WHOLE = 1024
"""Games that are played to their ends, to count their actions."""
OPENSPIEL = 100
"""Games that OpenSpiel plays in one measurement."""
DISTINCT = 1024
"""Positions, one of each game, whose best turns are found."""
LATEST = 48
"""The positions are from the first so many turns; most games of Pubeval are longer."""
PLAIN = "plain Python"
Position = tuple[plain.Side, plain.Side, tuple[int, int]]
"""The men of the side to move, those of the other side, and the roll, the larger die first."""

Step = Callable[[States, Array, Array], States]
"""(states [B], int32[B] actions, keys [B]) -> states [B]."""
Draw = Callable[[States, Array], Array]
"""(states [B], uint32[B] random bits) -> int32[B] actions."""


def jobs(bench: Bench) -> Iterator[Job]:
    """Random moves, Pubeval's turns and Pubeval's games, for each number of games side by side."""
    for batch in bench.options.batch:
        yield 1.0, functools.partial(random_play, bench, batch)
        yield 1.0, functools.partial(best_turns, bench, batch)
        yield 1.0, functools.partial(matches, bench, batch)


# Random moves


def from_mask(game: Backgammon, states: State, bits: Array) -> Array:
    """Draw a legal action for each state, from its mask, as for Pgx."""
    return pick(jax.vmap(game.legal_actions)(states), bits)


def from_sets(game: Backgammon, states: State, bits: Array) -> Array:
    """Draw a die and a point for each state, every legal pair with the same probability."""
    del game
    place = pick_bit(states.moves, bits)
    die, point = place // 32, place % 32
    rolled = jnp.take_along_axis(states.dice, die[:, None], 1)[:, 0]
    stuck = ~(states.moves != 0).any(-1)
    return jnp.where(stuck, PASS, (jnp.minimum(rolled, point) - 1) * BAR + point - 1)


WAYS = {"random moves": from_mask, "random moves from sets": from_sets}


def random_moves(step: Step, draw: Draw, opening: States, key: Array, actions: int) -> tuple[States, Array]:
    """Play random actions in all games; one that has ended starts again. Return the states and the games that ended."""

    def each(carry: tuple[States, Array], key: Array) -> tuple[tuple[States, Array], None]:
        states, games = carry
        drawn, chance = jax.random.split(key)
        bits = jax.random.bits(drawn, states.terminated.shape)
        after = step(states, draw(states, bits), jax.random.split(chance, len(bits)))
        over = after.terminated
        return (jax.vmap(where)(over, opening, after), games + over.sum(dtype=jnp.int32)), None

    return lax.scan(each, (opening, jnp.int32(0)), jax.random.split(key, actions))[0]


def whole_games(step: Step, draw: Draw, opening: States, key: Array) -> tuple[States, Array]:
    """Play random games to their ends; return the states and int32[], the actions of all of them."""

    def each(carry: tuple[States, Array, Array]) -> tuple[States, Array, Array]:
        states, made, key = carry
        key, drawn, chance = jax.random.split(key, 3)
        live = ~states.terminated
        bits = jax.random.bits(drawn, live.shape)
        after = step(states, draw(states, bits), jax.random.split(chance, len(bits)))
        return jax.vmap(where)(live, after, states), made + live.sum(dtype=jnp.int32), key

    return lax.while_loop(lambda carry: ~carry[0].terminated.all(), each, (opening, jnp.int32(0), key))[:2]


def random_play(bench: Bench, batch: int, until: float) -> None:
    """Draw a legal action for each game and play it; a game that has ended starts again from its opening roll.

    Work is counted in games: actions, divided by the actions of a whole game. These are measured for each engine apart,
    since Pgx lets a side leave a die that it could play, and has a pass of its own after dice that cannot be played.
    """
    game, options, unit = envs.make("backgammon"), bench.options, "games/s"
    actions, key = min(1024, max(16, 2**18 // batch)), jax.random.key(options.seed)
    cases: dict[str, Case] = {}
    sizes: dict[str, dict[str, float]] = {}
    seconds: dict[str, float] = {}

    def add(name: str, step: Step, choose: Draw, deal: Callable[[Array], States]) -> Case:
        def dealt(count: int) -> States:
            return jax.jit(jax.vmap(deal))(jax.random.split(key, count))

        length = int(jax.jit(functools.partial(whole_games, step, choose))(dealt(WHOLE), key)[1]) / WHOLE
        opening = dealt(batch)
        run, seconds[name] = compile_function(
            functools.partial(random_moves, step, choose, actions=actions), opening, key
        )
        sizes[name] = {"batch": batch, "actions": actions, "actions_per_game": round(length, 1)}
        return Case(lambda: run(opening, key), batch * actions / length)

    for name, draw in WAYS.items():
        cases[name] = add(name, jax.vmap(game.step), functools.partial(draw, game), game.init)

    def pgx() -> dict[str, Case]:
        import pgx

        other = pgx.make("backgammon")
        step, choose = jax.vmap(other.step), lambda states, bits: pick(states.legal_action_mask, bits)
        check_pgx(game, other, step, choose, key)
        return {"pgx": add("pgx", step, choose, other.init)}

    def openspiel() -> dict[str, Case]:
        play = openspiel_games(options.seed, OPENSPIEL)
        sizes["open_spiel"] = {"batch": 1, "games": OPENSPIEL}
        return {"open_spiel": Case(play, OPENSPIEL)}

    first, *_ = WAYS
    for who, found in {"pgx": pgx, "open_spiel": openspiel}.items():
        cases |= compare(bench, who, "backgammon", first, unit, sizes[first], found)
    times = measure(cases, options.repeats, until)
    for name in WAYS:
        more = rate(times[name], sizes[name])
        bench.report.ours("backgammon", name, unit, times[name], sizes[name], seconds[name], **more)
    for who in list(cases)[len(WAYS) :]:
        against: dict[str, Any] = {"who": who, "ours": times[first], "against": f"{first}, batch={batch}"}
        against |= rate(times[who], sizes[who])
        bench.report.rival("backgammon", first, unit, times[who], sizes[who], **against)


def rate(times: Times, sizes: dict[str, float]) -> dict[str, int]:
    """Return the actions per second, by the clock and of CPU time, where the actions of a game were counted."""
    if "actions_per_game" not in sizes:
        return {}
    actions = times.work * sizes["actions_per_game"]
    used = {"actions_per_second": times.median, "actions_per_cpu_second": float(np.median(times.cpu))}
    return {name: round(actions / seconds) for name, seconds in used.items() if seconds > 0}


def check_pgx(game: Backgammon, other: "pgx.Env", step: Step, choose: Draw, key: Array) -> None:
    """Compare moves with Pgx's at beginnings of turns of random games, and the men after one of these moves.

    Every move that is legal here is legal there; not the other way round, where both dice can be played.
    """
    opening = jax.jit(jax.vmap(other.init))(jax.random.split(key, SAMPLE))
    states = jax.jit(functools.partial(random_moves, step, choose, actions=100))(opening, key)[0]
    board, rolled = np.asarray(states._board), np.asarray(states._dice) + 1
    own, men = from_pgx(board)
    roll = np.sort(rolled, 1)[:, ::-1].astype(np.int32)
    begun = jax.jit(jax.vmap(game.turn))(own, men, roll, jnp.zeros(SAMPLE, jnp.int32))
    legal = np.asarray(jax.vmap(game.legal_actions)(begun))
    masks = np.asarray(states.legal_action_mask).reshape(SAMPLE, 26, DICE)
    rows = [n for n in range(SAMPLE) if states._played_dice_num[n] == 0 and not legal[n, PASS]]
    actions = np.full(SAMPLE, PASS)
    theirs = np.zeros(SAMPLE, np.int32)
    for n in rows:
        pairs = {
            (min(die + 1, 26 - source) - 1) * BAR + 25 - source: source * DICE + die
            for source, die in np.argwhere(masks[n])
            if source
        }
        mine = np.flatnonzero(legal[n])
        assert set(mine) <= set(pairs), "a move is not legal in Pgx"
        actions[n], theirs[n] = mine[n % len(mine)], pairs[mine[n % len(mine)]]
    keys = jax.random.split(key, SAMPLE)
    after, met = jax.jit(jax.vmap(game.step))(begun, actions, keys), jax.jit(step)(states, theirs, keys)
    goes_on = [n for n in rows if after.rolls[n] == 0 and met._played_dice_num[n] == 1 and not met.terminated[n]]
    own, men = from_pgx(np.asarray(met._board))
    assert len(goes_on) > SAMPLE // 8, "too few positions"
    np.testing.assert_array_equal(np.asarray(after.own)[goes_on], own[goes_on])
    np.testing.assert_array_equal(np.asarray(after.other)[goes_on], men[goes_on])


def from_pgx(board: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return int8[B, 26] twice, the men of both sides by their own points, of Pgx's boards, [B, 28].

    There a side moves up from index 0, has the bar at 24 and its men borne off at 26. Men of the other side are
    negative, on the bar at 25, borne off at 27.
    """
    points, rest = board[:, :24], np.maximum(board[:, 24:], 0)
    theirs, gone = np.maximum(-points, 0), np.maximum(-board[:, 24:], 0)
    own = np.column_stack([rest[:, 2], np.maximum(points, 0)[:, ::-1], rest[:, 0]])
    return own.astype(np.int8), np.column_stack([gone[:, 3], theirs, gone[:, 1]]).astype(np.int8)


def openspiel_games(seed: int, games: int) -> Callable[[], None]:
    """Return a function that plays random games, turn by turn; raises ImportError where OpenSpiel is not installed."""
    import pyspiel

    game, rng = pyspiel.load_game("backgammon"), random.Random(seed)

    def run() -> None:
        for _ in range(games):
            state = game.new_initial_state()
            while not state.is_terminal():
                if state.is_chance_node():
                    outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                    state.apply_action(rng.choices(outcomes, chances)[0])
                else:
                    state.apply_action(rng.choice(state.legal_actions()))

    return run


# Pubeval


def pubeval_turns(game: Backgammon, states: State) -> tuple[Array, Array]:
    """Return int8[B, 26] twice: the men of both sides after Pubeval's turns."""

    def value(lanes: Array, men: many.Men, needed: Array) -> Array:
        del needed
        return pubeval.score(states.racing[lanes], *(side.T for side in men))

    codes = many.best_turns(game, states, ~states.terminated, value, random=False)
    return jax.vmap(whole.play_turn)(states, codes)


def pubeval_games(game: Backgammon, opening: State, key: Array, turns: Array | None = None) -> State:
    """Let Pubeval play against itself, up to the end, or up to turns of these numbers (int32[B])."""
    player, none = pubeval.Pubeval(game), jnp.zeros(opening.terminated.shape, jnp.uint32)

    def live(states: State) -> Array:
        return ~states.terminated if turns is None else ~states.terminated & (states.rolls < turns)

    def each(carry: tuple[State, Array]) -> tuple[State, Array]:
        states, key = carry
        key, chance = jax.random.split(key)
        active = live(states)
        moves = player.turns(states, none, active)
        keys = jax.random.split(chance, len(moves))  # dice are rolled after the last man alone

        def man(number: Array, states: State) -> State:
            after = jax.vmap(game.step)(states, moves[:, number], keys)
            return jax.vmap(where)(active & (moves[:, number] >= 0), after, states)

        return lax.fori_loop(0, moves.shape[1], man, states), key

    return lax.while_loop(lambda carry: live(carry[0]).any(), each, (opening, key))[0]


def sample_turns(game: Backgammon, seed: int, count: int) -> State:
    """Return beginnings of turns [count] of Pubeval's games with itself; from `DISTINCT` on they are repeated."""
    few = min(count, DISTINCT)
    opening, turns = openings(game, seed, few), jnp.arange(few, dtype=jnp.int32) % LATEST
    states = jax.jit(functools.partial(pubeval_games, game))(opening, jax.random.key(seed), turns)
    found = jax.vmap(where)(states.terminated, opening, states)
    return jax.tree.map(lambda x: x[np.arange(count) % few], found)


def openings(game: Backgammon, seed: int, count: int) -> State:
    return jax.jit(jax.vmap(game.init))(jax.random.split(jax.random.key(seed), count))


def rows(states: States) -> list[Position]:
    """Return positions as plain Python has them, with their rolls."""
    sides = [[tuple(row) for row in np.asarray(x).tolist()] for x in (states.own, states.other, states.dice)]
    return list(zip(*sides, strict=True))


def best_turns(bench: Bench, batch: int, until: float) -> None:
    """Find Pubeval's turns for many positions; every engine finds turns of the same values."""
    options, name, unit = bench.options, "Pubeval's turns", "turns/s"
    game = envs.make("backgammon")
    states = sample_turns(game, options.seed, batch)
    run, seconds = compile_function(functools.partial(pubeval_turns, game), states)
    some = slice(0, DISTINCT, max(1, min(batch, DISTINCT) // options.rival_turns))
    few = rows(states)[some]
    ours = list(zip(*([tuple(row) for row in np.asarray(x).tolist()] for x in run(states)), strict=True))[some]
    judge = plain.Pubeval(pubeval.weights().tolist())
    sizes = {"batch": batch}

    def same(turns: Callable[[], list[plain.Men]]) -> dict[str, float]:
        """Compare turns by what Pubeval thinks of them, and count those that lead to the same men."""
        found = turns()
        for (own, other, _), mine, theirs in zip(few, ours, found, strict=True):
            race = plain.racing(own, other)
            if plain.MEN not in (mine[0][0], theirs[0][0]):
                assert abs(judge.value(race, *mine) - judge.value(race, *theirs)) < 1e-4, "turns differ"
            else:
                assert mine[0][0] == theirs[0][0], "one of the turns does not win"
        return {"same": sum(mine == theirs for mine, theirs in zip(ours, found, strict=True)), "of": len(few)}

    rivals = {
        PLAIN: lambda: [judge.best(*one) for one in few],
        "reference": reference(few),
        "gnubg_nn": gnubg(few),
    }
    cases, notes = {name: Case(lambda: run(states), batch)}, {}
    for who, turns in rivals.items():

        def found(who: str = who, turns: Callable[[], list[plain.Men]] = turns) -> dict[str, Case]:
            notes[who] = same(turns)
            return {who: Case(turns, len(few), warm=False)}

        cases |= compare(bench, who, "backgammon", name, unit, sizes, found)
    times = measure(cases, options.repeats, until)
    bench.report.ours("backgammon", name, unit, times[name], sizes, seconds)
    for who in list(cases)[1:]:
        more = {"who": who, "ours": times[name], "against": f"{name}, batch={batch}", **notes[who]}
        bench.report.rival("backgammon", name, unit, times[who], {"positions": len(few)}, **more)


def reference(few: list[Position]) -> Callable[[], list[plain.Men]]:
    """Return a function that finds the best turns by the oracle of the tests, and values them with NumPy."""
    weights = pubeval.weights()

    def seen(own: plain.Side, other: plain.Side) -> list[float]:
        """Return the 122 numbers of Pubeval, point by point."""
        found: list[float] = []
        for point in range(24, 0, -1):
            men = own[point]
            found += [other[BAR - point] == 1, men == 1, men > 1, men == 3, (men - 3) / 2 if men > 3 else 0]
        return [*found, other[BAR] / 2, own[OFF] / plain.MEN]

    def run() -> list[plain.Men]:
        from tests.reference import backgammon as oracle

        best = []
        for own, other, (larger, smaller) in few:
            dice = [larger] * 4 if larger == smaller else [larger, smaller]
            turns = sorted(oracle.turns(own, other, dice))
            values = np.array([seen(*turn) for turn in turns], np.float32) @ weights[int(plain.racing(own, other))]
            won = [pubeval.WON if turn[0][OFF] == plain.MEN else 0.0 for turn in turns]
            best.append(turns[int(np.argmax(values + np.array(won)))])
        return best

    return run


def gnubg(few: list[Position]) -> Callable[[], list[plain.Men]]:
    """Return a function that finds the best turns by the Pubeval of gnubg_nn, which is written in C."""
    boards = [[[*other[1:]], [*own[1:]]] for own, other, _ in few]

    def run() -> list[plain.Men]:
        import gnubg_nn

        best = []
        for board, (own, other, roll) in zip(boards, few, strict=True):
            men, hops = (own, other), gnubg_nn.pub_best_move(board, *roll)
            for start, to in zip(hops[::2], hops[1::2], strict=True):
                men = plain.move_man(*men, start + 1, start - to)
            best.append(men)
        return best

    return run


def standard_error(points: np.ndarray, others: np.ndarray) -> float:
    """Return that of the difference of two means; both have the greater of the two deviations, which few games hide."""
    return float(max(points.std(), others.std()) * np.hypot(len(points) ** -0.5, len(others) ** -0.5))


def matches(bench: Bench, batch: int, until: float) -> None:
    """Let Pubeval play whole games against itself; the mean points of a game agree within five standard errors."""
    options, name, unit = bench.options, "Pubeval's games", "games/s"
    game, key = envs.make("backgammon"), jax.random.key(options.seed)
    opening = openings(game, options.seed, batch)
    run, seconds = compile_function(functools.partial(pubeval_games, game), opening, key)
    ended = run(opening, key)
    ours = np.asarray(jax.vmap(game.score)(ended)).max(1)
    sizes = {"batch": batch, "turns": round(float(ended.rolls.mean()) + 1, 1), "points": round(float(ours.mean()), 3)}
    player, rng = plain.Pubeval(pubeval.weights().tolist()), random.Random(options.seed)

    def played() -> list[int]:
        return [player.play(rng) for _ in range(options.rival_games)]

    cases, more = {name: Case(lambda: run(opening, key), batch, warm=False)}, {}
    if options.rivals:
        theirs = np.array(played())
        assert abs(theirs.mean() - ours.mean()) < 5 * standard_error(ours, theirs), "means differ"
        cases[PLAIN] = Case(played, options.rival_games, warm=False)
        more = {"points": round(float(theirs.mean()), 3)}
    times = measure(cases, options.repeats, until)
    bench.report.ours("backgammon", name, unit, times[name], sizes, seconds)
    if options.rivals:
        against = {"who": PLAIN, "ours": times[name], "against": f"{name}, batch={batch}"}
        bench.report.rival("backgammon", name, unit, times[PLAIN], {"games": options.rival_games}, **against, **more)
