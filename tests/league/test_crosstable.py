"""The table of all games, against the same games played one by one by other code."""

import itertools
import json
from dataclasses import replace

import jax
import numpy as np
import pytest

from jaxgp.errors import UsageError
from jaxgp.games.casting import cast
from jaxgp.genotypes import language as languages
from jaxgp.league import crosstable
from jaxgp.league.members import GenomeActor, Member
from jaxgp.seats.options import opponent
from tests.fitness import walls_table
from tests.host import games
from tests.reference import rules, walls

RANDOM = Member("random", "others", "random", "chance", opponent("random"), chance=True)
LUCK = Member("luck", "others", "random", "chance", opponent("random"), chance=True)
SEARCH = Member("search:1", "others", "search:1", "search", opponent(depth=1, ties="random"), chance=True)


BARRED = 1
"""A move that the lists of one language must not play."""


def evolved(player, language, team, genomes):
    """Make players of the genomes of one population."""
    count = len(jax.tree.leaves(genomes)[0])
    picked = [jax.tree.map(lambda x, i=i: np.asarray(x)[i], genomes) for i in range(count)]
    return [
        Member(f"{team}{i}", team, f"{team}{i}", f"{team}{i}", GenomeActor(team, player, language, genome))
        for i, genome in enumerate(picked)
    ]


def by_hand(first, second):
    """Play one game of Walls in plain Python; `first` and `second` are tables with plain rule lists.

    Returns:
        The result of the first player, and who named a move that it must not play, or None.
    """
    position = walls.start(3)
    while not position.over:
        at, listed = (first, second)[position.turn]
        view = walls_table.seen(position, at.language.shape[0], at.options.symmetric)
        action, _ = rules.act(at.language, listed, view, at.options.symmetric)
        if at is walls_table.board(3, "strict") and action == BARRED:
            return (-1, 0) if position.turn == 0 else (1, 1)
        position = walls.play(position, walls.MOVES[action])
    return int(np.sign(position.points[0] - position.points[1])), None


@pytest.fixture(scope="module")
def played():
    """Four rule lists of one language, three of another, to whom one move is illegal, and random moves."""
    counts = {"symmetric": 4, "strict": 3}
    boards = {name: walls_table.board(3, name) for name in counts}
    lists = {name: walls_table.population(boards[name], counts[name], 12 + seed) for seed, name in enumerate(counts)}
    players = {name: at.actor for name, at in boards.items()}
    legal = boards["strict"].game.legal_actions
    players["strict"] = replace(players["strict"], legal=lambda state: legal(state) & (np.arange(3) != BARRED))
    members = [one for name, at in boards.items() for one in evolved(players[name], at.language, name, lists[name])]
    plain = {f"{n}{i}": (boards[n], walls_table.plain(lists[n], i)) for n in counts for i in range(counts[n])}
    members.insert(2, RANDOM)
    return boards["symmetric"], members, plain, crosstable.play(boards["symmetric"], members, 3, 5, keep=KEPT.append)


KEPT = []
"""The tables that were kept while those games were played."""


@pytest.mark.thorough
def test_games_that_were_cut_off_go_on_where_they_were(played, monkeypatch, tmp_path):
    at, members, _, table = played
    before, last = KEPT
    assert 0 < (before.games > 0).sum() < (table.games > 0).sum()
    assert (last.games == table.games).all()
    crosstable.save(tmp_path / "table.json", before, members, 3, 5)
    known = crosstable.read(tmp_path / "table.json", members, 3, 5)
    teams = []

    def lost(key, cast, team, opponents):
        teams.append([members[place].bracket for place in team.places])
        return -np.ones((len(team.places), 2 * sum(opponent.games for opponent in opponents)))

    monkeypatch.setattr(crosstable, "_returns", lost)
    done = crosstable.play(at, members, 3, 5, known=known)
    assert teams == [["strict"] * 3], "the other team has played"
    assert (done.games == table.games).all()
    new = before.games != table.games
    assert (done.results[~new] == table.results[~new]).all()
    crosstable.play(at, members, 3, 5, known=table)
    assert len(teams) == 1, "nothing is left to play"


@pytest.mark.thorough
def test_games_of_two_languages_are_those_of_plain_python_and_an_illegal_move_loses(played):
    _, members, plain, table = played
    results, forfeits = set(), set()
    for (i, one), (j, other) in itertools.permutations(enumerate(members), 2):
        if one.random or other.random:
            assert table.games[i, j] == 3
            continue
        result, forfeit = by_hand(plain[one.name], plain[other.name])
        assert (table.games[i, j], table.results[i, j, 0]) == (1, result), (one.name, other.name)
        results.add(result)
        forfeits.add((forfeit, one.bracket == other.bracket))
    assert results == {-1, 0, 1}
    assert forfeits >= {(None, False), (0, False), (1, False), (0, True), (1, True)}
    assert (table.games.diagonal() == 0).all()


