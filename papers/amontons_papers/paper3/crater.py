"""Figure 13, eqs. 28 and 29: how deep a ball falls into a bed of grains."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from amontons.plots.style import curve_style, panels
from amontons.scenes.crater import Crater
from amontons.simulation.reports.report import StepReport
from amontons.simulation.simulation import Simulation
from amontons.solvers import APGD
from amontons.viewer.pictures import View
from amontons_papers.experiment import Experiment
from amontons_papers.notebook import Notebook
from amontons_papers.power_laws import PowerLaw, fit_power_law
from amontons_papers.settling import settle

Floats = NDArray[np.float64]

GRAVITY = 9.81
WOOD, POLYPROPYLENE, TEFLON = 700.0, 900.0, 2200.0
"""Densities of the paper's three balls [kg/m³]; the paper gives wood's, the others are usual."""


class CraterDrop(NamedTuple):
    """One ball, one height, one spot of the bed."""

    diameter: float
    """Of the ball in grain diameters."""
    density: float
    """Of the ball [kg/m³]."""
    height: float
    """Of the ball's lowest point above the bed [m]."""
    spot: tuple[float, float] = (0.0, 0.0)
    """Where it falls, in grain diameters from the middle."""


ASIDE = (3.0, -2.0)
QUICK = (
    CraterDrop(6, WOOD, 0.05),
    CraterDrop(6, TEFLON, 0.05),
    CraterDrop(6, WOOD, 0.2),
    CraterDrop(9, WOOD, 0.05),
)
DEFAULT = (
    CraterDrop(11, WOOD, 0.05), CraterDrop(11, WOOD, 0.1), CraterDrop(11, WOOD, 0.1, ASIDE),
    CraterDrop(11, WOOD, 0.2),
    CraterDrop(11, POLYPROPYLENE, 0.1), CraterDrop(11, TEFLON, 0.05),
    CraterDrop(19, WOOD, 0.1), CraterDrop(19, WOOD, 0.1, ASIDE),
)  # fmt: skip
FULL = tuple(
    CraterDrop(diameter, density, height)
    for diameter in (16.0, 25.4, 36.0)
    for density in (WOOD, POLYPROPYLENE, TEFLON)
    for height in (0.05, 0.1, 0.2)
)


@dataclass(frozen=True)
class Landing:
    """What came of a drop."""

    drop: CraterDrop
    depth: float
    """Of the ball's lowest point below where it first touched the bed [m]."""
    time: float
    """From the first touch to the deepest point [s]."""


