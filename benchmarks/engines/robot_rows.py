"""The rows of the robot table: how each engine builds the same machine.

A builder takes the time step [s], and for amontons how steps are taken, and returns a `Machine`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

import amontons as am


class Machine(NamedTuple):
    """One machine in one engine."""

    step: Callable[[], object]
    height: Callable[[], float]
    """Of the body that shows what the machine does [m]: engines should agree on it."""
    many: Callable[[int], object] | None = None
    """Takes so many steps in one call, where the engine can."""
    sim: am.Simulation | None = None


Builder = Callable[..., Machine]

PENDULUM = """<mujoco><worldbody><body pos="0 0 2"><joint type="hinge" axis="0 1 0"/>
  <geom type="capsule" fromto="0 0 0 1 0 0" size="0.03" density="1000"/></body>
  </worldbody></mujoco>"""
CUBE = """<mujoco><worldbody><geom type="plane" size="0 0 1"/><body pos="0 0 0.1"><freejoint/>
  <geom type="box" size="0.1 0.1 0.1" density="1000"/></body></worldbody></mujoco>"""


@dataclass(frozen=True, kw_only=True)
class Row:
    """One machine."""

    title: str
    step: float = 0.002
    """The same for all engines [s]."""
    before: float = 0.2
    """Simulated before it is timed [s]."""
    amontons: Builder
    mujoco: Builder | None = None
    pybullet: Builder | None = None


# -- amontons -------------------------------------------------------------------------------------


def _amontons(world: am.World, step: float, height: Callable[[], float], **how: object) -> Machine:
    sim = am.Simulation(world, step=step, **how)
    return Machine(sim.step, height, sim.advance, sim)


def _amontons_pendulum(step: float, **how: object) -> Machine:
    world = am.World()
    rod = world.add_body(
        am.Capsule(0.03, 1.0),
        density=1000.0,
        position=(0.5, 0.0, 2.0),
        orientation=(0.5**0.5, 0.0, 0.5**0.5, 0.0),
    )
    world.add_joint(am.Revolute(None, rod, point=(0.0, 0.0, 2.0), axis=(0.0, 1.0, 0.0)))
    return _amontons(world, step, lambda: float(rod.position[2]), **how)


def _amontons_cube(step: float, **how: object) -> Machine:
    world = am.World()
    world.add_body(am.Plane((0.0, 0.0, 1.0)), fixed=True)
    cube = world.add_body(am.Box((0.2, 0.2, 0.2)), density=1000.0, position=(0.0, 0.0, 0.1))
    return _amontons(world, step, lambda: float(cube.position[2]), **how)


def _amontons_robot(
    robot: am.interchange.robots.Imported, shown: str, step: float, **how: object
) -> Machine:
    return _amontons(robot.world, step, lambda: float(robot.pose(shown)[0][2]), **how)


def _amontons_arm(step: float, **how: object) -> Machine:
    path = _pybullet_file("kuka_iiwa/model.urdf")
    robot = am.load_urdf(path, fixed_base=True, configuration=ARM_POSE)
    return _amontons_robot(robot, "lbr_iiwa_link_7", step, **how)


def _amontons_a1(step: float, **how: object) -> Machine:
    path = _pybullet_file("a1/a1.urdf")
    robot = am.load_urdf(path, configuration=A1_POSE, floor=True, hold=True)
    return _amontons_robot(robot, "trunk", step, **how)


def _amontons_mjcf(name: str, shown: str, step: float, **how: object) -> Machine:
    return _amontons_robot(am.load_mjcf(_gymnasium_file(name)), shown, step, **how)


def _amontons_walker(step: float, **how: object) -> Machine:
    from amontons.scenes import WalkingRobot

    world = WalkingRobot().build()
    dynamic = world.bodies.dynamic
    return _amontons(
        world,
        step,
        lambda: float(world.bodies.position[dynamic, 2].max()),
        **{"compiled": True, **how},
    )


# -- MuJoCo ---------------------------------------------------------------------------------------


def _mujoco_machine(model: object, shown: int, step: float) -> Machine:
    import mujoco

    model.opt.timestep = step
    data = mujoco.MjData(model)
    return Machine(
        partial(mujoco.mj_step, model, data),
        lambda: float(data.xpos[shown, 2]),
        lambda steps: mujoco.mj_step(model, data, nstep=steps),
    )


def _mujoco_text(text: str, step: float) -> Machine:
    import mujoco

    machine = _mujoco_machine(mujoco.MjModel.from_xml_string(text), 1, step)
    data = machine.step.args[1]
    return machine._replace(height=lambda: float(data.xipos[1, 2]))


def _mujoco_mjcf(name: str, shown: str, step: float) -> Machine:
    import mujoco

    model = mujoco.MjModel.from_xml_path(str(_gymnasium_file(name)))
    return _mujoco_machine(model, model.body(shown).id, step)


def _mujoco_arm(step: float) -> Machine:
    import mujoco

    path = _pybullet_file("kuka_iiwa/model.urdf")
    reader = f'<mujoco><compiler meshdir="{path.parent}" discardvisual="true"/></mujoco>'
    text = path.read_text().replace("</robot>", f"{reader}</robot>")
    model = mujoco.MjModel.from_xml_string(text)
    machine = _mujoco_machine(model, model.nbody - 1, step)
    for name, angle in ARM_POSE.items():
        machine.step.args[1].joint(name).qpos[0] = angle
    return machine


# -- PyBullet -------------------------------------------------------------------------------------


def _pybullet(step: float):
    """A world of its own, with gravity: its functions bound to one client."""
    import pybullet
    from pybullet_utils.bullet_client import BulletClient

    client = BulletClient(pybullet.DIRECT)
    client.setGravity(0.0, 0.0, -9.81)
    client.setTimeStep(step)
    return client


def _pybullet_pendulum(step: float) -> Machine:
    client = _pybullet(step)
    shape = client.createCollisionShape(client.GEOM_CAPSULE, radius=0.03, height=1.0)
    mass = 1000.0 * 3.14159265 * 0.03**2 * 1.04
    upright = (0.0, 0.5**0.5, 0.0, 0.5**0.5)
    body = client.createMultiBody(
        0, -1, basePosition=(0, 0, 2), linkMasses=[mass], linkCollisionShapeIndices=[shape],
        linkVisualShapeIndices=[-1], linkPositions=[(0, 0, 0)], linkOrientations=[(0, 0, 0, 1)],
        linkInertialFramePositions=[(0.5, 0, 0)], linkInertialFrameOrientations=[upright],
        linkParentIndices=[0], linkJointTypes=[client.JOINT_REVOLUTE], linkJointAxis=[(0, 1, 0)],
    )  # fmt: skip
    _free(client, body)
    return Machine(client.stepSimulation, lambda: client.getLinkState(body, 0)[0][2])


def _pybullet_cube(step: float) -> Machine:
    client = _pybullet(step)
    client.createMultiBody(0, client.createCollisionShape(client.GEOM_PLANE))
    shape = client.createCollisionShape(client.GEOM_BOX, halfExtents=(0.1, 0.1, 0.1))
    body = client.createMultiBody(8.0, shape, basePosition=(0, 0, 0.1), useMaximalCoordinates=True)
    return Machine(client.stepSimulation, lambda: client.getBasePositionAndOrientation(body)[0][2])


def _pybullet_arm(step: float) -> Machine:
    client = _pybullet(step)
    body = client.loadURDF(str(_pybullet_file("kuka_iiwa/model.urdf")), useFixedBase=True)
    _free(client, body)
    last = client.getNumJoints(body) - 1
    for joint in range(last + 1):
        name = client.getJointInfo(body, joint)[1].decode()
        client.resetJointState(body, joint, ARM_POSE.get(name, 0.0))
    return Machine(client.stepSimulation, lambda: client.getLinkState(body, last)[4][2])


def _pybullet_a1(step: float) -> Machine:
    client = _pybullet(step)
    client.createMultiBody(0, client.createCollisionShape(client.GEOM_PLANE))
    body = client.loadURDF(str(_pybullet_file("a1/a1.urdf")), basePosition=(0, 0, A1_HEIGHT))
    for joint in range(client.getNumJoints(body)):
        name = client.getJointInfo(body, joint)[1].decode()
        if name in A1_POSE:
            client.resetJointState(body, joint, A1_POSE[name])
            client.setJointMotorControl2(
                body, joint, client.POSITION_CONTROL, A1_POSE[name], force=33.5
            )
    return Machine(client.stepSimulation, lambda: client.getBasePositionAndOrientation(body)[0][2])


def _free(client, body: int) -> None:
    """Take off the brakes that PyBullet puts on every joint, and its damping."""
    for joint in range(client.getNumJoints(body)):
        client.setJointMotorControl2(body, joint, client.VELOCITY_CONTROL, force=0.0)
        client.changeDynamics(body, joint, linearDamping=0.0, angularDamping=0.0)


# -- files ----------------------------------------------------------------------------------------


def _pybullet_file(name: str) -> Path:
    import pybullet_data

    return Path(pybullet_data.getDataPath()) / name


def _gymnasium_file(name: str) -> Path:
    import gymnasium

    return Path(gymnasium.__file__).parent / "envs" / "mujoco" / "assets" / name


ARM_POSE = {"lbr_iiwa_joint_2": 0.5, "lbr_iiwa_joint_4": -0.8}
"""From where it falls [rad]; the other joints start at zero."""
A1_POSE = {
    f"{leg}_{joint}_joint": angle
    for leg in ("FR", "FL", "RR", "RL")
    for joint, angle in (("hip", 0.0), ("upper", 0.9), ("lower", -1.8))
}
"""In which it stands [rad]."""
A1_HEIGHT = 0.30
"""Of its trunk at the start, a little above where it stands [m]."""

ROWS = {
    "pendulum": Row(
        title="pendulum",
        amontons=_amontons_pendulum,
        mujoco=partial(_mujoco_text, PENDULUM),
        pybullet=_pybullet_pendulum,
    ),
    "cube": Row(
        title="cube on a plane",
        amontons=_amontons_cube,
        mujoco=partial(_mujoco_text, CUBE),
        pybullet=_pybullet_cube,
    ),
    "arm": Row(
        title="7-joint arm (iiwa), falling",
        amontons=_amontons_arm,
        mujoco=_mujoco_arm,
        pybullet=_pybullet_arm,
    ),
    "a1": Row(
        title="A1 standing",
        before=1.0,
        amontons=_amontons_a1,
        pybullet=_pybullet_a1,
    ),
    "walker": Row(title="walking robot (scene)", before=0.5, amontons=_amontons_walker),
    "humanoid": Row(
        title="humanoid, fallen",
        step=0.003,
        before=2.0,
        amontons=partial(_amontons_mjcf, "humanoid.xml", "torso"),
        mujoco=partial(_mujoco_mjcf, "humanoid.xml", "torso"),
    ),
    "cheetah": Row(
        title="half-cheetah, after 2 s",
        step=0.01,
        before=2.0,
        amontons=partial(_amontons_mjcf, "half_cheetah.xml", "torso"),
        mujoco=partial(_mujoco_mjcf, "half_cheetah.xml", "torso"),
    ),
}
