"""URDF: joint for joint what mujoco reads, and a robot that stands."""

import random
import re
import sys

import numpy as np
import pytest

import amontons as am
from amontons.interchange import load_robot, load_scene, load_urdf, save_scene
from helpers.robot_files import ROBOT, public, write_robot
from helpers.scene_files import assert_same_world

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
    base = robot.bodies["base_link"]
    before = base.position.copy()
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
        "start at a limit: elbow", "mimicking 'elbow'", "<transmission> in <robot> (1)",
        "<gazebo> in <robot> (1)", "colours", "visual geometry of links",
        "largest speeds", "no motor",
    ):  # fmt: skip
        assert what in told, told


@pytest.mark.parametrize("joint", ["shoulder", "rail"])
def test_a_limit_without_bounds_does_not_lock(tmp_path, joint):
    path = write_robot(tmp_path)
    for bounds in ('lower="-1.2" upper="0.9" ', 'lower="-0.1" upper="0.2" '):
        assert bounds in ROBOT
        path.write_text(path.read_text().replace(bounds, ""))
    robot = load_urdf(path, fixed_base=True, hold=True, configuration={joint: 0.3})
    assert robot.joints[joint].limits is None
    assert robot.configuration[joint] == 0.3
    assert robot.joints[joint].motor.limit == {"shoulder": 30.0, "rail": 50.0}[joint]
    told = "\n".join(robot.unsupported)
    assert "neither lower nor upper: these joints move freely" in told
    assert re.search(r"neither lower nor upper.*shoulder, rail", told)
    assert re.search(r"largest speeds of joints: .*shoulder", told)
    falling = load_urdf(path, fixed_base=True).scene().simulation()
    falling.run(0.1)
    upper = falling.bodies.angular_velocity[robot.bodies["upper"].index]
    assert np.linalg.norm(upper) > 0.1


def test_one_bound_of_a_limit_leaves_the_other_zero(tmp_path):
    path = write_robot(tmp_path)
    path.write_text(ROBOT.replace('lower="-1.2" upper="0.9" ', 'upper="0.9" '))
    assert load_urdf(path).joints["shoulder"].limits == (0.0, 0.9)


ROTOR = (
    '<link name="plate"><inertial><origin rpy="0 0 1"/><mass value="0"/>'
    '<inertia ixx="0.002" ixy="0" ixz="0" iyy="0.003" iyz="0" izz="0.004"/></inertial></link>'
)
"""Without mass or shape, as importers of CAD write motors."""


def with_rotor(folder):
    path = write_robot(folder)
    first = ROBOT.index('<link name="plate">')
    last = ROBOT.index("</link>", first) + len("</link>")
    path.write_text(ROBOT[:first] + ROTOR + ROBOT[last:])
    return path


def test_inertia_without_mass_joins_the_body_it_is_fixed_to(tmp_path):
    path = with_rotor(tmp_path)
    robot = load_urdf(path)
    bare = path.read_text().replace(ROTOR, '<link name="plate"/>')
    path.write_text(bare)
    plain = load_urdf(path)
    body, other = robot.bodies["upper"], plain.bodies["upper"]
    assert body == robot.bodies["plate"]
    assert body.mass == other.mass == 1.5
    # the bolt turns the plate by 0.5 about x, and its inertia by 1 about z in that
    c, s = np.cos(0.5), np.sin(0.5)
    bolt = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    c, s = np.cos(1.0), np.sin(1.0)
    turn = bolt @ np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    more = robot.world.bodies.inertia[body.index] - plain.world.bodies.inertia[other.index]
    assert more == pytest.approx(turn @ np.diag([0.002, 0.003, 0.004]) @ turn.T, abs=1e-12)
    told = "\n".join(robot.unsupported)
    assert "inertias without a mass: added to those of the bodies they are fixed to: plate" in told
    assert "without a mass" not in "\n".join(plain.unsupported)


def test_inertia_without_mass_that_is_not_taken_is_listed(tmp_path):
    path = write_robot(tmp_path)
    path.write_text(ROBOT.replace('<mass value="4"/>', '<mass value="0"/>'))
    told = "\n".join(load_urdf(path).unsupported)  # a base without mass is fixed
    assert "inertias without a mass: left out, as these links are fixed in the world: base" in told
    path.write_text(ROBOT.replace('<mass value="0.8"/>', '<mass value="0"/>'))
    told = "\n".join(load_urdf(path).unsupported)
    assert "inertias without a mass: those of the filled shapes are used: lower" in told
    path.write_text(ROBOT.replace('<mass value="0.3"/>', '<mass value="0"/>'))
    with pytest.raises(am.InputError, match=r"'slider' moves, but has no mass; give it a mass and"):
        load_urdf(path)
    path = with_rotor(tmp_path)
    path.write_text(path.read_text().replace('izz="0.004"', 'izz="-0.004"'))
    told = "\n".join(load_urdf(path).unsupported)
    assert "physically impossible inertias without a mass: left out: plate" in told


