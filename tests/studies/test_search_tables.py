"""Tables of documents that are made from searches of puzzles."""

from types import SimpleNamespace

import pytest

from jaxgp.errors import UsageError
from tables.puzzles import freecell, rush_hour, searches

FIRST, SECOND = "1" * 16, "2" * 16
"""Digests of the champions of seeds 0 and 1."""


def searched(instance, order, nodes, moves, genome="", search="greedy"):
    about = {"state": instance * 16, "limit": 100, "game": "g", "program": f"role=r search={search}", "suite": "s"}
    found = {
        "solved": int(moves is not None),
        "nodes": nodes,
        "expanded": None,
        "moves": moves,
        "seconds": 0.5,
        "jaxgp": "0",
    }
    row = {"instance": instance, "order": order, "genome": genome, **about, **found}
    return {name: "" if value is None else str(value) for name, value in row.items()}


def run(experiment, seed, champion, fitness=0.5):
    return {"experiment": experiment, "seed": str(seed), "champion": champion, "fitness": str(fitness)}


@pytest.fixture
def data():
    """Boards a and b: blind 100 and 50 nodes, H1 half of them; the second champion has not met b."""
    rows = [
        *(searched("a", "blind", 100, 9), searched("b", "blind", 50, 9)),
        *(searched("a", "H1", 50, 7), searched("b", "H1", 25, 8)),
        *(searched("a", "champion", 10, 12, FIRST), searched("b", "champion", 20, None, FIRST)),
        searched("a", "champion", 30, 5, SECOND),
        searched("b", "champion", 1, 1, SECOND, search="astar"),
    ]
    return searches.Searches([rows], [run("policy", 1, SECOND, 0.9), run("policy", 0, FIRST, 0.8)])


def test_searches_are_found_by_order_genome_search_and_limit(data):
    asked = searches.Asked("greedy", 100, ("b", "a"))
    assert data.searched(asked, "H1").nodes.tolist() == [25, 50]
    assert data.searched(asked, "champion", FIRST).solved.tolist() == [False, True]
    assert data.searched(asked, "champion", SECOND) is None  # b was searched by astar
    assert data.searched(asked._replace(limit=51), "H1").nodes.tolist() == [25, 50], "solutions below the limit"
    assert data.searched(asked._replace(limit=50), "H1") is None
    assert [one.seed for one in data.champions("policy")] == [0, 1]


def test_a_solution_counts_with_a_higher_limit_as_well_and_giving_up_does_not(data):
    asked = searches.Asked("greedy", 200, ("b", "a"))
    assert data.searched(asked, "H1").nodes.tolist() == [25, 50]
    assert data.searched(asked, "champion", FIRST) is None


def test_searches_that_differ_in_what_no_table_names_are_refused(data):
    other = searched("a", "H1", 51, 7) | {"program": "role=r search=greedy room=8"}
    both = searches.Searches([[searched("a", "H1", 50, 7)], [other]], [])
    with pytest.raises(UsageError, match=r"^two searches of a by H1 differ, one of them with .*room=8$"):
        both.searched(searches.Asked("greedy", 100, ("a",)), "H1")


def test_a_share_counts_a_search_without_a_solution_as_at_least_all_of_the_nodes(data):
    found = data.figures(searches.Asked("greedy", 100, ("a", "b")), "champion", FIRST, "blind")
    assert found.share == pytest.approx((0.1 + 1) / 2)
    assert found.solved == 1
    assert found.length == 12


def test_the_table_of_shares_has_a_line_for_each_order_and_each_champion(data):
    column = SimpleNamespace(asked=searches.Asked("greedy", 100, ("a",)), title="one board")
    made = rush_hour.shares(data, [column], ["H1", "H2"], {"policy": "champion"}, {"H1": "72 %", "champion": "40 %"})
    assert made.splitlines() == [
        "| order of moves | one board | the book |",
        "| --- | --- | --- |",
        "| H1 | 50.0 %; 1; 7.0 | 72 % |",
        "| H2 | no rows yet |  |",
        "| champion, seed 0 | 10.0 %; 1; 12.0 |  |",
        "| champion, seed 1 | 30.0 %; 1; 5.0 |  |",
        "| champion, chosen in training: seed 1 | 30.0 %; 1; 5.0 | 40 % |",
        "| champion, mean of 2 | 20.0 % (-107.1 to 147.1); 1.0; 8.5 |  |",
    ]


