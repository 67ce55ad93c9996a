"""Engines of chess outside the project, as players."""

import shutil
import sys
from pathlib import Path
from types import SimpleNamespace

import jax
import pytest

import envs
from jaxgp.errors import RunError, UsageError
from jaxgp.games.casting import cast
from jaxgp.seats.gtp import EngineError
from jaxgp.seats.kinds.engine import EngineOptions
from jaxgp.seats.moves import Move, Stepper, game_key
from jaxgp.seats.uci import UciPlayer

FAKE = f"{sys.executable} {Path(__file__).parents[1] / 'reference' / 'uci_engine.py'}"
STOCKFISH = shutil.which("stockfish", path="/usr/games:/usr/bin:/usr/local/bin")


@pytest.fixture(scope="module")
def chess():
    spec = envs.spec("chess")
    game = spec.make(start="fen", fen="7k/5Q2/6K1/8/8/8/8/8 w - - 0 1")
    start = Move(jax.device_get(jax.jit(game.init)(jax.random.key(0))), None, 0)
    return cast(spec, game), start


def answer(chess, command, timeout=20.0, **options):
    made, start = chess
    agent = EngineOptions(protocol="uci", command=command, timeout=timeout, **options).agent("opponent", made)
    try:
        return made.spec.notation.action_name(made.game, agent.reply([start], 0))
    finally:
        agent.close()


def test_the_move_of_an_engine_is_played(chess):
    assert answer(chess, f"{FAKE} f7f1") == "Q-f1"


@pytest.mark.skipif(STOCKFISH is None, reason="stockfish is not installed")
def test_stockfish_mates_in_one(chess):
    assert answer(chess, "stockfish", nodes=2000) in ("Q-g7", "Q-f8", "Q-h5", "Q-h7")


@pytest.mark.skipif(shutil.which("toga2", path="/usr/games") is None, reason="toga2 is not installed")
def test_an_engine_may_be_limited_by_depth(chess):
    assert answer(chess, "toga2", depth=4) in ("Q-g7", "Q-f8", "Q-h5", "Q-h7")
    assert EngineOptions(protocol="uci", command="toga2", depth=4).short == "toga2, 4 plies"


def test_an_engine_is_told_of_a_game_once_and_of_another_one_anew(chess):
    made, start = chess
    game, said = made.game, []
    engine = SimpleNamespace(tell=said.append, expect=lambda line, word: said.append(line))
    player = UciPlayer(game, made.spec.dialect(game), engine, "go nodes 1")
    record, stepper = [start], Stepper(game, game_key(1))
    for name in ("Q-f1", "K-g8"):
        record.append(stepper.after(record, made.spec.notation.parse_action(game, name)))
        player.attend(record)
    assert said == ["ucinewgame", "isready"]
    assert player.told == "position fen 7k/5Q2/6K1/8/8/8/8/8 w - - 0 1 moves f7f1 h8g8"
    player.attend(record[:2])
    assert said == ["ucinewgame", "isready"] * 2
    assert player.told == "position fen 7k/5Q2/6K1/8/8/8/8/8 w - - 0 1 moves f7f1"


FAULTS = {
    "f7f1 --fault dies": "has ended with exit code 3",
    "f7f1 --fault hangs": "no line with",
    "f7f1 --fault deaf": "no line with",
    "a1a2": "which cannot be played there",
    "(none)": "which cannot be played there",
}


@pytest.mark.few(2)
@pytest.mark.parametrize("fault", FAULTS)
def test_what_an_engine_does_wrong_is_told_in_one_line(chess, fault):
    with pytest.raises((RunError, EngineError), match=FAULTS[fault]) as caught:
        answer(chess, f"{FAKE} {fault}", timeout=2.0)
    assert "\n" not in str(caught.value)


def test_an_engine_that_is_not_installed_says_what_installs_it(chess):
    made, _ = chess
    said = EngineOptions(protocol="uci", command="toga2-none").missing("opponent", made)
    assert "toga2-none is not installed" in said


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (
            {"protocol": "gtp", "command": "stockfish"},
            r"opponent\.protocol=gtp: accepted: uci, which engines of chess speak",
        ),
        ({"protocol": "uci", "command": ""}, r'needs opponent\.command="PROGRAM OPTIONS"'),
    ],
)
def test_options_of_an_engine_are_checked(chess, options, why):
    with pytest.raises(UsageError, match=why):
        EngineOptions(**options).check("opponent", chess[0])