@pytest.mark.slow
def test_players_with_chance_meet_genomes_and_each_other_with_games_of_their_own(played):
    at, members, _, table = played
    place = members.index(RANDOM)
    against = [tuple(table.results[place, j]) for j in range(len(members)) if j != place]
    assert any(len(set(games)) > 1 for games in against)
    first, again, other = (crosstable.play(at, [RANDOM, LUCK], 4, seed).results for seed in (5, 5, 6))
    assert (first == again).all()
    assert (first != other).any()
    search = crosstable.play(at, [RANDOM, SEARCH], 4, 5)
    assert search.games.tolist() == [[0, 4], [4, 0]]
    assert search.scores()[1].sum() > search.scores()[0].sum(), "who looks ahead wins more often"


def test_worth_and_scores_count_draws_as_asked():
    results = np.array([[[0, 0], [1, 0]], [[-1, 0], [0, 0]]], np.int8)
    table = crosstable.CrossTable(results, np.array([[0, 2], [1, 0]]))
    assert table.worth(0.5)[0, 1] == 0.75
    assert table.worth(0.0)[0, 1] == 0.5
    assert table.worth(0.5)[1, 0] == 0.0
    assert np.isnan(table.worth(0.5).diagonal()).all()
    assert table.scores().tolist() == [[0.75, 1.0], [0.0, 0.25]]


@pytest.mark.thorough
def test_a_table_is_kept_and_found_again_in_any_order(played, tmp_path):
    _, members, _, table = played
    file = tmp_path / "crosstable.json"
    crosstable.save(file, table, members, 3, 5)
    order = [4, 2, 0]
    some = crosstable.read(file, [members[i] for i in order], 3, 5)
    for (a, i), (b, j) in itertools.product(enumerate(order), repeat=2):
        number = table.games[i, j]
        assert some.games[a, b] == number
        assert (some.results[a, b, :number] == table.results[i, j, :number]).all()
    assert crosstable.read(file, [members[2], members[0]], 3, 6) is None, "other chance"
    assert crosstable.read(file, [members[1], members[0]], 9, 6) is not None, "no chance"
    assert crosstable.read(file, [members[0], members[0]], 3, 5) is None, "one of them is not in it"
    assert crosstable.read(tmp_path / "none.json", members, 3, 5) is None


TABLE = {
    "format": "jaxgp cross-table",
    "format_version": 1,
    "games": 1,
    "seed": 0,
    "players": [{"identity": "a"}, {"identity": "b"}],
    "results": [[[], [1]], [[-1], []]],
}

LOPSIDED = [[[1] * 10_000 if (i, j) == (0, 1) else [] for j in range(300)] for i in range(300)]
"""Small as a file; a table with as many games for each pair is not."""


def test_a_file_that_is_no_table_is_refused(tmp_path):
    for text, said in (
        ("{", "not JSON"),
        ("[]", "not a cross-table"),
        (json.dumps({"format": "other"}), "not a cross"),
        (json.dumps(TABLE | {"players": [{}]}), "damaged"),
        (json.dumps(TABLE | {"results": [[[]]]}), "damaged"),
        (json.dumps(TABLE | {"results": [[[], [1]], [[7], []]]}), "damaged"),
        (json.dumps(TABLE | {"results": [[[], [1]], [[[]], []]]}), "damaged"),
        (json.dumps(TABLE | {"results": [[[], [1]], [3, []]]}), "damaged"),
        (json.dumps(TABLE | {"results": [[[], [10**12]], [[1], []]]}), "damaged"),
        (json.dumps(TABLE | {"players": [{"identity": "a"}] * 300, "results": LOPSIDED}), "damaged"),
        (json.dumps(TABLE).replace('"games": 1', '"games": NaN'), "not JSON"),
    ):
        (tmp_path / "bad.json").write_text(text)
        with pytest.raises(UsageError, match=said):
            crosstable.read(tmp_path / "bad.json", [RANDOM], 1, 0)


@pytest.mark.thorough
def test_in_a_game_with_chance_all_pairs_play_as_many_games_which_differ():
    at = cast(games.SPEC)
    genomes = [languages.parse(at.language, text, 4) for text in ("1", "0")]
    plays = [GenomeActor("team", at.actor, at.language, genome) for genome in genomes]
    named = zip(("bold", "steady"), plays, strict=True)
    members = [Member(name, "team", name, name, one, chance=True) for name, one in named]
    table = crosstable.play(at, members, 96, 5)
    assert table.games.tolist() == [[0, 96], [96, 0]]
    assert len(set(table.results[0, 1])) == len(set(table.results[1, 0])) == 2
