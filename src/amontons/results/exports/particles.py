"""Bodies of a run as particles, in the terms of programs for atoms and grains."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amontons.errors import InputError
from amontons.frames.frame import Frame
from amontons.results.reader import Results

Floats = NDArray[np.float64]

ROUND = ("Sphere", "Ellipsoid", "Box", "Cylinder", "Capsule", "Cone")
"""Kinds that half extents describe fully, in the order of their type numbers, from 1."""

OTHER = len(ROUND) + 1
"""Type number of all other shapes."""


class ParticleTable(NamedTuple):
    """Finite bodies: all but fixed planes, open meshes and height fields."""

    row: NDArray[np.int64]  # in the arrays of a frame
    id: NDArray[np.int64]
    type: NDArray[np.int64]  # as in ROUND, from 1
    species: list[str]  # kinds of shapes
    radius: Floats  # of spheres, and of the ball that holds another shape [m]
    half: Floats  # half extents along the body's own axes [m], (particles, 3)
    mass: Floats  # [kg]; zero of bodies that are fixed or kinematic


def particles_of(results: Results) -> ParticleTable:
    """The bodies of a run as particles; walls are left out."""
    bodies, shapes = results.bodies, results.shapes
    kinds = np.array([shape.kind for shape in shapes])[bodies.shape]
    wall = np.isin(kinds, ["Plane", "HeightField"]) | (
        ~bodies.dynamic & np.isin(kinds, ["TriangleMesh", "Compound"])
    )
    row = np.flatnonzero(~wall)
    if not row.size:
        raise InputError(f"{results.path} has no bodies but walls, so there are no particles")
    half = np.array([shape.half for shape in shapes]).reshape(-1, 3)[bodies.shape[row]]
    number = {kind: i for i, kind in enumerate(ROUND, start=1)}
    kind = kinds[row]
    around = np.where(kind == "Sphere", half[:, 0], np.linalg.norm(half, axis=1))
    mass = bodies.mass[row]
    return ParticleTable(
        row,
        bodies.id[row],
        np.array([number.get(each, OTHER) for each in kind.tolist()], dtype=np.int64),
        kind.tolist(),
        around,
        half,
        np.where(np.isfinite(mass), mass, 0.0),
    )


def present(frame: Frame, particles: ParticleTable) -> tuple[ParticleTable, Frame]:
    """The particles that exist in a frame; the frame has a row for every body."""
    whole = frame.whole()
    here = np.flatnonzero(~np.isnan(whole.position[particles.row, 0]))
    if here.size == len(particles.row):
        return particles, whole
    species = [particles.species[i] for i in here.tolist()]
    row, id, type, _, radius, half, mass = particles
    kept = ParticleTable(
        row[here], id[here], type[here], species, radius[here], half[here], mass[here]
    )
    return kept, whole


def bounds_of(results: Results, frames: list[int], particles: ParticleTable) -> Floats:
    """A box that holds all particles in all of these frames [m], shape (2, 3)."""
    reach = particles.radius[:, None]
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    for number in frames:
        place = results.position[number][particles.row]
        here = ~np.isnan(place[:, 0])
        low = np.minimum(low, (place - reach)[here].min(axis=0, initial=np.inf))
        high = np.maximum(high, (place + reach)[here].max(axis=0, initial=-np.inf))
    if not np.isfinite(low).all():
        return np.zeros((2, 3))
    return np.stack([low, high])
