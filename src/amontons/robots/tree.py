"""A robot as a tree: its bodies, and how each hangs on the one before.

Velocities of a tree are v = (of each free body: velocity of its centre of mass and angular velocity
in world axes; then one number per joint). Body i moves at J_i v, so with the inertia M_i of each

    M = Σ J_iᵀ M_i J_i + armature,   τ = Σ J_iᵀ (M_i (J_i v̇ + J̇_i v) + gyroscopic terms − weight).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from amontons.algebra.rotations import rotation_matrices
from amontons.array_types import Floats
from amontons.errors import InputError
from amontons.model.joints import Connection, Prismatic, Revolute
from amontons.model.world import World


class Branch(NamedTuple):
    """A body of a tree, and the joint that it hangs on."""

    body: int  # id
    parent: int | None  # number of the branch before; None: the world, or what is fixed in it
    place: int  # of its first velocity in v
    joint: int | None  # number of its joint; None: it is free
    hinge: bool
    point: Floats  # of the joint's axis, from the centre of mass in the body's axes [m], (3,)
    axis: Floats  # in the body's axes, (3,)
    anchor: Floats  # of the joint's axis in the parent's axes, from its centre of mass [m], (3,)
    ahead: Floats  # the axis in the parent's axes, (3,)
    offset: Floats  # of the centre of mass from the anchor, in the parent's axes at the start, (3,)
    turn: Floats  # from the body's axes to the parent's at the start, (3, 3)


class Placed(NamedTuple):
    """Poses of all bodies of a tree."""

    position: Floats  # centres of mass [m], (branches, 3)
    rotation: Floats  # (branches, 3, 3)


@dataclass(frozen=True, eq=False)
class Tree:
    """Bodies from the roots on, parents first."""

    world: World
    branches: tuple[Branch, ...]
    joints: tuple[Connection, ...]
    """Hinges and slides, in the order of their coordinates."""
    size: int
    """Number of velocities."""

    @classmethod
    def of(cls, world: World, joints: list[Connection], bodies: list[int], title: str) -> Tree:
        """The tree of these joints and bodies, as they stand now."""
        above: dict[int, Connection] = {}
        ids = dict.fromkeys(bodies)
        for joint in joints:
            a, b = joint.bodies
            if b is None or b in above:
                raise InputError(
                    f"{title} is no tree: {joint.title} closes a loop, and joint coordinates of "
                    "loops depend on each other; it can be simulated all the same"
                )
            if not isinstance(joint, Revolute | Prismatic):
                raise InputError(
                    f"{joint.title} of {title} is neither a hinge nor a slide; equations of motion "
                    "are for trees of these, with a base that is fixed or free"
                )
            above[b] = joint
            ids.update(dict.fromkeys(each for each in (a, b) if each is not None))
        dynamic = world.bodies.dynamic
        moving = [each for each in ids if dynamic[world.bodies.index(each)]]
        order = _parents_first(moving, above)
        free = [each for each in order if each not in above]
        place = {each: 6 * i for i, each in enumerate(free)}
        numbered = {id(joint): i for i, joint in enumerate(joints)}
        row = {each: i for i, each in enumerate(order)}
        branches = []
        for each in order:
            hung = above.get(each)
            number = None if hung is None else numbered[id(hung)]
            first = place[each] if number is None else 6 * len(free) + number
            parent = None if hung is None else row.get(hung.bodies[0])  # type: ignore[arg-type]
            before = None if parent is None else order[parent]
            branches.append(_branch(world, each, parent, before, first, hung, number))
        return cls(world, tuple(branches), tuple(joints), 6 * len(free) + len(joints))

    @property
    def rows(self) -> list[int]:
        """Rows of the bodies in the world's arrays, now."""
        return [self.world.bodies.index(branch.body) for branch in self.branches]

    def now(self) -> Placed:
        """Where the bodies are now."""
        rows = self.rows
        bodies = self.world.bodies
        return Placed(bodies.position[rows], rotation_matrices(bodies.orientation[rows]))

    def placed(self, moved: Floats) -> Placed:
        """Where bodies are with joints moved by so much from the start [rad or m], (joints,).

        Free bodies, which nothing else determines, are where they are now.
        """
        now = self.now()
        position, rotation = now.position.copy(), now.rotation.copy()
        for i, branch in enumerate(self.branches):
            if branch.joint is None:
                continue
            at, turn = np.zeros(3), np.eye(3)
            if branch.parent is not None:
                at, turn = position[branch.parent], rotation[branch.parent]
            by = float(moved[branch.joint])
            offset, own = branch.offset, branch.turn
            if branch.hinge:
                swing = Rotation.from_rotvec(by * branch.ahead).as_matrix()
                offset, own = swing @ offset, swing @ own
            else:
                offset = offset + by * branch.ahead
            position[i] = at + turn @ (branch.anchor + offset)
            rotation[i] = turn @ own
        return Placed(position, rotation)

    # -- derivatives ------------------------------------------------------------------------------

    def jacobians(self, at: Placed) -> Floats:
        """J_i of all bodies: linear, then angular velocities; shape (branches, 6, velocities)."""
        found = np.zeros((len(self.branches), 6, self.size))
        for i, branch in enumerate(self.branches):
            k = branch.place
            if branch.joint is None:
                found[i, :, k : k + 6] = np.eye(6)
                continue
            if branch.parent is not None:
                found[i] = shifted(
                    found[branch.parent], at.position[i] - at.position[branch.parent]
                )
            axis = at.rotation[i] @ branch.axis
            arm = -at.rotation[i] @ branch.point
            if branch.hinge:
                found[i, :3, k], found[i, 3:, k] = np.cross(axis, arm), axis
            else:
                found[i, :3, k] = axis
        return found

    def accelerations(self, at: Placed, speeds: Floats) -> Floats:
        """J̇_i v of all bodies [m/s², rad/s²], at velocities v; shape (branches, 6)."""
        found = np.zeros((len(self.branches), 6))
        twists = np.einsum("bij,j->bi", self.jacobians(at), speeds)
        still = np.zeros(6)
        for i, branch in enumerate(self.branches):
            if branch.joint is None:
                continue
            parent, origin = branch.parent, np.zeros(3)
            before, rate = (still, still) if parent is None else (found[parent], twists[parent])
            if parent is not None:
                origin = at.position[parent]
            axis, by = at.rotation[i] @ branch.axis, speeds[branch.place]
            turn, linear = rate[3:], twists[i]
            if branch.hinge:
                pivot = at.position[i] + at.rotation[i] @ branch.point
                arm, own = pivot - origin, at.position[i] - pivot
                spin = before[3:] + by * np.cross(turn, axis)
                found[i, 3:] = spin
                found[i, :3] = before[:3] + np.cross(before[3:], arm)
                found[i, :3] += np.cross(turn, np.cross(turn, arm))
                found[i, :3] += np.cross(spin, own)
                found[i, :3] += np.cross(linear[3:], np.cross(linear[3:], own))
            else:
                arm = at.position[i] - origin
                found[i, 3:] = before[3:]
                found[i, :3] = before[:3] + np.cross(before[3:], arm)
                found[i, :3] += np.cross(turn, np.cross(turn, arm))
                found[i, :3] += 2.0 * by * np.cross(turn, axis)
        return found

    # -- equations of motion ----------------------------------------------------------------------

    def inertias(self, at: Placed) -> tuple[Floats, Floats]:
        """Masses [kg], (branches,), and inertias in world axes [kg m²], (branches, 3, 3)."""
        rows, bodies = self.rows, self.world.bodies
        return bodies.mass[rows], at.rotation @ bodies.inertia[rows] @ at.rotation.transpose(
            0, 2, 1
        )

    @property
    def armature(self) -> Floats:
        """Inertia of the joints' rotors [kg m² or kg], zero for free bodies, (velocities,)."""
        found = np.zeros(self.size)
        for branch in self.branches:
            if branch.joint is not None:
                found[branch.place] = getattr(self.joints[branch.joint], "armature", 0.0)
        return found

    def mass_matrix(self, at: Placed) -> Floats:
        """M, shape (velocities, velocities)."""
        jacobian, (mass, inertia) = self.jacobians(at), self.inertias(at)
        linear, angular = jacobian[:, :3], jacobian[:, 3:]
        found = np.einsum("bki,b,bkj->ij", linear, mass, linear)
        found += np.einsum("bki,bkl,blj->ij", angular, inertia, angular, optimize=True)
        return np.asarray(found + np.diag(self.armature))

    def efforts(self, at: Placed, speeds: Floats, accelerations: Floats, gravity: Floats) -> Floats:
        """τ that gives these accelerations at these velocities, all of shape (velocities,)."""
        jacobian, (mass, inertia) = self.jacobians(at), self.inertias(at)
        bent = self.accelerations(at, speeds)
        motion = np.einsum("bij,j->bi", jacobian, accelerations) + bent
        spin = np.einsum("bij,j->bi", jacobian, speeds)[:, 3:]
        force = mass[:, None] * (motion[:, :3] - gravity)
        torque = np.einsum("bij,bj->bi", inertia, motion[:, 3:])
        torque += np.cross(spin, np.einsum("bij,bj->bi", inertia, spin))
        found = np.einsum("bij,bi->j", jacobian, np.concatenate([force, torque], axis=1))
        return np.asarray(found + self.armature * accelerations)


