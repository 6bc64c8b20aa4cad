"""Small random problems of every kind, seeded, each with the same problem in plain numpy.

`case("mixed")` is one of :data:`CASES`. A case can be stated in other units: with `mass` and `speed`
as factors, W goes with 1/mass, r with speed, and impulses with mass · speed. Powers of two change no
digit of any result, so a solver free of hidden units walks the same path.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amontons.problem.operators import BodyOperator
from amontons.problem.problem import ConeProblem
from amontons.problem.sets import (
    CoulombCone,
    Free,
    Interval,
    NonNegative,
    RollingCone,
    Run,
    SpinningCone,
)
from amontons.testing import naive

Floats = NDArray[np.float64]
Generator = np.random.Generator


@dataclass(frozen=True)
class Units:
    """Factors on masses and speeds."""

    mass: float = 1.0
    speed: float = 1.0

    @property
    def impulse(self) -> float:
        """Factor on impulses."""
        return self.mass * self.speed


@dataclass(frozen=True, eq=False)
class Case:
    """A problem, and what it is in plain numpy: W with compliance, r, and the blocks."""

    name: str
    problem: ConeProblem
    matrix: Floats
    linear: Floats
    blocks: list[naive.Block]

    def error(self, impulses: Floats, *, exact: bool = False, measure: str = "scaled") -> float:
        """Naive residual."""
        return naive.error(
            self.matrix, self.linear, self.blocks, impulses, exact=exact, measure=measure
        )

    def noise(self, impulses: Floats, measure: str = "scaled") -> float:
        """What rounding alone may change about :meth:`error`."""
        return naive.noise(self.matrix, self.linear, self.blocks, impulses, measure)

    def objective(self, impulses: Floats) -> float:
        """Naive objective."""
        return naive.objective(self.matrix, self.linear, impulses)

    def velocities(self, impulses: Floats) -> Floats:
        """Naive Wγ + r."""
        return np.asarray(self.matrix @ impulses + self.linear)

    def projected(self, impulses: Floats) -> Floats:
        """Nearest feasible impulses."""
        shift = naive.shift(self.blocks, impulses.size)
        return naive.project(self.blocks, impulses + shift) - shift


# -- matrices -------------------------------------------------------------------------------------


def random_matrix(rng: Generator, rows: int, rank: int | None = None, ridge: float = 0.5) -> Floats:
    """A positive (semi-)definite matrix of moderate condition, or of the given rank."""
    if rank is not None:
        G = rng.standard_normal((rows, rank))
        return np.asarray(G @ G.T / rows)
    G = rng.standard_normal((rows, rows + 4))
    return np.asarray(G @ G.T / rows + ridge * np.eye(rows))


def random_normals(rng: Generator, count: int) -> Floats:
    """Unit vectors, shape (count, 3)."""
    n = rng.standard_normal((count, 3))
    return np.asarray(n / np.linalg.norm(n, axis=1, keepdims=True))


def random_compliance(rng: Generator, blocks: Sequence[naive.Block]) -> Floats:
    """A compliance that is (normal, tangential, tangential) in contacts."""
    out = []
    for block in blocks:
        e = rng.uniform(0.1, 1.0, block.size)
        for part in range(0, block.size - 2, 3):
            e[part + 2] = e[part + 1]
        out.append(e)
    return np.concatenate(out)


def coulomb(rng: Generator, count: int, world: bool = False) -> CoulombCone:
    """Coulomb cones of usual friction."""
    return CoulombCone(rng.uniform(0.1, 0.6, count), random_normals(rng, count) if world else None)


def rolling(rng: Generator, count: int) -> RollingCone:
    """Cones with rolling friction."""
    return RollingCone(rng.uniform(0.1, 0.6, count), rng.uniform(0.05, 0.3, count))


def spinning(rng: Generator, count: int, world: bool = False) -> SpinningCone:
    """Cones with rolling and spinning friction."""
    mu, rho, sigma = rng.uniform(0.1, 0.4, (3, count))
    return SpinningCone(mu, rho, sigma, random_normals(rng, count) if world else None)


def interval(rng: Generator, count: int, units: Units) -> Interval:
    """Intervals around zero, one of them open to one side."""
    lower, upper = -rng.uniform(0.05, 0.5, count), rng.uniform(0.05, 0.5, count)
    upper[0] = math.inf
    return Interval(lower * units.impulse, upper * units.impulse)


def every_kind(rng: Generator, units: Units) -> list[Run]:
    """All kinds, in an order that is not the internal one, some of them twice."""
    return [
        interval(rng, 2, units),
        coulomb(rng, 2),
        Free(2),
        spinning(rng, 1, world=True),
        rolling(rng, 2),
        NonNegative(2),
        coulomb(rng, 2, world=True),
        Free(1),
        spinning(rng, 1),
    ]


def of_matrix(
    name: str,
    rng: Generator,
    runs: Sequence[Run],
    units: Units,
    *,
    compliant: bool = False,
    cohesive: bool = False,
    rank: int | None = None,
) -> Case:
    """A random problem over these sets, from a matrix."""
    rows = sum(run.rows for run in runs)
    W = random_matrix(rng, rows, rank) / units.mass
    q = rng.standard_normal(rows) * units.speed
    if rank is not None:
        q = W @ rng.standard_normal(rows) * units.impulse
    cohesion, compliance = None, None
    blocks = naive.blocks_of(runs)
    if cohesive:
        plain = np.array([not block.cone and block.kind != NonNegative.kind for block in blocks])
        cohesion = np.where(plain, 0.0, rng.uniform(0.0, 0.5, len(blocks))) * units.impulse
        blocks = naive.blocks_of(runs, cohesion)
    total = W
    if compliant:
        compliance = random_compliance(rng, blocks) / units.mass
        total = W + naive.compliance_matrix(blocks, compliance)
    problem = ConeProblem.from_matrix(
        W, q, sets=runs, compliance=compliance, cohesion=cohesion, name=name
    )
    return Case(name, problem, total, q, blocks)


# -- rigid bodies ---------------------------------------------------------------------------------


@dataclass(eq=False)
class RigidScene:
    """Random rigid bodies that touch at random points, in SI units times the given ones."""

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
        """By a `BodyOperator`; `kinds` has a letter a block: c, s (cones), f, n, i (scalars).

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
        q = rng.standard_normal(W.shape[0]) * self.units.speed
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
        columns = [
            turn @ self.contact_rows(c, 3).T @ self.frames[c] for c in range(self.contacts)
        ]
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


