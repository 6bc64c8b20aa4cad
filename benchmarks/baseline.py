"""What kernels for the baseline processor cost, beside those compiled for this very machine.

    python benchmarks/baseline.py [--repeats 15] [--json figures.json]

Two processes, one of each kind, work on the same tasks in turns, in one thread; figures are
processor time. The ratio is the median over the turns of baseline by native: 1.03 says that the
baseline costs 3 %. Both kinds are compiled on first use, so a first run takes minutes.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from amontons._processor import baseline
from common import arguments, write


def tasks() -> dict[str, Callable[[], object]]:
    """The hot paths, each some tens of milliseconds."""
    import amontons as am
    from amontons.generators import packing
    from amontons.scenes import SCENES

    small, large = packing(spheres=600, seed=1), packing(spheres=12_000, seed=1)
    x = np.ones(large.rows)

    def products() -> None:
        for _ in range(40):
            large.product(x)

    def solving(method: am.Solver, problem: am.ConeProblem) -> Callable[[], object]:
        return lambda: method.solve(problem)

    def stepping(name: str, steps: int, **options: Any) -> Callable[[], object]:
        scene = SCENES[name](**options)
        sim = am.Simulation(
            scene.build(), step=scene.advice.step, solver=scene.advice.make_solver()
        )
        for _ in range(20):
            sim.step()
        begun = sim.state

        def again() -> None:
            sim.state = begun
            for _ in range(steps):
                sim.step()

        return again

    rng = np.random.default_rng(0)
    shapes = [am.Sphere(0.5), am.Box.cube(0.8), am.Capsule(0.3, 0.6), am.Cylinder(0.4, 0.8)]
    which = np.arange(4000) % len(shapes)
    detector = am.CollisionDetector(shapes, which=which, margin=0.05)
    places = 8.0 * rng.random((which.size, 3))
    few = {"tolerance": 1e-15}
    return {
        "product, 40 times": products,
        "APGD, 60 iterations": solving(am.APGD(max_iterations=60, **few), large),
        "SpectralGradient, 60": solving(am.SpectralGradient(max_iterations=60, **few), large),
        "GaussSeidel, 20 sweeps": solving(am.GaussSeidel(max_iterations=20, **few), large),
        "InteriorPoint, 6": solving(am.InteriorPoint(max_iterations=6, **few), small),
        "ExactCoulomb, 60": solving(am.ExactCoulomb(max_iterations=60, **few), small),
        "detection, mixed shapes": lambda: detector.detect(places),
        "bouncing_balls, 30 steps": stepping("bouncing_balls", 30),
        "walking_robot, 30 steps": stepping("walking_robot", 30),
        "drum, 10 steps": stepping("drum", 10),
    }


def work() -> None:
    """Answer each name of a task on standard input with its processor time [s]."""
    table = tasks()
    for task in table.values():
        task()  # compiles
    print(*table, sep="|", flush=True)
    for line in sys.stdin:
        begin = time.process_time()
        table[line.strip()]()
        print(time.process_time() - begin, flush=True)


class Worker:
    """A process that does the tasks with kernels for one kind of processor."""

    def __init__(self, *, native: bool) -> None:
        environment = {**os.environ, "NUMBA_NUM_THREADS": "1"}
        environment["AMONTONS_NATIVE" if native else "AMONTONS_BASELINE"] = "1"
        self._process = subprocess.Popen(
            [sys.executable, __file__, "--work"],
            env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def read(self) -> str:
        line = self._process.stdout.readline().strip()
        if not line:
            raise SystemExit("a worker ended early; its message is above")
        return line

    def seconds(self, task: str) -> float:
        print(task, file=self._process.stdin, flush=True)
        return float(self.read())

    def close(self) -> None:
        self._process.stdin.close()
        self._process.wait()


def main() -> None:
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--work", action="store_true", help="be one of the two processes")
    options = parser.parse_args()
    if options.work:
        work()
        return
    common = baseline()
    if common is None or common.missing():
        raise SystemExit("this machine is not one of the baseline: there is nothing to compare")
    native, shared = Worker(native=True), Worker(native=False)
    names = native.read().split("|")
    shared.read()
    figures: dict[str, Any] = {"baseline": common.name}
    print(f"{'task':26} {'native':>10} {common.name:>10} {'ratio':>7}  half of them")
    for name in names:
        pairs = np.array(
            [(native.seconds(name), shared.seconds(name)) for _ in range(options.repeats)]
        )
        low, ratio, high = np.quantile(pairs[:, 1] / pairs[:, 0], (0.25, 0.5, 0.75))
        own, other = 1e3 * np.median(pairs, axis=0)
        figures[name] = {"native": own, "baseline": other, "ratio": ratio}
        print(f"{name:26} {own:7.1f} ms {other:7.1f} ms {ratio:7.3f}  {low:.3f} to {high:.3f}")
    native.close()
    shared.close()
    write(options.json, figures)


if __name__ == "__main__":
    main()
