"""Contacts across the borders of a cell, beside a plain loop over images."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import amontons as am
from amontons.collision.broad.rows import BodyOrder
from amontons.collision.images.detection import PeriodicDetector
from amontons.collision.images.image_contacts import PeriodicContacts
from amontons.collision.images.lattice import Lattice

Floats = NDArray[np.float64]

MARGIN = 0.05

SEVERAL = 15
"""Seed of spheres with many contacts."""


def lattice_of(lengths: Floats, tilt: float, periodic: tuple[bool, bool, bool]) -> Lattice:
    edges = np.diag(lengths)
    edges[0, 1] = tilt
    return Lattice(edges, np.array(periodic), np.array([0.3, -0.2, 0.1]))


def spheres(seed: int) -> tuple[Floats, Floats, Lattice]:
    """A few spheres in a cell that is hardly larger than two of them: pairs touch twice."""
    rng = np.random.default_rng(seed)
    radius = rng.uniform(0.2, 0.5, rng.integers(2, 14))
    lengths = rng.uniform(1.0, 2.2, 3)
    periodic = tuple(bool(axis) for axis in rng.permutation([True, True, rng.random() < 0.5]))
    tilt = rng.uniform(-0.5, 0.5) * lengths[0] if periodic[0] and periodic[1] else 0.0
    place = rng.uniform(-3.0, 3.0, (radius.size, 3))
    return radius, place, lattice_of(lengths, tilt, periodic)  # type: ignore[arg-type]


def found(
    radius: Floats, place: Floats, lattice: Lattice, order: BodyOrder | None = None
) -> PeriodicContacts:
    detector = am.CollisionDetector.of_spheres(radius, margin=MARGIN)
    periodic = PeriodicDetector(detector, radius, np.zeros(radius.size, dtype=bool))
    upright = np.tile([1.0, 0.0, 0.0, 0.0], (radius.size, 1))
    return periodic.detect(lattice, place, upright, MARGIN, order)


def by_images(radius: Floats, place: Floats, lattice: Lattice) -> list[tuple[int, int, float]]:
    """Pairs and gaps, image by image: plain, slow and obvious."""
    inside = place + lattice.shifts(lattice.home(place))
    ranges = [range(-3, 4) if axis else range(1) for axis in lattice.periodic]
    gaps = []
    for a, b in itertools.combinations(range(len(radius)), 2):
        for cell in itertools.product(*ranges):
            image = inside[b] + lattice.edges @ np.array(cell)
            gap = float(np.linalg.norm(image - inside[a])) - radius[a] - radius[b]
            if gap <= MARGIN:
                gaps.append((a, b, gap))
    return gaps


@pytest.mark.parametrize("seed", range(40))
def test_contacts_are_those_of_all_images(seed: int) -> None:
    radius, place, lattice = spheres(seed)
    contacts = found(radius, place, lattice)
    expected = sorted(by_images(radius, place, lattice))
    mine = sorted(
        (int(a), int(b), float(gap))
        for (a, b), gap in zip(contacts.bodies, contacts.gaps, strict=True)
    )
    assert [pair[:2] for pair in mine] == [pair[:2] for pair in expected]
    np.testing.assert_allclose(
        [pair[2] for pair in mine], [pair[2] for pair in expected], rtol=0, atol=1e-14
    )
    # the points of both surfaces are a gap apart, with the image of B where it is said to be
    apart = contacts.points_b(place) - contacts.points_a(place)
    np.testing.assert_allclose(apart, contacts.gaps[:, None] * contacts.normals, atol=1e-13)


def test_some_pair_touches_through_two_images_under_two_keys() -> None:
    radius, place = np.array([0.5, 0.5]), np.array([[0.5, 0.5, 0.5], [1.52, 0.5, 0.5]])
    lattice = lattice_of(np.array([2.04, 3.0, 3.0]), 0.0, (True, True, True))
    contacts = found(radius, place, lattice)
    assert len(contacts) == 2
    assert contacts.keys[0] != contacts.keys[1]
    np.testing.assert_allclose(sorted(contacts.normals[:, 0]), [-1.0, 1.0])


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    shift=st.tuples(*[st.floats(-50.0, 50.0, allow_nan=False)] * 3),
)
def test_shifting_all_bodies_changes_no_gap(seed: int, shift: tuple[float, ...]) -> None:
    radius, place, lattice = spheres(seed)
    before = found(radius, place, lattice)
    after = found(radius, place + np.array(shift), lattice)
    # contacts within rounding of the margin may come or go
    rounding = 1e-12
    for first, second in ((before, after), (after, before)):
        for (a, b), gap in zip(first.bodies, first.gaps, strict=True):
            if gap < MARGIN - rounding:
                same = (second.bodies == (a, b)).all(axis=1)
                assert np.abs(second.gaps[same] - gap).min(initial=1.0) < rounding


def test_contacts_are_listed_by_body_in_any_order() -> None:
    radius, place, lattice = spheres(SEVERAL)
    count = radius.size
    body = np.random.default_rng(0).permutation(count).astype(np.int32)
    slot = np.empty(count + 1, dtype=np.int32)
    slot[body], slot[-1] = np.arange(count), -1
    plain = found(radius, place, lattice)
    ordered = found(radius, place, lattice, BodyOrder(body, slot))
    assert len(plain) > 3
    assert sorted(plain.gaps) == sorted(ordered.gaps)
    for contacts in (plain, ordered):
        assert contacts.first[-1] == len(contacts)
        # every contact is found in the list of one of its bodies
        for c, (a, b) in enumerate(contacts.bodies):
            begins = [
                int(contacts.first[i])
                for i in (a, b)
                if contacts.first[i] <= c
                and (contacts.bodies[contacts.first[i] : c + 1] == i).any(axis=1).all()
            ]
            assert begins


def test_copies_have_the_parts_of_their_originals() -> None:
    pair = am.Compound([am.Part(am.Sphere(0.2)), am.Part(am.Sphere(0.3), position=(0.6, 0, 0))])
    shapes = [pair, am.Box((0.4, 0.5, 0.6))]
    one = am.CollisionDetector(shapes, margin=0.1, origin="centre")
    copies = one.of_copies(np.array([0, 1, 1, 0]))
    direct = am.CollisionDetector(shapes, margin=0.1, which=[0, 1, 1, 0], origin="centre")
    place = np.random.default_rng(5).uniform(-0.4, 0.4, (4, 3))
    got, wanted = copies.detect(place), direct.detect(place)
    assert len(got) > 3
    for name in ("bodies", "normals", "arms_a", "arms_b", "gaps", "keys"):
        np.testing.assert_array_equal(getattr(got, name), getattr(wanted, name))
