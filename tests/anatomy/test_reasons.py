"""What is said of a move is what decides it."""

import json
import re
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envs
from envs.backgammon.turns import read_turn, turn_names
from jaxgp.anatomy.reasons import guides
from jaxgp.anatomy.reasons.drawn import read_introns
from jaxgp.anatomy.reasons.reasons import explain
from jaxgp.config.games import cast_of
from jaxgp.config.schema import Config
from jaxgp.genotypes import language
from jaxgp.measure import champions
from jaxgp.players.searches import searches
from jaxgp.seats.agents import genome_agent, search_root
from jaxgp.seats.moves import Stepper, game_key
from jaxgp.seats.options import player

CHAMPIONS = Path(__file__).parents[2] / "docs" / "data" / "champions"


def taken(game, program=None, text=None):
    cast = cast_of(Config(game=game, program=program or {}), envs)
    return cast, None if text is None else language.parse(cast.language, text)


def position(cast, plies):
    stepper = Stepper(cast.game, game_key(0))
    record = [stepper.opening()]
    for _ in range(plies):
        record.append(stepper.after(record, stepper.legal(record[-1].state)[-1]))
    return record[-1].state


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("game", "depth"), [({"name": "mancala", "pits": 3, "stones": 2}, 3), ({"name": "walls", "size": 3}, 1)]
)
def test_the_values_of_a_search_are_those_of_its_own_best_moves(game, depth):
    cast, _ = taken(game)
    state = position(cast, 2)
    told = explain(cast, player("search", depth=depth), None, state)
    (search,) = searches(cast.spec, cast.game, None, depth, "random", 1, lanes=1)
    values = np.asarray(search_root(search, state, jnp.int32(depth), jnp.uint32(0))[0])
    best = {cast.spec.notation.action_name(cast.game, n) for n in np.flatnonzero(values == values.max())}
    assert {name for name, value, _ in told.moves if value == told.moves[0][1]} == best
    assert told.moves[0][1] == values.max()
    assert all(len(line.split()) <= depth - 1 for _, _, line in told.moves)
    assert any(line for _, _, line in told.moves) == (depth > 1)


@pytest.mark.thorough
def test_the_first_of_the_valued_moves_is_the_one_that_a_program_plays():
    cast, genome = taken({"name": "othello", "size": 4}, {"role": "move"}, "(- own_corners 10)")
    state = position(cast, 3)
    told = explain(cast, player("champion"), genome, state)
    chosen = genome_agent(cast, genome, "it").choose(state, np.uint32(0))
    assert told.moves[0][0] == cast.spec.notation.action_name(cast.game, chosen)
    assert len(told.moves) == int(np.asarray(cast.game.legal_actions(state)).sum())
    assert re.fullmatch(r"\(-\u2192-?\d+ own_corners\u2192\d 10\)", told.trees[0][0])


def test_the_rule_that_fires_gives_the_move():
    cast, genome = taken(
        {"name": "walls", "size": 3}, None, "- - - / - W - / - - - : turn-left\n- - - / - E - / - - - : turn-right"
    )
    for plies in range(3):
        state = position(cast, plies)
        told = explain(cast, player("champion"), genome, state)
        (fired,) = [text for text, fires, _ in told.rules if fires]
        chosen = genome_agent(cast, genome, "it").choose(state, np.uint32(0))
        assert fired.split()[-1] == cast.language.actions[chosen]
        assert len(told.rules) == 3


def test_a_player_that_draws_its_moves_says_so():
    cast, _ = taken({"name": "walls", "size": 3})
    assert explain(cast, player("random"), None, position(cast, 0)).moves == ()


def champion(name, game, line=0):
    """The cast and the genome of a champion of docs/data/champions."""
    seed = json.loads((CHAMPIONS / f"{name}.jsonl").read_text().splitlines()[line])["seed"]
    loaded = champions.load(f"{CHAMPIONS / name}.jsonl#{seed}", envs, asked=game)
    return loaded.cast, loaded.genome


