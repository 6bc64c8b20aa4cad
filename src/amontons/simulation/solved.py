"""A step's problem and its solution, kept until the next step."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amontons.collision.contacts import ContactSet
from amontons.dynamics.contact_laws import ContactTerms
from amontons.problem.problem import ConeProblem
from amontons.problem.solution import Solution
from amontons.simulation.contacts import Contacts

Floats = NDArray[np.float64]


class Solved(NamedTuple):
    """What came out of a step, in terms of velocities and impulses."""

    detected: ContactSet  # all contacts within the margin
    terms: ContactTerms  # those in the problem
    problem: ConeProblem
    solution: Solution
    free: Floats  # v*, (bodies, 6)
    velocity: Floats  # v⁺, (bodies, 6)
    step: float  # [s]

    @property
    def contact_impulses(self) -> Floats:
        """World-frame impulses of contacts in the problem [N s], shape (contacts, 3 or 6)."""
        count = len(self.terms)
        width = 3 if self.terms.rolling is None else 6
        return self.solution.impulses[: width * count].reshape(count, width)

    def contacts(self, ids: NDArray[np.int64], position: Floats) -> Contacts:
        """Contacts with their forces, from the bodies' ids and their places at the start."""
        of = self.terms.contacts
        force = self.contact_impulses / self.step
        points = 0.5 * (of.points_a(position) + of.points_b(position))
        torque = force[:, 3:] if force.shape[1] == 6 else np.zeros((len(of), 3))
        return Contacts(ids[of.bodies], points, of.normals, of.gaps, force[:, :3], torque)
