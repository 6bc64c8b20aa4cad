"""Contacts of spheres: the same to the last bit, whatever else is in the scene."""

import numpy as np
import pytest

import amontons as am
from amontons import _jit

FAR = (1e3, 1e3, 1e3)
OTHERS = {
    "box": am.Box((1.0, 1.0, 1.0)),
    "plane": am.Plane((0.0, 0.0, 1.0), -500.0),
    "capsule": am.Capsule(0.1, 0.3),
    "compound": am.Compound([am.Part(am.Box((1, 1, 1))), am.Part(am.Sphere(0.7), (0, 0, 1))]),
}
ROWS = ("bodies", "normals", "arms_a", "arms_b", "gaps", "keys")


def bed(rng, number=500):
    """Radii and places [m] of spheres that overlap, touch and come near each other."""
    return rng.uniform(0.03, 0.1, number), rng.uniform(-0.6, 0.6, (number, 3))


@pytest.mark.parametrize("parallel", [False, True])
@pytest.mark.parametrize("other", OTHERS)
def test_what_is_far_away_changes_no_bit(other, parallel, monkeypatch):
    if parallel:
        monkeypatch.setattr(_jit, "PARALLEL_ABOVE", 0)
    radii, place = bed(np.random.default_rng(0))
    alone = am.CollisionDetector.of_spheres(radii, margin=0.02).detect(place)
    shapes = [*(am.Sphere(r) for r in radii), OTHERS[other]]
    place = np.concatenate([place, [np.zeros(3) if other == "plane" else FAR]])
    company = am.CollisionDetector(shapes, margin=0.02).detect(place)
    assert len(alone) > 1000
    for name in ROWS:
        assert np.array_equal(getattr(alone, name), getattr(company, name)), name


def test_parts_of_bodies_touch_as_spheres_do():
    rng = np.random.default_rng(1)
    radii, place = bed(rng, 200)
    single = am.CollisionDetector.of_spheres(radii, margin=0.02).detect(place)
    pairs = [
        am.Compound([am.Part(am.Sphere(radii[i + k]), tuple(place[i + k])) for k in range(2)])
        for i in range(0, 200, 2)
    ]
    position = rng.normal(size=(100, 3))
    for i, shape in enumerate(pairs):  # positions move the parts back to where they are
        parts = [am.Part(p.shape, tuple(np.array(p.position) - position[i])) for p in shape.parts]
        pairs[i] = am.Compound(parts)
    joined = am.CollisionDetector(pairs, margin=0.02).detect(position)
    outer = single.bodies[:, 0] // 2 != single.bodies[:, 1] // 2
    parts = single.bodies[outer]
    expected = sorted(
        zip(*(parts // 2).T, *(parts % 2).T, single.gaps[outer].round(12), strict=True)
    )
    local = np.stack([joined.keys >> np.uint64(48), (joined.keys >> np.uint64(32)) & 0xFFFF])
    found = sorted(zip(*joined.bodies.T, *local.astype(int), joined.gaps.round(12), strict=True))
    assert np.allclose(np.array(found, float), np.array(expected, float), atol=1e-11)
    across = joined.points_b(position) - joined.points_a(position)
    assert np.allclose(across, joined.gaps[:, None] * joined.normals, atol=1e-12)


def test_spheres_with_one_centre_are_above_each_other():
    for more in ([], [am.Box((1.0, 1.0, 1.0))]):
        shapes = [am.Sphere(0.2), am.Sphere(0.3), *more]
        place = np.array([[1.0, 2.0, 3.0]] * 2 + [FAR] * len(more))
        contacts = am.CollisionDetector(shapes, margin=0.1).detect(place)
        assert np.array_equal(contacts.normals, [[0.0, 0.0, 1.0]])
        assert contacts.gaps == pytest.approx([-0.5])
        assert np.allclose(contacts.arms_b, [[0.0, 0.0, -0.3]])
