"""Spheres against every other convex shape: one contact, in closed form."""

from __future__ import annotations

from amontons._jit import kernel, prange
from amontons.algebra.rotations import rotation_of
from amontons.collision.narrow.distances import distance_to_convex
from amontons.collision.pair_contacts import put_contact


@kernel
def collide_sphere_convex(shapes, poses, pair, margin, found):
    """Contacts of a sphere A and any other convex shape B."""
    kind, size, data, vertex = shapes.kind, shapes.size, shapes.data, shapes.point
    face_start, corner, plane = shapes.face_start, shapes.corner, shapes.plane
    place, turn, shape = poses.place, poses.turn, poses.shape
    number, normal, point, gap, key = found.number, found.normal, found.point, found.gap, found.key
    for i in prange(pair.shape[0]):
        a, b = pair[i, 0], pair[i, 1]
        s = shape[b]
        radius = size[shape[a], 0]
        d0 = place[a, 0] - place[b, 0]
        d1 = place[a, 1] - place[b, 1]
        d2 = place[a, 2] - place[b, 2]
        r00, r01, r02, r10, r11, r12, r20, r21, r22 = rotation_of(turn, b)
        distance, m0, m1, m2 = distance_to_convex(
            kind[s], size, data, vertex, face_start, corner, plane, s,
            r00 * d0 + r10 * d1 + r20 * d2,
            r01 * d0 + r11 * d1 + r21 * d2,
            r02 * d0 + r12 * d1 + r22 * d2,
            radius + margin,
        )  # fmt: skip
        number[i] = 0
        if distance - radius > margin:
            continue
        n0 = -(r00 * m0 + r01 * m1 + r02 * m2)
        n1 = -(r10 * m0 + r11 * m1 + r12 * m2)
        n2 = -(r20 * m0 + r21 * m1 + r22 * m2)
        number[i] = 1
        n, p = (n0, n1, n2), (radius * n0, radius * n1, radius * n2)
        put_contact(normal, point, gap, key, i, 0, n, p, distance - radius, 0)
