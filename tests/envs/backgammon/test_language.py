"""What programs for backgammon see, against plain Python, and how they choose among turns."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

import envs
from envs.backgammon import language, many, whole
from jaxgp.games.casting import cast
from jaxgp.genotypes.text import ProgramError, parse_program
from jaxgp.interpreter.evaluate import evaluate
from jaxgp.interpreter.plan import plan
from tests.envs.backgammon.positions import as_tuple, full, random_states, reached, side, state_of
from tests.reference import backgammon_terminals as plain

GAME = envs.make("backgammon")
CAST = cast(envs.spec("backgammon"))
OPENING = full(p24=2, p13=5, p8=3, p6=5)
QUERIES = ("Player-Exposed", "Player-Blocked", "Player-Tower", "Enemy-Exposed", "Enemy-Blocked")


def program(contact, race="0"):
    return parse_program(CAST.language, f"(PROGRAM {contact} {race})", 64)


def test_all_terminals_equal_plain_python_on_random_positions():
    states = random_states(240, 16)
    live = np.flatnonzero(~states.terminated)[::13][:250]
    own, other = states.own[live], states.other[live]
    asked = [f"({name} {at})" for name in QUERIES for at in (0, 1, 7, 12, 24, 25)]
    texts = [program(text) for text in (*asked, *language.GENERAL)]
    raced = [program("0", f"(Player-Position {at})") for at in (0, 6, 19, 24, 25)]
    programs = jax.tree.map(lambda *x: np.stack(x), *texts, *raced)

    @jax.jit
    def valued(programs, own, other):
        seen = jax.vmap(language.view, out_axes=-1)(own, other)
        return evaluate(CAST.language, plan(CAST.language, programs), seen)

    values = np.asarray(valued(programs, own, other))
    for n, (mine, theirs) in enumerate(zip(own.tolist(), other.tolist(), strict=True)):
        answers = {at: plain.queries(mine, theirs, at) for at in range(26)}
        whole_board = plain.general(mine, theirs)
        expected = [answers[at][name] for name in QUERIES for at in (0, 1, 7, 12, 24, 25)]
        expected += [whole_board[name] for name in language.GENERAL]
        np.testing.assert_allclose(values[: len(texts), 0, n], expected, rtol=1e-6)
        np.testing.assert_array_equal(
            values[len(texts) :, 1, n], [answers[at]["Player-Position"] for at in (0, 6, 19, 24, 25)]
        )


def test_without_blocks_there_are_131_escapes():
    assert float(language.escapes(jnp.asarray(side(off=15)))) == 1.0
    assert plain.escapes(side(off=15).tolist()) == 1.0


def test_hit_probabilities_that_players_know():
    """A direct shot from one pip away is hit by 11 rolls, from six by 17, from seven by 6; from twelve by 3."""
    for away, rolls in ((1, 11), (6, 17), (7, 6), (12, 3)):
        own, other = jnp.asarray(side(p20=1)), jnp.asarray(side(**{f"p{5 + away}": 1}))
        assert float(language.hits(own, other)) == pytest.approx(rolls / 36)


def test_queries_are_numbers_and_truth_values_and_stay_in_their_tree():
    program(
        "(If (Player-Exposed 3) (Player-Tower 4) (Add 5 0))", "(Race-If (Player-Position 0) 1 (Player-Position 25))"
    )
    for contact, race in (("(Player-Position 1)", "0"), ("0", "(Player-Exposed 1)"), ("0", "(Add 1 2)")):
        with pytest.raises(ProgramError):
            program(contact, race)
    with pytest.raises(ProgramError, match="from 0 to 25"):
        program("(Player-Exposed 26)")


@jax.jit
def act(genome, states):
    genomes = jax.tree.map(lambda x: jnp.asarray(x)[None], genome)
    bits = jnp.zeros((1, len(states.to_move)), jnp.uint32)
    seated = jax.tree.map(lambda x: x[None], states)
    return CAST.actor.act(CAST.actor.prepare(genomes), seated, bits)[0][0, :, 0]


@pytest.mark.slow
def test_turns_of_equal_value_are_played_with_equal_probability():
    """A program that values all positions alike plays every turn of 2-1 in the opening as often as any other."""
    state = state_of(GAME, OPENING, OPENING, (2, 1))
    positions = reached(GAME, state)
    trials = 4000
    luck = jax.random.bits(jax.random.key(5), (trials,))
    states = jax.tree.map(lambda x: jnp.broadcast_to(x, (trials, *x.shape)), state).replace(luck=luck // 36)
    genome, step = program("1", "1"), jax.jit(jax.vmap(lambda s, a: GAME.step(s, a, jax.random.key(0))))
    between = step(states, act(genome, states))
    assert not (np.asarray(between.to_move) == 1).any()
    after = step(between, act(genome, between))
    counts = dict.fromkeys(positions, 0)
    for own, other in zip(np.asarray(after.other), np.asarray(after.own), strict=True):
        counts[as_tuple(own), as_tuple(other)] += 1
    assert stats.chisquare(list(counts.values())).pvalue > 0.001


@pytest.mark.slow
def test_the_best_of_all_turns_is_found_also_by_doubles_with_many_turns():
    """By a value that differs from turn to turn, against all positions after whole turns."""
    spread = full(p24=1, p22=1, p20=1, p18=1, p16=1, p15=1, p14=1, p13=1, p12=1, p11=1, p10=1, p9=1, p8=1, p7=1, p6=1)
    away = full(p1=15)
    cases = [(spread, away, (1, 1)), (spread, away, (2, 2)), (OPENING, OPENING, (3, 3)), (OPENING, OPENING, (6, 1))]
    states = [state_of(GAME, *case) for case in cases]
    weights = np.random.default_rng(1).normal(size=26).astype(np.float32)
    batch = jax.tree.map(lambda *x: jnp.stack(x), *states)
    value = lambda lanes, men, needed: (men[0] * weights).sum(-1)  # noqa: E731
    codes = jax.jit(lambda batch: many.best_turns(GAME, batch, jnp.ones(4, bool), value))(batch)
    own, _ = jax.vmap(whole.play_turn)(batch, codes)
    assert int(whole.whole_turns(GAME, states[0]).total) > 1000
    for state, found in zip(states, np.asarray(own), strict=True):
        best = max(float((np.array(mine) * weights).sum()) for mine, _ in reached(GAME, state))
        assert float((found * weights).sum()) == pytest.approx(best, rel=1e-5)


@pytest.mark.slow
def test_the_position_after_the_turn_decides_which_tree_values_it():
    """With 2-1 the last man passes the enemy by 12/9, and by no other turn."""
    own, other = full(p12=1, p3=7, p2=7), full(p15=1, p2=7, p1=7)
    states = jax.tree.map(lambda x: x[None], state_of(GAME, own, other, (2, 1)))
    assert not bool(states.racing[0])
    step = jax.jit(jax.vmap(lambda s, a: GAME.step(s, a, jax.random.key(0))))
    for genome, passes in ((program("0", "1"), True), (program("1", "0"), False)):
        between = step(states, act(genome, states))
        after = step(between, act(genome, between))
        assert (int(after.other[0][9]) == 1) == passes
