"""Packings and flows in a cell that repeats itself, beside what is published of them.

    python benchmarks/periodic_cell.py            # packings: smooth spheres, and friction 0.5
    python benchmarks/periodic_cell.py --flow     # simple shear, and the friction of the flow

Units are those of the grains: density 1, mean diameter 1, pressure 1; radii differ by ± 10 %, so
that nothing crystallises. Random close packing of smooth spheres fills 0.64 of space with six
contacts a sphere that is held (O'Hern et al., Phys. Rev. E 68, 011306, 2003). In simple shear the
ratio μ(I) of shear stress and pressure grows with the inertial number I = γ̇ d √(ρ/p), from a value
for slow flow on: 0.36 for a friction of 0.3, 0.38 for 0.5 (Chialvo, Sun and Sundaresan,
Phys. Rev. E 85, 021305, 2012).
"""

from __future__ import annotations

import dataclasses
import time

import numpy as np

import amontons as am
from common import arguments, write

PRESSURE, DENSITY = 1.0, 1.0


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
    """A packing that has come to rest under an even pressure."""
    world = grains(edge, friction, seed)
    start = time.process_time()
    sim = am.Simulation(world, step=0.02, solver=am.APGD(tolerance=1e-4, max_iterations=2000))
    sim.run(0.7 * seconds)
    sim.solver = am.APGD(tolerance=1e-6, max_iterations=5000)
    sim.run(0.3 * seconds)
    found = am.measure.coordination(sim, fewest=4 if friction == 0.0 else 2)
    return {
        "friction": friction,
        "bodies": edge**3,
        "solid_fraction": am.measure.solid_fraction(sim),
        "contacts_held": found.mean_held,
        "rattlers": found.rattlers,
        "pressure": float(np.trace(am.measure.stress(sim, part="total")) / 3.0),
        "steps": sim.steps,
        "cpu_seconds": time.process_time() - start,
    }


def flow(edge: int, friction: float, seed: int, inertial: float, strain: float) -> dict[str, float]:
    """Simple shear under a pressure: means over the second half of a strain."""
    world = grains(edge, friction, seed, share=0.5)
    world.cell = dataclasses.replace(world.cell, shear_rate=inertial)
    start = time.process_time()
    step = float(np.clip(1e-3 / inertial, 0.02, 0.2))  # by the time d √(ρ/p) of a grain
    sim = am.Simulation(world, step=step, solver=am.APGD(tolerance=1e-3, max_iterations=500))
    sim.run(0.5 * strain / inertial)
    samples = []

    def look(report: am.StepReport) -> None:
        if sim.steps % 5 == 0:
            stress = am.measure.stress(sim, part="total")
            pressure = np.trace(stress) / 3.0
            samples.append((-stress[0, 1], pressure, am.measure.solid_fraction(sim)))

    sim.run(0.5 * strain / inertial, on_step=look)
    shear, pressure, share = np.mean(samples, axis=0)
    halves = [np.mean(half, axis=0) for half in np.array_split(np.array(samples), 2)]
    ratios = [half[0] / half[1] for half in halves]
    return {
        "friction": friction,
        "bodies": edge**3,
        "inertial_number": inertial,
        "stress_ratio": shear / pressure,
        "difference_of_halves": abs(ratios[0] - ratios[1]),
        "pressure": pressure,
        "solid_fraction": share,
        "steps": sim.steps,
        "cpu_seconds": time.process_time() - start,
    }


def main() -> None:
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--flow", action="store_true", help="simple shear instead of packings")
    parser.add_argument("--edge", type=int, default=10, help="cube root of the number of grains")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=60.0, help="simulated, of a packing")
    parser.add_argument("--strain", type=float, default=4.0, help="of a flow")
    parser.add_argument("--friction", type=float, nargs="*", help="of grains")
    parser.add_argument("--inertial", type=float, nargs="*", default=[1e-1, 1e-2, 1e-3])
    given = parser.parse_args()
    figures = []
    if given.flow:
        for friction in given.friction or [0.3]:
            for inertial in given.inertial:
                figures.append(flow(given.edge, friction, given.seed, inertial, given.strain))
                print({name: float(f"{x:.4g}") for name, x in figures[-1].items()}, flush=True)
    else:
        for friction in given.friction or [0.0, 0.5]:
            figures.append(packing(given.edge, friction, given.seed, given.seconds))
            print({name: float(f"{x:.4g}") for name, x in figures[-1].items()}, flush=True)
    write(given.json, figures)


if __name__ == "__main__":
    main()
