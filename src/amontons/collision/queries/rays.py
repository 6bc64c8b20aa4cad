"""The first body that each of many rays meets."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amontons._jit import kernel, prange, routine
from amontons.algebra.rotations import rotation_of
from amontons.algebra.vectors import (
    along,
    cross,
    dot,
    minus,
    negative,
    plus,
    put,
    row,
    times,
    turned,
    turned_back,
)
from amontons.array_types import Floats, Ints
from amontons.collision.queries.ray_spans import span_of_convex
from amontons.collision.queries.tree_boxes import (
    enters_box,
    keep_for_later,
    new_walk,
    reciprocal,
)
from amontons.model.shapes.table import MESH, PLANE

RAYS = 64
"""Rays that share one set of scratch arrays."""

TOUCH = 1e-12
"""A ray that begins this near to a surface, as a part of the shape's size, begins on it."""

EDGE = 2e-15
"""Rounding errors of the areas that tell on which side of an edge a ray passes, with room."""


class Rays(NamedTuple):
    """Rays, one in each row."""

    origin: Floats  # [m], (rays, 3)
    direction: Floats  # unit, (rays, 3)
    longest: Floats  # length [m], (rays,)
    mask: NDArray[np.uint32]  # bits of the groups that it sees, (rays,)
    ignored: Ints  # a body that it does not see, or −1, (rays,)


@routine
def cross_triangle(point, corner, plane, face_start, first, f, p, d):
    """Where a line crosses the plane of triangle f, and the rate at which it climbs above it.

    ∞ if it misses the triangle. Edges are a few rounding errors wide, so that no ray slips through
    between two triangles.
    """
    rate = dot(row(plane, f), d)
    if rate == 0.0:
        return np.inf, 0.0
    k = face_start[f]
    a = minus(row(point, first + corner[k]), p)
    b = minus(row(point, first + corner[k + 1]), p)
    c = minus(row(point, first + corner[k + 2]), p)
    # positive where the line passes inside of an edge, if it comes from behind
    ab, bc, ca = dot(d, cross(a, b)), dot(d, cross(b, c)), dot(d, cross(c, a))
    worst = min(ab, bc, ca) if rate > 0.0 else -max(ab, bc, ca)
    if worst < -EDGE * (dot(a, a) + dot(b, b) + dot(c, c)):
        return np.inf, 0.0
    t = (plane[f, 3] - dot(row(plane, f), p)) / rate
    # of a triangle seen on edge, the plane may be met anywhere
    at_a, at_b, at_c = dot(d, a), dot(d, b), dot(d, c)
    return min(max(t, min(at_a, at_b, at_c)), max(at_a, at_b, at_c)), rate


@routine
def ray_to_mesh(shapes, s, walk, p, d, behind, touch, best):
    """First hit of a ray on mesh s before `best`, and the unit normal against the ray; or ∞.

    The ray begins at `behind` (≤ 0 if the origin was moved forward) of the line's origin.
    """
    data, point, face_start, corner = shapes.data, shapes.point, shapes.face_start, shapes.corner
    plane, node_box, node_link = shapes.plane, shapes.node_box, shapes.node_link
    node_face = shapes.node_face
    stack, later = walk
    inverse, begin = reciprocal(d), behind - touch
    first, face = data[s, 0], data[s, 2]
    found, which, side = np.inf, -1, 1.0
    waiting = 0
    root = np.int64(data[s, 4])
    entry = enters_box(node_box, root, touch, p, inverse, begin, best)
    if entry < np.inf:
        stack[0], later[0], waiting = root, entry, 1
    while waiting > 0:
        waiting -= 1
        node, entry = np.int64(stack[waiting]), later[waiting]
        if entry > best:
            continue
        if node_link[node, 0] < 0:
            for e in range(-1 - node_link[node, 0], node_link[node, 1]):
                f = np.int64(face + node_face[e])
                t, rate = cross_triangle(point, corner, plane, face_start, first, f, p, d)
                # begun on the surface, a ray that leaves by the front does not meet it
                depth = (t - behind) * abs(rate)
                if depth < -touch or t > best or (depth <= touch and rate > 0.0):
                    continue
                if t < best or which < 0 or f < which:
                    best, found, which, side = t, t, f, -math.copysign(1.0, rate)
            continue
        one, other = np.int64(node_link[node, 0]), np.int64(node_link[node, 1])
        at_one = enters_box(node_box, one, touch, p, inverse, begin, best)
        at_other = enters_box(node_box, other, touch, p, inverse, begin, best)
        waiting = keep_for_later(stack, later, waiting, one, at_one, other, at_other)
    if which < 0:
        return np.inf, d
    return found, times(side, row(plane, which))


