"""A bed of spheres from loose to rest, by one rule of rest for all engines: what it costs.

    python benchmarks/packing.py                                   # 1000 spheres, four engines
    python benchmarks/packing.py --bodies 4000 --engines amontons lammps --friction exact convex
    python benchmarks/packing.py --step 0.005 0.015 --tolerance 1e-2 1e-3 --json bed.json

A bed rests from the moment on when, for four √(r/g), the median grain is slower than 1e-3 √(g r)
and the mean height stays within 1e-3 r, both read off the places alone. All engines start from the
same places, with the same friction; each runs alone in a process of its own, on one thread. An
engine whose bed does not come to rest within the limits is reported as it was then.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from engines import Engine, Settings, start
from engines.grains import GRAVITY, Grains, bed
from engines.measures import RestRule, overlaps
from engines.race import Figures, race, racing_arguments

LOOK, MOST, AFTER = 0.4, 240.0, 8.0
"""Between looks, at most until rest, and measured at rest [√(r/g)]: 0.05, 30 and 1 s here."""


def measure(name: str, bodies: int, settings: Settings, limit: float) -> Figures:
    """From loose to rest, and a second of rest."""
    grains = bed(bodies)
    return measured(start(name, grains, settings), grains, limit)


def measured(engine: Engine, grains: Grains, limit: float) -> Figures:
    unit = sqrt(grains.radius / GRAVITY)
    rule = RestRule(grains)
    rule.look(0.0, 0.0, engine.places())
    while True:
        engine.run(LOOK * unit)
        rule.look(engine.time, engine.cpu, engine.places())
        if rule.since or engine.time > MOST * unit or engine.cpu > limit:
            break
    since, last = rule.since, rule.looks[-1]
    figures: Figures = {"rests": since is not None}
    figures["time_to_rest_s"], figures["cpu_to_rest_s"] = since or last[:2]
    begin, cpu, before = engine.time, engine.cpu, engine.places()
    while engine.time < begin + AFTER * unit and (since or engine.cpu < limit):
        engine.run(LOOK * unit)
    after = engine.places()
    deep = overlaps(after, grains)
    moved = np.linalg.norm(after - before, axis=1) / grains.radius
    spent = engine.time - begin
    return {
        **figures,
        "cpu_per_second_at_rest": (engine.cpu - cpu) / spent if spent else None,
        "mean_height_m": float(after[:, 2].mean()),
        "overlap_mean": float(deep.mean()) if deep.size else 0.0,
        "overlap_99": float(np.quantile(deep, 0.99)) if deep.size else 0.0,
        "overlap_deepest": float(deep.max(initial=0.0)),
        "overlaps": deep.size,
        "median_speed": last[3] / sqrt(GRAVITY * grains.radius),
        "moved_median": float(np.median(moved)) if spent else None,
        "moved_most": float(moved.max()) if spent else None,
        "looks": np.array(rule.looks[1:]).T.tolist(),
        "about": engine.about(),
    }


def show(name: str, case: Figures) -> str:
    if "failed" in case:
        return str(case["failed"])
    about = case["about"]
    what = f"h {about['step_ms']:.3g} ms"
    if name == "amontons":
        what += f", friction {about['friction']}, {about['iterations']:.0f} iterations a step"
    state = "rest" if case["rests"] else "NOT at rest, stopped"
    resting, cent = case["cpu_per_second_at_rest"], 100.0
    then = f", then {resting:.2f} a second" if resting is not None else ""
    moved = (
        f"; moved then: median {cent * case['moved_median']:.3f}, "
        f"most {cent * case['moved_most']:.1f}"
        if resting is not None
        else f"; median speed {case['median_speed']:.1e} √(g r)"
    )
    return (
        f"{state} at {case['time_to_rest_s']:.2f} s after {case['cpu_to_rest_s']:.1f} CPU s{then}; "
        f"height {case['mean_height_m']:.4f} m; overlap in % of r: mean "
        f"{cent * case['overlap_mean']:.4f}, 99 of 100 below {cent * case['overlap_99']:.3f}, "
        f"deepest {cent * case['overlap_deepest']:.3f}{moved}; {what}"
    )


if __name__ == "__main__":
    everyone = ("amontons", "lammps", "pybullet", "mujoco")
    race(racing_arguments(__doc__.splitlines()[0], 1000, everyone), measure, show)
