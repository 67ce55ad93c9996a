"""The tables of docs/results/othello.md, made from a few rows that are written here."""

import sys

import pytest

from jaxgp.errors import UsageError
from jaxgp.measure import games
from tests.scripts.commands import SCRIPTS

sys.path.insert(0, str(SCRIPTS))
from tables import othello

ONE, TWO = othello.UNMET


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


def data(*rows, made=(), leaves=(), curves=(), **texts):
    every = {key: [] for key in othello.SOURCE} | texts
    return othello.Data(list(made), list(rows), every, list(leaves), list(curves))


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


def test_learning_curves_are_means_of_the_best_so_far():
    def run(seed, *fitness):
        about = {"title": "Othello, regions", "seed": seed}
        return [
            about | {"generation": place, "evaluations": 10 * (place + 1), "fitness": value}
            for place, value in enumerate(fitness)
        ]

    rows = [*run(0, 100, 165, 120, 100, 100, 100), *run(1, 100, 105, 120, 100, 100, 100)]
    # After five generations the best are 165 and 120: the standard error is 22.5, and 12.706 of them a side.
    assert lines(othello.learned(data(curves=rows)))[2] == [
        *("`regions`", "2", "100.0 (100.0 to 100.0)", "142.5 (-143.4 to 428.4)", "", "", ""),
    ]
    # One run has 160 after 20 games, the other does not in 60: 80 games for one success.
    first, second = lines(othello.reached(data(curves=rows)))[2:]
    assert first[1:3] == ["fitness 160", "1 of 2"]
    assert first[3].startswith("80 (20 to ")
    assert second[1:4] == ["fitness 170", "0 of 2", "not known"]


def test_no_ops_are_counted_in_the_text_of_a_program():
    text = "(+ (B1 (* own (B1 (B0 other)))) own_edges)"
    assert othello.count(text) == othello.Noops(nodes=8, noops=3, above=1, chain=2)
    assert othello.count("own") == othello.Noops(1, 0, 0, 0)
    assert othello.count("(B0 (+ (B1 a1) (B1 (B1 (B10 b1)))))").chain == 3
    found = lines(othello.noops(data(regions=["own", "(B0 own)"], noops=[text])))[2:]
    assert found[0][:5] == ["`othello_regions`", "1 of 2", "1", "1", "1"]
    assert found[1][:5] == ["`othello_noops`", "1 of 1", "3", "1", "2"]


def test_harder_training_stands_beside_training_against_the_panel():
    rows = [*champions("original", 40, 60), *champions("original_coplay", 70, 90)]
    rows += [*champions("original_weights_coplay", 10, 20)]
    plain, weighted = lines(othello.harder(data(*rows)))[2:]
    assert [cell.split(" (")[0] for cell in plain] == ["`othello_original`", "2", "55.0 %", "85.0 %"]
    assert [cell.split(" (")[0] for cell in weighted] == ["`othello_original_weights`", "2", "", "20.0 %"]
    found = [line[:2] for line in lines(othello.harder_pairs(data(*rows)))[2:]]
    assert found == [["`original_weights_coplay`", "`original_coplay`"], ["`original_coplay`", "`original`"]]


def test_few_features_are_compared_with_weights_elsewhere():
    rows = [*champions("few", 40, 60), *champions("few_weights", 50, 70), *champions("regions_weights", 20, 30)]
    assert [line[:2] for line in lines(othello.few(data(*rows)))[2:]] == [["few", "2"], ["few, with weights", "2"]]
    found = [line[:2] for line in lines(othello.few_pairs(data(*rows)))[2:]]
    assert found == [["`few_weights`", "`few`"], ["`few_weights`", "`regions_weights`"]]


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
