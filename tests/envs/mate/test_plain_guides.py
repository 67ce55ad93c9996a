"""Complete searches in plain C++, also those that genomes guide: against plain Python, and against those of jaxgp."""

import shutil

import jax
import jax.numpy as jnp
import numpy as np
import pytest

if shutil.which("g++") is None:
    pytest.skip("there is no C++ compiler", allow_module_level=True)

import envs
from envs.mate import suites
from envs.mate.export.searcher import Searcher
from envs.mate.rules import Mate
from jaxgp.games.casting import cast
from jaxgp.operators.creation import create
from jaxgp.operators.options import CreationOptions
from jaxgp.search.proofs.depth import DepthFirst
from rivals.plain import mate
from studies.mate import programs as plain
from tests.envs.replays import FAST

LIMIT = 2000
TREES = {
    "NumNotMovesOppKing": lambda seen: seen["NumNotMovesOppKing"],
    "(If3 IsCheckFork 250 (If3 IsDiscoveredCheck Depth NumMyPiecesCanCheck))": lambda seen: (
        250.0 if seen["IsCheckFork"] else seen["Depth"] if seen["IsDiscoveredCheck"] else seen["NumMyPiecesCanCheck"]
    ),
    "(If3 (Smaller EvaluateMaterial NumOppPiecesAttacked) -333.33334 OppKingProximityToEdges)": lambda seen: (
        np.float32(-1000 / 3)
        if seen["EvaluateMaterial"] < seen["NumOppPiecesAttacked"]
        else seen["OppKingProximityToEdges"]
    ),
    "500": None,
}
NOTHING = {"replies": "(PROGRAM 250 250)", "less": "(PROGRAM 250 250)", "weights": ",".join("0" * 18)}
ROLES = {
    "list": ("guide", {"equal": "list"}),
    "replies": ("guide", {"equal": "replies"}),
    "less": ("guide", {"equal": "less", "told": False}),
    "proof": ("guide", {"within": "proof"}),
    "weights": ("weights", {}),
    "near": ("guide", {"near": 1, "equal": "less"}),
    "deepening": ("guide", {"within": "proof", "told": False}),
}


def posed(lengths):
    """Return FEN and n of as many own problems of each n as `lengths` says."""
    own = suites.shipped()
    return [row[:2] for n, most in lengths.items() for row in [row for row in own if row[1] == n][:most]]


def guided(text, problems, limit, *words):
    """Return what one guide comes to on problems."""
    pairs = [(0, at, n, limit) for at, (_, n) in enumerate(problems)]
    return mate.guide([text], [position for position, _ in problems], pairs, words)


@pytest.mark.thorough
@pytest.mark.parametrize("equal", ["list", "replies", "less"])
def test_trees_guide_plain_searches_as_plain_python(equal):
    problems = posed({2: 2, 3: 1})
    texts = list(TREES)
    for order, reply in zip(texts, texts[1:] + texts[:1], strict=True):
        found = guided(f"(PROGRAM {order} {reply})", problems, 300, equal)
        for one, (position, n) in zip(found, problems, strict=True):
            search = Searcher(position, n, (TREES[order], TREES[reply]), near=2, limit=300, equal=equal)
            name = search.search()
            assert (one.nodes, one.solved) == (search.nodes, name is not None)


@pytest.mark.thorough
@pytest.mark.parametrize("how", [*NOTHING, "proof"])
def test_guides_that_say_nothing_leave_searches_by_hand_as_they_are(how):
    problems = posed({1: 20, 2: 20, 3: 10})
    for told in (True, False):
        words = [how, *["deepening"] * (not told)]
        found = guided(NOTHING.get(how, "(PROGRAM 1 2 0)"), problems, LIMIT, *words)
        wanted = mate.count("dfpn_replies" if how == "proof" else "few", problems, LIMIT, told)
        assert [one.nodes for one in found] == [one.nodes for one in wanted]
        assert [one.solved for one in found] == [one.moves > 0 for one in wanted]
        assert [one.truncated for one in found] == [one.cut for one in wanted]
        if how == "proof":
            assert [one.distinct for one in found] == [one.distinct for one in wanted]


@pytest.mark.thorough
@pytest.mark.parametrize("told", [True, False])
@pytest.mark.parametrize("method", ["plain", "captures", "few"])
def test_searches_by_hand_make_the_moves_of_plain_searches(method, told):
    problems, limit = posed(dict.fromkeys((1, 2, 3, 4), 999)), 5000
    search = DepthFirst(Mate(), method, told=told, deepest=4, entries=2**17)
    states = jax.tree.map(jnp.asarray, Mate().positions(problems))
    found = jax.device_get(jax.jit(search.search, compiler_options=FAST)(states, jnp.full(len(problems), limit)))
    wanted = mate.count(method, problems, limit, told)
    same = found.nodes == np.array([one.nodes for one in wanted])
    # Plain searches replace no entry of their tables.
    assert same.mean() > 0.94 if method == "few" else same.all()
    np.testing.assert_array_equal(found.truncated, [one.cut for one in wanted])
    np.testing.assert_array_equal(found.solved, [one.moves > 0 for one in wanted])


@pytest.mark.slow
@pytest.mark.parametrize("name", ROLES)
def test_random_guides_search_as_in_lanes(name):
    role, options = ROLES[name]
    options = {**options, "entries": 2**13 if "within" in options else 2**17}
    made = [cast(games.spec("mate"), None, role, None, options) for games in (plain.Games(), envs)]
    problems = posed({1: 4, 2: 12, 3: 12, 4: 2})
    count = 40
    programs = create(jax.random.key(2), made[0].language, CreationOptions(max_depth=4), count, 64)
    whose, which = np.divmod(np.arange(count * len(problems)), len(problems))
    limits = np.random.default_rng(1).choice([0, 10, 200, LIMIT], len(whose), p=[0.02, 0.08, 0.3, 0.6])
    states = jax.tree.map(lambda x: jnp.asarray(x)[which], made[0].game.positions(problems))

    def claims(prover):
        run = jax.jit(lambda *given: prover.prove(prover.prepare(programs), *given), compiler_options=FAST)
        return jax.device_get(run(jnp.asarray(whose), states, jnp.asarray(limits, jnp.int32)))

    mine, theirs = (claims(one.actor) for one in made)
    # In lanes a search depth first may replace an entry of its table, and then makes more moves.
    same = mine.nodes == theirs.nodes
    assert (mine.nodes <= theirs.nodes).all()
    assert same.all() if options.get("within") == "proof" else same.mean() > 0.995
    for field in ("chosen", "solved", "refuted", "truncated", "deepest"):
        np.testing.assert_array_equal(getattr(mine, field)[same], getattr(theirs, field)[same], field)
    searched = same & (limits > 0)
    np.testing.assert_array_equal(mine.distinct[searched], theirs.distinct[searched])
    assert len(np.unique(mine.nodes[mine.solved])) > 100
