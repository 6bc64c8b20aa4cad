"""A turning drum in steady motion, where nothing rests: CPU time a second, and the angle.

    python benchmarks/drum.py                                # 1000 grains, amontons and LAMMPS
    python benchmarks/drum.py --step 0.005 0.01 --friction exact convex --json drum.json

The shell is made of spheres, the same for both, so that no engine has a smoother one. After one
radian of turning the angle of the surface is read for as long as two more take, from places alone
and by one routine (`engines.measures.slope`); its error comes from the means of eight parts of that
time. The angle at which the centre of mass hangs from the axis is given beside it.
"""

from __future__ import annotations

from math import degrees, sqrt

import numpy as np

from engines import Engine, Settings, start
from engines.grains import GRAVITY, Grains, drum
from engines.measures import lean, mean_and_error, overlaps, slope
from engines.race import Figures, race, racing_arguments

LOOK = 0.7
"""Between looks [√(r/g)]: 0.05 s here."""
BEFORE, DURING = 1.0, 2.0
"""Turned before the angle is read, and while it is [rad]."""


def measure(name: str, bodies: int, settings: Settings, limit: float) -> Figures:
    """Turn the drum until the flow is steady, then read it."""
    grains = drum(bodies)
    return measured(start(name, grains, settings), grains, limit)


def measured(engine: Engine, grains: Grains, limit: float) -> Figures:
    look = LOOK * sqrt(grains.radius / GRAVITY)
    while engine.time * grains.spin < BEFORE and engine.cpu < limit:
        engine.run(look)
    begin, cpu = engine.time, engine.cpu
    slopes, leans, deep = [], [], []
    while engine.time * grains.spin < BEFORE + DURING and engine.cpu < limit:
        engine.run(look)
        places = engine.places()
        slopes.append(slope(places, grains))
        leans.append(lean(places, grains))
        deep.append(overlaps(places, grains).max(initial=0.0))
    if len(slopes) < 16:
        return {"failed": f"stopped at the limit, {engine.time:.2f} s after the start"}
    angle, error = mean_and_error(np.degrees(slopes))
    hangs, hangs_error = mean_and_error(np.degrees(leans))
    return {
        "complete": engine.time * grains.spin >= BEFORE + DURING,
        "cpu_per_second": (engine.cpu - cpu) / (engine.time - begin),
        "angle_deg": angle,
        "angle_error_deg": error,
        "lean_deg": hangs,
        "lean_error_deg": hangs_error,
        "overlap_deepest": float(np.max(deep)),
        "seconds": engine.time - begin,
        "turned_deg": degrees(grains.spin * engine.time),
        "about": engine.about(),
    }


def show(name: str, case: Figures) -> str:
    if "failed" in case:
        return str(case["failed"])
    about = case["about"]
    friction = f", friction {about['friction']}" if name == "amontons" else ""
    return (
        f"{case['cpu_per_second']:.2f} CPU s a second; angle {case['angle_deg']:.2f} ± "
        f"{case['angle_error_deg']:.2f}°, centre of mass at {case['lean_deg']:.2f} ± "
        f"{case['lean_error_deg']:.2f}°, deepest overlap {100 * case['overlap_deepest']:.2f} % of "
        f"r; h {about['step_ms']:.3g} ms{friction}{'' if case['complete'] else ' (cut short)'}"
    )


if __name__ == "__main__":
    race(racing_arguments(__doc__.splitlines()[0], 1000, ("amontons", "lammps")), measure, show)