# -- the table ------------------------------------------------------------------------------------

Builder = Callable[[Generator, Units], Case]


def _matrix(name: str, runs: Callable[[Generator, Units], list[Run]], **options: Any) -> Builder:
    return lambda rng, units: of_matrix(name, rng, runs(rng, units), units, **options)


def _scene(rng: Generator, units: Units, **options: Any) -> RigidScene:
    return RigidScene(rng, units=units, **options)


CASES: dict[str, Builder] = {
    "free": _matrix("free", lambda rng, units: [Free(9)]),
    "nonnegative": _matrix("nonnegative", lambda rng, units: [NonNegative(9)]),
    "interval": _matrix("interval", lambda rng, units: [interval(rng, 9, units)]),
    "coulomb": _matrix("coulomb", lambda rng, units: [coulomb(rng, 5)]),
    "rolling": _matrix("rolling", lambda rng, units: [rolling(rng, 4)]),
    "spinning": _matrix("spinning", lambda rng, units: [spinning(rng, 4)]),
    "world-frame": _matrix(
        "world-frame", lambda rng, units: [coulomb(rng, 3, True), spinning(rng, 2, True)]
    ),
    "mixed": _matrix("mixed", every_kind),
    "compliance": _matrix("compliance", every_kind, compliant=True),
    "cohesion": _matrix("cohesion", every_kind, cohesive=True),
    "compliance-cohesion": _matrix(
        "compliance-cohesion", every_kind, compliant=True, cohesive=True
    ),
    "bodies": lambda rng, units: _scene(rng, units).of_contacts("bodies"),
    "bodies-torque": lambda rng, units: _scene(rng, units).of_contacts(
        "bodies-torque", torque=True
    ),
    "bodies-free": lambda rng, units: _scene(rng, units, contacts=0, scalars=8).of_operator(
        "bodies-free", "ffffffff"
    ),
    "bodies-mixed": lambda rng, units: _scene(rng, units, contacts=6, scalars=5).of_operator(
        "bodies-mixed", "icfscnicsfc"
    ),
    "bodies-extras": lambda rng, units: _scene(rng, units, contacts=6, scalars=5).of_operator(
        "bodies-extras", "icfscnicsfc", extras=True
    ),
    "condensed": lambda rng, units: _scene(rng, units, immovable=False).of_global(
        "condensed", "matrix"
    ),
    "factored": lambda rng, units: _scene(
        rng, units, immovable=False, contacts=5, scalars=3
    ).of_global("factored", "factored"),
    "factored-free": lambda rng, units: _scene(
        rng, units, immovable=False, contacts=0, scalars=8
    ).of_global("factored-free", "factored"),
    "contact-frame": lambda rng, units: _scene(rng, units, immovable=False).of_global(
        "contact-frame", "bodies"
    ),
}
"""Builders of every case, by name."""

