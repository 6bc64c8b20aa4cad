"""Sizes meet their curves, packings have no overlaps and the fraction that was asked for."""

import numpy as np
import pytest
from scipy.spatial import cKDTree

import amontons as am
from amontons.model.sizes import passing

SIEVES, CURVE = [1e-3, 2e-3, 4e-3, 8e-3], [0.0, 0.3, 0.7, 1.0]


@pytest.mark.parametrize("count", [2000, 20_000])
def test_grains_meet_their_sieve_curve_within_a_percent(count):
    radius = am.Sizes.sieve(SIEVES, CURVE).radii(count, seed=3)
    between = np.sqrt(np.multiply(SIEVES[:-1], SIEVES[1:]))  # straight over ln d
    wanted = [*CURVE, 0.15, 0.5, 0.85]
    np.testing.assert_allclose(passing(radius, [*SIEVES, *between]), wanted, atol=0.01)
    assert 2 * radius.min() >= 1e-3
    assert 2 * radius.max() <= 8e-3


@pytest.mark.parametrize(
    ("sizes", "share"),
    [
        (am.Sizes.uniform(1.0, 3.0), lambda d: (d - 1) / 2),
        (am.Sizes.lognormal(2.0, 0.4, cut=6.0), None),
        (am.Sizes.weibull(2.0, 3.0, by="count", low=1e-2, high=10.0),
         lambda d: 1 - np.exp(-((d / 2) ** 3))),
    ],
)  # fmt: skip
def test_distributions_by_count(sizes, share):
    d = np.sort(sizes.diameters(5000, seed=1))
    if share is None:  # the median, and quantiles of ±1 standard deviation
        wanted = 2.0 * np.exp(0.4 * np.array([-1, 0, 1]))
        np.testing.assert_allclose(np.quantile(d, [0.15866, 0.5, 0.84134]), wanted, rtol=2e-3)
    else:
        places = (np.arange(5000) + 0.5) / 5000
        np.testing.assert_allclose(share(d), places, atol=5e-4)
    volume = np.pi / 6 * (d**3).mean()
    assert sizes.mean_volume == pytest.approx(volume, rel=0.01)


@pytest.mark.parametrize("make", [am.Sizes.uniform, am.Sizes.lognormal, am.Sizes.weibull])
def test_by_mass_is_by_mass(make):
    arguments = {am.Sizes.uniform: (1.0, 2.0), am.Sizes.lognormal: (1.0, 0.2)}.get(make, (1.0, 4.0))
    heavy, many = make(*arguments, by="mass"), make(*arguments, by="count")
    d = np.sort(heavy.diameters(20_000))
    mass = np.cumsum(d**3) / (d**3).sum()
    at = np.quantile(many.diameters(20_000), [0.25, 0.5, 0.75])
    np.testing.assert_allclose(np.interp(at, d, mass), [0.25, 0.5, 0.75], atol=0.01)


def test_seeds_repeat_and_differ():
    sizes = am.Sizes.uniform(1.0, 2.0)
    assert np.array_equal(sizes.radii(50, seed=4), sizes.radii(50, seed=4))
    assert not np.array_equal(sizes.radii(50, seed=4), sizes.radii(50, seed=5))
    assert set(am.Sizes.single(0.2).radii(3)) == {0.1}
    assert "uniform" in repr(sizes)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: am.Sizes.sieve([1, 2, 3], [0, 0.6, 0.5]), "passing must increase"),
        (lambda: am.Sizes.sieve([1, 3, 2], [0, 0.5, 1]), "d must increase"),
        (lambda: am.Sizes.sieve([1, 2], [0, 100]), "end with 1"),
        (lambda: am.Sizes.sieve([1, 2], [0.1, 1]), "begin with 0"),
        (lambda: am.Sizes.sieve([1, 2], [0, 0.5, 1]), "equally many numbers"),
        (lambda: am.Sizes.sieve([0, 2], [0, 1]), "positive"),
        (lambda: am.Sizes.uniform(2, 1), "larger"),
        (lambda: am.Sizes.lognormal(1, 0.0), "sigma"),
        (lambda: am.Sizes.uniform(1, 2, by="volume"), "'count' or 'mass'"),
        (lambda: am.Sizes.uniform(1, 2).radii(-1), "count"),
        (lambda: am.Sizes.uniform(1, 2).radii(1, seed=-1), "seed"),
        (lambda: passing([], [1.0]), "no grains"),
        (lambda: am.pack(am.Box.cube(1.0), "fine", fraction=0.3), "one diameter"),
        (lambda: am.pack(am.Box.cube(1.0), 0.1, fraction=0.8), "0.74"),
        (lambda: am.pack(am.Box.cube(1.0), 0.1, fraction=0.0), "fraction"),
        (lambda: am.pack(am.Box((1, 1, 0.05)), 0.1, fraction=0.3), "does not fit"),
        (lambda: am.pack(am.Plane(), 0.1, fraction=0.3), "no volume"),
        (lambda: am.pack(am.TriangleMesh([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)]), 0.1,
                         fraction=0.3), "not closed"),
        (lambda: am.pack(((0, 0, 0), (0, 1, 1)), 0.1, fraction=0.3), "no volume"),
    ],
)  # fmt: skip
def test_bad_sizes_and_packings_say_what_is_wrong(call, says):
    with pytest.raises(am.InputError, match=says):
        call()


