"""Random scenes that can be built in any system of units: every number passes through `Units`.

A scene is made by one function of (Units, numpy Generator). The same seed gives the same numbers in
SI, whatever the units; so the same scene in other units must take the same iterations and give the
same dimensionless answers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import amontons as am


@dataclass(frozen=True)
class Units:
    """How many of the user's units a metre, a kilogram and a second are."""

    metre: float = 1.0
    kilogram: float = 1.0
    second: float = 1.0

    def __call__(self, value, metres=0, kilograms=0, seconds=0):
        """A quantity of SI units in the user's."""
        factor = self.metre**metres * self.kilogram**kilograms * self.second**seconds
        return (np.asarray(value, dtype=float) * factor).tolist()

    def length(self, value):
        return self(value, 1)

    def mass(self, value):
        return self(value, 0, 1)

    def time(self, value):
        return self(value, 0, 0, 1)

    def speed(self, value):
        return self(value, 1, 0, -1)

    def spin(self, value):
        return self(value, 0, 0, -1)

    def force(self, value):
        return self(value, 1, 1, -2)

    def torque(self, value):
        return self(value, 2, 1, -2)

    @classmethod
    def random(cls, rng):
        """Each unit between 1e-4 and 1e4 of SI's."""
        return cls(*(10.0 ** rng.uniform(-4.0, 4.0, 3)))


def random_material(u, rng, size):
    """Friction with any of rolling and spinning friction, cohesion, restitution, compliance."""
    has = rng.random(6) < (0.6, 0.4, 0.3, 0.3, 0.3, 0.3)
    mu = rng.uniform(0.1, 1.0)
    return am.Material(
        friction=mu,
        static_friction=1.2 * mu if has[5] else None,
        rolling_friction=u.length(has[0] * rng.uniform(0.01, 0.2) * size),
        spinning_friction=u.length(has[1] * rng.uniform(0.01, 0.2) * size),
        cohesion=u.force(has[2] * rng.uniform(0.5, 5.0) * 1000.0 * size**3 * 9.81),
        restitution=0.5 * rng.random() if has[3] else 0.0,
        compliance=u(has[4] * 1e-3 / (1000.0 * size**2 * 9.81), 0, -1, 2),
        damping=u.time(has[4] * 2e-3),
    )


def random_shape(u, rng, size):
    kind = rng.integers(5)  # spheres twice as often
    if kind == 0:
        return am.Box(u.length(size * rng.uniform(0.8, 2.0, 3)))
    if kind == 1:
        return am.Capsule(radius=u.length(0.6 * size), length=u.length(size))
    if kind == 2:
        return am.Cylinder(radius=u.length(0.8 * size), height=u.length(1.5 * size))
    return am.Sphere(u.length(size * rng.uniform(0.7, 1.2)))


def heap(u, rng):
    """Bodies of all shapes that fall on a plane."""
    size = 10.0 ** rng.uniform(-3.0, 0.0)
    world = am.World(gravity=u(np.array([0.0, 0.0, -9.81]), 1, 0, -2))
    material = random_material(u, rng, size)
    world.add_body(am.Plane(), fixed=True, material=material)
    for i in range(int(rng.integers(2, 12))):
        place = np.append(rng.uniform(-1.5, 1.5, 2) * size, (1.6 + 2.6 * i) * size)
        world.add_body(
            random_shape(u, rng, size),
            density=u(1000.0 * rng.uniform(0.5, 3.0), -3, 1),
            position=u.length(place),
            velocity=u.speed(rng.uniform(-1.0, 1.0, 3) * np.sqrt(9.81 * size)),
            angular_velocity=u.spin(rng.uniform(-1.0, 1.0, 3) * np.sqrt(9.81 / size)),
            material=material,
        )
    return world, size


