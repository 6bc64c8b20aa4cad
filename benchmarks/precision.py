"""APGD in mixed precision beside double precision: time of an iteration, memory, iterations.

    python benchmarks/precision.py [--bodies 100000 1000000] [--counts 1000 10000] [--json out.json]

Times are those of iterations in solves of a fixed number of them, new bases included, the two
precisions in turns in one run: medians and, in brackets, least times and means. They are processor
times, on one thread unless told otherwise: other work on the machine disturbs these least.

Memory is what is held while the loop runs, in bytes a contact: what the solver has allocated by its
fifth iteration, and of the problem's own arrays (a) those that iterations read, (b) all of them.
In mixed precision the float64 arrays that (b) has beyond (a) wait for the judge and a new base.

Iterations are counted to a tolerance with every problem stored in single precision, whatever its
size: packings, and the shared problems of rigid bodies, which are kept over bodies for it.
"""

from __future__ import annotations

import json
import time
import tracemalloc
import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp

import amontons as am
from amontons.generators import packing
from amontons.problem.operators import BodyOperator
from amontons.solvers.apgd import mixed
from common import PROBLEMS, arguments, write

ITERATIONS = 40
TOLERANCES = (1e-2, 1e-3, 1e-4, 1e-5)
MODES = ("double", "mixed")


def iteration_times(problem: am.ConeProblem, rounds: int) -> dict[str, list[float]]:
    """Processor seconds of iterations of either precision, solves in turns."""
    samples: dict[str, list[float]] = {mode: [] for mode in MODES}
    for _ in range(rounds):
        for mode in MODES:
            moments: list[float] = []
            solver = am.APGD(tolerance=0.0, max_iterations=ITERATIONS, precision=mode)
            solver.solve(problem, callback=lambda at: moments.append(time.process_time()))  # noqa: B023
            samples[mode] += np.diff(moments)[3:].tolist()
    return samples


def workspace(problem: am.ConeProblem, mode: str) -> float:
    """Bytes that a solver holds while its loop runs, beside the problem."""
    held: list[int] = []

    def look(at: am.Progress) -> bool:
        held.append(tracemalloc.get_traced_memory()[0])
        return at.iteration == 5

    solver = am.APGD(tolerance=0.0, precision=mode)
    solver.solve(problem, callback=lambda at: True)  # what a problem caches is made now
    tracemalloc.start()
    solver.solve(problem, callback=look)
    tracemalloc.stop()
    return float(held[-1])


def memory(problem: am.ConeProblem) -> dict[str, dict[str, float]]:
    """Bytes a contact."""
    operator = problem.operator
    assert isinstance(operator, BodyOperator)
    arrays, sets = operator.arrays, problem.sets.arrays
    shared = [arrays.body, arrays.incidence, arrays.pointer, sets.normal, sets.friction]
    double = [arrays.arms, arrays.levers, arrays.inverse_mass, arrays.inverse_inertia]
    double += [operator.masses, problem.linear, problem.mean_steps]
    figures = {}
    for mode in MODES:
        loop = workspace(problem, mode)
        read = shared + (double if mode == "double" else [])
        whole = problem.nbytes + operator.masses.nbytes
        figures[mode] = {
            "workspace": loop / problem.blocks,
            "iterations": (loop + sum(a.nbytes for a in read)) / problem.blocks,
            "with the whole problem": (loop + whole) / problem.blocks,
        }
    return figures


def counts(problem: am.ConeProblem, most: int) -> dict[str, list[int | None]]:
    """Iterations to each tolerance; None where it is not reached."""
    found = {}
    for mode in MODES:
        solver = am.APGD(tolerance=TOLERANCES[-1], max_iterations=most, precision=mode)
        history = solver.solve(problem).history.residual
        reached = [np.flatnonzero(history <= tolerance) for tolerance in TOLERANCES]
        found[mode] = [int(each[0]) if each.size else None for each in reached]
    return found


def shared_bodies() -> dict[str, am.ConeProblem]:
    """Shared problems that are of rigid bodies, kept so."""
    problems = {}
    for entry in json.loads((PROBLEMS / "index.json").read_text()):
        with np.load(PROBLEMS / f"{entry['name']}.npz") as data:
            if str(data["kind"]) != "global":
                continue
            M, H = (
                sp.csc_array(
                    (data[f"{k}_data"], data[f"{k}_indices"], data[f"{k}_indptr"]),
                    shape=tuple(data[f"{k}_shape"]),
                )
                for k in "MH"
            )
            rolling = data.get("mu_rolling")
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", am.ProblemWarning)
                    problems[entry["name"]] = am.ConeProblem.from_bodies(
                        M, H, data["f"], data["w"], friction=data["mu"], rolling=rolling,
                        form="bodies",
                    )  # fmt: skip
            except am.InputError:
                continue  # finite elements, or bodies in other coordinates
    return problems


def main() -> None:
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--bodies", type=int, nargs="*", default=[100_000, 1_000_000])
    parser.add_argument("--counts", type=int, nargs="*", default=[1000, 10_000])
    parser.add_argument("--shared", action="store_true", help="count on the shared problems, too")
    parser.add_argument("--most", type=int, default=5000, help="iterations of a count at most")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5, help="solves of either precision")
    options = parser.parse_args()
    am.set_threads(options.threads)
    figures: dict[str, Any] = {"threads": am.get_threads(), "speed": [], "counts": {}}
    for bodies in options.bodies:
        problem = packing(bodies)
        times = iteration_times(problem, options.rounds)
        median = {mode: 1e9 * float(np.median(t)) / problem.blocks for mode, t in times.items()}
        least = {mode: 1e9 * min(t) / problem.blocks for mode, t in times.items()}
        mean = {mode: 1e9 * float(np.mean(t)) / problem.blocks for mode, t in times.items()}
        bytes_held = memory(problem)
        figures["speed"].append(
            {
                "contacts": problem.blocks,
                "ns": median,
                "least_ns": least,
                "mean_ns": mean,
                "bytes": bytes_held,
            }
        )
        print(f"\n{problem.blocks} contacts, {am.get_threads()} threads; an iteration:")
        for mode in MODES:
            other = f"({least[mode]:.1f}, {mean[mode]:.1f}) ns a contact"
            print(f"  {mode:7s} {median[mode]:6.1f} {other}")
        gains = [each["double"] / each["mixed"] for each in (median, least, mean)]
        print(f"  faster  {gains[0]:6.2f} ({gains[1]:.2f}, {gains[2]:.2f}) x", flush=True)
        for what, held in bytes_held["mixed"].items():
            before = bytes_held["double"][what]
            print(
                f"  memory, {what:23s} {before:4.0f} → {held:4.0f} B a contact, {held / before:.0%}"
            )
        del problem
    mixed.MIXED_ABOVE = 0
    problems = {f"packing of {n}": packing(n) for n in options.counts}
    if options.shared:
        problems |= shared_bodies()
    print(f"\niterations to {', '.join(f'{t:g}' for t in TOLERANCES)}: double | mixed")
    for name, problem in problems.items():
        found = figures["counts"][name] = counts(problem, options.most)
        print(f"  {name:28s} {problem.blocks:7d} {found['double']} | {found['mixed']}", flush=True)
    write(options.json, figures)


if __name__ == "__main__":
    main()
