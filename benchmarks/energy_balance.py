"""The balance of energy of fourteen scenes: work by cause, how well it closes, and closed forms.

    python benchmarks/energy_balance.py
    python benchmarks/energy_balance.py --scenes belt incline --json balance.json

A balance closes as far as energy − Σ work is the same after all steps; that is given by the energy
turned over: the sum of all work, in either direction, of all steps and causes, and of gravity.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

import amontons as am
from amontons.scenes import BouncingBalls, Conveyor, Drum, Scene, Shaker, Vehicle, WalkingRobot
from common import arguments, write

G = 9.81
NUMERICAL = ("recovery", "joints", "integration")


class Expected(NamedTuple):
    """What theory says of one of the works, or of the heat [J]."""

    cause: str
    value: float


class Balance(NamedTuple):
    """A scene that has run, and what theory says of it."""

    sim: am.Simulation
    expected: list[Expected]

    @property
    def turnover(self) -> float:
        """Energy turned over [J]."""
        flows = [*self.work.values(), self.sim.readings.potential_energy]
        return float(sum(np.abs(np.diff(values)).sum() for values in flows))

    @property
    def gap(self) -> float:
        """Largest energy that no cause accounts for, by the energy turned over."""
        off = self.sim.readings.energy - sum(self.work.values())
        return float(np.abs(off).max() / self.turnover)

    @property
    def work(self) -> dict[str, np.ndarray]:
        """By cause, after every step [J]."""
        return self.sim.readings.work

    def found(self, cause: str) -> float:
        """A work at the end, or the heat [J]."""
        return self.sim.dissipated if cause == "heat" else float(self.work[cause][-1])

    @property
    def wrong(self) -> float:
        """Largest relative difference from theory; NaN where there is none."""
        errors = [abs(self.found(cause) / value - 1.0) for cause, value in self.expected]
        return max(errors, default=math.nan)


def ran(scene: Scene, time: float) -> Balance:
    sim = am.Simulation(scene.build(), step=scene.advice.step, solver=scene.advice.make_solver())
    sim.run(time)
    return Balance(sim, [])


def belt() -> Balance:
    """A box of 2 kg is put on a belt at 1.5 m/s: ½mv² becomes heat, and the drive gives mv²."""
    world, rubber, speed, mass = am.World(), am.Material(friction=0.4), 1.5, 2.0
    motion = am.Motion(velocity=(speed, 0.0, 0.0))
    world.add_body(am.Box((20, 1, 0.2)), position=(0, 0, -0.1), motion=motion, material=rubber)
    world.add_body(am.Box.cube(0.2), mass=mass, position=(0, 0, 0.1), material=rubber)
    sim = am.Simulation(world, step=1e-3)
    sim.run(1.0)
    heat = 0.5 * mass * speed**2
    theory = {"friction": -heat, "drives": 2.0 * heat, "heat": heat}
    return Balance(sim, [Expected(*each) for each in theory.items()])


def incline() -> Balance:
    """A block slides down a slope of 30°: the heat is μ m g cos α · s with s = ½ a t²."""
    friction, mass, slope, time = 0.25, 3.0, math.radians(30.0), 1.0
    world, wood = (
        am.World(gravity=(G * math.sin(slope), 0.0, -G * math.cos(slope))),
        am.Material(friction=friction),
    )
    world.add_body(am.Plane(), fixed=True, material=wood)
    world.add_body(am.Box((0.4, 0.4, 0.1)), mass=mass, position=(0, 0, 0.05), material=wood)
    sim = am.Simulation(world, step=1e-3, friction="exact")
    sim.run(time)
    acceleration = G * (math.sin(slope) - friction * math.cos(slope))
    heat = friction * mass * G * math.cos(slope) * 0.5 * acceleration * time**2
    return Balance(sim, [Expected("heat", heat)])


def bounce(restitution: float) -> Balance:
    """A ball falls by a metre and bounces once: the heat is 1 − e² of what it had."""
    world, stuff = am.World(), am.Material(restitution=restitution)
    world.add_body(am.Plane(), fixed=True, material=stuff)
    world.add_body(am.Sphere(0.1), mass=1.0, position=(0, 0, 1.1), material=stuff)
    sim = am.Simulation(world, step=1e-3, bounce_speed=0.1)
    sim.run(0.5)
    return Balance(sim, [Expected("heat", (1.0 - restitution**2) * G)])


def spring() -> Balance:
    """A mass on a spring with a damper, until it rests: all becomes heat but the step's error.

    The spring at the end of the step damps as a damper of h k would: heat by error is c by hk.
    """
    k, c, stretch, h = 100.0, 2.0, 0.1, 2e-3
    world = am.World(gravity=(0, 0, 0))
    ball = world.add_body(am.Sphere(0.1), mass=1.0, position=(1.0 + stretch, 0, 0))
    world.add_joint(
        am.LinearSpring(
            None, ball, point_a=(0, 0, 0), point_b=(1.0 + stretch, 0, 0), stiffness=k, damping=c,
            length=1.0,
        )
    )  # fmt: skip
    sim = am.Simulation(world, step=h)
    sim.run(10.0)
    return Balance(sim, [Expected("heat", 0.5 * k * stretch**2 * c / (c + h * k))])


def pendulum() -> Balance:
    """A motor of 1 N m turns a rod of 1 kg from rest, without gravity: its work is M²t²/(2I)."""
    world, torque, time = am.World(gravity=(0, 0, 0)), 1.0, 2.0
    rod = world.add_body(am.Box((0.1, 0.1, 1.0)), mass=1.0, position=(0, 0, -0.5))
    motor = am.TorqueMotor(torque=torque)
    world.add_joint(am.Revolute(None, rod, point=(0, 0, 0), axis=(0, 1, 0), motor=motor))
    sim = am.Simulation(world, step=1e-3)
    sim.run(time)
    about = sim.bodies.inertia[0, 1, 1] + 0.25
    return Balance(sim, [Expected("motors", torque**2 * time**2 / (2.0 * about))])


def driven_pendulum() -> Balance:
    """A motor turns a rod with friction in its bearing, in gravity."""
    world = am.World()
    rod = world.add_body(am.Box((0.1, 0.1, 1.0)), mass=1.0, position=(0, 0, -0.5))
    motor = am.SpeedMotor(speed=3.0, limit=20.0)
    world.add_joint(
        am.Revolute(None, rod, point=(0, 0, 0), axis=(0, 1, 0), motor=motor, friction=0.1)
    )
    sim = am.Simulation(world, step=1e-3)
    sim.run(3.0)
    return Balance(sim, [])


def gears() -> Balance:
    """A motor turns three wheels that mesh, the last with friction in its bearing."""
    world, axis = am.World(), (0.0, 1.0, 0.0)
    radii, places = (0.1, 0.2, 0.15), (0.0, 0.3, 0.65)
    wheels = []
    for k, (radius, x) in enumerate(zip(radii, places, strict=True)):
        flat = (math.cos(math.pi / 4), -math.sin(math.pi / 4), 0.0, 0.0)
        wheel = world.add_body(
            am.Cylinder(radius, 0.05), mass=20.0 * radius, position=(x, 0, 0), orientation=flat
        )
        motor = am.SpeedMotor(speed=5.0, limit=2.0) if k == 0 else None
        friction = 0.3 if k == 2 else 0.0
        world.add_joint(
            am.Revolute(None, wheel, point=(x, 0, 0), axis=axis, motor=motor, friction=friction)
        )
        wheels.append(wheel)
    for k in (0, 1):
        world.add_joint(
            am.Gear(
                wheels[k], wheels[k + 1], point_a=(places[k], 0, 0), point_b=(places[k + 1], 0, 0),
                axis_a=axis, axis_b=axis, ratio=-radii[k] / radii[k + 1],
            )
        )  # fmt: skip
    sim = am.Simulation(world, step=1e-3)
    sim.run(2.0)
    return Balance(sim, [])


SCENES: dict[str, Callable[[], Balance]] = {
    "belt": belt,
    "incline": incline,
    "bounce, e = 0": lambda: bounce(0.0),
    "bounce, e = 0.5": lambda: bounce(0.5),
    "spring and damper": spring,
    "torque on a rod": pendulum,
    "driven pendulum": driven_pendulum,
    "gear train": gears,
    "bouncing balls": lambda: ran(BouncingBalls(20), 1.0),
    "drum": lambda: ran(Drum(150), 1.5),
    "conveyor": lambda: ran(Conveyor(4, rollers=16), 1.5),
    "shaker": lambda: ran(Shaker(150, large=3), 0.4),
    "vehicle": lambda: ran(Vehicle(10), 1.0),
    "walking robot": lambda: ran(WalkingRobot(), 1.0),
}


def main() -> None:
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--scenes", nargs="+", choices=SCENES, default=list(SCENES))
    args = parser.parse_args()
    print("| scene | given [J] | heat [J] | numerical [J] | change [J] | gap | off theory |")
    print("|---|---|---|---|---|---|---|")
    figures = {}
    for name in args.scenes:
        balance = SCENES[name]()
        last = {cause: float(values[-1]) for cause, values in balance.work.items()}
        given = last["loads"] + last["motors"] + last["drives"]
        numerical = sum(last[cause] for cause in NUMERICAL)
        change = balance.sim.readings.energy[-1] - last["outside"]
        heat, gap, wrong = balance.sim.dissipated, balance.gap, balance.wrong
        theory = "" if math.isnan(wrong) else f"{wrong:.0e}"
        print(
            f"| {name} | {given:.4g} | {heat:.4g} | {numerical:.2g} | {change:.4g} | {gap:.0e} | "
            f"{theory} |"
        )
        figures[name] = {"work": last, "heat": heat, "gap": gap, "off theory": wrong}
    write(args.json, figures)


if __name__ == "__main__":
    main()
