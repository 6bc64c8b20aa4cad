"""Simple shear in a cell that repeats itself: the friction of a flow, and soft spheres beside it.

    python benchmarks/shear.py                                    # three inertial numbers
    python benchmarks/shear.py --inertial 0.1 --engines amontons lammps --json shear.json

Units are those of the grains: density 1, mean diameter 1, pressure 1 (the mean of the three normal
stresses is held); diameters differ by ± 10 %. The friction of the flow is the shear stress by the
pressure, μ(I), with the inertial number I = γ̇ d √(ρ/p). The first part of the strain is discarded;
the error of a mean comes from eight parts of the rest. Beside it:

- μ(I) = 0.38 + 0.263 / (1 + 0.279 / I), of glass beads (P. Jop, Y. Forterre and O. Pouliquen,
  Nature 441, 727, 2006)
- in slow flow 0.36 for a friction of 0.3, 0.38 for 0.5, of soft spheres (S. Chialvo, J. Sun and
  S. Sundaresan, Phys. Rev. E 85, 021305, 2012)
"""

from __future__ import annotations

import argparse
import dataclasses
import functools
import itertools
import time

import numpy as np

import amontons as am
from engines import Settings
from engines.grains import Floats
from engines.lammps_shear import LammpsShear
from engines.measures import mean_and_error
from engines.race import Figures, race, racing_parser
from periodic_cell import grains

SHARE = 0.5
"""Solid fraction at the start."""
EVERY = 5
"""Steps of amontons between samples."""


def published(inertial: float) -> float:
    """Friction of a flow of glass beads."""
    return 0.38 + 0.263 / (1.0 + 0.279 / inertial)


def measure(
    args: argparse.Namespace, name: str, bodies: int, settings: Settings, limit: float
) -> Figures:
    """All inertial numbers and seeds in turn."""
    del limit
    edge = round(bodies ** (1.0 / 3.0))
    shear = {"amontons": by_amontons, "lammps": by_lammps}[name]
    cases = []
    for inertial, seed in itertools.product(args.inertial, range(1, 1 + args.seeds)):
        world = grains(edge, args.between, seed, SHARE)
        samples, about = shear(world, args, inertial, settings)
        cases.append({
            "inertial_number": inertial, "seed": seed, "bodies": edge**3,
            "strain": args.strain, "published": published(inertial), **read(samples), **about,
        })  # fmt: skip
    return {"friction": args.between, "cases": cases}


def read(samples: Floats) -> Figures:
    """Means of samples of the normal stresses, the shear stress and the solid fraction."""
    pressure = samples[:, :3].mean(axis=1)
    shear = samples[:, 3]
    ratio, error = mean_and_error(shear / pressure.mean())
    fraction, fraction_error = mean_and_error(samples[:, 4])
    across = float(shear.mean() / samples[:, 1].mean())
    return {
        "stress_ratio": ratio, "stress_ratio_error": error, "ratio_to_yy": across,
        "pressure": float(pressure.mean()), "normal": samples[:, :3].mean(axis=0).tolist(),
        "solid_fraction": fraction,
        "solid_fraction_error": fraction_error, "samples": len(samples),
    }  # fmt: skip


def by_amontons(
    world: am.World, args: argparse.Namespace, inertial: float, settings: Settings
) -> tuple[Floats, Figures]:
    """Rigid grains; the step is 5e-4 of strain, but between 0.005 and 0.2 d √(ρ/p)."""
    am.set_threads(1)
    world.cell = dataclasses.replace(world.cell, shear_rate=inertial)
    step = settings.step or float(np.clip(5e-4 / inertial, 0.005, 0.2))
    solver = am.APGD(tolerance=settings.tolerance or 1e-3, max_iterations=500)
    law = {} if settings.friction == "default" else {"friction": settings.friction}
    sim = am.Simulation(world, step=step, solver=solver, **law)
    sim.run(args.discarded / inertial)
    found = []

    def look(report: am.StepReport) -> None:
        if sim.steps % EVERY == 0:
            stress = am.measure.stress(sim, part="total")
            found.append((*np.diag(stress), -stress[0, 1], am.measure.solid_fraction(sim)))

    begin = time.process_time()
    sim.run((args.strain - args.discarded) / inertial, on_step=look)
    cpu = time.process_time() - begin
    about = {
        "step": step, "friction_law": settings.friction, "steps": sim.steps,
        "cpu_per_strain": cpu / (args.strain - args.discarded),
        "not_converged": float(np.mean(~sim.readings.converged)),
    }  # fmt: skip
    return np.array(found), about


def by_lammps(
    world: am.World, args: argparse.Namespace, inertial: float, settings: Settings
) -> tuple[Floats, Figures]:
    """Soft grains from the same places."""
    volume = world.bodies.mass / 1.0
    radius = (volume * 3.0 / 4.0 / np.pi) ** (1.0 / 3.0)
    cell = LammpsShear(
        np.array(world.bodies.position), radius, float(world.cell.lengths[0]), args.between,
        inertial, settings,
    )  # fmt: skip
    cell.shear(args.discarded)
    before = cell.cpu
    samples = cell.shear(args.strain - args.discarded)
    about = {
        "step": cell.step, "steps": cell.steps, "stiffness": cell.stiffness,
        "cpu_per_strain": (cell.cpu - before) / (args.strain - args.discarded),
    }  # fmt: skip
    return samples, about


def show(name: str, figures: Figures) -> str:
    if "failed" in figures:
        return str(figures["failed"])
    lines = [f"friction {figures['friction']:g} between grains"]
    for case in figures["cases"]:
        lines.append(
            f"  I = {case['inertial_number']:g}, seed {case['seed']}: μ = "
            f"{case['stress_ratio']:.4f} ± {case['stress_ratio_error']:.4f} (by σ_yy "
            f"{case['ratio_to_yy']:.4f}; beads {case['published']:.3f}), solid fraction "
            f"{case['solid_fraction']:.4f} ± {case['solid_fraction_error']:.4f}, pressure "
            f"{case['pressure']:.3f}; step {case['step']:.2g}, {case['cpu_per_strain']:.1f} CPU s "
            "a strain of 1"
            + (f", {100 * case['not_converged']:.1f} % not converged" if name == "amontons" else "")
        )
    return "\n".join(lines)


def main() -> None:
    parser = racing_parser(__doc__.splitlines()[0], 1000, ("amontons",))
    parser.set_defaults(overlap=[4e-4])
    parser.add_argument("--inertial", type=float, nargs="+", default=[1e-1, 1e-2, 1e-3])
    parser.add_argument("--between", type=float, default=0.5, help="friction between grains")
    parser.add_argument("--strain", type=float, default=5.0)
    parser.add_argument("--discarded", type=float, default=1.5, help="strain that is not read")
    parser.add_argument("--seeds", type=int, default=1)
    args = parser.parse_args()
    race(args, functools.partial(measure, args), show)


if __name__ == "__main__":
    main()
