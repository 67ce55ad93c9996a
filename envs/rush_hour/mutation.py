"""Boards as genomes: arrays of places that mutation adds, swaps and deletes vehicles of.

After M. Sipper, "Evolved to Win" (2011), section 10.2.5: the first boards of 8 x 8 cells are boards of 6 x 6 in the
middle of empty ones, and "simple mutation operators [...] randomly either added, swapped, or deleted vehicles".
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import jax.numpy as jnp
import numpy as np
from jax import Array

from envs.rush_hour.boards import LENGTHS, LETTERS, TARGET, WALL, Board, Vehicle, target_row
from envs.rush_hour.rules import ANYWHERE, NONE, RushHour, State, X
from jaxgp.operators.draw import below, uniform, words

EMPTY = -1
"""The place of a vehicle that a board does not have."""
ADD, SWAP, DELETE = range(3)
OTHERS = sorted(set(LETTERS) - {TARGET})
"""Letters of the vehicles but X, in the order in which a board that is read has them."""


def embed(board: Board, size: int = 8) -> Board:
    """Put a board in the middle of an empty one, which is greater by an even number of rows.

    X comes to the row of the exit: (n - 1) // 2 grows by one where n grows by two. The exit is one column farther away
    for each ring of empty cells.

    Raises:
        ValueError: the sizes differ by an odd number, or the board is the larger one.
    """
    ring, odd = divmod(size - board.size, 2)
    if odd or ring < 0:
        raise ValueError(f"size={size}: accepted: {board.size} and more, by an even number of rows")
    moved = tuple(replace(one, line=one.line + ring, start=one.start + ring) for one in board.vehicles)
    return Board(size, moved, board.name)


@dataclass(frozen=True)
class Parking:
    """The places of a board, numbered: every row and column, both lengths, every first cell.

    A genome is int32[V]: the place of each vehicle, X first; `EMPTY` after the last one. V is that of the game.

    Attributes:
        game: the rules; its size counts, its board does not.
    """

    game: RushHour

    @cached_property
    def vehicles(self) -> tuple[Vehicle, ...]:
        """What stands at each place."""
        size = self.game.size
        return tuple(
            Vehicle("", vertical, line, start, length)
            for vertical in (False, True)
            for line in range(size)
            for length in LENGTHS
            for start in range(size - length + 1)
        )

    @cached_property
    def cells(self) -> np.ndarray:
        """bool[places, cells]: what a vehicle covers at each place."""
        covered = np.zeros((len(self.vehicles), self.game.size**2), bool)
        for row, vehicle in zip(covered, self.vehicles, strict=True):
            row[vehicle.cells(self.game.size)] = True
        return covered

    @cached_property
    def before_exit(self) -> np.ndarray:
        """int[places]: the first cell of a horizontal vehicle in the row of X, or -1: none may be right of X."""
        row = target_row(self.game.size)
        return np.array([one.start if (one.vertical, one.line) == (False, row) else -1 for one in self.vehicles])

    def genome(self, board: Board) -> np.ndarray:
        """Return int32[V]: the genome of a board of this size; raises ValueError for one with walls."""
        if any(one.letter == WALL for one in board.vehicles):
            raise ValueError(f"{board.name or 'the board'}: it has a wall; accepted: boards without walls")
        numbers = {vehicle: number for number, vehicle in enumerate(self.vehicles)}
        genome = np.full(self.game.vehicles, EMPTY, np.int32)
        genome[: len(board.vehicles)] = [numbers[replace(one, letter="")] for one in board.vehicles]
        return genome

    def genomes(self, boards: Sequence[Board]) -> np.ndarray:
        """Return int32[B, V]: the genomes of boards of this size."""
        return np.stack([self.genome(board) for board in boards])

    def board(self, genome: np.ndarray, name: str = "") -> Board:
        """Return the board of a genome, int32[V]; letters are given in the order of the vehicles."""
        there = [self.vehicles[number] for number in genome if number != EMPTY]
        named = [replace(one, letter=letter) for one, letter in zip(there, [TARGET, *OTHERS], strict=False)]
        return Board(self.game.size, tuple(named), name)

    def state(self, genome: Array) -> State:
        """Return the position of a genome, int32[V], without designated places, which a blind search does not need."""
        there = genome != EMPTY

        def fill(name: str, kind: type) -> Array:
            values: Array = jnp.array([getattr(one, name) for one in self.vehicles], kind)
            return jnp.where(there, values[genome], np.zeros((), kind))

        starts = fill("start", np.int8)
        return State(
            positions=starts,
            lengths=fill("length", np.int8),
            lines=fill("line", np.int8),
            vertical=fill("vertical", np.bool_),
            goals=jnp.full_like(starts, ANYWHERE),
            level=jnp.float32(0),
            count=jnp.int32(0),
            last=jnp.int32(NONE),
            to_move=jnp.int32(0),
            terminated=starts[X] == self.game.size - 2,
            returns=jnp.zeros(1, jnp.float32),
        )

    def mutate(self, key: Array, genome: Array) -> tuple[Array, Array]:
        """Add, swap or delete a vehicle, each with probability 1/3.

        A new vehicle stands at one of the places that are free, all equally likely; none is between X and the exit in
        the row of X. To swap is to take a vehicle off and to put a new one in; it keeps the letter. Only vehicles
        other than X are taken off, all equally likely.

        Args:
            key: typed key[].
            genome: int32[V].

        Returns:
            int32[V], and bool[]: whether the mutation was possible. A board without a free place, or with X alone,
            stays as it is.
        """
        which, off, on = words(key, 3)
        kind, order = below(which, 3), jnp.arange(len(genome))
        others = (genome != EMPTY) & (order != X)
        chosen = (order == uniform(off, others)) & others
        rest = jnp.where((kind != ADD) & chosen, EMPTY, genome)

        taken = (jnp.asarray(self.cells)[rest] & (rest != EMPTY)[:, None]).any(0)
        barred = jnp.asarray(self.before_exit) > jnp.asarray([one.start for one in self.vehicles])[genome[X]]
        free = ~(jnp.asarray(self.cells) & taken).any(1) & ~barred
        slot = jnp.where(kind == SWAP, chosen, order == (genome != EMPTY).sum())
        put = jnp.where((kind != DELETE) & slot, uniform(on, free), rest)

        possible = jnp.where(kind == ADD, free.any(), others.any())
        # A vehicle that was deleted leaves no gap: the search of a board depends on the order of its vehicles alone.
        return jnp.where(possible, put[jnp.argsort(put == EMPTY, stable=True)], genome), possible
