"""The benchmark's lines and options, and that its rivals do the same as jaxgp."""

import importlib
import importlib.util
import json
import random
import shutil
import sys
from pathlib import Path

import jax
import numpy as np
import pytest

import envs
from envs.backgammon import pubeval
from envs.freecell.rules import FreeCell
from envs.rush_hour.rules import RushHour
from jaxgp.config import arguments
from jaxgp.genotypes import programs as lp
from jaxgp.interpreter.native.run import SOURCE
from jaxgp.native.build import library
from jaxgp.players.searches import searches
from jaxgp.search.chance import unused_key
from jaxgp.search.puzzles.native.run import why_not
from jaxgp.store.table import CSVTable
from measures import limits
from rivals import timing, trees
from rivals.random_play import openspiel_moves
from tests.envs.backgammon.positions import random_states
from tests.genotypes.program_cases import problems
from tests.reference import backgammon as oracle_of_backgammon
from tests.reference import kalah as reference

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = str(ROOT / "scripts")
FIELDS = {
    "part", "name", "value", "unit", "rival", "ratio", "sizes", "compile_seconds", "best_value", "work", "repeats",
    "best_seconds", "median_seconds", "spread_seconds", "cpu_seconds", "device", "platform", "cores", "jax", "python",
    "date", "processor", "megahertz", "load",
}  # fmt: skip
TINY = ("repeats=1", "seconds=0", "load=any")


@pytest.fixture(scope="module")
def bench():
    sys.path.insert(0, SCRIPTS)
    yield importlib.import_module("bench")
    sys.path.remove(SCRIPTS)


@pytest.fixture
def kalah(bench):
    return importlib.import_module("rivals.plain.kalah")


@pytest.fixture
def run(bench, capsys):
    """Run the script in this process: (exit code, lines, what people read)."""

    def main(*options):
        code = arguments.main(bench.Options, bench.task, bench.__doc__, options)
        out, err = capsys.readouterr()
        return code, [json.loads(line) for line in out.splitlines()], err

    return main


def check(lines, part, rivals):
    assert {line["part"] for line in lines} == {part}
    assert {line["rival"] for line in lines} == {None, *rivals}
    for line in lines:
        assert set(line) >= FIELDS
        assert line["value"] > 0
        assert line["best_seconds"] > 0
        assert line["repeats"] == 1
        assert (line["rival"] is None) == (line["ratio"] is None)
        assert line["rival"] is None or line["against"].split(", batch=")[0] in {other["name"] for other in lines}


def some_position(rng):
    """A reference position of a random game in progress, and the same with the mover's side first."""
    while True:
        position = reference.start()
        for _ in range(rng.randrange(35)):
            if reference.moves(position):
                position = reference.play(position, rng.choice(reference.moves(position)))
        if reference.moves(position):
            board, mover = position
            return position, [*board[mover], *board[1 - mover]]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["parts=env"], ["parts: unknown option", "part, repeats"]),
        (["part=speed"], ["part=speed", "interpreter, env, search, generation, walls, othello, evaluators,"]),
        (["part"], ["part", "option=value"]),
        (["repeats=0"], ["repeats=0", "a whole number from 1"]),
        (["rivals=maybe"], ["rivals=maybe", "true or false"]),
        (["seconds=soon"], ["seconds=soon", "a number of seconds"]),
        (["depth=4,x"], ["depth=4,x", "whole numbers from 1"]),
        (["lists=12"], ["lists=12", "a multiple of 5"]),
        (["output="], ["output=", "a path"]),
        (["lanes=[]"], ["lanes=[]", "one or more whole numbers"]),
        (["rows=LICENSE", "load=any"], ["rows=LICENSE", "a table with the columns of this command"]),
        (["output=/nowhere/lines", "load=any"], ["output=/nowhere/lines", "No such file"]),
    ],
)
def test_refuses_in_one_line_what_it_does_not_know(run, options, words):
    code, lines, err = run(*options)
    assert (code, lines) == (2, [])
    assert err.count("\n") == 1
    assert all(word in err for word in words)


