"""Engines of the Go Text Protocol at our board: one in plain Python, which can misbehave, and gtp-rhino."""

import time
from dataclasses import replace

import numpy as np
import pytest

import envs
from envs.othello.gtp import dialect
from jaxgp.seats.agents import Agent, random_agent
from jaxgp.seats.gtp import Engine, EngineError, EnginePlayer, MissingEngineError, gtp_agent
from jaxgp.seats.moves import Stepper, game_key, legal, play_on
from tests.host.engines import ended, fake, rhino, saying

PASS = 64
BITS = np.uint32(0)


GAME = envs.make("othello")
RANDOM = random_agent(GAME)
FIRST = Agent("first", lambda state, bits: legal(GAME, state)[0])


def random_record(number, start=(), plies=None):
    """The record of random legal moves, to the end of the game or to a number of plies."""
    return play_on(Stepper(GAME, game_key(17, number)), (RANDOM, RANDOM), start, plies)


def actions(record):
    return [move.action for move in record[1:]]


def test_an_engine_answers_refuses_and_is_closed():
    with Engine(fake()) as engine:
        assert engine.ask("name") == "Random\nOthello"
        assert engine.ask("clear_board") == ""
        assert (engine.knows("set_game Othello"), engine.knows("showboard")) == (True, False)
        with pytest.raises(EngineError, match=r"gtp_engine\.py: play black a1: refused: illegal move$"):
            engine.ask("play black a1")
        assert engine.ask("genmove black").lower() in ("d3", "c4", "f5", "e6"), "a refusal is not the end"
        process = engine._child._process
        assert process.poll() is None
    assert process.poll() == 0
    with pytest.raises(EngineError, match="name: the engine has ended with exit code 0"):
        engine.ask("name")


@pytest.mark.few(1)
@pytest.mark.parametrize("deaf", [False, True])
def test_an_engine_stays_in_step_through_whole_games_and_their_passes(tmp_path, deaf):
    """The engine refuses an illegal move by rules of its own, and what it answers is checked against ours."""
    log, passes = tmp_path / "log", 0
    agent = gtp_agent(GAME, dialect(GAME), fake("--log", log, *(["--fault", "deaf"] * deaf)))
    for number in range(6):
        movers = (agent, RANDOM) if number % 2 == 0 else (RANDOM, agent)
        record = play_on(Stepper(GAME, game_key(5, number)), movers)
        passes += sum(move.action == PASS and move.seat != number % 2 for move in record[1:])
    agent.close()
    sent = log.read_text().splitlines()
    assert sent.count("clear_board") == 6, "moves are told one by one, not game by game"
    assert passes > 0
    assert sum(line.endswith(" pass") for line in sent) == passes
    assert sent[-1] == "quit"


def test_moves_that_were_taken_back_are_taken_back_at_the_engine(tmp_path):
    with Engine(fake("--log", tmp_path / "log")) as engine:
        player = EnginePlayer(GAME, dialect(GAME), engine)
        record = random_record(1, plies=12)
        player.attend(record)
        other = random_record(2, record[:7], plies=9)
        assert actions(other) != actions(record)[:9]
        player.attend(other)
        assert [action for _, action in player.played] == actions(other)
        assert player.choose(other[-1].state, BITS) in legal(GAME, other[-1].state)
        player.attend(record[:1])
        assert player.choose(record[0].state, BITS) in legal(GAME, record[0].state)


