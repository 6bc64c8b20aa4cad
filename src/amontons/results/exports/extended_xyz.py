"""Runs as extended XYZ, which OVITO, ASE and many others read.

OVITO takes `radius`, `orientation` (x, y, z, w) and `aspherical_shape` (half lengths along a body's
own axes) as they are; give the particle type its shape there (sphere, ellipsoid, box, cylinder,
spherocylinder) once. For cylinders and capsules the shape is radius, radius, length along z, as
OVITO defines it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from amontons.results.exports.particles import ParticleTable, bounds_of, particles_of, present
from amontons.results.reader import Results
from amontons.storage.writing import replacing

Floats = NDArray[np.float64]

PROPERTIES = (
    "species:S:1:id:I:1:pos:R:3:radius:R:1:mass:R:1:velo:R:3:angular_velocity:R:3:orientation:R:4:"
    "aspherical_shape:R:3"
)
FORMAT = "%s %d " + " ".join(["%.17g"] * 18)


def write_xyz(results: Results, folder: Path, frames: Sequence[int]) -> list[Path]:
    """Write `run.xyz`: one block per frame, one line per body; walls are left out."""
    everybody, chosen = particles_of(results), list(frames)
    low, high = bounds_of(results, chosen, everybody) if chosen else np.zeros((2, 3))
    cell = " ".join(f"{each:.17g}" for each in np.diag(high - low).ravel())
    origin = " ".join(f"{each:.17g}" for each in low)
    path = folder / "run.xyz"
    with replacing(path) as stream:
        for number in chosen:
            particles, frame = present(results[number], everybody)
            head = (
                f'{len(particles.id)}\nLattice="{cell}" Origin="{origin}" pbc="F F F" '
                f"Properties={PROPERTIES} Time={frame.time:.17g} Timestep={frame.step}\n"
            )
            stream.write(head.encode())
            table = np.column_stack(
                [
                    frame.position[particles.row], particles.radius, particles.mass,
                    frame.twist[particles.row],
                    np.roll(frame.orientation[particles.row], -1, axis=1),
                    _aspherical(particles),
                ]
            )  # fmt: skip
            lines = [
                FORMAT % (kind, id, *row)
                for kind, id, row in zip(
                    particles.species, particles.id.tolist(), table.tolist(), strict=True
                )
            ]
            stream.write(("\n".join(lines) + "\n").encode())
    return [path]


def _aspherical(particles: ParticleTable) -> Floats:
    """Shapes as OVITO defines them [m], shape (particles, 3)."""
    shape = particles.half.copy()
    long = np.isin(particles.species, ["Cylinder", "Capsule"])
    shape[long, 2] *= 2.0
    capsule = np.isin(particles.species, ["Capsule"])
    shape[capsule, 2] -= 2.0 * shape[capsule, 0]  # the segment between the two balls
    return shape
