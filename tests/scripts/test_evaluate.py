"""A champion against a panel, measured through the script's own entry point."""

import json
import shlex

import jax
import numpy as np
import pytest

import envs
from jaxgp.config import arguments
from jaxgp.errors import RunError, UsageError
from jaxgp.host import savedgame
from jaxgp.measure import alone, evaluation, games, nested
from jaxgp.measure.evaluation import summarise
from jaxgp.seats import agents
from jaxgp.seats.options import player
from jaxgp.statistics.intervals import wilson
from jaxgp.store import champion, checkpoint
from jaxgp.store.runs import identity
from jaxgp.store.table import CSVTable
from tests.host.engines import fake
from tests.scripts.commands import compiled_once, load, write_run

autouse = pytest.fixture(autouse=True, scope="module")(compiled_once)


@pytest.fixture(scope="module")
def script():
    return load("evaluate")


@pytest.fixture
def evaluate(script, capsys):
    def run(*options):
        code = arguments.main(script.Options, script.task, script.__doc__, options)
        return code, *capsys.readouterr()

    return run


@pytest.fixture
def run_directory(tmp_path):
    """The strategy that turns left for ever: it lays no brick, so that whoever lays one wins."""
    text = "\n".join(f"- - - / - {heading} - / - - - : turn-left" for heading in "NESW")
    return write_run(tmp_path, {"name": "walls", "size": 3}, text, {"mask": 3, "matching": "strict"})


def test_every_opponent_of_a_panel_is_met_from_both_seats(evaluate, run_directory, monkeypatch, tmp_path):
    (tmp_path / "panels").mkdir()
    (tmp_path / "panels" / "mine.yaml").write_text(
        "fixed: {kind: strategy, name: fixed}\nrandom_lists: {kind: program}\n"
    )
    monkeypatch.setattr("evaluating.options.PANELS", tmp_path / "panels")
    given = (f"run={run_directory}", "panel=mine", "games=20", f"table={tmp_path}/games.csv")
    code, out, error = evaluate(*given)
    assert (code, error) == (0, "Playing against fixed, 1 of 2\nPlaying against random_lists, 2 of 2\n")
    one, many = CSVTable(tmp_path / "games.csv", games.COLUMNS).read()
    assert one["player"] == many["player"] == f"champion {identity(champion.read(run_directory / 'champion.json'))}"
    assert [row["opponent"] for row in (one, many)] == ["strategy name=fixed", "program"]
    assert (one["games"], one["losses"], one["score"], one["low"], one["units"]) == ("2", "2", "0", "", "1")
    assert (many["games"], many["units"], many["game"], many["run_seed"]) == ("40", "20", "walls size=3", "0")
    assert many["command"] == shlex.join(("python", "scripts/evaluate.py", *given))
    assert float(one["plies"]) > 0
    assert float(one["seconds"]) > 0
    saved = json.loads((run_directory / "evaluation.json").read_text())
    rows = {(row["opponent"], row["seat"]): row for row in saved["results"]["champion"]}
    assert set(rows) == {(name, seat) for name in ("fixed", "random_lists") for seat in ("first", "second", "both")}
    lost = rows["fixed", "both"]
    assert (lost["games"], lost["losses"], lost["points"], lost["score"], lost["low"]) == (2, 2, 0.0, 0.0, None)
    assert lost["against"] == 8.0, "every square but the one that the champion stands on"
    met = rows["random_lists", "both"]
    assert met["games"] == 40
    assert met["wins"] == 0
    for count in ("wins", "draws", "losses"):
        assert met[count] == rows["random_lists", "first"][count] + rows["random_lists", "second"][count]
    assert met["score"] == met["draws"] / 80
    assert met["score_low"] <= met["score"] <= met["score_high"] < 1
    assert "random_lists" in out


@pytest.fixture
def lonely(tmp_path):
    """A program of Morpion Solitaire that draws two lines, then has no more to say."""
    text = "(progn3 [17,21] getClosestToLast [17,21])"
    return write_run(tmp_path, {"name": "morpion", "size": 20}, text)