def joint_of(u, rng, a, b, point, size):
    """Any joint, with limits, friction, a motor or compliance at random."""
    axis = rng.standard_normal(3)
    axis /= np.linalg.norm(axis)
    across = np.cross(axis, rng.standard_normal(3))
    across /= np.linalg.norm(across)
    weight = 1000.0 * size**3 * 9.81
    place = u.length(point)
    rate = np.sqrt(9.81 / size)
    kind = rng.integers(14)
    turning = [
        None,
        am.SpeedMotor(speed=u.spin(0.5 * rate), limit=u.torque(5.0 * weight * size)),
        am.PositionMotor(position=0.3, stiffness=u.torque(30.0 * weight * size)),
        am.TorqueMotor(torque=u.torque(0.2 * weight * size)),
    ][rng.integers(4)]
    soft = rng.random() < 0.3
    give = (
        {
            "compliance": u(0.01 * size / weight, 0, -1, 2),
            "damping": u(0.1 * weight / (size * rate), 0, 1, -1),
            "angular_compliance": u(0.01 / (weight * size), -2, -1, 2),
        }
        if soft
        else {}
    )
    if kind == 0:
        return am.Spherical(a, b, point=place, **give)
    if kind == 1:
        return am.Universal(a, b, point=place, axis_a=axis.tolist(), axis_b=across.tolist())
    if kind in (2, 3):
        limits = (-0.4, 0.6) if rng.random() < 0.5 else None
        friction = u.torque(0.05 * weight * size) if rng.random() < 0.3 else 0.0
        return am.Revolute(
            a, b, point=place, axis=axis.tolist(), motor=turning, limits=limits,
            friction=friction, **give,
        )  # fmt: skip
    if kind == 4:
        limits = u.length([-0.5 * size, 0.5 * size])
        motor = am.SpeedMotor(speed=u.speed(0.2 * rate * size), limit=u.force(2.0 * weight))
        return am.Prismatic(a, b, point=place, axis=axis.tolist(), limits=tuple(limits),
                            motor=motor if rng.random() < 0.5 else None)  # fmt: skip
    if kind == 5:
        return am.Cylindrical(a, b, point=place, axis=axis.tolist(), angle_motor=turning)
    if kind == 6:
        return am.Screw(a, b, point=place, axis=axis.tolist(), pitch=u.length(0.3 * size))
    if kind == 7:
        return am.Planar(a, b, point=place, normal=axis.tolist())
    if kind == 8:
        return am.Fixed(a, b, point=place, **give)
    if kind == 9:
        return am.PointOnLine(a, b, point=place, axis=axis.tolist())
    if kind == 10:
        return am.PointOnPlane(a, b, point=place, normal=axis.tolist())
    if kind == 11:
        far = u.length(point + 0.5 * size * across)
        return am.Distance(a, b, point_a=place, point_b=far)
    if kind == 12:
        far = u.length(point + 0.5 * size * across)
        return am.Rope(a, b, point_a=place, point_b=far)
    return am.TorsionSpring(
        a, b, axis=axis.tolist(), stiffness=u.torque(weight * size),
        damping=u(0.05 * weight * size / rate, 2, 1, -1),
    )  # fmt: skip


def mechanism(u, rng):
    """A chain of bodies with any joints, springs and loads, over a floor."""
    size = 10.0 ** rng.uniform(-3.0, 0.0)
    world = am.World(gravity=u(np.array([0.0, 0.0, -9.81]), 1, 0, -2))
    material = random_material(u, rng, size)
    if rng.random() < 0.5:
        height = -2.5 * size
        world.add_body(
            am.Plane(), fixed=True, position=u.length([0.0, 0.0, height]), material=material
        )
    last = None
    weight = 1000.0 * size**3 * 9.81
    for i in range(int(rng.integers(1, 7))):
        place = np.array([(1.0 + 2.0 * i) * size, 0.0, 0.0])
        body = world.add_body(
            random_shape(u, rng, 0.5 * size),
            density=u(1000.0 * 10.0 ** rng.uniform(-0.5, 0.5), -3, 1),
            position=u.length(place),
            material=material,
        )
        world.add_joint(joint_of(u, rng, last, body, place - [size, 0.0, 0.0], size))
        if rng.random() < 0.3:
            world.add_joint(
                am.LinearSpring(
                    None, body, point_a=u.length(place + np.array([0.0, 0.0, 2.0 * size])),
                    point_b=u.length(place), stiffness=u(weight / size, 0, 1, -2),
                    damping=u(0.1 * weight / np.sqrt(9.81 * size), 0, 1, -1),
                )
            )  # fmt: skip
        if rng.random() < 0.3:
            world.add_force(am.AppliedForce(body, force=u.force([0.3 * weight, 0.0, 0.0])))
        if rng.random() < 0.2:
            world.add_force(am.Drag(body, linear=u(0.1 * weight / np.sqrt(9.81 * size), 0, 1, -1)))
        last = body
    return world, size


