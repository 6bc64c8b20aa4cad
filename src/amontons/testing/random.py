"""Random ingredients of problems: units, matrices, sets, and the case that holds them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from amontons.array_types import Floats
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
    """A problem, and the same in plain numpy: W with compliance, r, and the blocks."""

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
        """The rounding error of :meth:`error`."""
        return naive.noise(self.matrix, self.linear, self.blocks, impulses, measure)

    def objective(self, impulses: Floats) -> float:
        """Naive objective."""
        return naive.objective(self.matrix, self.linear, impulses)

    def velocities(self, impulses: Floats) -> Floats:
        """Naive Wγ + r."""
        return np.asarray(self.matrix @ impulses + self.linear)

    @property
    def even(self) -> Case:
        """The same in rows of one unit, as solvers see it."""
        none = np.zeros_like(self.linear)
        matrix, linear, blocks, _ = naive.even(self.matrix, self.linear, self.blocks, none)
        return Case(self.name, self.problem.even, matrix, linear, blocks)

    def start(self, guess: Floats) -> Floats:
        """The starting point of a solver: the nearest feasible impulses in rows of one unit."""
        lengths = naive.lengths(self.matrix, self.blocks)
        return lengths * self.even.projected(guess / lengths)

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
    """Intervals around zero, one of them unbounded on one side."""
    lower, upper = -rng.uniform(0.05, 0.5, count), rng.uniform(0.05, 0.5, count)
    upper[0] = math.inf
    return Interval(lower * units.impulse, upper * units.impulse)


def every_kind(rng: Generator, units: Units) -> list[Run]:
    """All kinds, some of them twice, in an order that differs from the internal one."""
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