@pytest.mark.thorough
def test_the_seeds_that_a_champion_has_met_are_said(evaluate, run_directory, monkeypatch, tmp_path):
    (tmp_path / "mine.yaml").write_text("fixed: {kind: strategy, name: fixed}\n")
    monkeypatch.setattr("evaluating.options.PANELS", tmp_path)
    given = (f"run={run_directory}", "panel=mine", "games=2", f"table={tmp_path}/games.csv")
    said = "seeds that the champion has met: 0 in its run, {} in earlier measurements"
    assert said.format("none") + "\n" in evaluate(*given, "seed=7")[1]
    assert said.format("7") + "\n" in evaluate(*given, "seed=5")[1]
    assert said.format("5, 7") + "; seed 7 is one of them" in evaluate(*given, "seed=7")[1]
    assert json.loads((run_directory / "evaluation.json").read_text())["met"] == {"run": 0, "measured": [5, 7]}
    (run_directory / "evaluation.json").write_text("damaged")
    assert said.format("5, 7") in evaluate(*given, "seed=8")[1], "the table knows"


@pytest.mark.thorough
def test_a_program_that_plays_alone_is_measured_beside_chance(evaluate, lonely):
    code, out, error = evaluate(f"run={lonely}", "games=100")
    assert (code, error) == (0, "")
    assert out.startswith("champion  2, in the one game that it plays\nrandom    mean ")
    found = json.loads((lonely / "evaluation.json").read_text())["results"]
    assert found["champion"] == {"games": 1, "score": 2.0}
    random = found["random"]
    assert random["games"] == 100
    assert 20 <= random["least"] < random["low"] < random["mean"] < random["high"] < random["greatest"] <= 89
    # 53.5 with a spread of 17.8, by 100,000 games on a larger grid.
    assert abs(random["mean"] - 53.5) < 4 * 17.8 / 10
    assert (random["as_good"], random["as_good_low"]) == (1.0, pytest.approx(wilson(100, 100)[0]))
    for option, said in (
        ("panel=quick", "panel: morpion is a game for one; leave it out"),
        ("iterations=3", "iterations: given, but there is no compare=LEVEL"),
        ("games=1", "games=1: accepted: a whole number from 2 to 100000; morpion is a game for one"),
    ):
        assert evaluate(f"run={lonely}", option) == (2, "", f"error: {said}\n")


@pytest.mark.thorough
def test_figures_of_a_champion_that_was_kept_alone_go_below_outputs(evaluate, lonely, tmp_path, monkeypatch):
    champion = json.loads((lonely / "champion.json").read_text())
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "best.json").write_text(json.dumps(champion))
    (kept / "many.jsonl").write_text(json.dumps(champion) + "\n")
    monkeypatch.chdir(tmp_path)
    for run, name in (
        (kept / "best.json", "best"),
        (f"{kept / 'many.jsonl'}#{champion['seed']}", f"many_{champion['seed']}"),
    ):
        assert evaluate(f"run={run}", "games=2")[0] == 0
        assert (tmp_path / "outputs" / "evaluations" / f"{name}.json").exists()
    assert sorted(path.name for path in kept.iterdir()) == ["best.json", "many.jsonl"]


@pytest.mark.slow
def test_a_nested_search_stands_beside_a_program_that_plays_alone(evaluate, lonely):
    code, out, error = evaluate(f"run={lonely}", "games=2", "compare=2", "iterations=5", "searches=2", "group=2")
    assert code == 0
    assert error == "Searching, nested: 2 times 50 playouts\nPlaying 2 times 50 random games\n"
    found = json.loads((lonely / "evaluation.json").read_text())["results"]
    for name in ("nested", "restarts"):
        row = found[name]
        assert row["playouts"] == 50
        assert len(row["scores"]) == 2
        assert 20 <= row["mean"] <= row["greatest"] == max(row["scores"])
        written = " ".join(f"{score:g}" for score in row["scores"])
        assert f"{name:10}best of 50 playouts, 2 times: {written}; mean {row['mean']:.1f}, " in out
    too_many = ("compare=5", "iterations=26")
    said = "iterations=26: accepted: group * iterations ** compare up to 10000000; with compare=5 it is more"
    assert evaluate(f"run={lonely}", *too_many) == (2, "", f"error: {said}\n")


