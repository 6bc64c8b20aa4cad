"""A silo that discharges, where nothing rests: CPU time a second, and the rate.

    python benchmarks/silo.py                                # 1000 grains, amontons and LAMMPS
    python benchmarks/silo.py --step 0.002 0.005 --friction exact convex --json silo.json

Walls are flat, the floor is of spheres with a square hole, the same for both. Grains that have
fallen well below the floor are taken out. The rate is the slope of the number of grains above the
floor over time, from when a tenth of them have left until half have; its error comes from the
slopes of eight parts of that time.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from engines import Engine, Settings, start
from engines.grains import GRAVITY, Grains, silo
from engines.measures import discharge, overlaps
from engines.race import Figures, race, racing_arguments

LOOK, MOST = 0.2, 700.0
"""Between looks, and at most [√(r/g)]: 0.014 and 50 s here."""
FIRST, LAST = 0.9, 0.5
"""Shares of the grains that are still there when the steady discharge is read."""


def measure(name: str, bodies: int, settings: Settings, limit: float) -> Figures:
    """Let the silo discharge, and read its rate."""
    grains = silo(bodies)
    return measured(start(name, grains, settings), grains, limit)


def measured(engine: Engine, grains: Grains, limit: float) -> Figures:
    unit = sqrt(grains.radius / GRAVITY)
    total = len(grains.places)
    looks, deep = [], []
    left = total
    while left > LAST * total and engine.time < MOST * unit and engine.cpu < limit:
        engine.run(LOOK * unit)
        places = engine.places()
        above = places[places[:, 2] > 0.0]  # False where gone
        left = len(above)
        if left <= FIRST * total:
            looks.append((engine.time, engine.cpu, left))
            deep.append(overlaps(above, grains).max(initial=0.0))
    if len(looks) < 24:
        return {"failed": f"stopped after {engine.time:.2f} s, {left} of {total} grains were left"}
    times, spent, counts = np.array(looks).T
    rate, error = discharge(times, counts)
    return {
        "complete": left <= LAST * total,
        "cpu_per_second": (spent[-1] - spent[0]) / (times[-1] - times[0]),
        "rate_per_s": rate,
        "rate_error_per_s": error,
        "overlap_deepest": float(np.max(deep)),
        "seconds": times[-1] - times[0],
        "about": engine.about(),
    }


def show(name: str, case: Figures) -> str:
    if "failed" in case:
        return str(case["failed"])
    about = case["about"]
    friction = f", friction {about['friction']}" if name == "amontons" else ""
    return (
        f"{case['cpu_per_second']:.2f} CPU s a second; rate {case['rate_per_s']:.1f} ± "
        f"{case['rate_error_per_s']:.1f} grains a second over {case['seconds']:.1f} s, deepest "
        f"overlap {100 * case['overlap_deepest']:.2f} % of r; h {about['step_ms']:.3g} ms{friction}"
        f"{'' if case['complete'] else ' (cut short)'}"
    )


if __name__ == "__main__":
    race(racing_arguments(__doc__.splitlines()[0], 1000, ("amontons", "lammps")), measure, show)
