"""Machines under watch: where a body of theirs goes, what their joints lose, what a step costs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from amontons.algebra.rotations import rotation_matrices
from amontons.model.world import World
from amontons_papers.notebook import Notebook

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from amontons.model.bodies import Body
    from amontons.simulation.reports.report import StepReport
    from amontons.simulation.simulation import Simulation

Floats = NDArray[np.float64]

JOINT_ERROR = 1e-4
"""Joints may be off by so much [m]."""


@dataclass(frozen=True)
class Watched:
    """A machine's run, one entry per step."""

    time: Floats
    """At the end of the step [s]."""
    position: Floats
    """Centre of mass of the body that was watched [m], shape (steps, 3)."""
    axes: Floats
    """That body's axes in the world, as columns, shape (steps, 3, 3)."""
    joint_error: Floats
    """Largest error of any joint [m]."""
    contacts: Floats
    iterations: Floats
    seconds: Floats
    """Wall-clock time of the step."""

    @property
    def tilt(self) -> Floats:
        """Angle between the body's z axis and the vertical [°]."""
        return np.asarray(np.degrees(np.arccos(np.clip(self.axes[:, 2, 2], -1.0, 1.0))))

    @property
    def real_time(self) -> float:
        """Simulated time by wall-clock time: above 1 is faster than reality."""
        steps = np.diff(self.time, prepend=2.0 * self.time[0] - self.time[1])
        return float(steps.sum() / self.seconds.sum())


def watch(
    simulation: Simulation,
    duration: float,
    body: Body,
    notebook: Notebook,
    *,
    on_step: Callable[[StepReport], None] = lambda report: None,
) -> Watched:
    """Run for so long [s] and write down what a body and the joints do."""
    start = simulation.time
    rows: list[tuple[Floats, Floats, float]] = []

    def note(report: StepReport) -> None:
        error = float(simulation.joints.position_error.max(initial=0.0))
        rows.append((body.position.copy(), body.orientation.copy(), error))
        notebook.say(f"{report.time:.2f} s simulated", (report.time - start) / duration)
        on_step(report)

    simulation.readings.keep = None  # places in it are counted from here
    before = len(simulation.readings)
    readings = simulation.run(duration, on_step=note)
    return Watched(
        time=readings.time[before:],
        position=np.array([place for place, _, _ in rows]),
        axes=rotation_matrices(np.array([turn for _, turn, _ in rows])),
        joint_error=np.array([error for _, _, error in rows]),
        contacts=readings.contacts[before:],
        iterations=readings.iterations[before:],
        seconds=readings.seconds[before:].sum(axis=1),
    )


def joint_band(notebook: Notebook, watched: Watched, limit: float = JOINT_ERROR) -> None:
    """The band of the joints' errors [m]."""
    notebook.band(
        "largest error of a joint [m]",
        watched.joint_error.max(),
        paper="not given",
        high=limit,
        reason=f"joints must hold to {1e3 * limit:g} mm, in every step",
    )


def mass_ratio(world: World) -> float:
    """The heaviest body that moves by the lightest."""
    mass = world.bodies.mass[world.bodies.dynamic]
    return float(mass.max() / mass.min())


def write_down(notebook: Notebook, simulation: Simulation, watched: Watched) -> None:
    """What every machine reports: a table of sizes and costs, and its run as data."""
    world = simulation.world
    notebook.table(
        "The machine and its run",
        ("quantity", "value"),
        [
            ("moving bodies", int(world.bodies.dynamic.sum())),
            ("joints", len(world.joints)),
            ("rows of joints and motors", int(simulation.readings[-1].joint_rows)),
            ("contacts in a step, mean", float(watched.contacts.mean())),
            ("contacts in a step, largest", int(watched.contacts.max())),
            ("mass ratio, heaviest by lightest body", mass_ratio(world)),
            ("step [s]", simulation.readings[-1].step),
            ("iterations in a step, mean", float(watched.iterations.mean())),
            ("time of a step, mean [ms]", 1e3 * float(watched.seconds.mean())),
            ("real-time factor", watched.real_time),
        ],
    )
    notebook.data(
        "run",
        time=watched.time,
        position=watched.position,
        tilt=watched.tilt,
        joint_error=watched.joint_error,
        contacts=watched.contacts,
    )


def way_and_joints(watched: Watched, intended: Callable[[float], float], title: str) -> Figure:
    """The way along x beside the intended one, and the joints' errors."""
    from amontons.plots.style import curve_style, legend_below, panels

    figure, (left, right) = panels(2, title, share_y=False)
    start = watched.position[0, 0]
    curves = {
        "ours": watched.position[:, 0] - start,
        "intended": np.array([intended(float(each)) for each in watched.time]),
    }
    for number, (name, values) in enumerate(curves.items()):
        style = curve_style(number)
        left.plot(watched.time, values, color=style.colour, linestyle=style.dashes, label=name)
    left.set_ylabel("Way along x [m]")
    right.semilogy(
        watched.time, np.maximum(watched.joint_error, 1e-12), color=curve_style(2).colour
    )
    right.axhline(JOINT_ERROR, color="0.35", linewidth=1.0, linestyle="--")
    right.set_ylabel("Largest error of a joint [m]")
    for ax in (left, right):
        ax.set_xlabel("Simulated time [s]")
    legend_below(figure, left)
    return figure
