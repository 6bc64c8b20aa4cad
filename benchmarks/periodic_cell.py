"""Packings in a cell that repeats itself, beside what is published of them; flows: `shear.py`.

    python benchmarks/periodic_cell.py            # smooth spheres, and friction 0.5, three seeds
    python benchmarks/periodic_cell.py --edge 7 --friction 0.0 --seeds 8 --json packings.json

Units are those of the grains: density 1, mean diameter 1, pressure 1; radii differ by ± 10 %, so
that nothing crystallises. Random close packing of smooth spheres fills 0.64 of space with six
contacts a sphere that is held (O'Hern et al., Phys. Rev. E 68, 011306, 2003).
"""

from __future__ import annotations

import time

import numpy as np

import amontons as am
from common import arguments, write

PRESSURE, DENSITY = 1.0, 1.0

BALANCE, LOOK = 3e-4, 25
"""Mean net force over the mean force of a pair below which a packing is at rest, and how many steps
are between two looks. Contacts are counted too low before: 5.6 a grain at 1.5e-2, 2 % short
of six at 1e-3."""


def grains(edge: int, friction: float, seed: int, share: float = 0.35) -> am.World:
    """Spheres at random about the places of a lattice, in motion, in a cell under pressure."""
    rng = np.random.default_rng(seed)
    radius = 0.5 * rng.uniform(0.9, 1.1, edge**3)
    length = float((4.0 / 3.0 * np.pi * (radius**3).sum() / share) ** (1.0 / 3.0))
    lattice = np.stack(np.meshgrid(*[np.arange(edge)] * 3, indexing="ij"), -1).reshape(-1, 3)
    room = length / edge - 1.1
    place = (lattice + 0.5) * length / edge + rng.uniform(-0.45, 0.45, lattice.shape) * room
    velocity = 0.3 * rng.normal(size=lattice.shape)
    world = am.World(gravity=(0, 0, 0), cell=am.Cell((length,) * 3, stress=PRESSURE))
    world.add_spheres(
        radius, position=place, density=DENSITY, material=am.Material(friction=friction),
        velocity=velocity - velocity.mean(axis=0),
    )  # fmt: skip
    return world


def packing(edge: int, friction: float, seed: int, seconds: float) -> dict[str, float]:
    """A packing that comes to rest under an even pressure, or has not when its time is over."""
    world = grains(edge, friction, seed)
    start = time.process_time()
    sim = am.Simulation(world, step=0.02, solver=am.APGD(tolerance=1e-4, max_iterations=2000))
    sim.run(0.4 * seconds)
    sim.solver = am.APGD(tolerance=1e-6, max_iterations=5000)
    before = sim.steps
    sim.run(
        0.6 * seconds,
        on_step=lambda _: sim.steps % LOOK == 0 and am.measure.unbalanced_force(sim) < BALANCE,
    )
    found = am.measure.coordination(sim, fewest=4 if friction == 0.0 else 2)
    return {
        "friction": friction,
        "seed": seed,
        "bodies": edge**3,
        "solid_fraction": am.measure.solid_fraction(sim),
        "contacts_held": found.mean_held,
        "rattlers": found.rattlers,
        "unbalanced": am.measure.unbalanced_force(sim),
        "pressure": float(np.trace(am.measure.stress(sim, part="total")) / 3.0),
        "speed": float(np.sqrt(3.0 * am.measure.granular_temperature(sim))),
        "not_converged": float(np.mean(~sim.readings.converged[before:])),
        "steps": sim.steps,
        "cpu_seconds": time.process_time() - start,
    }


def over_seeds(cases: list[dict[str, float]]) -> dict[str, float]:
    """Means over seeds, and their standard errors."""
    found = {"friction": cases[0]["friction"], "bodies": cases[0]["bodies"], "seeds": len(cases)}
    for name in ("solid_fraction", "contacts_held", "rattlers", "unbalanced", "speed"):
        values = np.array([case[name] for case in cases])
        found[name] = float(values.mean())
        if len(values) > 1:
            found[f"{name}_error"] = float(values.std(ddof=1) / np.sqrt(len(values)))
    return found


def brief(case: dict[str, float]) -> dict[str, float]:
    """Four digits of each."""
    return {name: float(f"{x:.4g}") for name, x in case.items()}


def main() -> None:
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--edge", type=int, default=10, help="cube root of the number of grains")
    parser.add_argument("--seeds", type=int, default=3, help="how many, from 1 on")
    parser.add_argument("--seconds", type=float, default=120.0, help="simulated at most")
    parser.add_argument("--friction", type=float, nargs="+", default=[0.0, 0.5], help="of grains")
    given = parser.parse_args()
    am.set_threads(1)
    figures: dict[str, list[dict[str, float]]] = {"runs": [], "means": []}
    for friction in given.friction:
        runs = []
        for seed in range(1, 1 + given.seeds):
            runs.append(packing(given.edge, friction, seed, given.seconds))
            print(brief(runs[-1]), flush=True)
            figures["runs"].append(runs[-1])
            write(given.json, figures)
        figures["means"].append(over_seeds(runs))
        print("mean:", brief(figures["means"][-1]), flush=True)
    write(given.json, figures)


if __name__ == "__main__":
    main()
