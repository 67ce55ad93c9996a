"""The influence of leaves: places in trees that are written here, and moves beside those of the engine's player."""

import csv

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envs
from jaxgp.anatomy.positions import Board
from jaxgp.config import arguments
from jaxgp.genotypes.text import parse_program, print_tree
from jaxgp.measure import champions
from studies.measure import othello_leaves as study
from tests.scripts.commands import compiled_once, write_run

autouse = pytest.fixture(autouse=True, scope="module")(compiled_once)
GAME, PATH = {"name": "othello", "size": 4}, {"features": "original", "weights": "path", "noop_bits": 1}
TEXT = "(+ (B1 (* own (B0 other))) (- (% own_edges own) own))"


@pytest.fixture
def loaded(tmp_path):
    return champions.load(str(write_run(tmp_path, GAME, TEXT, PATH)), envs)


def tree(program):
    return jax.tree.map(lambda x: np.asarray(x)[0], program)


def test_leaves_are_found_from_left_to_right_with_the_functions_above_them(loaded):
    language, program = loaded.cast.language, tree(loaded.genome)
    found = study.leaves(language, program)
    names = [language.primitives[program.opcode[leaf.node]].name for leaf in found]
    assert list(zip(names, (leaf.depth for leaf in found), strict=True)) == [
        ("own", 2),
        ("other", 2),
        ("own_edges", 3),
        ("own", 3),
        ("own", 2),
    ]


def test_each_leaf_becomes_every_other_count_and_the_rest_stays(loaded):
    language, places = loaded.cast.language, study.leaves(loaded.cast.language, tree(loaded.genome))
    many, which = study.exchanged(language, loaded.genome, places)
    texts = [print_tree(language, jax.tree.map(lambda x, row=row: x[row, 0], many)) for row in range(len(which))]
    assert np.bincount(which).tolist() == [7] * 5, "eight counts, and the leaf is one of them"
    assert len(set(texts)) == 35
    assert TEXT.replace("(B0 other)", "(B0 own_corners)") in texts
    assert TEXT not in texts


def test_moves_are_those_of_the_player_of_the_engine(loaded):
    language, player = loaded.cast.language, loaded.cast.actor
    texts = [TEXT, "(% own (- own own_edges))", "(- other own)", "(% 10 (- own own))"]
    programs = [parse_program(language, text, 16) for text in texts]
    many = jax.tree.map(lambda *x: jnp.stack(x), *programs)
    states = Board(loaded.cast, programs[0]).positions(40, 0)
    chosen = study.chooser(player, states)(many)
    given = jax.tree.map(lambda x: jnp.broadcast_to(x, (len(texts), *x.shape)), states)
    moves, _ = player.act(player.prepare(many), given, jnp.zeros(chosen.shape, jnp.uint32))
    outcome = jax.vmap(jax.vmap(lambda state, place: player.outcome(state, place)[0], (0, 0)), (0, 0))
    assert np.asarray(outcome(given, chosen.astype(np.int32))).tolist() == np.asarray(moves)[..., 0].tolist()
    assert len(np.unique(chosen, axis=0)) > 2, "the programs differ"


def test_the_command_adds_a_row_for_each_champion(tmp_path, capsys):
    run = write_run(tmp_path, GAME, "(+ own (* (- other other) 10))", {"features": "original"})
    words = [f"runs=[{run}]", "positions=30", f"table={tmp_path}/t.csv"]
    assert arguments.main(study.Options, study.task, study.__doc__, words) == 0
    (row,) = csv.DictReader((tmp_path / "t.csv").open())
    depths, shares = zip(*(one.split(":") for one in row["leaves"].split()), strict=True)
    assert (depths, row["positions"]) == (("1", "3", "3", "2"), "30")
    assert float(shares[0]) > 0
    assert float(shares[3]) == 0, "times nothing"
    assert row["leaves"] in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "runs: which champions?"),
        (["runs=[nowhere]"], "runs=nowhere: "),
        (["runs=[docs/data/champions/walls_5_0.json]"], "accepted: champions of othello that value moves"),
    ],
)
def test_wrong_options_are_one_line(capsys, words, said):
    assert arguments.main(study.Options, study.task, study.__doc__, words) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
