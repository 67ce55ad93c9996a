"""Programs that make moves in plain C++: against recursive Python, and against the lanes of the frame machine."""

import shutil

import jax
import jax.numpy as jnp
import numpy as np
import pytest

chess = pytest.importorskip("chess")
if shutil.which("g++") is None:
    pytest.skip("there is no C++ compiler", allow_module_level=True)

from envs.chess.board.position import MOVE  # noqa: E402
from envs.mate import language, roles  # noqa: E402
from jaxgp.operators.creation import create  # noqa: E402
from jaxgp.operators.options import CreationOptions  # noqa: E402
from rivals.plain import mate  # noqa: E402
from studies.mate import programs as plain  # noqa: E402
from tests.envs.mate.test_search import BUDGETS, CAPACITY, GAME, SIX_THREE, SIX_TWO, by_oracle, posed  # noqa: E402
from tests.reference.moves import read  # noqa: E402

TEXTS = (
    SIX_TWO,
    SIX_THREE,
    "(MakeBestMove EvaluateMaterial)",
    "(MakeBestMove (MakeBestMove Again))",
    "(MakeAllMovesSuchThat (Or2 IsCheck IsMaterialChange) (MakeBestMove NumNotMovesOppKing) Again)",
    "(IfExistsCheckingMove (MyMoveIter IsDiscoveredCheck IsOppKingStuck 1000 Depth) IsPinCloseToKing)",
    "(IfKingMustMove (IfCaptureCloseToKingMove NumOppPiecesAttacked IsCheckFork) (IfPinCloseToKingMove 250 IsCheck))",
    "(IfForAllOpponentMoves (IfAttackingKingMove NumMyPiecesCanCheck 0) (IfClearingWayMove -500 IsNextMoveForced) 250)",
    "(MakeBestMove (IfSuicideCheck DidNumAttackingKingIncrease 1000 (IfMyMoveExistsSuchThat IsMateInOneOrLess 500 0)))",
    "(MakeBestMove (If3 (And2 IsOppPiecePinned (Smaller OppKingProximityToEdges 2)) NumNotMovesOppBigger 0))",
)
"""Programs in which every function makes moves, and nearly all terminals are read."""
READINGS = {
    "usual": language.Options(language="again"),
    "other": language.Options(language="again", told=False, reply="worst", iter="first", made=True, near=1, stop=True),
    "cutoff": language.Options(language="again", reply="worst", stop=True, cutoff=True),
    "remember": language.Options(language="again", cutoff=True, counts=True, remember=True),
}


@pytest.mark.thorough
@pytest.mark.parametrize("options", READINGS.values(), ids=READINGS)
def test_plain_programs_search_as_recursive_python_does(options):
    problems = posed()[2:6]
    limits = np.random.default_rng(0).choice(BUDGETS[BUDGETS < 800], (len(TEXTS), len(problems)))
    pairs = [
        (one, at, plain.allowed(options, n), int(limits[one, at]), n)
        for one in range(len(TEXTS))
        for at, (_, n) in enumerate(problems)
    ]
    found = mate.run(TEXTS, [text for text, _ in problems], pairs, plain.words(options))
    for (one, at, _, limit, _), mine in zip(pairs, found, strict=True):
        scores, chosen, nodes, truncated, lines = by_oracle(options, read(TEXTS[one]), problems[at], limit)
        theirs = [chosen, max(scores), nodes, truncated, max(map(len, lines))]
        made = [mine.chosen & MOVE, mine.score, mine.nodes, mine.truncated, mine.deepest]
        assert made == pytest.approx(theirs), (TEXTS[one], problems[at], limit)


@pytest.mark.slow
@pytest.mark.parametrize("options", READINGS.values(), ids=READINGS)
def test_plain_programs_search_as_lanes_do(options):
    primitives, prover = plain.search(GAME, options)
    programs = create(jax.random.key(1), primitives, CreationOptions(max_depth=5), 200, CAPACITY)
    whose, which = np.divmod(np.arange(200 * len(posed())), len(posed()))
    limits = np.random.default_rng(1).choice(BUDGETS, len(whose)).astype(np.int32)
    states = jax.tree.map(lambda x: jnp.asarray(x)[which], GAME.positions(posed()))
    mine, theirs = (
        jax.device_get(jax.jit(lambda *given, one=one: one.prove(one.prepare(programs), *given))(whose, states, limits))
        for one in (prover, roles.search(GAME, options)[1])
    )
    for name in ("chosen", "nodes", "truncated", "deepest", "solved"):
        np.testing.assert_array_equal(getattr(mine, name), getattr(theirs, name), name)
    np.testing.assert_allclose(mine.scores[:, 0], theirs.scores.max(1))