@pytest.mark.thorough
def test_the_conditions_of_the_rule_that_fires_hold_where_they_are_drawn_and_one_of_each_rule_before_it_does_not():
    text = "- B - / - N - / - - - : turn-left\n# - - / - N - / 0 - - : turn-right\n- - - / - N - / - - 0 : try-forward"
    cast, genome = taken({"name": "walls", "size": 3}, {"matching": "symmetric"}, text)
    seen = set()
    for plies in range(6):
        state = position(cast, plies)
        told = explain(cast, player("champion"), genome, state)
        number = next(n for n, (_, fires, _) in enumerate(told.rules) if fires)
        assert all(note.startswith("passed over: ") for _, _, note in told.rules[:number])
        assert not any(note for _, _, note in told.rules[number + 1 :])
        chosen = genome_agent(cast, genome, "it").choose(state, np.uint32(0))
        action = cast.language.actions[chosen]
        rule, _, note = told.rules[number]
        assert note == f"by symmetry, as {action}" if action not in rule else not note
        view = dict(zip(cast.actor.places(state), np.asarray(cast.actor.view(state)), strict=True))
        for place, symbol in told.mask:
            assert symbol == cast.language.symbols[0 if not place else view[place]]
        seen.add((number, bool(note)))
    assert len(seen) > 2, "several rules, and a symmetry"


@pytest.mark.slow
def test_the_policy_of_a_puzzle_says_which_rule_orders_each_move_and_how_far_its_search_goes():
    cast, genome = champion("rush_hour_policy", {"name": "rush_hour", "board": "JAM01"})
    state = position(cast, 0)
    told = explain(cast, player("champion"), genome, state)
    legal = int(np.asarray(cast.game.legal_actions(state)).sum())
    assert len(told.moves) == legal
    assert [value for _, value, _ in told.moves] == sorted(value for _, value, _ in told.moves)
    assert sum(fires for _, fires, _ in told.rules) == 1
    assert told.rules[0][0].startswith("IF ")
    assert " THEN " in told.rules[0][0]
    assert sum(int(re.search(r"for (\d+) of", note)[1]) for _, _, note in told.rules) == legal
    nodes, others = (int(n.replace(",", "")) for n in re.findall(r"(?:after|within) ([\d,]+) nodes", told.says))
    solved = jax.device_get(guides._searching(cast.actor)(genome, state))
    assert (nodes, others) == tuple(int(one.nodes[0]) for one in solved)


@pytest.mark.slow
def test_a_guide_gives_each_line_a_bias_also_after_some_moves():
    text = "(SUB 4 LAST)"
    cast, genome = taken({"name": "morpion", "size": 24}, {"role": "guide", "iterations": 2, "searches": 1}, text)
    stepper = Stepper(cast.game, game_key(0))
    record = [stepper.opening()]
    record.append(stepper.after(record, stepper.legal(record[0].state)[3]))
    told = explain(cast, player("champion"), genome, record[-1].state, [record[-1].action])
    names = {cast.spec.notation.action_name(cast.game, n) for n in stepper.legal(record[-1].state)}
    assert {name for name, _, _ in told.moves} == names
    values = [value for _, value, _ in told.moves]
    assert values == sorted(values, reverse=True)
    assert len(set(values)) > 1


@pytest.mark.slow
def test_whole_turns_of_backgammon_are_valued_and_the_first_is_the_one_that_is_played():
    text = "(PROGRAM (Sub Enemy-Pip Enemy-Escape) (Player-Position 25))"
    cast, genome = taken({"name": "backgammon", "variant": "hypergammon"}, None, text)
    state = position(cast, 1)
    told = explain(cast, player("champion"), genome, state)
    names = turn_names(cast.game, state)
    assert {name for name, _, _ in told.moves} == set(names)
    played = genome_agent(cast, genome, "it").choose(state, np.uint32(0))
    best = {name for name, value, _ in told.moves if value == told.moves[0][1]}
    assert played in [action for name in best for action in read_turn(cast.game, state, name)]
    assert len(told.trees) == 2
    assert "Tree 1 is the one that values it." in told.says


@pytest.mark.thorough
def test_introns_of_an_anatomy_are_pale_if_it_is_that_of_the_program(tmp_path):
    cast, genome = taken({"name": "othello", "size": 4}, {"role": "move"}, "(- own_corners 10)")
    nodes = [{"node": name, "kind": kind} for name, kind in (("own_corners", "live"), ("10", "code"), ("-", "code"))]
    (tmp_path / "anatomy").mkdir()
    file = tmp_path / "anatomy" / "anatomy.json"
    file.write_text(json.dumps({"trees": [{"nodes": nodes}]}))
    introns = read_introns(str(tmp_path), cast.language, genome)
    assert introns == [[0]]
    told = explain(cast, player("champion"), genome, position(cast, 3), (), introns)
    text, marks = told.trees[0]
    assert marks == [(1, "pale")]
    assert text.split()[1].startswith("own_corners")
    for content in ("{", "[]", json.dumps({"trees": [{"nodes": nodes[::-1]}]})):
        file.write_text(content)
        assert read_introns(str(tmp_path), cast.language, genome) is None