def test_the_game_and_the_figures_do_not_go_to_one_file(evaluate, lonely, tmp_path):
    code, _, error = evaluate(f"run={lonely}", "compare=2", f"output={tmp_path}/best.json", f"save={tmp_path}/best")
    assert (code, error.count("\n")) == (2, 1)
    assert f"save={tmp_path}/best: accepted: another name, since the figures go to {tmp_path}/best.json" in error


@pytest.mark.slow
def test_a_nested_search_that_was_cut_off_goes_on_and_saves_its_best_game(evaluate, lonely, monkeypatch, tmp_path):
    given = (f"run={lonely}", "games=2", "compare=2", "iterations=5", "searches=2", "group=2", "seed=4")
    assert evaluate(*given)[0] == 0
    wanted = json.loads((lonely / "evaluation.json").read_text())["results"]["nested"]["scores"]
    monkeypatch.setattr(nested, "EVERY", 0.0)
    monkeypatch.setattr(nested, "PIECE", 0.0)
    whole = nested.checkpoint.save

    def cut_off(*args):
        whole(*args)
        raise RunError("the machine is wanted back")

    monkeypatch.setattr(nested.checkpoint, "save", cut_off)
    assert evaluate(*given)[0] == 1
    folder = lonely / "evaluation_search"
    assert checkpoint.available(folder / "nested")[0][0] == 16
    code, _, error = evaluate(*given)
    assert (code, error) == (
        2,
        f"error: {folder}: holds a search that was cut off; go on with it by resume=auto, or remove it\n",
    )
    code, _, error = evaluate(*given[:-1], "seed=5", "resume=auto")
    assert code == 2
    assert f"error: resume: {folder / 'nested'}" in error
    assert error.endswith("made with another configuration; accepted: the options that the search was begun with\n")
    monkeypatch.setattr(nested.checkpoint, "save", whole)
    monkeypatch.setattr(nested, "EVERY", 60.0)
    computed = jax.block_until_ready

    def stopped(found):
        computed(found)
        raise KeyboardInterrupt

    monkeypatch.setattr(jax, "block_until_ready", stopped)
    code, _, error = evaluate(*given, "resume=auto")
    assert (code, error.splitlines()[-2:]) == (130, ["25 of 25 steps are done; resume=auto goes on", "stopped"])
    monkeypatch.setattr(jax, "block_until_ready", computed)
    code, _, error = evaluate(*given, "resume=auto", f"save={tmp_path / 'best.json'}")
    assert code == 0
    assert "Going on after 25 of 25 steps" in error
    found = json.loads((lonely / "evaluation.json").read_text())["results"]["nested"]
    assert (found["scores"], found["playouts"]) == (wanted, 50)
    assert not folder.exists()
    saved = savedgame.read(str(tmp_path / "best.json"), envs)
    assert saved.moves[-1].state.count == max(wanted) == found["greatest"]


def test_the_interval_of_a_mean():
    figures = alone.summarise(np.array([3.0, 5.0, 4.0, 4.0]))
    # The t distribution with three degrees of freedom has 3.182 as its 97.5 % quantile.
    half = 3.182446 * np.sqrt(2 / 3) / 2
    assert (figures["mean"], figures["least"], figures["greatest"]) == (4.0, 3.0, 5.0)
    assert (figures["low"], figures["high"]) == pytest.approx((4 - half, 4 + half))


