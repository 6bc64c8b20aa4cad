"""Joints that break: by which load, and at which impulse."""

from __future__ import annotations

import math

import numpy as np
import pytest

import amontons as am
from amontons.dynamics.joints.breaking import MODES

G = 9.81
LENGTH, MASS = 0.8, 3.0
STRENGTHS = {
    "tension": 40.0, "compression": 90.0, "shear": 25.0, "bending": 12.0, "torsion": 5.0,
}  # fmt: skip
STILL = (0.0, 0.0, 0.0)


# -- a beam that is bonded to a wall --------------------------------------------------------------


def beam(strength, *, gravity=STILL, **bond):
    """A beam along x, bonded to the world at its left end, which is the origin."""
    world = am.World(gravity=gravity)
    body = world.add_body(
        am.Box((LENGTH, 0.1, 0.1)), mass=MASS, position=(LENGTH / 2, 0.0, 0.0), name="beam"
    )
    world.add_joint(am.Fixed(None, body, point=STILL, name="root", strength=strength, **bond))
    return am.Simulation(world, step=1e-3), body


def load(body, way, size):
    """Load the beam in one way only: forces act at the root, where they do not bend it."""
    arm = LENGTH / 2
    if way in ("tension", "compression"):
        body.force = (size if way == "tension" else -size, 0.0, 0.0)
    elif way == "shear":
        body.force, body.torque = (0.0, 0.0, size), (0.0, size * arm, 0.0)
    elif way == "bending":
        body.torque = (0.0, 0.6 * size, 0.8 * size)
    else:
        body.torque = (-size, 0.0, 0.0)


@pytest.mark.slow
@pytest.mark.parametrize("way", STRENGTHS)
@pytest.mark.parametrize("together", [False, True], ids=["alone", "with the others"])
def test_a_beam_breaks_in_the_way_that_it_is_loaded(way, together):
    """At 0.999 of its strength it holds, at 1.001 it breaks, and says how."""
    limits = STRENGTHS if together else {way: STRENGTHS[way]}
    for part in (0.999, 1.001):
        sim, body = beam(am.Strength(**limits))
        size = part * STRENGTHS[way]
        load(body, way, size)
        sim.run(0.02)
        assert sim.joints.broken.tolist() == [part > 1.0]
        if part < 1.0:
            expected = dict.fromkeys(MODES, 0.0) | {way: size}
            expected["torque" if way in ("bending", "torsion") else "force"] = size
            loads = dict(zip(MODES, sim.joints.loads[0].tolist(), strict=True))
            assert loads == pytest.approx(expected, abs=1e-6 * size)
            assert sim.joints.broken_by.tolist() == [""]
            assert sim.readings.notes == []
        else:
            assert sim.joints.broken_by.tolist() == [way]
            assert sim.joints.broken_at[0] == pytest.approx(size, rel=1e-6)
            unit = "N m" if way in ("bending", "torsion") else "N"
            note, *rest = sim.readings.notes
            assert f"joint 'root' broke in {way} at {size:.4g} {unit}, a Fixed" in str(note)
            assert note.value == pytest.approx(size, rel=1e-6)
            assert not rest
            assert np.abs(sim.bodies.twist).max() > 1e-3  # nothing holds it any more


@pytest.mark.parametrize(
    ("bending", "shear", "way"), [(0.9, 2.0, "bending"), (2.0, 0.9, "shear"), (0.9, 0.5, "shear")]
)
def test_a_cantilever_breaks_under_its_own_weight(bending, shear, way):
    """Its root carries mg across and mgL/2 about: what is exceeded by the larger ratio counts."""
    weight = MASS * G
    strength = am.Strength(bending=bending * weight * LENGTH / 2, shear=shear * weight)
    sim, _ = beam(strength, gravity=(0.0, 0.0, -G))
    sim.step()
    assert sim.joints.broken_by.tolist() == [way]
    right = weight if way == "shear" else weight * LENGTH / 2
    assert sim.joints.broken_at[0] == pytest.approx(right, rel=1e-6)


def test_whole_forces_and_torques_break_as_before():
    for name, field in (("force", "break_force"), ("torque", "break_torque")):
        sim, body = beam(None, **{field: 10.0})
        if name == "force":
            body.force = (6.0, 0.0, 8.1)  # 10.08 N
        else:
            body.torque = (6.0, 0.0, 8.1)
        (note,) = sim.step().notes
        unit = "N m" if name == "torque" else "N"
        assert f"joint 'root' broke under a {name} of 10.08 {unit}, " in str(note)