def gearbox(u, rng):
    """Two wheels that mesh, a rack, and a block on a bushing, driven by a motor."""
    size = 10.0 ** rng.uniform(-3.0, 0.0)
    world = am.World(gravity=u(np.array([0.0, 0.0, -9.81]), 1, 0, -2))
    weight = 1000.0 * size**3 * 9.81
    rate = np.sqrt(9.81 / size)
    axis = [0.0, 1.0, 0.0]
    density = u(1000.0 * rng.uniform(0.5, 3.0), -3, 1)
    small, large = 0.5 * size, size * rng.uniform(0.8, 1.5)
    wheels = []
    for radius, x in ((small, 0.0), (large, small + large)):
        shape = am.Sphere(u.length(radius))
        wheel = world.add_body(shape, density=density, position=u.length([x, 0.0, 0.0]))
        speed = u.spin(rng.uniform(0.5, 3.0) * rate)
        motor = am.SpeedMotor(speed=speed, limit=u.torque(0.5 * weight * size))
        world.add_joint(
            am.Revolute(
                None, wheel, point=u.length([x, 0.0, 0.0]), axis=axis,
                motor=None if wheels else motor,
            )
        )  # fmt: skip
        wheels.append(wheel)
    world.add_joint(
        am.Gear(
            *wheels, point_a=u.length([0.0, 0.0, 0.0]), point_b=u.length([small + large, 0.0, 0.0]),
            axis_a=axis, axis_b=axis, ratio=-small / large,
        )
    )  # fmt: skip
    rack = world.add_body(
        am.Box(u.length([4.0 * size, 0.2 * size, 0.2 * size])), density=density,
        position=u.length([0.0, -2.0 * size, -small]),  # beside the wheels
    )  # fmt: skip
    place = u.length([0.0, -2.0 * size, -small])
    world.add_joint(am.Prismatic(None, rack, point=place, axis=[1.0, 0.0, 0.0]))
    world.add_joint(
        am.RackAndPinion(
            rack, wheels[0], point=u.length([0.0, 0.0, 0.0]), axis=axis,
            pitch_point=u.length([0.0, 0.0, -small]),
        )
    )  # fmt: skip
    block = world.add_body(
        am.Box(u.length([size, size, size])), density=density,
        position=u.length([0.0, 3.0 * size, 0.0]),
    )  # fmt: skip
    world.add_joint(
        am.Bushing(
            None, block, point=u.length([0.2 * size, 3.0 * size, 0.0]),
            stiffness=u(20.0 * weight / size, 0, 1, -2),
            damping=u(weight / np.sqrt(9.81 * size), 0, 1, -1),
            angular_stiffness=u.torque(5.0 * weight * size),
            angular_damping=u(0.3 * weight * size / rate, 2, 1, -1),
        )
    )  # fmt: skip
    return world, size


SCENES = (heap, mechanism, gearbox)


@dataclass
class Run:
    """What a scene gives, without units."""

    iterations: np.ndarray
    converged: np.ndarray
    position: np.ndarray  # in sizes
    velocity: np.ndarray  # in √(g size)
    spin: np.ndarray  # in √(g/size)
    overlap: np.ndarray  # in sizes
    residual: np.ndarray


def run(seed, units, *, steps=25, solver=None, friction="convex"):
    """A random scene, run in these units."""
    rng = np.random.default_rng(seed)
    world, size = SCENES[seed % len(SCENES)](units, rng)
    h = 0.03 * np.sqrt(size / 9.81)
    sim = am.Simulation(world, step=units.time(h), solver=solver, friction=friction)
    reports = [sim.step() for _ in range(steps)]
    rate = units.spin(np.sqrt(9.81 / size))
    length = units.length(size)
    return Run(
        np.array([r.iterations for r in reports]),
        np.array([r.converged for r in reports]),
        sim.bodies.position / length,
        sim.bodies.velocity / (length * rate),
        sim.bodies.angular_velocity / rate,
        np.array([r.penetration for r in reports]) / length,
        np.array([r.residual for r in reports]),
    )