def test_figures_of_a_handful_of_games():
    points, against = np.array([3.0, 5.0, 4.0, 4.0]), np.array([4.0, 1.0, 4.0, 0.0])
    row = summarise("somebody", "first", points, against, np.sign(points - against))
    assert (row.games, row.wins, row.draws, row.losses) == (4, 2, 1, 1)
    assert (row.points, row.against, row.win_rate, row.score) == (4.0, 2.25, 0.5, 0.625)
    assert row.spread == pytest.approx(np.std(points, ddof=1))
    assert (row.low, row.high) == wilson(2, 4)
    assert (row.score_low, row.score_high) == wilson(2.5, 4)
    assert wilson(5, 10) == pytest.approx((0.2366, 0.7634), abs=1e-4)
    assert summarise("somebody", "first", *(x[:1] for x in (points, against, points))).low is None


@pytest.fixture
def panel(monkeypatch, tmp_path):
    """Write a panel called mine."""

    def write(**members):
        (tmp_path / "panels").mkdir(exist_ok=True)
        (tmp_path / "panels" / "mine.yaml").write_text(json.dumps(members))
        monkeypatch.setattr("evaluating.options.PANELS", tmp_path / "panels")

    return write


@pytest.fixture
def othello_run(tmp_path):
    """A program that plays for many discs of its own."""
    return write_run(tmp_path, {"name": "othello", "size": 4}, "own")


@pytest.mark.thorough
def test_an_engine_outside_is_met_from_both_seats(evaluate, othello_run, panel):
    panel(engine={"kind": "engine", "command": fake()}, absent={"kind": "engine", "command": "gtp-nobody -l 1"})
    given = (f"run={othello_run}", "panel=mine", "games=3", "opening_plies=4")
    code, out, error = evaluate(*given)
    missing = "command=gtp-nobody -l 1: gtp-nobody is not installed on PATH or in /usr/games"
    assert (code, error) == (0, f"Skipping absent: {missing}\nPlaying against engine, 1 of 1\n")
    assert "absent" not in out
    saved = json.loads((othello_run / "evaluation.json").read_text())
    assert (saved["skipped"], saved["opening_plies"]) == ({"absent": missing}, 4)
    rows = {row["seat"]: row for row in saved["results"]["champion"]}
    assert [rows[seat]["games"] for seat in ("first", "second", "both")] == [3, 3, 6]
    both = rows["both"]
    for count in ("wins", "draws", "losses"):
        assert both[count] == rows["first"][count] + rows["second"][count]
    assert both["points"] == pytest.approx((rows["first"]["points"] + rows["second"]["points"]) / 2)
    assert both["points"] + both["against"] <= 64
    assert (rows["first"]["low"], rows["first"]["high"]) == wilson(rows["first"]["wins"], 3)
    score = both["score"]
    narrow, wide = (wilson(score * games, games) for games in (6, 3))
    assert wide[0] <= both["score_low"] <= narrow[0]
    assert narrow[1] <= both["score_high"] <= wide[1]


@pytest.mark.thorough
def test_a_warning_where_games_against_an_engine_are_alike(evaluate, othello_run, panel):
    panel(engine={"kind": "engine", "command": fake("--first")})
    code, _, error = evaluate(f"run={othello_run}", "panel=mine", "games=2", "opening_plies=0")
    assert code == 0
    assert error.endswith("engine: only 2 of 4 games differ, so intervals are too narrow\n")


def test_engines_outside_that_cannot_be_met(evaluate, othello_run, panel):
    others = f"run={othello_run}"
    panel(absent={"kind": "engine", "command": "gtp-nobody"})
    code, out, error = evaluate(others, "panel=mine")
    assert (code, out) == (2, "")
    assert error == (
        "error: panel=mine: nobody is there to play; "
        "command=gtp-nobody: gtp-nobody is not installed on PATH or in /usr/games\n"
    )
    panel(engine={"kind": "engine"})
    assert "engine=engine: needs " in evaluate(others, "panel=mine")[2]
    panel(engine={"kind": "engine", "command": fake("--fault", "dies")})
    code, _, error = evaluate(others, "panel=mine", "games=1")
    assert code == 1
    assert "the engine has ended with exit code 3" in error
    moved = "timeout: 5 of the engine in the file of the panel"
    for option, said in (
        ("opening_plies=-1", "opening_plies=-1: accepted: a whole number from 0 to 40"),
        ("timeout=5", f"timeout=5: accepted: {moved}, as it is called now"),
    ):
        assert evaluate(others, "panel=mine", option) == (2, "", f"error: {said}\n")
    panel(chance={"kind": "random"})
    said = "opening_plies: given, but nobody in panel=mine is of the kind engine"
    assert evaluate(others, "panel=mine", "opening_plies=2") == (2, "", f"error: {said}\n")


