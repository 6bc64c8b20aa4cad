"""The general convex method against coal, against its own definition, and against bad luck."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.optimize import minimize

from amontons._jit import serial_kernel
from amontons.algebra.rotations import quaternion_product, rotation_matrices
from amontons.collision.convex_pairs import collide_convex, collide_pair
from amontons.collision.found import Poses, empty_found
from amontons.collision.manifold import new_manifold_scratch
from amontons.collision.signed_distance import new_scratch, signed_distance
from amontons.collision.support import core_of, triangle_core
from amontons.model.shapes import (
    Box,
    Capsule,
    Cone,
    ConvexHull,
    Cylinder,
    Ellipsoid,
    Sphere,
    build_table,
)

coal = pytest.importorskip("coal")

POSES = 200
"""Random poses for each pair of kinds; 2000 for a thorough run."""

MARGIN = 0.05


def ball_points(count, seed=5):
    points = np.random.default_rng(seed).normal(size=(count, 3))
    return points / np.linalg.norm(points, axis=1)[:, None]


SHAPES = {
    "sphere": Sphere(0.5),
    "capsule": Capsule(0.3, 1.0),
    "box": Box((1.0, 0.7, 0.5)),
    "cylinder": Cylinder(0.5, 0.8),
    "cone": Cone(0.5, 1.0),
    "ellipsoid": Ellipsoid((0.5, 0.4, 0.3)),
    "hull": ConvexHull(ball_points(20) * [0.5, 0.4, 0.6]),
}
PAIRS = list(itertools.combinations_with_replacement(SHAPES, 2))


def random_turns(rng, count):
    turns = rng.normal(size=(count, 4))
    return turns / np.linalg.norm(turns, axis=1)[:, None]


def collide(shape_a, shape_b, place, turn_a, turn_b, margin, origin=0.0):
    """Contacts of A at the origin and B at each place."""
    count = len(place)
    places = np.full((2 * count, 3), origin)
    places[1::2] += place
    turns = np.empty((2 * count, 4))
    turns[0::2], turns[1::2] = turn_a, turn_b
    shape = np.tile(np.array([0, 1], dtype=np.int32), count)
    pair = np.arange(2 * count, dtype=np.int32).reshape(count, 2)
    found = empty_found(count)
    table = build_table([shape_a, shape_b])
    collide_convex.serial(table, Poses(places, turns, shape), pair, margin, found)
    return found


def heights(shape_a, shape_b, place, turn_a, turn_b, normals):
    """h_A(n) + h_B(−n) for one normal a pose, by the shapes' own support points."""
    r_a, r_b = rotation_matrices(turn_a), rotation_matrices(turn_b)
    in_a = np.einsum("pji,pj->pi", r_a, normals)
    in_b = np.einsum("pji,pj->pi", r_b, normals)
    h_a = np.einsum("pi,pi->p", shape_a.support(in_a), in_a)
    h_b = np.einsum("pi,pi->p", shape_b.support(-in_b), -in_b)
    return h_a + h_b - np.einsum("pi,pi->p", place, normals)


def random_poses(shape_a, shape_b, count, seed):
    """Poses of four sorts in turn: deep, shallow, touching, apart within the margin."""
    rng = np.random.default_rng(seed)
    turn_a, turn_b = random_turns(rng, count), random_turns(rng, count)
    reach = sum(np.linalg.norm(np.ptp(s.bounds, axis=0)) / 2 for s in (shape_a, shape_b))
    place = rng.normal(size=(count, 3))
    place *= (reach * rng.uniform(0.05, 0.9, count) / np.linalg.norm(place, axis=1))[:, None]
    wanted = rng.uniform(0.0, 1.0, count) * np.resize([-0.3, -0.02, 0.0, MARGIN], count)
    for _ in range(3):
        found = collide(shape_a, shape_b, place, turn_a, turn_b, 10.0)
        deep = (np.arange(count) % 4 == 0) & (found.gap[:, 0] < 0.0)
        move = np.where(deep, 0.0, wanted - found.gap[:, 0])
        place = place + move[:, None] * found.normal[:, 0]
    return place, turn_a, turn_b


