"""A toy puzzle: lamps that switches turn on and off, until all are dark; in JAX and in plain Python."""

from dataclasses import dataclass
from typing import ClassVar

import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array

from jaxgp.arrays import freeze, is_legal
from jaxgp.contracts import Packs, Puzzle, Starts

LAMPS = 10


@struct.dataclass
class State:
    lit: Array  # uint32[]: a bit for each lamp
    wires: Array  # uint32[LAMPS]: the lamps that each switch turns over; no move changes them
    to_move: Array
    terminated: Array
    returns: Array


def states(lit, wires) -> State:
    """Instances [B] from numbers uint32[B] and uint32[B, LAMPS]."""
    lit, zero = np.asarray(lit, np.uint32), np.zeros(len(lit), np.int32)
    return State(lit, np.asarray(wires, np.uint32), zero, lit == 0, zero[:, None].astype(np.float32))


def instances(number, seed):
    """Return lamps (uint32[number]) and wires (uint32[number, LAMPS]).

    A switch turns one to three lamps over. Up to six switches have been used since all was dark, so a short solution is
    likely but not sure: it may need a switch that cannot be used.
    """
    rng = np.random.default_rng(seed)
    wires = np.bitwise_or.reduce((1 << rng.integers(LAMPS, size=(number, LAMPS, 3))).astype(np.uint32), axis=-1)
    used = rng.random((number, LAMPS)) < rng.integers(1, 7, size=(number, 1)) / LAMPS
    return np.bitwise_xor.reduce(np.where(used, wires, 0), axis=-1), wires


@dataclass(frozen=True)
class Lamps(Puzzle[State]):
    """A switch can be used while its lamp or the next one is lit, so some moves cannot be taken back."""

    name: ClassVar[str] = "lamps"
    version: ClassVar[str] = "1"
    seats: ClassVar[int] = 1
    chance: ClassVar[bool] = False
    starts: ClassVar[Starts] = "instance"
    num_actions: ClassVar[int] = LAMPS
    most_choices: ClassVar[int] = LAMPS

    def init(self, key=None) -> State:
        return State(
            jnp.uint32(1), jnp.ones(LAMPS, jnp.uint32), jnp.int32(0), jnp.bool_(False), jnp.zeros(1, jnp.float32)
        )

    def solved(self, state: State) -> Array:
        return state.lit == 0

    def legal_actions(self, state: State) -> Array:
        lit = (state.lit >> np.arange(LAMPS, dtype=np.uint32)) & 1 != 0
        return lit | jnp.roll(lit, -1)

    def choices(self, state: State) -> Array:
        return self.legal_actions(state).sum(dtype=jnp.int32)

    def choice(self, state: State, place: Array) -> Array:
        return (jnp.cumsum(self.legal_actions(state)) <= place).sum(dtype=jnp.int32)

    def step(self, state: State, action: Array, key=None) -> State:
        return freeze(state, self.advance(state, action), is_legal(self.legal_actions(state), action))

    def advance(self, state: State, action: Array) -> State:
        lit = state.lit ^ state.wires[action]
        return state.replace(lit=lit, terminated=lit == 0)

    def key(self, state: State) -> Array:
        return jnp.stack([state.lit, state.lit * 5])

    def score(self, state: State) -> Array:
        return state.returns

    def forfeit(self, state: State) -> State:
        return state.replace(terminated=jnp.bool_(True))


class PackedLamps(Lamps, Packs):
    """The same, in fewer arrays."""

    def pack(self, state: State) -> Array:
        return jnp.concatenate([state.lit[None], state.wires])

    def unpack(self, words: Array) -> State:
        return self.init().replace(lit=words[0], wires=words[1:], terminated=words[0] == 0)


class PlainLamps:
    """One instance; a state is a number."""

    def __init__(self, wires):
        self.wires = [int(wire) for wire in wires]

    def solved(self, lit):
        return lit == 0

    def moves(self, lit):
        return [at for at in range(LAMPS) if lit >> at & 1 or lit >> (at + 1) % LAMPS & 1]

    def play(self, lit, action):
        return lit ^ self.wires[action]

    def key(self, lit):
        return lit, lit * 5
