"""Sensors: closed forms of what they read, and that the state and run files keep it."""

import numpy as np
import pytest

import amontons as am

G = 9.81


def pendulum(length=1.0, **options):
    world = am.World(gravity=(0.0, 0.0, -G))
    bob = world.add_body(
        am.Sphere(0.05), mass=2.0, inertia=(1e-6,) * 3, position=(length, 0.0, 0.0), name="bob"
    )
    hip = world.add_joint(
        am.Revolute(None, bob, point=(0, 0, 0), axis=(0, 1, 0), name="hip", **options)
    )
    return world, bob, hip


@pytest.mark.parametrize("turn", [(1.0, 0.0, 0.0, 0.0), (0.8, 0.6, 0.0, 0.0)])
def test_imu_at_rest_reads_g(turn):
    world = am.World(gravity=(0.0, 0.0, -G))
    world.add_body(am.Plane(), fixed=True)
    box = world.add_body(am.Box((0.2, 0.2, 0.2)), mass=3.0, position=(0.0, 0.0, 0.1))
    world.add_sensor(am.Imu(box, name="imu", point=(0.05, 0.0, 0.08), orientation=turn))
    sim = am.Simulation(world, step=1e-3)
    assert np.isnan(sim.sensors["imu"]).all()
    sim.run(0.1)
    reading = sim.sensors["imu"]
    assert np.linalg.norm(reading[:3]) == pytest.approx(G, rel=1e-9)
    w, x = turn[:2]
    up = np.array([0.0, 2.0 * w * x, w * w - x * x])  # seen from axes that are turned about x
    assert np.allclose(reading[:3], G * up, atol=1e-8)
    assert np.allclose(reading[3:], 0.0, atol=1e-9)


def test_imu_in_free_fall_reads_nothing_and_feels_the_turn():
    world = am.World(gravity=(0.0, 0.0, -G))
    ball = world.add_body(
        am.Sphere(0.1), mass=1.0, position=(0, 0, 5), angular_velocity=(0.0, 0.0, 4.0)
    )
    world.add_sensor(am.Imu(ball, name="centre"))
    world.add_sensor(am.Imu(ball, name="edge", point=(0.1, 0.0, 0.0)))
    sim = am.Simulation(world, step=1e-4)
    sim.run(0.05)
    assert np.allclose(sim.sensors["centre"][:3], 0.0, atol=1e-9)
    assert np.allclose(sim.sensors["centre"][3:], (0.0, 0.0, 4.0), atol=1e-9)
    # −ω² r inwards, a mean over a step in which the edge turns by 4e-4 rad
    assert np.allclose(sim.sensors["edge"][:3], (-1.6, 0.0, 0.0), atol=1.6 * 5e-4)


@pytest.mark.slow
def test_pendulums_reaction_is_mg_cos_plus_m_l_speed_squared():
    length, step = 0.7, 2e-4
    world, bob, hip = pendulum(length)
    world.add_sensor(am.ForceTorque(hip, name="load"))
    sim = am.Simulation(world, step=step)
    handle, worst = sim.joints["hip"], 0.0
    for _ in range(1500):
        before = handle.position, handle.speed
        sim.step()
        # the mean force over a step is that of its middle; below the pivot is a quarter turn on
        angle = 0.5 * (before[0] + handle.position) - 0.5 * np.pi
        speed = 0.5 * (before[1] + handle.speed)
        wanted = 2.0 * G * np.cos(angle) + 2.0 * length * speed**2
        force = handle.reaction_force
        arm = bob.position / length
        along = -force @ arm
        worst = max(worst, abs(along - wanted) / (2.0 * G))
        assert np.linalg.norm(sim.sensors["load"][:3]) == pytest.approx(np.linalg.norm(force))
    assert worst < 1e-3
    assert abs(handle.position) > 0.5


def test_force_torque_in_the_bodys_axes_carries_a_cantilever():
    world = am.World(gravity=(0.0, 0.0, -G))
    beam = world.add_body(
        am.Box((1.0, 0.1, 0.1)), mass=4.0, position=(0.5, 0.0, 0.0),
    )  # fmt: skip
    weld = world.add_joint(am.Fixed(None, beam, point=(0.0, 0.0, 0.0), name="root"))
    world.add_sensor(am.ForceTorque(weld, name="load"))
    sim = am.Simulation(world, step=1e-3)
    sim.run(0.05)
    wanted = (0.0, 0.0, 4.0 * G, 0.0, -4.0 * G * 0.5, 0.0)
    assert np.allclose(sim.sensors["load"], wanted, rtol=1e-6, atol=1e-6)


