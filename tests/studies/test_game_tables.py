"""Tables of the documents of games, made from a few rows that are written here."""

import pytest

from jaxgp.measure import games
from jaxgp.store import runs
from jaxgp.study import curves
from tables import checkers, islands, kalah, mancala, othello, reversi, walls
from tables.boards import backgammon, chess
from tables.puzzles import morpion


def lines(text):
    """The cells of a table without its head."""
    text = text.replace("\\|", "/")
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.split("\n")][2:]


def met(player="", opponent="", wins=0, of=1000, **about):
    """A row of games that were all independent."""
    number = {"games": of, "wins": wins, "draws": 0, "effective": of, "seed": 0}
    row = dict.fromkeys(games.COLUMNS, "") | number | {"player": player, "opponent": opponent} | about
    return {name: str(value) for name, value in row.items()}


def went(title, number, points, sizes=(10, 20, 30)):
    """Rows of a run's generations."""
    rows = []
    for at, (found, size) in enumerate(zip(points, sizes, strict=False)):
        row = dict.fromkeys(curves.COLUMNS, "") | {"title": title, "seed": number, "generation": at}
        row |= {"evaluations": 100 * (at + 1), "points": found, "mean_size": size}
        rows.append({name: str(value) for name, value in row.items()})
    return rows


# Mancala


def test_games_until_a_target_count_those_of_runs_without_it():
    rows = [
        {"run": run, "seed": str(number), "generations": "150", "both_won_from": won}
        for run, number, won in (("run1", 0, ""), ("run2", 0, ""), ("default", 0, "0"), ("default", 1, "9"))
    ]
    went_on = [*went("run 2", 0, (49, 50, 50)), *went("run 2", 1, (1, 2, 3))]
    went_on += [*went("run 1", 0, (1,)), *went(mancala.WITHOUT, 0, (1,))]
    made = mancala.expected({"mancala_seeds": rows, "mancala_curves": went_on})
    found = {tuple(line[:2]): line[2:] for line in lines(made)}
    assert found["default", "the search beaten from both seats"][0] == "2 of 2"
    assert found["default", "the search beaten from both seats"][1].startswith("5,632 (1,024 to ")
    assert found["run 1", "the search beaten from both seats"] == ["0 of 1", "not known", "153,600"]
    assert found["run 2", "50 points, as 27 + 23"][1].startswith("500 (200 to no upper end")
    assert found["run 2", "51 points or more"] == ["0 of 2", "not known", "600"]


def test_groups_of_the_ablation_are_compared_in_the_last_generation_of_all():
    groups = {
        "ablation default": [(50, 56 + n, 99) for n in range(5)],
        "ablation no power": [(20, 30 + n) for n in range(5)],
        "ablation same": [(50, 56 + n) for n in range(5)],
    }
    rows = [row for title, some in groups.items() for n, best in enumerate(some) for row in went(title, n, best)]
    for row in rows:
        row["beaten"] = str(int(float(row["points"]) > 55))
    found = {line[0]: line[1:] for line in lines(mancala.ablation({"mancala_curves": rows}))}
    assert found["default"][:2] == ["5", "58.0 (56 to 60)"]
    assert found["default"][3:] == ["5 of 5 (57 to 100 %)", "200 (200 to 200)", "", ""]
    assert found["no power"][3:5] == ["0 of 5 (0 to 43 %)", "not known"]
    assert found["no power"][5].startswith("0.00 (")
    assert float(found["no power"][6]) == pytest.approx(2 * 0.0079, abs=0.001), "two tests, corrected"
    assert found["same"][5].startswith("0.50 (")


def test_points_of_two_measurements_are_pooled_with_their_spread():
    def row(seed, points, spread):
        about = {"title": mancala.LEAVES, "run_seed": 0, "seed": seed}
        for seat in mancala.SEATS:
            about |= {f"points_{seat}": points, f"spread_{seat}": spread}
        return met("champion a depth=2", kalah.BENCHMARK, 500, 2000, **about)

    (line,) = lines(kalah.general({"mancala_games": [row(0, 25, 10), row(1, 27, 0)]}))
    assert line[:3] == ["8 plies, random ties", "seed 0, 2 plies", "4,000"]
    assert line[4] == "26.0 (25.7 to 26.3)", "the spread of 2,000 games, half at 25 +- 10 and half at 27"


# Walls


def test_an_exponent_with_a_wide_interval_is_no_formula():
    def times(player, *milliseconds):
        return [{"player": player, "size": n, "median": str(ms)} for n, ms in zip("357", milliseconds, strict=True)]

    rows = times("exact", 9000, 25000, 49000) + times("wild", 1, 100, 3)
    found = {line[0]: line[1:] for line in lines(walls.laws({"walls_times": rows}))}
    assert found["exact"] == ["2.00 (2.00 to 2.00)", "1.000", found["exact"][2], "1 N^2.00"]
    assert found["wild"][-1] == "none: the interval is wider than 1"