def test_a_joint_without_a_name_is_called_by_its_number():
    world = am.World()
    ball = world.add_body(am.Sphere(0.1), mass=1.0)
    world.add_joint(am.Spherical(None, ball, point=(0, 0, 0.1), break_force=9.0))
    (note,) = am.Simulation(world, step=1e-3).step().notes
    assert "joint 0 broke under a force of 9.81 N, a Spherical between the world and" in str(note)


# -- axes -----------------------------------------------------------------------------------------


def pulled_apart(direction, *, turn=(1.0, 0.0, 0.0, 0.0), axis=None):
    """Loads of a bond between two balls, of which B is pulled along a direction with 7 N."""
    world = am.World(gravity=STILL)
    a = world.add_body(am.Sphere(0.1), fixed=True, position=(1.0, 2.0, 3.0))
    b = world.add_body(
        am.Sphere(0.1), mass=1.0, position=(1.0, 2.16, 3.12), orientation=turn
    )  # fmt: skip
    strength = am.Strength(tension=1e9, axis=axis)
    point = (1.0, 2.16, 3.12)  # no lever
    world.add_joint(am.Fixed(a, b, point=point, strength=strength))
    sim = am.Simulation(world, step=1e-3)
    b.force = 7.0 * np.array(direction)
    sim.step()
    return dict(zip(MODES, sim.joints.loads[0].tolist(), strict=True))


def test_the_axis_is_the_line_of_centres_or_the_one_given():
    line, across = (0.0, 0.8, 0.6), (0.0, -0.6, 0.8)
    for turn in ((1.0, 0.0, 0.0, 0.0), (0.1, -0.7, 0.5, 0.5)):
        assert pulled_apart(line, turn=turn)["tension"] == pytest.approx(7.0, rel=1e-6)
        assert pulled_apart(across, turn=turn)["shear"] == pytest.approx(7.0, rel=1e-6)
        assert pulled_apart(across, turn=turn)["tension"] == pytest.approx(0.0, abs=1e-5)
        other = pulled_apart(line, turn=turn, axis=(0.0, 0.0, 2.0))
        assert other["tension"] == pytest.approx(7.0 * 0.6, rel=1e-6)
        assert other["shear"] == pytest.approx(7.0 * 0.8, rel=1e-6)


def test_a_joint_with_an_axis_is_judged_by_it():
    world = am.World()
    door = world.add_body(am.Box((0.9, 0.04, 2.0)), mass=30.0, position=(0.45, 0.0, 1.0))
    hinge = am.Revolute(None, door, point=(0, 0, 1.0), axis=(0, 0, 1), strength=am.Strength())
    world.add_joint(hinge)
    sim = am.Simulation(world, step=1e-3)
    sim.step()
    loads = dict(zip(MODES, sim.joints.loads[0].tolist(), strict=True))
    assert loads["compression"] == pytest.approx(30.0 * G, rel=1e-6)  # it is held up, along z
    assert loads["shear"] == pytest.approx(0.0, abs=1e-4)
    assert loads["bending"] == pytest.approx(30.0 * G * 0.45, rel=1e-6)
    assert loads["torsion"] == pytest.approx(0.0, abs=1e-4)


@pytest.mark.slow
def test_a_rope_is_judged_along_its_line_wherever_it_swings():
    """Let go at the level of its end, a pendulum's rope carries three times the weight below."""
    world = am.World()
    bob = world.add_body(am.Sphere(0.01), mass=2.0, position=(1.0, 0.0, 0.0))
    strength = am.Strength(tension=1e9)
    world.add_joint(am.Rope(None, bob, point_a=STILL, point_b=(1.0, 0.0, 0.0), strength=strength))
    sim = am.Simulation(world, step=1e-3)
    seen = []
    sim.run(1.0, on_step=lambda report: seen.append(sim.joints.loads[0].copy()))
    tension, shear = np.array(seen)[:, [MODES.index("tension"), MODES.index("shear")]].T
    assert tension.max() == pytest.approx(3.0 * 2.0 * G, rel=5e-3)
    assert shear.max() < 1e-6 * tension.max()


