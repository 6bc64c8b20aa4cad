"""URDF: joint for joint what mujoco reads, and a robot that stands."""

import random
import re
import sys

import numpy as np
import pytest

import amontons as am
from amontons.interchange import load_robot, load_scene, load_urdf, save_scene
from robot_files import ROBOT, public, write_robot
from scene_file_helpers import assert_same_world

pytest.importorskip("yourdfpy")
mujoco = pytest.importorskip("mujoco")

WISHES = {"shoulder": 0.4, "elbow": 1.1, "rail": -0.05, "axle": 2.0}


def mujoco_model(path):
    """The same file as mujoco reads it, all links kept."""
    text = path.read_text()
    place = text.index(">", text.index("<robot")) + 1
    compiler = f'<compiler fusestatic="false" strippath="false" meshdir="{path.parent}"/>'
    model = mujoco.MjModel.from_xml_string(
        f"{text[:place]}<mujoco>{compiler}</mujoco>{text[place:]}"
    )
    return model, mujoco.MjData(model)


def in_configuration(model, data, configuration):
    for name, value in configuration.items():
        data.qpos[model.jnt_qposadr[model.joint(name).id]] = value
    mujoco.mj_forward(model, data)


def assert_joint_for_joint(robot, model, data):
    """Poses, axes, ranges, masses and inertias to 1e-9."""
    in_configuration(model, data, robot.configuration)
    for number in range(1, model.nbody):
        position, turn = robot.pose(model.body(number).name)
        assert position == pytest.approx(data.xpos[number], abs=1e-9)
        assert abs(turn @ data.xquat[number]) == pytest.approx(1.0, abs=1e-9)
    assert set(robot.joints) == {model.joint(i).name for i in range(model.njnt)}
    for number in range(model.njnt):
        joint = robot.joints[model.joint(number).name]
        assert joint.axis == pytest.approx(data.xaxis[number], abs=1e-9)
        assert joint.point == pytest.approx(data.xanchor[number], abs=1e-9)
        if model.jnt_limited[number]:
            start = robot.configuration[joint.name]
            assert np.add(joint.limits, start) == pytest.approx(model.jnt_range[number], abs=1e-9)
        else:
            assert joint.limits is None
    for body in {each.id: each for each in robot.bodies.values()}.values():
        links = [name for name, carrier in robot.bodies.items() if carrier == body]
        assert_same_inertia(robot, body, model, data, links)


def assert_same_inertia(robot, body, model, data, links):
    """A body is the sum of its links."""
    numbers = [model.body(name).id for name in links]
    mass = model.body_mass[numbers].sum()
    centre = model.body_mass[numbers] @ data.xipos[numbers] / mass
    inertia = np.zeros((3, 3))
    for number in numbers:
        turn = data.ximat[number].reshape(3, 3)
        arm = data.xipos[number] - centre
        inertia += turn @ np.diag(model.body_inertia[number]) @ turn.T
        inertia += model.body_mass[number] * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    assert body.mass == pytest.approx(mass, rel=1e-12)
    assert body.position == pytest.approx(centre, abs=1e-9)
    turn = robot.world.bodies.orientation[body.index]
    R = am.interchange.robots.mechanism.Pose.of_quaternion((0, 0, 0), turn).rotation
    own = R @ robot.world.bodies.inertia[body.index] @ R.T
    assert own == pytest.approx(inertia, abs=1e-9)


def test_our_robot_is_what_mujoco_reads(tmp_path):
    path = write_robot(tmp_path)
    robot = load_urdf(path, configuration=WISHES)
    model, data = mujoco_model(path)
    assert_joint_for_joint(robot, model, data)
    masses = robot.world.bodies.mass
    assert masses.sum() == pytest.approx(model.body_subtreemass[0], rel=1e-12)
    centre = masses @ robot.world.bodies.position / masses.sum()
    assert centre == pytest.approx(data.subtree_com[0], abs=1e-9)


def test_r2d2_is_what_mujoco_reads():
    path = public("pybullet_data", "r2d2.urdf")
    robot = load_urdf(path, configuration={"gripper_extension": -0.2, "head_swivel": 1.0})
    assert_joint_for_joint(robot, *mujoco_model(path))


