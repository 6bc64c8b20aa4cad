"""Random rigid bodies in contact, stated in each of the supported forms."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from amontons.array_types import Floats
from amontons.problem.operators import BodyOperator
from amontons.problem.problem import ConeProblem
from amontons.problem.sets import CoulombCone, Free, NonNegative, Run, SpinningCone
from amontons.testing import naive
from amontons.testing.random import (
    Case,
    Generator,
    Units,
    coulomb,
    interval,
    random_compliance,
    random_normals,
)


@dataclass(eq=False)
class RigidScene:
    """Random rigid bodies that touch at random points, in multiples of SI units."""

    rng: Generator
    bodies: int = 4
    contacts: int = 7
    scalars: int = 0
    spread: float = 0.0
    """Powers of ten by which masses differ."""
    immovable: bool = True
    """Whether the last body has no inverse mass."""
    units: Units = field(default_factory=Units)

    def __post_init__(self) -> None:
        rng, count = self.rng, self.bodies
        factor = 10.0 ** rng.uniform(-self.spread, self.spread, count) * self.units.mass
        self.mass = rng.uniform(0.5, 2.0, count) * factor
        self.rotation = np.linalg.qr(rng.standard_normal((count, 3, 3)))[0]
        self.rotation *= np.sign(np.linalg.det(self.rotation))[:, None, None]
        principal = rng.uniform(0.2, 0.6, (count, 3)) * factor[:, None]
        self.body_inertia = np.array([np.diag(p) for p in principal])
        self.inverse_mass = 1.0 / self.mass
        turned = self.rotation @ np.linalg.inv(self.body_inertia) @ self.rotation.transpose(0, 2, 1)
        self.inverse_inertia = (turned + turned.transpose(0, 2, 1)) / 2
        if self.immovable:
            self.inverse_mass[-1], self.inverse_inertia[-1] = 0.0, 0.0
        total = self.contacts + self.scalars
        a = rng.integers(-1, count - self.immovable, total)
        b = (a + 1 + rng.integers(0, count - self.immovable, total)) % (count - self.immovable)
        clash = a == b
        b[clash] = (a[clash] + 1) % count
        if self.immovable and total:
            b[0], a[0] = count - 1, 0
        swap = rng.random(total) < 0.5
        self.a, self.b = np.where(swap, b, a), np.where(swap, a, b)
        self.arms = rng.uniform(-1.0, 1.0, (2, self.contacts, 3))
        self.normals = random_normals(rng, self.contacts)
        helper = random_normals(rng, self.contacts)
        t1 = np.cross(self.normals, helper)
        t1 /= np.linalg.norm(t1, axis=1, keepdims=True)
        self.frames = np.stack([self.normals, t1, np.cross(self.normals, t1)], axis=-1)
        self.jacobian = rng.uniform(-1.0, 1.0, (self.scalars, 12))
        self.velocity = rng.standard_normal((count, 6)) * self.units.speed
        self.offset = rng.uniform(-1.0, 0.5, self.contacts) * self.units.speed

    def contact_rows(self, c: int, rows: int) -> Floats:
        """Rows of Dᵀ of contact `c` in the world frame, shape (rows, 6 bodies)."""
        out = np.zeros((rows, 6 * self.bodies))
        for side, body in enumerate((self.a[c], self.b[c])):
            if body < 0:
                continue
            sign = (-1.0, 1.0)[side]
            at = 6 * body
            for k in range(3):
                unit = np.eye(3)[k]
                out[k, at : at + 3] = sign * unit
                out[k, at + 3 : at + 6] = sign * np.cross(self.arms[side, c], unit)
                if rows == 6:
                    out[3 + k, at + 3 : at + 6] = sign * unit
        return out

    def scalar_row(self, s: int) -> Floats:
        """Row of Dᵀ of scalar constraint `s`, shape (1, 6 bodies)."""
        out = np.zeros((1, 6 * self.bodies))
        for side, body in enumerate((self.a[self.contacts + s], self.b[self.contacts + s])):
            if body >= 0:
                out[0, 6 * body : 6 * body + 6] += self.jacobian[s, 6 * side : 6 * side + 6]
        return out

    def inverse_mass_matrix(self) -> Floats:
        """M⁻¹, dense."""
        out = np.zeros((6 * self.bodies, 6 * self.bodies))
        for i in range(self.bodies):
            at = 6 * i
            out[at : at + 3, at : at + 3] = self.inverse_mass[i] * np.eye(3)
            out[at + 3 : at + 6, at + 3 : at + 6] = self.inverse_inertia[i]
        return out

    def of_contacts(self, name: str, *, torque: bool = False) -> Case:
        """By `ConeProblem.from_contacts`."""
        count = self.contacts
        mu, rho, sigma = self.rng.uniform(0.1, 0.4, (3, count))
        options: dict[str, Any] = {"rolling": rho, "spinning": sigma} if torque else {}
        problem = ConeProblem.from_contacts(
            inverse_mass=self.inverse_mass,
            inverse_inertia=self.inverse_inertia,
            bodies_a=self.a,
            bodies_b=self.b,
            normals=self.normals,
            arms_a=self.arms[0],
            arms_b=self.arms[1],
            free_velocity=self.velocity,
            offset=self.offset,
            friction=mu,
            name=name,
            **options,
        )
        rows = 6 if torque else 3
        run: Run = CoulombCone(mu, self.normals)
        if torque:
            run = SpinningCone(mu, rho, sigma, self.normals)
        D = np.vstack([self.contact_rows(c, rows) for c in range(count)])
        q = (D @ self.velocity.ravel()).reshape(count, rows)
        q[:, :3] += self.offset[:, None] * self.normals
        W = D @ self.inverse_mass_matrix() @ D.T
        return Case(name, problem, W, q.ravel(), naive.blocks_of([run]))

    def of_operator(self, name: str, kinds: str, *, extras: bool = False) -> Case:
        """By a `BodyOperator`; `kinds` has one letter per block: c, s (cones), f, n, i (scalars).

        The letters give the caller's order; blocks of one kind take constraints in their turn.
        """
        rng, wrenches = self.rng, kinds.count("s")
        operator = BodyOperator(
            inverse_mass=self.inverse_mass,
            inverse_inertia=self.inverse_inertia,
            bodies_a=self.a,
            bodies_b=self.b,
            arms_a=self.arms[0],
            arms_b=self.arms[1],
            wrenches=wrenches,
            jacobian=self.jacobian,
        )
        forces = self.contacts - wrenches
        turn = {"c": 0, "s": forces, "f": 0}
        turn["n"] = kinds.count("f")
        turn["i"] = turn["n"] + kinds.count("n")
        runs: list[Run] = []
        D = []
        for letter in kinds:
            at = turn[letter]
            turn[letter] += 1
            if letter == "c":
                runs.append(CoulombCone(rng.uniform(0.1, 0.6), self.normals[at : at + 1]))
            elif letter == "s":
                runs.append(SpinningCone(0.3, 0.2, 0.1, self.normals[at : at + 1]))
            elif letter == "i":
                runs.append(interval(rng, 1, self.units))
            else:
                runs.append(Free(1) if letter == "f" else NonNegative(1))
            is_contact = letter in "cs"
            D.append(self.contact_rows(at, runs[-1].rows) if is_contact else self.scalar_row(at))
        Dt = np.vstack(D)
        W = Dt @ self.inverse_mass_matrix() @ Dt.T
        q = self.units.speed * rng.standard_normal((W.shape[0],))
        cohesion, compliance = None, None
        blocks = naive.blocks_of(runs)
        if extras:
            mask = np.array([letter in "csn" for letter in kinds])
            cohesion = rng.uniform(0.0, 0.4, len(kinds)) * mask * self.units.impulse
            blocks = naive.blocks_of(runs, cohesion)
            compliance = random_compliance(rng, blocks) / self.units.mass
            W = W + naive.compliance_matrix(blocks, compliance)
        problem = ConeProblem(
            operator, q, runs, compliance=compliance, cohesion=cohesion, name=name
        )
        return Case(name, problem, W, q, blocks)

    def global_matrices(self) -> tuple[Floats, Floats]:
        """M and H with angular velocities in body axes and impulses in contact frames."""
        M = np.zeros((6 * self.bodies, 6 * self.bodies))
        turn = np.zeros_like(M)
        for i in range(self.bodies):
            at = 6 * i
            M[at : at + 3, at : at + 3] = self.mass[i] * np.eye(3)
            M[at + 3 : at + 6, at + 3 : at + 6] = self.body_inertia[i]
            turn[at : at + 3, at : at + 3] = np.eye(3)
            turn[at + 3 : at + 6, at + 3 : at + 6] = self.rotation[i].T
        columns = [turn @ self.contact_rows(c, 3).T @ self.frames[c] for c in range(self.contacts)]
        columns += [turn @ self.scalar_row(s).T for s in range(self.scalars)]
        return M, np.hstack(columns)

    def of_global(self, name: str, form: str) -> Case:
        """By `ConeProblem.from_bodies` in contact frames; scalar rows are bilateral."""
        M, H = self.global_matrices()
        f = M @ self.velocity.ravel()
        w = self.rng.standard_normal(H.shape[1]) * self.units.speed
        runs: list[Run] = []
        if self.contacts:
            runs.append(coulomb(self.rng, self.contacts))
        if self.scalars:
            runs.append(Free(self.scalars))
        problem = ConeProblem.from_bodies(M, H, f, w, sets=runs, form=form, name=name)
        W = H.T @ np.linalg.solve(M, H)
        q = H.T @ np.linalg.solve(M, f) + w
        return Case(name, problem, W, q, naive.blocks_of(runs))
