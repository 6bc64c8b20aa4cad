"""Refuelling of a pebble-bed reactor: packing, pressure on the way down, and how a bed drains."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from math import pi
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from amontons.plots.style import curve_style, panels
from amontons.scenes.pebble_bed import PebbleBed
from amontons.scenes.placement import disc_layers
from amontons.simulation.simulation import Simulation
from amontons.solvers import APGD
from amontons.viewer.pictures import View
from amontons_papers.experiment import Experiment
from amontons_papers.notebook import Notebook
from amontons_papers.paper4.silo_stress import (
    JanssenFit,
    Stress,
    StressGauge,
    active_ratio,
    janssen,
    mean_stress,
)
from amontons_papers.refilling import lowest_free
from amontons_papers.settling import settle

Floats = NDArray[np.float64]

ROUND = 0.05
"""Time [s] after which pebbles that have left are put back on top."""


def packing_fraction(place: Floats, scene: PebbleBed) -> float:
    """Share of space that pebbles fill in the middle of the core, two diameters off the wall."""
    d = 2.0 * scene.radius
    top = float(np.quantile(place[:, 2], 0.98))
    low, high = scene.cone + 2.0 * d, top - 2.0 * d
    radius = scene.core * scene.radius - 2.0 * d
    inside = (np.hypot(place[:, 0], place[:, 1]) < radius) & (place[:, 2] > low)
    count = np.count_nonzero(inside & (place[:, 2] < high))
    return float(count * pi / 6.0 * d**3 / (pi * radius**2 * (high - low)))


def level_cuts(top: float, scene: PebbleBed, count: int = 16) -> Floats:
    """Heights [m] in the straight part, from a radius above the cone, which alters stress below."""
    low, high = scene.cone + scene.core * scene.radius, top - 4.0 * scene.radius
    return np.linspace(low, high, count)


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
        fractions = [packing_fraction(place, scene), *self._others(scene, notebook)]
        cuts = level_cuts(float(np.quantile(place[:, 2], 0.99)), scene)
        gauge = StressGauge(cuts, scene.core * scene.radius, "core")
        rest = gauge.read(simulation)
        self._picture(notebook, simulation, "settled", "The core before it is drained")
        world = simulation.world
        world.remove_bodies(world.body("plug"))
        readings: list[Stress] = []
        moved, drained = self._drain(simulation, scene, notebook, gauge, readings)
        self._picture(notebook, simulation, "draining", "The core while it drains")
        self._write_packing(notebook, fractions)
        self._write_stress(notebook, scene, cuts, rest, mean_stress(readings))
        self._write_flow(notebook, scene, *moved, drained)

    def _settled(self, scene: PebbleBed, notebook: Notebook) -> Simulation:
        """The filled core at rest, its last steps solved finely.

        Few iterations leave overlaps below. Those push a high bed up along the wall, whose friction
        then adds to the weight instead of carrying it.
        """
        simulation = Simulation(scene.build(), step=4e-3, solver=scene.advice.make_solver())
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
        return simulation

    def _others(self, scene: PebbleBed, notebook: Notebook) -> list[float]:
        """Packing fractions of other fillings of a core whose middle holds few pebbles.

        The 80 in the middle of a quick core give a fraction that differs by 0.012 between fillings.
        """
        fractions = []
        for seed in range(scene.seed + 1, scene.seed + self.pick(4, 1, 1)):
            simulation = self._settled(replace(scene, seed=seed), notebook)
            place = simulation.bodies.position[simulation.bodies.dynamic]
            fractions.append(packing_fraction(place, scene))
        return fractions

    def _drain(
        self,
        simulation: Simulation,
        scene: PebbleBed,
        notebook: Notebook,
        gauge: StressGauge,
        readings: list[Stress],
    ) -> tuple[tuple[Floats, Floats], int]:
        """Places before and falls of pebbles that stayed [m], and how many were refuelled.

        The stress of each step is added to `readings`.
        """
        bodies, r = simulation.bodies, scene.radius
        rounds = self.pick(4, 16, 80)
        rows = np.flatnonzero(bodies.dynamic)
        simulation.solver = APGD(tolerance=3e-3, max_iterations=120)
        simulation.run(5 * ROUND)  # until the whole bed moves
        before = bodies.position[rows].copy()
        top = float(before[:, 2].max()) + 2.1 * r
        back = np.zeros(rows.size, dtype=bool)
        for number in range(rounds):
            simulation.run(ROUND, on_step=lambda _: readings.append(gauge.read(simulation)))
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

    def _write_packing(self, notebook: Notebook, fractions: list[float]) -> None:
        notebook.band(
            "packing fraction in the middle of the core",
            float(np.mean(fractions)),
            paper="none given; near 0.6 for poured pebbles",
            low=0.57,
            high=0.64,
            reason="random loose to random close packing of spheres",
        )
        if len(fractions) > 1:
            notebook.differs(
                f"Of {len(fractions)} small cores, filled alike but for shifts of a hundredth of a "
                "pebble, the mean packing fraction is given; one by one they have "
                f"{', '.join(f'{each:.3f}' for each in fractions)}."
            )

    def _write_stress(
        self, notebook: Notebook, scene: PebbleBed, cuts: Floats, rest: Stress, flow: Stress
    ) -> None:
        R, mu = scene.core * scene.radius, scene.friction
        active = active_ratio(mu)
        fit = {"at rest": JanssenFit.of(rest, cuts), "draining": JanssenFit.of(flow, cuts)}
        found = {"at rest": rest, "draining": flow}
        notebook.band(
            "share of the pressure's variation that Janssen's law explains, draining",
            fit["draining"].explained,
            paper="none given; Janssen's law",
            low=0.95,
            reason="a silo's pressure follows 1 − exp(−z/λ)",
        )
        notebook.band(
            "length λ of Janssen's law by the radius of the core, draining",
            fit["draining"].length / R,
            paper="none given; 1/(2 μ K)",
            low=0.5 / mu,
            high=0.5 / (mu * active),
            reason=f"μ = {mu:g}, and K from {active:.2f}, Rankine's active state, to 1",
        )
        notebook.band(
            "radial by vertical stress K, draining",
            flow.ratio,
            paper="none given; between Rankine's active and passive state",
            low=active,
            high=1.0 / active,
            reason="(1 − sin φ)/(1 + sin φ) and its inverse, with tan φ = μ",
        )
        notebook.table(
            "Stress in the straight part",
            ("bed", "pressure by weight above, lowest cut", "Janssen length λ/R", "explained", "K",
             "wall shear by pressure"),
            [
                (name, float(each.vertical[0] / each.weight[0]), fit[name].length / R,
                 fit[name].explained, each.ratio, each.mobilised)
                for name, each in found.items()
            ],
        )  # fmt: skip
        notebook.differs(
            "Janssen's law supposes that the bed slips along the wall everywhere. A bed at rest "
            "does not, least of all below: there the wall carries less than it could, and λ is "
            "longer. So the law is held against the draining bed, all steps averaged, and against "
            "its straight part from a radius above the cone upwards. Pebbles also roll along the "
            "wall, which so carries less than μ of its pressure, while K is larger than in a bed "
            "that yields; only their product shows in λ."
        )
        notebook.data(
            "pressure",
            cuts=cuts,
            **{f"{state}_{name}": getattr(each, name)
               for state, each in (("rest", rest), ("draining", flow))
               for name in ("weight", "vertical", "radial", "shear")},
        )  # fmt: skip
        self._plot_stress(notebook, found, fit)

    def _plot_stress(
        self, notebook: Notebook, found: dict[str, Stress], fit: dict[str, JanssenFit]
    ) -> None:
        figure, (ax,) = panels(1, "", share_y=False)
        for number, (name, each) in enumerate(found.items()):
            law, style = fit[name], curve_style(number)
            ax.plot(law.depth, each.vertical, "o", color=style.colour, label=name)
            depth = np.linspace(0.0, law.depth.max(), 100)
            ax.plot(depth, janssen(depth, law.unit_weight, law.length), color=style.colour,
                    linestyle=style.dashes, label=f"Janssen's law, {name}")  # fmt: skip
        law, style = fit["draining"], curve_style(2)
        ax.plot(law.depth, found["draining"].weight, color=style.colour, linestyle=style.dashes,
                label="weight above")  # fmt: skip
        ax.set_xlabel("depth [m]")
        ax.set_ylabel("vertical pressure [Pa]")
        ax.legend(frameon=False)
        notebook.plot(figure, "pressure", "Walls carry most of the weight of a draining bed")

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
            style = curve_style(number)
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
