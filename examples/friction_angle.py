"""A block on a slope that gets steeper slides at the angle whose tangent is the friction.

Amontons' and Coulomb's law of friction: it stays as long as tan(angle) < μ, whatever its weight.
"""

import numpy as np

import amontons as am

MU = 0.45
RATE = np.radians(1.0)  # by which the slope gets steeper, a second

world = am.World()
rough = am.Material(friction=MU)
world.add_body(am.Plane(), fixed=True, material=rough)
block = world.add_body(am.Box((0.4, 0.4, 0.1)), mass=3.0, position=(0.0, 0.0, 0.05), material=rough)
sim = am.Simulation(world, step=4e-3, solver=am.Auto(tolerance=1e-8), friction="exact")

angle = np.radians(23.0)
while np.linalg.norm(block.velocity) < 5e-4:
    angle += RATE * 4e-3
    # tilting gravity is tilting the slope
    world.gravity = 9.81 * np.array([np.sin(angle), 0.0, -np.cos(angle)])
    sim.step()

print(f"it slides at {np.degrees(angle):.2f}°; arctan μ is {np.degrees(np.arctan(MU)):.2f}°")
assert abs(np.tan(angle) - MU) < 0.01 * MU