def turned_cone():
    points, faces = am.Cone(0.5, 1.0).surface_mesh(12)
    return am.Part(am.TriangleMesh(points, faces), (3.0, 1.0, -2.0), (0.9, 0.3, 0.1, 0.3))


CONTAINERS = {
    "box": am.Part(am.Box((1.0, 0.8, 0.6)), (0.5, 0.4, 0.3)),
    "turned box": am.Part(am.Box((1.0, 0.8, 0.6)), (5.0, 0, 0), (0.9, 0.1, 0.2, 0.3)),
    "cylinder": am.Part(am.Cylinder(0.5, 1.0)),
    "mesh": turned_cone(),
}


@pytest.mark.parametrize("name", CONTAINERS)
def test_packed_spheres_are_inside_and_apart(name):
    part, sizes = CONTAINERS[name], am.Sizes.sieve([0.08, 0.12, 0.2], [0.0, 0.4, 1.0])
    grains = am.pack(part, sizes, fraction=0.45, seed=2)
    filled = 4 / 3 * np.pi * (grains.radius**3).sum() / part.shape.volume
    assert grains.fraction == pytest.approx(filled)
    assert filled == pytest.approx(0.45, rel=0.02)  # within one grain
    pairs = cKDTree(grains.position).query_pairs(0.2, output_type="ndarray")
    apart = np.linalg.norm(np.diff(grains.position[pairs], axis=1)[:, 0], axis=1)
    assert (apart >= grains.radius[pairs].sum(axis=1)).all()
    # inside: as far from every face as the radius, in the region's own frame
    own = (grains.position - part.position) @ part.rotation
    if name.endswith("box"):
        assert (np.abs(own) + grains.radius[:, None] <= [0.5, 0.4, 0.3]).all()
    elif name == "cylinder":
        assert (np.hypot(own[:, 0], own[:, 1]) + grains.radius <= 0.5).all()
        assert (np.abs(own[:, 2]) + grains.radius <= 0.5).all()
    else:
        planes = part.shape.polygons.plane  # a convex one: all faces in front
        assert (own @ planes[:, :3].T + grains.radius[:, None] <= planes[:, 3] + 1e-9).all()


def test_a_packing_repeats_bit_by_bit_and_does_not_know_metres():
    sizes = am.Sizes.uniform(0.1, 0.2)
    first = am.pack(((0, 0, 0), (1, 1, 1)), sizes, fraction=0.4, seed=7)
    again = am.pack(((0, 0, 0), (1, 1, 1)), sizes, fraction=0.4, seed=7)
    assert np.array_equal(first.position, again.position)
    small = am.pack(((0, 0, 0), (1e-3,) * 3), am.Sizes.uniform(1e-4, 2e-4), fraction=0.4, seed=7)
    np.testing.assert_allclose(1e3 * small.radius, first.radius, rtol=1e-9)


def test_a_packing_says_what_it_is_in_a_line():
    found = am.pack(((0, 0, 0), (1, 1, 1)), am.Sizes.uniform(0.2, 0.3), fraction=0.2)
    assert repr(found).startswith(f"<PackedSpheres: {len(found.radius)} of radius 0.1")
    assert repr(found).endswith(f"solid fraction {found.fraction:.4f}>")


def test_too_dense_a_packing_is_given_up():
    with pytest.raises(am.InputError, match="still overlap"):
        am.pack(am.Box.cube(1.0), 0.3, fraction=0.7)
