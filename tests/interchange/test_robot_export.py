"""Robots as files: what is written and read again is the same robot, here and in mujoco."""

import mujoco
import numpy as np
import pytest

import amontons as am
from amontons.gym.ant import ant
from amontons.model.shapes.compound import leaves
from helpers.robot_files import ARM, write_robot

SERVOS = """
<mujoco model="servos"><option timestep="0.002" gravity="0 1 -9"/><worldbody>
  <body name="upper" pos="0 0 1" euler="10 20 30">
    <joint name="shoulder" axis="0 1 0" ref="0.4" range="-90 90" limited="true" armature="0.02"/>
    <geom type="capsule" size=".03" fromto="0 0 0 .4 0 0" mass="2" friction="0.7 0.01 0.001"/>
    <body name="fore" pos=".4 0 0">
      <joint name="elbow" axis="0 1 0" stiffness="3" springref="20" damping=".2" frictionloss=".1"/>
      <geom type="box" size=".1 .02 .03" pos=".1 0 0" mass="1" condim="6"/>
      <body name="hand" pos=".2 0 0">
        <joint name="grip" type="slide" axis="1 0 1" range="-.1 .2" limited="true" damping="2"/>
        <geom type="ellipsoid" size=".02 .03 .04" mass=".3"/>
      </body>
    </body>
  </body>
</worldbody><actuator>
  <position name="s" joint="shoulder" kp="80" kv="4" ctrlrange="-1 1" ctrllimited="true"/>
  <velocity name="e" joint="elbow" kv="5" forcerange="-7 7" forcelimited="true"/>
  <motor name="g" joint="grip" gear="3"/>
</actuator></mujoco>
"""


def same_tree(robot, other):
    """Masses, inertias, places, and the joints' axes, points and limits agree."""
    assert robot.joint_names == other.joint_names
    assert robot.control_names == other.control_names
    for name, body in robot.bodies.items():
        if not np.isfinite(body.mass):
            continue
        twin = other.bodies[body.name]
        assert twin.mass == pytest.approx(body.mass, rel=1e-12)
        np.testing.assert_allclose(twin.position, body.position, atol=1e-12, err_msg=name)
        np.testing.assert_allclose(world_inertia(twin), world_inertia(body), rtol=1e-9, atol=1e-12)
        assert twin.material == body.material
    for name in robot.joint_names:
        mine, yours = robot.imported.joints[name], other.imported.joints[name]
        np.testing.assert_allclose(yours.axis, mine.axis, atol=1e-12)
        off = np.subtract(yours.point, mine.point)
        if isinstance(mine, am.Revolute):
            np.testing.assert_allclose(np.cross(off, mine.axis), 0.0, atol=1e-12)
        assert (yours.limits is None) == (mine.limits is None)
        np.testing.assert_allclose(yours.limits or 0.0, mine.limits or 0.0, atol=1e-12)
        assert (yours.friction, yours.armature) == (mine.friction, mine.armature)
        assert other.imported.configuration[name] == robot.imported.configuration[name]


def world_inertia(body):
    bodies = body.world.bodies
    turn = am.interchange.robots.mechanism.Pose.of_quaternion((0, 0, 0), body.orientation).rotation
    return turn @ bodies.inertia[body.index] @ turn.T


def fallen(robot, seconds, step):
    """Positions of joints after so long under the same commands."""
    sim = robot.simulation(step=step)
    if robot.control_names:
        robot.ctrl = np.linspace(0.1, 0.3, len(robot.control_names))
    sim.run(seconds)
    return robot.q


def test_servos_springs_and_limits_come_back(tmp_path):
    robot = am.Robot.load(SERVOS)
    assert am.save_mjcf(robot, tmp_path / "servos.xml") == ()
    again = am.Robot.load(tmp_path / "servos.xml")
    same_tree(robot, again)
    assert again.imported.step == 0.002
    np.testing.assert_array_equal(again.world.gravity, robot.world.gravity)
    q = fallen(robot, 1.0, 2e-3)
    assert np.abs(q - list(robot.imported.configuration.values())).min() > 0.01
    np.testing.assert_allclose(fallen(again, 1.0, 2e-3), q, atol=1e-6)


