"""Beverloo's law: how the rate of a silo grows with its hole.

    python benchmarks/beverloo.py                     # four holes, 2000 grains
    python benchmarks/beverloo.py --grains 8000 --width 24 --orifice 5 7 9 11 --json beverloo.json

W. A. Beverloo, H. A. Leniger and J. van de Velde (Chem. Eng. Sci. 15, 260, 1961) found that the
mass rate of a flat silo is C ρ √g (D − k d)^(5/2), with k about 1.4 for spheres and C from 0.55 to
0.65, where ρ is the density of the bulk. Here k is taken as 1.4 and the exponent is that of the
straight line through log W over log(D − k d). A rate is the slope of the mass that has passed over
time, from when a tenth of the grains are out until `--until` of them are.
"""

from __future__ import annotations

import time

import numpy as np

import amontons as am
from amontons.scenes import Silo
from common import arguments, write

K = 1.4
"""Beverloo's k for spheres."""

FIRST = 0.1
"""Share of the grains that is out when the rate begins to be read."""

GRAVITY, MOST = 9.81, 20.0
"""[m/s²], and simulated time at most [s]."""


def discharge(scene: Silo, until: float, step: float) -> dict[str, float]:
    """Mass rate of a silo, and its scatter over four parts of the time."""
    start = time.process_time()
    world = scene.build()
    total = float(world.bodies.mass[world.bodies.dynamic].sum())
    sim = am.Simulation(world, step=step, solver=scene.advice.make_solver())
    looks: list[tuple[float, float]] = []

    def look(report: am.StepReport) -> bool:
        passed = sim.meters["hole"].mass / total
        if passed > FIRST:
            looks.append((report.time, passed * total))
        return passed > until

    sim.run(MOST, on_step=look)
    rates = [np.polyfit(*np.array(part).T, 1)[0] for part in np.array_split(looks, 4)]
    return {
        "orifice_m": scene.hole,
        "diameter_m": scene.diameter,
        "rate_kg_s": float(np.polyfit(*np.array(looks).T, 1)[0]),
        "scatter_kg_s": float(np.std(rates)),
        "seconds": looks[-1][0] - looks[0][0],
        "cpu_seconds": time.process_time() - start,
    }


def exponent(cases: list[dict[str, float]]) -> tuple[float, float]:
    """Of the rate over D − k d, and C for the bulk density 0.6 · 2500 kg/m³ at the exponent 5/2."""
    free = np.array([case["orifice_m"] - K * case["diameter_m"] for case in cases])
    rate = np.array([case["rate_kg_s"] for case in cases])
    slope = float(np.polyfit(np.log(free), np.log(rate), 1)[0])
    factor = float(np.mean(rate / (0.6 * 2500.0 * np.sqrt(GRAVITY) * free**2.5)))
    return slope, factor


def main() -> None:
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--grains", type=int, default=2000)
    parser.add_argument("--width", type=float, default=16.0, help="of the silo in diameters")
    parser.add_argument("--orifice", type=float, nargs="+", default=[4.5, 5.5, 7.0, 8.5])
    parser.add_argument("--friction", type=float, default=0.5)
    parser.add_argument("--until", type=float, default=0.4, help="share of the grains that is out")
    parser.add_argument("--step", type=float, default=1.5e-3, help="[s]")
    given = parser.parse_args()
    cases = []
    for orifice in given.orifice:
        scene = Silo(
            given.grains, width=given.width, orifice=orifice, friction=given.friction
        )  # fmt: skip
        cases.append(discharge(scene, given.until, given.step))
        print({name: float(f"{x:.4g}") for name, x in cases[-1].items()}, flush=True)
    slope, factor = exponent(cases)
    print(f"W ~ (D - {K} d)^{slope:.2f}; C = {factor:.3f} at the exponent 5/2")
    write(given.json, {"cases": cases, "exponent": slope, "factor": factor})


if __name__ == "__main__":
    main()
