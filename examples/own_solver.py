"""A solver of one's own in a few lines: projected gradients with a step that needs no tuning.

min ½ γᵀNγ + rᵀγ over cones is convex, so any two solvers must meet at the same objective; with a
step below 2/λ_max(N) projected gradients get there (Goldstein 1964, Levitin and Polyak 1966).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

import amontons as am
from amontons.generators import packing
from amontons.solvers.base import Iterate, Solver


@dataclass(frozen=True, kw_only=True)
class ProjectedGradient(Solver):
    """x ← Π(x − t (Nx + r)), with t = 1/λ_max from a few power iterations."""

    powers: int = 30
    buffers: ClassVar[int] = 3

    def iterations(
        self, problem: Any, x: np.ndarray, gauge: Any, buffers: Any
    ) -> Iterator[Iterate]:
        """Each iterate with its error; `Solver.solve` does everything else."""
        z = np.random.default_rng(0).standard_normal(x.size)
        for _ in range(self.powers):
            z = problem.product(z / np.linalg.norm(z))
        step = 1.0 / (1.05 * np.linalg.norm(z))
        x = buffers.projected(problem, x)
        while True:
            Nx = problem.product(x)
            yield Iterate(x, *gauge.error(problem, x, Nx))
            new = buffers.free(x)
            new[:] = x - step * (Nx + problem.linear)
            x = problem.project(new)


problem = packing(200, friction=0.3)
mine = ProjectedGradient(tolerance=1e-6, max_iterations=200_000).solve(problem)
apgd = am.APGD(tolerance=1e-8).solve(problem)
print(f"projected gradients: {mine.iterations} iterations, objective {mine.objective:.9g} J")
print(f"APGD:                {apgd.iterations} iterations, objective {apgd.objective:.9g} J")
assert mine.converged
assert abs(mine.objective - apgd.objective) < 1e-4 * abs(apgd.objective)
assert mine.iterations > 2 * apgd.iterations  # which is why one uses APGD
