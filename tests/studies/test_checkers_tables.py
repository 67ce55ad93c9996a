"""The tables of docs/results/checkers.md, made from a few rows that are written here."""

import sys
from pathlib import Path

import pytest

from jaxgp.errors import UsageError
from jaxgp.measure import games
from jaxgp.store.table import Table
from tests.scripts.commands import SCRIPTS

sys.path.insert(0, str(SCRIPTS))
from tables import checkers

BOOK = checkers.load(SCRIPTS.parent / "docs" / "data").book
AB = "search depth={} evaluator=noise ties=first"
AB3 = AB.format(3)


def met(player, opponent, wins, of=10_000, draws=0, seed=0, **about):
    number = {"games": of, "wins": wins, "draws": draws, "effective": of}
    row = dict.fromkeys(games.COLUMNS, "") | number | {"player": player, "opponent": opponent, "seed": seed}
    return {name: str(value) for name, value in (row | {"game": checkers.LOSE} | about).items()}


def lines(text):
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.split("\n")]


def data(*rows, runs=()):
    return checkers.Data(list(runs), list(rows), BOOK)


def test_tables_without_rows_say_so():
    for name, made in checkers.TABLES.items():
        assert "no rows yet" in made(data()).lower(), name


def test_matches_stand_beside_those_of_the_book():
    same, better = met(AB.format(2), "random", 9_660, draws=20), met(AB.format(3), AB.format(2), 8_900)
    found = {line[0]: line[1:] for line in lines(checkers.ladder(data(same, better)))}
    # Wilson's interval of 0.967 in 10,000 games is 0.9633 to 0.9703.
    assert found["ab2 - random"][:4] == ["9,670 (9,633 to 9,703)", "10,000", "0.2 %", "9,665 (9,628 to 9,699)"]
    assert found["ab2 - random"][4].startswith("no difference")
    assert found["ab3 - ab2"][4].startswith("higher")
    assert found["ab5 - ab3"][0] == "no rows yet"
    assert found["ab5 - ab3"][3].startswith("8,253.5")


def champion(digits, wins, depth=3, opponent=AB3, seed=0, draws=0, **about):
    about = {"title": "best", "run_seed": str(seed)} | about
    return met(f"champion {digits} depth={depth}", opponent, wins, 1000, draws, **about)


def test_champions_are_starred_where_they_exceed_the_book():
    rows = (
        champion("aa", 850, seed=10),
        champion("bb", 790, seed=9, draws=20),
        champion("aa", 990, seed=10, opponent="random"),
    )
    table = lines(checkers.champions(data(*rows), checkers.LOSE, 3))
    assert table[0] == ["champion", "ab3", "ab4", "ab6", "ab8", "random"]
    assert [line[0] for line in table[2:]] == [
        "best, seed 9",
        "best, seed 10",
        "the book's best",
        "exceeded by",
    ]
    assert table[2][1] == "800.0 (774.1 to 823.6); 2 % drawn", "its interval holds 786.5"
    assert table[3][1] == "850.0 (826.5 to 870.8) *; 0 % drawn"
    assert table[3][-1] == "990.0 (981.7 to 994.6); 0 % drawn", "no figure of the book to exceed"
    assert table[4][1:3] == ["786.5", "947.0"]
    assert table[5] == ["exceeded by", "1 of 2", "", "", "", ""]


def test_a_champion_that_exceeds_a_figure_by_chance_alone_gets_no_star():
    # Alone 0.816 exceeds 0.7865: p = 0.023. Beside three other comparisons it does not: 4 * 0.023 > 0.05.
    alone = champion("aa", 816)
    assert "816.0 (790.8 to 838.8) *" in checkers.champions(data(alone), checkers.LOSE, 3)
    others = [champion(name, 787) for name in ("bb", "cc", "dd")]
    assert "816.0 (790.8 to 838.8); 0" in checkers.champions(data(alone, *others), checkers.LOSE, 3)


def test_depths_are_told_apart():
    rows = champion("aa", 500, depth=5, opponent=AB.format(5)), champion("aa", 600, depth=3)
    assert "500.0" in checkers.champions(data(*rows), checkers.LOSE, 5)
    assert "600.0" not in checkers.champions(data(*rows), checkers.LOSE, 5)
    assert (checkers.plies("champion ab12"), checkers.plies(AB.format(3))) == (1, 0)


def test_champions_of_groups_of_runs_are_not_among_the_others():
    rows = [champion("a", 500, depth=1, title="one"), champion("b", 900, depth=1, title="ablation base")]
    names = [line[0] for line in lines(checkers.champions(data(*rows), checkers.LOSE, 1))]
    assert "one, seed 0" in names
    assert not any(name.startswith("ablation") for name in names)


def test_groups_of_runs_are_compared_with_the_base():
    def group(title, scores):
        return [
            champion(f"{title[-1]}{n}", score, depth=1, seed=n, title=f"ablation {title}")
            for n, score in enumerate(scores)
        ]

    rows = [
        *group("base", [700, 710, 720, 730]),
        *group("without", [600, 610, 620, 740]),
        *group("other", [1, 2, 3, 4]),
    ]
    runs = [{"title": "ablation base", "seconds": str(60 * n)} for n in (1, 2, 9)]
    table = lines(checkers.ablation(data(*rows, runs=runs)))
    base, other, without = table[2:]
    assert base[:4] == ["base", "4", "715.0 (700.0 to 730.0)", "2"]
    # 4 of 16 pairs are won by the group; exact p of U = 4 is 0.343. All pairs lost: A12 = 0, p = 2 / 70, times 2.
    assert without[-2:] == ["0.25", "0.343"]
    assert other[-2:] == ["0.00", "0.057"]


def test_a_cell_that_is_no_number_is_one_line(tmp_path):
    table = Table(tmp_path / "checkers_games.csv", games.COLUMNS)
    table.append(champion("aa", 5) | {"wins": "many"})
    (tmp_path / "checkers_book.csv").write_text(Path(SCRIPTS.parent / "docs/data/checkers_book.csv").read_text())
    with pytest.raises(UsageError, match="checkers_lose_3: a cell is not the number that it should be"):
        checkers.parts(tmp_path)["checkers_lose_3"]()


def test_variants_stand_below_the_matches_that_they_vary():
    ours = met(AB3, AB.format(2), 800, 1000)
    turns = met(AB3, AB.format(2), 700, 1000, game="checkers lose=true turns=true")
    ties = met(AB3.replace("first", "random"), AB.format(2).replace("first", "random"), 600, 1000)
    other = met(AB3, AB.format(2), 1, 1000, game="checkers size=10")
    table = lines(checkers.variants(data(ours, turns, ties, other)))
    assert [row[0] for row in table[2:]] == ["none", "ties=random", "turns=true", "the book"]
    assert [row[1].split()[0] for row in table[2:]] == ["8,000", "6,000", "7,000", "8,502"]
    assert table[2][2] == ""
