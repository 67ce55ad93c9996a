"""Games of Morpion Solitaire, random ones and those of programs, here and in plain Python."""

import functools
import random
from collections.abc import Callable, Iterator

import jax
import numpy as np

import envs
from envs.morpion.opponents import random_scores
from envs.morpion.primitives import AREA, LAST, POINT
from jaxgp.config import schema
from jaxgp.config.games import cast_of
from jaxgp.games.casting import Cast
from jaxgp.genotypes.programs import Programs
from jaxgp.operators.creation import create
from jaxgp.operators.options import CreationOptions
from rivals.plain import morpion as plain_morpion
from rivals.timing import Bench, Case, Job, compile_function, measure

CREATION = CreationOptions(method="full", min_depth=5, max_depth=6)
"""Programs with leaves enough for whole games."""
ROUNDS = 5
"""Random games that each lane plays one after the other."""


def jobs(bench: Bench) -> Iterator[Job]:
    """Random games of both variants; games of programs."""
    for variant in ("5T", "5D"):
        yield 1.0, functools.partial(random_games, bench, variant)
    yield 1.0, functools.partial(programs, bench)


def random_games(bench: Bench, variant: str, until: float) -> None:
    """Play uniformly random games; the means of their scores are compared, within five standard errors.

    The oracle of the tests, which is written for clarity, plays a few games too.
    """
    options, game = bench.options, envs.make("morpion", variant=variant)
    lanes, few = options.games, options.rival_games
    key, name = jax.random.key(options.seed), f"random games, {variant}"
    run, seconds = compile_function(lambda key: random_scores(game, key, lanes, ROUNDS), key)
    scores = np.asarray(run(key)).ravel()
    sizes = {"variant": variant, "size": game.size, "side by side": lanes, "mean_score": round(float(scores.mean()), 1)}
    board, choose = plain_morpion.Board(game), plain_morpion.Random(options.seed)

    def plain() -> list[int]:
        return [board.play(choose) for _ in range(few)]

    def reference() -> list[int]:
        from tests.reference.morpion import Position

        rng, played = random.Random(options.seed), []
        for _ in range(-(-few // 50)):
            position = Position(variant == "5T")
            while moves := position.moves():
                position.play(rng.choice(sorted(moves)))
            played.append(len(position.lines))
        return played

    def check(theirs: list[int]) -> None:
        error = scores.std() * np.hypot(len(scores) ** -0.5, len(theirs) ** -0.5)
        assert abs(np.mean(theirs) - scores.mean()) < 5 * error, "means differ"

    rivals = {"plain Python": plain, "reference": reference}
    report(bench, name, sizes, Case(lambda: run(key), len(scores)), seconds, rivals, check, until)


def programs(bench: Bench, until: float) -> None:
    """Play the games of a population; the scores of a few of them are compared one by one."""
    options = bench.options
    at = cast_of(schema.Config(game={"name": "morpion"}), envs)
    made = create(jax.random.key(options.seed), at.language, CREATION, options.population, options.capacity)
    run, seconds = compile_function(lambda made: at.actor.play(at.actor.prepare(made)).states.count, made)
    scores, few = np.asarray(run(made)), min(options.rival_games, options.population)
    sizes = {"programs": options.population, "nodes": int(made.length.mean()), "mean_score": round(scores.mean(), 1)}
    board, chosen = plain_morpion.Board(at.game), [leaves(at, made, n) for n in range(few)]

    def plain() -> list[int]:
        return [board.play(plain_morpion.Leaves(board, program)) for program in chosen]

    def check(theirs: list[int]) -> None:
        assert theirs == scores[:few].tolist(), "scores differ"

    rivals = {"plain Python": plain}
    report(bench, "games of programs", sizes, Case(lambda: run(made), len(scores)), seconds, rivals, check, until)


def leaves(at: Cast, made: Programs, index: int) -> plain_morpion.Program:
    """Return one program of [P] as plain Python takes it."""
    length = int(made.length[index, 0])
    nodes = zip(made.opcode[index, 0, :length].tolist(), made.value[index, 0, :length].tolist(), strict=True)
    point, last = at.language.opcode(POINT), at.language.opcode(LAST)
    left, bottom = AREA.left - at.game.origin[0], AREA.bottom - at.game.origin[1]
    return [
        None if code == last else (left + int(value) % AREA.width, bottom + int(value) // AREA.width)
        for code, value in nodes
        if code in (point, last)
    ]


def report(
    bench: Bench,
    name: str,
    sizes: dict,
    ours: Case,
    seconds: float,
    rivals: dict[str, Callable[[], list[int]]],
    check: Callable[[list[int]], None],
    until: float,
) -> None:
    """Compare the rivals' scores, time all in turn, and write the measurements."""
    theirs: dict[str, Case] = {}
    for who, played in rivals.items() if bench.options.rivals else ():
        scores = played()
        check(scores)
        theirs[who] = Case(played, len(scores), warm=False)
    times = measure({name: ours, **theirs}, bench.options.repeats, until)
    bench.report.ours("morpion", name, "games/s", times[name], sizes, seconds)
    for who, case in theirs.items():
        more = {"who": who, "ours": times[name], "against": name}
        bench.report.rival("morpion", name, "games/s", times[who], {**sizes, "games": case.work}, **more)
