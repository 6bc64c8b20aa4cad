"""A cantilever of bonded spheres breaks at its root, under the load that beam theory predicts.

The load grows slowly until a bond breaks. The stress there is σ = M r/I with the moment M = F L.
"""

import numpy as np

import amontons as am

YOUNG, SHEAR, STRENGTH = 2e11, 8e10, 2e6  # [Pa]
COUNT, SPACING, RADIUS, RATE = 9, 0.1, 0.02, 5.0  # [-, m, m, N/s]

world = am.World(gravity=(0, 0, 0))
place = np.arange(COUNT)[:, None] * (SPACING, 0.0, 0.0)
row = world.add_bodies(
    am.Sphere(SPACING / 2), position=place, fixed=np.arange(COUNT) == 0, density=2000.0
)
rod = am.BeamBond(young=YOUNG, shear=SHEAR, radius=RADIUS, tensile=STRENGTH)
world.add_bonds(np.stack([row[:-1], row[1:]], axis=1), rod)
world.add_force(am.AppliedForce(row[-1], force=lambda t: (0.0, 0.0, -RATE * t)))

sim = am.Simulation(world, step=0.01)
sim.run(10.0, on_step=lambda _: bool(sim.bonds.broken.any()))

length = SPACING * (COUNT - 1)
predicted = STRENGTH * np.pi * RADIUS**4 / 4 / (RADIUS * length)
print(f"it broke under {RATE * sim.time:.2f} N; F = σ I / (r L) is {predicted:.2f} N")
print(sim.readings.notes[-1])
assert np.flatnonzero(sim.bonds.broken).tolist() == [0]
assert abs(RATE * sim.time / predicted - 1.0) < 0.01
