"""Figures 2 and 3 of paper 3: a ball slides until it rolls, with exact and relaxed friction."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from amontons.model.materials import Material
from amontons.model.shapes import Plane, Sphere
from amontons.model.world import World
from amontons.problem.operators import BodyOperator
from amontons.problem.problem import ConeProblem
from amontons.simulation.simulation import Simulation
from amontons.solvers import InteriorPoint
from amontons_papers.drawing import Panel, draw
from amontons_papers.experiment import Experiment
from amontons_papers.notebook import Notebook

Floats = NDArray[np.float64]

SPEED, RADIUS, FRICTION, STEP, GRAVITY = 2.0, 1.0, 0.2, 0.0025, 9.81
"""Of §2.3: [m/s, m, 1, s, m/s²]; the mass drops out and is 1 kg."""

TIME = 0.5
ROLLING = 2.0 * SPEED / (7.0 * FRICTION * GRAVITY)
"""When the ball begins to roll without slip [s]: 0.291."""


class BallMotion(NamedTuple):
    """One entry per step, at its end."""

    time: Floats  # [s]
    speed: Floats  # of the centre, forwards [m/s]
    slip: Floats  # of the lowest point [m/s]
    height: Floats  # of the lowest point above the ground [m]

    @property
    def rolling(self) -> float:
        """When slip has ended for good [s]."""
        sliding = np.flatnonzero(self.slip > 1e-3 * SPEED)
        return float(self.time[sliding[-1]]) if sliding.size else 0.0

    @property
    def error(self) -> float:
        """Largest deviation of the speed from Coulomb's law [m/s]."""
        return float(np.abs(self.speed - ideal_speed(self.time)).max())


def ideal_speed(time: Floats) -> Floats:
    """v₀ − μ g t while it slides, then 5/7 v₀ [m/s]."""
    return np.maximum(SPEED - FRICTION * GRAVITY * time, SPEED * 5.0 / 7.0)


def simulated(friction: str) -> BallMotion:
    """The ball in a `Simulation` with "exact" or "convex" friction."""
    world = World(gravity=(0.0, 0.0, -GRAVITY))
    material = Material(friction=FRICTION)
    world.add_body(Plane(), fixed=True, material=material)
    ball = world.add_body(
        Sphere(RADIUS), mass=1.0, position=(0.0, 0.0, RADIUS), material=material,
        velocity=(-SPEED, 0.0, 0.0),
    )  # fmt: skip
    simulation = Simulation(world, step=STEP, friction=friction)
    rows = []
    while simulation.time < TIME - 0.5 * STEP:
        simulation.step()
        rows.append((simulation.time, ball.velocity[0], ball.angular_velocity[1], ball.position[2]))
    return _track(np.array(rows))


def relaxed() -> BallMotion:
    """The ball by the paper's scheme to the letter: eq. 9 with b = Φ/h and nothing to tame it."""
    v = np.array([[-SPEED, 0.0, 0.0, 0.0, 0.0, 0.0]])
    height, rows = RADIUS, []
    solver = InteriorPoint(tolerance=1e-8)
    for number in range(round(TIME / STEP)):
        v[0, 2] -= GRAVITY * STEP
        problem = ConeProblem.from_contacts(
            inverse_mass=[1.0],
            inverse_inertia=2.5 / RADIUS**2 * np.eye(3)[None],
            bodies_a=[-1],
            bodies_b=[0],
            normals=[[0.0, 0.0, 1.0]],
            arms_a=[[0.0, 0.0, 0.0]],
            arms_b=[[0.0, 0.0, -RADIUS]],
            free_velocity=v,
            offset=[(height - RADIUS) / STEP],
            friction=FRICTION,
        )
        solution = solver.solve(problem)
        assert isinstance(problem.operator, BodyOperator)
        v = v + problem.operator.velocities(problem.unknowns(solution.impulses))
        height += STEP * v[0, 2]
        rows.append(((number + 1) * STEP, v[0, 0], v[0, 4], height))
    return _track(np.array(rows))


