"""Tournaments of Walls: a generation of rule lists, each double game of its groups, here and in plain Python."""

import functools
import itertools
from collections.abc import Callable, Iterator

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

import envs
from envs.walls.strategies import strategy
from envs.walls.view import OTHER, OWN
from jaxgp.config import schema
from jaxgp.config.games import cast_of
from jaxgp.evolution.options import GroupsOptions
from jaxgp.fitness.tournament import round_robin
from jaxgp.games.casting import Cast
from jaxgp.genotypes.rulelists import DONT_CARE, RuleLists
from jaxgp.genotypes.ruletext import parse_rules
from jaxgp.operators.options import RuleCreationOptions
from jaxgp.operators.rulelists import mutate
from jaxgp.run import assemble
from rivals.plain import walls as plain_walls
from rivals.timing import Bench, Case, Job, compile_function, measure

GROUP = 5
MUTATIONS = 3
"""Of each copy of the fixed strategy."""
OPTIONS = GroupsOptions(creation=RuleCreationOptions(dont_care=0.8))


def jobs(bench: Bench) -> Iterator[Job]:
    """Both ways of matching, with random lists, whose games stall early, and with lists that fill the board."""
    for matching in ("strict", "symmetric"):
        at = cast_of(schema.Config(game={"name": "walls", "size": 5}, program={"matching": matching}), envs)
        for name, make in (("random lists", random_lists), ("mutants of the fixed strategy", mutants)):
            yield 1.0, functools.partial(play, bench, at, name, make)


def random_lists(at: Cast, count: int, key: Array) -> RuleLists:
    """Make lists as a run does."""
    return jax.jit(assemble.creator(at.language, OPTIONS), static_argnums=1)(key, count)


def mutants(at: Cast, count: int, key: Array) -> RuleLists:
    """Mutate copies of the fixed strategy a few times each."""

    def mutant(key: Array) -> RuleLists:
        def once(one: RuleLists, key: Array) -> tuple[RuleLists, None]:
            return mutate(key, at.language, OPTIONS.mutation, OPTIONS.creation.dont_care, one)[0], None

        return jax.lax.scan(once, make_fixed(at), jax.random.split(key, MUTATIONS))[0]

    return jax.jit(jax.vmap(mutant))(jax.random.split(key, count))


def make_fixed(at: Cast) -> RuleLists:
    """Return the fixed strategy; for strict matching with every turn and mirror image of its rules written out."""
    one = parse_rules(at.language, strategy("fixed", at.game).text, OPTIONS.capacity)
    if not at.options.symmetric:
        length = int(one.length)
        rules = [
            pair
            for condition, action in zip(one.condition[:length], one.action[:length], strict=True)
            for pair in write_out(at, condition, int(action))
        ]
        condition, action = np.zeros_like(one.condition), np.zeros_like(one.action)
        condition[: len(rules)], action[: len(rules)] = [c for c, _ in rules], [a for _, a in rules]
        one = RuleLists(condition, action, np.int32(len(rules)))
    return jax.tree.map(jnp.asarray, one)


def write_out(at: Cast, condition: np.ndarray, action: int) -> Iterator[tuple[np.ndarray, int]]:
    """Write a rule for each heading, and its mirror image after it."""
    (mirror,) = at.language.symmetries
    symbols = np.array([*mirror.symbols, DONT_CARE])
    for heading in range(4):
        for cells, act in ((condition, action), (symbols[condition[list(mirror.cells)]], mirror.actions[action])):
            first = np.where(cells >= OWN, OWN, OTHER)
            turned = np.where(cells >= OTHER, first + (cells - first + heading) % 4, cells)
            yield np.rot90(turned.reshape(at.language.shape), -heading).ravel().astype(np.int8), act


def play(bench: Bench, at: Cast, name: str, make: Callable[[Cast, int, Array], RuleLists], until: float) -> None:
    """Play the tournaments of one population, and those of some of its groups in plain Python."""
    options = bench.options
    lists = make(at, options.lists, jax.random.key(options.seed))
    tournament = functools.partial(round_robin, game=at.game, player=at.actor, size=GROUP, max_plies=100_000)
    run, seconds = compile_function(lambda key, lists: tournament(key, population=lists), jax.random.key(0), lists)
    result = run(jax.random.key(0), lists)
    games = int(result.games)
    sizes = {
        "lists": options.lists,
        "N": at.game.size,
        "M": at.language.shape[0],
        "matching": at.options.matching,
        "mean_rules": round(float(lists.length.mean()), 1),
        "mean_plies": round(int(result.plies) / games, 1),
    }
    cases = {name: Case(lambda: run(jax.random.key(0), lists), games)}
    chosen = np.random.default_rng(options.seed).permutation(options.lists // GROUP)[: options.rival_groups].tolist()
    host, points = jax.tree.map(np.asarray, (lists, result.points))
    rivals = {"plain Python": chosen, "reference": chosen[: max(1, len(chosen) // 10)]} if options.rivals else {}
    for who, groups in rivals.items():
        game = GAMES[who](at, host)
        case = Case(functools.partial(tournaments, game, groups), len(groups) * GROUP * (GROUP - 1), warm=False)
        assert case.run() == {i: points[i] for i in members(groups)}, f"{who}: points differ"
        cases[who] = case
    times = measure(cases, options.repeats, until)
    bench.report.ours("walls", name, "games/s", times[name], sizes, seconds)
    for who, groups in rivals.items():
        more = {"who": who, "ours": times[name], "against": name}
        of_groups = {**sizes, "lists": len(groups) * GROUP}
        bench.report.rival("walls", "the same games", "games/s", times[who], of_groups, **more)


def members(groups: list[int]) -> list[int]:
    return [i for group in groups for i in range(group * GROUP, group * GROUP + GROUP)]


def tournaments(game: Callable[[int, int], tuple[int, int]], groups: list[int]) -> dict[int, int]:
    """Play both games of each pair of each group one by one; return the points of each list."""
    total = dict.fromkeys(members(groups), 0)
    for group in groups:
        for a, b in itertools.permutations(members([group]), 2):
            first, second = game(a, b)
            total[a] += first
            total[b] += second
    return total


def plain(at: Cast, lists: RuleLists) -> Callable[[int, int], tuple[int, int]]:
    """Return what plays a game of two lists in plain Python; each list is made ready once."""
    board = plain_walls.Board(at.game.size, at.language.shape[0], at.options.symmetric)

    @functools.cache
    def rules(index: int) -> list[plain_walls.Rule]:
        return plain_walls.rules(at.language, lists, index, at.options.symmetric)

    return lambda a, b: board.play(rules(a), rules(b))


def reference(at: Cast, lists: RuleLists) -> Callable[[int, int], tuple[int, int]]:
    """The same with the oracle that the rules are tested against, which is written for clarity."""
    from tests.fitness import walls_table

    rules = functools.cache(functools.partial(walls_table.plain, lists))
    return lambda a, b: walls_table.game(at, rules(a), rules(b))


GAMES = {"plain Python": plain, "reference": reference}