def test_mujoco_moves_what_is_written_as_what_was_read(tmp_path):
    am.save_mjcf(am.Robot.load(SERVOS), tmp_path / "servos.xml")
    ends = []
    for model in (
        mujoco.MjModel.from_xml_string(SERVOS),
        mujoco.MjModel.from_xml_path(str(tmp_path / "servos.xml")),
    ):
        data = mujoco.MjData(model)
        data.ctrl[:] = [0.5, 0.3, 0.2]
        for _ in range(500):
            mujoco.mj_step(model, data)
        ends.append(data.qpos.copy())
    np.testing.assert_allclose(ends[1], ends[0], atol=1e-8)


def test_bodies_with_several_joints_are_written_with_those_between(tmp_path):
    (tmp_path / "arm.xml").write_text(ARM)
    robot = am.Robot.load(tmp_path / "arm.xml")
    am.save_mjcf(robot, tmp_path / "again.xml")
    again = am.Robot.load(tmp_path / "again.xml")
    same_tree(robot, again)
    np.testing.assert_allclose(fallen(again, 0.5, 2e-3), fallen(robot, 0.5, 2e-3), atol=1e-6)


@pytest.mark.slow
def test_an_ant_falls_as_before(tmp_path):
    robot = am.Robot.load(ant())
    assert am.save_mjcf(robot, tmp_path / "ant.xml") == ()
    again = am.Robot.load(tmp_path / "ant.xml")
    same_tree(robot, again)
    np.testing.assert_allclose(fallen(again, 1.0, 5e-3), fallen(robot, 1.0, 5e-3), atol=1e-5)


def test_urdf_becomes_mjcf(tmp_path):
    robot = am.Robot.load(write_robot(tmp_path), motors="torque", fixed_base=False)
    am.save_mjcf(robot, tmp_path / "tester.xml")
    again = am.Robot.load(tmp_path / "tester.xml")
    same_tree(robot, again)


def test_urdf_comes_back(tmp_path):
    wishes = {"shoulder": 0.4, "elbow": 1.1, "rail": -0.05, "axle": 2.0}
    robot = am.Robot.load(
        write_robot(tmp_path), motors="torque", fixed_base=False, configuration=wishes
    )
    lines = am.save_urdf(robot, tmp_path / "again.urdf")
    assert {line.partition(":")[0] for line in lines} == {"motors of joints"}
    base = robot.bodies["base"]
    again = am.Robot.load(
        tmp_path / "again.urdf", motors="torque", fixed_base=False, configuration=wishes,
        position=base.position, orientation=base.orientation,
    )  # fmt: skip
    same_tree(robot, again)
    first = fallen(robot, 1.0, 2e-3)
    assert np.abs(first - list(wishes.values())).max() > 0.1
    np.testing.assert_allclose(fallen(again, 1.0, 2e-3), first, atol=1e-6)


def test_mjcf_becomes_urdf(tmp_path):
    robot = am.Robot.load(SERVOS, configuration={"elbow": 0.3})
    lines = am.save_urdf(robot, tmp_path / "servos.urdf")
    said = {line.partition(":")[0] for line in lines}
    assert said == {
        "armatures of joints", "motors of joints", "springs of joints",
        "shapes that URDF does not know (Ellipsoid)",
    }  # fmt: skip
    again = am.Robot.load(
        tmp_path / "servos.urdf", configuration=robot.imported.configuration, motors="torque"
    )
    for name in ("upper", "fore", "hand"):
        mine, yours = robot.bodies[name], again.bodies[name]
        assert yours.mass == pytest.approx(mine.mass, rel=1e-12)
        np.testing.assert_allclose(yours.position, mine.position, atol=1e-12)
        np.testing.assert_allclose(world_inertia(yours), world_inertia(mine), atol=1e-12)


def test_urdf_holds_one_tree(tmp_path):
    world = am.World()
    balls = [
        world.add_body(am.Sphere(0.1), density=1.0, position=(x, 0, 0)) for x in (0.0, 1.0, 2.0)
    ]
    with pytest.raises(am.InputError, match="one tree, and this world has 3"):
        am.save_urdf(world, tmp_path / "balls.urdf")
    for a, b in ((0, 1), (1, 2)):
        world.add_joint(am.Spherical(balls[a], balls[b], point=(a + 0.5, 0, 0), name=f"ball {a}"))
    with pytest.raises(am.InputError, match="'ball 0' is neither a hinge"):
        am.save_urdf(world, tmp_path / "balls.urdf")
    with pytest.raises(am.InputError, match=r"ends in \.urdf"):
        am.save_urdf(world, tmp_path / "balls.xml")