def test_runs_of_walls_are_shown_with_the_games_that_a_success_takes():
    rows = []
    for seed, cycles in enumerate((2, 3)):
        some = went("Walls N = 5", seed, [0] * cycles, [20 + seed] * cycles)
        rows += [row | {"beaten": str(int(at == cycles - 1))} for at, row in enumerate(some)]
    (found,) = lines(walls.evolved({"walls_curves": rows}, "Walls N = "))
    assert found[:5] == ["5", "2 of 2 (34 to 100 %)", "2.5 (2 to 3)", "250 (200 to 300)", "2 to 3"]
    assert found[5].startswith("20.5 (")


def test_rules_that_fire_are_means_over_champions():
    def row(fires, choices, best):
        about = {"title": "N = 3", "opponent": "fixed", "rules": "10", "moves": "50", "default": "5", "fires": fires}
        return about | {"choices": choices, "optimal_choices": best}

    (found,) = lines(walls.fired({"walls_rules": [row("1:25 2:20", "8", "6"), row("3:45", "10", "10")]}))
    assert found[:3] == ["N = 3", "2", "fixed"]
    assert [cell.split(" ")[0] for cell in found[3:6]] == ["15.0", "70.0", "10.0"]
    assert found[6].endswith("; 75 to 100")


# Checkers

AB3 = "search depth=3 evaluator=noise ties=first"
BOOK = [
    {"table": "3.7", "game": checkers.LOSE, "player": "champion depth=3", "opponent": AB3}
    | {"points": "786.5", "games": "1000"}
]


def champion(digits, wins, depth=3, seed=0, **about):
    about = {"title": "best", "run_seed": str(seed), "game": checkers.LOSE} | about
    return met(f"champion {digits} depth={depth}", AB3, wins, **about)


def shown(*rows):
    return lines(checkers.champions({"checkers_games": rows, "checkers_book": BOOK}, checkers.LOSE, 3))


def test_champions_are_starred_where_they_exceed_the_book():
    rows = champion("aa", 850, seed=10), champion("bb", 790, seed=9), champion("cc", 999, depth=5)
    assert shown(*rows) == [
        ["best, seed 9", "790.0 (763.7 to 814.1); 0 % drawn"],
        ["best, seed 10", "850.0 (826.5 to 870.8) *; 0 % drawn"],
        ["the book's best", "786.5"],
        ["exceeded by", "1 of 2"],
    ]


def test_a_champion_that_exceeds_a_figure_by_chance_alone_gets_no_star():
    # Alone 0.816 exceeds 0.7865: p = 0.023. Beside three other comparisons it does not: 4 * 0.023 > 0.05.
    alone = champion("aa", 816)
    assert "*" in shown(alone)[0][1]
    assert "*" not in shown(alone, *(champion(name, 787) for name in ("bb", "cc", "dd")))[0][1]


def test_champions_that_were_played_by_another_draw_rule_stand_beside_their_games_by_the_usual_one():
    rows = champion("aa", 790), champion("bb", 700), champion("aa", 800, game=f"{checkers.LOSE} quiet_plies=100")
    assert lines(checkers.quiet({"checkers_games": rows}, checkers.LOSE, AB3)) == [
        ["best, seed 0", "790.0 (763.7 to 814.1); 0 % of 1,000 drawn", "800.0 (774.1 to 823.6); 0 % of 1,000 drawn"]
    ]


def test_groups_of_runs_are_compared_with_the_base():
    groups = {"base": [700, 710, 720, 730], "without": [600, 610, 620, 740], "other": [1, 2, 3, 4]}
    rows = [
        champion(f"{title}{n}", score, depth=1, seed=n, title=f"ablation {title}")
        for title, scores in groups.items()
        for n, score in enumerate(scores)
    ]
    made = [{"title": f"ablation {title}", "seconds": str(60 * n)} for title in groups for n in (1, 2, 9)]
    base, other, without = lines(checkers.ablation({"checkers_games": rows, "checkers_runs": made}))
    assert base[:4] == ["base", "4", "715.0 (700.0 to 730.0)", "2"]
    # 4 of 16 pairs are won by the group; exact p of U = 4 is 0.343. All pairs lost: A12 = 0, p = 2 / 70, times 2.
    assert without[-2:] == ["0.25", "0.343"]
    assert other[-2:] == ["0.00", "0.057"]


# Othello and Reversi


