"""Programs as sums of weighted terms, on programs written by hand."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from envs.backgammon import language
from jaxgp.fitness.taught import terms
from jaxgp.genotypes.text import print_tree
from tests.genotypes.program_cases import parse_tree

SET = language.primitive_set()
CONTACT = terms.find(SET, 0)
NESTED = "(Sub (Add Player-Pip (Mul 2 Enemy-Pip)) (Sub (Mul 3 Total-Hit-Prob) (Mul 0.5 (Player-Tower 7))))"

terms_of = jax.jit(partial(terms.terms, SET, CONTACT), static_argnums=1)
with_weights = jax.jit(partial(terms.with_weights, CONTACT))
with_term = jax.jit(lambda word, tree, term, weight: terms.with_term(word, SET, CONTACT, tree, term, weight))
as_term = jax.jit(partial(terms.as_term, CONTACT))
weighed = jax.jit(partial(terms.weigh_leaf, SET, CONTACT))


def read(text, capacity=32):
    return jax.tree.map(jnp.asarray, parse_tree(SET, text, capacity))


def shown(tree):
    return print_tree(SET, jax.device_get(tree))


def found_in(text, room=6):
    tree = read(text)
    return tree, terms_of(tree, room)


def test_terms_are_the_weighted_products_of_the_top_with_the_signs_that_they_have_there():
    tree, found = found_in(NESTED)
    assert np.asarray(found.weight).tolist() == [2, -3, 0.5, 0, 0, 0]
    assert (found.node < tree.capacity).tolist() == [True] * 3 + [False] * 3


def test_products_below_the_top_and_products_of_two_terms_are_none():
    text = "(Add (If (Player-Blocked 1) (Mul 2 Player-Pip) Enemy-Pip) (Mul Player-Pip Enemy-Pip))"
    assert np.asarray(found_in(text)[1].weight).tolist() == [0] * 6


def test_other_weights_turn_additions_into_subtractions_where_the_sign_changes():
    tree, found = found_in(NESTED)
    changed = with_weights(tree, found, jnp.array([-1.5, -4.0, -0.25, 0, 0, 0]))
    expected = "(Sub (Sub Player-Pip (Mul 1.5 Enemy-Pip)) (Add (Mul 4 Total-Hit-Prob) (Mul 0.25 (Player-Tower 7))))"
    assert shown(changed) == expected


def test_a_first_argument_cannot_change_its_sign_and_weights_stay_in_their_domain():
    tree, found = found_in("(Add (Mul 2 Player-Pip) (Mul 3 Enemy-Pip))")
    changed = with_weights(tree, found, jnp.array([-1.0, 70.0, 0, 0, 0, 0]))
    assert shown(changed) == "(Add (Mul 0 Player-Pip) (Mul 5 Enemy-Pip))"


def test_a_term_of_weight_0_that_is_subtracted_becomes_an_addition_when_it_grows():
    tree, found = found_in("(Sub Player-Pip (Mul 0 Enemy-Pip))")
    changed = with_weights(tree, found, jnp.array([2.0, 0, 0, 0, 0, 0]))
    assert shown(changed) == "(Add Player-Pip (Mul 2 Enemy-Pip))"


def added(text, weight, key=0, capacity=32):
    word = jax.random.bits(jax.random.key(key), dtype=jnp.uint32)
    term = read("(Player-Tower 9)", capacity)
    return shown(with_term(word, read(text, capacity), term, jnp.float32(weight)))


def test_a_new_term_counts_by_its_weight_where_it_is_added_and_where_that_is_subtracted():
    assert added("Player-Pip", 0.5) == "(Add Player-Pip (Mul 0.5 (Player-Tower 9)))"
    assert added("Player-Pip", -0.5) == "(Sub Player-Pip (Mul 0.5 (Player-Tower 9)))"
    results = {added("(Sub Player-Pip Enemy-Pip)", 0.5, key) for key in range(40)}
    assert results == {
        "(Add (Sub Player-Pip Enemy-Pip) (Mul 0.5 (Player-Tower 9)))",
        "(Sub (Add Player-Pip (Mul 0.5 (Player-Tower 9))) Enemy-Pip)",
        "(Sub Player-Pip (Sub Enemy-Pip (Mul 0.5 (Player-Tower 9))))",
    }


def test_new_terms_come_to_every_node_of_the_top_alike():
    tree, term = read(NESTED), read("(Player-Tower 9)")
    words = jax.random.bits(jax.random.key(1), (2100,), jnp.uint32)
    made = jax.jit(jax.vmap(lambda word: with_term(word, tree, term, jnp.float32(1))))(words)
    rows = np.concatenate([made.opcode, made.value, made.size], axis=1)
    counts = np.unique(rows, axis=0, return_counts=True)[1]
    assert len(counts) == 7  # two terms, Player-Pip, two inner nodes, the third term, and the root
    assert stats.chisquare(counts).pvalue > 0.001


def test_a_program_without_room_stays_as_it_is():
    assert added("(Sub Player-Pip Enemy-Pip)", 0.5, capacity=6) == "(Sub Player-Pip Enemy-Pip)"


def test_a_program_becomes_a_sum_of_one_term():
    made = as_term(read("(Mul Player-Pip Enemy-Pip)"))
    assert shown(made) == "(Add 0 (Mul 1 (Mul Player-Pip Enemy-Pip)))"
    assert shown(as_term(read("Player-Pip", 4))) == "Player-Pip"


@pytest.mark.parametrize(("tree", "names"), [(0, ("Add", "Sub", "Mul")), (1, ("Race-Add", "Race-Sub", "Race-Mul"))])
def test_each_tree_has_sums_of_its_own_type(tree, names):
    made = terms.find(SET, tree)
    assert tuple(SET.primitives[code].name for code in made[:3]) == names


def test_a_loose_part_of_the_top_gets_a_weight_and_others_stay():
    tree = read("(Sub (Add 0.5 (Mul 2 Player-Pip)) (If (Player-Blocked 1) Enemy-Pip 1))")
    once = weighed(tree)
    assert shown(once) == "(Sub (Add 0.5 (Mul 2 Player-Pip)) (Mul 1 (If (Player-Blocked 1) Enemy-Pip 1)))"
    assert shown(weighed(once)) == shown(once)
    assert shown(weighed(read("Player-Pip", 2))) == "Player-Pip"
