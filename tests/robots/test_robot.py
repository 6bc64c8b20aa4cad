"""`Robot`: joints as arrays, controls, reset, and equations of motion against MuJoCo's."""

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import amontons as am

CRAWLER = """
<mujoco><option timestep="0.001"/><worldbody>
<body name="trunk" pos="0 0 1"><freejoint name="float"/><geom type="box" size=".2 .1 .1" mass="3"/>
  <body name="thigh" pos=".2 0 0">
    <joint name="hip" axis="0 1 0" pos="0.02 0 0" armature="0.1"/>
    <geom type="capsule" size=".03" fromto="0 0 0 .1 .2 -.3" mass="1"/>
    <body name="shin" pos=".1 .2 -.3">
      <joint name="ram" type="slide" axis="1 0 1"/>
      <geom type="capsule" size=".03" fromto="0 0 0 .1 0 -.3" mass="0.7"/>
      <body name="foot" pos=".1 0 -.3">
        <joint name="ankle" axis="1 0.2 0"/>
        <geom type="capsule" size=".03" fromto="0 0 0 0 0.2 -.1" mass="0.5"/>
      </body>
    </body>
  </body>
  <body name="tail" pos="-.2 0 0">
    <joint name="wag" axis="0 0 1"/>
    <geom type="capsule" size=".03" fromto="0 0 0 -.1 .2 -.3" mass="1"/>
  </body>
</body></worldbody></mujoco>
"""

ARM = """
<mujoco><option timestep="0.002"/><worldbody>
<body name="upper" pos="0 0 1">
  <joint name="shoulder" axis="0 1 0" damping="0.3"/>
  <geom type="capsule" size=".03" fromto="0 0 0 .4 0 0" mass="2" contype="0" conaffinity="0"/>
  <body name="fore" pos=".4 0 0">
    <joint name="elbow" axis="0 1 0" range="-150 150" limited="true"/>
    <geom type="capsule" size=".02" fromto="0 0 0 .3 0 0" mass="1" contype="0" conaffinity="0"/>
  </body>
</body></worldbody>
<actuator>{}</actuator></mujoco>
"""
TORQUES = (
    '<motor name="s" joint="shoulder" gear="2"/>'
    '<motor name="e" joint="elbow" ctrllimited="true" ctrlrange="-30 30"/>'
)


class Twin:
    """The crawler here and in MuJoCo, in the same state."""

    def __init__(self, q, qd, base):
        self.robot = am.Robot.load(CRAWLER)
        self.sim = self.robot.simulation()
        self.robot.reset(q, qd)
        self.robot.bodies["trunk"].velocity = base[:3]
        self.robot.bodies["trunk"].angular_velocity = base[3:]
        self.model = mujoco.MjModel.from_xml_string(CRAWLER)
        self.data = mujoco.MjData(self.model)
        self.data.qvel[:6] = base  # its turning is in the trunk's axes, which are the world's here
        for name, value, speed in zip(self.robot.joint_names, q, qd, strict=True):
            self.data.joint(name).qpos, self.data.joint(name).qvel = value, speed
        mujoco.mj_forward(self.model, self.data)
        own = [int(self.model.joint(name).dofadr[0]) for name in self.robot.joint_names]
        self.order = [*range(6), *own]

    def velocities(self):
        return np.concatenate([self.data.qvel[:6], self.data.qvel[self.order[6:]]])


numbers = st.integers(0, 2**32 - 1)


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(numbers)
def test_equations_of_motion_are_those_of_mujoco(seed):
    rng = np.random.default_rng(seed)
    twin = Twin(rng.uniform(-1.5, 1.5, 4), rng.uniform(-3, 3, 4), np.zeros(6))
    # bodies below a base that is pushed move with it: the state is written through the tree
    robot, model, data = twin.robot, twin.model, twin.data
    for name in ("trunk", "thigh", "shin", "foot", "tail"):
        assert np.allclose(robot.pose(name)[0], data.body(name).xpos, rtol=0, atol=1e-12)
    size = model.nv
    mass = np.empty((size, size))
    for i in range(size):
        column, unit = np.zeros(size), np.eye(size)[i]
        mujoco.mj_mulM(model, data, column, unit)
        mass[:, i] = column
    pick = np.ix_(twin.order, twin.order)
    assert np.allclose(robot.mass_matrix(), mass[pick], rtol=0, atol=1e-9)
    assert np.allclose(robot.inverse_dynamics(), data.qfrc_bias[twin.order], rtol=0, atol=1e-9)
    wanted = rng.uniform(-5, 5, size)
    data.qacc[:] = 0.0
    data.qacc[twin.order] = wanted
    found = np.zeros(size)
    mujoco.mj_rne(model, data, 1, found)
    # MuJoCo's mj_rne leaves the armature out
    found += model.dof_armature * data.qacc
    assert np.allclose(robot.inverse_dynamics(wanted), found[twin.order], rtol=0, atol=1e-9)
    local = rng.uniform(-1, 1, 3)
    body = data.body("foot")
    point = body.xpos + body.xmat.reshape(3, 3) @ local
    linear, angular = np.zeros((3, size)), np.zeros((3, size))
    mujoco.mj_jac(model, data, linear, angular, point, body.id)
    both = np.vstack([linear, angular])[:, twin.order]
    assert np.allclose(robot.jacobian("foot", local), both, rtol=0, atol=1e-9)


