"""A plain ray caster in double precision, in the coordinates of the track files."""

import math

GRAZES = 1e-7
"""Feet: rays that pass the edge of something more closely may end on either side of it."""


def cast(course, number, x, y, angle):
    """Return the feet from a place on the road to the first wall, and the angle by which to turn along it."""
    dx, dy = math.cos(angle), math.sin(angle)
    gone, forward = 0.0, None
    while True:
        bx, by, base = course.frames[number]
        radius, extent = course.arcs[number]
        if radius == 0:
            along, side = _turned(x - bx, y - by, -base)
            c, s = _turned(dx, dy, -base)
            forward = c >= 0 if forward is None else forward
            if not -GRAZES <= side <= course.width + GRAZES:
                return gone, _between(base - angle)
            wall = math.inf if s == 0 else ((course.width if s > 0 else 0) - side) / s
            room, pace = (extent - along, c) if forward else (along, -c)
            leave = room / pace if pace > 0 else math.inf
            road = base
        else:
            cx, cy = bx - radius * math.sin(base), by + radius * math.cos(base)
            left = radius > 0
            px, py = x - cx, y - cy
            far, polar = math.hypot(px, py), math.atan2(py, px)
            road = polar + (math.pi / 2 if left else -math.pi / 2)
            forward = math.cos(road - angle) >= 0 if forward is None else forward
            walls = sorted((abs(radius), abs(radius - course.width)))
            if not walls[0] - GRAZES <= far <= walls[1] + GRAZES:
                return gone, _between(road - angle)
            dot = px * dx + py * dy
            hits = []
            for circle, first in zip(walls, (True, False), strict=True):
                inside = dot * dot - far * far + circle * circle
                if inside >= 0 and not (first and dot >= 0):
                    hits.append(max(0.0, -dot - math.sqrt(inside) if first else -dot + math.sqrt(inside)))
            wall = min(hits)
            begin = base + (-math.pi / 2 if left else math.pi / 2)
            done = (polar - begin) * (1 if left else -1) % (2 * math.pi)
            done = done - 2 * math.pi if done > extent / 2 + math.pi else done
            hx, hy = px + wall * dx, py + wall * dy
            sweep = math.atan2(px * hy - py * hx, px * hx + py * hy) * (1 if left else -1)
            leave = math.inf
            if (forward and sweep > extent - done) or (not forward and -sweep > done):
                gate = begin + (extent if forward else 0) * (1 if left else -1)
                gx, gy = math.cos(gate), math.sin(gate)
                leave = max(0.0, (px * gy - py * gx) / (gx * dy - gy * dx))
            road = math.atan2(hy, hx) + (math.pi / 2 if left else -math.pi / 2)
        if leave >= wall:
            return gone + max(0.0, wall), _between(road - angle)
        leave = max(0.0, leave)
        gone, x, y = gone + leave, x + leave * dx, y + leave * dy
        number = (number + (1 if forward else -1)) % len(course.arcs)


def _turned(x, y, angle):
    return x * math.cos(angle) - y * math.sin(angle), x * math.sin(angle) + y * math.cos(angle)


def _between(angle):
    return math.atan2(math.sin(angle), math.cos(angle))