def test_touch_is_the_mean_over_substeps():
    def falling(substeps):
        world = am.World(gravity=(0.0, 0.0, -G))
        world.add_body(am.Plane(), fixed=True)
        ball = world.add_body(am.Sphere(0.1), mass=1.0, position=(0, 0, 0.1005))
        world.add_sensor(am.Touch(ball, name="touch"))
        return am.Simulation(world, step=4e-3, substeps=substeps)

    sim = falling(4)
    momentum = 0.0
    total = 0.0
    for _ in range(10):
        sim.step()
        total += 4e-3 * sim.sensors["touch"][0]
    momentum = float(sim.bodies.velocity[1, 2])
    # what the floor gave, less the weight, is all the momentum that there is
    assert total - 10 * 4e-3 * G == pytest.approx(momentum, abs=1e-9)
    assert total > 0.1


def test_range_fan_sees_walls_and_not_itself():
    world = am.World(gravity=(0.0, 0.0, 0.0))
    car = world.add_body(
        am.Box((0.4, 0.2, 0.2)), mass=1.0, position=(0, 0, 0), orientation=(0, 0, 0, 1)
    )
    world.add_body(am.Box((0.2, 4.0, 4.0)), fixed=True, position=(2.0, 0.0, 0.0))
    fan = am.RangeFan(car, name="laser", directions=((-1, 0, 0), (-1, 1, 0), (1, 0, 0)), reach=7.0)
    world.add_sensor(fan)
    sim = am.Simulation(world, step=1e-3)
    sim.step()
    # the car looks the other way: what is behind it is ahead in the world
    assert np.allclose(sim.sensors["laser"], (1.9, 1.9 * np.sqrt(2.0), 7.0), atol=1e-9)


def test_joint_sensor_is_the_handle():
    world, _, hip = pendulum(motor=am.TorqueMotor(torque=1.0))
    world.add_sensor(am.JointSensor(hip, name="encoder"))
    sim = am.Simulation(world, step=1e-3)
    sim.joints["hip"].command = 3.0
    sim.run(0.1)
    handle = sim.joints["hip"]
    assert sim.sensors["encoder"].tolist() == [handle.position, handle.speed, handle.effort]
    assert handle.effort == pytest.approx(3.0)
    assert handle.speed == pytest.approx(sim.bodies.angular_velocity[0, 1], rel=1e-12)


def test_readings_are_part_of_the_state(tmp_path):
    world, bob, hip = pendulum()
    world.add_sensor(am.Imu(bob, name="imu"))
    sim = am.Simulation(world, step=1e-3)
    sim.run(0.1)
    saved, there = sim.state.copy(), sim.sensors["imu"]
    sim.save(tmp_path / "there.npz")
    sim.run(0.1)
    assert not np.array_equal(sim.sensors["imu"], there)
    sim.state = saved
    assert np.array_equal(sim.sensors["imu"], there)
    sim.run(0.1)
    sim.restore(tmp_path / "there.npz")
    assert np.array_equal(sim.sensors["imu"], there)
    # another sensor reads nothing yet, and the first one what it read
    world.add_sensor(am.JointSensor(hip, name="encoder"))
    assert np.isnan(sim.sensors["encoder"]).all()
    assert np.array_equal(sim.sensors["imu"], there)


def test_sensors_go_with_what_they_are_on():
    world, bob, hip = pendulum()
    world.add_sensor(am.Imu(bob, name="imu"))
    world.add_sensor(am.JointSensor(hip, name="encoder"))
    sim = am.Simulation(world, step=1e-3)
    sim.step()
    world.remove_joint(hip)
    assert list(sim.sensors) == ["imu"]
    world.remove_bodies(bob)
    assert sim.sensors == {}


