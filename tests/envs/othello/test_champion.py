"""The evaluator that the documents tell of is there, and is what they say."""

from pathlib import Path

import pytest

import envs
from envs.othello.leaves import numbers
from jaxgp.export import export as analysis
from jaxgp.measure import champions

DOCS = Path(__file__).parents[3] / "docs"
SCALE = 4.656315 * 4.174175
FACTOR = -1.3129747


@pytest.mark.parametrize(
    ("file", "depth", "constant", "weights"),
    [
        (
            "reversi_champion.json",
            4,
            FACTOR * -2.645706,
            {
                "Mobility": FACTOR * -1.4592797,
                "EnemyMobility": FACTOR,
                "EnemyCornerCount": FACTOR * -2.645706 * -3.8620048,
            },
        ),
        (
            "reversi_mobility.json",
            2,
            0,
            {"Mobility": 1, "CornerCount": 3.9140873 + 0.96552044, "XSquareCount": -0.05978763},
        ),
        ("reversi_edges.json", 2, 0, {"EdgeCount": 0.9825566 * SCALE, "CornerCount": SCALE}),
    ],
)
def test_the_evaluators_of_the_documents_are_sums_of_a_few_counts(file, depth, constant, weights):
    loaded = champions.load(str(DOCS / file), envs)
    game, options, role = loaded.cast.game, loaded.cast.options, loaded.cast.role
    names = numbers(game, options)
    written = analysis.Written(loaded.cast.language, loaded.genome, role.features)
    module = {}
    exec(role.exports["python"](game, options, written, "A player of Othello."), module)
    boards = [
        "XO......" + "OX......" + "........" + "...OX..." + "...XO..." + "........" + "........" + ".......X",
        "..XX...." + ".O......" + "..XXX..." + "...OX..." + "O.OXO..." + "...O...." + "......X." + "........",
    ]
    for drawing in boards:
        board = [{"X": 1, "O": -1, ".": 0}[mark] for mark in drawing]
        seen = module["see"](board)
        count = dict(zip(names, seen[-len(names) :], strict=True))
        worth = constant + sum(weight * count[name] for name, weight in weights.items())
        assert module["evaluate"](seen) == pytest.approx(worth, rel=1e-5)
    assert game.size == 8
    assert options.depth == depth
