"""Runs that are saved and resumed, and runs on other numbers of threads: the same bits."""

from __future__ import annotations

import errno
import math
import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import amontons as am
from amontons.scenes import packed_bed
from amontons.simulation.checkpoints.checks import checksum

BALL = am.Sphere(0.1)


def scene(*, friction=0.5, joints=True):
    """A little of everything: contacts, cohesion, joints, a motor, loads, a kinematic body."""
    sticky = am.Material(friction=friction, cohesion=0.5, rolling_friction=1e-3)
    world = am.World()
    world.add_body(am.Plane(), fixed=True, material=sticky)
    place = [(0.11 * i, 0.02 * (i % 2), 0.1 + 0.12 * (i % 3)) for i in range(5)]
    balls = world.add_bodies(BALL, position=place, mass=1.0, material=sticky)
    world.add_body(
        am.Box((2.0, 2.0, 0.1)), position=(3.0, 0.0, 0.2), material=sticky,
        motion=am.Motion(position=lambda t: (3.0, 0.0, 0.2 + 0.01 * math.sin(9.0 * t))),
    )  # fmt: skip
    world.add_body(am.Box.cube(0.2), mass=1.0, position=(3.0, 0.0, 0.35), material=sticky)
    world.add_body(am.Box.cube(0.2), mass=1.0, position=(-2.0, 0.0, 0.1))  # will sleep
    if joints:
        motor = am.SpeedMotor(speed=lambda t: 3.0 + t, limit=2.0)
        bar = world.add_body(am.Box((0.5, 0.1, 0.1)), mass=1.0, position=(0.0, 2.0, 1.0))
        world.add_joint(am.Revolute(None, bar, point=(0, 2, 1), axis=(1, 1, 0), motor=motor))
        tip = world.add_body(BALL, mass=0.5, position=(0.5, 2.0, 1.0))
        world.add_joint(am.Spherical(bar, tip, point=(0.3, 2.0, 1.0), break_force=60.0))
        world.add_force(am.AppliedForce(tip, lambda t: (math.sin(t), 0, 0), point=(0.5, 2.05, 1)))
        world.add_force(am.Drag(balls, linear=0.01))
    return world


def simulation(world=None, **options):
    usual = {"step": 5e-3, "sleeping": am.Sleeping(speed=1e-2, time=0.1)}
    return am.Simulation(world or scene(), **(usual | options))


def bits(sim):
    columns = sim.bodies.columns
    held = {name: columns[name].tobytes() for name in columns.names}
    held["joints"] = b"".join(value.tobytes() for value in sim.joints.saved().values())
    held["angles"] = sim.joints.angle.tobytes()
    held["state"] = sim.state.hash()
    return held


def differing(one, two):
    mine, theirs = bits(one), bits(two)
    return [name for name in mine if mine[name] != theirs[name]]


# -- saved and resumed ----------------------------------------------------------------------------


@pytest.mark.slow
@settings(max_examples=6, deadline=None)
@given(before=st.integers(0, 60), after=st.integers(1, 15))
def test_a_resumed_run_has_the_same_bits(tmp_path_factory, before, after):
    path = tmp_path_factory.mktemp("run") / "state.npz"
    sim = simulation()
    for _ in range(before):
        sim.step()
    sim.save(path)
    resumed = simulation()
    resumed.restore(path)
    assert differing(sim, resumed) == []
    for _ in range(after):
        sim.step()
        resumed.step()
    assert differing(sim, resumed) == []


def test_the_scene_is_as_varied_as_it_claims():
    sim = simulation()
    sim.run(0.3)
    assert sim.bodies.asleep[8]
    assert sim.readings.contacts.max() > 8
    assert sim.readings.converged.mean() > 0.9
    assert sim.joints.motor_effort[0] != 0.0