def test_a_measurement_that_fails_is_told_in_one_line(bench, run, monkeypatch):
    def out_of_memory(options, report):
        raise MemoryError

    monkeypatch.setattr(bench, "run", out_of_memory)
    assert run("part=env", "load=any") == (1, [], "error: part=env: out of memory\n")


def test_a_busy_machine_compares_with_nobody_unless_it_is_told_to(bench, run, monkeypatch):
    busy = bench.machine.Machine("some processor", 2, 2450, 1.5)
    monkeypatch.setattr(bench.machine, "look", lambda: busy)
    monkeypatch.setattr(bench, "run", lambda options, report: None)
    code, _, err = run("part=env")
    assert code == 2
    assert err.startswith("error: load=calm: accepted: any, or rivals=false")
    assert "load average is 1.5 on 2 cores" in err
    assert run("part=env", "load=any")[0] == run("part=env", "rivals=false")[0] == 0
    monkeypatch.setattr(bench.machine, "look", lambda: busy._replace(load=1.0))
    assert run("part=env")[0] == 0


def test_a_figure_names_machine_and_share_of_the_limit(bench, capsys):
    report = bench.Report([sys.stdout])
    times = timing.Times(4.0, [2.0, 1.0], [1.0, 1.0])
    report.ours("othello", "random", "moves/s", times, {}, 0.0, "othello")
    report.ours("search", "alpha-beta", "searches/s", times, {}, 0.0)
    out, err = capsys.readouterr()
    counted, uncounted = map(json.loads, out.splitlines())
    assert counted["share"] == pytest.approx(4.0 / counted["limit"], rel=1e-3), "of the best repeat"
    assert "% of the limit" in err.splitlines()[0]
    assert "share" not in uncounted
    assert all(line["processor"] and "load" in line for line in (counted, uncounted))
    assert f"{counted['cores']} cores" in err


def test_limits_are_those_of_the_machines_that_they_were_counted_for():
    two = [limits.on_cpu(work, 2, 2450) for work in ("interpreter", "interpreter in games", "othello")]
    assert two == pytest.approx([3.92e10, 4.9e8, 1.58e8], rel=0.01)
    assert limits.on_cpu("interpreter", 4, None) == 2 * two[0], "where a system does not say its clock"
    h100, h200 = (limits.on_gpu("interpreter", f"NVIDIA {chip} 80GB") for chip in ("H100", "H200"))
    assert (h100, h200) == pytest.approx((1.7e11, 2.4e11), rel=0.02)
    assert limits.on_gpu("interpreter", "NVIDIA H100", kernel=True) == pytest.approx(2.6e12, rel=0.01)
    assert limits.on_gpu("othello", "NVIDIA H100") == pytest.approx(2e10, rel=0.02)
    assert limits.on_gpu("interpreter", "some chip") is limits.on_cpu("search", 2, 2450) is None


def test_quick_measurements_that_would_not_end_in_time_are_left_out(bench, capsys, monkeypatch):
    clock = [0.0]

    def take(seconds):
        def run(bench, until):
            clock[0] += seconds
            made.append(seconds)

        return run

    made, quick = [], bench.quick
    planned = [("a", 10, 20), ("b", 30, 60), ("c", 10, 20), ("d", 8, 9)]  # the machine is half as fast as was planned
    monkeypatch.setattr(quick, "MEASUREMENTS", [quick.Measurement(name, due, take(t)) for name, due, t in planned])
    monkeypatch.setattr(quick.time, "perf_counter", lambda: clock[0])
    for _, job in [*quick.jobs(bench.Bench(arguments.parse(bench.Options, []), bench.Report([sys.stdout]), None))]:
        job(1e9)
    assert (made, clock[0]) == ([20, 60, 20], 100)
    (line,) = map(json.loads, capsys.readouterr().out.splitlines())
    assert (line["name"], line["skipped"]) == ("d", "here it needs some 16 s, and 10 s are left")


