"""Generated problems: exact counts, the same bits for the same seed, sound geometry and physics."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy.sparse.linalg import eigsh

import amontons as am
from amontons.generators import (
    GENERATORS,
    bilateral_network,
    frictionless_spheres,
    generate,
    packing,
)
from amontons.generators.bed import LID, WALL, Bed, find_contacts, make_bed, morton_order, nearest

GRAVITY, STEP = 9.81, 1e-3


def bits(problem):
    """Everything that makes up a problem over bodies, as bytes."""
    arrays = [array for array in problem.operator.arrays if isinstance(array, np.ndarray)]
    arrays += [problem.linear, *problem.sets.arrays]
    return b"".join(np.ascontiguousarray(array).tobytes() for array in arrays)


def masses(problem):
    return 1.0 / problem.operator.arrays.inverse_mass


def degrees(problem):
    """Number of distinct partners of each body, the world being one."""
    pairs = np.unique(problem.operator.arrays.body, axis=0)
    return np.bincount(pairs[pairs >= 0], minlength=problem.operator.bodies)


def eigenvalues(problem):
    values = np.linalg.eigvalsh(problem.operator.as_matrix().toarray())
    return values / values[-1]


def in_range(problem):
    """Whether the linear system Nγ = −r has a solution."""
    N = problem.operator.as_matrix().toarray()
    solution = np.linalg.lstsq(N, -problem.linear, rcond=1e-12)[0]
    return np.linalg.norm(N @ solution + problem.linear) < 1e-9 * np.linalg.norm(problem.linear)


# -- determinism, all generators ------------------------------------------------------------------

SMALL = [
    lambda seed: bilateral_network(60, 210, seed=seed),
    lambda seed: frictionless_spheres(100, 340, seed=seed),
    lambda seed: packing(150, polydispersity=0.2, slab_mass=10.0, seed=seed),
    lambda seed: packing(6500, seed=seed),
]


@pytest.mark.parametrize(
    "make",
    [*SMALL[:3], pytest.param(SMALL[3], marks=pytest.mark.slow)],
    ids=["network", "smooth", "packing", "tiled"],
)
def test_same_seed_same_bits_and_another_seed_other_bits(make):
    first, second, other = bits(make(3)), bits(make(3)), bits(make(4))
    assert first == second
    assert first != other


# -- B1 -------------------------------------------------------------------------------------------


def test_b1_has_3500_constraints_between_1000_parts():
    problem = bilateral_network()
    assert problem.rows == problem.blocks == 3500
    assert problem.operator.bodies == 1000
    assert problem.sets.bilateral
    assert degrees(problem).min() >= 1
    assert 3.0 < degrees(problem).mean() < 3.5
    assert (problem.operator.arrays.body[:, 1] == WALL).sum() == 30


def test_b1_rows_are_distinct_and_coupled():
    problem = bilateral_network()
    arrays = problem.operator.arrays
    rows = np.concatenate([arrays.body, arrays.jacobian.round(9)], axis=1)
    assert np.unique(rows, axis=0).shape[0] == 3500
    assert problem.operator.as_matrix().nnz > 10 * 3500


def test_b1_is_regular_and_neither_trivial_nor_absurd():
    N = bilateral_network().operator.as_matrix().tocsc()
    start = np.ones(3500)
    largest = eigsh(N, 1, v0=start, return_eigenvectors=False)
    smallest = eigsh(N, 1, sigma=0.0, v0=start, return_eigenvectors=False)
    assert 1e3 < largest[0] / smallest[0] < 1e5


@pytest.mark.parametrize(
    ("parts", "constraints"), [(1, 3), (2, 4), (2, 6), (30, 1), (30, 20), (30, 105), (30, 170)]
)
def test_networks_of_any_size_are_exact_and_consistent(parts, constraints):
    problem = bilateral_network(parts, constraints)
    assert (problem.rows, problem.operator.bodies) == (constraints, parts)
    assert eigenvalues(problem)[0] >= -1e-10
    assert in_range(problem)


def test_network_joints_do_not_resist_rigid_motion_of_what_hangs_free():
    problem = bilateral_network(40, 120)
    inner = problem.operator.arrays.body[:, 1] != WALL
    along = np.zeros((40, 6))
    along[:, :3] = (1.0, -2.0, 3.0)
    felt = np.empty(120)
    problem.operator.from_velocities(along, felt)
    np.testing.assert_allclose(felt[inner], 0.0, atol=1e-12)
    assert np.abs(felt[~inner]).max() > 0.5


def test_b1_is_solved():
    problem = bilateral_network()
    solution = am.ConjugateGradient(tolerance=1e-8, max_iterations=2000).solve(problem)
    assert solution.status is am.Status.CONVERGED


# -- B2 -------------------------------------------------------------------------------------------


def test_b2_has_3525_contacts_between_1000_equal_spheres():
    problem = frictionless_spheres()
    assert problem.rows == problem.blocks == 3525
    assert problem.operator.bodies == 1000
    assert np.ptp(problem.operator.arrays.inverse_mass) == 0.0
    assert {run.kind.name for run in problem.sets.runs} == {"NONNEGATIVE"}


def test_b2_rows_are_unit_normals_without_arms():
    jacobian = frictionless_spheres(200, 650).operator.arrays.jacobian
    np.testing.assert_allclose(np.linalg.norm(jacobian[:, :3], axis=1), 1.0, atol=1e-14)
    np.testing.assert_array_equal(jacobian[:, :3], -jacobian[:, 6:9])
    assert not jacobian[:, 3:6].any()
    assert not jacobian[:, 9:].any()


@pytest.mark.slow
def test_b2_is_positive_semidefinite_and_its_floor_bears_the_weight():
    problem = frictionless_spheres(150, 500)
    assert eigenvalues(problem)[0] >= -1e-10
    solution = am.APGD(tolerance=1e-5, max_iterations=20_000).solve(problem)
    assert solution.status is am.Status.CONVERGED
    arrays = problem.operator.arrays
    floor = (arrays.body[:, 1] == WALL) & (arrays.jacobian[:, 8] < -0.5)
    weight = masses(problem).sum() * GRAVITY * STEP
    # a smooth bed without a lid gives way here and there, so part of it falls
    assert 0.9 * weight < solution.impulses[floor].sum() <= 1.001 * weight


# -- packings -------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("spheres", [1000, 20_000])
def test_packing_has_as_many_contacts_as_a_settled_bed(spheres):
    problem = packing(spheres)
    assert problem.operator.bodies == spheres
    assert 2.5 < problem.blocks / spheres < 4.0
    found = degrees(problem)
    assert (found >= 3).mean() > 0.97
    assert found.max() <= 13


@pytest.mark.parametrize("spheres", [1, 2, 7, 40])
def test_tiny_packings_have_a_floor_contact(spheres):
    problem = packing(spheres)
    normals = problem.sets.runs[0].normals
    assert ((problem.operator.arrays.body[:, 1] == WALL) & (normals[:, 2] == -1.0)).any()


@pytest.mark.parametrize("options", [{}, {"polydispersity": 0.3}, {"slab_mass": 100.0}])
def test_normals_are_unit_vectors_and_arms_are_radii(options):
    problem = packing(300, radius=0.2, mass=2.0, **options)
    arrays = problem.operator.arrays
    normals = problem.sets.runs[0].normals
    np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1.0, atol=1e-12)
    arms = arrays.arms.reshape(-1, 2, 3)
    radius = 0.2 * np.cbrt(masses(problem)[:300] / 2.0)
    a, b = arrays.body.T
    np.testing.assert_allclose(arms[:, 0], radius[a, None] * normals, atol=1e-12)
    inner = (b != WALL) & (b < 300)
    np.testing.assert_allclose(arms[inner, 1], -radius[b[inner], None] * normals[inner], atol=1e-12)
    assert not arms[b == WALL, 1].any()
    inertia = 0.4 * masses(problem)[:300] * radius**2
    np.testing.assert_allclose(arrays.inverse_inertia[:300, 0] * inertia, 1.0, atol=1e-12)


def test_bodies_follow_space_and_contacts_follow_bodies():
    body = packing(3000).operator.arrays.body
    order = np.lexsort((body[:, 1], body[:, 0]))
    np.testing.assert_array_equal(order, np.arange(order.size))
    inner = body[body[:, 1] >= 0]
    assert (inner[:, 0] < inner[:, 1]).all()
    assert np.median(inner[:, 1] - inner[:, 0]) < 100


def test_morton_order_visits_octants_one_after_another():
    grid = np.stack(np.meshgrid(*[np.arange(4.0)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    octant = (grid[morton_order(grid, 1.0)] // 2) @ (1, 2, 4)
    np.testing.assert_array_equal(octant, np.repeat(np.arange(8), 8))


def brute_force_gaps(bed: Bed):
    """Relative gap of every pair of spheres and of every sphere and plane, by name."""
    gaps = {}
    for i in range(bed.radius.size):
        for j in range(i + 1, bed.radius.size):
            distance = np.linalg.norm(bed.position[i] - bed.position[j])
            gaps[i, j, "sphere"] = distance / (bed.radius[i] + bed.radius[j]) - 1.0
        for axis in range(3):
            gaps[i, axis, "low"] = bed.position[i, axis] / bed.radius[i] - 1.0
            gap = (bed.box[axis] - bed.position[i, axis]) / bed.radius[i] - 1.0
            gaps[i, axis, "high"] = gap
    return gaps


def named(contacts):
    for a, b, normal in zip(contacts.a, contacts.b, contacts.normal, strict=True):
        axis = int(np.argmax(np.abs(normal)))
        yield (a, b, "sphere") if b >= 0 else (a, axis, "high" if normal[axis] > 0 else "low")


@pytest.mark.parametrize("lid", [False, True])
@pytest.mark.parametrize("polydispersity", [0.0, 0.3])
def test_contacts_are_exactly_the_nearest_pairs(polydispersity, lid):
    rng = np.random.default_rng(5)
    bed = make_bed(120, 390, polydispersity, lid, rng)
    contacts = nearest(find_contacts(bed, 0.05, lid), 390)
    assert contacts.gap.size == 390
    assert (contacts.b == LID).any() == lid
    gaps = brute_force_gaps(bed)
    if not lid:
        gaps = {key: gap for key, gap in gaps.items() if key[1:] != (2, "high")}
    near = {key for key, gap in gaps.items() if gap <= contacts.gap.max() + 1e-12}
    assert near == set(named(contacts))
    for key, gap in zip(named(contacts), contacts.gap, strict=True):
        assert gap == pytest.approx(gaps[key], abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("spheres", [500, 6500])
def test_spheres_overlap_little_and_stay_in_the_box(spheres):
    bed = make_bed(spheres, round(3.25 * spheres), 0.0, False, np.random.default_rng(0))
    contacts = find_contacts(bed, 0.05, True)
    assert contacts.gap.min() > -0.15
    assert (bed.position > 0).all()
    assert (bed.position < bed.box).all()
    filling = (4 / 3 * np.pi * bed.radius**3).sum() / bed.box.prod()
    assert 0.55 < filling < 0.67


def test_bed_is_random_not_a_lattice():
    """In a crystal of equal spheres many pairs are √2 diameters apart; in a random bed few are."""
    bed = make_bed(1000, 3250, 0.0, False, np.random.default_rng(0))
    distance = np.linalg.norm(bed.position[:, None] - bed.position[None], axis=2)
    shells = np.histogram(distance, bins=[2.6, 2.75, 2.9, 3.05])[0]
    assert shells[1] < 1.5 * (shells[0] + shells[2]) / 2


@pytest.mark.parametrize("slab_mass", [None, 200.0])
def test_floor_carries_the_whole_weight(slab_mass):
    problem = packing(500, slab_mass=slab_mass)
    solution = am.APGD(tolerance=1e-5, max_iterations=20_000).solve(problem)
    assert solution.status is am.Status.CONVERGED
    normals, body = problem.sets.runs[0].normals, problem.operator.arrays.body
    floor = (body[:, 1] == WALL) & (normals[:, 2] < -0.5)
    carried = -solution.impulses.reshape(-1, 3)[floor, 2].sum()
    assert carried == pytest.approx(masses(problem).sum() * GRAVITY * STEP, rel=0.01)


def test_slab_is_a_hub_above_the_bed():
    problem = packing(500, slab_mass=1000.0)
    assert problem.operator.bodies == 501
    assert masses(problem)[500] == pytest.approx(1000.0)
    touches = problem.operator.arrays.body[:, 1] == 500
    assert touches.sum() > 20
    assert (problem.sets.runs[0].normals[touches, 2] == 1.0).all()
    arms = problem.operator.arrays.arms.reshape(-1, 2, 3)[touches, 1]
    np.testing.assert_allclose(arms[:, 2], -0.15)
    assert (arms[:, :2].min(axis=0) < -0.5).all()
    assert (arms[:, :2].max(axis=0) > 0.5).all()


def test_walls_are_smooth_unless_asked():
    for wall in (0.0, 0.3):
        problem = packing(200, friction=0.6, wall_friction=wall)
        run, body = problem.sets.runs[0], problem.operator.arrays.body
        side = (body[:, 1] == WALL) & (np.abs(run.normals[:, 2]) < 0.5)
        assert side.any()
        assert set(run.friction[side]) == {wall}
        assert set(run.friction[~side]) == {0.6}


def test_rolling_and_spinning_give_six_rows():
    problem = packing(40, rolling=0.01, spinning=0.02)
    assert problem.rows == 6 * problem.blocks
    assert eigenvalues(problem)[0] >= -1e-10


def test_packing_is_positive_semidefinite():
    assert eigenvalues(packing(60))[0] >= -1e-10


def test_geometric_gaps_are_bounded_below_and_solvable():
    zero = packing(200)
    problem = packing(200, gaps="geometric", recovery_speed=0.05)
    normals = problem.sets.runs[0].normals
    more = (problem.given_linear - zero.given_linear).reshape(-1, 3)
    offset = np.einsum("ck,ck->c", more, normals)
    np.testing.assert_allclose(more, offset[:, None] * normals, atol=1e-9)
    assert offset.min() == pytest.approx(-0.05)
    assert 0.2 < (offset < 0).mean() < 0.4
    solution = am.APGD(tolerance=1e-5, max_iterations=20_000).solve(problem)
    assert solution.status is am.Status.CONVERGED


# -- specifications as text -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "blocks", "bodies"),
    [
        ("b1", 3500, 1000),
        ("B2:", 3525, 1000),
        ("b1:50,160", 160, 50),
        ("b2:contacts=300,spheres=100", 300, 100),
        ("packing:100", 325, 100),
        ("packing: 1e2, friction = 0.1, slab_mass=1000", 325, 101),
        ("packing:100,slab_mass=none,gaps=geometric,seed=7", 325, 100),
        ("packing:1_00", 325, 100),
    ],
)
def test_generate(spec, blocks, bodies):
    problem = generate(spec)
    assert (problem.blocks, problem.operator.bodies) == (blocks, bodies)


def test_generate_is_the_function():
    given = generate("packing:100,friction=0.1,seed=2")
    assert bits(given) == bits(packing(100, friction=0.1, seed=2))
    assert set(GENERATORS) == {"b1", "b2", "packing"}


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("", "unknown generator ''"),
        ("b3", "unknown generator 'b3' in 'b3'; choose b1, b2, packing"),
        ("packing:colour=3", "packing has no parameter 'colour'; it has spheres, friction"),
        ("packing:ten", "packing: spheres must be a whole number, got 'ten'"),
        ("packing:10.5", "spheres must be a whole number, got '10.5'"),
        ("packing:inf", "spheres must be a whole number, got 'inf'"),
        ("packing:10,", "at most 1 values without a name"),
        ("packing:10,friction=", "packing: friction must be a number, got ''"),
        ("packing:10,friction=none", "friction must be a number, got 'none'"),
        ("packing:10,friction=nan", "friction must be a finite number"),
        ("packing:10,20", "packing takes at most 1 values without a name"),
        ("packing:10,spheres=20", "packing is given spheres twice"),
        ("packing:0", "spheres must be a whole number from 1"),
        ("packing:10,gaps=small", "unknown gaps 'small'"),
    ],
)
def test_bad_specifications(spec, message):
    with pytest.raises(am.InputError, match=re.escape(message)):
        generate(spec)


# -- invalid arguments ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: packing(0), "spheres must be a whole number from 1"),
        (lambda: packing(-5), "spheres must be a whole number from 1"),
        (lambda: packing(10.0), "spheres must be a whole number from 1"),
        (lambda: packing(10**9), "from 1 to 100000000"),
        (lambda: packing(10, radius=-0.1), "radius is -0.1; it must be larger than 0"),
        (lambda: packing(10, mass=0.0), "mass is 0.0; it must be larger than 0"),
        (lambda: packing(10, step=0.0), "step is 0.0; it must be larger than 0"),
        (lambda: packing(10, friction=-1.0), "friction is -1.0; it must be at least 0"),
        (lambda: packing(10, wall_friction=-1.0), "wall_friction is -1.0"),
        (lambda: packing(10, rolling=-1.0), "rolling is -1.0; it must be at least 0"),
        (lambda: packing(10, slab_mass=0.0), "slab_mass is 0.0; it must be larger than 0"),
        (lambda: packing(10, polydispersity=0.8), "must not be above 0.5"),
        (lambda: packing(10, radius=float("nan")), "radius must be a finite number"),
        (lambda: packing(10, radius="big"), "radius must be a finite number, got 'big'"),
        (lambda: packing(10, seed=-1), "seed must be a whole number ≥ 0"),
        (lambda: frictionless_spheres(0, 10), "spheres must be a whole number"),
        (lambda: frictionless_spheres(10, 0), "contacts must be a whole number"),
        (lambda: frictionless_spheres(100, 1000), "100 spheres in a box cannot have 1000 contacts"),
        (lambda: bilateral_network(0, 10), "parts must be a whole number"),
        (lambda: bilateral_network(10, 0), "constraints must be a whole number"),
        (lambda: bilateral_network(1, 10), "1 parts cannot have 10 constraints"),
        (lambda: bilateral_network(10, 1000), "10 parts cannot have 1000 constraints"),
        (lambda: bilateral_network(step=-1.0), "step is -1.0; it must be larger than 0"),
    ],
)
def test_invalid_arguments(make, message):
    with pytest.raises(am.InputError, match=re.escape(message)):
        make()