def met_by(name, *wins):
    """Champions of an experiment, which win so many of 100 games against two plies, and ten more against one."""
    return [
        met("champion aa", opponent, number + more, 100, run=f"champions/othello_{name}.jsonl#{seed}")
        for seed, number in enumerate(wins)
        for opponent, more in zip(othello.UNMET, (10, 0), strict=True)
    ]


def test_a_champion_that_has_not_met_all_opponents_does_not_count():
    rows = met_by("regions", 40, 60, 50)[:-1]
    assert othello.points({"othello_games": rows}) == {"regions": pytest.approx([0.45, 0.65])}


def test_pairs_of_experiments_are_one_family():
    rows = [*met_by("original", *range(60, 70)), *met_by("regions", *range(20, 30)), *met_by("noops", *range(20, 30))]
    asked = [("original", "regions"), ("original", "noops"), ("regions", "noops")]
    # Nobody of ten beats one of ten others: exact p = 2 / C(20, 10) = 0.00001.
    assert [line[:2] + line[3:] for line in lines(othello.compare_pairs({"othello_games": rows}, asked))] == [
        ["`original`", "`regions`", "< 0.001", "< 0.001", "higher"],
        ["`original`", "`noops`", "< 0.001", "< 0.001", "higher"],
        ["`regions`", "`noops`", "1.000", "1.000", "no difference shown"],
    ]


def test_no_ops_are_counted_in_the_text_of_a_program():
    text = "(+ (B1 (* own (B1 (B0 other)))) own_edges)"
    assert othello.count(text) == othello.Noops(nodes=8, noops=3, above=1, chain=2)
    assert othello.count("own") == othello.Noops(1, 0, 0, 0)
    assert othello.count("(B0 (+ (B1 a1) (B1 (B1 (B10 b1)))))").chain == 3


def test_influence_is_ranked_by_depth_and_place():
    # Depths 3, 2, 1.5 and 1.5 by rank 4, 3, 1.5, 1.5 beside influences by rank 1, 3, 4, 2.
    assert othello.correlate_ranks({"leaves": "3:10.00 2:40.00 1:80.00 1:20.00"}) == pytest.approx(
        [-0.6325, 0.4], abs=1e-4
    )
    assert othello.correlate_ranks({"leaves": "1:50.00 1:20.00"}) == []


def test_runs_are_compared_with_the_source_and_both_tests_are_one_family():
    rows, book = [], []
    for seed in range(4):
        for opponent, wins, theirs in zip(reversi.BENCHMARKS, (990, 500), (900, 501), strict=True):
            about = {"run": f"champions/reversi_40co.jsonl#{seed}"}
            rows.append(met(f"champion {seed} depth=4", opponent, wins + seed, **about))
            points = {"points": str(theirs + seed), "games": "1000"}
            book.append({"table": "3.12", "player": f"r{seed}", "opponent": opponent} | points)
    five, seven = lines(reversi.beside({"othello_games": rows, "reversi_book": book}))
    assert five[:2] == ["5 plies", "4: 991.5 (989.4 to 993.6)"]
    # All of four above all of four others: p = 2 / C(8, 4) = 0.029, twice that after Holm.
    assert five[3:] == ["1.00 (1.00 to 1.00)", "0.057"]
    assert seven[2] == "4: 502.5 (500.4 to 504.6)"
    assert seven[3].startswith("0.28")


# Islands and backgammon


def test_champions_of_both_arrangements_are_compared():
    def champions(name, wins, opponents=("one",)):
        return [
            met(opponent=opponent, wins=number, of=100, run=f"docs/data/champions/{name}.jsonl#{seed}")
            for seed, number in enumerate(wins)
            for opponent in opponents
        ]

    rows = champions("othello_islands", (60, 62)) + champions("othello_original", (50, 50), ("one", "two"))
    rows += [row for name in islands.PAIRS["backgammon"] for row in champions(name, (50, 51))]
    found = lines(islands.islands({"islands_games": rows, "othello_games": []}))
    assert found[0][:4] == ["Othello", "2 and 2", "61.0 % (48.3 to 73.7)", "50.0 % (50.0 to 50.0)"]
    assert found[0][4].startswith("1.00 ")
    assert found[1][4].startswith("0.50 ")


def test_runs_of_backgammon_are_listed_by_seed_and_the_last_is_compared_with_the_others():
    rows = [
        met("champion 1", backgammon.PUBEVAL, wins + 30 * (name == backgammon.LEARNING), 100)
        | {"experiment": name, "run_seed": str(seed), "seed": backgammon.SEED}
        for name in backgammon.EXPERIMENTS
        for seed, wins in ((1, 40), (0, 20))
    ]
    rows += [rows[0] | {"wins": "99", "seed": "5"}, rows[0] | {"wins": "99", "opponent": "random"}]
    rows.append(met(backgammon.NETWORK, backgammon.PUBEVAL, 12000, 20000, low=0.5, high=0.7))
    data = {"backgammon_games": rows}
    found = lines(backgammon.experiments(data))
    assert found[-3][2:] == ["20.0, 40.0", "30.0 (-97.1 to 157.1) %"]
    assert found[-2][2:] == ["50.0, 70.0", "60.0 (-67.1 to 187.1) %"]
    assert found[-1][2] == "60.0 % (50.0 to 70.0)"
    # Two runs beside two: p = 1/3, times as many comparisons as there are.
    assert [line[1:] for line in lines(backgammon.comparisons(data))] == [["1.00", "1.000"]] * (len(found) - 2)