def test_what_was_measured_before_an_engine_failed_is_kept(evaluate, othello_run, panel):
    panel(engine={"kind": "engine", "command": fake()}, bad={"kind": "engine", "command": fake("--fault", "dies")})
    code, out, error = evaluate(f"run={othello_run}", "panel=mine", "games=1")
    assert code == 1
    assert "engine" in out
    assert error.splitlines()[-1].startswith("error: bad: ")
    assert "the engine has ended with exit code 3" in error
    saved = json.loads((othello_run / "evaluation.json").read_text())
    assert [row["opponent"] for row in saved["results"]["champion"]] == ["engine"] * 3
    assert f"error: {saved['failed']}" == error.splitlines()[-1]


@pytest.mark.thorough
def test_a_member_of_a_panel_is_measured_in_the_place_of_a_champion(evaluate, panel, tmp_path):
    panel(fixed={"kind": "strategy", "name": "fixed"}, chance={"kind": "random"}, fixed_2={"kind": "strategy"})
    given = ("game=walls", "game.size=3", "player=chance", "panel=mine", "against=[fixed]", "games=30")
    code, out, error = evaluate(*given, f"table={tmp_path}/games.csv")
    assert (code, error) == (0, "Playing against fixed, 1 of 1\n")
    assert "saved" not in out
    (row,) = CSVTable(tmp_path / "games.csv", games.COLUMNS).read()
    assert (row["player"], row["opponent"], row["games"]) == ("random", "strategy name=fixed", "60")
    assert (row["run"], row["title"], row["run_seed"]) == ("", "", "")
    assert float(row["low"]) <= float(row["score"]) <= float(row["high"]) < 0.5


def test_names_of_opponents_are_shown_as_they_are():
    won = summarise("[red]a[/] [/b] \x1b[31m", "first", *np.ones((3, 1)))
    assert "[red]a[/] [/b] \ufffd[31m" in evaluation.table_text({"[/champion]": [won]})


def test_what_was_measured_before_it_was_stopped_is_kept(evaluate, run_directory, monkeypatch):
    won = summarise("fixed", "first", *np.ones((3, 1)))

    def stopped(*_):
        yield "champion", [won]
        raise KeyboardInterrupt

    monkeypatch.setattr(evaluation, "measure_player", stopped)
    code, out, error = evaluate(f"run={run_directory}", "panel=quick")
    assert (code, error.splitlines()[-1]) == (130, "stopped")
    assert "fixed" in out
    saved = json.loads((run_directory / "evaluation.json").read_text())
    assert (saved["failed"], saved["results"]) == ("stopped", {"champion": [won.as_dict()]})


@pytest.mark.parametrize(
    ("member", "said"),
    [
        ({"kind": "human"}, "one.kind=human: accepted: search, champion, engine, program, random, strategy"),
        ({"kind": "strategy", "name": "x"}, "one.kind=strategy: accepted: search, champion, engine, program, random; "),
        ({"evaluator": "corner_4|cornr"}, "one.evaluator=corner_4|cornr: accepted: material, "),
        ({"depth": 0}, "one.depth=0: accepted: a whole number from 1"),
        ({"rounds": 3}, "one.rounds: unknown option; accepted: kind, games, weight, depth, "),
        ({"kind": "gtp"}, "one.kind=gtp: accepted: engine; gtp is called so no longer"),
    ],
    ids=lambda x: "-".join(x) if isinstance(x, dict) else "",
)
def test_members_of_a_panel_that_cannot_be_are_named(evaluate, othello_run, panel, member, said):
    panel(one=member)
    code, out, error = evaluate(f"run={othello_run}", "panel=mine")
    assert (code, out, error.count("\n")) == (2, "", 1)
    assert f"mine.yaml: {said}" in error


