"""The tables of docs/othello.md, made from a few rows that are written here."""

import sys

import pytest

from jaxgp.errors import UsageError
from jaxgp.measure import games
from tests.scripts.commands import SCRIPTS

sys.path.insert(0, str(SCRIPTS))
from tables import othello

ONE, TWO = othello.UNMET
FIVE, SEVEN = othello.BENCHMARKS


def lines(text):
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.split("\n")]


def met(run, opponent, wins, of=100, player="champion aa", seed=1, **about):
    number = {"games": of, "wins": wins, "draws": 0, "effective": of, "seed": seed}
    row = dict.fromkeys(games.COLUMNS, "") | {"game": "othello", "player": player, "opponent": opponent, "run": run}
    return {name: str(value) for name, value in (row | number | about).items()}


def champions(experiment, *wins):
    """Champions of an experiment, which win so many of 100 games against two plies, and ten more against one."""
    return [
        met(f"champions/othello_{experiment}_{seed}.json", opponent, number + more)
        for seed, number in enumerate(wins)
        for opponent, more in ((ONE, 10), (TWO, 0))
    ]


def data(*rows, made=(), leaves=(), **texts):
    return othello.Data(list(made), list(rows), {key: [] for key in othello.SOURCE} | texts, list(leaves))


def test_tables_without_rows_say_so():
    for name, made in othello.TABLES.items():
        assert "no rows yet" in made(data()).lower(), name


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("docs/data/champions/othello_regions_weights_3.json", "regions_weights"),
        ("outputs/othello/regions/9", "regions"),
        ("docs/reversi_champion.json", ""),
    ],
)
def test_an_experiment_is_named_by_its_files(path, name):
    assert othello.experiment(path) == name


def test_experiments_are_means_over_champions():
    made = [
        {"run": f"outputs/othello/regions/{seed}", "fitness": fitness} for seed, fitness in enumerate(("150", "160.5"))
    ]
    found = {line[0]: line[1:] for line in lines(othello.experiments(data(*champions("regions", 40, 60), made=made)))}
    # Two champions: the interval is 12.706 standard errors of 0.1 to each side, and is not cut at 0 and 1.
    assert found["`othello_regions`"][:2] == ["2", "60.0 % (-67.1 to 187.1)"]
    assert found["`othello_regions`"][2:] == [
        "50.0 % (-77.1 to 177.1)",
        "55.0 % (-72.1 to 182.1)",
        "150.0 to 160.5",
        "3.83 to 7.60",
    ]
    assert found["`othello_noops`"] == ["no rows yet", "", "", "", "", "7.41 to 9.25, one of 69.20"]


def test_a_champion_that_has_not_met_all_opponents_does_not_count():
    rows = champions("regions", 40, 60, 50)[:-1]
    assert othello.points(data(*rows)) == {"regions": pytest.approx([0.45, 0.65])}


def test_pairs_are_one_family():
    low, high = range(20, 30), range(60, 70)
    rows = [*champions("original", *high), *champions("regions", *low), *champions("noops", *low)]
    found = lines(othello.pairs(data(*rows)))[2:]
    # Nobody of ten beats one of ten others: exact p = 2 / C(20, 10) = 0.00001.
    assert [line[:2] + line[3:] for line in found] == [
        ["`original`", "`regions`", "< 0.001", "< 0.001", "higher"],
        ["`original`", "`noops`", "< 0.001", "< 0.001", "higher"],
        ["`regions`", "`noops`", "1.000", "1.000", "no difference shown"],
    ]
    assert "The 3 experiments differ" in othello.brackets(data(*rows))
    assert othello.brackets(data(*rows)).endswith(
        "Without rows: `othello_original_weights`, `othello_regions_weights`."
    )


def test_no_ops_are_counted_in_the_text_of_a_program():
    text = "(+ (B1 (* own (B1 (B0 other)))) own_edges)"
    assert othello.count(text) == othello.Noops(nodes=8, noops=3, above=1, chain=2)
    assert othello.count("own") == othello.Noops(1, 0, 0, 0)
    assert othello.count("(B0 (+ (B1 a1) (B1 (B1 (B10 b1)))))").chain == 3
    found = lines(othello.noops(data(regions=["own", "(B0 own)"], noops=[text])))[2:]
    assert found[0][:5] == ["`othello_regions`", "1 of 2", "1", "1", "1"]
    assert found[1][:5] == ["`othello_noops`", "1 of 1", "3", "1", "2"]


def test_champions_of_reversi_stand_beside_the_source():
    rows = [
        met("docs/reversi_edges.json", FIVE, 900, 1000, "champion bb depth=4"),
        met("docs/reversi_edges.json", SEVEN, 400, 500, "champion bb depth=4"),
        met("champions/othello_regions_0.json", FIVE, 1),
    ]
    found = lines(othello.reversi(data(*rows)))[2:]
    assert found[0] == ["`reversi_edges`", "4", "900.0 (880 to 917)", "1,000", "800.0 (763 to 833)", "500"]
    assert [line[0] for line in found[1:]] == ["eight best runs of the source"]


def test_a_cell_that_is_no_number_is_one_line(tmp_path):
    games.table(tmp_path / "othello_games.csv").extend([champions("regions", 40)[0] | {"wins": "x"}], print)
    with pytest.raises(UsageError, match="a cell is not the number that it should be"):
        othello.parts(tmp_path)["othello_experiments"]()


def test_influence_is_ranked_by_depth_and_place_and_compared_with_programs_without_weights():
    def row(experiment, seed, leaves):
        return {"run": f"champions/othello_{experiment}_{seed}.json", "leaves": leaves}

    rows = [row("original_weights", seed, f"1:90.00 2:{50 + seed}.00 3:10.00") for seed in range(5)]
    rows += [row("original", seed, f"3:10.00 2:40.00 1:{80 + seed}.00 1:20.00") for seed in range(5)]
    rows += [row("original", 5, "1:50.00"), row("original", 6, "1:50.00 1:20.00")]
    head, _, *found = lines(othello.leaves(data(leaves=rows)))
    without, weighted = found
    assert (head[2], head[4]) == ("rho with the depth (95 %)", "rho with the place from the left (95 %)")
    # Depths 3, 2, 1.5 and 1.5 by rank 4, 3, 1.5, 1.5 beside influences by rank 1, 3, 4, 2: r = -4 / sqrt(4.5 * 5) ...
    assert without[:2] == ["`othello_original`", "5"]
    assert without[2].startswith("-0.63")
    assert without[4].startswith("+0.40")
    assert weighted[:3] == ["`othello_original_weights`", "5", "-1.00 (-1.00 to -1.00)"]
    assert weighted[3].startswith("0.00 (0.00 to 0.00), p = 0.0")
    assert weighted[4] == "-1.00 (-1.00 to -1.00)"