def test_a_file_of_champions_names_their_experiment_where_no_run_does():
    name = backgammon.LEARNING
    rows = [
        met("champion", backgammon.PUBEVAL, wins, 100, run=f"docs/data/champions/{name}.jsonl#{seed}")
        | {"experiment": "", "run_seed": str(seed), "seed": backgammon.SEED}
        for seed, wins in ((1, 40), (0, 20))
    ]
    assert backgammon.by_experiment({"backgammon_games": rows})[name] == [20.0, 40.0]


# Morpion Solitaire


def made(experiment, scores, **about):
    row = dict.fromkeys(runs.COLUMNS, "") | {"experiment": experiment} | about
    return [row | {"seed": str(seed), "fitness": str(score)} for seed, score in enumerate(scores)]


def test_runs_of_morpion_are_compared_as_one_family_by_their_size():
    rows = made("morpion_closest", range(90, 96))
    rows += made("morpion_closest", range(100, 106), population="2048")
    rows += made("morpion_closest", range(90, 96), generations="102")
    found = lines(morpion.larger({"morpion_runs": rows, "morpion_scores": []}))
    assert [line[:2] for line in found] == [
        ["1,024 individuals, 51 generations", "6"],
        ["2,048 individuals, 51 generations", "6"],
        ["1,024 individuals, 102 generations", "6"],
    ]
    assert found[0][2:] == ["92.5 (90.5 to 94.5)", "95", ""]
    # All of six above all of six others: p = 2 / C(12, 6) = 0.0022, twice that after Holm.
    assert found[1][4] == "1.00 (1.00 to 1.00), p = 0.004 *"
    assert found[2][4].endswith("p = 1.000")


def test_of_two_rows_of_one_seed_that_of_the_run_counts():
    old = [
        {"experiment": "morpion_points", "seed": str(seed), "score": str(score)} for seed, score in ((0, 84), (1, 85))
    ]
    data = {"morpion_scores": old, "morpion_runs": made("morpion_points", [90])}
    assert morpion.scores(data) == {"morpion_points": {0: 90, 1: 85}}


# Chess


def test_runs_of_a_kind_share_a_line_whose_interval_is_that_of_the_runs():
    def row(player, score, won):
        ends = {"won": won, "ahead": 0, "drawn": 100 - won, "behind": 0, "lost": 0}
        return {"endgame": "KQKQ", "player": player, "opponent": "master", "seed": "0", "games": "100", **ends} | {
            "score": str(score), "low": "-0.01", "high": "0.51"
        }  # fmt: skip

    champion = "docs/data/champions/chess_truth_kqkq.jsonl#"
    rows = [row(champion + "0", 0.5, 0), row(champion + "1", 0.6, 20), row("gpec190", 0.25, 0)]
    two, one = lines(chess.by_book({"chess_book": rows}))
    assert two[:5] == ["KQKQ", "table-taught on KQKQ", "`master`", "200", "10"]
    assert two[-2:] == ["0.500, 0.600", "0.550 (0.000 to 1.000)"]  # t is 12.7 with two runs
    assert one[-2:] == ["0.250", "0.250 (0.000 to 0.510)"]


def test_curves_show_generations_that_met_the_engine_and_the_champion():
    def row(run, generation, opponent, score):
        of = {"run": f"outputs/chess/book/kqkq/{run}", "endgame": "KQKQ", "opponent": opponent, "low": "0", "high": "1"}
        return of | {"generation": str(generation), "score": str(score)}

    rows = [row(0, at, "master", at / 100) for at in (10, 20, 30)]
    rows += [row(0, 10, "stockfish nodes 10", 0), row(0, 30, "stockfish nodes 10", 0.25), row(1, 20, "master", 0.5)]
    assert lines(chess.curves({"chess_curves": rows})) == [
        ["KQKQ", "0", "`master`", "0.100", "30", "0.300 (0.000 to 1.000)"],
        ["KQKQ", "0", "Stockfish, 10 nodes", "0.000", "30", "0.250 (0.000 to 1.000)"],
        ["KQKQ", "1", "`master`", "", "20", "0.500 (0.000 to 1.000)"],
    ]
