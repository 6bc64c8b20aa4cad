"""Sand by its sieve curve, packed in a tube without overlaps, then let fall to the ground.

The grains must meet the curve by mass within 1 %; at first none touches another; what lies on the
ground at last weighs what was packed.
"""

import numpy as np

import amontons as am
from amontons.model.sizes import passing

SIEVES, PASSING = [4e-3, 6e-3, 8e-3, 12e-3], [0.0, 0.25, 0.6, 1.0]

sand = am.Sizes.sieve(SIEVES, PASSING)
tube = am.Part(am.Cylinder(0.03, 0.06), (0.0, 0.0, 0.032))
grains = am.pack(tube, sand, fraction=0.45, seed=1)
many = sand.radii(4000, seed=1)
print(f"{len(grains.radius)} grains; passing {passing(many, SIEVES).round(3)} by mass")
assert np.abs(passing(many, SIEVES) - PASSING).max() < 0.01

detector = am.CollisionDetector.of_spheres(grains.radius, margin=0.0)
print(f"{len(detector.detect(grains.position))} overlaps at first")
assert len(detector.detect(grains.position)) == 0

world = am.World()
rough = am.Material(friction=0.6)
floor = world.add_body(am.Plane(), fixed=True, material=rough)
world.add_spheres(grains.radius, position=grains.position, density=2650.0, material=rough)
sim = am.Simulation(world, step=1e-3, solver=am.APGD(tolerance=1e-3, max_iterations=200))
sim.run(0.3)

weight = 9.81 * world.bodies.mass[world.bodies.dynamic].sum()
loads: list[float] = []
sim.run(0.05, on_step=lambda _: loads.append(-sim.contacts.on(floor).force[2]))
print(f"the ground carries {np.mean(loads):.3f} N of {weight:.3f} N")
assert abs(np.mean(loads) - weight) < 0.05 * weight
