"""Boxes that lie face on face, against polygons clipped one side after the other."""

import itertools

import numpy as np
import pytest

from amontons.algebra.rotations import quaternion_product, rotation_matrices
from amontons.collision.body_parts import Poses
from amontons.collision.narrow.box_faces import CROSSING, SNAP, VERTEX_OF_A, VERTEX_OF_B
from amontons.collision.narrow.box_pairs import collide_boxes
from amontons.collision.pair_contacts import empty_slots
from amontons.model.shapes import Box, build_table

MARGIN = 0.01
EXACT = 1e-9


def unit(vector):
    return vector / np.linalg.norm(vector)


def lying_scene(rng, tilt):
    """Half extents, places and turns of two boxes, B above a face of A at a gap of up to 2 mm."""
    half = rng.uniform(0.1, 0.3, (2, 3))
    axis, sign = rng.integers(3), rng.choice([-1.0, 1.0])
    quarters = [unit(np.eye(4)[0] + np.eye(4)[1 + k]) for k in rng.integers(3, size=3)]
    turn = unit(np.eye(4)[0] + tilt * rng.standard_normal(4))
    for quarter in quarters:
        turn = quaternion_product(turn, quarter)
    reach = np.abs(rotation_matrices(turn)) @ half[1]
    place = rng.uniform(-0.9, 0.9, 3) * (half[0] + reach)
    place[axis] = sign * (half[0, axis] + reach[axis] + rng.uniform(-2e-3, 2e-3))
    return half, np.array([np.zeros(3), place]), np.array([[1.0, 0.0, 0.0, 0.0], turn]), axis, sign


def clipped(polygon, half):
    """The part of a polygon within a rectangle: cut by one side after the other."""
    for k, side in itertools.product(range(2), (-1.0, 1.0)):
        kept = []
        for here, there in zip(polygon, np.roll(polygon, -1, axis=0), strict=True):
            a, b = side * here[k] - half[k], side * there[k] - half[k]
            if a <= 0.0:
                kept.append(here)
            if a * b < 0.0:
                kept.append(here + a / (a - b) * (there - here))
        polygon = np.array(kept)
        if not len(polygon):
            break
    return polygon


def overlap(half, place, turn, axis, sign):
    """Corners of the overlap of A's face and the face of B over it: (u, v, height), and their size.

    None if a side of one is so close to a side of the other that names could decide either way.
    """
    u, v = (axis + 1) % 3, (axis + 2) % 3
    R = rotation_matrices(turn[1])
    j = int(np.argmax(np.abs(R[axis])))
    p, q = (j + 1) % 3, (j + 2) % 3
    out = -np.sign(R[axis, j]) * sign
    middle = place[1] + out * half[1, j] * R[:, j]
    square = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
    face = [middle + s * half[1, p] * R[:, p] + t * half[1, q] * R[:, q] for s, t in square]
    sides = np.array(face)[:, [u, v]]
    near = np.abs(np.abs(sides) - half[0, [u, v]]).min()
    if near < 2 * SNAP * half.min():
        return None
    corners = clipped(np.array(face)[:, [u, v, axis]], half[0, [u, v]])
    if len(corners):
        corners[:, 2] = sign * corners[:, 2] - half[0, axis]
    return corners


def collide(half, place, turn, spin, shift):
    """Contacts of the pair, seen from A, when both are moved and turned together."""
    R = rotation_matrices(spin)
    table = build_table([Box(tuple(2.0 * h)) for h in half])
    turns = np.array([quaternion_product(spin, q) for q in turn])
    poses = Poses(place @ R.T + shift, turns, np.arange(2, dtype=np.int32))
    found = empty_slots(1)
    collide_boxes.parallel(table, poses, np.array([[0, 1]], dtype=np.int32), MARGIN, found)
    n = found.number[0]
    return found.normal[0, :n] @ R, found.point[0, :n] @ R, found.gap[0, :n], found.key[0, :n]


def vertex(half, number):
    return half * [1.0 if number >> k & 1 else -1.0 for k in range(3)]


def off_edge(half, number, point):
    """Distance of a point of the box's frame from the line of an edge, by its number."""
    axis = number // 4
    one, two = (axis + 1) % 3, (axis + 2) % 3
    s, t = (1.0 if number & 1 else -1.0), (1.0 if number & 2 else -1.0)
    return np.hypot(point[one] - s * half[one], point[two] - t * half[two])


def off_feature(half, place, turn, normal, point, gap, key):
    """How far the points of a contact are from the features that its key names."""
    on_b = rotation_matrices(turn[1]).T @ (point + gap * normal - place[1])
    if key >= CROSSING:
        return max(off_edge(half[0], (key - CROSSING) >> 4, point),
                   off_edge(half[1], (key - CROSSING) & 15, on_b))  # fmt: skip
    if key >= VERTEX_OF_B:
        return np.linalg.norm(on_b - vertex(half[1], key - VERTEX_OF_B))
    return np.linalg.norm(point - vertex(half[0], key - VERTEX_OF_A))


@pytest.mark.parametrize("tilt", [0.0, 1e-8, 1e-5])
def test_contacts_are_the_corners_of_the_overlap(tilt):
    rng = np.random.default_rng(11)
    checked = 0
    for _ in range(300):
        half, place, turn, axis, sign = lying_scene(rng, tilt)
        corners = overlap(half, place, turn, axis, sign)
        if corners is None or len(corners) != 4:
            continue
        normal, point, gap, key = collide(
            half, place, turn, unit(rng.standard_normal(4)), rng.standard_normal(3)
        )
        if abs(normal[0, axis]) < 0.999:  # they overlap deeper along another axis
            continue
        checked += 1
        assert len(gap) == 4
        assert len(set(key.tolist())) == 4
        assert np.allclose(normal, normal[0], atol=EXACT)
        u, v = (axis + 1) % 3, (axis + 2) % 3
        away = np.linalg.norm(point[:, None, [u, v]] - corners[None, :, :2], axis=2)
        nearest = away.argmin(axis=1)
        # along a tilted normal points of A and B are apart sideways by its sine × gap
        R = rotation_matrices(turn[1])
        sine = np.linalg.norm(R[[u, v], np.argmax(np.abs(R[axis]))])
        slack = EXACT + MARGIN * sine
        assert sorted(nearest) == [0, 1, 2, 3]
        assert away.min(axis=1).max() < slack
        assert np.abs(gap - corners[nearest, 2]).max() < slack
        assert gap[0] == gap.min()
        for contact in zip(normal, point, gap, key.tolist(), strict=True):
            assert off_feature(half, place, turn, *contact) < slack
    assert checked > 100
