"""Time to a scaled error of 1e-8 against size, for every solver and Clarabel, in one run.

    python benchmarks/sizes.py [--limit SECONDS] [--sizes 1000,10000] [--plots docs/figures]

A method that ran out of time is not tried on larger problems.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

import amontons as am
from amontons import _jit
from amontons.generators import packing
from amontons.plots.style import curve_style, legend_below, panels, save
from common import arguments, write
from slab import clarabel

LEVEL = 1e-8
CONTACTS = (1_000, 3_200, 10_000, 32_000, 100_000)


def solvers(limit: float) -> dict[str, am.Solver]:
    settings: dict[str, Any] = {"tolerance": LEVEL, "time_limit": limit}
    many: dict[str, Any] = {"max_iterations": 10**7, "patience": 10**7}
    return {
        "Auto": am.Auto(**settings, **many),
        "InteriorPoint": am.InteriorPoint(**settings),
        "APGD": am.APGD(**settings, **many),
        "SpectralGradient": am.SpectralGradient(**settings, **many),
        "GaussSeidel": am.GaussSeidel(**settings, **many),
    }


def runs_of(problem: am.ConeProblem, limit: float, names: set[str]) -> dict[str, dict[str, float]]:
    """Seconds, scaled error and iterations of each; infinite seconds where 1e-8 was not met."""
    rows: dict[str, dict[str, float]] = {}
    for name, solver in solvers(limit).items():
        if name not in names:
            continue
        solution = solver.solve(problem)
        rows[name] = {
            "seconds": solution.time if solution.converged else math.inf,
            "spent": solution.time,
            "scaled": solution.residual,
            "iterations": solution.iterations,
        }
    if "Clarabel" in names:
        seconds, error, iterations = clarabel(problem, tolerance=LEVEL, limit=limit)
        rows["Clarabel"] = {
            "seconds": seconds if error <= LEVEL else math.inf,
            "spent": seconds,
            "scaled": error,
            "iterations": iterations,
        }
    return rows


def show(problem: am.ConeProblem, rows: dict[str, dict[str, float]]) -> None:
    print(f"{problem.name}: {problem.blocks} contacts")
    for name, row in rows.items():
        met = "" if math.isfinite(row["seconds"]) else "  (1e-8 not met)"
        print(
            f"  {name:17s} {row['spent']:8.2f} s, {row['iterations']:7.0f} iterations, "
            f"{row['scaled']:.1e}{met}",
            flush=True,
        )
    print(f"  Auto / best: {auto_over_best(rows):.2f}", flush=True)


def auto_over_best(rows: dict[str, dict[str, float]]) -> float:
    """Seconds of `Auto` over those of the best other method; NaN where none met 1e-8."""
    best = min((row["seconds"] for name, row in rows.items() if name != "Auto"), default=math.inf)
    return rows["Auto"]["seconds"] / best if math.isfinite(best) else math.nan


def draw(tables: dict[int, dict[str, dict[str, float]]], path: Path) -> None:
    figure, axes = panels(1, "Time to a scaled error of 1e-8", share_y=False)
    for i, name in enumerate(next(iter(tables.values()))):
        tried = {size: rows[name]["seconds"] for size, rows in tables.items() if name in rows}
        sizes = [size for size, seconds in tried.items() if math.isfinite(seconds)]
        seconds = [tried[size] for size in sizes]
        style = curve_style(i)
        axes[0].loglog(sizes, seconds, "o", color=style.colour, linestyle=style.dashes, label=name)
    axes[0].set_xlabel("contacts")
    axes[0].set_ylabel("seconds")
    legend_below(figure, axes[0])
    save(figure, path)


def main() -> None:
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--limit", type=float, default=60.0, help="seconds a solver and problem")
    parser.add_argument("--sizes", default=",".join(map(str, CONTACTS)), help="contacts")
    parser.add_argument("--plots", type=Path, help="folder for the figure")
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",")]
    small = packing(250, wall_friction=0.5)
    for parallel in (_jit.PARALLEL_ABOVE, 0):  # compile both forms of the kernels
        usual, _jit.PARALLEL_ABOVE = _jit.PARALLEL_ABOVE, parallel
        for solver in solvers(2.0).values():
            solver.solve(small)
        am.Auto(tolerance=1e-15, time_limit=2.0).solve(small)  # looks at its costs, too
        _jit.PARALLEL_ABOVE = usual
    tables = {}
    names = {*solvers(options.limit), "Clarabel"}
    for size in sizes:
        problem = packing(round(size / 3.25), wall_friction=0.5)
        rows = tables[problem.blocks] = runs_of(problem, options.limit, names)
        late = {name for name, row in rows.items() if row["spent"] >= options.limit}
        names -= late - {"Auto"}
        show(problem, rows)
        write(options.json, tables)
    ratios = [auto_over_best(rows) for rows in tables.values()]
    print(f"Auto within 1.3 of the best on {np.mean(np.array(ratios) <= 1.3):.0%}")
    if options.plots:
        options.plots.mkdir(parents=True, exist_ok=True)
        draw(tables, options.plots / "sizes.png")


if __name__ == "__main__":
    main()
