"""Rule languages, random lists and views, and checks that the tests of rule lists share."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxgp.genotypes.rulelists import DONT_CARE, RuleLanguage, RuleLists, Symmetry

# Edge, empty, the opponent's brick, the own brick; the opponent's orientation; the own orientation.
WALLS_SYMBOLS = ("#", "0", "B", "A", "N", "E", "S", "W", "N", "E", "S", "W")
WEST_IS_EAST = (0, 1, 2, 3, 4, 7, 6, 5, 8, 11, 10, 9)
TURNED = (0, 1, 2, 3, 5, 6, 7, 4, 9, 10, 11, 8)


def walls(size, turns=0):
    """Return rules over a view of size x size cells: a reflection, and `turns` quarter turns to the right."""
    grid = np.arange(size * size).reshape(size, size)
    outer, centre = tuple(range(8)), tuple(range(8, 12))
    symmetries = [Symmetry(tuple(grid[:, ::-1].ravel().tolist()), WEST_IS_EAST, (0, 2, 1))]
    cells, symbols = np.arange(size * size), np.arange(12)
    for _ in range(turns):
        cells, symbols = np.rot90(grid, -1).ravel()[cells], np.array(TURNED)[symbols]
        symmetries.append(Symmetry(tuple(cells.tolist()), tuple(symbols.tolist()), (0, 1, 2)))
    return RuleLanguage(
        name=f"walls-{size}",
        shape=(size, size),
        symbols=WALLS_SYMBOLS,
        accepts=tuple(centre if cell == size * size // 2 else outer for cell in range(size * size)),
        actions=("try-forward", "turn-left", "turn-right"),
        symmetries=tuple(symmetries),
    )


WALLS3, WALLS5 = walls(3), walls(5, turns=3)

# A view that is no square, cells with different numbers of codes down to one, codes of 5 bits, a default that is last.
ODD = RuleLanguage(
    name="odd",
    shape=(2, 4),
    symbols=tuple(f"s{i}" for i in range(17)),
    accepts=((0,), (1, 2), (16, 3), tuple(range(17)), (5,), (4, 15, 9), (0, 16), (7, 8)),
    actions=("stay", "go"),
    default=1,
)

LANGUAGES = (WALLS3, WALLS5, ODD)


def empty(language, shape, capacity):
    """Return lists without rules; batch shape `shape`."""
    return RuleLists(
        condition=jnp.zeros((*shape, capacity, language.num_cells), jnp.int8),
        action=jnp.zeros((*shape, capacity), jnp.int8),
        length=jnp.zeros(shape, jnp.int32),
    )


def random_lists(seed, language, count, capacity, dont_care=0.7):
    """Return RuleLists [count] (NumPy fields), of all lengths from none to the capacity."""
    rng = np.random.default_rng(seed)
    length = rng.integers(0, capacity + 1, count).astype(np.int32)
    length[:2] = 0, capacity
    live = np.arange(capacity) < length[:, None]
    action = rng.integers(0, len(language.actions), (count, capacity))
    condition = np.where(rng.random((count, capacity, language.num_cells)) < dont_care, -1, 0)
    for cell, codes in enumerate(language.accepts):
        condition[..., cell] += rng.choice(codes, (count, capacity)) * (condition[..., cell] == 0)
    return RuleLists(
        np.where(live[..., None], condition, 0).astype(np.int8), np.where(live, action, 0).astype(np.int8), length
    )


def random_views(seed, language, *shape):
    """Return int8[*shape, C]: codes that each cell accepts."""
    rng = np.random.default_rng(seed)
    return np.stack([rng.choice(codes, shape) for codes in language.accepts], -1).astype(np.int8)


def lane(batch, *index):
    """Return one list of a batch, on the host."""
    return jax.tree.map(lambda field: np.asarray(field)[index], batch)


def problems(language, one):
    """Say in words what is wrong with one list, on the host; an empty list means that it is valid."""
    condition, action, length = (np.asarray(field) for field in (one.condition, one.action, one.length))
    found = []
    if condition.dtype != np.int8 or action.dtype != np.int8 or length.dtype != np.int32:
        found.append(f"types {condition.dtype}, {action.dtype}, {length.dtype} instead of int8, int8, int32")
    if condition.shape != (*action.shape, language.num_cells):
        return [
            *found,
            f"conditions of shape {condition.shape} for {action.shape} rules and {language.num_cells} cells",
        ]
    if not 0 <= length <= action.shape[0]:
        return [*found, f"{length} rules in a capacity of {action.shape[0]}"]
    for cell, codes in enumerate(language.accepts):
        wrong = ~np.isin(condition[:length, cell], (DONT_CARE, *codes))
        found += [
            f"rule {rule}, cell {cell}: {condition[rule, cell]} is not accepted" for rule in np.flatnonzero(wrong)
        ]
    wrong = (action[:length] < 0) | (action[:length] >= len(language.actions))
    found += [f"rule {rule}: there is no action {action[rule]}" for rule in np.flatnonzero(wrong)]
    if condition[length:].any() or action[length:].any():
        found.append("padding is not zero")
    return found


def assert_valid(language, lists):
    """Check every list of a batch [P]."""
    host = jax.tree.map(np.asarray, lists)
    for i in range(len(host.length)):
        assert problems(language, lane(host, i)) == []
