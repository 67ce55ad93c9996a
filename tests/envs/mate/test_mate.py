"""Mate in n as a problem: states, lists, searches of own problems, notation, proofs, what is refused."""

import json
import math
import re
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envs
from envs.chess.board import fen
from envs.mate import language, notation, picture, plain, replay, roles, suites
from envs.mate.rules import Mate
from jaxgp.errors import UsageError
from jaxgp.host import proving
from jaxgp.operators.creation import create
from jaxgp.operators.options import CreationOptions
from jaxgp.search.proofs import proof
from jaxgp.search.proofs.depth import DepthFirst
from jaxgp.search.proofs.extract import Extractor
from jaxgp.spec import lacks
from tests.envs.chess.boards import looked, stacked
from tests.envs.replays import FAST

GAME = Mate()
STALEMATES = [
    "2Q5/k2K4/8/8/8/8/8/8 w - -",
    "8/8/8/8/8/8/6R1/4K2k w - -",
    "8/7P/8/1Q6/8/8/7K/k7 w - -",
    "8/8/k7/2P5/1K5R/8/8/8 w - -",
    "6k1/6P1/8/6K1/8/8/8/8 w - -",
    "k7/8/2K5/P1B5/8/8/8/8 w - -",
    "k7/8/7Q/8/8/8/1K6/3N4 w - -",
    "8/8/8/8/2K5/8/k7/5Q2 w - -",
    "7k/8/8/6K1/8/6R1/8/8 w - -",
    "7k/4K3/6P1/8/8/8/8/8 w - -",
]
"""Positions with a move that leaves the other side without a move, and without a mate in one."""


def test_the_problem_keeps_its_contract():
    assert lacks(Mate) == {}
    assert envs.make("mate").moves == 2


def test_a_state_takes_36_bytes():
    state = GAME.init(jax.random.key(0))
    assert sum(leaf.nbytes for leaf in jax.tree.leaves(state)) == 36


@pytest.mark.parametrize(("options", "size"), [({}, 9200), ({"remember": True}, 58_700)], ids=["alone", "with a table"])
def test_a_lane_of_a_program_takes_kilobytes(options, size):
    primitives, prover = roles.search(GAME, language.Options(language="again", **options))
    alone = jax.eval_shape(lambda: create(jax.random.key(0), primitives, CreationOptions(max_depth=3), 1, 64))
    lane = jax.eval_shape(prover.searching(jax.eval_shape(prover.prepare, alone))._idle)
    bytes_of = sum(math.prod(leaf.shape) * leaf.dtype.itemsize for leaf in jax.tree.leaves(lane))
    assert size - 100 < bytes_of <= size


def test_moves_of_the_solver_are_counted_down_and_the_seats_change():
    def played(state):
        action = GAME.choice(state, 0)
        return action, GAME.following(GAME.look(state), jnp.int32(-1)), GAME.advance(state, action)

    state = GAME.init(jax.random.key(0))
    action, first, after = jax.jit(played, compiler_options=FAST)(state)
    assert int(action) == int(first)
    assert [int(each) for each in (state.left, state.to_move, after.left, after.to_move)] == [2, 0, 1, 1]
    assert int(GAME.within(state, 5).left) == 5
    assert (GAME.key(state) == GAME.key(GAME.within(state, 5))).all()


@pytest.fixture(scope="module")
def search():
    found = DepthFirst(GAME, "few", deepest=3, lanes=16, narrow=16)
    return jax.jit(found.search, compiler_options=FAST)


def claims(search, problems, limit=200_000):
    """Search at most 16 problems."""
    rows = [problems[min(n, len(problems) - 1)] for n in range(16)]
    found = jax.device_get(search(GAME.positions(rows), jnp.full(16, limit), jnp.int32(len(problems))))
    return jax.tree.map(lambda x: x[: len(problems)], found)


@pytest.mark.thorough
def test_stalemate_solves_nothing(search):
    found = claims(search, [(text, 1) for text in STALEMATES])
    assert found.refuted.all()
    for text in STALEMATES:
        after = plain.moves(plain.start(text)).values()
        assert any(not plain.moves(position) for position in after)


@pytest.mark.thorough
def test_every_own_problem_tried_is_solved_and_proved(search):
    extractor = Extractor(GAME, search, together=16)
    for length in (1, 2, 3):
        some = [text for text, own, _, _ in suites.shipped() if own == length][:4]
        found = claims(search, [(text, length) for text in some])
        assert found.solved.all()
        shorter = claims(search, [(text, length - 1) for text in some]) if length > 1 else None
        assert shorter is None or shorter.refuted.all()
        for text in some[:2]:
            state = jax.tree.map(lambda x: x[0], GAME.positions([(text, length)]))
            made = extractor.proof(text, state, 200_000, partial(notation.name_of, GAME))
            proof.verify(made, plain)
            assert "<svg" in picture.svg(made)


