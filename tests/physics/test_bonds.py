"""Beams of bonded bodies: how far they bend, under which load they break, and where energy goes."""

from __future__ import annotations

import numpy as np
import pytest

import amontons as am
from amontons.dynamics.bonds.model import SHEAR_SHARE
from amontons.dynamics.energy_ledger import CAUSES
from helpers.bonded_bars import bar_on_edge

E, G, D, R = 2e9, 8e8, 0.1, 0.02
A, I = np.pi * R**2, np.pi * R**4 / 4  # noqa: E741


def beam(count=11, bond=None, direction=(1.0, 0.0, 0.0), **properties):
    """Spheres in a row, the first of them clamped, and bonds between neighbours."""
    world = am.World(gravity=(0, 0, 0))
    place = np.arange(count)[:, None] * D * np.asarray(direction)
    fixed = np.arange(count) == 0
    ids = world.add_bodies(
        am.Sphere(D / 2), position=place, fixed=fixed, density=2000.0, **properties
    )
    bond = bond or am.BeamBond(young=E, shear=G, radius=R)
    world.add_bonds(np.stack([ids[:-1], ids[1:]], axis=1), bond)
    return world, ids


def settled(world, duration=3.0, step=0.1):
    """The simulation at rest: a step as long as that takes every swing out."""
    sim = am.Simulation(world, step=step)
    sim.run(duration)
    assert np.abs(sim.bodies.twist).max() < 1e-6
    return sim


# -- elasticity -----------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("axis", [(1.0, 0.0, 0.0), (0.6, 0.8, 0.0), (-1.0, 0.0, 0.0)])
def test_a_cantilever_bends_by_fl3_by_3ei(axis):
    """Within 1 % of FL³/3EI, and 0.1 % with what shear adds, FL/κGA; M falls to zero along it."""
    world, ids = beam(direction=axis)
    world.add_force(am.AppliedForce(int(ids[-1]), force=(0, 0, -10.0)))
    sim = settled(world)
    down, L = -sim.bodies.position[-1, 2], 10 * D
    assert down == pytest.approx(10.0 * L**3 / (3 * E * I), rel=0.01)
    slender = 10.0 * L**3 / (3 * E * I) + 10.0 * L / (SHEAR_SHARE * G * A)
    assert down == pytest.approx(slender, rel=1e-3)
    np.testing.assert_allclose(sim.bonds.bending, 10.0 * (L - D * np.arange(10)), rtol=2e-3)
    np.testing.assert_allclose(sim.bonds.shear, 10.0, rtol=1e-3)
    assert np.abs(sim.bonds.axial).max() < 0.2  # 10 N times the slope
    stress = sim.bonds.tensile_stress[0]
    assert stress == pytest.approx(10.0 * L * R / I, rel=1e-3)


def test_a_rod_stretches_by_fl_by_ea_and_twists_by_tl_by_gj():
    world, ids = beam(6)
    world.add_force(am.AppliedForce(int(ids[-1]), force=(500.0, 0, 0)))
    world.add_force(am.AppliedTorque(int(ids[-1]), (3.0, 0.0, 0.0)))
    sim = settled(world)
    assert sim.bodies.position[-1, 0] - 5 * D == pytest.approx(500.0 * 5 * D / (E * A), rel=1e-3)
    w, x, _, _ = sim.bodies.orientation[-1]
    assert 2 * np.arctan2(x, w) == pytest.approx(3.0 * 5 * D / (G * 2 * I), rel=1e-3)
    np.testing.assert_allclose(sim.bonds.axial, 500.0, rtol=1e-4)
    np.testing.assert_allclose(sim.bonds.torsion, 3.0, rtol=1e-4)


@pytest.mark.slow
def test_a_pair_swings_at_the_frequency_of_its_beam():
    """Along it at √(k(1/m + 1/m)), where steps are short enough to see it."""
    world = am.World(gravity=(0, 0, 0))
    pair = world.add_bodies(
        am.Sphere(D / 2), position=[(0, 0, 0), (D, 0, 0)], mass=1.0,
        velocity=[(-0.01, 0, 0), (0.01, 0, 0)],
    )  # fmt: skip
    world.add_bonds([pair], am.BeamBond(young=1e6, shear=4e5, radius=R))
    k = 1e6 * A / D
    period = 2 * np.pi / np.sqrt(2 * k)
    sim = am.Simulation(world, step=period / 400)
    apart = []
    sim.run(2 * period, on_step=lambda _: apart.append(np.ptp(sim.bodies.position[:, 0])))
    stretch = np.array(apart) - D
    crossings = np.flatnonzero((stretch[:-1] < 0) != (stretch[1:] < 0))
    assert crossings.size == 3
    assert np.diff(crossings).mean() * sim.step_length == pytest.approx(period / 2, rel=0.01)