def test_r2d2_stands():
    robot = load_urdf(public("pybullet_data", "r2d2.urdf"), floor=True)
    sim = robot.scene().simulation()
    base = am.Body(sim.world, robot.bodies["base_link"].id)
    before = base.position
    sim.run(0.4)
    assert np.abs(base.position - before).max() < 0.01
    assert abs(base.orientation[0]) > 0.9999
    assert sim.contacts.normal_force.sum() == pytest.approx(65.25 * 9.81, rel=0.05)
    assert sim.readings.joint_error.max() < 1e-4


def test_what_is_taken_over_of_our_robot(tmp_path):
    robot = load_urdf(write_robot(tmp_path))
    shoulder = robot.joints["shoulder"]
    assert shoulder.friction == 0.1
    springs = {each.name: each for each in robot.world.joints if "spring" in each.name}
    assert springs["shoulder (spring)"].damping == 0.3
    assert springs["rail (spring)"].damping == (2.0, 0.0, 0.0)
    assert robot.configuration["elbow"] == 0.2  # zero is out of its range
    assert robot.joints["elbow"].limits == pytest.approx((0.0, 1.8))
    assert robot.bodies["plate"] == robot.bodies["upper"]
    assert robot.world.bodies.mask[robot.bodies["slider"].index] == 0  # only looks, no collision
    assert robot.world.bodies.dynamic.all()
    told = "\n".join(robot.unsupported)
    for what in (
        "begin at a limit: elbow", "mimicry of 'elbow'", "<transmission> in <robot> (1)",
        "<gazebo> in <robot> (1)", "colours", "looks of links", "largest speeds", "no motor",
    ):  # fmt: skip
        assert what in told, told


def test_a_fixed_base_and_motors_that_hold(tmp_path):
    path = write_robot(tmp_path)
    robot = load_urdf(path, fixed_base=True, hold=True, configuration=WISHES)
    assert robot.world.bodies.fixed.tolist() == [True, False, False, False, False]
    assert robot.joints["shoulder"].motor.limit == 30.0
    sim = robot.scene().simulation()
    before = robot.pose("slider")[0]
    sim.run(0.2)
    after = am.Body(sim.world, robot.bodies["slider"].id).position
    assert after == pytest.approx(before, abs=2e-3)
    sagging = load_urdf(path, fixed_base=True, configuration=WISHES).scene().simulation()
    sagging.run(0.2)
    assert np.abs(sagging.bodies.velocity).max() > 0.3


def test_motors_of_joints_are_given_by_name(tmp_path):
    turning = am.SpeedMotor(speed=2.0)
    robot = load_urdf(write_robot(tmp_path), fixed_base=True, hold=True, motors={"axle": turning})
    assert robot.joints["axle"].motor == turning
    sim = robot.scene().simulation()
    sim.run(0.1)
    wheel = sim.bodies.angular_velocity[robot.bodies["wheel"].index]
    assert wheel @ robot.joints["axle"].axis == pytest.approx(2.0, rel=1e-3)


def test_two_robots_in_one_world_come_back_from_a_file(tmp_path):
    path = write_robot(tmp_path)
    first = load_urdf(path, floor=True)
    load_urdf(path, world=first.world, position=(2, 0, 1), orientation=(0.6, 0, 0.8, 0))
    assert len(first.world.bodies) == 11
    save_scene(first.world, tmp_path / "two.yaml")
    assert_same_world(first.world, load_scene(tmp_path / "two.yaml").world)


