"""A plain simulator of a few bodies and joints, for tests: dense matrices, no contacts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

import amontons as am
from amontons.algebra.rotations import quaternion_product, rotation_matrices
from amontons.dynamics.forces import ForceSystem
from amontons.dynamics.joints import JointRows, JointSystem

Floats = NDArray[np.float64]
GRAVITY = 9.81


class Mechanism:
    """Bodies that are balls as far as inertia goes, joined and loaded."""

    def __init__(self, position, joints, *, loads=(), mass=1.0, inertia=0.1, gravity=GRAVITY):
        self.position = np.array(position, dtype=float).reshape(-1, 3)
        count = len(self.position)
        self.orientation = np.tile([1.0, 0.0, 0.0, 0.0], (count, 1))
        self.twist = np.zeros((count, 6))
        self.mass = np.broadcast_to(np.asarray(mass, float), count).copy()
        self.inertia = np.broadcast_to(np.asarray(inertia, float), count).copy()
        self.gravity = gravity
        self.time = 0.0
        self.joints = JointSystem(joints, self.index_of, self.position, self.orientation)
        self.loads = ForceSystem(loads, self.index_of, self.position, self.orientation)
        self.broken: list[int] = []

    def index_of(self, body: int) -> int:
        if body >= len(self.position):
            raise am.InputError(f"there is no body {body}")
        return body

    @property
    def inverse_masses(self) -> Floats:
        """Diagonal of M⁻¹."""
        return np.repeat(np.stack([1 / self.mass, 1 / self.inertia], axis=1), 3, axis=1).ravel()

    def step(self, h: float) -> None:
        wrench = np.zeros_like(self.twist)
        self.loads.add(self.position, self.orientation, self.twist, self.time, wrench)
        wrench[:, 2] -= self.gravity * self.mass
        free = self.twist + h * self.inverse_masses.reshape(-1, 6) * wrench
        self.loads.damp(free, 1 / self.mass, np.eye(3) / self.inertia[:, None, None], h)
        rows = self.joints.rows(self.position, self.orientation, self.twist, self.time, h)
        D = jacobian_matrix(rows, len(self.mass))
        N = D @ (self.inverse_masses[:, None] * D.T)
        impulses = solve(N, D @ free.ravel() + rows.offset, rows)
        self.twist = free + (self.inverse_masses * (D.T @ impulses)).reshape(-1, 6)
        self.position = self.position + h * self.twist[:, :3]
        for i, w in enumerate(self.twist[:, 3:]):
            self.orientation[i] = quaternion_product(turned_by(h * w), self.orientation[i])
        self.orientation /= np.linalg.norm(self.orientation, axis=1, keepdims=True)
        self.broken += self.joints.accept(impulses, h)
        self.joints.measure(self.position, self.orientation)
        self.time += h

    def run(self, seconds: float, h: float, watch: Callable[[], object] = lambda: None) -> list:
        seen = []
        for _ in range(round(seconds / h)):
            self.step(h)
            seen.append(watch())
        return seen

    @property
    def kinetic_energy(self) -> float:
        return float(0.5 * (self.twist.ravel() ** 2 / self.inverse_masses).sum())

    @property
    def energy(self) -> float:
        height = float((self.mass * self.gravity * self.position[:, 2]).sum())
        return self.kinetic_energy + height + self.joints.potential_energy()

    def point(self, body: int, local: Sequence[float]) -> Floats:
        R = rotation_matrices(self.orientation[body : body + 1])[0]
        return self.position[body] + R @ np.array(local)


def turned_by(vector: Floats) -> Floats:
    angle = np.linalg.norm(vector)
    return np.array([np.cos(angle / 2), *(0.5 * np.sinc(angle / (2 * np.pi)) * vector)])


def jacobian_matrix(rows: JointRows, bodies: int) -> Floats:
    D = np.zeros((len(rows.offset), bodies, 6))
    for r, pair in enumerate(rows.bodies):
        for side, body in enumerate(pair):
            if body >= 0:
                D[r, body] += rows.jacobian[r, 6 * side : 6 * side + 6]
    return D.reshape(len(rows.offset), 6 * bodies)


def solve(N: Floats, r: Floats, rows: JointRows) -> Floats:
    """Impulses; redundant rows share what they carry evenly."""
    if len(r) == 0:
        return np.zeros(0)
    if rows.free == len(r):
        return np.linalg.lstsq(N + np.diag(rows.compliance), -r, rcond=1e-12)[0]
    sets = [am.Free(rows.free), am.NonNegative(rows.one_sided)]
    if rows.bounded:
        sets.append(am.Interval(rows.lower, rows.upper))
    problem = am.ConeProblem.from_matrix(N, r, sets=sets, compliance=rows.compliance)
    solver = am.APGD(tolerance=1e-11, max_iterations=100_000)
    solution = solver.solve(problem, guess=rows.guess)
    assert solution.converged, solution
    return solution.impulses
