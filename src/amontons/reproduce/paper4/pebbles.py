"""Refuelling of a pebble-bed reactor: packing, pressure on the way down, and how a bed drains."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import pi
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import curve_fit

from amontons.plots.style import look, panels
from amontons.reproduce.experiment import Experiment
from amontons.reproduce.notebook import Notebook
from amontons.reproduce.refilling import lowest_free
from amontons.reproduce.settling import settle
from amontons.scenes.pebble_bed import PebbleBed
from amontons.scenes.placement import disc_layers
from amontons.simulation.simulation import Simulation
from amontons.solvers import APGD
from amontons.viewer.pictures import View

Floats = NDArray[np.float64]

GRAVITY = 9.81
ROUND = 0.05
"""Time [s] after which pebbles that have left are put back on top."""


@dataclass(frozen=True)
class Pressure:
    """Vertical pressure in the core, from what its wall carries."""

    depth: Floats
    """Below the top of the bed [m], shape (levels,)."""
    pressure: Floats
    """Weight above a level less what the wall carries there, by the area [Pa], (levels,)."""
    weight: Floats
    """The same without a wall: hydrostatic [Pa], (levels,)."""


def packing_fraction(place: Floats, scene: PebbleBed) -> float:
    """Share of space that pebbles fill in the middle of the core, two diameters off the wall."""
    d = 2.0 * scene.radius
    top = float(np.quantile(place[:, 2], 0.98))
    low, high = scene.cone + 2.0 * d, top - 2.0 * d
    radius = scene.core * scene.radius - 2.0 * d
    inside = (np.hypot(place[:, 0], place[:, 1]) < radius) & (place[:, 2] > low)
    count = np.count_nonzero(inside & (place[:, 2] < high))
    return float(count * pi / 6.0 * d**3 / (pi * radius**2 * (high - low)))


def pressure_profile(simulation: Simulation, scene: PebbleBed, levels: int = 24) -> Pressure:
    """Pressure against depth in the straight part of the core."""
    bodies, contacts = simulation.bodies, simulation.contacts
    place, mass = bodies.position[bodies.dynamic], bodies.mass[bodies.dynamic]
    core = simulation.world.body("core").id
    first = contacts.bodies[:, 0] == core
    on_wall = first | (contacts.bodies[:, 1] == core)
    lift = np.where(first, 1.0, -1.0) * contacts.force[:, 2]  # of the pebble; force is on B
    lift, at = lift[on_wall], contacts.points[on_wall, 2]
    top = float(np.quantile(place[:, 2], 0.99))
    level = np.linspace(top, scene.cone, levels + 1)[1:]
    area = pi * (scene.core * scene.radius) ** 2
    weight = np.array([GRAVITY * mass[place[:, 2] > z].sum() for z in level])
    carried = np.array([lift[at > z].sum() for z in level])
    return Pressure(top - level, (weight - carried) / area, weight / area)


def janssen(depth: Floats, weight: float, length: float) -> Floats:
    """Janssen's law: pressure [Pa] that grows like that of the `weight` [Pa/m] at the top.

    It tends to weight·length, where the wall carries all that is added; `length` is in metres.
    """
    return np.asarray(weight * length * (1.0 - np.exp(-depth / length)))


class PebbleRefuelling(Experiment):
    """A core is filled, settles, and is drained at the bottom while it is filled up at the top."""

    name: ClassVar[str] = "pebbles"
    paper: ClassVar[int] = 4
    shows: ClassVar[str] = "refuelling of a pebble-bed reactor"
    summary: ClassVar[str] = "pebbles drain from the core of a reactor and come back at its top"
    minutes: ClassVar[float] = 7.0

    def run(self, notebook: Notebook) -> None:
        scene = self.pick(
            PebbleBed(600, core=7.0, outlet=5.0, plugged=1),
            PebbleBed(30_000, core=24.0, outlet=9.0, plugged=1),
            PebbleBed(300_000, core=58.0, outlet=14.0, plugged=1),
        )
        simulation = self._settled(scene, notebook)
        place = simulation.bodies.position[simulation.bodies.dynamic]
        fraction = packing_fraction(place, scene)
        pressure = pressure_profile(simulation, scene)
        self._picture(notebook, simulation, "settled", "The core before it is drained")
        world = simulation.world
        world.remove_bodies(world.body("plug"))
        moved, drained = self._drain(simulation, scene, notebook)
        self._picture(notebook, simulation, "draining", "The core while it drains")
        self._write_static(notebook, scene, fraction, pressure)
        self._write_flow(notebook, scene, *moved, drained)

    def _settled(self, scene: PebbleBed, notebook: Notebook) -> Simulation:
        """The filled core at rest, its last steps solved finely.

        Few iterations leave overlaps below. Those push a high bed up along the wall, whose friction
        then adds to the weight instead of carrying it.
        """
        coarse = scene.advice.make_solver()
        simulation = Simulation(scene.build(), step=4e-3, solver=coarse)
        settle(
            simulation,
            length=scene.radius,
            limit=self.pick(0.8, 2.4, 5.0),
            share=1e-3,
            watch=lambda share: notebook.say("pebbles settle", 0.4 * share),
        )
        notebook.say("pebbles come to rest", 0.4)
        simulation.solver = APGD(tolerance=1e-3, max_iterations=300)
        simulation.run(self.pick(0.1, 0.2, 0.2))
        simulation.solver = coarse
        return simulation

    def _drain(
        self, simulation: Simulation, scene: PebbleBed, notebook: Notebook
    ) -> tuple[tuple[Floats, Floats], int]:
        """Places before and falls of pebbles that stayed [m], and how many were refuelled."""
        bodies, r = simulation.bodies, scene.radius
        rounds = self.pick(4, 24, 80)
        rows = np.flatnonzero(bodies.dynamic)
        simulation.run(5 * ROUND)  # until the whole bed moves
        before = bodies.position[rows].copy()
        top = float(before[:, 2].max()) + 2.1 * r
        back = np.zeros(rows.size, dtype=bool)
        for number in range(rounds):
            simulation.run(ROUND)
            notebook.say("the core drains", 0.5 + 0.5 * number / rounds)
            out = bodies.position[rows, 2] < -8.0 * r
            refuel(simulation, rows[out], scene, top)
            back |= out
        fallen = before[:, 2] - bodies.position[rows, 2]
        return (before[~back], fallen[~back]), int(np.count_nonzero(back))

    def _picture(self, notebook: Notebook, simulation: Simulation, name: str, caption: str) -> None:
        notebook.picture(
            simulation, name, caption, view=View(azimuth=-90.0, height=12.0), colour="speed"
        )

    def _write_static(
        self, notebook: Notebook, scene: PebbleBed, fraction: float, found: Pressure
    ) -> None:
        notebook.band(
            "packing fraction in the middle of the core",
            fraction,
            paper="none given; near 0.6 for poured pebbles",
            low=0.57,
            high=0.64,
            reason="random loose to random close packing of spheres",
        )
        R = scene.core * scene.radius
        weight = float(found.depth @ found.weight / (found.depth @ found.depth))

        def law(depth: Floats, length: float) -> Floats:
            return janssen(depth, weight, length)

        (length,), _ = curve_fit(law, found.depth, found.pressure, p0=R)
        left = found.pressure - law(found.depth, length)
        unexplained = float(np.sum(left**2) / np.sum((found.pressure - found.pressure.mean()) ** 2))
        notebook.band(
            "share of the pressure's variation that Janssen's law explains",
            1.0 - unexplained,
            paper="none given; Janssen's law",
            low=0.95,
            reason="a silo's pressure follows 1 − exp(−z/λ)",
        )
        notebook.band(
            "length λ of Janssen's law by the radius of the core",
            float(length / R),
            paper="none given; 1/(2 μ K)",
            low=0.7,
            high=6.0,
            reason="1 to 5 for μ = 0.5 and K of 0.2 to 1; a straight line has a far longer one",
        )
        notebook.band(
            "pressure at the bottom of the straight part by that of the weight above",
            float(found.pressure[-1] / found.weight[-1]),
            paper="none given; below 1 (Janssen)",
            high=0.8,
            reason="walls must carry a good part of a bed deeper than it is wide",
        )
        notebook.table(
            "The bed at rest",
            ("pebbles", "core radius [m]", "packing", "Janssen length λ/R", "limit [Pa]"),
            [(scene.pebbles, R, fraction, float(length / R), float(weight * length))],
        )
        notebook.differs(
            "The pressure is that of a bed that has come to rest. Janssen's law supposes that it "
            "is about to slip along the wall everywhere; where it is not, the wall carries less "
            "than it could, and λ is longer."
        )
        notebook.data("pressure", depth=found.depth, pressure=found.pressure, weight=found.weight)
        figure, (ax,) = panels(1, "", share_y=False)
        ax.plot(found.depth, found.pressure, "o", color="black", label="from wall contacts")
        ax.plot(found.depth, law(found.depth, length), color=look(0).colour,
                label="Janssen's law")  # fmt: skip
        ax.plot(found.depth, found.weight, "--", color=look(1).colour, label="weight above")
        ax.set_xlabel("depth [m]")
        ax.set_ylabel("vertical pressure [Pa]")
        ax.legend(frameon=False)
        notebook.plot(figure, "pressure", "Walls carry most of the weight")

    def _write_flow(
        self, notebook: Notebook, scene: PebbleBed, before: Floats, fallen: Floats, drained: int
    ) -> None:
        R = scene.core * scene.radius
        away = np.hypot(before[:, 0], before[:, 1]) / R
        top = float(np.quantile(before[:, 2], 0.98))
        straight = top - scene.cone
        heights = {
            "upper": (scene.cone + 0.5 * straight, scene.cone + 0.85 * straight),
            "lower": (scene.cone, scene.cone + 0.2 * straight),
        }
        rings = np.linspace(0.0, 1.0, 6)
        profile = {
            name: ring_means(away, fallen, rings, (before[:, 2] > low) & (before[:, 2] < high))
            for name, (low, high) in heights.items()
        }
        ratio = {name: float(each[-1] / each[0]) for name, each in profile.items()}
        notebook.band(
            "fall at the wall by that in the middle, upper part",
            ratio["upper"],
            paper="none given; plug flow high above the outlet (Bazant et al.)",
            low=0.6,
            high=1.1,
            reason="pebbles slip along the wall and the rest moves as a plug",
        )
        notebook.band(
            "the same just above the cone, by that of the upper part",
            ratio["lower"] / ratio["upper"],
            paper="none given; a funnel above the outlet (Bazant et al.)",
            high=0.8,
            reason="flow converges to the outlet, so the middle runs ahead",
        )
        notebook.table(
            "Fall in rings of the core [mm]",
            ("part", *(f"{a:g} to {b:g} R" for a, b in pairwise(rings))),
            [(name, *(1e3 * float(each) for each in means)) for name, means in profile.items()],
        )
        notebook.data("drain", place=before, fallen=fallen)
        figure, (ax,) = panels(1, "", share_y=False)
        middle = 0.5 * (rings[1:] + rings[:-1])
        for number, (name, means) in enumerate(profile.items()):
            style = look(number)
            ax.plot(middle, 1e3 * means, "o", linestyle=style.dashes, color=style.colour,
                    label=f"{name} part")  # fmt: skip
        ax.set_xlabel("distance from the axis / R")
        ax.set_ylabel("fall [mm]")
        ax.legend(frameon=False)
        notebook.plot(figure, "drain", f"How far pebbles fell while {drained} were refuelled")
        notebook.differs(
            "The paper gives numbers of pebbles and hours of computing only; size, density, shape "
            "of the core and the bands are ours. Pebbles are all equal; the paper's are of two "
            "sizes."
        )


def refuel(simulation: Simulation, rows: NDArray[np.int64], scene: PebbleBed, top: float) -> None:
    """Put pebbles that have left back on layers from the height `top` [m] upwards, at rest."""
    bodies, pitch = simulation.bodies, 2.1 * scene.radius
    others = np.flatnonzero(bodies.dynamic)
    others = others[~np.isin(others, rows)]
    places = disc_layers(10 * rows.size + 1000, (scene.core - 3.0) * scene.radius, pitch, top)
    bodies.position[rows] = lowest_free(places, bodies.position[others], pitch, rows.size)
    bodies.twist[rows] = 0.0


def ring_means(away: Floats, fallen: Floats, rings: Floats, chosen: NDArray[np.bool_]) -> Floats:
    """Mean fall [m] of the chosen pebbles between neighbouring `rings`, shape (rings − 1,)."""
    number = np.digitize(away[chosen], rings[1:-1])
    total = np.bincount(number, weights=fallen[chosen], minlength=rings.size - 1)
    return np.asarray(total / np.maximum(np.bincount(number, minlength=rings.size - 1), 1))
