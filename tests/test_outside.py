"""Connect Four, a game in a folder of its own: its rules against a plain engine, and every command that plays it."""

import json
from pathlib import Path

import jax
import numpy as np
import pytest

import envs
from jaxgp.config import arguments
from jaxgp.config.games import place
from jaxgp.contracts import ListsMoves
from tests.envs.replays import KEY
from tests.scripts.commands import compiled_once, load, train, write_run

FOLDER = Path(__file__).parent / "fixtures" / "connect_four"
GAME = f"game={FOLDER}"
CONF = Path(__file__).parents[1] / "conf"
SMALL = (5, 4, 3)
"""Columns, rows, and discs in a line."""

autouse = pytest.fixture(autouse=True, scope="module")(compiled_once)


@pytest.fixture(scope="module")
def spec():
    return place(str(FOLDER), envs)[0].spec("connect_four")


class Plain:
    """The same game in plain Python: a list of columns, each a list of seats."""

    def __init__(self, width, height, line):
        self.height, self.line, self.seat, self.over, self.winner = height, line, 0, False, None
        self.columns = [[] for _ in range(width)]

    def legal(self):
        return [n for n, column in enumerate(self.columns) if len(column) < self.height and not self.over]

    def at(self, x, y):
        return self.columns[x][y] if 0 <= x < len(self.columns) and 0 <= y < len(self.columns[x]) else None

    def play(self, x):
        self.columns[x].append(self.seat)
        y = len(self.columns[x]) - 1
        for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
            count = 1
            for sign in (1, -1):
                k = 1
                while self.at(x + sign * k * dx, y + sign * k * dy) == self.seat:
                    count, k = count + 1, k + 1
            if count >= self.line:
                self.winner = self.seat
        self.over = self.winner is not None or all(len(column) == self.height for column in self.columns)
        self.seat = 1 - self.seat


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("size", "games"), [(SMALL, 40), ((7, 6, 4), 40), pytest.param((7, 6, 4), 3000, marks=pytest.mark.slow)]
)
def test_random_games_are_those_of_a_plain_engine(spec, size, games):
    game = spec.make(width=size[0], height=size[1], line=size[2])
    assert isinstance(game, ListsMoves)
    plies = size[0] * size[1]

    def ply(state, bits):
        legal = game.legal_actions(state)
        action = game.choice(state, bits % game.choices(state))
        return game.step(state, action, KEY), (legal, action, state.terminated)

    def one(bits):
        end, seen = jax.lax.scan(ply, game.init(KEY), bits)
        return end, *seen

    bits = jax.random.randint(jax.random.key(0), (games, plies), 0, 10_000)
    ends, legal, actions, over = jax.tree.map(np.asarray, jax.jit(jax.vmap(one))(bits))
    assert ends.terminated.all()
    for n in range(games):
        plain = Plain(*size)
        for k in range(plies):
            assert np.flatnonzero(legal[n, k]).tolist() == plain.legal()
            assert bool(over[n, k]) == plain.over
            if not plain.over:
                plain.play(int(actions[n, k]))
        assert plain.over
        assert ends.returns[n].tolist() == [0 if plain.winner is None else 1 - 2 * (plain.winner != s) for s in (0, 1)]
    assert len({tuple(row) for row in ends.returns.tolist()}) > 1


@pytest.mark.thorough
def test_the_evaluator_sees_a_line_that_is_nearly_made(spec):
    game = spec.make()
    step, state = jax.jit(lambda state, column: game.step(state, column, KEY)), game.init(KEY)
    for column in (0, 6, 1, 6, 2):
        state = step(state, np.int32(column))
    (value,) = spec.evaluators(game).values()
    assert float(value(game, state)) < 0, "the other side has three of four"
    assert [spec.notation.parse_action(game, spec.notation.action_name(game, n)) for n in range(7)] == list(range(7))


@pytest.fixture
def command(capsys, monkeypatch, tmp_path):
    """Run a command: its exit code, and what it said. There is one panel, of a search that sees one ply."""
    (tmp_path / "panels").mkdir()
    (tmp_path / "panels" / "one.yaml").write_text("minimax_1: {kind: search, depth: 1}\n")
    monkeypatch.setattr("evaluating.options.PANELS", tmp_path / "panels")

    def run(name, *options):
        script = load(name)
        code = arguments.main(script.Options, script.task, script.__doc__, options)
        return code, *capsys.readouterr()

    return run


@pytest.fixture(scope="module")
def run_directory(tmp_path_factory):
    """A champion on a small board, which no run has made; `tests/scripts/test_train.py` makes a run."""
    folder = tmp_path_factory.mktemp("connect_four")
    game = {"name": "connect_four", "width": 5, "height": 4, "line": 3}
    return write_run(folder, game, "(+ own2 (- 0 other2))", games=place(str(FOLDER), envs)[0])


def test_no_file_makes_the_folder_be_imported(command, run_directory):
    for name, options in (("evaluate", ["panel=one"]), ("export", []), ("play", [])):
        code, out, error = command(name, f"run={run_directory}", *options)
        assert (code, out, error.count("\n")) == (2, "", 1)
        assert "game.name=connect_four: accepted: backgammon, checkers, chess, freecell, mancala" in error


@pytest.mark.slow
def test_a_run_goes_on_where_the_command_names_the_folder(tmp_path, capsys):
    options = """game.width=5 game.height=4 game.line=3 algorithm.population=8 algorithm.generations=3
        algorithm.capacity=32 algorithm.creation.max_depth=3 fitness.table_size=64 fitness.lanes=8
        fitness.opponents.minimax.games=1 logger=disabled compilation_cache=null"""
    assert train(GAME, *options.split(), f"hydra.run.dir={tmp_path}/run") == 0
    content = json.loads((tmp_path / "run" / "champion.json").read_text())
    assert content["program"] == {"role": "move", "centre": True}
    assert train(f"resume={tmp_path}/run", "algorithm.generations=4") == 2
    assert "connect_four" in capsys.readouterr().err
    assert train(f"resume={tmp_path}/run", GAME, "algorithm.generations=4") == 0
    assert len((tmp_path / "run" / "metrics.jsonl").read_text().splitlines()) == 4


@pytest.mark.slow
def test_a_champion_is_measured_exported_and_plays(command, run_directory, tmp_path):
    run = f"run={run_directory}"
    code, out, _ = command("evaluate", run, GAME, "panel=one", "games=2", "compilation_cache=null")
    assert code == 0
    assert "minimax_1" in out
    text = json.loads((run_directory / "champion.json").read_text())["text"]
    assert command("export", run, GAME)[:2] == (0, text + "\n")
    assert command("export", run, GAME, "format=dot")[0] == 0
    assert command("play", run, GAME, "player=random", f"save={tmp_path / 'one'}")[0] == 0
    code, out, _ = command("play", f"replay={tmp_path / 'one.json'}", GAME)
    assert code == 0
    assert "wins" in out or "Draw" in out


@pytest.mark.slow
def test_a_champion_plays_in_a_league(command, run_directory, tmp_path):
    given = (f"brackets.a=[{run_directory},search:1]", GAME, "leagues=2", "games=2", f"output={tmp_path}")
    assert command("tournament", *given, "compilation_cache=null")[0] == 0
    assert "search:1" in (tmp_path / "crosstable.json").read_text()
