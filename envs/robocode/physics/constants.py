"""The numbers of the rules. Lengths are in pixels, angles in radians, times in turns."""

import math

HALF = 18.0
"""Half the side of the box of a robot, which never turns."""
RADIUS = 3.0
"""Of a bullet, at walls."""
WEAKEST = 0.1
"""The least power of a shot, unless less energy is left; its bullet is no faster then."""
STRONGEST = 3.0
"""The greatest power of a shot."""
FASTEST = 8.0
REACH = 1200.0
"""Of the radar."""
GUN_RATE = math.radians(20)
RADAR_RATE = math.radians(45)
RAM = 0.6
"""Energy that a ram costs both robots."""
ZAP = 0.1
"""Energy that a turn costs both robots when nothing happens for long."""
DISABLED = 0.01
"""Energy below which a robot has none."""
SURVIVAL, LAST, BULLET_BONUS, RAM_POINTS, RAM_BONUS = 50.0, 10.0, 0.2, 1.2, 0.3
SNAP = 1e-5
"""Radians from a multiple of a right angle at which a heading is one."""
COOL = 2e-5
"""Single precision: heat below which a gun is cool. In double precision it is 0, as in the engine."""
USED_UP = 1e-6
"""Single precision: radians of a turn below which it is done."""
STRAIGHT = 2e-6
"""Single precision: pixels a turn below which a bullet stays on a line along an axis."""
LATE = 5e-5
"""Single precision: heat added to shots of 0.5, 1 and 1.5, which in double precision cool a turn late."""