def test_floating_and_planar_joints(tmp_path):
    text = ROBOT.replace('name="axle" type="continuous"', 'name="axle" type="planar"').replace(
        'name="rail" type="prismatic"', 'name="rail" type="floating"'
    )
    path = write_robot(tmp_path)
    path.write_text(text)
    robot = load_urdf(path)
    assert isinstance(robot.joints["axle"], am.Planar)
    assert set(robot.joints) == {"shoulder", "elbow", "axle"}


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('<child link="wheel"/>', '<child link="whel"/>', "'whel', which does not exist"),
        ('<link name="wheel">', '<link name="plate">', "two links called 'plate'"),
        ('<child link="wheel"/>', '<child link="upper"/>', "'upper' has two parents"),
        ('type="continuous"', 'type="wobbly"', "'wobbly'"),
        ("wedge.stl", "gone.stl", "gone.stl"),
        ('<mass value="0.4"/>', '<mass value="-0.4"/>', "mass is -0.4"),
        ('<axis xyz="0 0 1"/>', '<axis xyz="0 0 0"/>', "axle"),
        ('<joint name="axle"', '<joint name="elbow"', "two joints called 'elbow'"),
        ("</robot>", "", "cannot be read as URDF"),
        ('<parent link="base"/><child link="wheel"/>',
         '<parent link="wheel"/><child link="base"/>', "'wheel'"),
    ],
)  # fmt: skip
def test_bad_files_are_refused(tmp_path, old, new, words):
    path = write_robot(tmp_path)
    assert old in ROBOT
    path.write_text(ROBOT.replace(old, new))
    if words == "'wheel'":  # a tree with another root is as good
        assert "wheel" in load_urdf(path).bodies
        return
    with pytest.raises((am.InputError, am.FileFormatError), match="tester") as caught:
        load_urdf(path)
    assert words in str(caught.value)


def test_bad_arguments_are_refused(tmp_path):
    path = write_robot(tmp_path)
    with pytest.raises(am.InputError, match=r"no joint 'knee'"):
        load_urdf(path, configuration={"knee": 1.0})
    with pytest.raises(am.InputError, match=r"cannot begin at 3"):
        load_urdf(path, configuration={"elbow": 3.0})
    with pytest.raises(am.InputError, match=r"meshes must be"):
        load_urdf(path, meshes="magic")
    with pytest.raises(am.InputError, match=r"no joint 'knee' that takes a motor"):
        load_urdf(path, motors={"knee": am.TorqueMotor(torque=1.0)})
    with pytest.raises(am.InputError, match=r"motor must be a SpeedMotor"):
        load_urdf(path, motors={"elbow": 3.0})
    with pytest.raises(am.InputError, match=r"orientation"):
        load_urdf(path, orientation=(0, 0, 0, 0))
    with pytest.raises(am.InputError, match=r"no URDF file"):
        load_urdf(tmp_path / "none.urdf")
    (tmp_path / "x.xml").write_text("<sdf/>")
    with pytest.raises(am.FileFormatError, match=r"<sdf>"):
        load_robot(tmp_path / "x.xml")
    with pytest.raises(am.InputError, match=r"does not exist"):
        load_robot(tmp_path / "y.xml")


NUMBER = re.compile(r'(?<=[" ])-?[0-9.]+(?=[" ])')
WRONG = ["nan", "inf", "-1", "0", "1e300", "x", "", "1 2", "1e-300", "-0.5"]


@pytest.mark.parametrize("seed", range(3))
def test_no_damage_gives_a_traceback(tmp_path, seed):
    rng = random.Random(seed)
    path = write_robot(tmp_path)
    refused = 0
    for _ in range(40):
        places = list(NUMBER.finditer(ROBOT))
        at = rng.choice(places)
        text = f"{ROBOT[: at.start()]}{rng.choice(WRONG)}{ROBOT[at.end() :]}"
        if rng.random() < 0.3:
            words = re.findall(r"<\w+[^>]*>", ROBOT)
            text = ROBOT.replace(rng.choice(words), rng.choice(["", "<link/>", "<x>"]), 1)
        path.write_text(text)
        message = ""
        try:
            load_urdf(path)
        except am.AmontonsError as reason:
            message = str(reason)
        refused += bool(message)
        assert not message or "tester.urdf" in message
        assert "\n" not in message
    assert refused > 10


@pytest.mark.parametrize("missing", ["yourdfpy", "mujoco"])
def test_a_missing_package_is_named(tmp_path, monkeypatch, missing):
    monkeypatch.setitem(sys.modules, missing, None)
    path = tmp_path / ("x.urdf" if missing == "yourdfpy" else "x.xml")
    path.write_text("<robot name='x'/>" if missing == "yourdfpy" else "<mujoco/>")
    with pytest.raises(am.InputError, match=rf"needs {missing}: pip install 'amontons\[robots\]'"):
        load_robot(path)
