"""Spheres that settle: time a step, memory a body and memory a contact, from 10⁴ to 10⁶ spheres.

    python benchmarks/scaling.py --sizes 10000 100000 1000000 --steps 100

Each size runs in a process of its own, so that its peak memory is its own.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time

import numpy as np

import amontons as am
from amontons.scenes import packed_bed
from common import arguments, write


def settle(spheres: int, steps: int, iterations: int) -> dict[str, float]:
    """One size: a flat bed, 20 layers deep, of spheres that begin just above one another."""
    begin = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    side = (spheres / 20.0) ** 0.5
    world = packed_bed(spheres, spacing=1.05, depth=20.0 / side)
    solver = am.APGD(tolerance=1e-2, max_iterations=iterations)
    sim = am.Simulation(world, step=0.01, solver=solver)
    start = time.perf_counter()
    for k in range(steps):
        report = sim.step()
        if spheres >= 500_000 and k % 10 == 9:
            print(f"    step {k + 1}: {report}", file=sys.stderr, flush=True)
    readings = sim.readings
    peak = 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - begin)
    last = slice(steps // 2, None)
    return {
        "spheres": spheres,
        "contacts": int(readings.contacts[-1]),
        "seconds_a_step": float(np.median(readings.seconds[last].sum(axis=1))),
        "stages": np.median(readings.seconds[last], axis=0).tolist(),
        "iterations": float(readings.iterations[last].mean()),
        "wall": time.perf_counter() - start,
        "peak_bytes": peak,
        "bytes_a_body": peak / spheres,
        "bytes_a_contact": peak / max(1, int(readings.contacts.max())),
        "penetration_mm": 1e3 * float(readings.penetration[last].max()),
    }


def main() -> None:
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--iterations", type=int, default=25)
    parser.add_argument("--one", type=int, help="run this size here, and print JSON")
    args = parser.parse_args()
    if args.one:
        print(json.dumps(settle(args.one, args.steps, args.iterations)))
        return
    figures = []
    for size in args.sizes:
        command = [sys.executable, __file__, "--one", str(size), "--steps", str(args.steps)]
        command += ["--iterations", str(args.iterations)]
        answer = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        case = json.loads(answer.stdout.splitlines()[-1])
        figures.append(case)
        print(
            f"{case['spheres']:>9} spheres, {case['contacts']} contacts: "
            f"{1e3 * case['seconds_a_step']:.1f} ms a step with {case['iterations']:.0f} "
            f"iterations (detect, assemble, solve, advance: "
            f"{np.round(1e3 * np.array(case['stages']), 1)} ms), peak memory "
            f"{case['peak_bytes'] / 2**30:.2f} GiB: {case['bytes_a_body']:.0f} B a body, "
            f"{case['bytes_a_contact']:.0f} B a contact; overlap {case['penetration_mm']:.2f} mm",
            flush=True,
        )
    write(args.json, figures)


if __name__ == "__main__":
    main()