@pytest.mark.slow
def test_stiffness_does_not_restrict_the_step():
    """hω is 1000; ten turns of a rod that flies free leave its length, and L to rounding."""
    world = am.World(gravity=(0, 0, 0))
    spin = np.array([0.0, 0.0, 20.0])
    place = D * np.array([(-1.0, 0, 0), (0, 0, 0), (1.0, 0, 0)])
    ids = world.add_bodies(
        am.Sphere(D / 2), position=place, mass=1.0, angular_velocity=spin,
        velocity=np.cross(spin, place),
    )  # fmt: skip
    world.add_bonds(
        np.stack([ids[:-1], ids[1:]], axis=1), am.BeamBond(young=1e13, shear=4e12, radius=R)
    )
    sim = am.Simulation(world, step=2e-3)
    sim.run(np.pi)
    readings = sim.readings
    ends = np.linalg.norm(world.bodies.position[2] - world.bodies.position[0])
    assert ends == pytest.approx(2 * D, rel=1e-5)
    about = np.array([report.angular_momentum for report in readings.reports])
    np.testing.assert_allclose(about, about[0] * np.ones((len(about), 1)), atol=1e-9)
    assert readings.kinetic_energy[-1] == pytest.approx(readings.kinetic_energy[0], rel=0.01)
    # what holds an end on its circle: m ω² L
    np.testing.assert_allclose(sim.bonds.axial, 400.0 * D, rtol=0.02)


# -- breaking -------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(("share", "breaks"), [(0.99, False), (1.01, True)])
def test_a_cantilever_breaks_at_its_root_under_the_load_of_the_formula(share, breaks):
    """σ = F_x/A + F_z L r/I: pulled along and pressed down, it breaks at the clamp alone."""
    strength, L, along = 2e6, 5 * D, 300.0
    load = share * (strength - along / A) * I / (R * L)
    # so stiff that the pull along it does not matter to the moment
    bond = am.BeamBond(young=1e3 * E, shear=1e3 * G, radius=R, tensile=strength)
    world, ids = beam(6, bond)
    # loads that grow slowly, so that nothing swings
    ramp = lambda t: min(t / 2.0, 1.0)  # noqa: E731
    world.add_force(
        am.AppliedForce(int(ids[-1]), force=lambda t: (along * ramp(t), 0, -load * ramp(t)))
    )
    sim = am.Simulation(world, step=0.05)
    sim.run(4.0, on_step=lambda _: sim.bonds.broken.any())
    assert sim.bonds.broken.any() == breaks
    if not breaks:
        assert sim.bonds.tensile_stress.max() == pytest.approx(share * strength, rel=0.01)
        return
    assert np.flatnonzero(sim.bonds.broken).tolist() == [0]
    assert sim.bonds.broken_by[0] == "tension"
    assert strength < sim.bonds.broken_under[0] < 1.03 * strength
    assert sim.bonds.broken_at[0] == sim.time
    (note,) = sim.readings.notes
    assert note.expected
    assert "bond 0 between body 0 and body 1" in note.message


def test_torsion_breaks_by_shear():
    """τ = V/A + T r/J."""
    bond = am.BeamBond(young=E, shear=G, radius=R, shear_strength=1e6)
    torque = 1e6 * 2 * I / R
    for share, breaks in ((0.99, False), (1.01, True)):
        world, ids = beam(2, bond)
        world.add_force(am.AppliedTorque(int(ids[-1]), (share * torque, 0.0, 0.0)))
        sim = am.Simulation(world, step=0.1)
        sim.run(1.0)
        assert sim.bonds.broken_by.tolist() == (["shear"] if breaks else [""])


def test_bonded_bodies_collide_once_the_bond_is_broken():
    world = am.World(gravity=(0, 0, 0))
    pair = world.add_bodies(am.Sphere(D / 2), position=[(0, 0, 0), (0.9 * D, 0, 0)], mass=1.0)
    world.add_bonds([pair], am.BeamBond(young=1e7, shear=4e6, radius=R, tensile=1e3))
    sim = am.Simulation(world, step=1e-3)
    assert sim.step().contacts == 0
    world.add_force(am.AppliedForce(int(pair[1]), lambda t: (10.0 if t < 0.002 else -1.0, 0, 0)))
    sim.run(0.01)
    assert sim.bonds.broken.all()
    assert len(sim.contacts) == 1
    # the overlap that the bond left is allowed to stay: nothing was shot apart
    assert np.ptp(sim.bodies.position[:, 0]) == pytest.approx(0.9 * D, rel=0.01)


