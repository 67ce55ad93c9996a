"""The tables of docs/results/othello.md on Reversi, made from a few rows that are written here."""

import sys

import pytest

from jaxgp.errors import UsageError
from jaxgp.measure import games
from jaxgp.store import runs
from tests.scripts.commands import SCRIPTS

sys.path.insert(0, str(SCRIPTS))
from tables import reversi

FIVE, SEVEN = reversi.BENCHMARKS
ENGINE = next(iter(reversi.ENGINES))


def lines(text):
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.replace("\\|", "/").split("\n")]


def met(run, opponent, wins, of=1000, player="champion aa depth=4", seed=1, **about):
    number = {"games": of, "wins": wins, "draws": 0, "effective": of, "seed": seed}
    row = dict.fromkeys(games.COLUMNS, "") | {"game": "othello", "player": player, "opponent": opponent, "run": run}
    return {name: str(value) for name, value in (row | number | about).items()}


def published(player, five, seven):
    rows = [("3.12", player, FIVE, five, 1000), ("3.12", player, SEVEN, seven, 1000)]
    return [dict(zip(reversi.BOOK, (table, "othello", *map(str, rest)), strict=True)) for table, *rest in rows]


def data(*rows, made=(), book=()):
    return reversi.Data(list(made), list(rows), list(book))


def test_tables_without_rows_say_so():
    for name, made in reversi.TABLES.items():
        assert made(data()) == reversi.NONE, name


def test_runs_stand_above_the_source_with_what_was_run():
    champion = "champions/reversi_25co_3.json"
    run = dict.fromkeys(runs.COLUMNS, "") | {"champion": "aa", "generations": "40", "found": "12", "size": "33"}
    rows = [met(champion, FIVE, 900), met(champion, SEVEN, 700), met(champion, ENGINE, 20, 40)]
    rows += [met("champions/reversi_other_guides_3.json", FIVE, 1), met("champions/othello_regions_3.json", FIVE, 1)]
    head, _, ours, theirs = lines(reversi.coplay(data(*rows, made=[run], book=published("r1 25Co", 875, 758.5))))
    assert head[:4] == ["run", "generations", "champion of", "nodes"]
    assert ours[:5] == ["`reversi_25co`, seed 3", "40", "12", "33", "900.0 (880 to 917)"]
    assert ours[6:] == ["50.0 (35.2 to 64.8)"]
    assert theirs == ["the source, r1 25Co", "", "", "", "875.0", "758.5", ""]


def test_runs_with_guides_have_a_table_of_their_own():
    rows = [met(f"champions/reversi_{kind}_0.json", FIVE, 900) for kind in ("other_guides", "25co")]
    assert [line[0] for line in lines(reversi.guided(data(*rows)))[2:]] == ["`reversi_other_guides`, seed 0"]


def test_a_champion_that_met_no_search_is_left_out():
    assert reversi.champions(data(met("champions/reversi_25co_0.json", ENGINE, 1)), reversi.COPLAY) == []


def test_runs_are_compared_with_the_source_and_both_tests_are_one_family():
    rows = [
        met(f"champions/reversi_40co_{seed}.json", opponent, wins + seed, player=f"champion {seed} depth=4")
        for seed in range(4)
        for opponent, wins in ((FIVE, 990), (SEVEN, 500))
    ]
    book = [row for place in range(4) for row in published(f"r{place}", 900 + place, 501 + place)]
    five, seven = lines(reversi.beside(data(*rows, book=book)))[2:]
    assert five[:2] == ["5 plies", "4: 991.5 (989.4 to 993.6)"]
    # All of four above all of four others: p = 2 / C(8, 4) = 0.029, twice that after Holm.
    assert five[3:] == ["1.00 (1.00 to 1.00)", "0.057"]
    assert seven[2] == "4: 502.5 (500.4 to 504.6)"
    assert seven[3].startswith("0.28")


def test_older_champions_are_named_by_their_files():
    rows = [met("docs/reversi_edges.json", FIVE, 900), met("docs/reversi_edges.json", SEVEN, 400, 500)]
    book = published("r1", 875, 640.5) + published("r2", 961, 826)
    edges, source = lines(reversi.kept(data(*rows, book=book)))[2:]
    assert edges[:3] == ["`reversi_edges`", "900.0 (880 to 917)", "800.0 (763 to 833)"]
    assert source[:3] == [reversi.SOURCE, "875 to 961", "640.5 to 826"]


def test_the_ladder_has_a_line_for_each_match_of_the_source():
    two = FIVE.replace("5", "2")
    book = [dict(zip(reversi.BOOK, ("3.3.5", "othello", two, "random", "0.8471", "1"), strict=True))]
    assert lines(reversi.ladder(data(book=book)))[2:] == [["2 plies against random moves", "no rows yet", "", "84.7"]]
    found = lines(reversi.ladder(data(met("", "random", 800, player=two), book=book)))[2]
    assert found == ["2 plies against random moves", "80.0 (77.4 to 82.4)", "1,000", "84.7"]


def test_the_learned_table_meets_random_moves_searches_and_an_engine():
    rows = [met("", opponent, 50, 100, player=reversi.TABLE) for opponent in ("random", FIVE, ENGINE)]
    found = [line[0] for line in lines(reversi.learned(data(*rows, met("", "random", 1))))[2:]]
    assert found == ["random moves", "search, 5 plies", "gtp-rhino -l 1, without its book"]


def test_damaged_data_are_one_line(tmp_path):
    damaged = met("champions/reversi_25co_0.json", FIVE, 900) | {"wins": "x"}
    games.table(tmp_path / "othello_games.csv").extend([damaged], print)
    with pytest.raises(UsageError, match="a cell is not the number that it should be"):
        reversi.parts(tmp_path)["reversi_coplay"]()
