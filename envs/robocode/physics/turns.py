"""A whole turn: commands, bullets, moves, scans, deaths, points."""

import math
from functools import partial

import jax.numpy as jnp
from jax import Array

from envs.robocode.physics import constants, flight, movement, scans
from envs.robocode.physics.angles import relative
from envs.robocode.physics.shared import Field, Idle, Lots
from envs.robocode.state import Commands, Seen, State
from jaxgp import arrays


def turn(field: Field, state: State, given: tuple[Commands, Commands], lots: Lots, zap: Array | None = None) -> State:
    """Return a round after its next turn; neither robot is dead before it.

    Args:
        field: its settings.
        state: before the turn.
        given: the commands of both robots.
        lots: who is first.
        zap: bool[], whether robots lose energy by inactivity, to follow a recorded round; None: it is computed.
    """
    idle = Idle(state.idle, state.loss)
    lots, given = arrays.apart(lambda *x: x, lots, given)
    shot_by = [
        arrays.apart(flight.command, robot, seen.aligned, commands)
        for robot, seen, commands in zip(state.robots, state.seen, given, strict=True)
    ]
    loaded = shot_by[0][0], shot_by[1][0]
    for _, shell in shot_by:
        idle = idle.lost(shell.power)
    flying = [arrays.apart(flight.added, one, shell) for one, (_, shell) in zip(state.bullets, shot_by, strict=True)]
    bullets, shots = arrays.apart(
        partial(flight.fly, field), loaded, state.bullets, *zip(*flying, strict=True), lots.bullets
    )

    one, other = _by(lots.bullets, loaded)
    did, done = _by(lots.bullets, shots)
    one, other, idle, dealt_first, kills = arrays.apart(flight.struck, one, other, idle, did)
    other, one, idle, dealt_second, killed = arrays.apart(flight.struck, other, one, idle, done)
    hurt = _by(lots.bullets, (one, other))
    damage, deaths = _by(lots.bullets, (dealt_first, dealt_second)), _by(lots.bullets, (kills, killed))

    due = idle.turns > field.patience if zap is None else zap
    one, other = _by(lots.moves, hurt)
    mine, theirs = _by(lots.moves, given)
    one, other, idle, first = movement.move(field, one, other, idle, mine, due)
    other, one, idle, second = movement.move(field, other, one, idle, theirs, due)
    robots, moves = _by(lots.moves, (one, other)), _by(lots.moves, (first, second))

    seen, scored = [], []
    for me, points in enumerate(state.points):
        you = 1 - me
        swept, aligned = arrays.apart(scans.look, loaded[me], robots[me], robots[you], given[me])
        seen.append(
            Seen(
                *(swept, aligned, shots[you].hit, shots[you].heading),
                relative(shots[you].heading + math.pi - hurt[me].body),
                *(moves[me].wall, moves[me].wall_bearing),
                *(moves[me].ram, moves[me].bearing, moves[me].left),
                *(moves[you].ram, moves[you].back, moves[you].energy),
                jnp.zeros_like(robots[me].dead),
            )
        )
        wins = robots[you].dead & ~robots[me].dead
        dealt = points.damage + damage[me]
        total = dealt + jnp.where(moves[me].ram, constants.RAM, 0.0)
        scored.append(
            points.replace(  # type: ignore[attr-defined]
                survival=points.survival + jnp.where(wins, constants.SURVIVAL, 0.0),
                last=points.last + jnp.where(wins, constants.LAST, 0.0),
                bullet=points.bullet + damage[me],
                bullet_bonus=points.bullet_bonus + jnp.where(deaths[me], constants.BULLET_BONUS * dealt, 0.0),
                ram=points.ram + jnp.where(moves[me].ram, constants.RAM_POINTS, 0.0),
                ram_bonus=points.ram_bonus + jnp.where(moves[me].kills, constants.RAM_BONUS * total, 0.0),
                damage=total,
                firsts=points.firsts + robots[you].dead,
                shots=points.shots + (shot_by[me][1].power > 0),
                hits=points.hits + shots[me].hits,
                driven=points.driven + moves[me].distance,
            )
        )
    return state.replace(  # type: ignore[attr-defined]
        robots=robots,
        bullets=bullets,
        points=(scored[0], scored[1]),
        seen=(seen[0], seen[1]),
        idle=idle.turns + 1,
        loss=idle.loss,
        time=state.time + 1,
    )


def _by(swap: Array, pair: tuple) -> tuple:
    """Return a pair, the second one first where `swap` says so."""
    one, other = pair
    return arrays.where(swap, other, one), arrays.where(swap, one, other)
