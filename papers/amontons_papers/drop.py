"""A plain time stepper for smooth rigid bodies, one row per contact, as in papers 2 and 5."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from amontons.algebra.rotations import quaternion_product, rotation_matrices
from amontons.collision.contacts import ContactSet
from amontons.collision.detector import CollisionDetector
from amontons.collision.memory import ContactMemory
from amontons.model.shapes import Plane, Shape, Sphere
from amontons.model.world import World
from amontons.problem.operators import BodyOperator
from amontons.problem.problem import ConeProblem
from amontons.problem.sets import NonNegative
from amontons.problem.solution import Solution
from amontons.simulation.simulation import Simulation
from amontons.solvers import Solver

Floats = NDArray[np.float64]

GRAVITY = 9.81
RECOVERY_SPEED = 0.5  # of overlapping bodies [m/s]


class Drop:
    """Moving bodies, then fixed ones, that meet without friction."""

    def __init__(
        self, shapes: Sequence[Shape], position: Floats, density: float, step: float
    ) -> None:
        moving = [shape for shape in shapes if not isinstance(shape, Plane)]
        self.shapes, self.count, self.step = list(shapes), len(moving), step
        known = {id(shape): shape.mass_properties(density) for shape in moving}
        properties = [known[id(shape)] for shape in moving]
        self.inverse_mass = np.array([1.0 / p.mass for p in properties])
        self.body_inertia = np.array([p.inertia for p in properties])
        self.detector = CollisionDetector(shapes, margin=0.02, origin="frame")
        self.position = np.array(position, dtype=np.float64)
        self.orientation = np.tile([1.0, 0.0, 0.0, 0.0], (len(shapes), 1))
        self.velocity = np.zeros((self.count, 6))
        self.memory = ContactMemory()

    def advance(self, solver: Solver) -> Solution | None:
        """One step; None where nothing touches."""
        contacts, free = self._look_ahead()
        solution = None
        if len(contacts):
            problem = self._problem(contacts, free)
            guess = self.memory.recall(contacts, 1).ravel()
            solution = solver.solve(problem, guess=guess)
            self.memory.store(contacts, solution.impulses[:, None])
            operator = problem.operator
            assert isinstance(operator, BodyOperator)
            free = free + operator.velocities(problem.unknowns(solution.impulses))
        self.velocity = free
        self.position[: self.count] += self.step * free[:, :3]
        turn = np.zeros((self.count, 4))
        turn[:, 1:] = 0.5 * self.step * free[:, 3:]
        moved = self.orientation[: self.count]
        moved = moved + quaternion_product(turn, moved)
        moved /= np.linalg.norm(moved, axis=1, keepdims=True)
        self.orientation[: self.count] = moved
        return solution

    def problem(self) -> ConeProblem:
        """The problem of the next step."""
        return self._problem(*self._look_ahead())

    def _look_ahead(self) -> tuple[ContactSet, Floats]:
        """Contacts as they are, and velocities after a free fall."""
        free = self.velocity.copy()
        free[:, 2] -= GRAVITY * self.step
        return self.detector.detect(self.position, self.orientation), free

    def as_simulation(self) -> Simulation:
        """The bodies where they are now, to be drawn."""
        world = World()
        for number, shape in enumerate(self.shapes):
            still = number >= self.count
            mass = {} if still else {"mass": 1.0 / self.inverse_mass[number]}
            place = {"position": self.position[number], "orientation": self.orientation[number]}
            world.add_body(shape, fixed=still, **place, **mass)
        return Simulation(world, step=self.step)

    def _problem(self, contacts: ContactSet, free: Floats) -> ConeProblem:
        R = rotation_matrices(self.orientation[: self.count])
        inverse = R @ np.linalg.inv(self.body_inertia) @ R.transpose(0, 2, 1)
        n = contacts.normals
        rows = np.concatenate(
            [-n, -np.cross(contacts.arms_a, n), n, np.cross(contacts.arms_b, n)], axis=1
        )
        pairs = np.where(contacts.bodies < self.count, contacts.bodies, -1)
        operator = BodyOperator(
            inverse_mass=self.inverse_mass,
            inverse_inertia=(inverse + inverse.transpose(0, 2, 1)) / 2,
            bodies_a=pairs[:, 0],
            bodies_b=pairs[:, 1],
            jacobian=rows,
        )
        linear = np.empty(len(contacts))
        operator.from_velocities(free, linear)
        linear += np.maximum(contacts.gaps / self.step, -RECOVERY_SPEED)
        return ConeProblem(operator, linear, [NonNegative(len(contacts))])


def balls_in_a_box(count: int, *, radius: float = 0.1, step: float = 0.01, seed: int = 0) -> Drop:
    """Balls on a loose grid above the floor of a box, jittered, about to fall."""
    rng = np.random.default_rng(seed)
    side = max(2, round((count / 1.5) ** (1 / 3)))
    cell = np.arange(count)
    pitch = 2.1 * radius
    grid = np.stack([cell % side, (cell // side) % side, cell // side**2], axis=1)
    place = (grid + 0.5) * pitch + rng.uniform(-0.03, 0.03, (count, 3)) * radius
    width = side * pitch
    planes = [
        Plane(),
        Plane((1.0, 0.0, 0.0)),
        Plane((-1.0, 0.0, 0.0)),
        Plane((0.0, 1.0, 0.0)),
        Plane((0.0, -1.0, 0.0)),
    ]
    walls = np.array([[0, 0, 0], [0, 0, 0], [width, 0, 0], [0, 0, 0], [0, width, 0]], dtype=float)
    shapes = [Sphere(radius)] * count + planes
    return Drop(shapes, np.concatenate([place, walls]), 1000.0, step)


def single(shape: Shape, height: float) -> Drop:
    """One body above the floor."""
    return Drop([shape, Plane()], np.array([[0.0, 0.0, height], [0.0, 0.0, 0.0]]), 1000.0, 0.01)


def pile(count: int, *, radius: float = 0.1, step: float = 0.01) -> Drop:
    """Balls one on top of the other, each just touching the next, at rest."""
    place = np.zeros((count + 1, 3))
    place[:count, 2] = radius * (1.0 + 2.0 * np.arange(count))
    return Drop([Sphere(radius)] * count + [Plane()], place, 1000.0, step)
