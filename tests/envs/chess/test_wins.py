"""What White wins, and results of six men, beside the tables that tell mates too."""

import numpy as np
import pytest

from envs.chess import tables
from envs.chess.notation.fen import kinds_of
from envs.chess.tables import results, wins
from envs.chess.tables.retrograde import unpacked
from jaxgp.errors import UsageError


def assert_same(sets, pair):
    """The sets have a bit where the tables have a win of White, and a loss of Black."""
    white, black = tables.table(pair)
    won, lost = (unpacked(part.reshape(-1)).reshape(white.shape) for part in sets)
    assert np.array_equal(won, (white > 0) & (white != tables.ILLEGAL))
    assert np.array_equal(lost, black < 0)


def test_values_with_the_colours_changed_are_those_of_the_other_table():
    pair = kinds_of("KRK")
    for found, other in zip(results.either(pair[::-1], tables.table), tables.table(pair[::-1]), strict=True):
        assert np.array_equal(found, other)


@pytest.mark.thorough
def test_an_analysis_that_was_stopped_goes_on_and_finds_what_the_tables_tell(tmp_path, monkeypatch):
    monkeypatch.setattr(results, "SECONDS", 0)
    pair, path, said = kinds_of("KRKR"), tmp_path / "KRKR", []

    def stop(text):
        said.append(text)
        if text.startswith("round 3:"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        results.build(path, pair, tables.table, stop)
    assert not path.exists()
    results.build(path, pair, tables.table, said.append)
    assert [text.partition(":")[0] for text in said] == [
        "0 rounds are done", "round 1", "round 2", "round 3", "2 rounds are done", "round 3", "round 4",
    ]  # fmt: skip
    assert_same([np.load(path / f"{name}.npy") for name in ("won", "lost")], pair)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["KRKR"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["KQKR", "KRKQ", "KQKQ", "KQRKQ", "KRRKR"])
def test_what_white_wins_is_what_the_tables_tell(name):
    pair = kinds_of(name)
    analysis = wins.WinAnalysis(pair, tables.table)
    state = analysis.begin()
    while state.fresh.any():
        state = analysis.go_on(state)
    assert_same(analysis.finish(state), pair)


def test_a_state_that_is_damaged_is_refused(tmp_path):
    path = tmp_path / "KRKR"
    kept = path.with_suffix(".state")
    kept.mkdir()
    (kept / results.LAST).write_text("3")
    with pytest.raises(UsageError, match="no state of an analysis; accepted: none, delete it to begin anew"):
        results.build(path, kinds_of("KRKR"), tables.table, print)


@pytest.mark.parametrize("harm", ["missing", "cut short", "of another shape"])
def test_results_that_are_not_whole_are_refused(harm, tmp_path):
    for name in ("won", "lost"):
        np.save(tmp_path / f"{name}.npy", np.zeros((10, 64), np.uint64))
    if harm == "missing":
        (tmp_path / "won.npy").unlink()
    if harm == "cut short":
        (tmp_path / "won.npy").write_bytes(b"cut")
    results.read.cache_clear()
    with pytest.raises(UsageError, match=r"won\.npy: no results of six men, or cut short; accepted: none, delete"):
        results.read(tmp_path)


def test_results_that_nobody_has_found_are_asked_for_by_the_command_that_finds_them(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    tables.tables.cache_clear()
    with pytest.raises(UsageError, match=r"^KQRKQR: no results; scripts/studies/chess/larger\.py endgame=KQRKQR finds"):
        tables.tables(("KQRKQR",), tables.JUDGED)
    with pytest.raises(UsageError, match="accepted: an endgame of up to 5 kings"):
        tables.tables(("KQRKQR",), tables.LARGEST)
    assert not tables.has(kinds_of("KQQKRR"), tables.JUDGED)
