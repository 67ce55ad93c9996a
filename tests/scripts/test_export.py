import pytest

import envs
from envs.mancala.roles import PROGRAM
from envs.morpion.notation import saved
from jaxgp.config import arguments
from jaxgp.export.export import ExportError
from tests.scripts.commands import compiled_once, load, write_run

EXPRESSION = "(ADD 3 (VALUE_AT 7))"

autouse = pytest.fixture(autouse=True, scope="module")(compiled_once)


@pytest.fixture(scope="module")
def script():
    return load("export")


@pytest.fixture
def export(script, capsys):
    def run(*options):
        code = arguments.main(script.Options, script.task, script.__doc__, options)
        return code, *capsys.readouterr()

    return run


@pytest.fixture
def run_directory(tmp_path):
    points = {"first": 1.0, "second": None}
    about = {"points": points, "generation": 12, "seed": 3}
    return write_run(tmp_path, {"name": "mancala", "pits": 5}, EXPRESSION, {"move": "next_legal"}, **about)


@pytest.fixture
def alone(tmp_path):
    """The champion of a game for one: three moves."""
    return write_run(tmp_path, {"name": "morpion"}, "(progn3 [20,20] getClosestToLast (progn2 [20,23] [21,23]))")


@pytest.mark.thorough
def test_the_game_of_a_champion_that_plays_alone_is_written(export, alone):
    code, text, error = export(f"run={alone}", "format=game")
    assert (code, error) == (0, "")
    assert "\nScore=3\n" in text
    assert [line.split("\t")[-1] for line in text.splitlines()[-3:]] == ["[20,20]", "getClosestToLast", "[20,23]"]
    game = envs.make("morpion")
    assert saved.parse_game(game, text)[0] == saved.line_between(game, (16, 20), (20, 20))
    code, svg, error = export(f"run={alone}", "format=svg")
    assert (code, error) == (0, "")
    assert [svg.count(f'class="{kind}"') for kind in ("start", "disc", "number", "line")] == [36, 3, 3, 3]
    code, dot, error = export(f"run={alone}", "format=dot")
    assert (code, error) == (0, "")
    assert 'label="[20,20]"' in dot


@pytest.mark.thorough
def test_a_program_that_guides_a_search_is_an_expression_and_has_a_game(export, tmp_path):
    options = {"role": "guide", "iterations": 2, "searches": 2}
    path = write_run(tmp_path, {"name": "morpion"}, "(MUL AGE -0.5)", options)
    code, latex, error = export(f"run={path}", "format=latex")
    assert (code, error) == (0, "")
    assert "-0.5" in latex
    code, text, error = export(f"run={path}", "format=game")
    assert (code, error) == (0, "")
    assert len(saved.parse_game(envs.make("morpion"), text)) >= 20
    assert text.splitlines()[-1].endswith("\tbest of 2 guided searches")


@pytest.mark.parametrize("notation", ["python", "latex"])
def test_programs_that_move_are_no_expressions(export, alone, notation):
    code, _, error = export(f"run={alone}", f"format={notation}")
    assert code == 2
    accepted = "text, sexpr, dot, game, svg, for a champion of morpion"
    assert error == f"error: format={notation}: accepted: {accepted}\n"


@pytest.mark.parametrize("notation", ["game", "svg"])
def test_a_champion_that_plays_against_others_has_no_game_of_its_own(export, run_directory, notation):
    code, _, error = export(f"run={run_directory}", f"format={notation}")
    assert code == 2
    accepted = "text, sexpr, python, latex, dot, for a champion of mancala"
    assert error == f"error: format={notation}: accepted: {accepted}\n"


def test_the_expression_comes_out_as_it_is(export, run_directory):
    assert export(f"run={run_directory}") == (0, EXPRESSION + "\n", "")


def test_python_plays_by_the_rule_of_the_run(export, run_directory):
    code, text, _ = export(f"run={run_directory}", "format=python")
    namespace = {}
    exec(text, namespace)
    assert code == 0
    assert "generation 12, seed 3, 4 nodes" in text
    # The value is 3 plus what lies in cell 7; the next legal pit from there up, else the first that may be played.
    assert namespace["choose"]([1, 1, 0, 0, 1, 0, 9, 0, 9, 9, 9, 0]) == 4
    assert namespace["choose"]([1, 1, 0, 0, 1, 0, 9, 2, 9, 9, 9, 0]) == 0


@pytest.mark.parametrize(("notation", "start"), [("dot", "digraph"), ("latex", r"\begin{align*}")])
def test_every_format_is_written(export, run_directory, notation, start):
    code, text, _ = export(f"run={run_directory}", f"format={notation}")
    assert code == 0
    assert text.startswith(start)


def test_a_file_is_written_where_one_is_named(export, run_directory, tmp_path):
    target = tmp_path / "champion.txt"
    assert export(f"run={run_directory}", f"output={target}") == (0, "", "")
    assert target.read_text() == EXPRESSION + "\n"


def test_the_champion_is_not_replaced_by_what_it_is_exported_to(export, run_directory):
    file = run_directory / "champion.json"
    before = file.read_text()
    code, _, error = export(f"run={run_directory}", "format=python", f"output={file}")
    assert (code, file.read_text()) == (2, before)
    assert error.endswith(": accepted: another file than the champion's\n")