def _track(rows: Floats) -> BallMotion:
    time, along, turning, height = rows.T
    return BallMotion(time, -along, np.abs(along - turning * RADIUS), height - RADIUS)


class SlidingBall(Experiment):
    """Speed of a ball that slides at first, against Coulomb's law."""

    name: ClassVar[str] = "sliding-ball"
    paper: ClassVar[int] = 3
    shows: ClassVar[str] = "figures 2 and 3"
    summary: ClassVar[str] = "a ball slides until it rolls, with exact and with relaxed friction"
    minutes: ClassVar[float] = 0.1

    def run(self, notebook: Notebook) -> None:
        exact, plain = simulated("exact"), relaxed()
        notebook.say("all but the last is done", 0.7)
        tamed = simulated("convex")
        self._bands(notebook, exact, plain, tamed)
        runs = {"exact": exact, "relaxed, as in the paper": plain, "relaxed, tamed": tamed}
        law = {"Coulomb's law": (exact.time, ideal_speed(exact.time))}
        speeds = {name: (run.time, run.speed) for name, run in runs.items()}
        heights = {name: (run.time, 1e3 * run.height) for name, run in runs.items()}
        notebook.plot(
            draw(
                "Figures 2 and 3: a ball begins to roll",
                Panel("time [s]", "speed of the centre [m/s]", {**law, **speeds}),
                Panel("time [s]", "height above the ground [mm]", heights),
            ),
            "speed",
            "exact friction follows Coulomb's law (figure 2); the relaxation throws the ball up at "
            "high slip (figure 3)",
        )
        for name, run in zip(("exact", "relaxed", "tamed"), runs.values(), strict=True):
            notebook.data(name, time=run.time, speed=run.speed, slip=run.slip, height=run.height)

    def _bands(
        self, notebook: Notebook, exact: BallMotion, plain: BallMotion, tamed: BallMotion
    ) -> None:
        per_step = FRICTION * GRAVITY * STEP
        notebook.band(
            "exact: slip ends after [s]",
            exact.rolling,
            paper=f"{ROLLING:.3f} (2 v₀ / 7 μ g)",
            low=ROLLING - STEP,
            high=ROLLING + STEP,
            reason="one time step",
        )
        notebook.band(
            "exact: largest error of the speed [m/s]",
            exact.error,
            paper="figure 2: a straight line, no artefact",
            high=per_step,
            reason="what friction takes in one step, μ g h",
        )
        notebook.band(
            "relaxed: largest error of the speed [m/s]",
            plain.error,
            paper="figure 3: jitter at high slip speed",
            low=4.0 * per_step,
            high=FRICTION**2 * SPEED / (1.0 + 3.5 * FRICTION**2) + 2.0 * per_step,
            reason="the artefact must show; the first step's jump is μ times the normal velocity "
            "μ‖v_t‖ that the relaxation demands",
        )
        notebook.band(
            "relaxed: speed at the end [m/s]",
            plain.speed[-1],
            paper="rolls in the end, as in figure 2",
            low=SPEED * 5.0 / 7.0 * 0.99,
            high=SPEED * 5.0 / 7.0 * 1.01,
            reason="5/7 v₀ within 1 %: angular momentum about the contact is kept",
        )
        notebook.band(
            "relaxed in `Simulation`: largest error of the speed [m/s]",
            tamed.error,
            paper="not in the paper",
            high=2.0 * per_step,
            reason="ours limits the lift to g h a step, so the ball is not thrown up",
        )
        notebook.differs(
            "The paper's unrelaxed curves come from Mosek and PATH; ours from fixed point "
            "iterations on De Saxcé's term. `Simulation` with the default convex friction limits "
            "how fast the relaxation may lift a contact; the paper's own scheme is the third curve."
        )
