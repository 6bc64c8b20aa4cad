"""Energy that comes from nowhere stops a run; energy that comes from somewhere does not."""

import json

import numpy as np
import pytest

import amontons as am
from amontons.scenes import Chain
from helpers.command_line import run
from helpers.small_scenes import SMALL


def taut_chain(*, level, end=1e4, scale=1.0, links=10):
    """Links of 1 kg and 0.1 m with a heavy one at the end; level or hanging; `scale` is a metre."""
    world = am.World(gravity=(0.0, 0.0, -9.81 * scale))
    along = np.array([1.0, 0.0, 0.0] if level else [0.0, 0.0, -1.0])
    size = np.full(3, 0.02 * scale) + 0.08 * scale * np.abs(along)
    before = None
    for i in range(links):
        link = world.add_body(
            am.Box(tuple(size)),
            mass=end if i == links - 1 else 1.0,
            position=(i + 0.5) * 0.1 * scale * along,
            name=f"link {i}",
        )
        world.add_joint(am.Spherical(before, link, point=i * 0.1 * scale * along))
        before = link
    return world


def gripper(overlap=0.03):
    """Two fingers, held by motors without a limit, that were placed into the part they grip."""
    world = am.World()
    world.add_body(am.Plane(), fixed=True, name="floor")
    world.add_body(am.Box.cube(0.1), mass=1.0, position=(0, 0, 0.05), name="part")
    base = world.add_body(
        am.Box((0.3, 0.1, 0.05)), mass=5.0, position=(0, 0, 0.4), mask=0, name="base"
    )
    world.add_joint(
        am.Prismatic(
            None, base, point=(0, 0, 0.4), axis=(0, 0, 1), motor=am.PositionMotor(position=0.0)
        )
    )
    for side in (-1, 1):
        finger = world.add_body(
            am.Box((0.02, 0.1, 0.2)),
            mass=0.3,
            position=(side * (0.06 - overlap), 0, 0.15),
            name=f"finger {side}",
        )
        motor = am.PositionMotor(position=0.0)
        point, axis = (0.06 * side, 0, 0.35), (-side, 0, 0)
        world.add_joint(am.Prismatic(base, finger, point=point, axis=axis, motor=motor))
    return world


# -- taut joints ----------------------------------------------------------------------------------


@pytest.mark.parametrize("step", [5e-3, 2e-3])
def test_a_chain_with_ten_tons_at_its_end_swings_and_gains_nothing(step):
    sim = am.Simulation(taut_chain(level=True), step=step)
    readings = sim.run(2.0)
    # it falls by 1 m at most, and never gains: what no step resolves is damped
    assert (np.diff(readings.energy) <= 1e-6 * 9.81e4).all()
    assert 0.85 * 9.3e4 < readings.kinetic_energy.max() < 9.4e4
    assert readings.joint_error.max() < 2e-5
    assert readings.converged.all()


def test_a_hanging_chain_takes_a_push_at_its_heavy_end():
    world = taut_chain(level=False)
    world.bodies.velocity[-1] = (1.0, 0.0, 0.0)
    sim = am.Simulation(world, step=5e-3)
    readings = sim.run(2.0)
    assert readings.kinetic_energy.max() <= 5000.0
    assert readings.energy.max() - readings.energy[0] < 1e-3 * 5000.0
    assert readings.joint_error.max() < 2e-4


def test_a_chain_moves_the_same_in_millimetres():
    ends = []
    for scale in (1.0, 1e3):
        sim = am.Simulation(taut_chain(level=True, scale=scale), step=5e-3)
        sim.run(1.0)
        ends.append(sim.bodies.position / scale)
    np.testing.assert_allclose(*ends, atol=1e-6)


def test_what_a_step_resolves_is_left_as_it_is():
    """A pendulum keeps its energy, but for the swing of the method's own."""
    world = am.World()
    rod = world.add_body(am.Box((1.0, 0.05, 0.05)), mass=1.0, position=(0.5, 0, 0))
    world.add_joint(am.Revolute(None, rod, point=(0, 0, 0), axis=(0, 1, 0)))
    readings = am.Simulation(world, step=2e-3).run(6.0)
    assert np.abs(readings.energy).max() < 0.01 * readings.kinetic_energy.max()