def test_moving_base_counts_in_the_bias_forces():
    base = np.array([0.3, -0.4, 0.5, 1.0, -2.0, 0.7])
    twin = Twin(np.array([0.3, 0.1, -0.4, 0.8]), np.array([1.0, -0.5, 2.0, 0.3]), base)
    robot = twin.robot
    # speeds of the links relative to the base stay: they are written through the Jacobian
    for name in ("thigh", "shin", "foot", "tail"):
        body = robot.bodies[name]
        centre = body.position - robot.pose(name)[0]
        local = np.linalg.solve(_rotation(robot.pose(name)[1]), centre)
        twist = robot.jacobian(name, local) @ twin.velocities()
        body.velocity, body.angular_velocity = twist[:3], twist[3:]
    assert np.allclose(robot.velocities, twin.velocities(), atol=1e-12)
    bias = twin.data.qfrc_bias[twin.order]
    assert np.allclose(robot.inverse_dynamics(), bias, rtol=0, atol=1e-9)


def _rotation(quaternion):
    matrix = np.zeros(9)
    mujoco.mju_quat2Mat(matrix, np.asarray(quaternion))
    return matrix.reshape(3, 3)


def test_controls_keep_the_order_of_the_files_actuators():
    """Even where each is named after its joint, as in gymnasium's humanoid."""
    named = '<motor name="elbow" joint="elbow"/><motor name="shoulder" joint="shoulder"/>'
    robot = am.Robot.load(ARM.format(named))
    sim = robot.simulation()
    assert robot.joint_names == ("shoulder", "elbow")
    assert robot.control_names == ("elbow", "shoulder")
    robot.ctrl = [0.25, 0.5]
    sim.step()
    assert robot.named(robot.tau) == pytest.approx({"shoulder": 0.5, "elbow": 0.25})


def test_readings_cannot_be_written_into():
    """In MuJoCo one writes data.ctrl[0] = …; here that would go into a copy and be lost."""
    robot = am.Robot.load(ARM.format(TORQUES))
    sim = robot.simulation()
    robot.ctrl = [1.0, 2.0]
    sim.step()
    for reading in (robot.q, robot.qd, robot.tau, robot.ctrl):
        with pytest.raises(ValueError, match="read-only"):
            reading[0] = 1.0
    for name in ("q", "qd"):
        with pytest.raises(am.InputError, match=r"robot\.reset\(q, qd\)"):
            setattr(robot, name, [0.0, 0.0])
    robot.ctrl = {"e": 3.0}
    assert robot.ctrl.tolist() == [1.0, 3.0]


def test_actuators_without_names_are_called_after_their_joints():
    motors = '<motor joint="elbow"/><motor joint="shoulder"/>'
    assert am.Robot.load(ARM.format(motors)).control_names == ("elbow", "shoulder")
    taken = '<motor joint="elbow"/><motor name="elbow" joint="shoulder"/>'
    names = am.Robot.load(ARM.format(taken)).control_names
    assert names == ("actuator 0 of the file", "elbow")


def test_arrays_go_by_the_files_count_and_by_name():
    robot = am.Robot.load(ARM.format(TORQUES), configuration={"shoulder": 0.4, "elbow": -0.2})
    sim = robot.simulation()
    assert robot.joint_names == ("shoulder", "elbow")
    assert robot.control_names == ("s", "e")
    assert np.allclose(robot.q, [0.4, -0.2], atol=1e-12)
    robot.reset({"elbow": 1.0}, [0.1, 0.2])
    assert np.allclose(robot.q, [0.4, 1.0], atol=1e-12)
    assert np.allclose(robot.qd, [0.1, 0.2], atol=1e-12)
    assert robot.named(robot.q).keys() == {"shoulder", "elbow"}
    assert np.isnan(robot.ctrl).all()
    robot.ctrl = {"s": 1.5, "e": 99.0}
    assert robot.ctrl.tolist() == [1.5, 30.0]  # its range ends there
    sim.step()
    assert np.allclose(robot.tau, [3.0, 30.0], rtol=1e-12)  # the gear doubles the first
    assert robot.joints["elbow"].effort == robot.tau[1]
    assert robot.joints["elbow"].position + 0.2 == pytest.approx(robot.q[1] + 0.4, abs=1e-12)


