"""The hash function that draws random bits on a CPU."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxgp import threefry

# The known answers of Random123, the authors' library: key, counter and hash.
KNOWN = (
    ((0x00000000, 0x00000000), (0x00000000, 0x00000000), (0x6B200159, 0x99BA4EFE)),
    ((0xFFFFFFFF, 0xFFFFFFFF), (0xFFFFFFFF, 0xFFFFFFFF), (0x1CB996FC, 0xBB002BE7)),
    ((0x13198A2E, 0x03707344), (0x243F6A88, 0x85A308D3), (0xC4923A9C, 0x483DF7A0)),
)

# What JAX alone draws from two keys: five words of bits each, and two keys of two words each.
BITS = [
    [3725328165, 2389352394, 1291398195, 1428036129, 4260943734],
    [2899676959, 3548400998, 1692160380, 1822441453, 900059358],
]
KEYS = [
    [[2737751932, 2099591257], [533473832, 2443621858]],
    [[1294055386, 3790878917], [1610437339, 2357010365]],
]


def test_the_hash_has_the_known_answers():
    keys, counters, hashes = (jnp.array(column, jnp.uint32).T for column in zip(*KNOWN, strict=True))
    assert (threefry.threefry(*keys, *counters) == hashes).all()


def test_jax_draws_by_it_in_one_kernel_and_draws_what_it_always_did():
    def draw(key):
        return jax.random.bits(key, (5,)), jax.random.key_data(jax.random.split(key, 2))

    compiled = jax.jit(jax.vmap(draw)).lower(jax.random.split(jax.random.key(7), 2)).compile()
    assert "while" not in compiled.as_text()
    bits, keys = compiled(jax.random.split(jax.random.key(7), 2))
    assert np.asarray(bits).tolist() == BITS
    assert np.asarray(keys).tolist() == KEYS