def test_what_is_wrong_is_said():
    world, bob, hip = pendulum()
    world.add_sensor(am.Imu(bob, name="imu"))
    with pytest.raises(am.InputError, match="already a sensor called 'imu'"):
        world.add_sensor(am.Touch(bob, name="imu"))
    other = pendulum()[2]
    with pytest.raises(am.InputError, match="is of a joint that is not in this world"):
        world.add_sensor(am.JointSensor(other, name="encoder"))
    with pytest.raises(am.InputError, match="none of them zero"):
        am.RangeFan(bob, name="laser", directions=((0, 0, 0),), reach=1.0)
    with pytest.raises(am.InputError, match="needs the joint itself, got 'hip'"):
        am.JointSensor("hip", name="encoder")
    with pytest.raises(am.InputError, match="needs a name"):
        am.Touch(bob, name="")
    with pytest.raises(am.InputError, match=r"a sensor such as amontons.Imu was expected"):
        world.add_sensor(hip)


@pytest.mark.slow
def test_joints_and_sensors_are_recorded_exported_and_drawn(tmp_path):
    from amontons import plots
    from amontons.results.exports.csv_tables import write_csv

    def made():
        world, bob, _ = pendulum(motor=am.TorqueMotor(torque=0.0))
        world.add_sensor(am.Imu(bob, name="imu"))
        return am.Simulation(world, step=2e-3)

    sim, seen = made(), []

    def control(report):
        handle = sim.joints["hip"]
        seen.append([handle.position, handle.speed, handle.effort, *handle.reaction_force])
        handle.command = -2.0 * handle.speed

    with am.Recorder(sim, tmp_path / "run") as recorder:
        sim.run(0.1, on_step=lambda report: (recorder(report), control(report))[0])
    sim = made()
    with am.Recorder(sim, tmp_path / "run", resume=True) as recorder:  # goes on where it ended
        control(None)
        seen.pop()
        sim.run(until=0.2, on_step=lambda report: (recorder(report), control(report))[0])
    with am.Results(tmp_path / "run") as results:
        names = [f"joint:hip.{each}" for each in ("position", "speed", "effort")]
        names += [f"joint:hip.force_{axis}" for axis in "xyz"]
        table = np.column_stack([results.readings(name) for name in names])
        assert np.array_equal(table, seen)
        assert len(seen) == 100
        assert results.units["joint:hip.speed"] == "rad/s"
        assert results.readings("sensor:imu.acceleration_z")[-1] == sim.sensors["imu"][2]
        (tmp_path / "csv").mkdir()
        write_csv(results, tmp_path / "csv", [0])
        header, first = (tmp_path / "csv" / "steps.csv").read_text().splitlines()[:2]
        assert "joint:hip.effort" in header
        assert "sensor:imu.angular_velocity_y" in header
        column = header.split(",").index("joint:hip.position")
        assert float(first.split(",")[column]) == seen[0][0]
        lines = plots.joints(results).axes[0].lines
        assert np.array_equal(lines[0].get_ydata(), table[:, 0])
        assert len(plots.sensors(results).axes[0].lines) == 6


def test_what_is_removed_while_it_is_recorded_has_nan_from_then_on(tmp_path):
    world = am.World(gravity=(0.0, 0.0, -10.0))
    bobs = [world.add_body(am.Sphere(0.1), mass=1.0, position=(x, 0, 0.5)) for x in range(3)]
    for number, bob in enumerate(bobs):
        hinge = am.Revolute(None, bob, point=(number, 0, 1), axis=(0, 1, 0), name=f"j{number}")
        world.add_joint(hinge)
        world.add_sensor(am.JointSensor(hinge, name=f"s{number}"))
        world.add_sensor(am.Imu(bob, name=f"i{number}"))
    sim = am.Simulation(world, step=1e-2)
    with am.Recorder(sim, tmp_path / "run") as recorder:
        sim.run(0.05, on_step=recorder)
        world.remove_bodies(bobs[1])  # with its joint and both of its sensors
        sim.run(0.05, on_step=recorder)
    with am.Results(tmp_path / "run") as results:
        for column in ("joint:j1.force_z", "joint:j1.position", "sensor:s1.speed"):
            assert np.array_equal(np.isnan(results.readings(column)), np.arange(10) >= 5), column
        for column in ("joint:j0.force_z", "joint:j2.force_z", "sensor:i2.acceleration_z"):
            assert results.readings(column) == pytest.approx(np.full(10, 10.0)), column


def test_recorder_leaves_joints_out_where_it_is_told(tmp_path):
    world, _, _ = pendulum()
    sim = am.Simulation(world, step=2e-3)
    with am.Recorder(sim, tmp_path / "run", joints=False) as recorder:
        sim.run(0.01, on_step=recorder)
    with am.Results(tmp_path / "run") as results:
        assert not any(name.startswith("joint:") for name in results.columns)
