"""Whether answers depend on the step, the tolerance or the law of friction, of four granular tests.

    python benchmarks/step_independence.py                        # all, 400 grains: some hours
    python benchmarks/step_independence.py --cases bed heap --seeds 2 --json steps.json

Each test is run at its step h, h/2 and h/4, at the tolerances 1e-2 and 1e-4, with convex and with
exact friction, for some seeds; and once as simulations come, without a word about the solver. A
figure is the mean over seeds, and its error the standard error of that mean.

- bed: solid fraction of spheres (± 20 %) that fell into a cell without side walls, away from the
  floor and the surface, with the gaps between neighbours left as they are
- heap: angle of repose [degrees], the scene `heap`
- drum: angle at which the grains' centre of mass hangs from the axis [degrees], `drum.py`
- silo: grains that run out in a second, `silo.py`
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import amontons as am
import drum
import silo
from amontons.scenes import Heap
from common import arguments, write
from engines import Settings, start
from engines import grains as shared

TOLERANCES, LAWS, HALVINGS = (1e-2, 1e-4), ("convex", "exact"), (1, 2, 4)
ITERATIONS = 2000
"""Most of them in a step."""
FOREVER = 1e9
"""No limit of processor time [s]."""


@dataclass(frozen=True)
class Setting:
    """How a test is run; a tolerance of None leaves the solver as it comes."""

    step: float
    tolerance: float | None
    friction: str

    def simulation(self, world: am.World) -> am.Simulation:
        """A simulation with it."""
        given: dict[str, Any] = {"step": self.step, "friction": self.friction}
        if self.tolerance is not None:
            given["solver"] = am.APGD(tolerance=self.tolerance, max_iterations=ITERATIONS)
        return am.Simulation(world, **given)

    @property
    def of_engine(self) -> Settings:
        """The same for an engine of a race."""
        return Settings(
            step=self.step, tolerance=self.tolerance, iterations=ITERATIONS, friction=self.friction
        )


def bed_fraction(bodies: int, setting: Setting, seed: int) -> float:
    """Solid fraction of a bed that has come to rest."""
    d, across = 5e-3, 7.0
    sizes = am.Sizes.uniform(0.8 * d, 1.2 * d)
    radius = sizes.radii(bodies, seed=seed)
    height = float((4.0 / 3.0 * np.pi * radius**3).sum() / 0.3 / (across * d) ** 2)
    side = across * d
    world = am.World(cell=am.Cell((side, side, 2.0 * height), periodic=(True, True, False)))
    material = am.Material(friction=0.5)
    world.add_body(am.Plane(), fixed=True, material=material)
    inside = ((0.0, 0.0, 0.0), (side, side, height))
    found = am.pack(inside, sizes, fraction=0.3, seed=seed)
    world.add_spheres(found.radius, position=found.position, density=2500.0, material=material)
    sim = setting.simulation(world)
    sim.run(0.6)
    top = float(np.sort(sim.bodies.position[1:, 2])[-20])
    box = ((-side, -side, 2.0 * d), (2.0 * side, 2.0 * side, max(top - 3.0 * d, 3.0 * d)))
    filled = am.measure.solid_fraction(sim, box)
    return filled * 9.0  # the box is three cells wide, so that all balls are in one


def heap_angle(bodies: int, setting: Setting, seed: int) -> float:
    """Angle of repose of a heap on a plate [degrees]; twice as many grains, as most fall off it."""
    world = Heap(2 * bodies, lifting=0.1, seed=seed).build()
    sim = setting.simulation(world)
    sim.run(1.2)
    (probe,) = world.probes
    return float(am.measure.read(sim, probe)["repose_angle"])


def drum_angle(bodies: int, setting: Setting, seed: int) -> float:
    """Angle at which the grains of a drum hang [degrees]."""
    grains = shared.drum(bodies, seed=seed)
    figures = drum.measured(start("amontons", grains, setting.of_engine), grains, FOREVER)
    return float(figures["lean_deg"])


def silo_rate(bodies: int, setting: Setting, seed: int) -> float:
    """Grains that leave a silo in a second."""
    grains = shared.silo(bodies, seed=seed)
    figures = silo.measured(start("amontons", grains, setting.of_engine), grains, FOREVER)
    return float(figures["rate_per_s"])


CASES: dict[str, tuple[Callable[[int, Setting, int], float], float]] = {
    "bed": (bed_fraction, 1e-3),
    "heap": (heap_angle, 2e-3),
    "drum": (drum_angle, 5e-3),
    "silo": (silo_rate, 5e-3),
}
"""What each measures, and its longest step h [s]."""


def settings_of(step: float, tolerances: list[float]) -> list[tuple[str, Setting]]:
    """The settings of a test with a word on its step, the cheap ones first."""
    found = [("default", Setting(step, None, "convex"))]
    for tolerance, law, part in itertools.product(tolerances, LAWS, HALVINGS):
        name = "h" if part == 1 else f"h/{part}"
        found.append((name, Setting(step / part, tolerance, law)))
    return found


def main() -> None:
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--cases", nargs="+", choices=CASES, default=list(CASES))
    parser.add_argument("--grains", type=int, default=400)
    parser.add_argument("--seeds", type=int, default=2, help="how many, from 0 on")
    parser.add_argument("--tolerance", type=float, nargs="+", default=list(TOLERANCES))
    given = parser.parse_args()
    am.set_threads(1)
    rows = []
    for case in given.cases:
        measure, step = CASES[case]
        for word, setting in settings_of(step, given.tolerance):
            began = time.process_time()
            values = [measure(given.grains, setting, seed) for seed in range(given.seeds)]
            error = np.std(values, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.nan
            rows.append({
                "case": case, "step": word, "step_s": setting.step, "tolerance": setting.tolerance,
                "friction": setting.friction, "value": np.mean(values), "error": error,
                "values": values, "cpu_seconds": time.process_time() - began,
            })  # fmt: skip
            tolerance = "as it comes" if setting.tolerance is None else f"{setting.tolerance:g}"
            print(
                f"{case:5s} {word:8s} {tolerance:12s} {setting.friction:7s} "
                f"{rows[-1]['value']:8.4g} ± {error:.2g}   {rows[-1]['cpu_seconds']:.0f} CPU s",
                flush=True,
            )
            write(given.json, rows)


if __name__ == "__main__":
    main()