@pytest.mark.slow
def test_a_fixed_base_and_motors_that_hold(tmp_path):
    path = write_robot(tmp_path)
    robot = load_urdf(path, fixed_base=True, hold=True, configuration=WISHES)
    assert robot.world.bodies.fixed.tolist() == [True, False, False, False, False]
    assert robot.joints["shoulder"].motor.limit == 30.0
    sim = robot.scene().simulation()
    before = robot.pose("slider")[0]
    sim.run(0.2)
    assert robot.bodies["slider"].position == pytest.approx(before, abs=2e-3)
    sagging = load_urdf(path, fixed_base=True, configuration=WISHES).scene().simulation()
    sagging.run(0.2)
    assert np.abs(sagging.bodies.velocity).max() > 0.3


def test_handles_are_those_of_the_simulation_of_the_scene(tmp_path):
    """The first script of a roboticist: load, run, look at links and joints, push, go on."""
    robot = load_urdf(write_robot(tmp_path), fixed_base=True, configuration=WISHES)
    scene = robot.scene()
    sim = scene.simulation()
    assert sim.world is robot.world
    slider, before = robot.bodies["slider"], robot.pose("slider")[0]
    sim.run(0.1)
    assert np.abs(slider.position - before).max() > 1e-3
    assert slider.position.tolist() == sim.bodies.position[slider.index].tolist()
    assert robot.pose("slider")[0] == pytest.approx(slider.position, abs=1e-9)
    angle = sim.joints.angle[sim.joints.index("shoulder")]
    assert abs(angle) > 1e-3
    assert sim.joints.index(robot.joints["shoulder"]) == sim.joints.index("shoulder")
    R = am.interchange.robots.mechanism.Pose.of_quaternion((0, 0, 0), slider.orientation).rotation
    speed = slider.velocity @ R[:, 2]
    slider.velocity[:] = 0.0
    assert speed != 0.0
    assert not sim.bodies.velocity[slider.index].any()
    # the scene is still the start: copies, files and another run of the file begin there
    save_scene(scene, tmp_path / "robot.yaml")
    fresh = load_scene(tmp_path / "robot.yaml").world
    assert_same_world(scene.build(), fresh)
    assert fresh.body("slider").position == pytest.approx(before, abs=1e-12)
    for again in (scene, robot.scene()):
        with pytest.raises(am.InputError, match=r"moves the robot 'tester' already.*load the file"):
            again.simulation()


def test_joints_are_found_by_name_or_by_themselves(tmp_path):
    robot = load_urdf(write_robot(tmp_path))
    sim = robot.scene().simulation()
    for row, joint in enumerate(robot.world.joints):
        assert sim.joints.index(joint) == row
    other = load_urdf(write_robot(tmp_path)).joints["axle"]
    for wrong, words in (
        ("axel", "no joint called 'axel'"), (other, "Revolute 'axle' is not a joint of this"),
    ):  # fmt: skip
        with pytest.raises(am.InputError, match=words):
            sim.joints.index(wrong)


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


def test_contacts_of_links_are_those_of_bodies(tmp_path):
    path = write_robot(tmp_path)
    end = '<link name="upper">'
    assert end in ROBOT
    contact = """<contact><lateral_friction value="1.5"/><rolling_friction value="0.01"/>
        <stiffness value="2e4"/><damping value="100"/><contact_cfm value="0"/></contact>"""
    path.write_text(ROBOT.replace(end, end + contact))
    robot = load_urdf(path)
    assert robot.bodies["upper"].material == am.Material(
        friction=1.5, rolling_friction=0.01, compliance=5e-5, damping=5e-3
    )
    assert any("<contact_cfm> in <contact>" in line for line in robot.unsupported)
    assert not any("lateral_friction" in line for line in robot.unsupported)
    path.write_text(ROBOT.replace(end, end + contact.replace("1.5", "rough")))
    with pytest.raises(am.InputError, match="'upper', <contact>: lateral_friction is 'rough'"):
        load_urdf(path)


def test_bad_arguments_are_refused(tmp_path):
    path = write_robot(tmp_path)
    with pytest.raises(am.InputError, match=r"no joint 'knee'"):
        load_urdf(path, configuration={"knee": 1.0})
    with pytest.raises(am.InputError, match=r"cannot start at 3"):
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


CIRCLE = """<robot name="r">
  <link name="base"/><link name="arm"/><link name="c"/><link name="d"/>
  <joint name="j1" type="fixed"><parent link="base"/><child link="arm"/></joint>
  <joint name="j2" type="fixed"><parent link="c"/><child link="d"/></joint>
  <joint name="j3" type="fixed"><parent link="d"/><child link="c"/></joint>
</robot>
"""


def test_links_in_a_circle_beside_the_tree_are_refused(tmp_path):
    (tmp_path / "r.urdf").write_text(CIRCLE)
    with pytest.raises(am.InputError, match=r"from the root 'base' to 'c', 'd'.*circle"):
        load_urdf(tmp_path / "r.urdf")
