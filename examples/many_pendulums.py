"""A hundred pendulums in one batch: the farther they swing, the longer they take.

The rods hang on hinges and are let go at angles θ₀ between 3° and 172°. A quarter of the period is
√(I/(m g d)) K(sin θ₀/2), with the complete elliptic integral K (Legendre).
"""

import numpy as np
from scipy.special import ellipk

import amontons as am

LENGTH, RADIUS, STEP, G = 0.5, 0.01, 5e-4, 9.81
angles = np.linspace(np.radians(3.0), np.radians(172.0), 100)

world = am.World(gravity=(0.0, 0.0, -G))
rod = world.add_body(
    am.Cylinder(RADIUS, LENGTH), density=1000.0, position=(0.0, 0.0, -0.5 * LENGTH)
)
world.add_joint(am.Revolute(None, rod.id, point=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0)))

batch = am.Batch(world, worlds=len(angles), step=STEP)
# arrays of all worlds, to write into: a turn of θ₀ about y, around the hinge
batch.orientation[:, 0, 0], batch.orientation[:, 0, 2] = np.cos(angles / 2), np.sin(angles / 2)
batch.position[:, 0, 0] = -0.5 * LENGTH * np.sin(angles)
batch.position[:, 0, 2] = -0.5 * LENGTH * np.cos(angles)

quarter = np.full(len(angles), np.nan)
while np.isnan(quarter).any():
    before = batch.position[:, 0, 0].copy()
    batch.step()
    now = batch.position[:, 0, 0]
    through = np.isnan(quarter) & (now >= 0.0)  # the vertical, between this step and the last
    quarter[through] = (batch.time - STEP * now / (now - before))[through]

inertia = world.bodies.inertia[0, 1, 1] / world.bodies.mass[0] + (0.5 * LENGTH) ** 2
known = np.sqrt(inertia / (G * 0.5 * LENGTH)) * ellipk(np.sin(angles / 2) ** 2)
error = np.abs(quarter / known - 1.0)
for i in (0, 50, 99):
    print(f"{np.degrees(angles[i]):5.1f}°: {4 * quarter[i]:.4f} s, known {4 * known[i]:.4f} s")
print(f"largest error of {len(angles)} periods: {error.max():.1e}")
assert error.max() < 2e-3
