"""Memory of a rank: what is divided among ranks, and what each of them has whole.

    python benchmarks/ranks_memory.py                                  # 1, 2 and 4 ranks
    python benchmarks/ranks_memory.py --bodies 1000000 --ranks 4 --steps 1

Each bed is run for a few steps by so many ranks of MPI. Printed is the largest resident memory of
the fullest rank, once imported, with the world built, and in all; and from all beds together the
fit  base + whole·bodies + divided·bodies/ranks.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import amontons as am
from amontons.scenes.packed_bed import packed_bed


def peak() -> float:
    """Largest resident memory of this process so far [MB]."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def take_part(bodies: int, steps: int, folder: Path) -> None:
    """Be one of the ranks."""
    ranks = am.ranks.here()
    am.set_threads(1)
    warm = am.Simulation(
        packed_bed(spheres=300, spacing=1.004), step=2e-3, solver=am.APGD(max_iterations=2),
        ranks=ranks,
    )  # fmt: skip
    warm.step()
    told = [peak()]
    world, rng = packed_bed(spheres=bodies, spacing=1.004), np.random.default_rng(0)
    moving = ~world.bodies.fixed
    world.bodies.velocity[moving] = rng.uniform(-0.3, 0.3, (int(moving.sum()), 3))
    told.append(peak())
    solver = am.APGD(tolerance=1e-6, max_iterations=5)
    simulation = am.Simulation(world, step=2e-3, solver=solver, ranks=ranks)
    for _ in range(steps):
        contacts = simulation.step().contacts
    told.append(peak())
    row = {"memory": told, "contacts": contacts, "hash": simulation.state.hash()}
    (folder / f"{ranks.rank}.json").write_text(json.dumps(row))


def fullest(bodies: int, ranks: int, steps: int) -> dict[str, object]:
    """What the fullest of so many ranks tells."""
    beside = str(Path(sys.executable).parent)
    launcher = shutil.which("mpiexec", path=beside) or shutil.which("mpiexec")
    if launcher is None:
        raise SystemExit("there is no mpiexec: pip install 'amontons[mpi]'")
    with tempfile.TemporaryDirectory() as scratch:
        command = [launcher, "-n", str(ranks), sys.executable, __file__]
        command += ["--bodies", str(bodies), "--steps", str(steps), "--take-part", scratch]
        subprocess.run(command, env=os.environ | {"NUMBA_NUM_THREADS": "1"}, check=True)
        told = [json.loads(each.read_text()) for each in Path(scratch).iterdir()]
    assert len({each["hash"] for each in told}) == 1
    return max(told, key=lambda each: each["memory"][-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bodies", type=int, nargs="+", default=[50_000, 100_000, 200_000])
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--steps", type=int, default=2)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--take-part", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.take_part:
        take_part(given.bodies[0], given.steps, given.take_part)
        return
    rows, peaks, found = [], [], []
    for bodies in given.bodies:
        for ranks in given.ranks:
            told = fullest(bodies, ranks, given.steps)
            begun, built, most = told["memory"]
            print(
                f"{bodies} spheres, {told['contacts']} contacts, {ranks} ranks: fullest rank "
                f"{most:.0f} MB, of which {begun:.0f} before the world and {built - begun:.0f} for "
                f"it; state {told['hash']}",
                flush=True,
            )
            rows.append((1.0, bodies, bodies / ranks))
            peaks.append(most)
            found.append({"bodies": bodies, "ranks": ranks, **told})
    if len(rows) > 3:
        (base, whole, divided), *_ = np.linalg.lstsq(np.array(rows), np.array(peaks), rcond=None)
        print(
            f"fit: {base:.0f} MB + {1e3 * whole:.2f} kB for each body + {1e3 * divided:.2f} kB for "
            "each body by ranks"
        )
    if given.json:
        given.json.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