@pytest.mark.slow
def test_a_spinning_bond_is_in_tension_all_the_while():
    """Averages are those that B sees: turning as a whole, a bond's load does not average out."""
    world = am.World(gravity=STILL)
    spin, mass, half, time = 20.0, 1.5, 0.2, 0.3
    a, b = (
        world.add_body(
            am.Sphere(0.1), mass=mass, position=(side * half, 0, 0),
            velocity=(0, side * half * spin, 0), angular_velocity=(0, 0, spin),
        )
        for side in (-1.0, 1.0)
    )  # fmt: skip
    bond = am.Fixed(a, b, point=STILL, strength=am.Strength(tension=1e9), break_time=time)
    world.add_joint(bond)
    sim = am.Simulation(world, step=1e-3)
    sim.run(5.0 * time)  # 15 rad per time
    loads = dict(zip(MODES, sim.joints.loads[0].tolist(), strict=True))
    right = mass * half * spin**2 * (1.0 - math.exp(-5.0))
    assert loads["tension"] == pytest.approx(right, rel=0.01)
    assert loads["shear"] < 0.01 * right


# -- impulses -------------------------------------------------------------------------------------


def struck(h, speed, **bond):
    """A beam at the wall that has a velocity of its own: its bond stops it within one step."""
    sim, body = beam(am.Strength(tension=bond.pop("tension")), **bond)
    body.velocity = (speed, 0.0, 0.0)
    sim.step_length = h
    sim.run(2.0 * h + 1.1 * bond.get("break_time", 0.0))
    return sim


@pytest.mark.parametrize("part", [10, 100, pytest.param(1000, marks=pytest.mark.slow)])
def test_an_impulse_breaks_a_bond_by_its_size_over_the_time_and_not_the_step(part):
    """P/τ against the strength, whatever the step: h = τ/10 … τ/1000."""
    time, speed = 0.02, 0.5
    impulse = MASS * speed
    h = time / part
    for ratio in (0.94, 1.01):  # a tenth of τ is a step that is not that short: 1 − h/2τ = 0.95
        sim = struck(h, speed, tension=ratio * impulse / time, break_time=time)
        assert sim.joints.broken.tolist() == [ratio < 1.0]
    first = struck(h, speed, tension=1e-3 * impulse / time, break_time=time)
    jump = impulse / h * -math.expm1(-h / time)
    assert first.joints.broken_at[0] == pytest.approx(jump, rel=1e-6)
    note, *rest = first.readings.notes
    assert note.time == pytest.approx(h + time, abs=0.51 * h)  # it holds for that long
    assert f"joint 'root' broke in tension at {jump:.4g} N on average over 20 ms," in str(note)
    assert not rest
    at_once = struck(h, speed, tension=1.0)
    assert at_once.joints.broken_at[0] == pytest.approx(impulse / h, rel=1e-6)


@pytest.mark.slow
def test_a_steady_load_breaks_once_its_average_has_come_up():
    """F(1 − exp(−t/τ)) reaches the strength S at −τ ln(1 − S/F), and τ later the bond lets go."""
    time, force, tension = 0.05, 30.0, 20.0
    right = -time * math.log(1.0 - tension / force) + time
    for h in (1e-3, 2.5e-4):
        sim, body = beam(am.Strength(tension=tension), break_time=time)
        sim.step_length = h
        body.force = (force, 0.0, 0.0)
        sim.run(0.2, on_step=lambda report, sim=sim: bool(sim.joints.broken[0]))
        assert right - 0.51 * h < sim.time <= right + 1.51 * h


def test_averages_go_on_from_a_checkpoint_bit_for_bit(tmp_path):
    def loaded():
        sim, body = beam(am.Strength(tension=20.0), break_time=0.05)
        body.force = (30.0, 0.0, 0.0)
        return sim

    sim, resumed = loaded(), loaded()
    for part in (0.03, 0.05):  # before it is too much, and before it lets go
        sim.run(part)
        sim.save(tmp_path / "half.npz")
        resumed.restore(tmp_path / "half.npz")
        assert resumed.joints.loads.tobytes() == sim.joints.loads.tobytes()
        assert not resumed.joints.broken.any()
    for each in (sim, resumed):
        each.run(0.05)
    assert sim.joints.broken.all()
    assert sim.bodies.twist.tobytes() == resumed.bodies.twist.tobytes()
    assert sim.joints.broken_at.tobytes() == resumed.joints.broken_at.tobytes()


