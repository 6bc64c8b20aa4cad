"""A bar of bonded spheres that breaks on an edge."""

import numpy as np

import amontons as am

D, R = 0.1, 0.02


def bar_on_edge(**options):
    """A simulation of a bar that falls across the edge of a wall, and will break there."""
    world = am.World()
    world.add_body(am.Plane(), fixed=True)
    world.add_body(am.Box((0.02, 1.0, 0.2)), fixed=True, position=(0.3, 0, 0.1))
    bar = world.add_bodies(
        am.Sphere(D / 2), position=[(i * D, 0, 0.3) for i in range(8)], density=2000.0
    )
    bond = am.BeamBond(young=1e7, shear=4e6, radius=R, tensile=3e5)
    world.add_bonds(np.stack([bar[:-1], bar[1:]], axis=1), bond)
    return am.Simulation(world, step=2e-3, **options)
