"""What bonds cost: steps of a block of spheres with 10⁵ bonds, and of the same spheres loose.

    python benchmarks/bonds.py                         # 17 000 spheres, 10⁵ bonds
    python benchmarks/bonds.py --layers 20 --json bonds.json

The spheres lie on a close packing on the ground and touch. Loose, each pair is a contact; bonded,
it is a beam of six rows instead. Both take the same number of iterations in each step, whatever
their error, so that what is compared is the work; with `--tolerance` steps are solved to it, too.
"""

from __future__ import annotations

import time

import numpy as np
from scipy.spatial import cKDTree

import amontons as am
from amontons.scenes.placement import face_centred
from common import arguments, write

RADIUS, DENSITY, STEP = 0.05, 2500.0, 1e-3


def block(layers: int, bonded: bool) -> am.World:
    """About √2 layers³ spheres that lie on the ground."""
    half = 0.5 * layers
    place = 2.0 * RADIUS * (1.0 + 1e-9) * face_centred(1.0, (half, half, half))
    place[:, 2] += RADIUS - place[:, 2].min()
    world = am.World()
    rough = am.Material(friction=0.5)
    world.add_body(am.Plane(), fixed=True, material=rough)
    ids = world.add_bodies(am.Sphere(RADIUS), position=place, density=DENSITY, material=rough)
    if bonded:
        near = cKDTree(place).query_pairs(2.01 * RADIUS, output_type="ndarray")
        glue = am.BeamBond(young=1e9, shear=4e8, radius=0.4 * RADIUS, tensile=1e9)
        world.add_bonds(ids[near], glue)
    return world


def timed(world: am.World, solver: am.Solver, steps: int) -> dict[str, float]:
    """Median processor time of a step, and its iterations."""
    sim = am.Simulation(world, step=STEP, solver=solver, watch="off")
    sim.step()  # compiles
    spent = []
    for _ in range(steps):
        begin = time.process_time()
        sim.step()
        spent.append(time.process_time() - begin)
    readings = sim.readings
    return {
        "bodies": len(world.bodies) - 1,
        "bonds": len(world.bonds),
        "contacts": int(readings.contacts[-1]),
        "seconds_per_step": float(np.median(spent)),
        "iterations": float(readings.iterations[1:].mean()),
        "not_converged": float(np.mean(~readings.converged[1:])),
    }


def main() -> None:
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--layers", type=int, default=23, help="diameters along an edge")
    parser.add_argument("--steps", type=int, default=15)
    parser.add_argument("--iterations", type=int, default=50, help="of each step that is timed")
    parser.add_argument("--tolerance", type=float, help="of more steps, which are solved to it")
    given = parser.parse_args()
    am.set_threads(1)
    solvers = {
        f"{given.iterations} iterations": am.APGD(
            tolerance=1e-14, max_iterations=given.iterations, min_iterations=given.iterations
        )
    }
    if given.tolerance is not None:
        solvers[f"to {given.tolerance:g}"] = am.APGD(tolerance=given.tolerance, max_iterations=2000)
    figures = []
    for name, solver in solvers.items():
        for bonded in (False, True):
            case = timed(block(given.layers, bonded), solver, given.steps)
            figures.append({"solver": name, "bonded": bonded, **case})
            print(
                f"{name}: {case['bodies']} spheres, {case['bonds']} bonds, {case['contacts']} "
                f"contacts: {1e3 * case['seconds_per_step']:.0f} ms a step, "
                f"{case['iterations']:.0f} iterations",
                flush=True,
            )
        loose, glued = (row["seconds_per_step"] for row in figures[-2:])
        print(f"{name}: bonded by loose {glued / loose:.2f}", flush=True)
    write(given.json, figures)


if __name__ == "__main__":
    main()
