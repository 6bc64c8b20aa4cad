"""Worlds with enough contacts for several processes, which touch from the first step on."""

import numpy as np

import amontons as am
from amontons.scenes.open_box import add_open_box

RADIUS = 0.1
SIDE = 12
"""Spheres along each side of the box."""


def bed(layers=16, **material):
    """Layers of 144 spheres so close that all contacts are in the problem, some three each."""
    world, rng = am.World(), np.random.default_rng(1)
    made = am.Material(**{"friction": 0.5} | material)
    pitch = 2.004 * RADIUS
    half = 0.5 * SIDE * pitch
    add_open_box(world, half=half, material=made)
    place = np.stack(np.meshgrid(*map(np.arange, (SIDE, SIDE, layers)), indexing="ij"), axis=-1)
    place = pitch * place.reshape(-1, 3) + [0.5 * pitch - half, 0.5 * pitch - half, RADIUS]
    world.add_bodies(
        am.Sphere(RADIUS), position=place, mass=1.0, material=made,
        velocity=rng.uniform(-0.3, 0.3, place.shape),
    )  # fmt: skip
    return world


def pressed():
    """The same under a heavy slab that touches spheres of all processes: a hub."""
    world = bed()
    top, width = world.bodies.position[:, 2].max() + RADIUS, 1.9 * SIDE * RADIUS
    world.add_body(
        am.Box((width, width, 0.2)), position=(0.0, 0.0, top + 0.1), mass=500.0,
        material=am.Material(friction=0.5), velocity=(0.2, 0.0, -0.1), name="slab",
    )  # fmt: skip
    return world


def jointed():
    """The same with every second sphere of a column tied to the one above."""
    world = bed()
    ids, place = world.bodies.id[-SIDE * SIDE * 16 :], world.bodies.position
    for a, b in zip(ids[0::2].tolist(), ids[1::2].tolist(), strict=True):
        point = 0.5 * (place[world.index_of(a)] + place[world.index_of(b)])
        world.add_joint(am.Spherical(world.body(a), world.body(b), point=tuple(point)))
    return world


def sticky():
    """Spheres that roll with resistance, hold each other and give way: six rows per contact."""
    return bed(rolling_friction=0.01, spinning_friction=0.01, cohesion=0.5, compliance=1e-6)


def glued():
    """Columns of spheres on beams, some of which break in the first steps."""
    world = bed()
    columns = world.bodies.id[-SIDE * SIDE * 16 :].reshape(SIDE * SIDE, 16)
    pairs = np.stack([columns[:, :-1].ravel(), columns[:, 1:].ravel()], axis=1)
    beam = am.BeamBond(young=1e6, shear=4e5, radius=0.02, tensile=4e3, shear_strength=1e4)
    world.add_bonds(pairs, beam)
    return world


WORLDS = {"bed": bed, "bonds": glued, "joints": jointed, "slab": pressed, "sticky": sticky}