def test_what_breaks_lets_sleepers_fall():
    world, ids = beam(2, am.BeamBond(young=E, shear=G, radius=R))
    world.gravity = (0, 0, -9.81)
    sim = am.Simulation(world, step=0.02, sleeping=am.Sleeping(speed=1e-3, time=0.1))
    sim.run(3.0)
    assert sim.bodies.asleep[1]
    load = sim.bonds.shear.copy()
    assert load[0] == pytest.approx(9.81 * sim.bodies.mass[1], rel=1e-3)
    world.remove_bonds(0)
    sim.run(0.1)
    assert not sim.bodies.asleep[1]
    assert sim.bodies.velocity[1, 2] < -0.5
    assert len(sim.bonds) == 0
    assert ids.size == 2


# -- energy ---------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("damping", [0.0, 2e-4])
def test_every_joule_has_a_cause(damping):
    """A bonded bar falls on an edge and breaks: the sum of all causes is the energy."""
    world = am.World()
    world.add_body(am.Plane(), fixed=True)
    world.add_body(am.Box((0.02, 1.0, 0.2)), fixed=True, position=(0.3, 0, 0.1))
    lift = am.Motion(velocity=(0.0, 0.0, 0.1))
    held = world.add_body(am.Sphere(D / 2), position=(-D, 0, 0.8), motion=lift)
    bar = world.add_bodies(
        am.Sphere(D / 2), position=[(i * D, 0, 0.8) for i in range(8)], density=2000.0
    )
    bond = am.BeamBond(young=1e7, shear=4e6, radius=R, tensile=6e5, damping=damping)
    world.add_bonds(np.stack([bar[:-1], bar[1:]], axis=1), bond)
    world.add_bonds([(held, int(bar[0]))], am.BeamBond(young=1e7, shear=4e6, radius=R, tensile=2e5))
    sim = am.Simulation(world, step=2e-3)
    sim.run(1.0)
    assert 0 < np.count_nonzero(sim.bonds.broken) < 8
    work = sim.readings.work
    flows = [*work.values(), sim.readings.potential_energy]
    turnover = sum(np.abs(np.diff(values, prepend=0.0)).sum() for values in flows)
    assert np.abs(sim.readings.energy - sum(work.values())).max() <= 1e-12 * turnover
    assert work["damping"][-1] < 0.0  # dashpots, and what beams held that broke
    assert work["drives"][-1] > 0.0
    assert set(work) == set(CAUSES)


def test_what_a_bond_held_that_broke_is_lost_to_damping():
    """½F²/k, with the load F under which it broke."""
    world = am.World(gravity=(0, 0, 0))
    wall = world.add_body(am.Sphere(D / 2), fixed=True)
    ball = world.add_body(am.Sphere(D / 2), mass=1.0, position=(D, 0, 0))
    world.add_bonds([(wall, ball)], am.BeamBond(young=1e6, shear=4e5, radius=R, tensile=1e4))
    world.add_force(am.AppliedForce(ball, lambda t: (20.0 * t, 0, 0)))
    sim = am.Simulation(world, step=1e-2)
    sim.run(2.0, on_step=lambda _: sim.bonds.broken.any())
    k, force = 1e6 * A / D, sim.bonds.broken_under[0] * A
    assert force == pytest.approx(1e4 * A, rel=0.02)
    assert sim.work.damping == pytest.approx(-0.5 * force**2 / k, rel=1e-3)


# -- bits -----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_checkpoints_go_on_bit_for_bit(tmp_path):
    whole = bar_on_edge()
    whole.run(0.15)
    whole.save(tmp_path / "early.npz")
    whole.run(0.15)
    broken = whole.bonds.broken.copy()
    assert broken.any()
    whole.save(tmp_path / "late.npz")
    whole.run(0.1)
    for name, rest in (("early.npz", 0.25), ("late.npz", 0.1)):
        again = bar_on_edge()
        again.restore(tmp_path / name)
        if name == "late.npz":
            np.testing.assert_array_equal(again.bonds.broken, broken)
        again.run(rest)
        assert again.state.hash() == whole.state.hash()
    other = bar_on_edge()
    other.world.remove_bonds([3])
    with pytest.raises(am.InputError, match="its bonds are others"):
        other.restore(tmp_path / "early.npz")


def test_states_and_copies_have_their_own_bonds():
    sim = bar_on_edge()
    saved = sim.state.copy()
    sim.run(0.2)
    first = sim.state.hash()
    sim.state = saved
    sim.run(0.2)
    assert sim.state.hash() == first
    world = sim.world.copy()
    world.remove_bodies([int(world.bodies.id[-1])])
    assert len(world.bonds) == 6
    assert len(sim.world.bonds) == 7
    part = sim.state.take(sim.bodies.id < 6, sim.model.joints)
    assert part.bonds.id.tolist() == [0, 1, 2]
