"""Microseconds a step of small machines and robots: amontons beside MuJoCo and PyBullet.

    python benchmarks/robots.py                          # all rows
    python benchmarks/robots.py --rows pendulum cube     # some

One thread, one process, engines in turns; medians of processor time. All engines of a row take the
same time step. A dash stands where an engine cannot read the file, or has nothing like it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np

import amontons as am
from common import arguments, write
from engines.robot_rows import ROWS

ENGINES = ("amontons", "mujoco", "pybullet")


@dataclass
class Stepper:
    """One machine in one engine."""

    step: Callable[[], object]
    height: Callable[[], float]
    """Of the body that shows what the machine does [m]: engines should agree on it."""
    samples: list[float] = field(default_factory=list)

    def turn(self, steps: int) -> None:
        """Take some steps, and note the processor time of one."""
        start = time.process_time()
        for _ in range(steps):
            self.step()
        self.samples.append((time.process_time() - start) / steps)


def steppers(row: str) -> Iterator[tuple[str, Stepper]]:
    """The engines that can do a row, after the time that it asks for has passed."""
    case = ROWS[row]
    for engine in ENGINES:
        build = getattr(case, engine)
        if build is None:
            continue
        with suppress(ImportError):
            machine = Stepper(*build(case.step))
            for _ in range(round(case.before / case.step)):
                machine.step()
            yield engine, machine


def main() -> None:
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--rows", nargs="+", choices=ROWS, default=tuple(ROWS))
    parser.add_argument("--turns", type=int, default=15)
    parser.add_argument("--steps", type=int, default=20, help="of a turn")
    args = parser.parse_args()
    am.set_threads(1)
    figures: dict[str, dict[str, dict[str, float]]] = {}
    print(f"{'':30s}" + "".join(f"{name:>22s}" for name in ENGINES) + "   [µs a step, height in m]")
    for row in args.rows:
        racing = dict(steppers(row))
        for _ in range(args.turns):
            for machine in racing.values():
                machine.turn(args.steps)
        figures[row] = {
            name: {
                "us_per_step": 1e6 * float(np.median(machine.samples)),
                "least_us": 1e6 * min(machine.samples),
                "height_m": machine.height(),
            }
            for name, machine in racing.items()
        }
        cells = (figures[row].get(name) for name in ENGINES)
        texts = (f"{c['us_per_step']:.1f} ({c['height_m']:.3f})" if c else "-" for c in cells)
        print(f"{ROWS[row].title:30s}" + "".join(f"{text:>22s}" for text in texts), flush=True)
    write(args.json, figures)


if __name__ == "__main__":
    main()
