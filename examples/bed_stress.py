"""A bed of grain at rest: stress over depth, fabric, contacts a body, solid fraction.

Between smooth walls the mean vertical stress of a layer is the weight above it (Newton). Spheres
that were poured fill between the loosest and the densest random packing, 0.55 and 0.64, less what
walls take away (Onoda and Liniger 1990, Scott and Kilgour 1969).
"""

import itertools

import numpy as np

import amontons as am

HALF, RADIUS, COUNT = 0.25, 0.05, 150

world = am.World()
smooth, grain = am.Material(friction=0.0), am.Material(friction=0.5)
world.add_body(am.Plane(), fixed=True, material=smooth)
for normal in np.vstack([np.eye(3)[:2], -np.eye(3)[:2]]):
    world.add_body(am.Plane(normal), fixed=True, position=-HALF * normal, material=smooth)
rng = np.random.default_rng(2)
layer, rest = np.divmod(np.arange(COUNT), 16)
places = 0.12 * np.stack([rest % 4 - 1.5, rest // 4 - 1.5, layer + 0.5], axis=1)
places += rng.uniform(-0.008, 0.008, places.shape)
world.add_bodies(am.Sphere(RADIUS), position=places, density=2500.0, material=grain)
sim = am.Simulation(world, step=5e-3, solver=am.APGD(tolerance=1e-4, max_iterations=300))
sim.run(1.2)

top = sim.bodies.position[:, 2].max()
edges = np.linspace(0.05, 0.8 * top, 5)
z, mass = sim.bodies.position[sim.bodies.dynamic, 2], world.bodies.mass[world.bodies.dynamic]
print("   layer [m]    stress [Pa]   weight above [Pa]")
for low, high in itertools.pairwise(edges):
    stress = am.measure.stress(sim, ((-HALF, -HALF, low), (HALF, HALF, high)))
    above = 9.81 * (mass * np.clip(z - low, 0, high - low)).sum() / (high - low) / (2 * HALF) ** 2
    print(f"{low:.3f} to {high:.3f} {stress[2, 2]:12.1f} {above:14.1f}")
    assert abs(stress[2, 2] - above) < 0.03 * above

core = ((-HALF, -HALF, 0.05), (HALF, HALF, 0.7 * top))
filled = am.measure.solid_fraction(sim, core)
touching = am.measure.coordination(sim, core)
print(f"solid fraction {filled:.3f}; {touching}")
print(f"fabric {np.diag(am.measure.fabric(sim, core)).round(3)}")
assert 0.48 < filled < 0.64
assert 4.0 < touching.mean_held < 6.0
