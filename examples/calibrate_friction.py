"""Friction of grains from a measured angle of repose, by a sweep.

Grains stand behind a gate in a narrow slot. The gate goes up, they run out, and what stays behind
has a slope. A sweep finds the slope for several coefficients of friction; where the curve meets the
measured angle is the friction of the material. A second sweep confirms it with other seeds.

    python examples/calibrate_friction.py [FOLDER]
"""

import sys
import tempfile
from pathlib import Path

import numpy as np

import amontons as am

MEASURED = 12.0  # angle of repose in the laboratory [degrees]
RADIUS = 4e-3  # of a grain [m]
RUN = {"time": 1.0, "step": 3e-3, "tolerance": 1e-3, "max_iterations": 200, "rate": 10.0}


def slot(friction, seed):
    """243 grains behind a gate that goes up, between smooth walls."""
    world = am.World()
    grain = am.Material(friction=friction, rolling_friction=0.1 * RADIUS)
    rough = am.Material(friction=1.0, rolling_friction=0.1 * RADIUS)
    smooth = am.Material(friction=0.0)
    width = 8 * RADIUS
    world.add_body(am.Plane(), fixed=True, material=rough)
    world.add_body(am.Plane((1, 0, 0)), fixed=True, material=smooth)
    for side in (-1, 1):
        place = (0, side * width / 2, 0)
        world.add_body(am.Plane((0, -side, 0)), fixed=True, position=place, material=smooth)
    gate = am.Box((2 * RADIUS, width, 60 * RADIUS))
    place = (21 * RADIUS, 0, 30.5 * RADIUS)
    world.add_body(gate, position=place, motion=am.Motion(velocity=(0, 0, 0.25)), material=smooth)
    pitch = 2.15 * RADIUS
    grid = np.stack(np.meshgrid(np.arange(9), [-1, 0, 1], np.arange(9)), axis=-1).reshape(-1, 3)
    places = pitch * grid + [1.2 * RADIUS, 0, 1.1 * RADIUS]
    places += np.random.default_rng(seed).uniform(-0.07, 0.07, places.shape) * RADIUS
    world.add_bodies(am.Sphere(RADIUS), position=places, density=2500.0, material=grain)
    return world


def repose_angle(results):
    """Slope of the surface in the last frame [degrees]: a line through the highest grains."""
    x, _, z = results[-1].position[results.bodies.dynamic].T
    column = (x / (2 * RADIUS)).astype(int)
    top = np.array([z[column == i].max(initial=0.0) for i in range(column.max() + 1)])
    middle = 2 * RADIUS * (np.arange(len(top)) + 0.5)
    heap = top > 2.5 * RADIUS  # not the single grains that rolled away
    return np.degrees(np.arctan(-np.polyfit(middle[heap], top[heap], 1)[0]))


folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())
tried = {"friction": [0.05, 0.1, 0.2, 0.3], "seed": [0, 1]}
done = am.sweep(slot, tried, folder / "tried", measure=repose_angle, progress=False, **RUN)
angle = done.table.groupby("friction").repose_angle.mean()
print(angle.round(1).to_string())
assert angle.is_monotonic_increasing  # or there would be no telling friction from the angle

friction = float(np.interp(MEASURED, angle, angle.index))
check = am.sweep(
    slot, {"friction": friction, "seed": [2, 3]}, folder / "check", measure=repose_angle,
    progress=False, **RUN,
)  # fmt: skip
found = check.table.repose_angle.mean()
print(f"friction {friction:.3f} gives {found:.1f}°; measured was {MEASURED:.1f}°")
assert abs(found - MEASURED) < 2.0
