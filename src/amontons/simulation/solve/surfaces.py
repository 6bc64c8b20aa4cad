"""Surfaces that run over their bodies, as belts do: what they add to velocities at contacts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from amontons.algebra.rotations import rotation_matrices
from amontons.collision.contacts import ContactSet
from amontons.simulation.solve.step_solution import StepSolution
from amontons.simulation.state import BodyState

Floats = NDArray[np.float64]


def slides_of(contacts: ContactSet, bodies: BodyState) -> Floats | None:
    """Velocity of B's surface over B less that of A's over A [m/s], shape (contacts, 3).

    Only the part along the surface counts: w − (w·n)n. None where no surface runs.
    """
    if not bodies.surface_velocity.any():
        return None
    runs = np.asarray(bodies.surface_velocity.any(axis=1))
    if not runs[contacts.bodies].any():
        return None
    surface = np.zeros_like(bodies.surface_velocity)
    turn = rotation_matrices(bodies.orientation[runs])
    surface[runs] = np.einsum("bij,bj->bi", turn, bodies.surface_velocity[runs])
    w = surface[contacts.bodies[:, 1]] - surface[contacts.bodies[:, 0]]
    n = contacts.normals
    return np.asarray(w - np.einsum("ci,ci->c", w, n)[:, None] * n)


def work_of_surfaces(solved: StepSolution) -> Floats:
    """Work that each contact's surfaces do on its bodies in a step, −P·w [J], shape (contacts,)."""
    slides = solved.terms.slides
    if slides is None:
        return np.zeros(len(solved.terms))
    return np.asarray(-np.einsum("ci,ci->c", solved.contact_impulses[:, :3], slides))