# -- jammed ---------------------------------------------------------------------------------------


def test_a_gripper_that_was_placed_into_its_part_says_so_and_stays_whole():
    """Nothing can give way, and so nothing moves: 30 mm of overlap are no source of energy."""
    sim = am.Simulation(gripper(), step=5e-3)
    readings = sim.run(2.0)
    assert readings.kinetic_energy.max() < 1e-3
    assert readings.joint_error.max() < 1e-6
    first = readings[0].notes[0]
    assert first.kind == "first overlap"
    assert "2 pairs of bodies overlapped from the start by up to 30 mm, 300 % of" in str(first)
    assert set(first.bodies) == {"part", "finger -1", "finger 1"}


# -- stopped --------------------------------------------------------------------------------------


def whip(scale=1.0, **options):
    """A chain whose heavy end is struck so hard that no step of this length can follow."""
    world = taut_chain(level=False, scale=scale)
    world.bodies.velocity[-1] = (10.0 * scale, 0.0, 0.0)
    return am.Simulation(world, step=1e-2, **options)


@pytest.mark.parametrize("scale", [1.0, 1e3])
def test_a_run_that_becomes_unstable_is_stopped_whatever_the_units(scale):
    sim = whip(scale)
    with pytest.raises(am.RunawayError) as caught:
        sim.run(5.0)
    said = str(caught.value)
    assert said.startswith(f"step {sim.steps + 1} (t = ")
    assert "contacts and joints gave link" in said
    assert 'Simulation(watch="note")' in said
    # the state is that before the step, and the energy not yet beyond all measure
    legal = 0.5 * 1e4 * (10.0 * scale) ** 2 + 1e4 * 9.81 * scale * 2.0 * scale
    assert sim.readings.kinetic_energy.max() < 1e3 * legal
    assert len(sim.readings) == sim.steps
    before = sim.bodies.position.copy()
    with pytest.raises(am.RunawayError):
        sim.step()
    np.testing.assert_array_equal(before, sim.bodies.position)


def test_watch_can_note_or_be_off():
    stopped = whip()
    with pytest.raises(am.RunawayError):
        stopped.run(5.0)
    notes = {}
    for watch in ("note", "off"):
        sim = whip(watch=watch)
        sim.run(1e-2 * (stopped.steps + 2))
        notes[watch] = [note for note in sim.readings.notes if note.kind == "runaway"]
        np.testing.assert_array_equal(
            sim.readings.kinetic_energy[: stopped.steps], stopped.readings.kinetic_energy
        )
    assert notes["off"] == []
    assert notes["note"][0].step == stopped.steps + 1
    assert notes["note"][0].value > 10.0
    assert notes["note"][0].bodies[0].startswith("link")
    with pytest.raises(am.InputError, match="watch must be 'stop', 'note' or 'off'"):
        whip(watch="loud")


def test_the_command_line_fails_and_the_file_is_whole(tmp_path):
    path, folder = tmp_path / "whip.yaml", tmp_path / "run"
    am.save_scene(whip().world, path)
    result = run("run", path, "-o", folder, "--time", 5.0, "--step", 1e-2, "--json")
    assert result.exit_code == 3
    told = json.loads(result.stdout)
    assert not told["finished"]
    assert "energy comes from nowhere" in told["trouble"]
    assert "stopped: at" in result.stderr
    with am.Results(folder) as results:
        assert results.steps == told["steps"] > 3
        assert results.frames > 0
        assert "travel" in {note.kind for note in results.notes}
    # it is resumed to the very same end
    again = run("resume", folder, "--json")
    assert again.exit_code == 3
    assert json.loads(again.stdout)["trouble"] == told["trouble"]


# -- not stopped ----------------------------------------------------------------------------------


