"""Grain in a silo hangs on its walls: the floor carries less and less of what is poured in.

H. A. Janssen, 1895: of a weight W filled to the height H into a tube of radius R, the floor carries
W (1 − exp(−x)) / x, with x = 2 μ K H / R. K, the ratio of the pressures across and down, is not
known beforehand; Rankine's bounds for grain of the internal friction μ are 1/k and k, with
k = (1 + sin φ) / (1 − sin φ) and tan φ = μ.
"""

import numpy as np
from scipy.optimize import brentq

import amontons as am

MU, RADIUS, TUBE, COUNT = 0.5, 0.05, 0.16, 180

world = am.World()
grain = am.Material(friction=MU)

# friction acts fully once grain slides, so the floor gives way a little after the filling, as in
# the classical experiment
fall, sink = 1.6, 0.02  # s, m/s
floor = world.add_body(
    am.Box((1.0, 1.0, 0.2)),
    position=(0.0, 0.0, -0.1),
    motion=am.Motion(position=lambda t: (0.0, 0.0, -0.1 - sink * max(0.0, t - fall))),
    material=grain,
)
for angle in 2.0 * np.pi * np.arange(12) / 12:
    inward = -np.array([np.cos(angle), np.sin(angle), 0.0])
    world.add_body(am.Plane(normal=tuple(inward)), fixed=True, position=-TUBE * inward,
                   material=grain)  # fmt: skip
rng = np.random.default_rng(4)
layers = np.arange(COUNT) // 4
corner = np.pi / 2 * (np.arange(COUNT) % 4) + 0.7 * layers
ring = 0.085 * np.stack([np.cos(corner), np.sin(corner)], axis=1)
places = np.column_stack([ring + rng.uniform(-0.01, 0.01, ring.shape), 0.06 + 0.115 * layers])
world.add_bodies(am.Sphere(RADIUS), position=places, mass=1.0, material=grain)

sim = am.Simulation(world, step=4e-3, solver=am.APGD(tolerance=1e-3, max_iterations=300))
sim.run(fall + 0.3)
carried = []


def weigh(report: am.StepReport) -> None:
    """What the floor carries [N]."""
    contacts = sim.contacts
    up = np.where(contacts.bodies[:, 0] == floor.id, 1.0, -1.0)
    on_floor = (contacts.bodies == floor.id).any(axis=1)
    carried.append((up * contacts.force[:, 2])[on_floor].sum())


sim.run(0.3, on_step=weigh)
share = np.mean(carried) / (COUNT * 9.81)
height = sim.bodies.position[:, 2].max() + RADIUS
x = brentq(lambda x: (1.0 - np.exp(-x)) / x - share, 1e-9, 50.0)
K = x * TUBE / (2.0 * MU * height)
sine = np.sin(np.arctan(MU))
bound = (1.0 + sine) / (1.0 - sine)
print(f"the floor carries {100 * share:.0f} % of {COUNT} balls, {height:.2f} m high: K = {K:.2f}")
print(f"Rankine's bounds for μ = {MU} are {1 / bound:.2f} and {bound:.2f}")
assert share < 0.7
assert 1.0 / bound < K < bound
