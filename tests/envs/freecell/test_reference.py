"""The rules against plain Python: random walks from deals and other positions, and solutions of fc-solve."""

import re
import shutil
import subprocess

import jax
import numpy as np
import pytest

from envs.freecell import plain
from envs.freecell.moves import ACTIONS
from envs.freecell.rules import WholeRuns, rules_of
from tests.envs.freecell.positions import at, some, walk
from tests.envs.replays import FAST, KEY
from tests.reference import freecell as reference

RULES = [("full", "none"), ("full", "safe"), ("full", "needless"), ("strict", "none"), ("strict", "safe")]


def said_of(game, states):
    """What the rules say of all positions of walks, [plies + 1, B]."""

    whole = WholeRuns(1, game.supermoves, game.autoplay)

    def look(state):
        listed = {"legal": game.legal_actions(state), "whole": whole.legal_actions(state)}
        return {**listed, "key": game.key(state), "solved": game.solved(state)}

    return jax.device_get(jax.jit(jax.vmap(jax.vmap(look)), compiler_options=FAST)(states))


def check_walks(supermoves, autoplay, count, plies, seed):
    """Compare every position: moves, those that keep runs, successors, ends, which keys are equal; count the plies."""
    game, layouts, compared = rules_of(supermoves, autoplay), some(count, seed), 0
    states, actions = walk(game, layouts, plies, seed)
    said = said_of(game, states)
    for lane in range(count):
        keys = {}
        expected = plain.board_of(at(states, 0, lane))
        for ply in range(plies + 1):
            assert plain.board_of(at(states, ply, lane)) == expected
            legal = plain.legal(expected, supermoves)
            ended = plain.is_solved(expected) or not legal
            assert plain.is_solved(expected) == said["solved"][ply, lane]
            assert ended == states.terminated[ply, lane]
            found = [plain.move_of(action) for action in np.flatnonzero(said["legal"][ply, lane])]
            assert len(found) <= game.most_choices
            assert sorted(found) == ([] if ended else sorted(legal))
            kept = [plain.move_of(action) for action in np.flatnonzero(said["whole"][ply, lane])]
            assert sorted(kept) == ([] if ended else sorted(one for one in legal if plain.keeps_run(expected, one)))
            canonical, key = reference.canonical(expected), said["key"][ply, lane].tobytes()
            assert keys.setdefault(canonical, key) == key
            if ended or ply == plies:
                break
            expected = plain.play(expected, plain.move_of(actions[ply, lane]), autoplay)
            compared += 1
        assert len(set(keys.values())) == len(keys)  # different positions, different keys
    return compared


@pytest.mark.parametrize(("supermoves", "autoplay"), [RULES[2], pytest.param(*RULES[3], marks=pytest.mark.slow)])
def test_random_walks_agree(supermoves, autoplay):
    assert check_walks(supermoves, autoplay, count=16, plies=24, seed=1) > 150


@pytest.mark.slow
@pytest.mark.parametrize(("supermoves", "autoplay"), RULES)
def test_100_000_random_plies_agree(supermoves, autoplay):
    assert check_walks(supermoves, autoplay, count=512, plies=150, seed=2) > 25_000


def replayed(game, number, solution):
    """Play a solution on both programs; cascades and cells of the solution are found by the cards in them."""
    state, laid = game.init(KEY), reference.deal(number)
    step = jax.jit(game.step)
    for one in solution:
        assert one.number <= plain.room(laid, one.target, "full") or one.target not in "12345678"
        if is_idle(laid, one):
            laid = plain.play(laid, one)
            continue
        card, onto = laid.pile(one.source)[-one.number], laid.pile(one.target)[-1:] if one.target != "h" else []
        mine = plain.board_of(state)
        source = next(name for name in "12345678abcd" if card in mine.pile(name))
        if one.target == "h":
            target = "h"
        elif onto:
            target = next(name for name in "12345678" if mine.pile(name)[-1:] == onto)
        else:
            target = next(name for name in ("abcd" if one.target in "abcd" else "12345678") if not mine.pile(name))
        wanted = plain.Move(source, target, one.number)
        legal = {plain.move_of(action): action for action in np.flatnonzero(game.legal_actions(state))}
        state = step(state, np.int32(legal[wanted]), KEY)
        laid = plain.play(laid, one)
        assert reference.canonical(plain.board_of(state)) == reference.canonical(laid)
    return state


def is_idle(laid, one):
    """Say whether a whole cascade goes to an empty one, which is no move by the rules here."""
    both = one.source + one.target
    return both.isdigit() and not laid.pile(one.target) and len(laid.pile(one.source)) == one.number


def fc_solve(text):
    """Return the moves that fc-solve finds for a deal."""
    command = ["fc-solve", "-l", "lg", "-p", "-t", "-m", "-mi", "200000"]
    said = subprocess.run(command, input=text, capture_output=True, text=True, check=True, timeout=60).stdout
    found = []
    pattern = r"Move (a card|\d+ cards) from (stack|freecell) (\d+) to (?:the (foundations)|(stack|freecell) (\d+))"
    for count, source, number, home, kind, other in re.findall(pattern, said):
        cards = 1 if count == "a card" else int(count.split()[0])
        target = "h" if home else pile(kind, other)
        found.append(plain.Move(pile(source, number), target, cards))
    return found


def pile(kind, number):
    return str(int(number) + 1) if kind == "stack" else plain.CELLS[int(number)]


@pytest.mark.skipif(shutil.which("fc-solve") is None, reason="fc-solve is not here: package freecell-solver-bin")
@pytest.mark.parametrize("number", [617, *(pytest.param(one, marks=pytest.mark.slow) for one in (1, 31465))])
def test_solutions_of_fc_solve_are_legal_and_solve(number):
    laid = reference.deal(number)
    text = "".join(" ".join(cards) + "\n" for cards in laid.cascades)
    solution = fc_solve(text)
    assert len(solution) > 50
    game = rules_of()
    state = replayed(type(game)(number), number, solution)
    assert game.solved(state)
    assert state.terminated


def test_every_action_has_its_own_name():
    assert len({plain.move_of(action) for action in range(len(ACTIONS))}) == len(ACTIONS) == 908
