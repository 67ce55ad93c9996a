"""Many compositions in one process give what each gives alone."""

from dataclasses import asdict
from pathlib import Path

import hydra
import pytest

import envs
from jaxgp.config import compose, validate
from jaxgp.config.compose import Composer
from jaxgp.config.schema import Config
from jaxgp.errors import UsageError
from jaxgp.seats.options import opponent

CONF = Path(__file__).resolve().parents[2] / "conf"
CASES = (
    ["algorithm.population=12", "game=walls", "seed=4"],
    ["game=walls", "game.size=7", "seed=4"],
    ["seed=4", "game=walls"],
    ["experiment=morpion_points", "algorithm.creation.max_depth=3", "algorithm.max_depth=null", "program.best=true"],
    ["+fitness.opponents.beginner.kind=random", "experiment=mancala_run1"],
)


@pytest.fixture(scope="module")
def composer():
    with Composer(Config, CONF, "config") as made:
        yield made


def test_compositions_do_not_touch_each_other_and_are_those_of_hydra(composer):
    given = [[compose.adapt_override(Config, one) for one in case] for case in CASES]
    alone = [asdict(compose.read_options(Config, hydra.compose("config", case))) for case in given]
    for case, made in zip([*CASES, *CASES[::-1]], [*alone, *alone[::-1]], strict=True):
        assert asdict(composer.compose(case)) == made


def test_naming_the_kind_of_an_opponent_drops_what_a_file_gives_another_kind(composer):
    minimax = "fitness.opponents.minimax"
    made = composer.compose([f"{minimax}.kind=random", f"+{minimax}.games=3"])
    assert made.fitness.opponents["minimax"] == opponent("random", games=3)
    with pytest.raises(UsageError, match=r"minimax\.depth: unknown option; accepted: kind, games, weight$"):
        composer.compose([f"{minimax}.kind=random", f"{minimax}.depth=3"])


FILES = sorted((CONF / "experiment").glob("*.yaml"))
FIRST = {path.stem.partition("_")[0]: path for path in reversed(FILES)}.values()
"""The first experiment of each game, which stand for all where a newcomer waits."""
EXPERIMENTS = [path if path in FIRST else pytest.param(path, marks=pytest.mark.thorough) for path in FILES]


@pytest.mark.few(7)
@pytest.mark.parametrize("path", EXPERIMENTS, ids=lambda path: path.stem)
def test_every_experiment_is_accepted(composer, path):
    made = composer.compose([f"experiment={path.stem}"])
    validate.check(made, envs)
    assert made.title


@pytest.mark.thorough
def test_experiments_of_othello_are_those_of_the_study(composer):
    seen = {}
    for name in ("original", "original_weights", "regions", "regions_weights", "noops"):
        made = validate.check(composer.compose([f"experiment=othello_{name}"]), envs)
        seen[name] = (made.program["features"], made.program["weights"], made.program["noop_bits"])
        assert [one.kind for one in made.fitness.opponents.values()] == ["search", "random", "random"]
    assert seen == {
        "original": ("original", "none", 0),
        "original_weights": ("original", "path", 1),
        "regions": ("regions", "none", 1),
        "regions_weights": ("regions", "path", 1),
        "noops": ("regions", "noops", 2),
    }


@pytest.mark.parametrize(
    ("override", "said"),
    [
        ("algorithm.poplation=3", "algorithm.poplation: unknown option; did you mean algorithm.population?"),
        ("algorithm.population=many", "algorithm.population=many: accepted: a whole number"),
        ("algorithm.population=1,2", "algorithm.population=1,2: several values need -m"),
        (
            "game=shogi",
            "game=shogi: unknown choice; accepted: backgammon, checkers, chess, freecell, lose_checkers, mancala,",
        ),
        ("population", "population: not an option; write option=value"),
    ],
)
def test_mistakes_are_those_of_the_command_line(composer, override, said):
    composer.compose([])
    with pytest.raises(UsageError) as caught:
        composer.compose([override])
    assert str(caught.value).startswith(said)