class CraterLaw(Experiment):
    """Balls are dropped on one settled bed; the depths are fitted to the law."""

    name: ClassVar[str] = "crater"
    paper: ClassVar[int] = 3
    shows: ClassVar[str] = "figure 13, eqs. 28 and 29"
    summary: ClassVar[str] = "balls of several sizes and densities dropped on a bed of grains"
    minutes: ClassVar[float] = 9.0

    def run(self, notebook: Notebook) -> None:
        scene = self.pick(
            Crater(1000, width=14.0), Crater(25_000, width=38.0), Crater(500_400, width=100.0)
        )
        drops = self.pick(QUICK, DEFAULT, FULL)
        bed = self._bed(scene, notebook)
        landings: list[Landing] = []
        deepest: Simulation | None = None
        for number, drop in enumerate(drops):
            notebook.say(f"drop {number + 1} of {len(drops)}", 0.2 + 0.8 * number / len(drops))
            landing, simulation = self._land(scene, bed, drop)
            if landing.depth >= max((each.depth for each in landings), default=0.0):
                deepest = simulation
            landings.append(landing)
        self._write(notebook, scene, landings)
        assert deepest is not None
        self._picture(notebook, deepest)

    def _bed(self, scene: Crater, notebook: Notebook) -> Floats:
        """Places of settled grains [m], shape (grains, 3)."""
        simulation = Simulation(scene.bed(), step=5e-4, solver=scene.advice.make_solver())
        settle(
            simulation,
            length=scene.grain,
            limit=0.2 * self.pick(1.0, 1.0, 2.0),
            watch=lambda share: notebook.say("the bed settles", 0.2 * share),
        )
        return simulation.bodies.position[simulation.bodies.dynamic].copy()

    def _land(self, scene: Crater, bed: Floats, drop: CraterDrop) -> tuple[Landing, Simulation]:
        """CraterDrop a ball on the bed, and follow it to its deepest point."""
        d = scene.grain
        scene = dataclasses.replace(scene, diameter=drop.diameter * d, density=drop.density)
        world = scene.bed()
        world.bodies.position[world.bodies.dynamic] = bed
        spot = d * np.array(drop.spot)
        touch = first_touch(bed, 0.5 * d, 0.5 * scene.diameter, spot)
        start = (float(spot[0]), float(spot[1]), touch + 1e-3 * d)
        scene.add_ball(world, place=start, speed=float(np.sqrt(2.0 * GRAVITY * drop.height)))
        simulation = Simulation(world, step=2.5e-4, solver=APGD(tolerance=1e-3, max_iterations=300))
        ball = world.body("ball")
        lowest = [touch]

        def has_stopped(_: StepReport) -> bool:
            lowest[0] = min(lowest[0], float(ball.position[2]))
            return float(ball.velocity[2]) > -0.01

        simulation.run(0.2, on_step=has_stopped)
        return Landing(drop, touch - lowest[0], simulation.time), simulation

    def _write(self, notebook: Notebook, scene: Crater, landings: list[Landing]) -> None:
        table = depths(scene, landings)
        length = (
            table["density"] ** 0.5
            * table["diameter"] ** (2.0 / 3.0)
            * table["fall"] ** (1.0 / 3.0)
        )
        law = fit_power_law(
            scene.friction * table["depth"],
            diameter=table["diameter"],
            fall=table["fall"],
            density=table["density"],
        )
        constant = float(scene.friction * np.sum(table["depth"] * length) / np.sum(length**2))
        self._judge(notebook, law, constant)
        rows = [
            (
                1e3 * scene.grain * each.drop.diameter,
                each.drop.density,
                100.0 * each.drop.height,
                1e3 * each.depth,
                1e3 * 0.1221 / scene.friction * each_length,
                1e3 * 0.14 / scene.friction * each_length,
                1e3 * each.time,
            )
            for each, each_length in zip(landings, length, strict=True)
        ]
        notebook.table(
            "Depths",
            (
                "D_b [mm]", "ρ_b [kg/m³]", "h [cm]", "d [mm]", "eq. 29 [mm]", "eq. 28 [mm]",
                "time to rest [ms]",
            ),
            rows,
        )  # fmt: skip
        notebook.data("depths", **table)
        self._plot(notebook, scene, table["depth"], length, constant)
        self._remark(notebook, scene, landings, law)

    def _judge(self, notebook: Notebook, law: PowerLaw, constant: float) -> None:
        for name, label, exponent, words in (
            ("diameter", "exponent of D_b", 2.0 / 3.0, "2/3 (eq. 28)"),
            ("fall", "exponent of H = h + d", 1.0 / 3.0, "1/3 (eq. 28)"),
            ("density", "exponent of ρ_b/ρ_g", 0.5, "1/2 (eq. 28)"),
        ):
            notebook.band(
                label,
                law.exponents[name],
                paper=words,
                low=exponent - 0.1,
                high=exponent + 0.1,
                reason="the issue asks for 0.1 about the law's exponent",
            )
        notebook.band(
            "constant, exponents as in the law",
            constant,
            paper="0.1221 simulated (eq. 29), 0.14 measured (eq. 28)",
            low=0.10,
            high=0.18,
            reason="about both of the paper's constants",
        )

    def _remark(
        self, notebook: Notebook, scene: Crater, landings: list[Landing], law: PowerLaw
    ) -> None:
        sizes = [each.drop.diameter for each in landings]
        notebook.differs(
            f"{scene.grains} grains instead of 500 400, and balls of {min(sizes):g} to "
            f"{max(sizes):g} grains across instead of 25. Balls of 8 grains go less deep than the "
            "law has it: with them among the drops the exponent of D_b was 0.81. A fit with all "
            f"exponents free leaves {100.0 * law.spread:.1f} % of the depth unexplained."
        )
        notebook.differs(
            "The depth is taken from the point where the ball first touches a grain; the paper "
            "does not say where its bed begins. From the mean of the bumpy surface it would be "
            "about half a grain less."
        )
        notebook.differs(
            "The constant depends on how loose the bed is: a bed of 18 000 grains with a packing "
            "of 0.585 instead of 0.58 in its middle gave 0.14."
        )
        notebook.differs(
            "Each step is solved to a scaled error of 1e-3. With 60 iterations only the bed is too "
            "soft under large balls, and the exponent of D_b comes out 0.1 larger."
        )

    def _plot(
        self, notebook: Notebook, scene: Crater, depth: Floats, length: Floats, constant: float
    ) -> None:
        figure, (ax,) = panels(1, "", share_y=False)
        x = 1e3 * length / scene.friction
        ends = np.array([0.0, 1.05 * x.max()])
        for number, (name, k) in enumerate(
            (("eq. 28, measured", 0.14), ("eq. 29, the paper's", 0.1221), ("ours", constant))
        ):
            style = curve_style(number)
            ax.plot(ends, k * ends, color=style.colour, linestyle=style.dashes, label=name)
        ax.plot(x, 1e3 * depth, "o", color="black", label="drops")
        ax.set_xlabel(r"$\mu^{-1}(\rho_b/\rho_g)^{1/2}D_b^{2/3}H^{1/3}$ [mm]")
        ax.set_ylabel("depth d [mm]")
        ax.legend(frameon=False)
        notebook.plot(figure, "depths", "Depth against the law's length: one line, if it holds")

    def _picture(self, notebook: Notebook, simulation: Simulation) -> None:
        """The deepest crater, cut through the ball's middle as in figure 13."""
        world = simulation.world
        y = world.body("ball").position[1]
        front = world.bodies.dynamic & (world.bodies.position[:, 1] < y)
        front[world.body("ball").index] = False
        world.remove_bodies(world.bodies.id[front])
        notebook.picture(
            simulation,
            "crater",
            "The deepest crater at its deepest, cut open through the ball's middle",
            view=View(azimuth=-90.0, height=25.0, distance=1.2),
        )


def first_touch(bed: Floats, grain: float, ball: float, spot: Floats) -> float:
    """Height [m] of the centre of a ball that is lowered on the bed until it touches a grain.

    `grain` and `ball` are radii [m], `bed` centres of grains [m], shape (grains, 3).
    """
    across = np.sum((bed[:, :2] - spot) ** 2, axis=1)
    reach = (grain + ball) ** 2
    near = across < reach
    return float(np.max(bed[near, 2] + np.sqrt(reach - across[near]), initial=ball))


def depths(scene: Crater, landings: list[Landing]) -> dict[str, Floats]:
    """What the law is about, one entry a drop: lengths [m] and the ratio of densities."""
    depth = np.array([each.depth for each in landings])
    return {
        "depth": depth,
        "diameter": scene.grain * np.array([each.drop.diameter for each in landings]),
        "fall": depth + np.array([each.drop.height for each in landings]),
        "density": np.array([each.drop.density for each in landings]) / scene.grain_density,
    }