@pytest.mark.parametrize(
    ("what", "message"),
    [
        (lambda robot: robot.reset([1.0]), r"q must have shape \(2,\)"),
        (lambda robot: robot.reset({"knee": 1.0}), "no joint 'knee'; it has shoulder, elbow"),
        (lambda robot: setattr(robot, "ctrl", {"k": 1.0}), "no control 'k'; it has s, e"),
        (lambda robot: setattr(robot, "ctrl", [np.nan, 0.0]), "ctrl"),
        (lambda robot: robot.reset({"elbow": 3.0}), "q of 'elbow' is 3, beyond its limits -2.6"),
        (lambda robot: robot.jacobian("hand"), "no link 'hand'; it has upper, fore"),
        (lambda robot: robot.reset(position=(0, 0, 1)), "0 free bodies"),
    ],
)
def test_what_is_wrong_is_said(what, message):
    robot = am.Robot.load(ARM.format(TORQUES))
    sim = robot.simulation()
    before = sim.state.hash()
    with pytest.raises(am.InputError, match=message):
        what(robot)
    assert sim.state.hash() == before


def test_robot_without_simulation_says_what_to_do():
    robot = am.Robot.load(ARM.format(TORQUES))
    with pytest.raises(am.InputError, match=r"sim = robot.simulation\(\)"):
        _ = robot.q


def test_reset_forgets_all_that_went_before():
    robot = am.Robot.load(ARM.format(TORQUES))
    sim = robot.simulation()
    fresh = sim.state.copy()
    runs = []
    for spoil in (False, True):
        if spoil:
            robot.ctrl = [8.0, -3.0]
            sim.run(0.3)
            robot.reset({"shoulder": 7.0})  # over a full turn
        sim.state = fresh
        robot.reset([0.3, -0.5], [1.0, 0.0])
        robot.ctrl = [1.0, 1.0]
        sim.run(0.1)
        runs.append((robot.q, robot.qd))
    assert np.array_equal(runs[0], runs[1])


def test_full_turns_survive_a_reset():
    robot = am.Robot.load(ARM.format(TORQUES))
    sim = robot.simulation()
    robot.reset({"shoulder": 7.0})
    assert robot.q[0] == pytest.approx(7.0, abs=1e-9)
    sim.step()
    assert robot.q[0] == pytest.approx(7.0, abs=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("compensated", [True, False])
def test_arm_holds_a_pose_with_gravity_compensation(compensated):
    robot = am.Robot.load(ARM.format(TORQUES))
    sim = robot.simulation()
    goal = np.array([0.4, -0.9])
    robot.reset(goal)
    for _ in range(250):
        effort = 60.0 * (goal - robot.q) - 6.0 * robot.qd
        robot.ctrl = (effort + compensated * robot.gravity_compensation()) / [2.0, 1.0]
        sim.step()
    off = np.abs(robot.q - goal).max()
    assert off < 1e-9 if compensated else off > 0.05  # a PD controller alone sags


@pytest.mark.slow
@pytest.mark.parametrize("place", [((0, 0, 0), (1, 0, 0, 0)), ((1, 2, 0.5), (0.8, 0, 0.6, 0))])
def test_computed_torque_goes_where_it_should_wherever_the_robot_stands(place):
    robot = am.Robot.load(
        ARM.format(TORQUES), world=am.World(), position=place[0], orientation=place[1]
    )
    sim = robot.simulation()
    goal = np.array([0.4, -0.9])
    for _ in range(250):
        wanted = 900.0 * (goal - robot.q) - 60.0 * robot.qd
        damper = np.array([0.3, 0.0]) * robot.qd  # the shoulder's
        robot.ctrl = (robot.inverse_dynamics(wanted) + damper) / [2.0, 1.0]
        sim.step()
    assert np.allclose(robot.q, goal, rtol=0, atol=1e-4)


def test_closed_loop_goes_on_from_a_checkpoint_bit_for_bit(tmp_path):
    def made():
        robot = am.Robot.load(ARM.format(TORQUES))
        for name, joint in robot.imported.joints.items():
            robot.world.add_sensor(am.JointSensor(joint, name=name))
        return robot, robot.simulation()

    def control(robot, sim, steps):
        for _ in range(steps):
            read = np.array([sim.sensors["shoulder"], sim.sensors["elbow"]])
            read = np.nan_to_num(read)
            robot.ctrl = 30.0 * (0.5 - read[:, 0]) - 2.0 * read[:, 1] - 0.1 * read[:, 2]
            sim.step()

    robot, sim = made()
    control(robot, sim, 100)
    sim.save(tmp_path / "half.npz")
    control(robot, sim, 100)
    other, again = made()
    again.restore(tmp_path / "half.npz")
    assert np.isfinite(other.ctrl).all()  # it remembers what it was told
    control(other, again, 100)
    assert again.state.equals(sim.state)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("servo", "told"),
    [
        ('<position name="s" joint="shoulder" kp="60" kv="5"/>', 0.5),
        ('<velocity name="s" joint="shoulder" kv="8"/>', 0.7),
        (
            '<general name="s" joint="shoulder" gainprm="3" biastype="affine" biasprm="1 -20 -2"/>',
            2,
        ),
    ],
)
def test_servos_act_as_in_mujoco(servo, told):
    def here(step):
        robot = am.Robot.load(ARM.format(servo).replace("0.002", str(step)))
        sim = robot.simulation()
        robot.ctrl = [told]
        sim.run(0.3)
        return robot.q

    fine = ARM.format(servo).replace('"0.002"', '"0.0001" integrator="RK4"')
    model = mujoco.MjModel.from_xml_string(fine)
    data = mujoco.MjData(model)
    data.ctrl[:] = told
    for _ in range(3000):
        mujoco.mj_step(model, data)
    coarse, half = here(1e-3), here(5e-4)
    # of first order in the step: the limit is the same
    assert np.allclose(2.0 * half - coarse, data.qpos, rtol=0, atol=2e-4)
    assert np.abs(coarse - data.qpos).max() < 2e-2
    assert np.abs(data.qpos).max() > 0.1


