"""Spheres against every other convex shape: one contact, in closed form."""

from __future__ import annotations

from amontons._jit import kernel, prange
from amontons.algebra.rotations import rotation_of
from amontons.algebra.vectors import minus, negative, row, times, turned, turned_back
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
        r = rotation_of(turn, b)
        distance, m = distance_to_convex(
            kind[s], size, data, vertex, face_start, corner, plane, s,
            turned_back(r, minus(row(place, a), row(place, b))), radius + margin,
        )  # fmt: skip
        number[i] = 0
        if distance - radius > margin:
            continue
        number[i] = 1
        n = negative(turned(r, m))
        put_contact(normal, point, gap, key, i, 0, n, times(radius, n), distance - radius, 0)