@pytest.fixture
def graphviz(tmp_path, monkeypatch):
    """Put a program `dot` of the test's own in the place of Graphviz, or none."""

    def put(script):
        folder = tmp_path / "bin"
        folder.mkdir()
        if script:
            (folder / "dot").write_text(f"#!/bin/sh\n{script}\n")
            (folder / "dot").chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}:/bin:/usr/bin" if script else str(folder))

    return put


def test_a_tree_is_drawn_where_graphviz_is_installed(export, run_directory, tmp_path, graphviz):
    graphviz('echo "picture $1 of $(head -c 7)"; cat > /dev/null')
    for kind in ("svg", "png", "pdf"):
        assert export(f"run={run_directory}", "format=dot", f"output={tmp_path}/tree.{kind}") == (0, "", "")
        assert (tmp_path / f"tree.{kind}").read_text() == f"picture -T{kind} of digraph\n"
    assert export(f"run={run_directory}", "format=dot", f"output={tmp_path}/tree.dot")[0] == 0
    assert (tmp_path / "tree.dot").read_text().startswith("digraph program {")


def test_a_tree_that_cannot_be_drawn_is_explained(export, run_directory, tmp_path, graphviz):
    graphviz("echo no font >&2; exit 1")
    code, _, error = export(f"run={run_directory}", "format=dot", f"output={tmp_path}/tree.svg")
    assert (code, error.count("\n")) == (1, 1)
    assert "dot: no font" in error
    assert not (tmp_path / "tree.svg").exists()


def test_without_graphviz_another_file_is_asked_for(export, run_directory, tmp_path, graphviz):
    graphviz(None)
    code, _, error = export(f"run={run_directory}", "format=dot", f"output={tmp_path}/tree.svg")
    assert (code, error.count("\n")) == (2, 1)
    assert error.startswith("error: output=")
    assert ": accepted: a file that ends in .dot; to draw it, Graphviz has to be installed" in error


def test_a_file_that_cannot_be_written_is_a_failure(export, run_directory, tmp_path):
    code, _, error = export(f"run={run_directory}", f"output={tmp_path}/none/champion.txt")
    assert code == 1
    assert error.count("\n") == 1
    assert "cannot be written (No such file or directory)" in error


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('"format_version": 3', '"format_version": 9'), "format_version 9 is not known here; accepted: 1 to 3"),
        (('"pits": 5', '"pits": 50'), "game.pits=50: accepted: a whole number from 1 to 15"),
        (('"pits": 5', '"pits": 4'), "made with the primitive set mancala-12-zero"),
        (
            ('"name": "mancala",', '"name": "go",'),
            "game.name=go: accepted: backgammon, checkers, chess, freecell, mancala, mate, morpion",
        ),
        (('"move": "next_legal"', '"eyes": 2'), "eyes"),
        (("(ADD 3", "(ADDD 3"), "text: line 1, column 2: ADDD is not in the primitive set"),
        (("{", "["), "not JSON"),
    ],
)
def test_a_file_that_does_not_fit_is_explained_in_one_line(export, run_directory, change, message):
    path = run_directory / "champion.json"
    path.write_text(path.read_text().replace(*change, 1))
    code, out, error = export(f"run={run_directory}", "format=python")
    assert (code, out) == (2, "")
    assert error.startswith(f"error: run={run_directory}: ")
    assert message in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "run: which champion? Write run=DIR, a run directory"),
        (["run=nowhere"], "run=nowhere: no such file or directory; accepted: a run directory with a champion, or a"),
        (["pits=3"], "pits: unknown option; accepted: run, game, format, name, output"),
        (
            ["run=nowhere", "game=go"],
            "game=go: accepted: backgammon, checkers, chess, freecell, lose_checkers, mancala, mate, morpion, ",
        ),
    ],
)
def test_wrong_options_are_told_in_one_line(export, options, message):
    code, out, error = export(*options)
    assert (code, out) == (2, "")
    assert error.startswith(f"error: {message}")
    assert error.count("\n") == 1


def test_a_game_without_a_writer_of_python_is_told_so(export, script, run_directory, monkeypatch):
    def missing(*_):
        from envs.mancala import no_such_writer  # noqa: F401

    def lacking(*_):
        raise ExportError("the primitive VALUE_AT has no Python form")

    accepted = "text, sexpr, latex, dot, for a champion of mancala"
    for writer, why in ((missing, "cannot import name 'no_such_writer'"), (lacking, "the primitive VALUE_AT has no ")):
        monkeypatch.setitem(PROGRAM.exports, "python", writer)
        code, out, error = export(f"run={run_directory}", "format=python")
        assert (code, out, error.count("\n")) == (2, "", 1)
        assert error.startswith(f"error: format=python: accepted: {accepted} ({why}")


@pytest.mark.parametrize("target", ["/dev/null", "/"])
def test_what_is_no_file_is_not_replaced_by_one(export, run_directory, target):
    assert export(f"run={run_directory}", f"output={target}") == (
        2,
        "",
        f"error: output={target}: accepted: the name of a file\n",
    )


def test_a_file_that_cannot_be_finished_is_not_begun(export, run_directory, tmp_path, monkeypatch):
    def stopped(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("os.fsync", stopped)
    target = tmp_path / "champion.txt"
    target.write_text("old")
    assert export(f"run={run_directory}", f"output={target}") == (130, "", "stopped\n")
    assert target.read_text() == "old"
    assert not list(tmp_path.glob("*.part"))