def shifted(jacobian: Floats, arm: Floats) -> Floats:
    """The Jacobian of another point of the same body, at this arm [m]; shape (6, velocities)."""
    moved = jacobian.copy()
    moved[:3] += np.cross(jacobian[3:], arm, axisa=0, axisc=0)
    return moved


def _parents_first(moving: list[int], above: dict[int, Connection]) -> list[int]:
    order: list[int] = []
    placed: set[int] = set()
    for each in moving:
        chain = []
        body: int | None = each
        while body is not None and body in moving and body not in placed:
            if body in chain:
                raise InputError(f"joints above body {each} go round in a circle")
            chain.append(body)
            body = above[body].bodies[0] if body in above else None
        order += reversed(chain)
        placed.update(chain)
    return order


def _branch(
    world: World, body: int, parent: int | None, before: int | None, place: int,
    joint: Connection | None, number: int | None,
) -> Branch:  # fmt: skip
    none = np.zeros(3)
    if joint is None:
        return Branch(body, None, place, None, False, none, none, none, none, none, np.eye(3))
    assert isinstance(joint, Revolute | Prismatic)
    here, turn = _pose(world, body)
    at, frame = _pose(world, before)
    point, axis = np.array(joint.point), np.array(joint.axis)
    return Branch(
        body=body,
        parent=parent,
        place=place,
        joint=number,
        hinge=isinstance(joint, Revolute),
        point=turn.T @ (point - here),
        axis=turn.T @ axis,
        anchor=frame.T @ (point - at),
        ahead=frame.T @ axis,
        offset=frame.T @ (here - point),
        turn=frame.T @ turn,
    )


def _pose(world: World, body: int | None) -> tuple[Floats, Floats]:
    if body is None:
        return np.zeros(3), np.eye(3)
    row = world.bodies.index(body)
    return (
        world.bodies.position[row].copy(),
        rotation_matrices(world.bodies.orientation[row][None])[0],
    )