def test_help_lists_every_option(bench, capsys):
    assert arguments.main(bench.Options, bench.task, bench.__doc__, ["--help"]) == 0
    assert "rival_programs=16\n      generation: programs whose games DEAP plays" in capsys.readouterr().out


def test_env(run, tmp_path):
    pytest.importorskip("pyspiel")
    kept, table = tmp_path / "lines.jsonl", tmp_path / "rows" / "table.csv"
    kept.write_text("{}\n")
    code, lines, err = run("part=env", "batch=4", f"output={kept}", f"rows={table}", *TINY)
    assert code == 0
    check(lines, "env", ["open_spiel"])
    assert [json.loads(line) for line in kept.read_text().splitlines()] == [{}, *lines]
    ours, theirs = CSVTable(table, timing.COLUMNS).read()
    assert (ours["rival"], ours["sizes"], float(ours["value"])) == ("", "batch=4 moves=1024", lines[0]["value"])
    assert (theirs["rival"], theirs["beside"], theirs["sizes"]) == ("open_spiel", ours["sizes"], "batch=1 moves=20000")
    assert err.count("\n") == len(lines)


def test_says_which_rival_is_missing(bench, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    report, options = bench.Report([sys.stdout]), arguments.parse(bench.Options, [])
    both = bench.Bench(options, report, None), "open_spiel", "env", "moves", "moves/s", {}
    assert timing.compare(*both, lambda: {"OpenSpiel": openspiel_moves(0, 10)}) == {}
    out, err = capsys.readouterr()
    line = json.loads(out)
    assert set(line) >= FIELDS
    assert (line["skipped"], line["value"]) == ("open_spiel is not installed", None)
    assert "skipped" in err


@pytest.mark.thorough
@pytest.mark.parametrize(("mancala", "in_games"), [(False, True), pytest.param(True, False, marks=pytest.mark.slow)])
def test_interpreter(bench, capsys, mancala, in_games):
    """One measurement of each set; DEAP's results are compared with jaxgp's before anything is timed."""
    pytest.importorskip("deap")
    options = arguments.parse(bench.Options, ["programs=5", "cases=3", *TINY])
    cast = bench.cast_of(bench.kalah.study(options, 1), bench.envs)
    primitives = cast.language if mancala else trees.ARITHMETIC
    bench.kalah.interpret(bench.Bench(options, bench.Report([sys.stdout]), cast), primitives, 12, in_games, 0.0)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    check(lines, "interpreter", ["deap"])
    assert lines[0]["sizes"]["nodes"] == (12 if mancala else 11)
    assert lines[0]["work"] == 5 * lines[0]["sizes"]["nodes"] * (2 if in_games else 3)


@pytest.mark.slow
def test_search(run):
    """The search, its lanes and plain Python find the same values, or the run fails."""
    code, lines, _ = run("part=search", "depth=3", "roots=24", "lanes=8", "rival_roots=24", *TINY)
    assert code == 0
    check(lines, "search", ["plain Python", *lanes_of("mancala")])


@pytest.mark.slow
def test_strategies(run):
    """Both find better vectors, or the run fails."""
    there = importlib.util.find_spec("evosax") is not None
    code, lines, told = run("part=strategies", "vectors=24", "dimensions=8", *TINY)
    assert code == 0
    if there:
        check(lines, "strategies", ["evosax"])
    else:
        assert "evosax is not installed" in told


def lanes_of(game):
    """Return the rival that plain XLA is where a game is searched in C++."""
    rules = envs.make(game)
    search = searches(envs.spec(game), rules, None, 2, "first", 1, 8)[0]
    return [] if search.why_in_lanes(jax.eval_shape(rules.init, unused_key())) else [timing.PLAIN]


@pytest.mark.slow
def test_generation(run):
    """Every game of the sample ends as it does with DEAP, or the run fails."""
    pytest.importorskip("deap")
    sizes = ("depth=3", "population=24", "generations=2", "rival_programs=24", "tail=1")
    code, lines, _ = run("part=generation", *sizes, *TINY)
    assert code == 0
    natively = [] if isinstance(library(SOURCE), str) else [timing.PLAIN]
    check(lines, "generation", ["deap", *natively])
    assert len(lines) == 8 + len(natively)
    assert all("extrapolated" in line for line in lines if line["rival"] == "deap")
    assert len(next(line for line in lines if line["unit"] == "generations/s")["searches"]) == 2


@pytest.mark.slow
@pytest.mark.parametrize("matching", ["strict", "symmetric"])
def test_walls(bench, capsys, matching):
    """Points of strict lists that fill the board, and of symmetric ones, are those of both Python engines."""
    options = arguments.parse(bench.Options, ["lists=10", "rival_groups=2", *TINY])
    jobs = [*bench.tournaments.jobs(bench.Bench(options, bench.Report([sys.stdout]), None))]
    _, job = jobs[{"strict": 1, "symmetric": 2}[matching]]
    job(0.0)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    check(lines, "walls", ["plain Python", "reference"])
    assert [line["sizes"]["matching"] for line in lines] == [matching] * 3
    assert [line["work"] for line in lines] == [40, 40, 20]
    assert matching == "symmetric" or lines[0]["sizes"]["mean_plies"] > 35, "games that fill the board"


@pytest.mark.slow
def test_othello(bench, capsys):
    """Given games end alike in every engine that is installed, or the run fails."""
    pytest.importorskip("pyspiel")
    options = arguments.parse(bench.Options, ["batch=8", *TINY])
    jobs = [*bench.othello.jobs(bench.Bench(options, bench.Report([sys.stdout]), None))]
    assert len(jobs) == 3
    jobs[0][1](0.0)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    if importlib.util.find_spec("pgx") is None:
        assert [line.get("skipped") for line in lines] == ["pgx is not installed", None, None]
        lines = lines[1:]
        rivals = ["open_spiel"]
    else:
        rivals = ["pgx", "open_spiel"]
    check(lines, "othello", rivals)
    assert lines[0]["work"] == lines[-1]["work"] > 8 * 50


@pytest.mark.slow
@pytest.mark.parametrize("number", range(2), ids=["Othello", "checkers"])
def test_evaluators(bench, capsys, number):
    """Searches in C++ find what the lanes of plain XLA find, or the run fails."""
    options = arguments.parse(bench.Options, ["plies=1", "players=3", "roots_each=2", *TINY])
    jobs = [*bench.evaluators.jobs(bench.Bench(options, bench.Report([sys.stdout]), None))]
    assert len(jobs) == 2
    jobs[number][1](0.0)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    check(lines, "evaluators", ["plain XLA"])
    assert [line["work"] for line in lines] == [6, 6]
    assert lines[0]["leaves_per_second"] > lines[0]["nodes_per_second"] > 0


@pytest.mark.slow
@pytest.mark.parametrize("programs", [False, True])
def test_morpion(bench, capsys, programs):
    """Means of random games agree, and scores of programs equal those of plain Python, or the run fails."""
    options = arguments.parse(bench.Options, ["games=40", "population=16", "rival_games=8", *TINY])
    _, job = [*bench.solitaire.jobs(bench.Bench(options, bench.Report([sys.stdout]), None))][1 + programs]
    job(0.0)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    check(lines, "morpion", ["plain Python"] if programs else ["plain Python", "reference"])
    assert [line["work"] for line in lines] == ([16, 8] if programs else [200, 8, 1])
    assert not programs or lines[0]["sizes"]["mean_score"] > 40


@pytest.mark.slow
@pytest.mark.parametrize("blind", [False, True])
def test_rush_hour(bench, capsys, blind):
    """Breadth-first search finds the optima, or the run fails. Tables that replace next to nothing give equal nodes."""
    options = arguments.parse(bench.Options, ["boards=2", "breadth_boards=1", "limit=500", f"table={2**20}", *TINY])
    jobs = [*bench.rush_hour.jobs(bench.Bench(options, bench.Report([sys.stdout]), None))]
    jobs[not blind][1](0.0)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    native = ["plain XLA"] * (blind and not why_not(RushHour(), None))
    if shutil.which("g++") is None:
        assert lines.pop()["skipped"] == "there is no g++"
        check(lines, "rush_hour", native)
        return
    check(lines, "rush_hour", ["plain C++", *native])
    ours, theirs = lines[0], lines[-1]
    assert ours["work"] == theirs["work"] == 1 + blind
    assert (ours["nodes"], ours["solved"]) == (theirs["nodes"], theirs["solved"])
    assert ours["nodes"] <= 1000 if blind else ours["solved"] == 1


@pytest.mark.slow
def test_freecell(bench, capsys):
    options = arguments.parse(bench.Options, ["deals=2", "limit=5000", "deal_room=8192", *TINY])
    ((_, job),) = bench.freecell.jobs(bench.Bench(options, bench.Report([sys.stdout]), None))
    job(0.0)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    if shutil.which("fc-solve") is None:
        skipped = lines.pop(0)["skipped"]
        assert skipped == "freecell-solver-range-parallel-solve is not installed (Debian: freecell-solver-bin)"
    native = ["plain XLA"] * (not why_not(FreeCell(autoplay="safe"), None))
    check(lines, "freecell", [*native, *(["fc-solve"] if shutil.which("fc-solve") else [])])
    assert all(line["solved"] == line["work"] == 2 for line in lines if line["rival"] != "plain XLA")


def test_what_fc_solve_says_of_a_range_of_deals(bench):
    said = """Started at 1795472867.50
Reached Board No. 11981 at 1795472867.75 (total_num_iters=60)
Intractable Board No. 11982 at 1795472867.782151
Reached Board No. 11982 at 1795472868.25 (total_num_iters=200060)
Reached Board No. 11983 at 1795472868.50 (total_num_iters=200136)
"""
    assert bench.freecell.read(said, 3) == (1.0, {"nodes": 200136, "solved": 2})


def test_the_fixed_strategy_written_out_plays_as_by_symmetry(bench):
    from rivals import tournaments
    from rivals.plain import walls as plain_walls

    played = []
    for _, job in [*tournaments.jobs(bench.Bench(arguments.parse(bench.Options, []), None, None))][::2]:
        at = job.args[1]
        one = jax.tree.map(lambda x: np.asarray(x)[None], tournaments.make_fixed(at))
        rules = plain_walls.rules(at.language, one, 0, at.options.symmetric)
        seen = []
        board = plain_walls.Board(5, 3, at.options.symmetric)
        board.choose = lambda *now, choose=board.choose, seen=seen: seen.append(choose(*now)) or seen[-1]
        board.play(rules, rules)
        played.append(seen)
    assert played[0] == played[1]
    assert len(played[0]) > 35


def test_random_programs_are_valid(bench):
    options = arguments.parse(bench.Options, [])
    mancala = bench.cast_of(bench.kalah.study(options, 1), bench.envs).language
    for primitives, nodes in ((mancala, 30), (trees.ARITHMETIC, 30)):
        made = trees.random_programs(0, primitives, 20, nodes)
        for i in range(20):
            tree = lp.Programs(*(np.asarray(field)[i] for field in (made.opcode, made.value, made.size, made.length)))
            assert problems(primitives, tree, int(primitives.root_type[0])) == []


def test_plain_kalah_plays_by_the_rules(kalah):
    rng = random.Random(0)
    for _ in range(300):
        position, view = some_position(rng)
        pit = rng.choice(reference.moves(position))
        board, mover = reference.play(position, pit)
        after, again, over = kalah.play(view, pit)
        assert after == [*board[position[1]], *board[1 - position[1]]]
        assert over == reference.ended((board, mover))
        assert again == (mover == position[1])


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_plain_search_finds_the_first_best_move(kalah, depth):
    rng = random.Random(depth)
    for _ in range(25):
        position, view = some_position(rng)
        values = reference.move_values(position, depth)
        best = max(values.values())
        first = min(pit for pit, value in values.items() if value == best)
        assert kalah.AlphaBeta().best_move(view, depth) == (first, best)


@pytest.mark.parametrize("seed", range(3))
def test_deap_program_plays_like_jaxgp(bench, seed):
    """Both games of random programs end as they do in jaxgp's rules with the reference's search."""
    pytest.importorskip("deap")
    deap_mancala = importlib.import_module("rivals.deap_mancala")
    random.seed(seed)
    box = deap_mancala.toolbox(2)
    tree = box.individual()
    program = deap_mancala.gp.compile(tree, box.functions)

    def own(position):
        board, mover = position
        return deap_mancala.choose(program, [*board[mover], *board[1 - mover]])

    def searched(position):
        values = reference.move_values(position, 2)
        return max(values, key=values.get)

    for seat in (0, 1):
        position = reference.start()
        while reference.moves(position):
            position = reference.play(position, (own if position[1] == seat else searched)(position))
        assert box.scores(tree)[seat] == position[0][seat][-1]


def test_deap_program_runs_alone(bench, capsys):
    pytest.importorskip("deap")
    deap_mancala = importlib.import_module("rivals.deap_mancala")
    best = deap_mancala.run(12, 3, 2, 0)
    assert best == sorted(best), "the best is kept"
    for wrong in ("size=3", "depth=0"):
        assert arguments.main(deap_mancala.Options, deap_mancala.task, "", [wrong]) == 2
    assert "depth=0: accepted: a whole number from 1" in capsys.readouterr().err


@pytest.mark.thorough
def test_plain_checkers_plays_by_the_rules_and_finds_the_values_of_minimax(bench):
    """Moves in random games are those of the reference, and so are values of three moves."""
    from rivals.plain import checkers as plain
    from tests.reference import checkers as oracle

    at = {(2 * place + row % 2, row): plain.bit(row, place) for row in range(8) for place in range(4)}
    rng, jumps = random.Random(0), 0
    for _ in range(20):
        position = oracle.start()
        men = [sum(bit for square, bit in at.items() if position.pieces.get(square) == man) for man in "bw"]
        quick = plain.Position(*men, 0, 0, 0, 0, 0)
        while legal := oracle.moves(position):
            same = {(at[start], at[end]): (start, end) for start, end in legal}
            assert {(start, end) for start, _, end in plain.moves(quick)} == set(same)
            if rng.random() < 0.05:
                best = max(oracle.move_values(position, 3, oracle.worth).values())
                assert plain.AlphaBeta().value(quick, 3) == plain.MAN * best
            chosen = rng.choice(plain.moves(quick))
            jumps += chosen[1] > 0
            quick, position = plain.play(quick, chosen), oracle.play(position, same[chosen[0], chosen[2]])
            assert (quick.seat, quick.quiet) == (position.seat, position.quiet)
            assert not oracle.over(position) or position.quiet == 40 or plain.is_blocked(quick)
    assert jumps > 200


@pytest.mark.slow
@pytest.mark.parametrize("searched", [False, True])
def test_checkers(bench, capsys, searched):
    """Random moves beside the rivals that are installed; values of searches equal those of plain Python."""
    pytest.importorskip("pyspiel")
    options = arguments.parse(bench.Options, ["batch=2", "depth=2", "roots=6", "rival_roots=6", *TINY])
    jobs = [*bench.checkers.jobs(bench.Bench(options, bench.Report([sys.stdout]), None))]
    jobs[searched][1](0.0)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    missing = ["pgx othello" for line in lines if "skipped" in line]
    lines = [line for line in lines if "skipped" not in line]
    rivals = {"plain Python", *lanes_of("checkers")} if searched else {"pgx othello", "open_spiel"}
    check(lines, "checkers", [*rivals.difference(missing)])
    work = [6] * len(lines) if searched else [2048, *[2048] * (len(lines) - 2), 20_000]
    assert [line["work"] for line in lines] == work


@pytest.mark.slow
def test_what_stands_below_explicit_introns_is_skipped_and_values_stay_equal(bench, capsys):
    """The measurement itself compares the values."""
    options = arguments.parse(bench.Options, ["batch=2", "depth=2", *TINY, "programs=64", "cases=8"])
    jobs = [*bench.checkers.jobs(bench.Bench(options, bench.Report([sys.stdout]), None))]
    jobs[-1][1](0.0)
    skipped, computed = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert (skipped["part"], skipped["name"], computed["name"]) == ("introns", "skipped", "computed")
    assert skipped["steps"] < 0.7 * computed["steps"]


@pytest.fixture
def plain_backgammon(bench):
    return importlib.import_module("rivals.plain.backgammon")


def test_plain_backgammon_finds_all_turns(plain_backgammon):
    """Positions after all turns of random rolls, along random games, are those of every order of play."""
    rng, doubles, won = random.Random(0), 0, 0
    for _ in range(4):
        own = other = plain_backgammon.START
        while True:
            one, two = sorted(rng.choices(range(1, 7), k=2), reverse=True)
            found = plain_backgammon.turns(own, other, (one, two))
            assert found == oracle_of_backgammon.turns(own, other, [one] * 4 if one == two else [one, two])
            doubles += one == two
            own, other = rng.choice(sorted(found))
            if own[0] == plain_backgammon.MEN:
                won += 1
                assert plain_backgammon.points(other) == oracle_of_backgammon.points(other)
                break
            own, other = other, own
    assert won == 4
    assert doubles > 20


@pytest.mark.thorough
def test_plain_pubeval_has_the_values_of_pubeval(plain_backgammon):
    judge = plain_backgammon.Pubeval(pubeval.weights().tolist())
    states = random_states(120, 4)
    values = jax.jit(jax.vmap(pubeval.score))(states.racing, states.own, states.other)
    theirs = zip(states.racing.tolist(), states.own.tolist(), states.other.tolist(), strict=True)
    met = [n for n in range(len(values)) if states.own[n][0] < plain_backgammon.MEN]
    found = [judge.value(*row) for row in theirs]
    np.testing.assert_allclose(np.asarray(values)[met], np.array(found)[met], rtol=0, atol=2e-5)


def test_a_single_game_has_the_deviation_of_the_others(bench):
    others = np.array([1, 3] * 8)  # of deviation 1
    assert bench.backgammon.standard_error(np.array([3]), others) == pytest.approx((1 + 1 / 16) ** 0.5)


@pytest.mark.slow
@pytest.mark.parametrize("job", range(3), ids=["random", "turns", "games"])
def test_backgammon(bench, capsys, job):
    """Moves are those of Pgx, turns have the values of those of other engines, and games as many points."""
    options = arguments.parse(bench.Options, ["batch=8", "rival_turns=4", "rival_games=30", *TINY])
    jobs = [*bench.backgammon.jobs(bench.Bench(options, bench.Report([sys.stdout]), None))]
    jobs[job][1](0.0)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    lines = [line for line in lines if "skipped" not in line]
    rivals = {"plain Python"} if job == 2 else {"plain Python", "reference"} if job == 1 else set()
    installed = {"pgx", "open_spiel"} if job == 0 else {"gnubg_nn"} if job == 1 else set()
    named = {"open_spiel": "pyspiel"}
    check(lines, "backgammon", rivals | {who for who in installed if importlib.util.find_spec(named.get(who, who))})
    if job == 1:
        assert {line["same"] for line in lines if line["rival"]} == {4}


@pytest.mark.slow
def test_chess(bench, capsys):
    """Four ways of looking at moves, and python-chess beside the largest batch."""
    pytest.importorskip("chess")
    options = arguments.parse(bench.Options, ["batch=[1,64]", *TINY])
    (job,) = [*bench.chess.jobs(bench.Bench(options, bench.Report([sys.stdout]), None))]
    job[1](0.0)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    check(lines, "chess", ["python-chess"])
    assert [line["unit"] for line in lines] == ["plies/s", *["moves/s"] * 3, "plies/s"]
    assert lines[0]["work"] == 64 * bench.chess.PLIES
    assert 10 * 60 < lines[3]["work"] < 49 * 60, "the moves of 60 games"
    assert {line.get("state_bytes") for line in lines} == {52, None}
