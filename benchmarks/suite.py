"""Every solver on the shared problems, judged by our residuals and by the collection's own.

python benchmarks/suite.py [--small] [--choice] [--json out.json]
"""

from __future__ import annotations

import dataclasses
import importlib.util
import math
import time
import warnings
from types import ModuleType
from typing import Any

import amontons as am
from common import PROBLEMS, arguments, load, write

SOLVERS: dict[str, am.Solver] = {
    "APGD": am.APGD(tolerance=1e-8, max_iterations=60_000),
    "SpectralGradient": am.SpectralGradient(tolerance=1e-8, max_iterations=100_000),
    "GaussSeidel": am.GaussSeidel(tolerance=1e-4, max_iterations=20_000),
    "GaussSeidel, full step": am.GaussSeidel(tolerance=1e-4, max_iterations=20_000, step="full"),
    "InteriorPoint": am.InteriorPoint(tolerance=1e-10, max_iterations=40),
    "Auto": am.Auto(tolerance=1e-8),
    "ExactCoulomb": am.ExactCoulomb(tolerance=1e-9, time_limit=120.0),
    "ExactCoulomb, InteriorPoint": am.ExactCoulomb(
        tolerance=1e-9, inner=am.InteriorPoint(), time_limit=120.0
    ),
}

LEVEL = 1e-8
CHOICES: dict[str, am.Solver] = {
    "Auto": am.Auto(tolerance=LEVEL),
    "APGD": am.APGD(tolerance=LEVEL, max_iterations=60_000, time_limit=10.0),
    "SpectralGradient": am.SpectralGradient(
        tolerance=LEVEL, max_iterations=100_000, time_limit=10.0
    ),
    "GaussSeidel": am.GaussSeidel(tolerance=LEVEL, max_iterations=20_000, time_limit=10.0),
    "InteriorPoint": am.InteriorPoint(tolerance=LEVEL),
}
"""What `Auto` could have chosen."""

LONG = 0.5
"""Processor seconds from which a run is not repeated."""


def referee() -> ModuleType:
    """The collection's own loader and residual, which share no line with ours."""
    spec = importlib.util.spec_from_file_location("load_fc", PROBLEMS / "load_fc.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def judge(fc: ModuleType, name: str, solution: am.Solution, exact: bool) -> float:
    """Scaled error as load_fc.py has it: the symmetric part for the convex problem, W for exact."""
    stored = fc.load(PROBLEMS / f"{name}.npz")
    if name == "Slab4000":
        return judge_global(fc, stored, solution)
    W, q = fc.delassus(stored)
    W = W if exact else (W + W.T) / 2
    return float(fc.residual(stored, solution.impulses, exact, W.tocsr(), q))


def judge_global(fc: ModuleType, stored: dict[str, Any], solution: am.Solution) -> float:
    """The same without forming a dense W: for Slab4000 M is diagonal."""
    H, inverse = stored["H"], 1.0 / stored["M"].diagonal()
    W = (H.T.multiply(inverse) @ H).tocsr()
    q = stored["w"] + H.T @ (inverse * stored["f"])
    return float(fc.residual(stored, solution.impulses, False, W, q))


def processor_seconds(
    solvers: dict[str, am.Solver], problem: am.ConeProblem, most: int = 15
) -> dict[str, float]:
    """Least processor time of each solver [s]; infinite where it does not get there.

    They take turns, so that a slow moment hits all of them. The least, as a busy machine only ever
    adds; the processor's, as its clock goes on meanwhile.
    """
    least = dict.fromkeys(solvers, math.inf)
    able, begin = dict(solvers), time.process_time()
    for _ in range(most):
        for label, solver in list(able.items()):
            start = time.process_time()
            solution = solver.solve(problem)
            spent = time.process_time() - start
            if solution.converged:
                least[label] = min(least[label], spent)
            if not solution.converged or spent > LONG:
                del able[label]
        if time.process_time() - begin > 8 * LONG:
            break
    return least


def choice(names: list[str]) -> list[dict[str, Any]]:
    """How `Auto` compares with the best of what it could have chosen, problem by problem."""
    rows = []
    for name in names:
        problem = load(name)
        for solver in CHOICES.values():  # compile
            dataclasses.replace(solver, max_iterations=3).solve(problem)
        seconds = processor_seconds(CHOICES, problem)
        best = min((t, label) for label, t in seconds.items() if label != "Auto")
        ratio = seconds["Auto"] / best[0]
        rows.append({"problem": name, "ratio": ratio, **seconds})
        print(f"  {name}: {1e3 * seconds['Auto']:.2f} ms, {ratio:.2f} of {best[1]}'s", flush=True)
    within = sum(row["ratio"] <= 1.3 for row in rows)
    print(f"Auto within 1.3 of the best on {within} of {len(rows)}")
    return rows


def main() -> None:
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="solvers whose name contains this")
    parser.add_argument("--small", action="store_true", help="leave Slab4000 out")
    parser.add_argument("--choice", action="store_true", help="how well Auto chooses, alone")
    options = parser.parse_args()
    if options.choice:
        small = sorted(path.stem for path in PROBLEMS.glob("*.npz") if path.stem != "Slab4000")
        write(options.json, choice(small))
        return
    fc = referee()
    names = sorted(path.stem for path in PROBLEMS.glob("*.npz"))
    if options.small:
        names.remove("Slab4000")
    rows = []
    chosen = {label: solver for label, solver in SOLVERS.items() if options.only in label}
    for label, solver in chosen.items():
        met = lies = count = 0
        for name in names:
            if solver.exact and name == "Slab4000":
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", am.ProblemWarning)
                solution = solver.solve(load(name))
            theirs = judge(fc, name, solution, solver.exact)
            good = solution.residual <= solver.tolerance and theirs <= solver.tolerance * 1.001
            met, count = met + good, count + 1
            lies += solution.converged and not theirs <= solver.tolerance * 1.001
            rows.append(
                {
                    "solver": label,
                    "problem": name,
                    "status": solution.status.value,
                    "iterations": solution.iterations,
                    "seconds": solution.time,
                    "scaled": solution.residual,
                    "scaled_by_load_fc": theirs,
                }
            )
            if not good:
                print(f"  {label}: {name}: {solution.status.value}, {theirs:.1e}", flush=True)
        print(
            f"{label}: scaled error ≤ {solver.tolerance:g} on {met} of {count}; "
            f"'converged' said wrongly {lies} times",
            flush=True,
        )
    write(options.json, rows)


if __name__ == "__main__":
    main()