def test_of_champions_that_are_equal_in_training_the_first_seed_is_chosen():
    runs = [
        run("policy", seed, digest, fitness) for seed, digest, fitness in ((3, "c", 0.7), (1, "a", 0.9), (2, "b", 0.9))
    ]
    assert searches.Searches([], runs).chosen("policy").seed == 1
    assert searches.Searches([], runs).chosen("heuristic") is None


def test_the_macro_is_compared_board_by_board_within_its_limit(data):
    """Without it H1 takes 50 and 25 nodes, with it 25 each; the limit cuts the first search without it at 40."""
    rows = [searched("a", "H1", 25, 6) | {"limit": "40"}, searched("b", "H1", 25, 7) | {"limit": "40"}]
    asked = searches.Asked("greedy", 40, ("a", "b"))
    macro, column = searches.Searches([rows], []), SimpleNamespace(asked=asked)
    made = rush_hour.beside_macro(data, macro, column, ["H1"], "policy", most=100)
    assert made.splitlines()[-1].startswith("| H1 | 1 | 2 | 79.1 %")  # sqrt(25 / 40)
    assert made.splitlines()[-1].endswith("| 1, 0 | 1.000 |")


def test_an_experiment_without_runs_has_no_line(data):
    column = SimpleNamespace(asked=searches.Asked("greedy", 100, ("a",)), title="one board")
    made = rush_hour.shares(data, [column], [], {"none": "champion"}, {})
    assert made.splitlines()[-1] == "| --- | --- |"


def test_a_row_that_no_search_writes_is_named(data):
    with pytest.raises(ValueError, match="the row of a by H1: solved=2, moves=7"):
        searches.Searches([[searched("a", "H1", 50, 7) | {"solved": "2"}]], [])


def test_evolving_deals_are_compared_with_random_ones_by_champions_on_deals_for_testing():
    """Six seeds each; with evolving deals a champion solves both test deals, with random ones the first of them."""
    rows, champions = [], []
    for evolving in (True, False):
        for seed in range(6):
            genome = f"{int(evolving)}{seed}".ljust(16, "0")
            experiment = "freecell_short" if evolving else "freecell_short_fixed"
            champions.append(run(experiment, seed, genome))
            for deal, moves in (("1", 9), ("2", 9 if evolving else None)):
                found = searched(deal, "champion", 100 + seed if moves else 3000, moves, genome)
                rows.append(found | {"state": deal * 16, "limit": "3000"})
    data = searches.Searches([rows], champions)
    *_, solved, nodes = freecell.evolving(data, "1-2").splitlines()
    assert solved.split(" | ")[1:4] == ["100.0 (100.0 to 100.0)", "50.0 (50.0 to 50.0)", "1.00 (1.00 to 1.00)"]
    assert nodes.split(" | ")[1:4] == ["102.5 (100.0 to 105.0)", "1,551.2 (1,550.0 to 1,552.5)", "0.00 (0.00 to 0.00)"]
    assert freecell.evolving(data, "1-3") == searches.NONE


def test_a_pair_of_champions_is_a_line_and_the_second_one_gets_what_the_first_one_missed():
    """Deal 31 is for testing, and solved by the first champion; 32 is for training, and solved by the second one."""
    about = {"31": {"state": "a" * 16}, "32": {"state": "b" * 16}}
    rows = [
        searched("31", "champion", 100, 9, FIRST) | {"limit": "4000", "expanded": "10"} | about["31"],
        searched("32", "champion", 4_000, None, FIRST) | {"limit": "4000", "expanded": "400"} | about["32"],
        searched("32", "champion", 9_000, 11, SECOND) | {"limit": "1000000", "expanded": "900"} | about["32"],
    ]
    champions = [run("freecell_counts", 3, FIRST), run("freecell_counts_hard", 3, SECOND)]
    data = searches.Searches([rows], champions)
    line, means = freecell.pairs(data, "31-32").splitlines()[2:]
    seed, alone, both, *numbers = line.strip("| ").split(" | ")
    assert (seed, alone[:10], both[:12]) == ("3", "1: 50.000 ", "2: 100.000 %")
    assert numbers == ["6,550", "655.0", "655", "10.0", "1,300.0"]
    assert means.strip("| ").split(" | ")[2:] == ["1.0 (1 to 1)", "100.0", "10.0", "10.0", "9.0"]
    assert freecell.choose_pair(data, "31-32")[0].endswith("in turn, seed 3")
    assert freecell.pairs(data, "30-32") == searches.NONE


