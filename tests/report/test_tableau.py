import io

from jaxgp.kinds.coplay import CoplayFitnessOptions
from jaxgp.kinds.panel import PanelFitnessOptions
from jaxgp.report.progress import Progress, duration, line, number, print_pairs
from jaxgp.report.tableau import tableau
from jaxgp.seats.options import guide, opponent
from tests.run.toy_experiment import PRIMITIVES, config

ROW = {
    "generation": 4,
    "best_fitness": 6520.0,
    "mean_fitness": 3010.25,
    "best_points": 66.0,
    "best_points_first": 41.0,
    "best_points_second": 25.0,
    "best_size": 80,
    "mean_size": 99.5,
    "table_hit_rate": 0.875,
    "evaluations": 1024,
    "seconds": 2.0,
    "elapsed": 10.0,
}


def test_the_tableau_of_the_study():
    run = config()
    run.algorithm.population, run.algorithm.generations = 512, 150
    run.fitness.opponents["minimax"].depth = 8
    run.fitness.scale, run.fitness.parsimony, run.fitness.minimum = 100.0, 1.0, 1.0
    rows = dict(tableau(run, PRIMITIVES))
    assert rows["objective"] == "play mancala well against a search of 8 plies (first of the best moves)"
    assert rows["terminal set"] == "INT: a whole number from 0 to 99"
    assert rows["function set"] == "ADD"
    assert rows["fitness"] == "100 * (score moving first + score moving second) - number of nodes, at least 1"
    assert rows["population size"] == "512"
    assert rows["crossover probability"].startswith("90 percent")
    assert rows["mutation probability"].startswith("0.5 percent")
    assert rows["selection"] == "roulette wheel"
    assert rows["maximum number of generations"] == "150"
    assert rows["maximum depth of tree"].startswith("unlimited")
    assert rows["elitism"] == "the best 1"
    assert rows["maximum mutation depth"] == "20"


def test_every_choice_has_words():
    run = config()
    run.title = "Named"
    run.fitness.points = "result"
    run.fitness.parsimony = 0.5
    for kind in ("search", "random", "strategy"):
        run.fitness.opponents[kind] = opponent(kind, games=3)
    for kind in ("program", "champion"):
        run.fitness.opponents[kind] = opponent(kind, count=2, games=3)
    for method in ("roulette", "rank", "tournament", "truncation"):
        run.algorithm.selection.method = method
        rows = dict(tableau(run, PRIMITIVES))
        assert rows["title"] == "Named"
        assert "2 random players, 3 games from each seat" in rows["objective"]
        assert rows["fitness"].startswith("mean over the opponents of result moving first")
        assert rows["fitness"].endswith("- 0.5 * number of nodes")


def test_coevolution_is_told_apart_from_what_its_best_are_measured_by():
    run = config()
    panel = {"panel": opponent(depth=3, evaluator="a|b|c", games=10)}
    run.fitness = CoplayFitnessOptions(opponents=panel, games=25, points="result", scale=50.0)
    rows = dict(tableau(run, PRIMITIVES))
    assert rows["objective"] == "play mancala well against others of the population"
    met = "points of 25 games from each seat against others of the population (1 win, 1/2 draw, 0 loss)"
    assert rows["fitness"] == met
    assert rows["best of each generation measured by"] == (
        "50 * (result moving first + result moving second (1 win, 1/2 draw, 0 loss)), against a search of 3 plies "
        "(first of the best moves, by a, b or c, drawn anew for every move), 10 games from each seat"
    )
    run.fitness.games, run.fitness.weight = 1, 2.0
    run.fitness.guides = {
        "plain": guide("random"),
        "hard": guide(depth=1, ties="random", evaluator="a", games=2, rounds=3, cutoff=0.5, weight=4.0),
    }
    assert dict(tableau(run, PRIMITIVES))["fitness"] == (
        "2 * points of 1 game from each seat against others of the population (1 win, 1/2 draw, 0 loss) "
        "+ points of games against random moves "
        "+ 4 * points of 3 rounds of games against a search of 1 ply (any of the best moves, by a), "
        "2 games from each seat (of those whose fitness is not more than 0.5 below the best)"
    )
    run.fitness.opening_plies = 4
    assert "of the population, each after 4 random moves (1 win" in dict(tableau(run, PRIMITIVES))["fitness"]
    run.fitness.measured, run.fitness.measured_depth = 3, 4
    said = dict(tableau(run, PRIMITIVES))["3 best of each generation measured by"]
    assert "0 loss)), searching 4 plies against a search of 3 plies" in said
    run.fitness = PanelFitnessOptions(opponents=panel, opening_plies=4)
    assert "champion" not in dict(tableau(run, PRIMITIVES))
    assert dict(tableau(run, PRIMITIVES))["fitness"].endswith("; games begin with 4 random moves")


def test_one_line_says_all():
    assert line(ROW, 150) == (
        "generation 4 (5/150): fitness best 6,520, mean 3,010; points best 66 (first 41, second 25); "
        "nodes best 80, mean 99.5; replies from table 87.5 percent; evaluations 512 per second; 2.00 s"
    )
    said = line({**ROW, "best_standing": 51.5}, 150)
    assert "fitness best 6,520, mean 3,010; against the panel 51.5; points best 66" in said
    assert line({"generation": 0, "seconds": 0.0, "elapsed": 0.0}, 1).startswith("generation 0 (1/1): fitness best -")


def test_plain_progress_is_one_line_a_generation():
    stream = io.StringIO()
    with Progress(150, stream) as progress:
        progress.begin(None)
        progress.update(ROW)
        progress.say("saved [a]")
    assert stream.getvalue() == line(ROW, 150) + "\nsaved [a]\n"


def test_live_progress_shows_bar_and_time_left():
    stream = io.StringIO()
    with Progress(15, stream, live=True) as progress:
        progress.begin(None)
        progress.update(ROW)
    shown = stream.getvalue()
    assert "generation 4 (5 of 15)" in shown
    assert "0:10 gone, 0:20 left" in shown
    assert "best 66 (first 41, second 25)" in shown


def test_numbers_and_times():
    written = " ".join(map(number, (None, 3.0, 0.975, 2.5, 2.55, 12.34, 1234.5, -0.25)))
    assert written == "- 3 0.97 2.50 2.55 12.3 1,234 -0.25"
    assert [duration(x) for x in (-1, 59.6, 3599, 3661)] == ["0:00", "1:00", "59:59", "1:01:01"]


def test_a_table_in_a_file_is_plain():
    stream = io.StringIO()
    print_pairs("Title", [("a", "[b]")], stream)
    assert stream.getvalue() == "Title\n  a: [b]\n"