WIDTH = 0.1


def lattice(h, *, shape, gap, strength, **bond):
    """6 × 6 × 4 bodies, each bonded to its neighbours, and a ball that comes down on them.

    Bonds are rigid and in closed loops; their strengths scatter by half.
    """
    world = am.World(gravity=STILL)
    rng = np.random.default_rng(1)
    place = np.stack(np.meshgrid(*map(np.arange, (6, 6, 4)), indexing="ij"), axis=-1).reshape(-1, 3)
    ids = world.add_bodies(shape, mass=1.0, position=WIDTH * place)
    number = {tuple(at): id for at, id in zip(place.tolist(), ids.tolist(), strict=True)}
    for at, a in number.items():
        for step in np.eye(3, dtype=int).tolist():
            b = number.get(tuple(np.add(at, step).tolist()))
            if b is not None:
                size = strength * math.exp(0.5 * rng.standard_normal())
                limits = am.Strength(tension=size, shear=size, bending=0.5 * WIDTH * size)
                point = WIDTH * (np.array(at) + 0.5 * np.array(step))
                world.add_joint(am.Fixed(a, b, point=point, strength=limits, **bond))
    top = 3.5 * WIDTH + WIDTH if isinstance(shape, am.Box) else 3.0 * WIDTH + 1.5 * WIDTH
    aim = (2.13 * WIDTH, 2.21 * WIDTH) if isinstance(shape, am.Box) else (2 * WIDTH, 2 * WIDTH)
    world.add_body(am.Sphere(WIDTH), mass=10.0, position=(*aim, top + gap), velocity=(0, 0, -20.0))
    return am.Simulation(world, step=h)


@pytest.mark.slow
@pytest.mark.parametrize(
    "shape", [am.Sphere(WIDTH / 2), am.Box.cube(WIDTH)], ids=["balls", "cubes"]
)
def test_as_many_bonds_of_a_lattice_break_whatever_the_step_and_when_it_is_hit(shape):
    """Within a few per cent. The force of a step is P/h: without a break time, more break."""

    def broken(h, gap, **bond):
        sim = lattice(h, shape=shape, gap=gap, **bond)
        sim.run(0.028 if "break_time" in bond else 0.004)
        if "break_time" in bond:
            assert sim.readings.converged.all()
        return int(np.count_nonzero(sim.joints.broken))

    time, steps, gaps = 0.02, (1e-3, 5e-4, 2.5e-4), (0.0, 0.007)
    counts = [broken(h, gap, strength=100.0, break_time=time) for h in steps for gap in gaps]
    at_once = [broken(h, 0.0, strength=2000.0) for h in steps]
    assert 60 < np.mean(counts) < 250
    assert np.ptp(counts) <= 0.06 * np.mean(counts)
    assert at_once[2] > 1.5 * at_once[0]  # of 348 there are not many left


# -- refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: am.Strength(tension=-1.0), "tension is -1"),
        (lambda: am.Strength(shear=math.nan), "shear is nan"),
        (lambda: am.Strength(axis=(0, 0, 0)), "axis is .* must not be zero"),
        (lambda: am.Fixed(0, 1, point=STILL, strength=5.0), "must be an amontons.Strength"),
        (lambda: am.Fixed(0, 1, point=STILL, break_time=-1.0), "break_time is -1"),
        (lambda: am.Fixed(0, 1, point=STILL, break_time=math.inf), "break_time is inf"),
    ],
)
def test_bad_strengths_are_refused(make, words):
    with pytest.raises(am.InputError, match=words):
        make()


def test_a_strength_without_an_axis_is_refused():
    world = am.World()
    a, b = (world.add_body(am.Sphere(0.1), mass=1.0, position=(0.1, 0.2, 0.3)) for _ in range(2))
    world.add_joint(am.Fixed(a, b, point=STILL, name="odd", strength=am.Strength(shear=1.0)))
    with pytest.raises(
        am.InputError, match=r"Fixed 'odd' has a strength, but no axis .*axis=\.\.\."
    ):
        am.Simulation(world, step=1e-3)
