"""The first thing that each of many rays meets."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amontons._jit import kernel, prange, routine
from amontons.collision.queries.ray_spans import span_of_convex
from amontons.collision.queries.tree_boxes import enters_box, new_walk, reciprocal
from amontons.collision.queries.world_axes import put_turned, to_local
from amontons.model.shapes.table import MESH, PLANE

Floats = NDArray[np.float64]

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
    ignored: NDArray[np.int32]  # a body that it does not see, or −1, (rays,)


@routine
def cross_triangle(point, corner, plane, face_start, first, f, x, y, z, d0, d1, d2):
    """Where a line crosses the plane of triangle f, and the rate at which it climbs above it.

    ∞ if it misses the triangle. Edges are a few rounding errors wide, so that no ray slips through
    between two triangles.
    """
    rate = plane[f, 0] * d0 + plane[f, 1] * d1 + plane[f, 2] * d2
    if rate == 0.0:
        return np.inf, 0.0
    c = face_start[f]
    i, j, k = first + corner[c], first + corner[c + 1], first + corner[c + 2]
    a0, a1, a2 = point[i, 0] - x, point[i, 1] - y, point[i, 2] - z
    b0, b1, b2 = point[j, 0] - x, point[j, 1] - y, point[j, 2] - z
    c0, c1, c2 = point[k, 0] - x, point[k, 1] - y, point[k, 2] - z
    # positive where the line passes inside of an edge, if it comes from behind
    ab = d0 * (a1 * b2 - a2 * b1) + d1 * (a2 * b0 - a0 * b2) + d2 * (a0 * b1 - a1 * b0)
    bc = d0 * (b1 * c2 - b2 * c1) + d1 * (b2 * c0 - b0 * c2) + d2 * (b0 * c1 - b1 * c0)
    ca = d0 * (c1 * a2 - c2 * a1) + d1 * (c2 * a0 - c0 * a2) + d2 * (c0 * a1 - c1 * a0)
    lowest, highest = min(ab, bc, ca), max(ab, bc, ca)
    worst = lowest if rate > 0.0 else -highest
    spread = a0 * a0 + a1 * a1 + a2 * a2 + b0 * b0 + b1 * b1 + b2 * b2
    spread += c0 * c0 + c1 * c1 + c2 * c2
    if worst < -EDGE * spread:
        return np.inf, 0.0
    height = plane[f, 0] * x + plane[f, 1] * y + plane[f, 2] * z - plane[f, 3]
    t = -height / rate
    # of a triangle seen on edge, the plane may be met anywhere
    at_a, at_b, at_c = (
        d0 * a0 + d1 * a1 + d2 * a2,
        d0 * b0 + d1 * b1 + d2 * b2,
        d0 * c0 + d1 * c1 + d2 * c2,
    )
    return min(max(t, min(at_a, at_b, at_c)), max(at_a, at_b, at_c)), rate


@routine
def ray_to_mesh(shapes, s, walk, origin, direction, behind, touch, best):
    """First hit of a ray on mesh s before `best`, and the unit normal against the ray; or ∞.

    The ray begins at `behind` (≤ 0 if the origin was moved forward) of the line's origin.
    """
    data, point, face_start, corner = shapes.data, shapes.point, shapes.face_start, shapes.corner
    plane, node_box, node_link = shapes.plane, shapes.node_box, shapes.node_link
    node_face = shapes.node_face
    (stack, later), (x, y, z), (d0, d1, d2) = walk, origin, direction
    inverse0, inverse1, inverse2 = reciprocal(d0), reciprocal(d1), reciprocal(d2)
    first, face = data[s, 0], data[s, 2]
    found, which, side = np.inf, -1, 1.0
    waiting = 0
    root = np.int64(data[s, 4])
    entry = enters_box(
        node_box, root, touch, x, y, z, inverse0, inverse1, inverse2, behind - touch, best
    )
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
                t, rate = cross_triangle(
                    point, corner, plane, face_start, first, f, x, y, z, d0, d1, d2
                )
                # begun on the surface, a ray that leaves by the front does not meet it
                depth = (t - behind) * abs(rate)
                if depth < -touch or t > best or (depth <= touch and rate > 0.0):
                    continue
                if t < best or which < 0 or f < which:
                    best, found, which, side = t, t, f, -math.copysign(1.0, rate)
            continue
        one, other = np.int64(node_link[node, 0]), np.int64(node_link[node, 1])
        at_one = enters_box(
            node_box, one, touch, x, y, z, inverse0, inverse1, inverse2, behind - touch, best
        )
        at_other = enters_box(
            node_box, other, touch, x, y, z, inverse0, inverse1, inverse2, behind - touch, best
        )
        if at_one < at_other:
            one, other, at_one, at_other = other, one, at_other, at_one
        if at_one < np.inf:
            stack[waiting], later[waiting] = one, at_one
            waiting += 1
        if at_other < np.inf:
            stack[waiting], later[waiting] = other, at_other
            waiting += 1
    if which < 0:
        return np.inf, 0.0, 0.0, 0.0
    return found, side * plane[which, 0], side * plane[which, 1], side * plane[which, 2]


@routine
def ray_to_plane(size, s, x, y, z, d0, d1, d2, touch, inside):
    """Where a ray meets the half-space s, and its normal there; or ∞."""
    n0, n1, n2 = size[s, 0], size[s, 1], size[s, 2]
    height = n0 * x + n1 * y + n2 * z - size[s, 3]
    rate = n0 * d0 + n1 * d1 + n2 * d2
    if height < -touch:
        return (0.0, -d0, -d1, -d2) if inside else (np.inf, 0.0, 0.0, 0.0)
    if rate < 0.0:
        return max(height, 0.0) / -rate, n0, n1, n2
    return np.inf, 0.0, 0.0, 0.0


@routine
def ray_to_part(shapes, s, walk, origin, direction, inside, best):
    """Where a ray meets shape s, not beyond `best`, and the outward normal; local frame; or ∞."""
    size, middle, half, what = shapes.size, shapes.middle, shapes.half, shapes.kind[s]
    (x, y, z), (d0, d1, d2) = origin, direction
    if what == PLANE:
        touch = TOUCH * (abs(x) + abs(y) + abs(z) + abs(size[s, 3]))
        return ray_to_plane(size, s, x, y, z, d0, d1, d2, touch, inside)
    x, y, z = x - middle[s, 0], y - middle[s, 1], z - middle[s, 2]
    touch = TOUCH * (half[s, 0] + half[s, 1] + half[s, 2]) + 1e-15 * (abs(x) + abs(y) + abs(z))
    # go on as if the ray began beside the shape: far away its digits would be spent on nothing
    shift = -(x * d0 + y * d1 + z * d2)
    x += shift * d0 + middle[s, 0]
    y += shift * d1 + middle[s, 1]
    z += shift * d2 + middle[s, 2]
    if what == MESH:
        t, n0, n1, n2 = ray_to_mesh(
            shapes, s, walk, (x, y, z), direction, -shift, touch, best - shift
        )
        return max(shift + t, 0.0), n0, n1, n2
    enter, leave, n0, n1, n2 = span_of_convex(
        what, size, shapes.data, shapes.plane, s, x, y, z, d0, d1, d2
    )
    if enter > leave:
        return np.inf, 0.0, 0.0, 0.0
    enter, leave = shift + enter, shift + leave
    if leave < 0.0:
        return np.inf, 0.0, 0.0, 0.0
    # how far below the surface the ray begins
    if -enter * abs(n0 * d0 + n1 * d1 + n2 * d2) <= touch:
        return max(enter, 0.0), n0, n1, n2
    if inside and leave > touch:
        return 0.0, -d0, -d1, -d2
    return np.inf, 0.0, 0.0, 0.0


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
            x, y, z = origins[ray, 0], origins[ray, 1], origins[ray, 2]
            d0, d1, d2 = directions[ray, 0], directions[ray, 1], directions[ray, 2]
            inverse0, inverse1, inverse2 = reciprocal(d0), reciprocal(d1), reciprocal(d2)
            best, which, m0, m1, m2 = longest[ray], -1, 0.0, 0.0, 0.0
            stack[0], stack[1], later[0], later[1], waiting = 1, 2 * leaves, 0.0, 0.0, 2
            while waiting > 0:
                waiting -= 1
                node = np.int64(stack[waiting])
                if later[waiting] > best:
                    continue
                if node < leaves:
                    one, other = 2 * node, 2 * node + 1
                    at_one = enters_box(
                        box, one, 0.0, x, y, z, inverse0, inverse1, inverse2, 0.0, best
                    )
                    at_other = enters_box(
                        box, other, 0.0, x, y, z, inverse0, inverse1, inverse2, 0.0, best
                    )
                    if at_one < at_other:
                        one, other, at_one, at_other = other, one, at_other, at_one
                    if at_one < np.inf:
                        stack[waiting], later[waiting] = one, at_one
                        waiting += 1
                    if at_other < np.inf:
                        stack[waiting], later[waiting] = other, at_other
                        waiting += 1
                    continue
                for e in range(start[node - leaves], start[node - leaves + 1]):
                    i = np.int64(entry[e])
                    if (group[i] & mask[ray]) == 0 or body[i] == ignored[ray]:
                        continue
                    p0, p1, p2, u0, u1, u2 = to_local(turn, place, i, x, y, z, d0, d1, d2)
                    p, u = (p0, p1, p2), (u0, u1, u2)
                    t, n0, n1, n2 = ray_to_part(shapes, shape[i], in_mesh, p, u, inside, best)
                    if t < best or (t == best and t < np.inf and (which < 0 or i < which)):
                        best, which, m0, m1, m2 = t, i, n0, n1, n2
            hit[ray] = which
            if which < 0:
                continue
            distance[ray] = best
            put_turned(turn, which, m0, m1, m2, normal, ray)