@routine
def ray_to_plane(size, s, p, d, touch, inside):
    """Where a ray meets the half-space s, and its normal there; or ∞."""
    n = row(size, s)
    height, rate = dot(n, p) - size[s, 3], dot(n, d)
    if height < -touch:
        return (0.0 if inside else np.inf), negative(d)
    return (max(height, 0.0) / -rate if rate < 0.0 else np.inf), n


@routine
def ray_to_part(shapes, s, walk, p, d, inside, best):
    """Where a ray meets shape s, not beyond `best`, and the outward normal; local frame; or ∞."""
    size, half, what = shapes.size, shapes.half, shapes.kind[s]
    if what == PLANE:
        touch = TOUCH * (abs(p[0]) + abs(p[1]) + abs(p[2]) + abs(size[s, 3]))
        return ray_to_plane(size, s, p, d, touch, inside)
    middle = row(shapes.middle, s)
    p = minus(p, middle)
    away = abs(p[0]) + abs(p[1]) + abs(p[2])
    touch = TOUCH * (half[s, 0] + half[s, 1] + half[s, 2]) + 1e-15 * away
    # go on as if the ray began beside the shape: far away its digits would be spent on nothing
    shift = -dot(p, d)
    p = plus(along(p, shift, d), middle)
    if what == MESH:
        t, n = ray_to_mesh(shapes, s, walk, p, d, -shift, touch, best - shift)
        return max(shift + t, 0.0), n
    enter, leave, n = span_of_convex(what, size, shapes.data, shapes.plane, s, p, d)
    if enter > leave:
        return np.inf, n
    enter, leave = shift + enter, shift + leave
    if leave < 0.0:
        return np.inf, n
    # how far below the surface the ray begins
    if -enter * abs(dot(n, d)) <= touch:
        return max(enter, 0.0), n
    return (0.0 if inside and leave > touch else np.inf), negative(d)


@kernel
def cast(shapes, poses, group, body, tree, rays, inside, hit, distance, normal):
    """First hits of rays: hit ← part or −1, and where there is one, its distance and normal."""
    origins, directions, longest = rays.origin, rays.direction, rays.longest
    mask, ignored = rays.mask, rays.ignored
    place, turn, shape = poses.place, poses.turn, poses.shape
    box, start, entry = tree.box, tree.start, tree.entry
    leaves = box.shape[0] // 2
    number = origins.shape[0]
    for chunk in prange((number + RAYS - 1) // RAYS):
        (stack, later), in_mesh = new_walk(), new_walk()
        for ray in range(chunk * RAYS, min((chunk + 1) * RAYS, number)):
            x, d = row(origins, ray), row(directions, ray)
            inverse = reciprocal(d)
            best, which, m = longest[ray], -1, (0.0, 0.0, 0.0)
            stack[0], stack[1], later[0], later[1], waiting = 1, 2 * leaves, 0.0, 0.0, 2
            while waiting > 0:
                waiting -= 1
                node = np.int64(stack[waiting])
                if later[waiting] > best:
                    continue
                if node < leaves:
                    one, other = 2 * node, 2 * node + 1
                    at_one = enters_box(box, one, 0.0, x, inverse, 0.0, best)
                    at_other = enters_box(box, other, 0.0, x, inverse, 0.0, best)
                    waiting = keep_for_later(stack, later, waiting, one, at_one, other, at_other)
                    continue
                for e in range(start[node - leaves], start[node - leaves + 1]):
                    i = np.int64(entry[e])
                    if (group[i] & mask[ray]) == 0 or body[i] == ignored[ray]:
                        continue
                    r = rotation_of(turn, i)
                    p, u = turned_back(r, minus(x, row(place, i))), turned_back(r, d)
                    t, n = ray_to_part(shapes, shape[i], in_mesh, p, u, inside, best)
                    if t < best or (t == best and t < np.inf and (which < 0 or i < which)):
                        best, which, m = t, i, n
            hit[ray] = which
            if which < 0:
                continue
            distance[ray] = best
            put(normal, ray, turned(rotation_of(turn, which), m))