def test_a_proof_is_stepped_through_in_a_page_and_told_as_a_game_with_variations():
    moves = ("b5b7", "e7d8", "e7e8", "e7f8", "a6a8", "a6a8", "a6a8")
    made = proof.Proof("8/4k3/R7/1R6/8/8/8/7K w - - 0 1", 2, np.array([-1, 0, 0, 0, 1, 2, 3]), moves)
    proof.verify(made, plain)
    told = " ".join(replay.pgn(made).split())
    assert told.endswith('0 1"] 1. Rb7+ Kd8 (1... Ke8 2. Ra8#) (1... Kf8 2. Ra8#) 2. Ra8# 1-0')
    steps = json.loads(re.search("const steps = (.*), shapes", replay.page(made))[1])
    assert [line for _, _, line in steps[:5]] == ["", "1. Rb7+", "1. Rb7+ Kd8", "1. Rb7+ Kd8 2. Ra8#", "1. Rb7+ Ke8"]
    assert steps[3][0][56:] == "R..k...."


def test_what_refutes_other_first_moves_stands_beside_a_proof():
    text = "8/4k3/R7/1R6/8/8/8/7K w - - 0 1"
    moves = ("b5b7", "e7d8", "e7e8", "e7f8", "a6a8", "a6a8", "a6a8")
    made = proof.Proof(text, 2, np.array([-1, 0, 0, 0, 1, 2, 3]), moves)
    found = (("b5b7", True, False, ""), ("a6a7", False, False, "e7f6"), ("h1g1", False, True, ""))
    tried = [proof.FirstMove(*one, nodes=1234) for one in found]
    told = " ".join(replay.pgn(made, tried).split())
    assert "1. Rb7+ (1. Ra7+ $2 Kf6) 1... Kd8 (1... Ke8 2. Ra8#)" in told
    assert "<li>Ra7+? Kf6  (1,234 nodes)</li></ul>" in replay.page(made, tried)
    assert ">Ra7+? Kf6  (1,234 nodes)</text>" in picture.svg(made, tried)
    assert "more" in picture.svg(made, tried * 20)
    for drawn in (replay.pgn, replay.page, picture.svg):
        assert "Ra7" not in drawn(made)


def test_plain_rules_list_the_same_moves():
    texts = [text for text, *_ in suites.shipped()[::10]]
    actions, _, _, checked, _ = looked(stacked(texts))
    for text, listed, check in zip(texts, actions, checked, strict=True):
        board, position = fen.parse(text), plain.start(text)
        assert {fen.uci(board, int(action)) for action in listed if action >= 0} == set(plain.moves(position))
        assert plain.checked(position) == check


@pytest.mark.thorough
def test_moves_are_written_as_in_books():
    chess = pytest.importorskip("chess")
    for text, *_ in suites.shipped()[::25]:
        board, position = chess.Board(text), plain.start(text)
        for move in board.legal_moves:
            written = notation.san(position, move.uci())
            assert written == board.san(move)
            assert notation.read_move(position, written) == move.uci()


def test_a_move_that_is_none_is_refused_in_words():
    position = plain.start("7k/8/5KQ1/8/8/8/8/8 w - - 0 1")
    with pytest.raises(ValueError, match="no legal move; accepted: as in books"):
        notation.read_move(position, "Qa9")


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"problem": "8/8/8 w - -"}, "there are 3 ranks"),
        ({"problem": "K6k/8/8/8/8/8/8/8"}, "is no position"),
        ({"problem": "KK5k/8/8/8/8/8/8/8 w - -"}, "has 2 kings"),
        ({"problem": "K5Qk/8/8/8/8/8/8/8 w - -"}, "is in check"),
        ({"problem": "7k/6Q1/6K1/8/8/8/8/8 b - -"}, "is mated already"),
        ({"moves": 0}, "game.moves=0"),
        ({"moves": 99}, "game.moves=99"),
    ],
)
def test_what_is_no_problem_is_refused_in_words(settings, complaint):
    with pytest.raises(UsageError, match=complaint):
        envs.make("mate", **settings)


@pytest.mark.thorough
def test_every_own_problem_stands_in_one_set_with_its_nodes_and_keys():
    spec = envs.spec("mate")
    sets = [spec.instances.load(spec.make(), name, "suite") for name in suites.SETS]
    texts = [text.split()[0] for text, *_ in suites.shipped()]
    assert sum(len(one.names) for one in sets) == len(texts) == len(set(texts))
    assert all((one.reference > 0).all() for one in sets)
    assert all((one.keys[:, 0] >= 0).all() for one in sets)
    assert sum(sum(map(str.isalpha, text)) >= 8 for text in texts) == len(texts)


