"""Cost of a product, of an iteration, and of memory: Slab4000 and packings of 10⁴ to 10⁶ spheres.

    python benchmarks/operator.py [--bodies 10000 100000 1000000] [--json out.json]

All ratios of one case are taken in one run, in turns: of medians and, in brackets, of least times,
which other work on the machine disturbs less. The rival is scipy's CSR product
D @ (Minv * (D.T @ x)), with D in contact frames as simulators export it (36 numbers a contact) and,
for comparison, in world axes as amontons has it (which makes D sparser, and scipy faster).
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

import amontons as am
from amontons.generators import packing
from amontons.problem.operators import BodyOperator
from common import arguments, load, turns, write

ITERATIONS = 40

Pair = tuple[float, float]
"""A figure in medians and in least times."""


def contact_frames(problem: am.ConeProblem) -> sp.csr_array:
    """Rotation from world axes to (n, t1, t2) for all contacts, in internal order."""
    n = problem.sets.arrays.normal.T
    helper = np.where(np.abs(n[:, :1]) < 0.6, [[1.0, 0.0, 0.0]], [[0.0, 1.0, 0.0]])
    t1 = np.cross(n, helper)
    t1 /= np.linalg.norm(t1, axis=1, keepdims=True)
    frame = np.stack([n, t1, np.cross(n, t1)], axis=1)  # (contacts, 3, 3)
    count = n.shape[0]
    row = np.arange(3)[None, :, None] * count + np.arange(count)[:, None, None]
    column = np.arange(3)[None, None, :] * count + np.arange(count)[:, None, None]
    shape = (count, 3, 3)
    triplets = (
        frame.ravel(),
        (np.broadcast_to(row, shape).ravel(), np.broadcast_to(column, shape).ravel()),
    )
    return sp.csr_array(triplets, shape=(3 * count, 3 * count))


def workspace(solver: am.Solver, problem: am.ConeProblem) -> float:
    """Peak bytes a contact that a solver allocates beside the problem, its results included."""
    tracemalloc.start()
    solver.solve(problem)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / problem.blocks


def measure(name: str, problem: am.ConeProblem, repeats: int) -> dict[str, Any]:
    """All figures of one case."""
    operator = problem.operator
    assert isinstance(operator, BodyOperator)
    contacts = problem.blocks
    x = np.random.default_rng(0).normal(size=problem.rows)
    out, scratch = np.empty(problem.rows), operator.scratch()
    most = am.max_threads()

    def product(threads: int) -> None:
        am.set_threads(threads)
        problem.product(x, out, scratch)

    am.set_threads(1)
    one = problem.product(x)
    am.set_threads(most)
    identical = bool((problem.product(x) == one).all())

    D = operator.jacobian_matrix()
    framed = sp.csr_array(contact_frames(problem) @ D)
    inverse = operator.inverse_mass_matrix()
    diagonal = inverse.diagonal()
    if abs(inverse - sp.diags_array(diagonal)).max() > 1e-9 * diagonal.max():
        name += " (full inertias: scipy multiplies by a sparse M⁻¹)"
        tasks = {
            "scipy": lambda: framed @ (inverse @ (framed.T @ x)),
            "scipy, world axes": lambda: D @ (inverse @ (D.T @ x)),
        }
    else:
        tasks = {
            "scipy": lambda: framed @ (diagonal * (framed.T @ x)),
            "scipy, world axes": lambda: D @ (diagonal * (D.T @ x)),
        }
    samples = turns(
        {"product": lambda: product(1), f"product, {most} threads": lambda: product(most), **tasks},
        repeats,
    )
    am.set_threads(1)
    ratios = {}
    for solver in (am.APGD, am.SpectralGradient, am.GaussSeidel):
        ratios[solver.__name__] = iteration_cost(solver, problem, lambda: product(1))
    settings: dict[str, Any] = {"tolerance": 0.0, "max_iterations": 3}
    figures = {
        "name": name,
        "bodies": operator.bodies,
        "contacts": contacts,
        "product_ns": nanoseconds(samples["product"], contacts),
        "scipy_over_product": ratio(samples["scipy"], samples["product"]),
        "scipy_world_over_product": ratio(samples["scipy, world axes"], samples["product"]),
        "threads": most,
        "speed_up": ratio(samples["product"], samples[f"product, {most} threads"]),
        "same_bits": identical,
        "products_an_iteration": {k: v[0] for k, v in ratios.items()},
        "iteration_ns": {k: nanoseconds(v[1], contacts) for k, v in ratios.items()},
        "problem_bytes_a_contact": problem.nbytes / contacts,
        "workspace_bytes_a_contact": {
            solver.__name__: workspace(solver(**settings), problem)
            for solver in (am.APGD, am.SpectralGradient, am.GaussSeidel)
        },
    }
    am.set_threads(most)
    return figures


def ratio(one: list[float], other: list[float]) -> Pair:
    return float(np.median(one) / np.median(other)), min(one) / min(other)


def nanoseconds(samples: list[float], contacts: int) -> Pair:
    return 1e9 * float(np.median(samples)) / contacts, 1e9 * min(samples) / contacts


def iteration_cost(
    kind: type[am.Solver], problem: am.ConeProblem, product: Callable[[], None]
) -> tuple[Pair, list[float]]:
    """Iterations in units of products, and seconds of iterations; one thread, in turns."""
    products: list[float] = []
    steps: list[float] = []
    solver = kind(tolerance=0.0, max_iterations=ITERATIONS)
    for _ in range(7):
        products += turns({"product": product}, 9)["product"]
        steps += np.diff(solver.solve(problem).history.time)[3:].tolist()
    return ratio(steps, products), steps


def report(case: dict[str, Any]) -> None:
    def line(what: str, figure: Pair, unit: str = "") -> None:
        print(f"  {what:34s} {figure[0]:7.2f} ({figure[1]:.2f}) {unit}")

    print(f"\n{case['name']}: {case['bodies']} bodies, {case['contacts']} contacts")
    line("product, one thread", case["product_ns"], "ns a contact")
    line("scipy CSR / product", case["scipy_over_product"])
    line("scipy CSR in world axes / product", case["scipy_world_over_product"])
    line(f"{case['threads']} threads", case["speed_up"], "x")
    print(f"  same bits on 1 and {case['threads']} threads        {case['same_bits']!s:>7}")
    for solver, cost in case["products_an_iteration"].items():
        median, least = case["iteration_ns"][solver]
        line(f"{solver} iteration", cost, f"products; {median:.0f} ({least:.0f}) ns a contact")
    sizes = {"memory of the problem": case["problem_bytes_a_contact"]}
    sizes |= {f"{k} workspace": v for k, v in case["workspace_bytes_a_contact"].items()}
    for what, size in sizes.items():
        print(f"  {what:34s} {size:7.0f} B a contact")


def main() -> None:
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--bodies", type=int, nargs="*", default=[10_000, 100_000, 1_000_000])
    options = parser.parse_args()
    cases = [measure("Slab4000", load("Slab4000"), 31)]
    report(cases[-1])
    for bodies in options.bodies:
        cases.append(measure(f"packing of {bodies}", packing(bodies), 31 if bodies < 1e6 else 7))
        report(cases[-1])
    write(options.json, cases)


if __name__ == "__main__":
    main()
