"""Joints evaluated plainly, one by one, with scipy's rotations and finite differences: oracles."""

from __future__ import annotations

import math

import numpy as np
from scipy.spatial.transform import Rotation

from amontons.model.joints import Connection
from amontons.model.joints.constraints import JointMeasure, Law, Term


class Pose:
    """Place and rotation of a body."""

    def __init__(self, position, orientation):
        self.position = np.array(position)
        self.rotation = Rotation.from_quat(np.roll(orientation, -1))

    def to_local(self, point):
        return self.rotation.inv().apply(np.array(point) - self.position)

    def to_world(self, point):
        return self.rotation.apply(point) + self.position


WORLD = Pose(np.zeros(3), [1.0, 0.0, 0.0, 0.0])


def term_value(term: Term, start: tuple[Pose, Pose], now: tuple[Pose, Pose]) -> float:
    """A term without its weight; angles within half a turn of zero."""
    if term.swapped:
        start, now = start[::-1], now[::-1]
    (a0, b0), (a, b) = start, now

    def carried(body0, body, axis):
        return body.rotation.apply(body0.rotation.inv().apply(axis))

    p_a = a.to_world(a0.to_local(term.point_a))
    p_b = b.to_world(b0.to_local(term.point_b))
    axis_a, normal = carried(a0, a, term.axis_a), carried(a0, a, term.normal)
    axis_b = carried(b0, b, term.axis_b)
    # how B has turned in A since the start, seen in the world as it was then
    turn = a0.rotation * a.rotation.inv() * b.rotation * b0.rotation.inv()
    match term.measure:
        case JointMeasure.ALONG:
            return float(axis_a @ (p_b - p_a))
        case JointMeasure.LENGTH:
            return float(np.linalg.norm(p_b - p_a))
        case JointMeasure.AZIMUTH:
            d = p_b - p_a
            return math.atan2(d @ np.cross(axis_a, normal), d @ normal)
        case JointMeasure.ACROSS:
            return float(axis_a @ axis_b)
        case JointMeasure.TILT:
            c = np.cross(axis_a, axis_b)
            sine = np.linalg.norm(c)
            angle = math.atan2(sine, axis_a @ axis_b)
            return float(normal @ c) * (angle / sine if sine > 0 else 1.0)
        case JointMeasure.TWIST:
            return float(turn.as_rotvec() @ np.array(term.normal))
        case JointMeasure.TURN:
            x, y, z, w = turn.as_quat()
            angle = 2 * math.atan2(np.dot([x, y, z], term.axis_a), w)
            return math.remainder(angle, 2 * math.pi)
    raise AssertionError(term.measure)


def coordinate_values(joint: Connection, start, now) -> np.ndarray:
    """Values of a joint's coordinates, for poses of A and B at the start and now."""
    return np.array(
        [
            sum(term.weight * term_value(term, start, now) for term in coordinate.terms)
            for coordinate in joint.constraints().coordinates
        ]
    )


def row_law(row, value, ahead, rate, time, h, recovery):
    """Whether a row is active, and its b, E and bounds; as the docs say it."""

    def target(t):
        return row.target(t) if callable(row.target) else row.target

    k, c = row.softness
    error = row.sign * (value - target(time))
    moving = row.sign * (target(time + h) - target(time)) / h
    bend = row.sign * (ahead - value - h * rate)
    active = True
    E = 0.0 if k == math.inf else 1 / (h * (h * k + c))
    b, low, high = 0.0, -h * row.bound, h * row.bound
    rigid = k == math.inf
    soft = k * error / (h * k + c) if not rigid else 0.0
    if row.law is Law.POSITION:
        back = (error + bend) / h if rigid else soft
        if rigid and not row.motor and abs(error) > h * recovery:
            back = math.copysign(recovery, error)
        b = back - moving
    elif row.law is Law.SPEED:
        b = -target(time + h)
    elif row.law is Law.LIMIT:
        active = error <= 2 * h * abs(rate) + row.margin
        back = error / h if rigid or error > 0 else soft
        if rigid and error <= row.margin:
            back = (error + bend) / h
        if rigid and error < -h * recovery:
            back = -recovery
        b = back - moving
    else:
        low = high = h * min(max(target(time), -row.bound), row.bound)
    return active, b, E, low, high
