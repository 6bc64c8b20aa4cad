"""A bed of balls carries its weight along chains: how much, how many contacts, and a picture.

Floor and walls carry the weight of all balls (Newton). Balls with friction that are just held have
a mean of between 4 and 6 contacts, counting only balls that have some (isostatic bounds d + 1 and
2d; Edwards 1998, Silbert 2010). Forces above the mean are rare: their share falls off exponentially
(Liu et al., Science 269, 1995).
"""

import sys

import numpy as np

import amontons as am
from amontons.scenes import PackedBed

scene = PackedBed(250, spacing=1.02, depth=1.0)
sim = am.Simulation(scene.build(), step=5e-3, solver=am.APGD(tolerance=1e-4, max_iterations=500))
sim.run(2.0)

contacts, bodies = sim.contacts, sim.bodies
weight = 9.81 * bodies.mass[bodies.dynamic].sum()
fixed = np.isin(contacts.bodies, bodies.id[bodies.fixed])
carried = contacts.force[fixed[:, 0], 2].sum() - contacts.force[fixed[:, 1], 2].sum()
print(f"floor and walls carry {carried:.1f} N of a weight of {weight:.1f} N")
assert abs(carried - weight) < 0.01 * weight

force = contacts.normal_force
pressed = force > 1e-3 * force.mean()
touching = np.bincount(contacts.bodies[pressed].ravel(), minlength=bodies.id.max() + 1)
count = touching[bodies.id[bodies.dynamic]]
number = count[count > 1].mean()  # one that rests on a single contact carries nothing
strong = (force[pressed] > 3.0 * force[pressed].mean()).mean()
print(f"{number:.2f} contacts a ball; {100 * strong:.1f} % of them carry three times the mean")
assert 4.0 < number < 6.0
assert 0.001 < strong < 0.15  # exp(−3) is 0.05

if len(sys.argv) > 1:  # a file for the picture
    sim.render(forces="chains", colour="force").save(sys.argv[1])
