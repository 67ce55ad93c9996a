"""RARS in plain Python: one car, in double precision and in the coordinates of the track. The driver is Tuto3.

It is `rars.cpp` without the ray.
"""

from dataclasses import dataclass, field
from math import atan, atan2, copysign, cos, exp, hypot, log1p, sin, sqrt

from envs.rars.tracks import PI, Track

DT, GRAVITY, POWER, CUT, MOST = 0.0549, 32.2, 1e5, 0.9975e5, 1.05


@dataclass
class Car:
    """A car."""

    x: float
    y: float
    vx: float
    vy: float
    wx: float = 0.0
    wy: float = 0.0
    ax: float = 0.0
    ay: float = 0.0
    alpha: float = 0.0
    fuel: float = 150.0
    damage: int = 0
    segment: int = 0
    laps: int = -1
    on_line: bool = False
    crossed: float = 0.0
    lane: float = -1.0
    times: list[float] = field(default_factory=list)
    frames: list[list[float]] = field(default_factory=list)  # of the segments of its track


def drive(track: Track, laps: int) -> tuple[list[float], int]:
    """Return the seconds of the first laps, from one place on the grid, and the steps."""
    extent, (x, y, angle) = track.segments[0][1], track.start
    c, s, line = cos(angle), sin(angle), track.finish * extent
    beside = track.width / 2
    car = Car(x + (line - 10) * c - beside * s, y + (line - 10) * s + beside * c, 20 * c, 20 * s)
    car.frames = track.frames.tolist()
    step = 0
    while True:
        seen = sensors(track, car)
        while seen[2] <= 0:
            car.segment = (car.segment + 1) % len(track.segments)
            car.on_line = car.on_line and car.segment == 0
            seen = sensors(track, car)
        over = extent - seen[2] - line
        if car.segment == 0 and over > 0 and not car.on_line:
            now = step * DT - over / (car.vx * c + car.vy * s)
            car.on_line, car.laps = True, car.laps + 1
            if car.laps > 0:
                car.times.append(now - car.crossed)
            car.crossed = now
            if car.laps == laps:
                return car.times, step
        move(track, car, seen, *tuto3(track, car, seen))
        step += 1


Seen = tuple[float, float, float, float, float, float, float]
"""Feet to the left wall, the right one, the end of the segment; speed, drift; radii of this segment and the next."""


def sensors(track: Track, car: Car) -> Seen:
    """Return what the car perceives in its segment."""
    radius, extent = track.arcs[car.segment]
    next_radius = track.arcs[(car.segment + 1) % len(track.segments)][0]
    x, y, angle = car.frames[car.segment]
    if not radius:
        dx, dy, c, s = car.x - x, car.y - y, cos(angle), sin(angle)
        right = dy * c - dx * s
        left, end, vn = track.width - right, extent - (dx * c + dy * s), car.vy * c - car.vx * s
    else:
        dx, dy = car.x - (x - radius * sin(angle)), car.y - (y + radius * cos(angle))
        far, turn = hypot(dx, dy), copysign(1, radius)
        right = radius - turn * far if radius > 0 else far + radius
        left = track.width - right
        end = turn * (car.frames[car.segment + 1][2] - atan2(dy, dx)) - PI / 2
        end -= 2 * PI if end > 1.5 * PI else 0
        end += 2 * PI if end < -0.5 * PI else 0
        vn = -turn * (car.vx * dx + car.vy * dy) / far
    inner, following = (one - track.width if one > 0 else one for one in (radius, next_radius))
    return left, right, end, hypot(car.vx, car.vy), vn, inner, following


def held(radius: float) -> float:
    return 250.0 if radius == 0 else sqrt(GRAVITY * 0.92 * (abs(radius) + 12))


def stop(v: float, after: float, rate: float) -> float:
    return 0.0 if after > v else (v + after) / 2 * (v - after) / rate


