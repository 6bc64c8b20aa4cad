"""Granular samples for measures: made by hand, pressed in a box, and settled in a bed."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

import amontons as am
from amontons.frames.surfaces import shape_arrays, surfaces_of
from amontons.results import BodyList, Frame
from amontons.scenes.open_box import add_open_box
from amontons.scenes.placement import face_centred
from amontons.simulation.reports.contacts import Contacts


class ByHand(NamedTuple):
    """A run whose only frame is made up."""

    bodies: BodyList
    shapes: list


def frame_of(world: am.World, contacts: Contacts | None = None) -> Frame:
    """A frame of bodies as they are in a world, with contacts that are made up."""
    bodies = world.bodies
    names = [world.name_of(int(each)) for each in bodies.id]
    made = BodyList(bodies.id, bodies.shape, bodies.mass, bodies.fixed, bodies.kinematic, names)
    run = ByHand(made, surfaces_of(shape_arrays(world.shapes, world.origins)))
    return Frame(0, 0, 0.0, bodies.position, bodies.orientation, bodies.twist, contacts, run)


def touching(bodies, points, normals, force) -> Contacts:
    """Contacts with these forces on their second bodies."""
    count = len(bodies)
    rows = [np.asarray(each, dtype=float).reshape(count, 3) for each in (points, normals, force)]
    return Contacts(
        np.asarray(bodies, dtype=np.int64).reshape(count, 2), rows[0], rows[1],
        np.zeros(count), rows[2], np.zeros((count, 3)), 1e-3,
    )  # fmt: skip


def lattice(radius: float = 0.1, half: float = 0.8) -> am.World:
    """Spheres on a face-centred cubic lattice, each touching twelve."""
    world = am.World()
    places = face_centred(2.0 * radius, (half, half, half))
    world.add_bodies(am.Sphere(radius), position=places, density=1000.0)
    return world


@cache
def pressed() -> tuple[am.Simulation, am.Body, np.ndarray]:
    """Eight balls without weight in a box, under a piston with a force on it; at rest."""
    world = am.World(gravity=(0.0, 0.0, 0.0))
    rough = am.Material(friction=0.3)
    add_open_box(world, half=0.2, material=rough)
    grid = np.stack(np.meshgrid(*[np.arange(2)] * 3), axis=-1).reshape(-1, 3)
    places = 0.2 * grid - [0.1, 0.1, -0.1]
    world.add_bodies(am.Sphere(0.1), position=places, density=2000.0, material=rough)
    piston = world.add_body(
        am.Box((0.398, 0.398, 0.1)), position=(0, 0, 0.45), mass=20.0, material=rough
    )
    force = np.array([30.0, 0.0, -400.0])
    piston.force = force
    sim = am.Simulation(world, step=1e-3, solver=am.APGD(tolerance=1e-10, max_iterations=3000))
    for _ in range(2):
        sim.step()
    return sim, piston, force


@cache
def falling() -> tuple[am.Simulation, np.ndarray]:
    """Balls of two sizes in a box with smooth walls, and their accelerations in the last step."""
    world = am.World()
    smooth = am.Material(friction=0.0)
    add_open_box(world, half=0.2, material=smooth)
    rng = np.random.default_rng(6)
    grid = np.stack(np.meshgrid(*[np.arange(k) for k in (3, 3, 4)]), axis=-1).reshape(-1, 3)
    places = [0.13, 0.13, 0.118] * grid + [-0.13, -0.13, 0.065]
    for radius, rows in ((0.05, slice(0, None, 2)), (0.06, slice(1, None, 2))):
        world.add_bodies(
            am.Sphere(radius), density=1500.0, position=places[rows]
            + rng.uniform(-0.002, 0.002, places[rows].shape),
            material=am.Material(friction=0.5),
        )  # fmt: skip
    h = 4e-3
    sim = am.Simulation(world, step=h, solver=am.APGD(tolerance=1e-4, max_iterations=200))
    sim.run(0.2)
    before = sim.bodies.velocity.copy()
    sim.step()
    return sim, (sim.bodies.velocity - before) / h
