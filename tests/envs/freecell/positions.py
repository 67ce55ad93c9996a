"""Random positions of FreeCell, and random walks from them."""

import jax
import jax.numpy as jnp
import numpy as np

from envs.freecell import cards
from envs.freecell.cards import CARDS, CASCADES, CELLS, Layout
from envs.freecell.states import SUITS, position
from tests.envs.replays import FAST, KEY


def some(count, seed=0):
    """Return deals, and as many positions with cards on the foundations: of some most cards are in order."""
    random = np.random.default_rng(seed)
    deals = [cards.deal(int(number)) for number in random.integers(1, cards.FIRST + 1, (count + 1) // 2)]
    return [*deals, *(scattered(random) for _ in range(count // 2))]


def scattered(random):
    """Return a position with any numbers of cards on the foundations and in cells."""
    home = random.integers(0, 14, SUITS)
    left = [card for card in range(CARDS) if card // SUITS >= home[card % SUITS]]
    disorder = random.choice([0, 3, 100])
    left.sort(key=lambda card: -(card // SUITS) + disorder * random.random())
    held = random.permutation(left)[: random.integers(0, CELLS + 1)].tolist()
    piles = [[] for _ in range(random.integers(1, CASCADES + 1))]
    for card in (card for card in left if card not in held):
        open_ = [pile for pile in piles if len(pile) + card // SUITS + 1 <= cards.ROWS]
        fitting = [pile for pile in open_ if pile and cards.fits(np.array(card), np.array(pile[-1]))]
        chosen = fitting if fitting and random.random() < 0.8 else open_
        if not chosen:
            return scattered(random)
        chosen[random.integers(len(chosen))].append(card)
    piles += [[]] * (CASCADES - len(piles))
    order = random.permutation(CASCADES)
    return Layout(tuple(tuple(piles[n]) for n in order), tuple(held), tuple(home.tolist()))


def states_of(layouts):
    return jax.tree.map(lambda *x: np.stack(x), *(position(layout) for layout in layouts))


def walk(game, layouts, plies, seed=0):
    """Walk randomly from each position; return states [plies + 1, B] and actions [plies, B], as NumPy arrays."""

    def ply(state, bits):
        def one(state, bits):
            place = bits % jnp.maximum(game.choices(state), 1).astype(jnp.uint32)
            action = game.choice(state, place.astype(jnp.int32))
            return game.step(state, action, KEY), action

        after, action = jax.vmap(one)(state, bits)
        return after, (after, action)

    first = jax.tree.map(jnp.asarray, states_of(layouts))
    bits = np.random.default_rng(seed).integers(2**32, size=(plies, len(layouts)), dtype=np.uint32)
    run = jax.jit(lambda first, bits: jax.lax.scan(ply, first, bits)[1], compiler_options=FAST)
    states, actions = run(first, jnp.asarray(bits))
    joined = jax.tree.map(lambda a, b: np.concatenate([np.asarray(a)[None], np.asarray(b)]), first, states)
    return joined, np.asarray(actions)


def at(states, *index):
    return jax.tree.map(lambda x: x[index], states)
