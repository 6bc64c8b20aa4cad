"""One detector for all margins, and for pairs that are kept apart from some step on."""

import numpy as np
import pytest

import amontons as am

MARGINS = (0.02, 0.3, 0.0, 0.02)


def scene(rng, number=80):
    """Spheres and capsules of many sizes above a plane."""
    shapes = [am.Sphere(r) for r in 0.2 * 30.0 ** rng.uniform(-1, 0, number)]
    shapes += [am.Capsule(0.1, 0.3)] * 10 + [am.Plane(offset=-0.5)]
    position = rng.uniform(-0.8, 0.8, (len(shapes), 3))
    position[-1] = 0.0
    return shapes, position


def same(one, two):
    return all(
        np.array_equal(a, b) for a, b in zip(vars(one).values(), vars(two).values(), strict=True)
    )


def test_a_margin_of_a_call_is_as_good_as_the_detectors_own():
    shapes, position = scene(np.random.default_rng(3))
    detector = am.CollisionDetector(shapes, margin=0.1)
    numbers = []
    for margin in MARGINS:  # there and back again: nothing of another margin is left
        own = am.CollisionDetector(shapes, margin=margin)
        found = detector.detect(position, margin=margin)
        assert same(found, own.detect(position))
        pairs = detector.close_pairs(position, margin=margin)
        assert np.array_equal(pairs, own.close_pairs(position))
        numbers.append(len(found))
    assert numbers[2] < numbers[0] < numbers[1]
    assert detector.margin == 0.1
    assert same(
        detector.detect(position), am.CollisionDetector(shapes, margin=0.1).detect(position)
    )


def test_spheres_alone_take_a_margin_too():
    rng = np.random.default_rng(4)
    radii, position = rng.uniform(0.05, 0.2, 200), rng.uniform(-0.8, 0.8, (200, 3))
    detector = am.CollisionDetector.of_spheres(radii, margin=0.0)
    for margin in MARGINS:
        own = am.CollisionDetector.of_spheres(radii, margin=margin)
        assert same(detector.detect(position, margin=margin), own.detect(position))


@pytest.mark.parametrize("margin", [-0.1, np.inf, np.nan])
def test_a_margin_of_a_call_is_checked(margin):
    detector = am.CollisionDetector([am.Sphere(1.0)], margin=0.1)
    with pytest.raises(am.InputError, match="margin must be a finite length"):
        detector.detect(np.zeros((1, 3)), margin=margin)


def test_pairs_are_kept_apart_from_now_on():
    shapes, position = scene(np.random.default_rng(5))
    detector = am.CollisionDetector(shapes, margin=0.05)
    everything = detector.detect(position)
    touching = np.unique(everything.bodies, axis=0)
    assert len(touching) > 6
    for apart in (touching[:3], touching[3:6], touching[:0]):
        detector.keep_apart(apart)
        own = am.CollisionDetector(shapes, margin=0.05, apart=apart)
        found = detector.detect(position)
        assert same(found, own.detect(position))
        met = set(map(tuple, found.bodies.tolist()))
        assert met.isdisjoint(map(tuple, apart.tolist()))
    assert same(detector.detect(position), everything)
    with pytest.raises(am.InputError, match="does not exist"):
        detector.keep_apart([[0, 1000]])
