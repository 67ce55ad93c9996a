"""The tables of speed, and the picture of how costs grow, made from a few rows."""

import pytest

from jaxgp.config import arguments
from jaxgp.store.table import CSVTable
from rivals.timing import COLUMNS
from studies.growth import populations as of_populations
from studies.growth import slopes as study
from tables.speed import rates, slopes

EMPTY = dict.fromkeys(COLUMNS, "") | {
    "load": "0.5", "megahertz": "2445", "processor": "EPYC", "cores": "2", "jax": "0.10.2", "python": "3.11.7",
    "date": "2026-11-28T18:00:00+00:00",
}  # fmt: skip


def ours(part, name, sizes, work, cpu_seconds, **more):
    return EMPTY | {"part": part, "name": name, "sizes": sizes, "unit": "moves/s", "work": str(work), "value": "1",
                    "cpu_seconds": str(cpu_seconds), "best_value": str(work / cpu_seconds)} | more  # fmt: skip


def rival(part, who, beside, against, rate, cpu_ratio, ratio):
    more = {"rival": who, "against": against, "beside": beside, "cpu_ratio": str(cpu_ratio), "ratio": str(ratio)}
    return ours(part, who, "", rate, 1.0, **more)


FREECELL = [
    rival("freecell", "fc-solve", "deals=1 limit=100000", "best first", 1000, 0.02, 0.02),
    rival("freecell", "fc-solve", "deals=256 limit=100000", "best first", 2000, 0.025, 0.03),
]
OTHELLO = [
    rival("othello", "pgx", "batch=1 moves=256", "random legal moves", 3000, 0.5, 0.5),
    rival("othello", "pgx", "batch=1024 moves=256", "random legal moves", 1_000_000, 12, 15),
    rival("othello", "open_spiel", "batch=1024 moves=256", "random legal moves, batch=1024", 130_000, 92.3, 100),
]
SKIPPED = EMPTY | {"part": "othello", "rival": "pgx", "skipped": "pgx is not installed"}


def lines(made):
    return made.splitlines()[2:]


def test_what_rivals_do_faster_comes_with_the_sizes_the_greatest_loss_first():
    assert lines(rates.slower({"performance": [*OTHELLO, SKIPPED, *FREECELL]})) == [
        "| FreeCell: best first (at most 100,000 nodes) | fc-solve | 1 deal to 256 deals | 50 to 40 |",
        "| Othello: random legal moves | Pgx | 1 side by side | 2 |",
    ]


def test_rates_are_those_of_the_largest_size_and_a_rival_without_sizes_is_told_apart_by_ours():
    assert lines(rates.faster({"performance": OTHELLO})) == [
        "| Othello: random legal moves | 1,024 side by side | 12 M moves | Pgx | 1 M | 12 (15) | 1: 0.5 |",
        "| Othello: random legal moves | 1,024 side by side | 12 M moves | OpenSpiel | 130,000 | 92 (100) |  |",
    ]


def test_a_way_of_our_own_is_no_rival():
    plain = rival("interpreter", "plain XLA", "set=bench-arithmetic cases=2 nodes=31", "evaluation", 1e8, 2.5, 2.5)
    found = {"performance": [plain, *OTHELLO]}
    assert "plain XLA" not in rates.faster(found)
    assert lines(rates.ways(found)) == [
        "| Programs: evaluation (+ - * max, 2 cases) | 31 nodes | 250 M moves | plain XLA | 100 M | 2.5 (2.5) |  |"
    ]


def test_a_rival_that_does_it_in_two_ways_has_two_lines():
    against = "games, empty reply table"
    found = [rival("generation", "deap", "depth=8", against, 10, ratio, ratio) | {"name": name}
             for name, ratio in (("games, every reply searched", 36), ("games, empty reply cache", 5.5))]  # fmt: skip
    assert [line.split(" | ")[3] for line in lines(rates.faster({"performance": found}))] == [
        "DEAP, every reply searched", "DEAP, a dictionary of replies"]  # fmt: skip


