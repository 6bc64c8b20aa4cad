"""B1 and B2 of paper 1: convergence of every solver, as in its figures 3 and 4.

python benchmarks/network.py [--plots FOLDER] [--json out.json]
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import amontons as am
from amontons.generators import bilateral_network, frictionless_spheres
from amontons.plots import convergence
from common import arguments, write

LEVELS = (1e-3, 1e-6, 1e-8)


def run(problem: am.ConeProblem, kinds: list[am.Solver]) -> dict[str, am.Solution]:
    return {type(solver).__name__: solver.solve(problem) for solver in kinds}


def counts(solutions: dict[str, am.Solution]) -> dict[str, dict[str, Any]]:
    """Iterations of each solver to each level of the scaled residual."""
    table: dict[str, dict[str, Any]] = {}
    for name, solution in solutions.items():
        below = {level: (solution.history.residual <= level).argmax() for level in LEVELS}
        table[name] = {
            f"{level:g}": int(k) if solution.history.residual[k] <= level else None
            for level, k in below.items()
        }
    return table


def show(title: str, table: dict[str, dict[str, Any]]) -> None:
    print(f"\n{title}\n{'iterations to':22s}" + "".join(f"{level:>10g}" for level in LEVELS))
    for name, row in table.items():
        print(f"{name:22s}" + "".join(f"{row[f'{level:g}']!s:>10}" for level in LEVELS))


def main() -> None:
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--plots", type=Path, help="write b1.png and b2.png here")
    options = parser.parse_args()
    limits: dict[str, Any] = {"tolerance": 1e-9, "max_iterations": 3000}
    first_order: list[am.Solver] = [
        am.SpectralGradient(**limits),
        am.APGD(**limits),
        am.GaussSeidel(**limits),
        am.Jacobi(**limits),
    ]
    krylov: list[am.Solver] = [am.MinimumResidual(**limits), am.ConjugateGradient(**limits)]
    b1 = run(bilateral_network(), [*krylov, *first_order])
    b2 = run(frictionless_spheres(), first_order)
    tables = {"b1": counts(b1), "b2": counts(b2)}
    show("B1: 3500 bilateral constraints between 1000 parts (paper 1, figure 3)", tables["b1"])
    for level in LEVELS:
        ours = tables["b1"]["SpectralGradient"][f"{level:g}"]
        theirs = tables["b1"]["MinimumResidual"][f"{level:g}"]
        if ours and theirs:
            print(f"  SpectralGradient / MINRES to {level:g}: {ours / theirs:.2f}")
    show("B2: 3525 frictionless contacts between 1000 spheres (paper 1, figure 4)", tables["b2"])
    if options.plots:
        options.plots.mkdir(parents=True, exist_ok=True)
        for name, solutions in (("b1", b1), ("b2", b2)):
            convergence(solutions).savefig(options.plots / f"{name}.png", dpi=150)
    write(options.json, tables)


if __name__ == "__main__":
    main()
