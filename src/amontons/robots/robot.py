"""`Robot`: a robot of a file in a simulation, with its joints as arrays."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.transform import Rotation

from amontons.array_types import Floats
from amontons.checks import finite_array, finite_vector, unit_quaternion
from amontons.dynamics.joints.model import JointModel
from amontons.errors import InputError
from amontons.interchange.robots import Imported, load_mjcf, load_urdf
from amontons.interchange.robots.kinds import is_mjcf
from amontons.interchange.robots.limbs import depth_first
from amontons.interchange.robots.mechanism import Pose
from amontons.model.bodies import Body
from amontons.model.joints import Connection, Prismatic, Revolute
from amontons.model.world import World
from amontons.robots.layout import RobotLayout
from amontons.robots.resetting import put
from amontons.robots.tree import Tree, shifted
from amontons.simulation.joint_handles import JointHandle, SimulatedJoints
from amontons.simulation.movers import mover_of
from amontons.simulation.simulation import Simulation

Values = ArrayLike | Mapping[str, float]


class Robot:
    """A robot of a URDF or MJCF file in a world: q, q̇, efforts and controls as arrays.

    Positions and controls follow the conventions of the file. Velocities of a robot whose base is
    free begin with six of the base: that of its centre of mass and its angular velocity, in world
    axes.
    """

    def __init__(self, imported: Imported) -> None:
        self.imported = imported
        ordered = depth_first(imported.joints)
        held = [each for each in ordered if isinstance(each[1], Revolute | Prismatic)]
        self.joint_names: tuple[str, ...] = tuple(name for name, _ in held)
        """Hinges and slides, in the order of `q`: limb by limb, from the base outwards."""
        self._actuators = imported.actuators
        self.control_names: tuple[str, ...] = tuple(self._actuators)
        """Names of the entries of `ctrl`: actuators (MJCF), or joints with motors (URDF)."""
        self._joints: tuple[Connection, ...] = tuple(joint for _, joint in held)
        self._zero = np.array([imported.configuration[name] for name in self.joint_names])
        self._layout: tuple[JointModel, RobotLayout] | None = None
        self._tree: Tree | InputError
        try:
            bodies = [body.id for body in imported.bodies.values()]
            joints = [joint for _, joint in ordered]
            self._tree = Tree.of(imported.world, joints, bodies, f"robot {imported.name!r}")
        except InputError as reason:
            self._tree = reason

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        *,
        world: World | None = None,
        position: ArrayLike = (0.0, 0.0, 0.0),
        orientation: ArrayLike = (1.0, 0.0, 0.0, 0.0),
        **options: Any,
    ) -> Robot:
        """A robot from a URDF file, an MJCF file, or the text of an MJCF file.

        Parameters
        ----------
        world:
            Where to put it; by default a new one.
        position, orientation:
            Of URDF's root link or of MJCF's `worldbody` [m], quaternion (w, x, y, z).
        options:
            All others of `load_urdf`, such as `motors` and `fixed_base`, or of `load_mjcf`.
        """
        load = load_mjcf if is_mjcf(path) else load_urdf
        place: Any = {"position": position, "orientation": orientation}
        return cls(load(path, world=world, **place, **options))

    # -- parts ------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The robot's own."""
        return self.imported.name

    @property
    def world(self) -> World:
        """The world that it is in."""
        return self.imported.world

    @property
    def bodies(self) -> Mapping[str, Body]:
        """Bodies by the names of links; they follow the simulation."""
        return self.imported.bodies

    @property
    def base(self) -> Body | None:
        """Its free body; None if it stands fixed, or has several."""
        hung = {joint.bodies[1] for joint in self.imported.joints.values()}
        bodies = {body.id: body for body in self.bodies.values() if body.id not in hung}
        free = [body for body in bodies.values() if self.world.bodies.dynamic[body.index]]
        return free[0] if len(free) == 1 else None

    @property
    def unsupported(self) -> tuple[str, ...]:
        """What the file contains and the world does not."""
        return self.imported.unsupported

    def simulation(self, *, step: float | None = None, **options: Any) -> Simulation:
        """A simulation of its world, with the file's step [s] unless another is given."""
        return Simulation(self.world, step=self.imported.step if step is None else step, **options)

    @property
    def sim(self) -> Simulation:
        """The simulation that moves its world."""
        found = mover_of(self.world)
        if found is None:
            raise InputError(
                f"nothing moves the robot {self.name!r} yet: make a simulation and keep it, "
                "sim = robot.simulation() or sim = am.Simulation(world, step=...)"
            )
        found.follow_world()
        return found

    @property
    def joints(self) -> dict[str, JointHandle]:
        """Its hinges and slides in the simulation by name; zero is where they started."""
        joints = self.sim.joints
        return {
            name: joints[each] for name, each in zip(self.joint_names, self._joints, strict=True)
        }

    def pose(self, link: str) -> tuple[Floats, Floats]:
        """Current position [m] and quaternion (w, x, y, z) of a link's own frame in the world."""
        self._known_link(link)
        return self.imported.pose(link)

    # -- joints as arrays -------------------------------------------------------------------------

    @property
    def q(self) -> Floats:
        """Angles [rad] and travels [m] of all joints, as the file counts them; shape (joints,)."""
        joints, of = self._placed()
        return _reading(joints.values[of.coordinate] + of.zero)

    @q.setter
    def q(self, values: Values) -> None:
        raise InputError("q is a reading: robot.reset(q, qd) puts joints somewhere")

    @property
    def qd(self) -> Floats:
        """Their speeds [rad/s or m/s], shape (joints,)."""
        joints, of = self._placed()
        return _reading(joints.speed[of.joint])

    @qd.setter
    def qd(self, values: Values) -> None:
        raise InputError("qd is a reading: robot.reset(q, qd) puts joints somewhere")

    @property
    def tau(self) -> Floats:
        """Torques [N m] and forces [N] of their motors in the last step, shape (joints,)."""
        joints, of = self._placed()
        return _reading(joints.motor_effort[of.joint])

    @property
    def ctrl(self) -> Floats:
        """What motors are told, as the file counts it, NaN where nothing yet; shape (controls,).

        Assign a whole array, or a mapping of some names to numbers: what is read cannot be written
        into. A control keeps its value until it is changed, and is cut off at the range that an
        MJCF file gives.
        """
        joints, of = self._placed()
        return _reading((joints.state.command[of.command] - of.offset) / of.factor)

    @ctrl.setter
    def ctrl(self, values: Values) -> None:
        (joints, of), names = self._placed(), self.control_names
        which: Any = slice(None)
        if isinstance(values, Mapping):
            self._known("control", values, names)
            given = np.array([float(finite_array(f"ctrl of {each!r}", values[each]))
                              for each in values])  # fmt: skip
            which = np.array([names.index(each) for each in values], dtype=np.int64)
        else:
            given = self._array("ctrl", values, len(names))
        within = np.clip(given, of.low[which], of.high[which])
        joints.state.command[of.command[which]] = of.factor[which] * within + of.offset[which]

    def named(self, values: ArrayLike) -> dict[str, float]:
        """An array of the joints, such as `robot.q`, by their names."""
        array = self._array("values", values, len(self.joint_names))
        return dict(zip(self.joint_names, array.tolist(), strict=True))

    def reset(
        self,
        q: Values | None = None,
        qd: Values | None = None,
        *,
        position: ArrayLike | None = None,
        orientation: ArrayLike | None = None,
    ) -> None:
        """Reset the robot to these positions and speeds, without any memory of earlier steps.

        Parameters
        ----------
        q, qd:
            Of all joints as arrays, or of some by name [rad or m, rad/s or m/s]; the others are
            reset to where they were loaded, at rest.
        position, orientation:
            Of a free base: its centre of mass [m] and quaternion (w, x, y, z); by default the
            current ones.
        """
        sim, tree = self.sim, self._whole_tree()
        moved = self._filled("q", q, self._zero) - self._zero
        self._check_limits(moved)
        speeds = np.zeros(tree.size)
        count = len(self.joint_names)
        speeds[tree.size - count :] = self._filled("qd", qd, np.zeros(count))
        if position is not None or orientation is not None:
            self._place_base(tree, position, orientation)
        at = tree.placed(moved)
        put(sim, tree, at, moved, np.einsum("bij,j->bi", tree.jacobians(at), speeds))

    # -- equations of motion ----------------------------------------------------------------------

    @property
    def velocities(self) -> Floats:
        """v: twists of free bodies, then speeds of joints; shape (velocities,)."""
        tree = self._whole_tree()
        bodies = self.world.bodies
        free = [bodies.index(each.body) for each in tree.branches if each.joint is None]
        return np.concatenate([bodies.twist[free].ravel(), self.qd])

    def jacobian(self, link: str, point: ArrayLike = (0.0, 0.0, 0.0)) -> Floats:
        """Velocity of a point of a link, and its angular velocity, by v; shape (6, velocities).

        `point` is in the link's own frame [m].
        """
        tree, body = self._whole_tree(), self._known_link(link)
        at = tree.now()
        for i, branch in enumerate(tree.branches):
            if branch.body == body.id:
                frame = Pose.of_quaternion(*self.imported.pose(link))
                arm = frame.point(finite_vector("point", point)) - at.position[i]
                return shifted(tree.jacobians(at)[i], arm)
        return np.zeros((6, tree.size))  # a link that is fixed in the world

    def mass_matrix(self) -> Floats:
        """Current mass matrix M of the equations of motion, shape (velocities, velocities)."""
        tree = self._whole_tree()
        return tree.mass_matrix(tree.now())

    def inverse_dynamics(self, acceleration: ArrayLike | None = None) -> Floats:
        """Efforts that produce an acceleration v̇ now, without contacts or friction.

        By default v̇ = 0: Coriolis forces and gravity. Of shape (velocities,), as is the result:
        those of a free base are the force and torque that it would need.
        """
        tree = self._whole_tree()
        rate = np.zeros(tree.size)
        if acceleration is not None:
            rate = self._array("acceleration", acceleration, tree.size)
        return tree.efforts(tree.now(), self.velocities, rate, self.world.gravity)

    def gravity_compensation(self) -> Floats:
        """Efforts that hold it against gravity in the current pose, shape (velocities,)."""
        tree = self._whole_tree()
        none = np.zeros(tree.size)
        return tree.efforts(tree.now(), none, none, self.world.gravity)

    # -- looking things up ------------------------------------------------------------------------

    def _whole_tree(self) -> Tree:
        if isinstance(self._tree, InputError):
            raise self._tree
        return self._tree

    def _placed(self) -> tuple[SimulatedJoints, RobotLayout]:
        """The joints of its simulation, and where those of the robot are in their arrays."""
        sim = self.sim
        if self._layout is None or self._layout[0] is not sim.joints.model:
            self._layout = sim.joints.model, RobotLayout.of(self, sim)
        return sim.joints, self._layout[1]

    def _known_link(self, link: str) -> Body:
        self._known("link", (link,), tuple(self.bodies))
        return self.bodies[link]

    def _known(self, what: str, asked: Any, names: Sequence[str]) -> None:
        unknown = [name for name in asked if name not in names]
        if unknown:
            raise InputError(
                f"the robot {self.name!r} has no {what} {unknown[0]!r}; it has "
                f"{', '.join(names) or 'none'}"
            )

    def _array(self, name: str, values: Any, size: int) -> Floats:
        array = finite_array(name, values)
        if array.shape != (size,):
            raise InputError(f"{name} must have shape ({size},), got {array.shape}")
        return array

    def _filled(self, name: str, values: Values | None, usual: Floats) -> Floats:
        if values is None:
            return usual
        if not isinstance(values, Mapping):
            return self._array(name, values, len(usual))
        self._known("joint", values, self.joint_names)
        found = usual.copy()
        for each, value in values.items():
            found[self.joint_names.index(each)] = float(finite_array(f"{name} of {each!r}", value))
        return found

    def _check_limits(self, moved: Floats) -> None:
        for name, joint, by, zero in zip(
            self.joint_names, self._joints, moved.tolist(), self._zero.tolist(), strict=True
        ):
            low, high = getattr(joint, "limits", None) or (-np.inf, np.inf)
            slack = 1e-9 * max(abs(by), abs(zero))  # what adding the zero rounds off
            if not low - slack <= by <= high + slack:
                raise InputError(
                    f"q of {name!r} is {by + zero:g}, beyond its limits {low + zero:g} and "
                    f"{high + zero:g}"
                )

    def _place_base(
        self, tree: Tree, position: ArrayLike | None, orientation: ArrayLike | None
    ) -> None:
        free = [branch.body for branch in tree.branches if branch.joint is None]
        if len(free) != 1:
            raise InputError(
                f"the robot {self.name!r} has {len(free)} free bodies; one is needed to place it"
            )
        base = self.world.body(free[0])
        if position is not None:
            base.position = finite_vector("position", position)
        if orientation is not None:
            unit = np.array(unit_quaternion("orientation", orientation))
            base.orientation = Rotation.from_quat(unit, scalar_first=True).as_quat(
                scalar_first=True
            )

    def __repr__(self) -> str:
        return (
            f"<Robot {self.name!r}: {len(self.joint_names)} joints, "
            f"{len(self.control_names)} controls>"
        )


def _reading(array: Floats) -> Floats:
    """A copy that cannot be written into: `robot.ctrl[0] = 1.0` would change nothing."""
    array = np.array(array, dtype=np.float64)
    array.flags.writeable = False
    return array
