"""Functions in double precision, rounded as those of Java: robots ask whether what is left of an amount is exactly 0.

Source: the formulas and coefficients of fdlibm 5.3, which Java's `StrictMath` is defined by: e_atan2.c, s_atan.c,
e_asin.c, e_acos.c and e_hypot.c (copyright 1993 by Sun Microsystems, Inc.: "Permission to use, copy, modify, and
distribute this software is freely granted, provided that this notice is preserved."). In single precision, sine,
cosine and arctan2 are those of S. Moshier's Cephes library, which XLA computes for many numbers at once; its own ones
are called one by one. A processor that multiplies and adds in one rounding gives other last bits:
`XLA_FLAGS=--xla_cpu_max_isa=AVX` forbids that.
"""

import jax.numpy as jnp
import numpy as np
from jax import Array, lax

_HIGH = (4.63647609000806093515e-01, 7.85398163397448278999e-01, 9.82793723247329054082e-01, 1.57079632679489655800e00)
_LOW = (2.26987774529616870924e-17, 3.06161699786838301793e-17, 1.39033110312309984516e-17, 6.12323399573676603587e-17)
_EVEN = (
    *(3.33333333333329318027e-01, 1.42857142725034663711e-01, 9.09088713343650656196e-02),
    *(6.66107313738753120669e-02, 4.97687799461593236017e-02, 1.62858201153657823623e-02),
)
_ODD = (
    *(-1.99999999998764832476e-01, -1.11111104054623557880e-01, -7.69187620504482999495e-02),
    *(-5.83357013379057348645e-02, -3.65315727442169155270e-02),
)
_PI_LOW, _HALF_LOW = 1.2246467991473531772e-16, 6.12323399573676603587e-17
_UPPER = (
    *(1.66666666666666657415e-01, -3.25565818622400915405e-01, 2.01212532134862925881e-01),
    *(-4.00555345006794114027e-02, 7.91534994289814532176e-04, 3.47933107596021167570e-05),
)
_LOWER = (
    *(1.0, -2.40339491173441421878e00, 2.02094576023350569471e00),
    *(-6.88283971605453293030e-01, 7.70381505559019352791e-02),
)
_NEAR_ONE = 0.9749999046325684


def sine(x: Array) -> Array:
    """Return sin(x); in single precision any number from -1 to 1 where the angle is beyond 2**20."""
    return jnp.sin(x) if x.dtype == jnp.float64 else _wave(*_reduced(x))


def cosine(x: Array) -> Array:
    """Return cos(x); see `sine`."""
    if x.dtype == jnp.float64:
        return jnp.cos(x)
    quarter, rest = _reduced(x)
    return _wave(quarter + 1, rest)


def tangent(x: Array, sin: Array, cos: Array) -> Array:
    """Return tan(x), of an angle whose sine and cosine are known."""
    return jnp.tan(x) if x.dtype == jnp.float64 else sin / jnp.where(cos == 0, 1.0, cos)


def divided(x: Array, number: float) -> Array:
    """Return x / number in one rounding: dividing by a constant, XLA multiplies by the rounded inverse.

    It cannot tell that no number is unlike itself.
    """
    return x / jnp.where(x != x, 0.0, number).astype(x.dtype)


def _reduced(x: Array) -> tuple[Array, Array]:
    """Return the number of right angles next to x, and the rest, from -pi / 4 to pi / 4."""
    quarter = jnp.round(x * 0.6366197723675814)
    rest = ((x - quarter * 1.5703125) - quarter * 4.837512969970703e-4) - quarter * 7.549789948768648e-8
    return quarter, jnp.clip(rest, -0.7854, 0.7854)


def _wave(quarter: Array, rest: Array) -> Array:
    """Return the sine of so many right angles and a rest."""
    z = rest * rest
    sin = ((-1.9515295891e-4 * z + 8.3321608736e-3) * z - 1.6666654611e-1) * z * rest + rest
    cos = ((2.443315711809948e-5 * z - 1.388731625493765e-3) * z + 4.166664568298827e-2) * z * z - 0.5 * z + 1
    turn = quarter - 4 * jnp.floor(quarter * 0.25)
    value = jnp.where((turn == 1) | (turn == 3), cos, sin)
    return jnp.where(turn >= 2, -value, value)


def arctan2(y: Array, x: Array) -> Array:
    """Return the angle of a vector, radians, of finite numbers."""
    if x.dtype != jnp.float64:
        return _arctan2(y, x)
    size = _arctan(jnp.abs(y / jnp.where(x == 0, 1.0, x)))
    size = jnp.where(x == 0, jnp.where(y == 0, 0.0, np.pi / 2), size)
    value = jnp.where(x < 0, np.pi - (size - _PI_LOW), size)
    return jnp.where(y < 0, -value, value)


