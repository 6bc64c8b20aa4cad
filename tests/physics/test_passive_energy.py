"""Passive scenes, whatever is in them, never gain energy.

How much may be found more than at the start, and why:

- Symplectic Euler in gravity keeps E − (h/2) m g·v exactly (it falls by h v⁺ a step, not by h times
  the mean), so E itself swings by (h/2) g Σ m|v_z|: twice that between the two ends of a swing.
- Position stabilisation lifts bodies that overlap: by m g times the depth, at the recovery speed.
- The solver stops at a tolerance: velocities are wrong by about that share of the largest speed.
- Joints are closed to second order of a step; what is left is pulled back.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import amontons as am
from helpers.step_oracles import energy_and_momenta

G, H, STEPS = 9.81, 4e-3, 60
TOLERANCE = 1e-7
SOLVER = am.APGD(tolerance=TOLERANCE, max_iterations=3000)

materials = st.builds(
    am.Material,
    friction=st.floats(0.0, 1.5),
    restitution=st.floats(0.0, 1.0),
    rolling_friction=st.sampled_from([0.0, 0.01]),
    spinning_friction=st.sampled_from([0.0, 0.005]),
)

shapes = st.sampled_from(
    [am.Sphere(0.12), am.Box((0.3, 0.2, 0.15)), am.Box.cube(0.2), am.Capsule(0.08, 0.2)]
)

speeds = st.tuples(*[st.floats(-3.0, 3.0)] * 3)
spins = st.tuples(*[st.floats(-15.0, 15.0)] * 3)
turns = st.tuples(*[st.floats(-1.0, 1.0)] * 4).filter(lambda q: np.linalg.norm(q) > 0.1)
bodies = st.tuples(shapes, speeds, spins, turns, st.floats(0.2, 5.0), materials)


def build(things, floor, joined):
    """Bodies in a row above a floor, neighbours joined where told to; no two overlap."""
    world = am.World()
    world.add_body(am.Plane(), fixed=True, material=floor)
    handles = []
    for i, (shape, velocity, spin, turn, mass, material) in enumerate(things):
        q = np.array(turn) / np.linalg.norm(turn)
        handles.append(
            world.add_body(
                shape, mass=mass, position=(0.45 * i, 0.0, 0.25 + 0.1 * (i % 2)), orientation=q,
                velocity=velocity, angular_velocity=spin, material=material,
            )
        )  # fmt: skip
    for i, kind in enumerate(joined[: len(handles) - 1]):
        a, b = handles[i], handles[i + 1]
        middle = 0.5 * (a.position + b.position)
        if kind == "ball":
            world.add_joint(am.Spherical(a, b, point=middle))
        elif kind == "hinge":
            world.add_joint(am.Revolute(a, b, point=middle, axis=(0.0, 1.0, 0.0), friction=0.1))
        elif kind == "rod":
            world.add_joint(am.Distance(a, b, point_a=a.position, point_b=b.position))
    return world


def allowance(sim, deepest):
    """How much more energy than at the start may be found [J]; see above."""
    masses = sim.bodies.mass[1:]
    start = sim.readings.energy.max()
    # no body is ever faster than all the energy would make it
    low = float(masses @ sim.bodies.position[1:, 2].clip(max=0.0)) * G
    fastest = np.sqrt(2.0 * max(start - low, 0.0) / masses)
    swing = H * G * float(masses @ fastest)
    lifted = G * float(masses.sum()) * deepest
    solver = 10.0 * TOLERANCE * STEPS * max(start, 1.0)
    return swing + lifted + solver


@pytest.mark.slow
@settings(
    max_examples=25, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
@given(
    things=st.lists(bodies, min_size=1, max_size=4),
    floor=materials,
    joined=st.lists(st.sampled_from(["", "ball", "hinge", "rod"]), min_size=3, max_size=3),
)
def test_passive_scenes_never_gain_energy(things, floor, joined):
    world = build(things, floor, joined)
    sim = am.Simulation(world, step=H, solver=SOLVER)
    start = kinetic_and_potential(sim)
    for _ in range(STEPS):
        sim.step()
        assert np.isfinite(sim.bodies.twist).all()
    deepest = sim.readings.penetration.max()
    gained = sim.readings.energy.max() - start
    assert gained <= allowance(sim, deepest), (gained, allowance(sim, deepest))
    # what contacts and joints took is only ever more
    assert sim.dissipated >= -10.0 * TOLERANCE * STEPS * max(start, 1.0)


def kinetic_and_potential(sim):
    """Energy before the first step [J]."""
    b = sim.bodies
    state = b.position, b.orientation, b.twist, b.mass, b.inertia, sim.world.gravity
    kinetic, potential, _, _ = energy_and_momenta(*state)
    return kinetic + potential


@pytest.mark.slow
def test_a_shaken_heap_comes_to_rest_and_stays():
    """With friction of every kind all energy goes, and none of it comes back."""
    rng = np.random.default_rng(5)
    world = am.World()
    material = am.Material(friction=0.4, restitution=0.5, rolling_friction=5e-3)
    world.add_body(am.Plane(), fixed=True, material=material)
    for side in (1.0, -1.0):
        for axis in (0, 1):
            normal = side * np.eye(3)[axis]
            world.add_body(am.Plane(normal), fixed=True, position=-0.35 * normal, material=material)
    place = [(0.22 * (i % 3) - 0.22, 0.22 * (i // 3 % 3) - 0.22, 0.15 + 0.25 * (i // 9))
             for i in range(18)]  # fmt: skip
    world.add_bodies(
        am.Sphere(0.1), position=place, mass=1.0, material=material,
        velocity=rng.uniform(-2.0, 2.0, (18, 3)),
    )  # fmt: skip
    sim = am.Simulation(world, step=H)
    sim.run(1.6)
    energy = sim.readings.energy
    # at rest, but for a ten-thousandth of what contacts took
    assert sim.readings.kinetic_energy[-20:].max() < 1e-4 * sim.dissipated
    assert energy.max() < energy[0] + H * G * 18 * math.sqrt(2.0 * energy[0] / 18)
    assert np.ptp(energy[-20:]) < 1e-2
