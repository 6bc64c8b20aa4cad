"""Paper 5's tables, and a stack of plates with mass ratios that ruin first-order methods.

python benchmarks/interior_point.py [--large] [--plots docs/figures] [--json out.json]
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import numpy as np

import amontons as am
from amontons.plots.style import curve_style, legend_below, panels, save
from amontons_papers.paper5.sizes import BALLS, count_iterations
from amontons_papers.paper5.warm_start import KINDS, TESTS, total_iterations
from common import arguments, write


def plates(ratio: float, sideways: float = 0.0, count: int = 20) -> am.ConeProblem:
    """Plates on four feet each, the mass growing from 1 kg at the floor to `ratio` at the top.

    They stand, or all slide `sideways` [m/s]. Where friction stops them all alike, every contact is
    at the edge of its cone without slipping: no solution is strictly complementary.
    """
    mass = np.geomspace(1.0, ratio, count)
    half, thick = 0.5, 0.1
    feet = half * np.array([[x, y, 0.0] for x in (-1, 1) for y in (-1, 1)])
    upper = np.repeat(np.arange(count), 4)
    up = np.array([0.0, 0.0, thick / 2])
    inertia = mass / 12.0 * ((2 * half) ** 2 + thick**2)
    spin = mass / 12.0 * 2 * (2 * half) ** 2
    inverse = np.zeros((count, 3, 3))
    inverse[:, 0, 0] = inverse[:, 1, 1] = 1.0 / inertia
    inverse[:, 2, 2] = 1.0 / spin
    step = 0.01
    falling = np.tile([sideways, 0.0, -9.81 * step, 0.0, 0.0, 0.0], (count, 1))
    return am.ConeProblem.from_contacts(
        inverse_mass=1.0 / mass,
        inverse_inertia=inverse,
        bodies_a=upper - 1,
        bodies_b=upper,
        normals=np.tile([0.0, 0.0, 1.0], (4 * count, 1)),
        arms_a=np.tile(feet + up, (count, 1)),
        arms_b=np.tile(feet - up, (count, 1)),
        free_velocity=falling,
        friction=0.5,
        name=f"{count} plates, mass ratio {ratio:g}",
    )


def plate_runs(sideways: float) -> dict[str, dict[str, am.Solution]]:
    runs: dict[str, dict[str, am.Solution]] = {}
    for ratio in (1.0, 1e3, 1e6):
        problem = plates(ratio, sideways)
        runs[f"{ratio:g}"] = {
            "InteriorPoint": am.InteriorPoint(tolerance=1e-8).solve(problem),
            "APGD": am.APGD(tolerance=1e-8, max_iterations=200_000).solve(problem),
        }
        for name, solution in runs[f"{ratio:g}"].items():
            print(
                f"  {sideways:g} m/s, mass ratio {ratio:g}: {name} {solution.iterations} "
                f"iterations, {solution.status}, {solution.residual:.1e}",
                flush=True,
            )
    counts = [solutions["InteriorPoint"].iterations for solutions in runs.values()]
    print(f"  most over least iterations of InteriorPoint: {max(counts) / min(counts):.2f}")
    return runs


def draw(runs: dict[str, dict[str, am.Solution]], title: str, path: Path) -> None:
    """Residual against iteration, one panel a solver."""
    figure, axes = panels(2, f"{title}: scaled error against iteration", share_y=True)
    for axis, solver in zip(axes, ("InteriorPoint", "APGD"), strict=True):
        for i, (ratio, solutions) in enumerate(runs.items()):
            history = solutions[solver].history.best_residual
            style = curve_style(i)
            axis.semilogy(
                np.maximum(history, 1e-12),
                color=style.colour,
                linestyle=style.dashes,
                label=f"mass ratio {ratio}",
            )
        axis.set_xlabel(f"{solver} iterations")
        axis.set_ylabel("scaled error")
        if solver == "APGD":
            axis.set_xscale("symlog", linthresh=10)
    legend_below(figure, axes[0])
    save(figure, path)


def main() -> None:
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--plots", type=Path, help="folder for the figure")
    parser.add_argument("--large", action="store_true", help="table 1 ten times larger, too")
    options = parser.parse_args()
    logging.basicConfig(level=logging.WARNING)
    figures: dict[str, Any] = {"table 1": []}
    print("Table 1: balls dropped in a box")
    jobs = [(balls, 20, 40) for balls in BALLS]
    if options.large:
        jobs += [(10 * balls, 3, 30) for balls in BALLS]
    for job in jobs:
        found = count_iterations(*job)
        row = {
            "balls": found.balls,
            "matrix size": found.rows,
            "mean iterations": float(np.mean(found.iterations)),
            "least": min(found.iterations),
            "most": max(found.iterations),
        }
        figures["table 1"].append(row)
        print("  " + ", ".join(f"{k} {v:.4g}" for k, v in row.items()), flush=True)
    print("Table 2: iterations of all calls")
    figures["table 2"] = {}
    for name, test in TESTS.items():
        for as_paper, end in ((True, "eq. 38"), (False, "1e-8")):
            counts = {
                kind: total_iterations(test, kind, test.calls, as_paper=as_paper) for kind in KINDS
            }
            figures["table 2"][f"{name}, {end}"] = counts
            print(f"  {name} ({test.calls}), to {end}: {counts}", flush=True)
    print("Plates")
    figures["plates"] = {}
    for state, sideways in (("at rest", 0.0), ("sliding", 0.05)):
        runs = plate_runs(sideways)
        figures["plates"][state] = {
            ratio: {name: s.iterations for name, s in solutions.items()}
            for ratio, solutions in runs.items()
        }
        if options.plots:
            options.plots.mkdir(parents=True, exist_ok=True)
            draw(runs, f"20 plates, {state}", options.plots / f"plates-{state.split()[-1]}.png")
    write(options.json, figures)


if __name__ == "__main__":
    main()
