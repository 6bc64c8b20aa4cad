"""A step's problem and its solution, kept until the next step."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amontons.collision.contacts import ContactSet
from amontons.collision.images.image_contacts import PeriodicContacts
from amontons.dynamics.bonds.step import BondStep
from amontons.dynamics.bridges import Bridges
from amontons.dynamics.contact_laws import ContactTerms
from amontons.dynamics.joints.coordinates import Measured
from amontons.dynamics.joints.law import JointRows
from amontons.dynamics.joints.step import JointStep
from amontons.problem.problem import ConeProblem
from amontons.problem.solution import Solution
from amontons.simulation.reports.contacts import Contacts
from amontons.simulation.sharing.share import Share

Floats = NDArray[np.float64]

CARRIED, STICKING, PARTING, BRIDGED = 8, 6, 7, 8
"""What is remembered of a contact: force and torque [N, N m], whether it stuck, whether its bodies
overlap and are being parted, and in a world with wet bodies whether it has a liquid bridge."""

NO_GROWTH, NO_ROWS = np.zeros(3), np.empty(0)


class StepSolution(NamedTuple):
    """What came out of a step, in terms of velocities and impulses."""

    detected: ContactSet  # all contacts within the margin
    terms: ContactTerms  # those in the problem
    joints: JointStep  # rows of all joints
    bonds: BondStep  # and of all bonds
    rows: JointRows  # of bonds, then of joints
    acting: NDArray[np.bool_] | NDArray[np.int64]  # those in the problem: of bodies that can move
    joint_rows: int  # how many act in all
    share: Share  # the part of the step that this process takes
    problem: ConeProblem
    solution: Solution
    velocity: Floats  # v⁺, (bodies, 6)
    motion: Floats  # at which bodies move in the step: v⁺, or with what parts them, (bodies, 6)
    parting: Floats  # of contacts that are being parted: since when they overlap, (detected,)
    parted: Solution | None  # of the problem that parts them
    depths: Floats  # overlaps by the smaller half thickness, (detected,)
    new: NDArray[np.bool_]  # bodies that were in no step before, (bodies,)
    kinetic: float  # energy at the free velocity v* [J]
    ended: float  # that at v⁺ [J]
    step: float  # [s]
    coordinates: Measured  # of joints: at the start, and once the step is taken, at its end
    row_impulses: Floats = NO_ROWS  # of the `rows` [N s, N m s], (rows,); sleepers' stay
    growth: Floats = NO_GROWTH  # of the cell: what impulses add to its rates [1/s], (3,)
    moved_growth: Floats = NO_GROWTH  # and with what parts bodies, in this step alone, (3,)
    bridges: Bridges | None = None  # of the detected contacts, where bodies are wet
    cell_work: float = 0.0  # that the cell does on bodies beside its pressure [J]

    @property
    def solutions(self) -> tuple[Solution, ...]:
        """Of all problems of the step."""
        return (self.solution,) if self.parted is None else (self.solution, self.parted)

    @property
    def worst(self) -> Solution:
        """The one of them that is farthest from what was asked for."""
        return max(self.solutions, key=lambda each: (not each.converged, each.residual))

    @property
    def contact_impulses(self) -> Floats:
        """World-frame impulses of contacts in the problem [N s], shape (contacts, 3 or 6)."""
        count, width = len(self.terms), self.terms.width
        return self.solution.impulses[: width * count].reshape(count, width)

    def with_all_rows(self) -> StepSolution:
        """The same with the impulses of all rows."""
        found = self.solution.impulses[self.terms.width * len(self.terms) :]
        return self._replace(
            row_impulses=self.share.impulses_of_rows(self.rows, self.acting, found)
        )

    @property
    def bond_impulses(self) -> Floats:
        """Those of bonds alone, shape (rows of bonds,)."""
        return self.row_impulses[: self.bonds.rows.free]

    @property
    def joint_impulses(self) -> Floats:
        """Those of joints alone, shape (rows of joints,)."""
        return self.row_impulses[self.bonds.rows.free :]

    def carried(self, slip_speed: float) -> Floats:
        """What all detected contacts remember, as `CARRIED` says; shape (detected, CARRIED).

        A contact sticks that carries something and slides no faster than `slip_speed` [m/s]. Where
        bodies are wet there is a column more, and a bridge forms where bodies touched.
        """
        columns = CARRIED + (self.bridges is not None)
        if not len(self.detected):
            return np.zeros((0, columns))
        width, normals = self.terms.width, self.terms.contacts.normals
        kept = slice(None) if self.terms.kept is None else self.terms.kept
        values, force = np.zeros((len(self.detected), columns)), self.contact_impulses / self.step
        values[kept, :width] = force
        if self.parting.any():
            values[:, PARTING] = self.parting
        if self.terms.has_static_friction:
            u = self.solution.velocities[: width * len(self.terms)].reshape(-1, width)[:, :3]
            u = u - np.einsum("ci,ci->c", u, normals)[:, None] * normals
            slow = np.einsum("ci,ci->c", u, u) <= slip_speed * slip_speed
            values[kept, STICKING] = slow & force[:, :3].any(axis=1)
        if self.bridges is not None:
            assert self.terms.cohesion is not None
            push = np.einsum("ci,ci->c", self.contact_impulses[:, :3], normals)
            values[:, BRIDGED] = self.bridges.acting
            values[kept, BRIDGED] += push + self.terms.cohesion > 0.0
            values[:, BRIDGED] = self.bridges.wet & (values[:, BRIDGED] > 0.0)
        return values

    @property
    def bridge_pulls(self) -> Floats | None:
        """Impulses of liquid bridges on B of contacts in the problem [N s], (contacts, 3)."""
        if self.bridges is None:
            return None
        pull = self.step * self.terms.of_kept(self.bridges.pull)
        return -pull[:, None] * self.terms.contacts.normals

    def contacts(self, ids: NDArray[np.int64], position: Floats) -> Contacts:
        """Contacts with their forces, from the bodies' ids and their places at the start.

        Where processes share the step, those that count on this one.
        """
        of = self.terms.contacts
        force = self.contact_impulses / self.step
        points = 0.5 * (of.points_a(position) + of.points_b(position))
        if isinstance(of, PeriodicContacts):  # bodies may have come back on the other side since
            points = of.points_a(position) + 0.5 * of.gaps[:, None] * of.normals
        torque = force[:, 3:] if force.shape[1] == 6 else np.zeros((len(of), 3))
        found = Contacts(
            ids[of.bodies], points, of.normals, of.gaps, force[:, :3], torque, self.step
        )
        if of.order is None:
            return found
        own = self.share.own_contacts(of)
        return found.take(own[np.lexsort(of.bodies[own].T[::-1])])

    def all_contacts(self, ids: NDArray[np.int64], position: Floats) -> Contacts:
        """The same of all processes, which must ask for them at the same time."""
        found = self.contacts(ids, position)
        if not self.share.divided:
            return found
        rows = self.share.gathered(found.as_rows())
        return Contacts.of_rows(rows[np.lexsort(rows[:, 1::-1].T)], self.step)