def test_of_equal_measurements_the_last_one_counts():
    again = rival("freecell", "fc-solve", "deals=1 limit=100000", "best first", 1000, 2.0, 2.0)
    assert lines(rates.slower({"performance": [FREECELL[0], again]})) == []


def test_of_all_sizes_the_one_nearest_to_the_limit_stands_beside_it():
    row = ours("interpreter", "evaluation", "set=mancala-14-zero programs=512 cases=2 nodes=31", 4.9e7, 1.0,
               limit="4.89e8", share="0.1", unit="node evaluations/s")  # fmt: skip
    less = row | {"sizes": "set=mancala-14-zero programs=512 cases=2 nodes=63", "share": "0.05"}
    what = "| Programs: evaluation (set of Kalah, 2 cases) | 31 nodes"
    found = lines(rates.limits({"performance": [less, row, less, *OTHELLO]}))
    assert found == [f"{what} | 49 M node evaluations | 489 M | 10 % |"]


def test_the_machine_is_named_with_its_load():
    busy = OTHELLO[0] | {"load": "1.7"}
    assert lines(rates.machine({"performance": [OTHELLO[0], busy]})) == [
        "| EPYC | 2 | 0.10.2 | 3.11.7 | 2,445 MHz | 0.5 to 1.7 | 2026-11-28 | 2 | Othello |"
    ]


POPULATIONS = [
    dict.fromkeys(of_populations.COLUMNS, "0")
    | {"game": "walls", "options": "", "compile_seconds": "7.4", "population": str(size), "games": str(2 * size),
       "cpu_seconds": str(seconds)}
    for size, seconds in ((64, 0.064), (256, 0.256), (1024, 4.096))
]  # fmt: skip
MOVES = [ours("env", "random legal moves", f"batch={batch} moves=64", 1000, cost) for batch, cost in
         ((4096, 1e-3), (1, 0.1), (64, 1e-3))]  # fmt: skip
NODES = [ours("interpreter", "evaluation", f"set=bench-arithmetic programs=512 cases=2 nodes={nodes}", 10, 1.0)
         for nodes in (15, 31)]  # fmt: skip
ROWS = {"populations": POPULATIONS, "performance": [*MOVES, *NODES]}


def test_slopes_are_those_of_the_cost_of_one_piece_of_work():
    assert lines(slopes.slopes(ROWS)) == [
        "| a game, by population | Walls | 64 to 1,024 | +0.50 | 500 us | 64 | +1.00, 256 to 1,024 |",
        "| a random move, by games side by side | Kalah | 1 to 4,096 | -0.55 | 1 us | 64 | +0.00, 64 to 4,096 |",
    ]


def test_the_picture_has_a_panel_for_each_kind_and_names_slopes(tmp_path):
    for name, columns in (("populations", of_populations.COLUMNS), ("performance", COLUMNS)):
        CSVTable(tmp_path / f"{name}.csv", columns).extend(ROWS[name])
    picture = tmp_path / "made" / "slopes.svg"
    words = [f"data={tmp_path}", f"picture={picture}"]
    assert arguments.main(study.Options, study.task, study.__doc__, words) == 0
    assert picture.read_text("utf-8").count('id="axes_') == 3
    assert [panel.get_legend().get_texts()[0].get_text() for panel in study.draw(ROWS).axes] == [
        "Walls: +0.50", "+ - * max, 2 positions: +0.00", "Kalah: -0.55"]  # fmt: skip


@pytest.mark.parametrize(("word", "said"), [("picture=a.gif", "picture="), ("data=nowhere", "data=")])
def test_what_cannot_be_drawn_is_named(capsys, tmp_path, monkeypatch, word, said):
    monkeypatch.chdir(tmp_path)
    assert arguments.main(study.Options, study.task, study.__doc__, [word]) == 2
    assert said in capsys.readouterr().err
