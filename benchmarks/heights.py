"""Mean height of a bed at rest by time step and law of friction, over several seeds.

python benchmarks/heights.py [--bodies 1000] [--time 3] [--steps 15 5 1] [--seeds 3]
                             [--laws exact convex] [--tolerance 1e-3] [--json out.json]
"""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np

import amontons as am
from amontons.scenes import SCENES
from common import arguments, write


def settle(bodies: int, seed: int, law: str, step: float, duration: float, tolerance: float) -> Any:
    """One bed from loose to the end of the run: height, speed, cost."""
    scene = SCENES["packed_bed"](spheres=bodies, seed=seed)
    solver = am.APGD(tolerance=tolerance)
    simulation = am.Simulation(scene.build(), step=step, solver=solver, friction=law)
    begin = time.process_time()
    while simulation.time < duration - 1e-9:
        simulation.step()
    mobile = np.flatnonzero(np.asarray(simulation.bodies.mass) > 0.0)
    speed = np.linalg.norm(np.asarray(simulation.bodies.velocity)[mobile], axis=1)
    readings = simulation.readings
    return {
        "friction": law,
        "step": step,
        "seed": seed,
        "height": float(np.asarray(simulation.bodies.position)[mobile, 2].mean()),
        "median_speed": float(np.median(speed)),
        "not_converged": float(np.mean(np.asarray(readings.residual) > tolerance)),
        "seconds": time.process_time() - begin,
    }


def main() -> None:
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--bodies", type=int, default=1000)
    parser.add_argument("--time", type=float, default=3.0, help="of each run [s]")
    parser.add_argument("--steps", type=float, nargs="+", default=[15.0, 5.0, 1.0], help="[ms]")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--laws", nargs="+", default=["exact", "convex"])
    parser.add_argument("--tolerance", type=float, default=1e-3)
    options = parser.parse_args()
    am.set_threads(1)
    rows = []
    for law in options.laws:
        for milliseconds in options.steps:
            for seed in range(options.seeds):
                row = settle(
                    options.bodies, seed, law, 1e-3 * milliseconds, options.time, options.tolerance
                )
                rows.append(row)
                print(
                    f"  {law} {milliseconds:g} ms, seed {seed}: height {row['height']:.4f} m, "
                    f"median speed {row['median_speed']:.1e} m/s, "
                    f"{100 * row['not_converged']:.0f} % of steps not converged, "
                    f"{row['seconds']:.1f} CPU s",
                    flush=True,
                )
            heights = np.array([row["height"] for row in rows[-options.seeds :]])
            error = heights.std(ddof=1) / math.sqrt(len(heights)) if len(heights) > 1 else math.nan
            print(f"  {law} {milliseconds:g} ms: {heights.mean():.4f} ± {error:.4f} m", flush=True)
    write(options.json, rows)


if __name__ == "__main__":
    main()