@pytest.fixture
def searching_run(tmp_path):
    """A program that says what a position is worth to who is to move, evolved to search two plies."""
    (tmp_path / "searching").mkdir()
    program = {"role": "leaf", "features": "position", "depth": 2}
    return write_run(tmp_path / "searching", {"name": "othello", "size": 4}, "PieceCount", program)


def test_figures_that_find_no_room_are_printed(evaluate, searching_run, panel, monkeypatch):
    def full(report, path, **about):
        raise OSError(28, "No space left on device", str(path))

    panel(chance={"kind": "random"})
    monkeypatch.setattr(evaluation, "measure_player", lambda *_: ())
    monkeypatch.setattr(evaluation, "table_text", lambda report: "the table")
    monkeypatch.setattr(evaluation, "save", full)
    code, out, error = evaluate(f"run={searching_run}", "panel=mine")
    assert (code, out) == (1, "the table\n")
    assert error.endswith("evaluation.json: No space left on device\n")


def test_a_champion_that_searches_is_measured_at_another_depth(evaluate, searching_run, panel, monkeypatch):
    seen = []
    monkeypatch.setattr(evaluation, "measure_player", lambda loaded, *args: seen.append(loaded.cast.actor.depth) or ())
    panel(chance={"kind": "random"})
    given = (f"run={searching_run}", "panel=mine")
    assert evaluate(*given)[0] == evaluate(*given, "depth=4")[0] == 0
    assert seen == [2, 4]
    assert json.loads((searching_run / "evaluation.json").read_text())["depth"] == 4
    for depth, most in ((0, "24, or null"), (13, "12")):
        said = f"error: depth={depth}: accepted: a whole number from 1 to {most}\n"
        assert evaluate(*given, f"depth={depth}") == (2, "", said)


def test_depth_is_for_champions_that_search(evaluate, othello_run):
    said = f"depth: given, but the champion of {othello_run / 'champion.json'} does not search; leave it out"
    assert evaluate(f"run={othello_run}", "depth=4") == (2, "", f"error: {said}\n")


def test_a_person_can_meet_a_champion_that_searches_deeper(searching_run, othello_run, monkeypatch):
    script = load("play")
    cast, loaded = script.setting.set_up(script.Options(run=str(searching_run)))
    seen = []
    monkeypatch.setattr(agents, "genome_agent", lambda cast, genome, name: seen.append(cast.actor.depth))
    for depth in (4, None):
        player("champion", depth=depth).agent("opponent", cast, loaded.genome)
    assert seen == [4, 2]
    cast, loaded = script.setting.set_up(script.Options(run=str(othello_run)))
    with pytest.raises(UsageError, match=r"^player\.depth=3: accepted: null; programs for othello do not search"):
        player("champion", depth=3).agent("player", cast, loaded.genome)


def test_engines_do_not_play_every_game(evaluate, run_directory, panel):
    panel(engine={"kind": "engine", "command": fake()})
    said = "engine.kind=engine: accepted: search, champion, program, random, strategy; no engine outside plays walls"
    code, out, error = evaluate(f"run={run_directory}", "panel=mine")
    assert (code, out) == (2, "")
    assert error.endswith(f"{said}\n")


