"""Random scenes in random systems of units: the same iterations and the same answers.

python benchmarks/units.py [--scenes 200] [--systems 20] [--json out.json]

A scene is a heap of bodies of all shapes with rolling and spinning friction, cohesion, restitution
or compliance, a chain of bodies with any joints, motors, springs and loads, or a gearbox
(`tests/helpers/unit_scenes.py`). Metre, kilogram and second are each between 1e-4 and 1e4 of SI's.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import amontons as am
from common import arguments, write

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from helpers.unit_scenes import SCENES, Units, run


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--scenes", type=int, default=200, help="how many scenes")
    parser.add_argument("--systems", type=int, default=20, help="systems of units for each")
    parser.add_argument("--first", type=int, default=0, help="seed of the first scene")
    options = parser.parse_args()
    am.set_threads(1)
    rows = []
    for seed in range(options.first, options.first + options.scenes):
        rows.append(one(seed, options.systems))
        if rows[-1]["bad"]:
            print(rows[-1], flush=True)
    answers = np.array([row["answers"] for row in rows])
    counts = np.array([row["iterations_off"] for row in rows])
    print(f"{len(rows)} scenes in {options.systems} systems of units each")
    print(f"iterations off by: median {np.median(counts):.1e}, at most {counts.max():.1e}")
    print(f"answers off by: median {np.median(answers):.1e}, at most {answers.max():.1e}")
    print(f"steps that did not converge: {sum(row['unconverged'] for row in rows)}")
    print(f"deepest overlap after the first step: {max(row['overlap'] for row in rows):.1e} sizes")
    print(f"scenes beyond 2 % of the iterations or 1e-6: {sum(row['bad'] for row in rows)}")
    write(options.json, {"scenes": rows})


def one(seed: int, systems: int) -> dict[str, object]:
    """One scene in SI, compared with itself in other units."""
    rng = np.random.default_rng([seed, 1])
    si = run(seed, Units())
    answers, off = 0.0, 0.0
    unconverged = int((~si.converged).sum())
    for _ in range(systems):
        other = run(seed, Units.random(rng))
        unconverged += int((~other.converged).sum())
        for name in ("position", "velocity", "spin"):
            a, b = getattr(si, name), getattr(other, name)
            answers = max(answers, float(np.abs(a - b).max() / max(1.0, np.abs(a).max())))
        total = int(si.iterations.sum())
        off = max(off, abs(int(other.iterations.sum()) - total) / max(total, 100))
    return {
        "seed": seed,
        "scene": SCENES[seed % len(SCENES)].__name__,
        "iterations": int(si.iterations.sum()),
        "iterations_off": off,
        "answers": answers,
        "unconverged": unconverged,
        "overlap": float(si.overlap[1:].max()),
        "bad": bool(answers > 1e-6 or off > 0.02 or unconverged),
    }


if __name__ == "__main__":
    main()