@pytest.mark.parametrize("scene", SMALL, ids=lambda scene: scene.name)
def test_no_scene_gives_a_false_alarm(scene):
    advice = scene.advice
    sim = am.Simulation(scene.build(), step=advice.step, solver=advice.make_solver(), watch="note")
    for _ in range(150):
        report = sim.step()
        assert not [note for note in report.notes if note.kind == "runaway"]
    watch = sim.state.watch
    ceiling = min(watch.supplied, watch.peak + watch.recent[:, 1].sum())
    # supplies are counted in full: what moves was set in motion by something
    assert report.kinetic_energy <= 1.1 * ceiling + 1e-3 * abs(report.potential_energy)


def launch(kind):
    """Worlds in which energy is set free that was hidden so far."""
    world = am.World(gravity=(0.0, 0.0, 0.0))
    ball = world.add_body(am.Sphere(0.1), mass=1.0, name="ball")
    if kind == "spring":
        ends = {"point_a": (0, 0, -1.0), "point_b": (0, 0, 0)}
        world.add_joint(am.LinearSpring(None, ball, **ends, stiffness=1e5, length=2.0))
    elif kind == "elastic contact":
        soft = am.Material(compliance=1e-5)
        world = am.World(gravity=(0.0, 0.0, 0.0))
        world.add_body(am.Plane(), fixed=True, material=soft)
        world.add_body(am.Sphere(0.1), mass=1.0, position=(0, 0, 0.06), material=soft)
    elif kind == "motor":
        motor = am.SpeedMotor(speed=500.0)
        world.add_joint(am.Revolute(None, ball, point=(-0.3, 0, 0), axis=(0, 1, 0), motor=motor))
    elif kind == "servo":
        motor = am.PositionMotor(position=2.0, limit=1e4)
        world.add_joint(am.Prismatic(None, ball, point=(0, 0, 0), axis=(1, 0, 0), motor=motor))
    elif kind == "soft servo":
        motor = am.PositionMotor(position=2.0, stiffness=1e4)
        world.add_joint(am.Prismatic(None, ball, point=(0, 0, 0), axis=(1, 0, 0), motor=motor))
    elif kind == "push":
        world.add_force(am.AppliedForce(ball, (1e6, 0.0, 0.0)))
    return world


@pytest.mark.parametrize(
    "kind", ["spring", "elastic contact", "motor", "servo", "soft servo", "push"]
)
def test_energy_that_was_stored_or_is_supplied_is_no_runaway(kind):
    sim = am.Simulation(launch(kind), step=1e-3)
    sim.run(0.1)
    assert sim.readings.kinetic_energy.max() > 10.0


def test_a_racket_and_a_hand_may_set_bodies_in_motion():
    world = am.World(gravity=(0.0, 0.0, 0.0))
    fast = am.Motion(velocity=(100.0, 0.0, 0.0))
    world.add_body(am.Box.cube(0.2), motion=fast, position=(-0.5, 0, 0), name="racket")
    world.add_body(am.Sphere(0.1), mass=1.0, position=(0, 0, 0), name="ball")
    sim = am.Simulation(world, step=1e-4)
    sim.run(0.01)
    assert sim.bodies.velocity[1, 0] == pytest.approx(100.0, rel=1e-6)
    sim.bodies.velocity[1] = (1e5, 0.0, 0.0)
    sim.step()
    world.add_body(am.Sphere(0.1), mass=1.0, position=(0, 9.0, 0), velocity=(0, 1e7, 0))
    sim.step()


def test_the_watch_is_part_of_a_checkpoint(tmp_path):
    def chain():
        return am.Simulation(Chain(4).build(), step=2e-3)

    first = chain()
    first.run(0.1)
    first.save(tmp_path / "state.npz")
    first.run(0.05)
    second = chain()
    second.restore(tmp_path / "state.npz")
    second.run(0.05)
    assert first.state.equals(second.state)
    np.testing.assert_array_equal(first.bodies.twist, second.bodies.twist)