def test_a_run_may_be_taken_back_to_an_earlier_state(tmp_path):
    sim = simulation()
    sim.run(0.05)
    sim.save(tmp_path / "early.npz")
    early = bits(sim)
    sim.run(0.05)
    late = bits(sim)
    sim.restore(tmp_path / "early.npz")
    assert bits(sim) == early
    assert len(sim.contacts) == 0  # those of the later step are gone
    sim.run(0.05)
    assert bits(sim) == late


def test_bodies_that_went_are_gone_after_restoring_and_those_that_came_are_back(tmp_path):
    sim = simulation()
    sim.run(0.05)
    sim.world.remove_bodies(2)
    sim.world.add_body(
        BALL, mass=2.0, position=(0.3, 0.3, 0.5), material=sim.world.materials.list[0]
    )
    sim.save(tmp_path / "changed.npz")  # before the step that takes the change in
    resumed = simulation()
    resumed.restore(tmp_path / "changed.npz")
    assert 2 not in resumed.bodies.id
    for each in (sim, resumed):
        each.run(0.05)
    assert differing(sim, resumed) == []


@pytest.mark.slow
def test_changes_between_saving_and_the_next_step_act_alike(tmp_path):
    """A sleeper is pushed, gravity changes, a body comes: saved or not, the rest is the same."""
    for change in ("force", "gravity", "newcomer"):
        sim = simulation()
        sim.run(0.25)
        if change == "force":
            sim.bodies.force[8] = (30.0, 0.0, 0.0)
        elif change == "gravity":
            sim.world.gravity = (6.0, 0.0, -9.81)
        sim.save(tmp_path / "state.npz")
        resumed = simulation()
        resumed.restore(tmp_path / "state.npz")
        for each in (sim, resumed):
            if change == "newcomer":
                each.world.add_body(BALL, mass=1.0, position=(0.0, 0.0, 3.0))
            each.run(0.05)
        assert differing(sim, resumed) == [], change


def test_gravity_that_changed_in_the_run_comes_back(tmp_path):
    sim = simulation()
    sim.run(0.05)
    sim.world.gravity = (0.0, 0.5, -4.0)
    sim.run(0.05)
    sim.save(tmp_path / "state.npz")
    resumed = simulation()
    resumed.restore(tmp_path / "state.npz")
    for each in (sim, resumed):
        each.run(0.1)
    assert differing(sim, resumed) == []


def test_a_broken_joint_stays_broken(tmp_path):
    sim = simulation()
    sim.bodies.force[sim.world.next_id - 1] = (0.0, 0.0, -1000.0)
    sim.run(0.05)
    assert sim.joints.broken.tolist() == [False, True]
    assert any("joint 1 broke" in str(note) for note in sim.readings.notes)
    sim.save(tmp_path / "state.npz")
    resumed = simulation()
    resumed.restore(tmp_path / "state.npz")
    assert resumed.joints.broken.tolist() == [False, True]


# -- files that do not fit ------------------------------------------------------------------------


@pytest.fixture
def saved(tmp_path):
    sim = simulation()
    sim.run(0.02)
    sim.save(tmp_path / "state.npz")
    return sim, tmp_path / "state.npz"


def refuses(path, sim, error, match):
    """Restoring fails, and nothing has changed."""
    before = bits(sim)
    joints, forces = list(sim.world.joints), list(sim.world.forces)
    with pytest.raises(error, match=match):
        sim.restore(path)
    assert bits(sim) == before
    assert (sim.world.joints, sim.world.forces) == (joints, forces)
    sim.step()


