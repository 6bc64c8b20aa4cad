"""A round arch without mortar stands if it is thick enough: more than 0.1075 of its radius.

M. Milankovitch, 1907: a semicircular arch of mean radius R and thickness t under its own weight
needs t/R ≥ 0.1075. We build one on either side of that, of wedges that only touch.
"""

from itertools import pairwise

import numpy as np

import amontons as am

WEDGES, RADIUS, DEPTH = 15, 2.0, 0.6


def sinking(thickness: float) -> float:
    """How far the top of an arch sinks within a second [m]; `thickness` in mean radii."""
    world = am.World()
    stone = am.Material(friction=0.8)
    world.add_body(am.Plane(), fixed=True, material=stone)
    half = 0.5 * thickness * RADIUS
    edges = np.linspace(0.0, np.pi, WEDGES + 1)
    for start, end in pairwise(edges):
        corners = [
            (-radius * np.cos(angle), side, radius * np.sin(angle))
            for radius in (RADIUS - half, RADIUS + half)
            for angle in (start, end)
            for side in (-0.5 * DEPTH, 0.5 * DEPTH)
        ]
        world.add_body(am.ConvexHull(corners), density=2400.0, placed_by="frame", material=stone)
    sim = am.Simulation(world, step=4e-3, solver=am.Auto(tolerance=1e-6))
    top = sim.bodies.position[:, 2].max()
    sim.run(1.0)
    return top - sim.bodies.position[:, 2].max()


thick, thin = sinking(0.15), sinking(0.08)
print(f"t/R = 0.15: sinks {1e3 * thick:.2f} mm in a second; t/R = 0.08: {1e3 * thin:.0f} mm")
assert thick < 0.01 * RADIUS
assert thin > 0.1 * RADIUS
