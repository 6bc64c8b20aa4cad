"""A packing as YADE writes it goes in, a dump that OVITO reads comes out.

What is written with 17 digits must come back bit by bit, and the grains must keep their masses.
"""

import tempfile
from pathlib import Path

import numpy as np

import amontons as am
from amontons.results.exports import EXPORTS

with tempfile.TemporaryDirectory() as scratch:
    folder = Path(scratch)
    cloud = am.pack(((0, 0, 0), (0.1, 0.1, 0.1)), am.Sizes.uniform(0.01, 0.02), fraction=0.3)
    rows = np.column_stack([cloud.position, cloud.radius])
    np.savetxt(folder / "cloud.txt", rows, fmt="%.17g", header="format x_y_z_r", comments="#")

    grains = am.load_particles(folder / "cloud.txt")
    assert np.array_equal(grains.position, cloud.position)
    world = am.World()
    world.add_body(am.Plane(), fixed=True)
    world.add_spheres(grains.radius, position=grains.position, density=2650.0)
    sim = am.Simulation(world, step=1e-3, solver=am.APGD(tolerance=1e-3))
    with am.Recorder(sim, folder / "run", rate=100.0, contacts=True) as recorder:
        sim.run(0.1, on_step=recorder)

    with am.Results(folder / "run") as results:
        (dump,) = EXPORTS["lammps"](results, folder, range(results.frames))
        back = am.load_particles(dump, frame=-1)
        print(f"{results.frames} snapshots of {back} in {dump.stat().st_size / 1e3:.0f} kB")
        assert np.array_equal(back.position, results[-1].position[1:])
        assert np.array_equal(back.radius, cloud.radius)
        assert np.isclose(back.mass.sum(), 2650.0 * 0.3 * 1e-3, rtol=0.01)
        table = results.to_pandas("bodies", frames=[-1])
        balls = table[table.radius.notna()]
        print(balls[["x", "y", "z", "radius", "mass"]].describe().loc[["min", "mean", "max"]])