def coal_shape(shape):
    """The same shape for coal, and where its origin is in ours."""
    if isinstance(shape, Sphere):
        return coal.Sphere(shape.radius), 0.0
    if isinstance(shape, Capsule):
        return coal.Capsule(shape.radius, shape.length), 0.0
    if isinstance(shape, Box):
        return coal.Box(*shape.size), 0.0
    if isinstance(shape, Cylinder):
        return coal.Cylinder(shape.radius, shape.height), 0.0
    if isinstance(shape, Cone):
        return coal.Cone(shape.radius, shape.height), shape.height / 4
    if isinstance(shape, Ellipsoid):
        return coal.Ellipsoid(*shape.semi_axes), 0.0
    points = coal.StdVec_Vec3s()
    points.extend(list(shape.faces.point))
    return coal.Convex.convexHull(points, False, ""), 0.0


def coal_distances(shape_a, shape_b, place, turn_a, turn_b):
    """Signed distances and normals from A to B by coal, its tolerances tightened."""
    geometry_a, lift_a = coal_shape(shape_a)
    geometry_b, lift_b = coal_shape(shape_b)
    r_a, r_b = rotation_matrices(turn_a), rotation_matrices(turn_b)
    gap, normal = np.empty(len(place)), np.empty((len(place), 3))
    request = coal.DistanceRequest(True)
    request.gjk_tolerance = request.epa_tolerance = 1e-9
    request.gjk_max_iterations = request.epa_max_iterations = 1000
    for i in range(len(place)):
        result = coal.DistanceResult()
        gap[i] = coal.distance(
            geometry_a,
            coal.Transform3s(r_a[i], r_a[i][:, 2] * lift_a),
            geometry_b,
            coal.Transform3s(r_b[i], place[i] + r_b[i][:, 2] * lift_b),
            request,
            result,
        )
        normal[i] = result.normal
    return gap, normal


def best_by_definition(shape_a, shape_b, place, turn_a, turn_b, starts):
    """Signed distance of one pose: −min over n of h_A(n) + h_B(−n), from many directions."""

    def height(n):
        n = np.asarray(n) / np.linalg.norm(n)
        return heights(
            shape_a, shape_b, place[None], turn_a[None], turn_b[None], np.reshape(n, (1, 3))
        )[0]

    many = len(starts)
    values = heights(
        shape_a,
        shape_b,
        np.repeat(place[None], many, 0),
        np.repeat(turn_a[None], many, 0),
        np.repeat(turn_b[None], many, 0),
        starts,
    )
    best = np.inf
    for i in np.argsort(values)[:6]:
        options = {"xatol": 1e-11, "fatol": 1e-13, "maxiter": 2000}
        best = min(best, minimize(height, starts[i], method="Nelder-Mead", options=options).fun)
    return -best


def check_against_coal(name_a, name_b, count, seed):
    """(gap errors, normal errors) against coal, or the definition where coal is off."""
    shape_a, shape_b = SHAPES[name_a], SHAPES[name_b]
    place, turn_a, turn_b = random_poses(shape_a, shape_b, count, seed)
    found = collide(shape_a, shape_b, place, turn_a, turn_b, MARGIN)
    assert np.all(found.number >= 1)
    gap, normal = found.gap[:, 0], found.normal[:, 0]
    assert np.max(np.abs(np.linalg.norm(normal, axis=1) - 1.0)) < 1e-12
    # our answer is one that can be had: never deeper than the truth, never farther apart
    assert np.max(np.abs(gap + heights(shape_a, shape_b, place, turn_a, turn_b, normal))) < 1e-10
    theirs, their_normal = coal_distances(shape_a, shape_b, place, turn_a, turn_b)
    # so where coal says less (more apart, less deep), ours is beaten; where more, coal is off
    coal_height = heights(shape_a, shape_b, place, turn_a, turn_b, their_normal)
    error = np.maximum(-coal_height - gap, 0.0)
    turned = np.linalg.norm(normal - their_normal, axis=1)
    for i in np.flatnonzero(np.abs(theirs - gap) > 1e-6):
        starts = np.vstack([ball_points(500), normal[i], their_normal[i]])
        best = best_by_definition(shape_a, shape_b, place[i], turn_a[i], turn_b[i], starts)
        error[i] = max(error[i], best - gap[i])
    unique = np.abs(-coal_height - gap) < 1e-9
    return error, np.where(unique, turned, 0.0)


@pytest.mark.parametrize(("name_a", "name_b"), PAIRS)
def test_agrees_with_coal(name_a, name_b):
    error, turned = check_against_coal(name_a, name_b, POSES, 1)
    assert error.max() < 1e-7
    assert np.quantile(turned, 0.99) < 1e-4
