"""Runs as a LAMMPS dump, which OVITO, LAMMPS itself and its many tools read.

Columns have LAMMPS's names: `quatw quati quatj quatk`, and `shapex shapey shapez`, which are whole
lengths along a body's own axes (diameters), as in `atom_style ellipsoid`. Lengths, masses and
times are in SI units: `units si`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from amontons.results.exports.particles import bounds_of, particles_of, present
from amontons.results.reader import Results
from amontons.storage.writing import replacing

COLUMNS = (
    "id type x y z radius mass vx vy vz omegax omegay omegaz quatw quati quatj quatk "
    "shapex shapey shapez"
)
FORMAT = "%d %d " + " ".join(["%.17g"] * 18)


def write_lammps(results: Results, folder: Path, frames: Sequence[int]) -> list[Path]:
    """Write `run.dump`: one snapshot per frame, one line per body; walls are left out.

    Ids are those of the bodies plus one, since LAMMPS counts atoms from 1. Types are 1 for spheres,
    2 ellipsoids, 3 boxes, 4 cylinders, 5 capsules, 6 cones, 7 all others.
    """
    everybody, chosen = particles_of(results), list(frames)
    low, high = bounds_of(results, chosen, everybody) if chosen else np.zeros((2, 3))
    bounds = "".join(f"{a:.17g} {b:.17g}\n" for a, b in zip(low, high, strict=True))
    path = folder / "run.dump"
    with replacing(path) as stream:
        stream.write(b"ITEM: UNITS\nsi\n")  # once, as LAMMPS does
        for number in chosen:
            particles, frame = present(results[number], everybody)
            stream.write(
                (
                    f"ITEM: TIME\n{frame.time:.17g}\nITEM: TIMESTEP\n{frame.step}\n"
                    f"ITEM: NUMBER OF ATOMS\n{len(particles.id)}\nITEM: BOX BOUNDS ff ff ff\n"
                    f"{bounds}ITEM: ATOMS {COLUMNS}\n"
                ).encode()
            )
            table = np.column_stack(
                [
                    particles.id + 1, particles.type, frame.position[particles.row],
                    particles.radius, particles.mass, frame.twist[particles.row],
                    frame.orientation[particles.row], 2.0 * particles.half,
                ]
            )  # fmt: skip
            np.savetxt(stream, table, fmt=FORMAT)
    return [path]