def test_files_that_are_no_checkpoints(saved, tmp_path):
    sim, path = saved
    data = path.read_bytes()
    foreign = {
        "truncated": data[: len(data) // 2],
        "hardly begun": data[:10],
        "empty": b"",
        "text": b"not a checkpoint",
        "damaged": data[:2000] + bytes(200) + data[2200:],
    }
    for name, content in foreign.items():
        (tmp_path / name).write_bytes(content)
        refuses(tmp_path / name, sim, am.FileFormatError, name.replace(" ", r"\ "))
    np.save(tmp_path / "array.npy", np.zeros(3))
    refuses(tmp_path / "array.npy", sim, am.FileFormatError, "not a checkpoint")
    np.savez(tmp_path / "other.npz", a=np.zeros(3))
    refuses(tmp_path / "other.npz", sim, am.FileFormatError, "not a checkpoint")
    sim.problem().save(tmp_path / "problem.npz")
    refuses(tmp_path / "problem.npz", sim, am.FileFormatError, "not a checkpoint")
    refuses(tmp_path / "nothing.npz", sim, FileNotFoundError, "nothing.npz")


def changed(path, **values):
    """The same checkpoint with entries replaced, or left out where None; its checksum fits."""
    with np.load(path) as archive:
        state = dict(archive)
    del state["checksum"]
    state = {name: value for name, value in (state | values).items() if value is not None}
    np.savez(path, checksum=np.array(checksum(state)), **state)


@pytest.mark.parametrize(
    ("values", "error", "match"),
    [
        ({"version": np.array(99)}, am.FileFormatError, "of version 99; this release reads"),
        ({"version": None}, am.FileFormatError, "of version None"),
        ({"shapes.digest": None}, am.FileFormatError, "lacks its shapes"),
        ({"time": None, "gravity": None}, am.FileFormatError, "lacks gravity, time"),
        ({"bodies.position": np.zeros((3, 3))}, am.InputError, "its bodies are others"),
        ({"joints.id": np.array([0, 5])}, am.InputError, "its joints are others"),
        ({"loads.arms": np.zeros((9, 3))}, am.InputError, "its loads are others"),
        ({"steps": np.array("three")}, am.FileFormatError, "steps holds <U5; expected int64"),
        ({"bodies.id": np.zeros(11)}, am.FileFormatError, "bodies.id holds float64"),
        ({"watch.recent": np.zeros((2, 2))}, am.FileFormatError, "watch.recent has shape"),
        ({"rest.seen": np.zeros((1, 13))}, am.FileFormatError, "rest.seen has shape"),
        ({"time": np.array(math.nan)}, am.FileFormatError, "time or its gravity is not finite"),
        ({"steps": np.array(-1)}, am.FileFormatError, "steps is negative"),
        ({"margin.doublings": np.array(2000)}, am.FileFormatError, "doublings is out of range"),
        ({"bodies.id": np.arange(11)[::-1]}, am.FileFormatError, "ids of its bodies do not rise"),
        ({"bodies.shape": np.full(11, 99, np.int32)}, am.FileFormatError, "a body has a shape"),
        ({"bodies.motion": np.full(11, -2, np.int32)}, am.FileFormatError, "a body has a motion"),
        ({"bodies.material": np.full(11, 9, np.int32)}, am.FileFormatError, "has a material"),
        ({"bodies.twist": np.full((11, 6), np.inf)}, am.FileFormatError, "twist has a number"),
        ({"bodies.orientation": np.ones((11, 4))}, am.FileFormatError, "not a unit quaternion"),
        ({"bodies.mass": np.full(11, -1.0)}, am.FileFormatError, "a body has no mass"),
        ({"joints.broken_by": np.full(2, 99, np.uint8)}, am.FileFormatError, "there is not"),
        ({"contacts.keys": np.zeros(3, np.uint64)}, am.FileFormatError, "one row per contact"),
        ({"contacts.first": np.full(12, 10**9)}, am.FileFormatError, "lead beyond"),
    ],
    ids=lambda value: str(next(iter(value))) if isinstance(value, dict) else None,
)
def test_checkpoints_that_were_tampered_with(saved, values, error, match):
    sim, path = saved
    changed(path, **values)
    refuses(path, sim, error, match)


def test_contacts_of_bodies_that_are_not_there_never_reach_a_kernel(saved):
    sim, path = saved
    with np.load(path) as archive:
        bodies = archive["contacts.bodies"]
    assert len(bodies)
    for row in (-2, 11, 2**30):
        bodies[0, 1] = row
        changed(path, **{"contacts.bodies": bodies})
        refuses(path, sim, am.FileFormatError, "names bodies that are not there")


def test_a_number_that_changed_is_found_by_the_checksum(saved):
    """Archives have sums of their own, but who repairs one makes those fit."""
    sim, path = saved
    with np.load(path) as archive:
        state = dict(archive)
    state["bodies.position"][1, 2] += 1e-12
    np.savez(path, **state)
    refuses(path, sim, am.FileFormatError, "does not match its checksum")


def test_checkpoints_of_other_scenes(saved):
    _, path = saved
    refuses(path, simulation(packed_bed(8)), am.InputError, "another scene")
    refuses(path, simulation(scene(friction=0.4)), am.InputError, "another scene: its shapes, mat")
    refuses(path, simulation(scene(joints=False)), am.InputError, "another scene")
    more, fewer = scene(), scene()
    more.add_joint(am.Spherical(None, 1, point=(0, 0, 0)))
    refuses(path, simulation(more), am.InputError, "its joints are others")
    fewer.remove_force(fewer.forces[0])
    refuses(path, simulation(fewer), am.InputError, "its loads are others")
    pair = scene()
    pair.set_contact(am.Material(), am.Material(), am.Material(friction=0.1))
    refuses(path, simulation(pair), am.InputError, "another scene")


def test_a_full_disk_keeps_the_old_checkpoint(saved, monkeypatch):
    sim, path = saved
    old = path.read_bytes()
    sim.step()

    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(am.OutputError, match=r"state\.npz: No space left on device"):
            sim.save(path)
    assert path.read_bytes() == old
    assert [file.name for file in path.parent.iterdir()] == ["state.npz"]


def test_a_short_write_keeps_the_old_checkpoint(saved):
    resource = pytest.importorskip("resource")
    sim, path = saved
    old = path.read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limits[1]))
    try:
        with pytest.raises(am.OutputError, match=r"state\.npz: File too large"):
            sim.save(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert path.read_bytes() == old


def test_folders_that_are_not_there(saved, tmp_path):
    with pytest.raises(am.OutputError, match=r"folder .*nowhere does not exist"):
        saved[0].save(tmp_path / "nowhere" / "state.npz")


# -- threads --------------------------------------------------------------------------------------


@pytest.mark.skipif(am.max_threads() < 2, reason="needs two threads")
def test_one_and_two_threads_give_the_same_bits():
    """Above 20 000 contacts, where kernels are parallel."""
    found = {}
    threads = am.get_threads()
    try:
        for count in (1, 2):
            am.set_threads(count)
            world = packed_bed(9000, spacing=1.0)
            solver = am.APGD(tolerance=1e-5, max_iterations=15)
            sim = am.Simulation(world, step=2e-3, solver=solver)
            for _ in range(3):
                sim.step()
            assert sim.readings.contacts.min() > 20_000
            found[count] = bits(sim) | {"residual": sim.readings.residual.tobytes()}
    finally:
        am.set_threads(threads)
    assert found[1] == found[2]


def test_large_worlds_go_on_too(tmp_path):
    """From 2000 bodies on, they are listed in the order in which they lie in space."""
    from helpers.shared_beds import bed

    def begun():
        return am.Simulation(bed(), step=2e-3, solver=am.APGD(tolerance=1e-2))

    sim, other = begun(), begun()
    assert len(sim.bodies) > 2000
    sim.step()
    assert (np.diff(sim.state.contacts.first) < 0).any()
    sim.save(tmp_path / "state.npz")
    other.restore(tmp_path / "state.npz")
    sim.step()
    other.step()
    assert other.state.hash() == sim.state.hash()
