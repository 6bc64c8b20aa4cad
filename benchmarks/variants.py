"""Solvers on variants of the shared problems: more and less friction, and bodies that are kicked.

    python benchmarks/variants.py [--seed N] [--limit SECONDS] [--json out.json]

Nobody has tuned a solver to these. Each solution is judged by the residual module; a run that says
"converged" where it does not agree ends the benchmark.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import amontons as am
from amontons.algebra.sums import norm
from common import PROBLEMS, arguments, load, write

FRICTION = (0.5, 1.6)
"""Factors on the friction of all contacts."""
KICK = 0.5
"""Size of random impulses that kick the bodies, by the mean impulse of the solution."""


def solvers(limit: float) -> dict[str, am.Solver]:
    return {
        "APGD": am.APGD(tolerance=1e-8, max_iterations=60_000, time_limit=limit),
        "SpectralGradient": am.SpectralGradient(
            tolerance=1e-8, max_iterations=100_000, time_limit=limit
        ),
        "GaussSeidel": am.GaussSeidel(tolerance=1e-4, max_iterations=20_000, time_limit=limit),
        "InteriorPoint": am.InteriorPoint(tolerance=1e-10, max_iterations=40, time_limit=limit),
        "Auto": am.Auto(tolerance=1e-8, time_limit=limit),
        "ExactCoulomb": am.ExactCoulomb(tolerance=1e-9, time_limit=limit),
    }


def variants(name: str, rng: np.random.Generator) -> Iterator[tuple[str, am.ConeProblem]]:
    """Variants of one problem; a kick is in the range of N, so that the problem stays feasible."""
    for factor in FRICTION:
        problem = load(name)
        problem.sets.arrays.friction[:] *= factor
        yield f"friction × {factor:g}", problem
    problem = load(name)
    impulses = am.Auto(tolerance=1e-6, time_limit=10.0).solve(problem).impulses
    kick = KICK * np.abs(impulses).mean() * rng.normal(size=problem.rows)
    kicked = problem.with_linear(problem.linear + problem.product(kick))
    kicked.linear_norm = norm(kicked.linear)
    yield "kicked", kicked


def main() -> None:
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0, help="of the kicks")
    parser.add_argument("--limit", type=float, default=30.0, help="seconds a solver and problem")
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    names = sorted(path.stem for path in PROBLEMS.glob("*.npz") if path.stem != "Slab4000")
    methods = solvers(options.limit)
    met = dict.fromkeys(methods, 0)
    missed: list[dict[str, Any]] = []
    count = 0
    for name in names:
        for variant, problem in variants(name, rng):
            count += 1
            for method, solver in methods.items():
                solution = solver.solve(problem)
                if solution.converged != (solution.residual <= solver.tolerance):
                    raise SystemExit(f"{method} is not honest on {name}, {variant}: {solution}")
                met[method] += solution.converged
                if not solution.converged:
                    missed.append({
                        "problem": name, "variant": variant, "solver": method,
                        "status": solution.status.value, "residual": solution.residual,
                        "iterations": solution.iterations,
                    })  # fmt: skip
                    print("  missed:", *missed[-1].values(), flush=True)
    for method, successes in met.items():
        print(f"{method:17s} {successes} of {count} within {methods[method].tolerance:g}")
    write(options.json, {"count": count, "met": met, "missed": missed})


if __name__ == "__main__":
    main()
