"""Compounds with true mass where their spheres overlap, or with that of another shape."""

from __future__ import annotations

import numpy as np
import pytest

import amontons as am
from amontons.model.shapes.ball_unions import moments_by_slices, moments_of_balls
from amontons.simulation.checkpoints.plain_shapes import plain_shape, shape_from


def balls(centres, radii, **properties):
    pairs = zip(np.asarray(radii).tolist(), np.asarray(centres).tolist(), strict=True)
    return am.Compound([(am.Sphere(r), c) for r, c in pairs], **properties)


def lens(r, s, d):
    """Volume in two balls whose centres are d apart (Weisstein, Sphere-Sphere Intersection)."""
    return (
        np.pi * (r + s - d) ** 2
        * (d * d + 2 * d * s - 3 * s * s + 2 * d * r + 6 * r * s - 3 * r * r) / (12 * d)
    )  # fmt: skip


def sampled(centres, radii, count=400_000):
    """Volume, centre and inertia by points at random, and the standard error of the volume."""
    centres, radii = np.asarray(centres), np.asarray(radii)
    low, high = (centres - radii[:, None]).min(axis=0), (centres + radii[:, None]).max(axis=0)
    points = np.random.default_rng(1).uniform(low, high, (count, 3))
    inside = np.zeros(count, dtype=bool)
    for centre, radius in zip(centres, radii, strict=True):
        inside |= ((points - centre) ** 2).sum(axis=1) < radius**2
    volume = (high - low).prod() * inside.mean()
    found = points[inside] - points[inside].mean(axis=0)
    square = volume * found.T @ found / len(found)
    error = (high - low).prod() * inside.std() / np.sqrt(count)
    return volume, points[inside].mean(axis=0), np.trace(square) * np.eye(3) - square, error


@pytest.mark.parametrize("distance", [0.2, 0.9, 1.6])
def test_two_balls_are_exact(distance):
    r, s = 1.0, 0.85
    union = balls([(0, 0, 0), (0, distance, 0)], [r, s], overlap="union")
    both = 4 / 3 * np.pi * (r**3 + s**3)
    assert union.volume == pytest.approx(both - lens(r, s, distance), rel=1e-12)
    # far apart or one in the other: nothing counts twice, or one alone
    assert balls([(0, 0, 0), (2, 0, 0)], [r, s], overlap="union").volume == pytest.approx(both)
    inner = balls([(0, 0, 0), (0.1, 0, 0)], [r, s], overlap="union")
    assert inner.volume == pytest.approx(am.Sphere(r).volume, rel=1e-12)
    np.testing.assert_allclose(inner.centre, 0.0, atol=1e-15)


def test_slices_agree_with_the_closed_form_in_any_direction():
    rng = np.random.default_rng(4)
    for _ in range(5):
        radii = rng.uniform(0.6, 1.0, 2)
        axis = rng.normal(size=3)
        way = axis / np.linalg.norm(axis) * rng.uniform(0.45, radii.sum())
        centres = rng.normal(size=3) + np.array([np.zeros(3), way])
        exact, sliced = moments_of_balls(centres, radii), moments_by_slices(centres, radii)
        assert sliced.volume == pytest.approx(exact.volume, rel=1e-6)
        np.testing.assert_allclose(sliced.first, exact.first, atol=1e-5)
        np.testing.assert_allclose(
            sliced.inertia(), exact.inertia(), atol=1e-5 * np.trace(exact.inertia())
        )


@pytest.mark.parametrize("count", [3, 8])
def test_many_balls_agree_with_points_at_random(count):
    rng = np.random.default_rng(count)
    centres, radii = 0.7 * rng.normal(size=(count, 3)), rng.uniform(0.5, 1.0, count)
    union = balls(centres, radii, overlap="union")
    volume, centre, inertia, error = sampled(centres, radii)
    assert union.volume == pytest.approx(volume, abs=4.0 * error)
    np.testing.assert_allclose(union.centre, centre, atol=1e-2)
    np.testing.assert_allclose(union.unit_inertia(), inertia, atol=1e-2 * np.trace(inertia))
    # turned, they are the same solid
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    turned = moments_of_balls(centres @ turn.T, radii)
    assert turned.volume == pytest.approx(union.volume, rel=1e-6)
    np.testing.assert_allclose(
        turn.T @ turned.inertia() @ turn, union.unit_inertia(), atol=1e-5 * np.trace(inertia)
    )


def test_balls_that_do_not_overlap_are_their_sum():
    centres, radii = [(0, 0, 0), (3, 0, 0), (0, 4, 1)], [1.0, 1.5, 0.5]
    union, total = (balls(centres, radii, overlap=each) for each in ("union", "sum"))
    assert union.volume == pytest.approx(total.volume, rel=1e-12)
    np.testing.assert_allclose(union.unit_inertia(), total.unit_inertia(), rtol=1e-12)