BAD = [
    ("engine=robocode", "engine: of puzzles and simulations; walls is none, leave it out"),
    ("player=minimax_4", "run: given, but player is measured in the place of a champion; leave one out"),
    ("game.size=5", "game.size=5: run="),
    ("against=[nobody]", "against=nobody: accepted: minimax_8, "),
    ("table=/dev/null", "table=/dev/null: accepted: a new file, or a table"),
    ("run=nowhere", "run=nowhere: no such file or directory"),
    ("panel=strong", "panel=strong: accepted: "),
    ("games=0", "games=0: accepted: a whole number from 1"),
    ("cores=0", "cores=0: accepted: a whole number from 1 to 1024, or null"),
    ("compare=21", "compare=21: accepted: a whole number from 0 to 20"),
    ("output=/", "output=/: cannot be written"),
    ("searches=2", "searches: given, but there is no compare=LEVEL"),
    ("save=best", "save: given, but there is no compare=LEVEL"),
]


@pytest.mark.parametrize(("option", "said"), BAD, ids=[option for option, _ in BAD])
def test_wrong_options_are_named_before_anything_is_played(evaluate, run_directory, option, said):
    given = [option] if option.startswith("run") else [f"run={run_directory}", option]
    code, out, error = evaluate(*given)
    assert (code, out) == (2, "")
    assert said in error


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["player=fixed"], "game: of which game is player=fixed? Write game=NAME"),
        (["player=fixed", "game=shogi"], "game=shogi: accepted: "),
        (["player=fixed", "game=morpion"], "game=morpion: accepted: a game for two; morpion is for one"),
        (["player=me", "game=walls"], "player=me: accepted: fixed, "),
        (
            ["player=random_lists", "game=walls"],
            "player=random_lists: accepted: a member of one of the kinds search, ",
        ),
    ],
)
def test_wrong_members_in_the_place_of_a_champion_are_named(evaluate, options, said):
    code, out, error = evaluate(*options, "panel=walls")
    assert (code, out, error.count("\n")) == (2, "", 1)
    assert f"error: {said}" in error


def test_a_panel_that_is_none_is_refused(evaluate, run_directory, monkeypatch, tmp_path):
    (tmp_path / "odd.yaml").write_text("forward: {kind: strategy, strength: 3}\n")
    monkeypatch.setattr("evaluating.options.PANELS", tmp_path)
    code, _, error = evaluate(f"run={run_directory}", "panel=odd")
    assert code == 2
    assert "odd.yaml: forward.strength: unknown option; accepted: kind, " in error


def test_options_of_a_nested_search_are_for_games_for_one(evaluate, run_directory):
    code, out, error = evaluate(f"run={run_directory}", "compare=2", "iterations=5")
    assert (code, out) == (2, "")
    assert error == "error: iterations: of searches in a game for one; walls is for two, leave it out\n"


def test_the_champion_is_not_replaced_by_its_figures(evaluate, run_directory):
    kept = run_directory / "kept.jsonl"
    kept.write_text(json.dumps(json.loads((run_directory / "champion.json").read_text())) + "\n")
    for name, file in ((f"{kept}#0", kept), (run_directory, run_directory / "champion.json")):
        before = file.read_text()
        code, _, error = evaluate(f"run={name}", f"output={file}")
        assert (code, file.read_text()) == (2, before)
        assert error.startswith("error: output=")
        assert error.endswith(": accepted: another file than the champion's\n")


def test_a_table_of_instances_is_for_puzzles(evaluate, run_directory):
    said = "error: instances: of puzzles; walls is none, leave it out\n"
    assert evaluate(f"run={run_directory}", "instances=all.csv") == (2, "", said)


def test_a_file_that_is_no_table_of_instances_is_refused_before_anything_is_searched(evaluate, tmp_path):
    run, table = write_run(tmp_path, {"name": "rush_hour"}, "Hybrid", {"role": "heuristic"}), tmp_path / "games.csv"
    table.write_text("player,opponent\n")
    for path, accepted in (
        (table, "a new file, or a table with the columns of this command (its columns are not suite,instance,"),
        (run / "evaluation.json", f"another name, since the figures go to {run / 'evaluation.json'}"),
    ):
        code, out, error = evaluate(f"run={run}", f"instances={path}")
        assert (code, out, error.count("\n")) == (2, "", 1)
        assert error.startswith("error: instances=")
        assert f": accepted: {accepted}" in error
    assert table.read_text() == "player,opponent\n"