HARD: dict[str, Builder] = {
    "hard-bodies": lambda rng, units: _scene(
        rng, units, bodies=6, contacts=40, spread=6.0
    ).of_contacts("hard-bodies"),
    "hard-torque": lambda rng, units: _scene(
        rng, units, bodies=5, contacts=20, spread=6.0
    ).of_contacts("hard-torque", torque=True),
    "hard-mixed": _matrix("hard-mixed", every_kind, rank=12),
    "hard-free": lambda rng, units: _scene(
        rng, units, bodies=4, contacts=0, scalars=40, spread=6.0
    ).of_operator("hard-free", "f" * 40),
}
"""Rank-deficient and badly scaled ones, for which an honest status is all that is asked."""


def build(name: str, units: Units | None = None) -> Case:
    """A case made anew: the same numbers each time."""
    builder = {**CASES, **HARD}[name]
    return builder(np.random.default_rng(zlib.crc32(name.encode())), units or Units())


@lru_cache(maxsize=None)
def case(name: str) -> Case:
    """A case of :data:`CASES` or :data:`HARD`, made once."""
    return build(name)


def many_contacts(contacts: int = 5000) -> ConeProblem:
    """Enough contacts between bodies for several chunks of parallel work."""
    rng = np.random.default_rng(7)
    bodies = contacts // 2
    a = rng.integers(-1, bodies, contacts)
    b = (a + rng.integers(1, 9, contacts)) % bodies
    clash = a == b
    b[clash] = (a[clash] + 1) % bodies
    return ConeProblem.from_contacts(
        inverse_mass=rng.uniform(0.5, 2.0, bodies),
        inverse_inertia=rng.uniform(1.0, 3.0, (bodies, 1, 1)) * np.eye(3),
        bodies_a=a,
        bodies_b=b,
        normals=random_normals(rng, contacts),
        arms_a=rng.uniform(-0.5, 0.5, (contacts, 3)),
        arms_b=rng.uniform(-0.5, 0.5, (contacts, 3)),
        free_velocity=rng.standard_normal((bodies, 6)),
        friction=0.3,
    )


def many_bilateral(rows: int = 9000) -> ConeProblem:
    """Enough bilateral rows for several chunks of parallel work."""
    import scipy.sparse as sp

    rng = np.random.default_rng(8)
    side = rng.uniform(-1.0, 1.0, rows - 1)
    W = sp.diags_array([side, np.full(rows, 2.5), side], offsets=[-1, 0, 1]).tocsr()
    return ConeProblem.from_matrix(W, rng.standard_normal(rows), sets=[Free(rows)])