def test_hard_problems_are_own_ones_that_no_report_has():
    apart = {line for line in suites.SHIPPED.read_text().splitlines() if "; report; " not in line}
    lines = [line for line in suites.HARD.read_text().splitlines() if not line.startswith("#")]
    assert set(lines) <= apart
    assert suites.names(GAME)[-1] == "report"  # what champions are measured on by default


def test_longer_problems_are_of_positions_that_no_other_list_has_and_for_tests_alone():
    longer = envs.spec("mate").instances.load(GAME, "longer", "suite")
    assert longer.test.all()
    assert set(longer.lengths.tolist()) == {5, 6}
    known = {text.split()[0] for text, *_ in suites.shipped()}
    assert not known & {name.split()[0] for name in longer.names}


def test_a_language_without_the_tree_in_itself_keeps_no_values_of_it():
    with pytest.raises(UsageError, match=r"program\.remember=true: accepted: false with program\.language=book"):
        roles.search(GAME, language.Options(remember=True))


def lines_of(tmp_path, *lines):
    path = tmp_path / f"{len(list(tmp_path.iterdir()))}.txt"  # files are read once
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def test_a_key_of_a_file_that_does_not_mate_is_refused_by_file_line_and_move(tmp_path):
    spec = envs.spec("mate")
    one = "6k1/5ppp/8/8/8/8/8/K3R3 w - -; 1; 20; train; e1e8"
    two = "7k/8/5K2/8/8/8/8/6R1 w - -; 2; 40; train; f6f7"
    assert len(spec.instances.load(spec.make(), lines_of(tmp_path, one, two), "suite").names) == 2
    for wrong, name in ((one.replace("e1e8", "e1e7"), "e1e7"), (two.replace("f6f7", "f6f7 g1a1"), "g1a1")):
        path = lines_of(tmp_path, one, wrong)
        with pytest.raises(UsageError, match=f"line 2: accepted: first moves that force mate .*; {name} does not"):
            spec.instances.load(spec.make(), path, "suite")


@pytest.mark.parametrize("wrong", [f"{'9' * 5000}; 20", f"1; {'9' * 5000}", "1; 9999999999", "\u00b2; 20"])
def test_a_number_of_a_file_that_is_none_is_refused_by_file_and_line(tmp_path, wrong):
    spec = envs.spec("mate")
    path = lines_of(tmp_path, f"6k1/5ppp/8/8/8/8/8/K3R3 w - -; {wrong}; train; e1e8")
    with pytest.raises(UsageError, match=r"^suite=0.txt, line 1: accepted: "):
        spec.instances.load(spec.make(), path, "suite")


def test_keys_that_take_too_long_to_settle_are_said_and_stay(tmp_path, capsys):
    spec = envs.spec("mate")
    text, own, nodes, _ = next(row for row in suites.shipped() if row[1] == 4)
    path = lines_of(tmp_path, f"{text}; {own}; {nodes}; train; {next(iter(plain.moves(plain.start(text))))}")
    assert spec.instances.load(spec.make(), path, "suite").keys.shape == (1, 1)
    assert "of line 1 are not settled by searches of 300 moves; they stay" in capsys.readouterr().err


class Person:
    """A person at the table, who types what is given."""

    def __init__(self, *typed):
        self.typed, self.heard = list(typed), []

    def ask(self, prompt):
        return self.typed.pop(0)

    def said(self):
        return "\n".join(self.heard)


def desk_of(problem, search):
    spec = envs.spec("mate")
    game = spec.make(problem=problem, moves=2)

    def ask(states, limits):
        return search(states, limits, jnp.int32(len(limits)))

    return spec, proving.Desk(spec, game, 100_000, ask, 16)


@pytest.mark.thorough
def test_a_lesson_answers_a_try_by_what_refutes_it(search):
    spec, desk = desk_of(GAME.problem, search)
    solved = desk.solve()
    assert solved.own == 2
    assert any(move.wins for move in solved.moves)
    key = notation.san(plain.start(desk.game.problem), next(move.name for move in solved.moves if move.wins))
    person = Person("Qh9", "hint", "a3", key, "quit")
    assert not proving.teach(spec, desk, person.ask, person.heard.append)
    assert "no legal move" in person.said()
    assert "a3: " in person.said()
    assert f"{key} is right; the answer is" in person.said()


@pytest.mark.thorough
def test_no_mate_is_said_with_the_nodes_that_prove_it(search):
    _, desk = desk_of("7k/8/5K2/8/8/8/7P/8 w - - 0 1", search)
    with pytest.raises(proving.RunError, match=r"none: no first move wins within 2 moves, proved with [0-9]+ nodes"):
        desk.solve()
