"""Microseconds a step of small machines and robots: amontons beside MuJoCo and PyBullet.

    python benchmarks/robots.py                          # all rows
    python benchmarks/robots.py --rows pendulum cube     # some
    python benchmarks/robots.py --bits                   # compiled steps beside staged ones

One thread, one process, engines in turns; medians over turns of so many steps, processor time. All
engines of a row take the same time step. "step" is a loop of Python that takes one step after the
other; "many" has all steps of a turn in one call (`sim.advance(n)`, `mj_step(..., nstep=n)`). A
dash stands where an engine cannot read the file, or has nothing like it.

With `--bits`: fingerprints of the states after 1000 steps that are taken stage by stage, by default
one by one, and in calls of many.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np

import amontons as am
from common import arguments, write
from engines.robot_rows import ROWS, Machine

ENGINES = ("amontons", "mujoco", "pybullet")
WAYS = ("step", "many")
COLUMNS = tuple(
    (engine, way) for engine in ENGINES for way in WAYS if engine != "pybullet" or way == "step"
)


@dataclass
class Stepper:
    """One machine in one engine, and a way to take its steps."""

    machine: Machine
    way: str
    samples: list[float] = field(default_factory=list)

    def turn(self, steps: int) -> None:
        """Take some steps, and note the processor time of one."""
        start = time.process_time()
        if self.way == "many":
            assert self.machine.many is not None
            self.machine.many(steps)
        else:
            for _ in range(steps):
                self.machine.step()
        self.samples.append((time.process_time() - start) / steps)


def steppers(row: str) -> Iterator[tuple[tuple[str, str], Stepper]]:
    """The engines that can do a row, after the time that it asks for has passed."""
    case = ROWS[row]
    for engine, way in COLUMNS:
        build = getattr(case, engine)
        if build is None:
            continue
        with suppress(ImportError):
            machine = build(case.step)
            for _ in range(round(case.before / case.step)):
                machine.step()
            yield (engine, way), Stepper(machine, way)


def bits(row: str, steps: int = 1000) -> bool:
    """Whether a row's state after so many steps is the same however they are taken."""
    build, step = ROWS[row].amontons, ROWS[row].step
    staged, usual, many = build(step, compiled=False), build(step), build(step, compiled=True)
    compiled = 0
    for _ in range(steps):
        staged.step()
        usual.step()
        compiled += usual.sim.staged_because is None
    many.many(steps)
    found = [machine.sim.state.hash() for machine in (staged, usual, many)]
    print(f"{ROWS[row].title:30s}{'  '.join(found)}   {compiled} of {steps} compiled", flush=True)
    return len(set(found)) == 1


def main() -> None:
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--rows", nargs="+", choices=ROWS, default=tuple(ROWS))
    parser.add_argument("--turns", type=int, default=15)
    parser.add_argument("--steps", type=int, default=50, help="of a turn")
    parser.add_argument("--bits", action="store_true", help="fingerprints instead of times")
    args = parser.parse_args()
    am.set_threads(1)
    if args.bits:
        same = [bits(row) for row in args.rows]
        assert all(same), "some states differ"
        return
    figures: dict[str, dict[str, dict[str, float]]] = {}
    heads = "".join(f"{' '.join(column):>20s}" for column in COLUMNS)
    print(f"{'µs a step, height in m':28s}{heads}   ours by MuJoCo's, many")
    for row in args.rows:
        racing = dict(steppers(row))
        for _ in range(args.turns):
            for stepper in racing.values():
                stepper.turn(args.steps)
        figures[row] = {
            " ".join(column): {
                "us_per_step": 1e6 * float(np.median(stepper.samples)),
                "least_us": 1e6 * min(stepper.samples),
                "height_m": stepper.machine.height(),
            }
            for column, stepper in racing.items()
        }
        found = [figures[row].get(" ".join(column)) for column in COLUMNS]
        texts = (f"{c['us_per_step']:.1f} ({c['height_m']:.3f})" if c else "-" for c in found)
        ratio = f"{found[1]['us_per_step'] / found[3]['us_per_step']:.1f}" if found[3] else "-"
        cells = "".join(f"{text:>20s}" for text in texts)
        print(f"{ROWS[row].title:28s}{cells}   {ratio}", flush=True)
    write(args.json, figures)


if __name__ == "__main__":
    main()
