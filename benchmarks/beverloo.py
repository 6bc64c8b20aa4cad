"""Beverloo's law: how the rate of a silo grows with its hole, and soft spheres in the same silo.

    python benchmarks/beverloo.py                      # amontons and LAMMPS, four holes each
    python benchmarks/beverloo.py --engines amontons --friction exact --json beverloo.json

W. A. Beverloo, H. A. Leniger and J. van de Velde (Chem. Eng. Sci. 15, 260, 1961) found that the
mass rate of a flat silo is C ρ √g (D − k d)^(5/2), with k about 1.4 for spheres and C from 0.55 to
0.65, where ρ is the density of the bulk (0.6 of that of grains here). The silo is square with flat
walls; its floor is of spheres, the same for all engines, with a round hole of width D, and is open
from the start. The rate is the slope of the number of grains above the floor over time, from when
a first part of them is out until a second is; its error comes from the slopes of eight parts of
that time. An exponent is the slope of a straight line through log W over log(D − k d), weighted by
the errors of the rates, and its error follows from these alone.
"""

from __future__ import annotations

import argparse
import functools
import itertools
from math import pi, sqrt

import numpy as np

from engines import Engine, Settings, start
from engines.grains import GRAVITY, Floats, Grains, round_silo
from engines.measures import discharge, overlaps
from engines.race import Figures, race, racing_parser

K = 1.4
"""Beverloo's k for spheres."""
OTHERS = (1.0, 1.2, 1.6)
"""With which exponents are given, too."""
BULK = 0.6
"""Solid fraction of the bulk in Beverloo's factor C."""
LOOK = 0.1
"""Between looks [√(d/g)]."""


def measure(
    args: argparse.Namespace, name: str, bodies: int, settings: Settings, limit: float
) -> Figures:
    """All holes in turn."""
    cases = []
    for orifice, seed in itertools.product(args.orifice, range(args.seeds)):
        grains = round_silo(bodies, width=args.width, orifice=orifice, seed=seed)
        engine = start(name, grains, settings)
        found = discharged(engine, grains, args.out[0], args.out[1], limit)
        if "failed" in found:
            return found
        cases.append({"orifice": orifice, "seed": seed, **found})
    return {"cases": cases, **law(cases)}


def discharged(engine: Engine, grains: Grains, first: int, last: int, limit: float) -> Figures:
    """Rate of a silo, from when so many grains are out until so many are [√(g/d)]."""
    unit = sqrt(2.0 * grains.radius / GRAVITY)
    total = len(grains.places)
    looks, deep = [], []
    out = 0
    while out < last and engine.cpu < limit:
        engine.run(LOOK * unit)
        places = engine.places()
        above = places[places[:, 2] > 0.0]  # False where gone
        out = total - len(above)
        if out >= first:
            looks.append((engine.time, engine.cpu, len(above)))
            if len(looks) % 10 == 1:
                deep.append(overlaps(above, grains).max(initial=0.0))
    if len(looks) < 24:
        return {"failed": f"stopped after {engine.time:.2f} s, {out} of {total} grains were out"}
    times, spent, counts = np.array(looks).T
    rate, error = discharge(times, counts)
    return {
        "complete": out >= last,
        "rate": rate * unit,
        "rate_error": error * unit,
        "duration": (times[-1] - times[0]) / unit,
        "cpu_seconds": engine.cpu,
        "cpu_per_duration": (spent[-1] - spent[0]) / (times[-1] - times[0]) * unit,
        "overlap_deepest": float(np.max(deep)),
        "about": engine.about(),
    }


def law(cases: list[Figures]) -> Figures:
    """The exponent for k = K and for other k, and C for K at the exponent 5/2."""
    holes = np.array([case["orifice"] for case in cases])
    rate = np.array([case["rate"] for case in cases])
    error = np.array([case["rate_error"] for case in cases])
    slope, uncertain = exponent(holes - K, rate, error)
    factor = rate * (pi / 6.0) / BULK / (holes - K) ** 2.5
    return {
        "k": K,
        "exponent": slope,
        "exponent_error": uncertain,
        "exponent_by_k": {k: exponent(holes - k, rate, error)[0] for k in OTHERS},
        "factor": float(np.mean(factor)),
        "factor_by_hole": factor.tolist(),
        "k_at_five_halves": shift(holes, rate, error),
    }


def exponent(free: Floats, rate: Floats, error: Floats) -> tuple[float, float]:
    """Slope of log rate over log free, weighted by the rates' errors, and its own error."""
    weight = (rate / error) ** 2
    x = np.log(free) - np.average(np.log(free), weights=weight)
    spread = float((weight * x**2).sum())
    return float((weight * x * np.log(rate)).sum()) / spread, 1.0 / sqrt(spread)


def shift(holes: Floats, rate: Floats, error: Floats) -> float:
    """Beverloo's k where the exponent is 5/2: rate^(2/5) is a straight line through D = k d."""
    power = rate**0.4
    slope, start = np.polyfit(holes, power, 1, w=rate / error / power)
    return float(-start / slope)


def show(name: str, figures: Figures) -> str:
    if "failed" in figures:
        return str(figures["failed"])
    lines = [
        f"W ~ (D - {K} d)^({figures['exponent']:.3f} ± {figures['exponent_error']:.3f}), "
        f"C = {figures['factor']:.3f}; "
        + ", ".join(f"{slope:.2f} with k = {k}" for k, slope in figures["exponent_by_k"].items())
        + f"; 5/2 with k = {figures['k_at_five_halves']:.2f}"
    ]
    for case in figures["cases"]:
        lines.append(
            f"  D = {case['orifice']:.2f} d: {case['rate']:.2f} ± {case['rate_error']:.2f} grains "
            f"in √(d/g) over {case['duration']:.0f} of them; {case['cpu_per_duration']:.3f} CPU s "
            f"each, {case['cpu_seconds']:.0f} in all; deepest overlap "
            f"{100 * case['overlap_deepest']:.2f} % of r"
            f"{'' if case['complete'] else ' (cut short)'}"
        )
    return "\n".join(lines)


def main() -> None:
    parser = racing_parser(__doc__.splitlines()[0], 5000, ("amontons", "lammps"))
    parser.add_argument("--width", type=float, default=18.0, help="of the silo [diameters]")
    parser.add_argument("--orifice", type=float, nargs="+", default=[4.5, 5.5, 6.75, 8.0])
    parser.add_argument(
        "--out", type=int, nargs=2, default=[500, 2000], metavar=("FIRST", "LAST"),
        help="grains that are out when the rate begins and ends to be read",
    )  # fmt: skip
    parser.add_argument("--seeds", type=int, default=1, help="of the places at the start, from 0")
    args = parser.parse_args()
    if len(set(args.orifice)) < 2:
        parser.error("an exponent takes two orifices or more")
    race(args, functools.partial(measure, args), show)


if __name__ == "__main__":
    main()
