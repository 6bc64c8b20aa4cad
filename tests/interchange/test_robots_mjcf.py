"""MJCF: what mujoco compiles is what stands in our world, and it moves as mujoco moves it."""

import numpy as np
import pytest

import amontons as am
from amontons.interchange import load_mjcf, load_scene, save_scene
from amontons.interchange.robots.mechanism import Pose, steiner
from amontons.interchange.robots.mjcf_names import body_name
from helpers.robot_files import ARM, public
from helpers.scene_files import assert_same_world

mujoco = pytest.importorskip("mujoco")

ASSETS = ("gymnasium", "envs", "mujoco", "assets")
PUBLIC = ("humanoid.xml", "walker2d.xml", "ant.xml", "half_cheetah.xml", "hopper.xml")


def as_mujoco_reads(path, configuration):
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    for name, value in configuration.items():
        data.qpos[model.jnt_qposadr[model.joint(name).id]] = value
    mujoco.mj_forward(model, data)
    return model, data


@pytest.fixture
def write(tmp_path):
    def written(text, name="model.xml"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return written


@pytest.mark.parametrize("name", PUBLIC)
def test_public_models_are_what_mujoco_reads(name):
    path = public(*ASSETS, name)
    robot = load_mjcf(path)
    model, data = as_mujoco_reads(path, robot.configuration)
    assert_same_kinematics(robot, model, data)
    assert_same_inertias(robot, model, data)
    assert_same_joints(robot, model, data)
    assert robot.step == model.opt.timestep
    assert robot.world.gravity == pytest.approx(model.opt.gravity)


def assert_same_kinematics(robot, model, data):
    masses, places = robot.world.bodies.mass, robot.world.bodies.position
    moving = np.isfinite(masses)
    total = masses[moving].sum()
    assert total == pytest.approx(model.body_subtreemass[0], rel=1e-12)
    centre = masses[moving] @ places[moving] / total
    assert centre == pytest.approx(data.subtree_com[0], abs=1e-9)
    for number in range(1, model.nbody):
        position, turn = robot.pose(body_name(model, number))
        assert position == pytest.approx(data.xpos[number], abs=1e-9)
        assert abs(turn @ data.xquat[number]) == pytest.approx(1.0, abs=1e-9)


def assert_same_inertias(robot, model, data):
    """Each body, with the small ones between its axes, is the sum of its links."""
    world = robot.world
    for body in {each.id: each for each in robot.bodies.values()}.values():
        if not np.isfinite(body.mass):
            continue
        links = [name for name, carrier in robot.bodies.items() if carrier == body]
        ours = [body.id, *small_ones(world, links)]
        theirs = [i for i in range(1, model.nbody) if body_name(model, i) in links]
        mine = inertia_of(
            (world.bodies.mass[row], world.bodies.position[row], in_world(world, row))
            for row in map(world.bodies.index, ours)
        )
        yours = inertia_of(
            (
                model.body_mass[i],
                data.xipos[i],
                data.ximat[i].reshape(3, 3)
                @ np.diag(model.body_inertia[i])
                @ data.ximat[i].reshape(3, 3).T,
            )
            for i in theirs
        )
        for own, other in zip(mine, yours, strict=True):
            assert own == pytest.approx(other, abs=1e-9)


def small_ones(world, links):
    names = [world.name_of(int(id)) for id in world.bodies.id]
    return [
        int(id)
        for id, name in zip(world.bodies.id, names, strict=True)
        if any(name.startswith(f"{link} after ") for link in links)
    ]


def in_world(world, row):
    R = Pose.of_quaternion((0, 0, 0), world.bodies.orientation[row]).rotation
    return R @ world.bodies.inertia[row] @ R.T


def inertia_of(parts):
    parts = list(parts)
    mass = sum(each for each, _, _ in parts)
    centre = sum(each * at for each, at, _ in parts) / mass
    return mass, centre, sum(own + each * steiner(at - centre) for each, at, own in parts)


def assert_same_joints(robot, model, data):
    free = int((model.jnt_type == int(mujoco.mjtJoint.mjJNT_FREE)).sum())
    assert len(robot.joints) == model.njnt - free
    for number in range(model.njnt):
        name = model.joint(number).name
        if name not in robot.joints:
            continue
        joint, start = robot.joints[name], robot.configuration[name]
        assert joint.axis == pytest.approx(data.xaxis[number], abs=1e-9)
        assert joint.point == pytest.approx(data.xanchor[number], abs=1e-9)
        if model.jnt_limited[number]:
            assert np.add(joint.limits, start) == pytest.approx(model.jnt_range[number], abs=1e-9)
        else:
            assert joint.limits is None
        hinge = model.jnt_type[number] == int(mujoco.mjtJoint.mjJNT_HINGE)
        assert isinstance(joint, am.Revolute if hinge else am.Prismatic)
        driven = number in model.actuator_trnid[:, 0]
        assert (joint.motor is not None) == driven
        damping = model.dof_damping[model.jnt_dofadr[number]]
        stiffness = model.jnt_stiffness[number]
        spring = [each for each in robot.world.joints if each.name == f"{name} (spring)"]
        assert bool(spring) == bool(damping or stiffness)
        if spring and hinge:
            assert (spring[0].damping, spring[0].stiffness) == (damping, stiffness)


@pytest.mark.slow
def test_the_humanoid_falls():
    robot = load_mjcf(public(*ASSETS, "humanoid.xml"))
    told = "\n".join(robot.unsupported)
    for what in ("tendons (2)", "right_knee, left_knee", "several joints", "margins"):
        assert what in told
    sim = robot.scene().simulation()
    torso = robot.bodies["torso"]
    start = float(torso.position[2])
    sim.run(1.0)
    assert 0.05 < torso.position[2] < 0.6 * start
    assert sim.readings.joint_error.max() < 1e-3
    assert sim.readings.penetration.max() < 5e-3
    energy = sim.readings.energy
    assert np.diff(energy).max() < 0.01 * energy[0]  # nothing drives it


@pytest.mark.slow
def test_the_walker_stands_for_a_while():
    robot = load_mjcf(public(*ASSETS, "walker2d.xml"))
    sim = robot.scene().simulation()
    start = robot.pose("torso")[0][2]
    sim.run(0.3)
    assert robot.bodies["torso"].position[2] == pytest.approx(start, abs=0.06)
    weight = 9.81 * sim.bodies.mass[sim.bodies.dynamic].sum()
    assert sim.contacts.normal_force.sum() == pytest.approx(weight, rel=0.02)


def test_the_ant_comes_to_rest_as_high_as_in_mujoco():
    path = public(*ASSETS, "ant.xml")
    robot = load_mjcf(path)
    model, data = as_mujoco_reads(path, robot.configuration)
    sim = robot.scene().simulation()
    sim.run(1.5)
    while data.time < 6.0:  # its rotors make it fall more slowly there
        mujoco.mj_step(model, data)
    assert np.abs(sim.bodies.velocity).max() < 1e-2
    assert robot.bodies["torso"].position[2] == pytest.approx(data.body("torso").xpos[2], abs=0.02)


@pytest.mark.slow
def test_an_arm_swings_as_in_mujoco(write):
    path = write(ARM)
    start = {"lift": 0.3, "elbow": -0.5}
    robot = load_mjcf(path, configuration=start)
    model, data = as_mujoco_reads(path, robot.configuration)
    assert_same_inertias(robot, model, data)
    assert robot.bodies["tip"] == robot.bodies["lower"]
    assert "visual geometry of bodies" in "\n".join(robot.unsupported)
    model.opt.timestep = 1e-4
    while data.time < 0.3 - 1e-9:
        mujoco.mj_step(model, data)

    def swung(step):
        arm = load_mjcf(path, configuration=start)
        am.Simulation(arm.world, step=step, solver=am.InteriorPoint(tolerance=1e-8)).run(0.3)
        return np.array([arm.pose(name)[0] for name in ("upper", "lower", "weight")])

    there = np.array([data.body(name).xpos for name in ("upper", "lower", "weight")])
    coarse, fine = swung(4e-3), swung(2e-3)
    assert fine == pytest.approx(there, abs=4e-3)
    # the method is of first order: what is left at a step of zero is what the small bodies do
    assert 2.0 * fine - coarse == pytest.approx(there, abs=3e-4)


def test_handles_are_those_of_the_simulation_of_the_scene(write):
    """Also in MJCF: what is looked at after a run is where mujoco has it."""
    path, start = write(ARM), {"lift": 0.3, "elbow": -0.5}
    robot = load_mjcf(path, configuration=start)
    model, data = as_mujoco_reads(path, robot.configuration)
    sim = robot.scene().simulation()
    upper, before = robot.bodies["upper"], robot.pose("weight")[0]
    sim.run(0.1)
    assert sim.world is robot.world
    assert np.shares_memory(upper.position, sim.bodies.position)
    while data.time < 0.1 - 1e-9:
        mujoco.mj_step(model, data)
    for name in ("upper", "lower", "weight"):
        assert robot.pose(name)[0] == pytest.approx(data.body(name).xpos, abs=5e-3)
    assert np.abs(robot.pose("weight")[0] - before).max() > 0.02
    elbow = sim.joints.angle[sim.joints.index(robot.joints["elbow"])]
    assert elbow + start["elbow"] == pytest.approx(data.joint("elbow").qpos[0], abs=0.02)


FILTERS = """<mujoco><worldbody>
<geom name="floor" type="plane" size="1 1 1" contype="1" conaffinity="2"/>
{}
</worldbody>
<contact><exclude body1="b0" body2="b3"/></contact></mujoco>"""


def test_collision_filters_are_those_of_mujoco(write):
    bits = [(1, 1), (2, 2), (1, 2), (3, 0), (0, 1), (0, 0)]
    bodies = "".join(
        f'<body name="b{i}" pos="{3 * i} 0 1"><freejoint/>'
        f'<geom size=".1" contype="{a}" conaffinity="{b}"/></body>'
        for i, (a, b) in enumerate(bits)
    )
    robot = load_mjcf(write(FILTERS.format(bodies)))
    world = robot.world
    group, mask = world.bodies.group.astype(int), world.bodies.mask.astype(int)
    filters = [(1, 2), *bits]
    rows = [robot.bodies[name].index for name in ("world", *(f"b{i}" for i in range(6)))]
    for i, (a, b) in enumerate(filters):
        for j, (c, d) in enumerate(filters[:i]):
            meet = bool(a & d or c & b)
            ours = group[rows[i]] & mask[rows[j]] and group[rows[j]] & mask[rows[i]]
            assert bool(ours) == meet, (i, j)
    pairs = [set(joint.bodies) for joint in world.joints if not joint.collide]
    assert {robot.bodies["b0"].id, robot.bodies["b3"].id} in pairs


EVERYTHING = """<mujoco model="all">
<asset>
  <mesh name="wedge" vertex="0 0 0  .1 0 0  0 .1 0  0 0 .1"/>
  <hfield name="hills" nrow="3" ncol="4" size="2 1 .5 .1" elevation="0 1 2 3 4 5 6 7 8 9 10 11"/>
</asset>
<worldbody>
  <geom type="hfield" hfield="hills" pos="0 0 -3"/>
  <body name="a" pos="0 0 1"><joint name="ball" type="ball" damping="0.3"/>
    <geom type="mesh" mesh="wedge" friction=".7 .02 .001" condim="6"/>
    <site name="s"/>
    <body name="b" pos="0 0 .5"><joint name="servo" axis="1 0 0" ref="20"/>
      <geom size=".05" pos="0 0 .1" friction=".7 .02 .001"/></body>
  </body>
  <body name="c" pos="1 0 1"><freejoint name="free"/><geom size=".1" gap=".01"/></body>
  <body name="d" pos="1 0 1.3"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
</worldbody>
<actuator>
  <position name="p" joint="servo" kp="3" kv=".4" forcerange="-2 2" ctrlrange="-1 1"/>
  <velocity name="v" joint="servo" kv="1"/>
</actuator>
<equality>
  <weld name="glue" body1="c" body2="d"/>
  <connect name="pin" body1="c" body2="a" anchor="0 0 0"/>
  <joint name="tied" joint1="servo"/>
</equality>
<keyframe><key name="fast" qpos="1 0 0 0 .2 1 0 1 1 0 0 0 1 0 1.3 1 0 0 0"
  qvel="0 0 0 0 1 2 3 4 5 6 1 2 3 4 5 6"/></keyframe>
</mujoco>"""


def test_all_sorts_of_things(write):
    robot = load_mjcf(write(EVERYTHING), controls={"p": 5.0})
    world = robot.world
    shapes = {name: type(robot.bodies[name].shape) for name in robot.bodies}
    assert shapes["world"] is am.Compound
    ground = robot.bodies["world"].shape.parts[0].shape
    assert ground.heights.shape == (4, 3)
    assert ground.heights.max() == pytest.approx(0.5)
    assert isinstance(robot.joints["ball"], am.Spherical)
    servo = robot.joints["servo"].motor
    start = np.radians(20.0)
    assert robot.configuration["servo"] == pytest.approx(start)
    assert (servo.stiffness, servo.damping, servo.limit) == (3.0, 0.4, 2.0)
    assert servo.position == pytest.approx(1.0 - start)  # its control is cut off at 1
    assert isinstance(robot.joints["glue"], am.Fixed)
    assert isinstance(robot.joints["pin"], am.Spherical)
    material = world.materials.list[world.bodies.material[robot.bodies["a"].index]]
    assert material == am.Material(friction=0.7, spinning_friction=0.02, rolling_friction=0.001)
    assert world.materials.rules["friction"] == "maximum"
    told = "\n".join(robot.unsupported)
    for what in ("second actuators of joints: v", "tied", "sites (1)", "gaps", "keyframes"):
        assert what in told, told
    save_scene(robot.scene(), world_file := write("", "again.yaml"))
    assert_same_world(world, load_scene(world_file).world)


MERGED = """<mujoco><worldbody>
<body name="frame" pos="0 0 1"><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
  <body name="skid"><geom size=".1" friction=".3" contype="2" conaffinity="2"/></body>
  <body name="heel" pos="1 0 0"><geom size=".1" friction="{}" contype="2" conaffinity="2"/></body>
</body></worldbody>
<worldbody><body name="pendulum" pos="5 0 0"><joint name="hinge" axis="0 1 0"/>
  <geom size=".1" pos="0 0 -1" mass="2"/></body></worldbody>
<actuator><motor name="m" joint="hinge" gear="2" ctrlrange="-1 1"/></actuator></mujoco>"""


def test_bodies_that_move_as_one_share_a_surface(write):
    robot = load_mjcf(write(MERGED.format(".3")))
    row = robot.bodies["frame"].index
    assert robot.bodies["skid"] == robot.bodies["heel"] == robot.bodies["frame"]
    assert robot.world.materials.list[robot.world.bodies.material[row]].friction == 0.3
    other = robot.bodies["pendulum"].index
    assert not robot.world.bodies.group[row] & robot.world.bodies.mask[other]
    assert not any("differ" in line for line in robot.unsupported)
    robot = load_mjcf(write(MERGED.format(".4")))
    assert any("differ within a body" in line for line in robot.unsupported)


def test_controls_may_be_functions_of_time(write):
    motor = (
        load_mjcf(write(MERGED.format(1)), controls={"m": lambda t: 3.0 * t}).joints["hinge"].motor
    )
    assert [motor.torque(t) for t in (0.0, 0.1, 5.0)] == pytest.approx([0.0, 0.6, 2.0])
    assert (
        load_mjcf(write(MERGED.format(1)), controls={"m": 0.5}).joints["hinge"].motor.torque == 1.0
    )


def test_a_keyframe_sets_places_and_velocities(write):
    path = write(EVERYTHING.replace("<weld", "<weld active='false'"))
    robot = load_mjcf(path, keyframe="fast")
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_forward(model, data)
    for name in ("c", "d", "b"):
        body, twist = robot.bodies[name], np.zeros(6)
        kind = mujoco.mjtObj.mjOBJ_XBODY
        mujoco.mj_objectVelocity(model, data, kind, model.body(name).id, twist, 0)
        arm = body.position - data.body(name).xpos
        assert body.angular_velocity == pytest.approx(twist[:3], abs=1e-12)
        assert body.velocity == pytest.approx(twist[3:] + np.cross(twist[:3], arm), abs=1e-12)
    with pytest.raises(am.InputError, match=r"no keyframe 'slow'; it has fast"):
        load_mjcf(path, keyframe="slow")


def test_bad_files_and_arguments_are_refused(write):
    with pytest.raises(am.FileFormatError, match=r"model\.xml cannot be read as MJCF"):
        load_mjcf(write("<mujoco><worldbody><body></worldbody></mujoco>"))
    with pytest.raises(am.InputError, match=r"no MJCF file"):
        load_mjcf("nowhere.xml")
    path = write(ARM)
    with pytest.raises(am.InputError, match=r"no actuator 'p'"):
        load_mjcf(path, controls={"p": 1.0})
    with pytest.raises(am.InputError, match=r"no joint 'knee'"):
        load_mjcf(path, configuration={"knee": 1.0})
    with pytest.raises(am.InputError, match=r"'lift' cannot start at 4"):
        load_mjcf(path, configuration={"lift": 4.0})