def _arctan2(y: Array, x: Array) -> Array:
    """Return arctan2(y, x) in single precision."""
    high, wide = jnp.abs(y), jnp.abs(x)
    large = jnp.maximum(high, wide)
    ratio = jnp.minimum(high, wide) / jnp.where(large == 0, 1.0, large)
    far = ratio > 0.41421356237
    t = jnp.where(far, (ratio - 1) / (ratio + 1), ratio)
    z = t * t
    poly = ((8.05374449538e-2 * z - 1.38776856032e-1) * z + 1.99777106478e-1) * z - 3.33329491539e-1
    size = jnp.where(far, np.float32(np.pi / 4), 0.0) + (poly * z * t + t)
    size = jnp.where(high > wide, np.float32(np.pi / 2) - size, size)
    size = jnp.where(x < 0, np.float32(np.pi) - size, size)
    return jnp.where(y < 0, -size, size)


def _arctan(x: Array) -> Array:
    """Return arctan(x), of numbers not below 0."""
    bounds = [x < 0.4375, x < 0.6875, x < 1.1875, x < 2.4375]
    reduced = [x, (2.0 * x - 1.0) / (2.0 + x), (x - 1.0) / (x + 1.0), (x - 1.5) / (1.0 + 1.5 * x)]
    x = jnp.select(bounds, reduced, -1.0 / jnp.where(x == 0, 1.0, x))
    high = jnp.select(bounds, [0.0, *_HIGH[:3]], _HIGH[3])
    low = jnp.select(bounds, [0.0, *_LOW[:3]], _LOW[3])
    z = x * x
    w = z * z
    series = z * _poly(_EVEN, w) + w * _poly(_ODD, w)
    return jnp.where(bounds[0], x - x * series, high - ((x * series - low) - x))


def arcsin(x: Array) -> Array:
    """Return the angle with the sine x in double precision, of numbers from -1 to 1."""
    size, ratio, root, head, rest = _halved(x)
    quarter = np.pi / 4
    middle = quarter - ((2.0 * root * ratio - (_HALF_LOW - 2.0 * rest)) - (quarter - 2.0 * head))
    large = jnp.where(size >= _NEAR_ONE, np.pi / 2 - (2.0 * (root + root * ratio) - _HALF_LOW), middle)
    large = jnp.where(size >= 1, np.pi / 2, large)
    return jnp.where(size < 0.5, x + x * ratio, jnp.where(x < 0, -large, large))


def arccos(x: Array) -> Array:
    """Return the angle with the cosine x in double precision, of numbers from -1 to 1."""
    size, ratio, root, head, rest = _halved(x)
    small = np.pi / 2 - (x - (_HALF_LOW - x * ratio))
    below = np.pi - 2.0 * (root + (ratio * root - _HALF_LOW))
    return jnp.where(size < 0.5, small, jnp.where(x < 0, below, 2.0 * (head + (ratio * root + rest))))


def _halved(x: Array) -> tuple[Array, Array, Array, Array, Array]:
    """Return |x|; then, of x^2 or beyond one half of (1 - |x|) / 2: the ratio, the root, its head, and the rest."""
    size = jnp.abs(x)
    t = jnp.where(size < 0.5, x * x, (1 - size) * 0.5)
    root = jnp.sqrt(t)
    head = _head(root)
    return size, _ratio(t), root, head, (t - head * head) / jnp.where(root == 0, 1.0, root + head)


def _ratio(t: Array) -> Array:
    return t * _poly(_UPPER, t) / _poly(_LOWER, t)


def _poly(coefficients: tuple[float, ...], w: Array) -> Array:
    value = jnp.full_like(w, coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        value = coefficient + w * value
    return value


def hypot(x: Array, y: Array) -> Array:
    """Return the length of a vector, of numbers far from the limits of their type."""
    if x.dtype != jnp.float64:
        return jnp.sqrt(x * x + y * y)
    a, b = jnp.maximum(jnp.abs(x), jnp.abs(y)), jnp.minimum(jnp.abs(x), jnp.abs(y))
    difference, head = a - b, _head(a)
    far = head * head - (b * -b - (a - head) * (a + head))
    twice, other = _head(a + a), _head(b)
    near = twice * other - (difference * -difference - (twice * (b - other) + ((a + a) - twice) * b))
    return jnp.sqrt(jnp.where(difference > b, far, near))


def _head(x: Array) -> Array:
    """Return a double without the lower half of its bits."""
    bits = lax.bitcast_convert_type(x, jnp.uint64) & jnp.uint64(0xFFFFFFFF00000000)
    return lax.bitcast_convert_type(bits, jnp.float64)