@pytest.mark.slow
def test_armature_swings_as_in_mujoco():
    text = """<mujoco><option timestep="0.001"/><worldbody><body pos="0 0 2">
    <joint name="h" axis="0 1 0" armature="{}"/>
    <geom type="capsule" size="0.03" fromto="0 0 0 0 0 -1" mass="2"/></body></worldbody></mujoco>"""
    ends = []
    for armature in (0.0, 0.3):
        robot = am.Robot.load(text.format(armature), configuration={"h": 1.0})
        sim = robot.simulation()
        model = mujoco.MjModel.from_xml_string(text.format(armature))
        data = mujoco.MjData(model)
        data.qpos[0], worst = 1.0, 0.0
        for _ in range(1000):
            sim.step()
            mujoco.mj_step(model, data)
            worst = max(worst, abs(robot.q[0] - data.qpos[0]))
        assert worst < 1e-3
        ends.append(robot.q[0])
    assert abs(ends[0] - ends[1]) > 0.05  # the rotor makes a difference


def test_loops_and_balls_are_refused_with_their_names():
    ball = CRAWLER.replace('<joint name="wag" axis="0 0 1"/>', '<joint name="wag" type="ball"/>')
    robot = am.Robot.load(ball)
    sim = robot.simulation()
    sim.step()
    assert robot.joint_names == ("hip", "ram", "ankle")
    with pytest.raises(am.InputError, match=r"'wag' of robot .* is neither a hinge nor a slide"):
        robot.mass_matrix()


def test_controls_of_urdf_go_limb_by_limb_as_joints_do(tmp_path):
    links = "".join(
        f"""<link name="{name}"><inertial><mass value="1"/>
        <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link>"""
        for name in ("thigh_l", "thigh_r", "shin_l", "shin_r")
    )
    joints = "".join(
        f"""<joint name="{name}" type="continuous"><parent link="{a}"/><child link="{b}"/>
        <origin xyz="0.3 {y} 0"/><axis xyz="0 1 0"/><limit effort="9" velocity="1"/></joint>"""
        for name, a, b, y in (
            ("hip_l", "base", "thigh_l", 0.1), ("hip_r", "base", "thigh_r", -0.1),
            ("knee_l", "thigh_l", "shin_l", 0), ("knee_r", "thigh_r", "shin_r", 0),
        )
    )  # fmt: skip
    path = tmp_path / "legs.urdf"
    path.write_text(f'<robot name="legs"><link name="base"/>{links}{joints}</robot>')
    robot = am.Robot.load(path, motors="torque")
    sim = robot.simulation()
    assert robot.joint_names == robot.control_names == ("hip_l", "knee_l", "hip_r", "knee_r")
    robot.ctrl = [1.0, 2.0, 3.0, 99.0]
    sim.step()
    assert np.allclose(robot.tau, [1.0, 2.0, 3.0, 9.0])  # no more than its effort
    by_position = am.Robot.load(path, motors=am.PositionMotor(position=0.0), world=robot.world)
    by_position.ctrl = {"knee_r": 0.05}
    sim.run(0.3)
    assert by_position.q == pytest.approx([0.0, 0.0, 0.0, 0.05], abs=1e-6)
    assert by_position.joints["knee_r"].motor == "position"