def test_loops_shapes_and_filters_come_back(tmp_path):
    world = am.World(gravity=(0.0, 0.0, -5.0))
    world.add_body(am.Plane(), fixed=True, position=(0.0, 0.0, -2.0), name="floor")
    corner = np.array([[0, 0, 0], [0.3, 0, 0], [0, 0.3, 0], [0, 0, 0.3]])
    a = world.add_body(am.ConvexHull(corner), density=500.0, name="hull", group=2, mask=5)
    b = world.add_body(
        am.Compound([am.Part(am.Sphere(0.1), (0.1, 0.0, 0.0)), am.Part(am.Cylinder(0.05, 0.3))]),
        density=800.0, position=(0.5, 0.0, 0.2), orientation=(0.8, 0.6, 0.0, 0.0), name="dumbbell",
    )  # fmt: skip
    world.add_body(
        am.HeightField(np.arange(12.0).reshape(3, 4) / 40.0 - 0.1, extent=(1.0, 2.0)),
        fixed=True, position=(3.0, 0.0, 0.0), name="hill",
    )  # fmt: skip
    world.add_joint(am.Spherical(a, b, point=(0.3, 0.0, 0.1), name="neck"))
    world.add_joint(am.Spherical(None, b, point=(0.5, 0.1, 0.2), name="hook"))
    left = am.save_mjcf(world, tmp_path / "world.xml", step=1e-3)
    assert left == ()
    again = am.load_mjcf(tmp_path / "world.xml")
    assert again.step == 1e-3
    for body in (a, b):
        twin = again.bodies[body.name]
        assert twin.mass == pytest.approx(body.mass, rel=1e-9)
        np.testing.assert_allclose(twin.position, body.position, atol=1e-9)
        np.testing.assert_allclose(world_inertia(twin), world_inertia(body), rtol=1e-6)
    (hill,) = leaves(again.bodies["hill"].shape)
    heights = hill.shape.heights + hill.position[2] + again.bodies["hill"].position[2]
    np.testing.assert_allclose(heights, np.arange(12.0).reshape(3, 4) / 40.0 - 0.1, atol=1e-6)
    ends = []
    for each in (world, again.world):
        am.Simulation(each, step=2e-3).run(1.0)
        ends.append(each.body("dumbbell").position.copy())
    np.testing.assert_allclose(ends[1], ends[0], atol=1e-5)
    assert np.abs(ends[0] - [0.5, 0.0, 0.2]).max() > 0.05


def test_what_a_file_cannot_hold_is_listed(tmp_path):
    world = am.World()
    ball = world.add_body(
        am.Sphere(0.1), density=1000.0, material=am.Material(restitution=0.5), name="ball"
    )
    ball.velocity = (1.0, 0.0, 0.0)
    world.add_joint(
        am.LinearSpring(None, ball, point_a=(0, 0, 1), point_b=(0, 0, 0), stiffness=9.0)
    )
    lines = am.save_mjcf(world, tmp_path / "ball.xml")
    assert any(line.startswith("restitution") for line in lines)
    assert any(line.startswith("velocities at the start") for line in lines)
    assert any("no counterpart" in line for line in lines)


def test_bad_arguments_are_refused(tmp_path):
    robot = am.Robot.load(SERVOS)
    with pytest.raises(am.InputError, match=r"ends in \.xml"):
        am.save_mjcf(robot, tmp_path / "robot.urdf")
    with pytest.raises(am.InputError, match="World or a Robot"):
        am.save_mjcf(tmp_path, tmp_path / "robot.xml")
    sim = robot.simulation()
    sim.step()
    with pytest.raises(am.InputError, match="before its first step"):
        am.save_mjcf(robot, tmp_path / "robot.xml")


def test_friction_that_grows_with_the_load_is_left_out_with_a_word(tmp_path):
    world = am.World()
    rod = world.add_body(am.Capsule(0.02, 0.5), density=1e3, position=(0.25, 0.0, 0.0))
    hinge = {"point": (0.0, 0.0, 0.0), "axis": (0.0, 1.0, 0.0), "name": "pin"}
    world.add_joint(am.Revolute(None, rod, load_friction=1e-3, **hinge))
    for save, name in ((am.save_mjcf, "rod.xml"), (am.save_urdf, "rod.urdf")):
        (said,) = (line for line in save(world, tmp_path / name) if "load" in line)
        assert "pin" in said