FAULTS = {
    "dies": 'genmove black: the engine has ended with exit code 3, saying "out of ideas"',
    "hangs": "genmove black: no answer within 3 s",
    "refuses": "genmove black: refused: too tired",
    "illegal": "genmove black: answered a1, which cannot be played there",
    "nonsense": 'genmove black: "z9" is not a move; accepted: a1 to h8, pass',
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_engine_is_named_with_the_command_and_what_it_answered(fault):
    command = fake("--fault", fault, "--after", 1)
    agent = gtp_agent(GAME, dialect(GAME), command, timeout=3.0 if fault == "hangs" else 60.0)
    began = time.monotonic()
    with pytest.raises(EngineError) as raised:
        play_on(Stepper(GAME, game_key(0)), (agent, FIRST), max_plies=3)
    assert str(raised.value) == f"{command}: {FAULTS[fault]}"
    agent.close()
    assert time.monotonic() - began < 20


def test_an_engine_that_resigns_names_no_move():
    agent = gtp_agent(GAME, dialect(GAME), fake("--fault", "resigns"))
    assert play_on(Stepper(GAME, game_key(0)), (agent, FIRST))[-1].action is None
    agent.close()


def test_lines_beside_an_answer_are_passed_over_with_one_remark(capsys):
    command = fake("--fault", "babbles")
    with Engine(command) as engine:
        assert [engine.ask("genmove black"), engine.ask("genmove black")] == ["resign", "resign"]
    said = "lines that are no answers are passed over, the first"
    assert capsys.readouterr().err == f'note: {command}: {said} "thinking ..."\n'


SPEECH = """
import sys
print("=== An engine 1.0 ===\\nReady.", end="END")
for line in sys.stdin:
    number, word = line.split()
    print("info depth 1", "=" + number + " " + word, "more", "", "", sep="END", end="", flush=True)
"""


@pytest.mark.parametrize("end", ["\\n", "\\r\\n"])
def test_ends_of_lines_with_carriage_returns_and_a_banner_make_no_difference(end):
    with Engine(saying(SPEECH.replace("END", end)), timeout=20.0) as engine:
        began = time.monotonic()
        assert [engine.ask(word) for word in ("one", "two", "three")] == ["one\nmore", "two\nmore", "three\nmore"]
        assert time.monotonic() - began < 10


def test_an_engine_that_is_none_is_quoted():
    with pytest.raises(EngineError, match=r'name: no answer within 0\.5 s, but "hello", which is no answer$'):
        Engine(saying("print('hello')\nwhile True: input()"), timeout=0.5).ask("name")


def test_an_engine_that_hangs_is_ended_with_what_it_started(tmp_path, monkeypatch):
    starts = tmp_path / "starts"
    starts.write_text("#!/bin/sh\nsleep 600 &\necho $! > child\nwait\n")
    starts.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(EngineError, match=r"starts: name: no answer within 0\.5 s$"):
        Engine(str(starts), timeout=0.5).ask("name")
    child = int((tmp_path / "child").read_text())
    for _ in range(100):
        if ended(child):
            break
        time.sleep(0.05)
    assert ended(child)


def test_commands_that_start_no_engine():
    packages = {"gtp-nobody": "a package"}
    with pytest.raises(MissingEngineError) as raised:
        Engine("gtp-nobody -l 1", packages=packages)
    assert str(raised.value) == (
        "command=gtp-nobody -l 1: gtp-nobody is not installed on PATH or in /usr/games; it comes with a package"
    )
    for command, why in (("", "it is empty"), ('"', "No closing quotation")):
        with pytest.raises(ValueError, match=rf"accepted: a program and its options \({why}\)"):
            Engine(command)


@pytest.mark.thorough
def test_a_board_that_the_engine_does_not_have():
    game = envs.make("othello", size=10)
    with pytest.raises(EngineError, match="boardsize 10: refused: unacceptable size"):
        gtp_agent(game, dialect(game), fake())
    small = envs.make("othello", size=6)
    agent = gtp_agent(small, dialect(small), fake())
    record = play_on(Stepper(small, game_key(0)), (agent, agent), max_plies=1)
    assert record[-1].action in legal(small, record[0].state)
    agent.close()


def test_what_an_engine_does_not_know_is_not_asked_of_it(tmp_path):
    language = replace(dialect(GAME), setup=("set_clock 3", "boardsize 8"))
    agent = gtp_agent(GAME, language, fake("--log", tmp_path / "log"))
    agent.close()
    sent = (tmp_path / "log").read_text().splitlines()
    assert sent == ["known_command set_clock", "known_command boardsize", "boardsize 8", "quit"]


OPEN = 130
"""A random game that ends on a board that is not full."""


def test_gtp_rhino_has_our_squares_and_our_results():
    """In 36 random games, every square tried in three of them; empty squares count for the winner there."""
    command, game, passes, open_boards = rhino(), GAME, 0, 0
    with Engine(command) as engine:
        player = EnginePlayer(game, dialect(game), engine)
        for number in (*range(35), OPEN):
            record = random_record(number)
            for length in range(1, len(record) if number < 3 else 1):
                player.attend(record[:length])
                here = record[length - 1]
                assert tried(engine, player, here) == set(legal(GAME, here.state)) - {PASS}
            player.attend(record)
            passes += actions(record).count(PASS)
            black, white = (int(score) for score in game.score(record[-1].state))
            open_boards += black + white < game.area
            lead = abs(black - white) + (game.area - black - white if black != white else 0)
            wanted = "0" if black == white else f"{'B' if black > white else 'W'}+{lead}"
            assert engine.ask("final_score") == wanted
    assert passes > 10
    assert open_boards > 0


def tried(engine, player, move):
    """The squares that the engine lets the side to move play, each taken back at once."""
    colour, found = player.dialect.colours[int(move.state.to_move)], set()
    for action in range(PASS):
        try:
            engine.ask(f"play {colour} {player.dialect.vertex(action)}")
        except EngineError:
            continue
        engine.ask("undo")
        found.add(action)
    return found


def test_gtp_rhino_plays_legal_games_from_both_seats():
    agent = gtp_agent(GAME, dialect(GAME), rhino())
    won = 0
    for number in range(6):
        movers = (agent, RANDOM) if number % 2 == 0 else (RANDOM, agent)
        record = play_on(Stepper(GAME, game_key(2, number)), movers)
        won += float(record[-1].state.returns[number % 2]) > 0
    agent.close()
    assert won >= 5, "against random moves"