def test_the_last_search_of_a_pair_that_tries_fewer_moves_is_one_with_all_moves():
    """Neither champion solves deal 31 with fewer moves; with all moves the first one does. 32 is solved at once."""
    state, other = {"state": "a" * 16}, {"state": "b" * 16}
    fewer = [
        searched("31", "champion", 2_000, None, FIRST) | {"limit": "2000", "expanded": "200"} | state,
        searched("31", "champion", 1_000_000, None, SECOND) | {"limit": "1000000", "expanded": "9000"} | state,
        searched("32", "champion", 500, 9, FIRST) | {"limit": "2000", "expanded": "60"} | other,
    ]
    every = [searched("31", "champion", 500, 9, FIRST) | {"limit": "4000000", "expanded": "40"} | state]
    champions = [run("freecell_counts", 3, FIRST), run("freecell_counts_hard", 3, SECOND)]
    data, last = searches.Searches([fewer], champions), searches.Searches([every], champions)
    line = freecell.pairs(data, "31-32", last, freecell.FEWER_PAIR).splitlines()[2]
    assert line.strip("| ").split(" | ")[3:5] == ["501,500", "4,650.0"]  # (2,000 + 1,000,000 + 500 + 500) / 2
    assert freecell.pairs(data, "31-32", data) == searches.NONE


def test_the_schedule_stands_beside_fc_solve_on_the_same_deals(monkeypatch):
    """Deal 31 is solved by the first stage; 32 by the second one, whose limit is above the nodes of its search."""
    monkeypatch.setattr(freecell, "SCHEDULE", (("freecell_counts", 3, 2_000), ("freecell_counts_hard", 1, 8_000)))
    about = {"31": {"state": "a" * 16}, "32": {"state": "b" * 16}}
    rows = [
        searched("31", "champion", 100, 9, FIRST) | {"limit": "4000", "expanded": "10"} | about["31"],
        searched("32", "champion", 2_000, None, FIRST) | {"limit": "2000", "expanded": "200"} | about["32"],
        searched("32", "champion", 5_000, 11, SECOND) | {"limit": "50000", "expanded": "500"} | about["32"],
        searched("31", "fc-solve", 40, 9, search="fc-solve") | {"limit": "200000", "expanded": "30"} | about["31"],
        searched("32", "fc-solve", 90, 9, search="fc-solve") | {"limit": "200000", "expanded": "60"} | about["32"],
    ]
    data = searches.Searches([rows], [run("freecell_counts", 3, FIRST), run("freecell_counts_hard", 1, SECOND)])
    first, second, every, tested = freecell.portfolio(data, freecell.SCHEDULE, "31-32").splitlines()[2:]
    assert first.strip("| ").split(" | ") == ["`freecell_counts`, seed 3", "2,000", "2", "1", "1,050", "105"]
    assert second.strip("| ").split(" | ") == ["`freecell_counts_hard`, seed 1", "8,000", "1", "1", "5,000", "500"]
    assert every.strip("| ").split(" | ")[-2:] == ["3,550", "355.0"]
    assert tested.strip("| ").split(" | ")[-2:] == ["100", "10.0"]
    nothing = searches.Searches([], [])
    expanded = freecell.beside(data, nothing, "31-32").splitlines()[2].strip("| ").split(" | ")
    assert [cell.split(" ")[0] for cell in expanded[1:4]] == ["355.0", "45.0", "310.0"]
    assert expanded[4:] == ["50.0 %", "99 %", "67 %"]
    assert freecell.beside(data, nothing, "30-32") == searches.NONE

    monkeypatch.setattr(freecell, "FEWER", (("freecell_counts_hard", 1, 8_000),))
    fewer = [
        searched("31", "champion", 100, 9, SECOND) | {"limit": "8000", "expanded": "15"} | about["31"],
        searched("32", "champion", 400, 9, SECOND) | {"limit": "8000", "expanded": "35"} | about["32"],
    ]
    fewer = searches.Searches([fewer], [run("freecell_counts_hard", 1, SECOND)])
    lines = [line.strip("| ").split(" | ") for line in freecell.beside(data, fewer, "31-32").splitlines()[2:]]
    assert [line[0] for line in lines[:2]] == ["positions expanded", "positions expanded, fewer moves"]
    assert [lines[1][1].split(" ")[0], lines[1][4]] == ["25.0", "100.0 %"]
