"""Slab4000, the pressure test of paper 3, against Clarabel in one run.

python benchmarks/slab.py [--repeats 3] [--json out.json]

Clarabel and ours take turns, and both the clock and the processor are read: on a busy machine the
clock says more about the neighbours.
"""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

import amontons as am
from amontons_papers.histories import reach
from common import arguments, load, write


def clarabel(
    problem: am.ConeProblem, *, tolerance: float = 1e-8, limit: float = 1e9
) -> tuple[float, float, int]:
    """Seconds, scaled error and iterations of Clarabel on v and γ with M v = H γ, γ in cones.

    min ½ vᵀMv + rᵀγ with M v = Dγ is the same problem with a sparse Hessian: forming N would be
    slower by far.
    """
    import clarabel as solver

    operator = problem.operator
    D = operator.jacobian_matrix().T.tocsc()  # type: ignore[attr-defined]
    M = sp.csc_array(sp.linalg.inv(operator.inverse_mass_matrix().tocsc()))  # type: ignore[attr-defined]
    bodies, rows, contacts = D.shape[0], D.shape[1], problem.blocks
    P = sp.block_diag([M, sp.csc_array((rows, rows))], format="csc")
    c = np.concatenate([np.zeros(bodies), problem.linear])
    balance = sp.hstack([M, -D])
    # s = (μ γ·n, γ − (γ·n) n) in a second-order cone: the tangential part as a world vector
    n = problem.sets.arrays.normal
    mu = problem.sets.arrays.friction
    i = np.arange(contacts)
    along = sp.hstack([sp.diags_array(n[k]) for k in range(3)])
    lines = [sp.diags_array(mu) @ along]
    for k in range(3):
        unit = sp.csr_array((np.ones(contacts), (i, k * contacts + i)), shape=(contacts, rows))
        lines.append(unit - sp.diags_array(n[k]) @ along)
    order = (np.arange(4)[None, :] * contacts + i[:, None]).ravel()
    cones = -sp.vstack(lines).tocsr()[order]
    A = sp.vstack([balance, sp.hstack([sp.csr_array((4 * contacts, bodies)), cones])]).tocsc()
    b = np.zeros(A.shape[0])
    settings = solver.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tolerance
    settings.time_limit = limit
    kinds: list[Any] = [solver.ZeroConeT(bodies)]
    kinds += [solver.SecondOrderConeT(4)] * contacts
    start = time.perf_counter()
    result = solver.DefaultSolver(sp.csc_matrix(P), c, sp.csc_matrix(A), b, kinds, settings).solve()
    seconds = time.perf_counter() - start
    x = np.asarray(result.x)[bodies:]
    x = problem.sets.inward(problem.sets.project(problem.sets.outward(x)))
    error = am.residuals(problem, problem.impulses(x)).scaled
    return seconds, error, result.iterations


class Turn(NamedTuple):
    """One run of one solver."""

    seconds: float  # on the clock
    processor: float  # of all threads
    scaled: float
    iterations: int


def in_turns(problem: am.ConeProblem, repeats: int) -> dict[str, list[Turn]]:
    """Clarabel, InteriorPoint and Auto one after the other, as often as asked for."""
    turns: dict[str, list[Turn]] = {"Clarabel": [], "InteriorPoint": [], "Auto": []}
    for _ in range(repeats):
        start = time.process_time()
        seconds, error, iterations = clarabel(problem)
        turns["Clarabel"].append(Turn(seconds, time.process_time() - start, error, iterations))
        for name, solver in (
            ("InteriorPoint", am.InteriorPoint(tolerance=1e-8)),
            ("Auto", am.Auto(tolerance=1e-8)),
        ):
            start = time.process_time()
            found = solver.solve(problem)
            spent = time.process_time() - start
            turns[name].append(Turn(found.time, spent, found.residual, found.iterations))
    return turns


def show(turns: dict[str, list[Turn]]) -> None:
    """Medians, and their ratios to Clarabel's."""
    median = {
        name: (np.median([t.seconds for t in runs]), np.median([t.processor for t in runs]))
        for name, runs in turns.items()
    }
    for name, runs in turns.items():
        clock, processor = median[name]
        print(
            f"{name}: {runs[0].iterations} iterations to {runs[0].scaled:.1e}, {clock:.1f} s "
            f"({clock / median['Clarabel'][0]:.2f} of Clarabel's), processor {processor:.1f} s "
            f"({processor / median['Clarabel'][1]:.2f})",
            flush=True,
        )


def main() -> None:
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3, help="turns of each")
    parser.add_argument("--only-turns", action="store_true", help="leave first-order methods out")
    options = parser.parse_args()
    problem = load("Slab4000")
    for kind in (am.APGD, am.SpectralGradient, am.InteriorPoint):  # compile, touch the memory
        kind(max_iterations=2).solve(problem)
    turns = in_turns(problem, options.repeats)
    show(turns)
    taken = {name: [turn._asdict() for turn in runs] for name, runs in turns.items()}
    if options.only_turns:
        write(options.json, taken)
        return
    seconds = float(np.median([turn.seconds for turn in turns["Clarabel"]]))
    apgd = am.APGD(tolerance=1e-8, max_iterations=60_000).solve(problem)
    print(f"APGD: {apgd}")
    levels = {}
    for level in (1e-3, 1e-4, 1e-6, 1e-8):
        found = reach(apgd.history, level)
        if found:
            levels[level] = found
            share = found[1] / seconds
            print(
                f"  ≤ {level:g}: {found[0]} iterations, {found[1]:.2f} s, {share:.2f} of Clarabel's"
            )
    spectral = am.SpectralGradient(tolerance=1e-9, max_iterations=1000).solve(problem)
    print(f"SpectralGradient after 1000 iterations: objective {spectral.objective:.4f}")
    sweeps = am.GaussSeidel(tolerance=1e-9, max_iterations=1000).solve(problem)
    print(f"GaussSeidel after 1000 sweeps: objective {sweeps.objective:.4f}")
    write(
        options.json,
        {
            **taken,
            "apgd": {str(k): {"iterations": v[0], "seconds": v[1]} for k, v in levels.items()},
            "apgd_scaled": apgd.residual,
            "spectral_gradient_objective_1000": spectral.objective,
            "gauss_seidel_objective_1000": sweeps.objective,
        },
    )


if __name__ == "__main__":
    main()