def tuto3(track: Track, car: Car, seen: Seen) -> tuple[float, float]:
    """Return the angle and the wheel speed that Tuto3 asks for."""
    left, _, end, v, vn, radius, next_radius = seen
    width, fast, after = track.width, held(radius), held(next_radius)
    if car.lane < 0:
        car.lane = left
    if radius:
        car.lane = 12 if radius > 0 else width - 12
    bias = ((radius > 0) - (radius < 0)) * (v / fast) ** 2 * atan(9 / fast)
    alpha = 0.5 * (left - car.lane) / width - 1.1 * vn / v + bias
    if radius:
        late = end * (abs(radius) + 12) <= stop(v, after, 25)
        return alpha, v - 5 if late else (v + fast) / 2 / cos(alpha)
    if end > stop(v, after, 30):
        return alpha, v + 50
    car.lane = 12 if next_radius > 0 else width - 12
    return alpha, 0.935 * v if v > 1.02 * after else 1.1 * after if v < 0.98 * after else (v + after) / 2


def move(track: Track, car: Car, seen: Seen, alpha: float, vc: float) -> None:
    """Move the car by a step."""
    left, right, _, v, *_ = seen
    car.alpha = max(-1.0, min(1.0, car.alpha + max(-3.2 * DT, min(3.2 * DT, alpha - car.alpha))))
    mass = 75 + car.fuel / GRAVITY
    weight, s, c = mass * GRAVITY, sin(car.alpha), cos(car.alpha)
    vc = 0.0 if vc < 0 and v > 20 else vc
    beyond = max(-left, -right)
    drag = 0.0065 * v * v * (2 * car.damage + 30000) / 30000
    drag += (0.6 + 0.008 * v) * weight if beyond > 0 else 0
    drag += 1.7 * weight if beyond > track.width else 0

    def forces(vc: float) -> tuple[float, float, float]:
        side, back = -vc * s, v - vc * c
        slip = hypot(side, back)
        force = weight * MOST * (1 - exp(-slip / 2)) / slip if slip >= 1e-4 else 0.0
        across, along = -force * side, -force * back
        return across, along, abs(vc) * (along * c + across * s)

    across, along, power = forces(vc)
    if power > POWER:
        across, along, power = forces(cut(weight, v * c, v * abs(s), vc - v * c))
    cen, tan = across / mass, (along - drag) / mass
    car.fuel -= max(power, 0.0) * 0.45e-6 * DT
    car.damage += int((tan * tan + cen * cen) / 50) if beyond > 0 else 0
    ux, uy = (car.vx / v, car.vy / v) if v >= 1e-4 else (0.0, 0.0)
    ax, ay = tan * ux - cen * uy, cen * ux + tan * uy
    vx, vy = car.vx, car.vy
    car.x, car.y = car.x + (1.5 * vx - 0.5 * car.wx) * DT, car.y + (1.5 * vy - 0.5 * car.wy) * DT
    car.vx, car.vy = vx + (1.5 * ax - 0.5 * car.ax) * DT, vy + (1.5 * ay - 0.5 * car.ay) * DT
    car.wx, car.wy, car.ax, car.ay = vx, vy, ax, ay


def cut(weight: float, straight: float, side: float, most: float) -> float:
    """Return the wheel speed at which the power is cut: Newton's method within a bracket."""
    share = min(CUT / (MOST * weight * hypot(straight, side)), 0.995)
    low, high, slip = 0.0, most, min(max(-2 * log1p(-share), min(0.001, most)), most)
    for _ in range(5):
        whole = hypot(slip, side)
        part, gone, speed = slip / whole, MOST * exp(-whole / 2), slip + straight
        rub, steep = MOST - gone, gone / 2
        over = weight * speed * rub * part - CUT
        slope = weight * (rub * part + speed * (steep * part * part + rub * (1 - part * part) / whole))
        low, high = (low, slip) if over > 0 else (slip, high)
        moved = slip - over / slope
        slip = moved if low <= moved <= high else (low + high) / 2
    return straight + slip