def test_compounds_scale_compare_and_are_told_in_plain_data():
    union = balls([(0, 0, 0), (0.5, 0, 0)], [1.0, 0.7], overlap="union")
    assert union.scaled(2.0).volume == pytest.approx(8.0 * union.volume)
    assert union != balls([(0, 0, 0), (0.5, 0, 0)], [1.0, 0.7])
    lead = am.Compound([am.Box.cube(1.0)], solid=am.Sphere(0.2))
    assert lead.volume == am.Sphere(0.2).volume
    assert lead.scaled(2.0).volume == pytest.approx(8.0 * lead.volume)
    for shape in (union, lead):
        again = shape_from(plain_shape(shape))
        assert again == shape
        assert again.volume == shape.volume


def test_scene_files_hold_what_mass_counts(tmp_path):
    world = am.World()
    union = balls([(0, 0, 0), (0.5, 0, 0)], [1.0, 0.7], overlap="union")
    heavy = am.Compound([am.Box.cube(1.0)], solid=am.Sphere(0.2))
    for x, shape in ((0.0, union), (5.0, heavy)):
        world.add_body(shape, density=1000.0, position=(x, 0, 2))
    am.save_scene(world, tmp_path / "clumps.yaml")
    again = am.load_scene(tmp_path / "clumps.yaml").build()
    np.testing.assert_array_equal(again.bodies.mass, world.bodies.mass)
    assert [again.shapes[i] for i in again.bodies.shape] == [union, heavy]


@pytest.fixture(scope="module")
def stone():
    return am.TriangleMesh(*am.Ellipsoid((0.03, 0.02, 0.015)).surface_mesh(16))


@pytest.mark.slow
def test_a_clump_has_the_mass_of_its_mesh_and_lies_within(stone):
    few, many = (am.clump(stone, spheres=count, seed=2) for count in (3, 15))
    for each in (few, many):
        assert each.shape.volume == stone.volume
        np.testing.assert_array_equal(each.shape.unit_inertia(), stone.unit_inertia())
        low, high = stone.bounds
        inner = each.shape.bounds
        assert (inner[0] >= low - 1e-9).all()
        assert (inner[1] <= high + 1e-9).all()
    assert many.uncovered < few.uncovered < 0.5
    assert many.uncovered < 0.15
    assert many.depth < few.depth
    assert many.depth < many.deepest < 0.015
    again = am.clump(stone, spheres=15, seed=2)
    assert again.shape == many.shape
    # what is left uncovered agrees with the volume of the spheres
    radii = np.array([part.shape.radius for part in few.shape.parts])
    centres = np.array([part.position for part in few.shape.parts])
    covered = moments_of_balls(centres, radii).volume / stone.volume
    assert 1.0 - few.uncovered == pytest.approx(covered, abs=0.03)


def test_a_clump_falls_and_comes_to_rest(stone):
    world = am.World()
    world.add_body(am.Plane(), fixed=True)
    body = world.add_body(am.clump(stone, spheres=12).shape, density=2500.0, position=(0, 0, 0.03))
    assert body.mass == pytest.approx(2500.0 * stone.volume)
    sim = am.Simulation(world, step=2e-3)
    sim.run(0.5)
    assert 0.012 < body.position[2] < 0.02


# -- bad input ------------------------------------------------------------------------------------


def test_masses_that_make_no_sense_are_refused(stone):
    ball, box = am.Sphere(1.0), am.Box.cube(1.0)
    for arguments, message in (
        ({"overlap": "twice"}, "overlap must be one of sum, union, got 'twice'"),
        ({"overlap": "union"}, "for spheres alone, but a part is a Box"),
        ({"solid": 3.0}, "solid must be a shape or None, got 3.0"),
        ({"solid": am.Plane()}, "a Plane has no volume"),
    ):
        with pytest.raises(am.InputError, match=message):
            am.Compound([ball, box], **arguments)
    with pytest.raises(am.InputError, match="give one"):
        am.Compound([ball], overlap="union", solid=box)
    with pytest.raises(am.InputError, match=r"mesh must be an amontons\.TriangleMesh"):
        am.clump(ball, spheres=3)
    for count, message in ((0, "spheres must be a whole number ≥ 1"), (10**6, "at most 1000")):
        with pytest.raises(am.InputError, match=message):
            am.clump(stone, spheres=count)
    with pytest.raises(am.InputError, match="not closed"):
        am.clump(am.TriangleMesh(stone.vertices, stone.faces[1:]), spheres=3)
