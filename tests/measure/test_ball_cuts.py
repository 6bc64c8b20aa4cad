"""Volumes of cut balls, against closed forms, sums over pieces and points thrown at random."""

import numpy as np
import pytest

from amontons.measure import ball_cuts
from amontons.measure.regions import measured_region
from amontons.model.shapes import Box, Cylinder, Part, Sphere


@pytest.mark.parametrize(
    ("low", "share"),
    [((0, 0, 0), 1 / 8), ((0, 0, -2), 1 / 4), ((0, -2, -2), 1 / 2), ((-2, -2, -2), 1)],
)
def test_an_eighth_a_quarter_and_a_half_of_a_ball(low, share):
    found = ball_cuts.in_box(np.zeros((1, 3)), np.ones(1), np.array(low, float), np.full(3, 2.0))
    assert found[0] == pytest.approx(share * 4 / 3 * np.pi, rel=1e-12)


def test_a_cap_has_its_closed_form():
    h = 0.3
    found = ball_cuts.in_box(np.zeros((1, 3)), np.ones(1), np.array([0.7, -2, -2]), np.full(3, 2.0))
    assert found[0] == pytest.approx(np.pi * h**2 * (3 - h) / 3, rel=1e-9)


def test_pieces_of_balls_add_up_to_balls():
    rng = np.random.default_rng(1)
    centre, radius = rng.uniform(-1, 1, (60, 3)), rng.uniform(0.2, 1.5, 60)
    cuts = np.array([-3.0, -0.37, 0.2, 3.0])
    total = np.zeros(60)
    for i, j, k in np.ndindex(3, 3, 3):
        low, high = cuts[[i, j, k]], cuts[[i + 1, j + 1, k + 1]]
        total += ball_cuts.in_box(centre, radius, low, high)
    np.testing.assert_allclose(total, ball_cuts.ball_volumes(radius), rtol=1e-9)


def test_a_ball_drilled_by_a_cylinder():
    # what is left of a ball of radius 1 inside a tube of radius R is 4/3 π (1 − (1 − R²)^{3/2})
    found = ball_cuts.in_cylinder(np.zeros((1, 3)), np.ones(1), 0.5, 3.0)
    assert found[0] == pytest.approx(4 / 3 * np.pi * (1 - 0.75**1.5), rel=1e-10)


REGIONS = {
    "box": Part(Box((1.1, 0.7, 0.9)), (0.2, -0.1, 0.3), (0.9, 0.1, 0.3, -0.2)),
    "cylinder": Part(Cylinder(0.6, 1.1), (0.1, 0.2, -0.3), (0.8, -0.5, 0.1, 0.2)),
    "sphere": Part(Sphere(0.7), (0.3, 0.1, -0.2)),
}


@pytest.mark.parametrize("name", REGIONS)
def test_balls_in_turned_regions_against_random_points(name):
    region = measured_region(REGIONS[name])
    rng = np.random.default_rng(2)
    centre, radius = rng.uniform(-0.6, 0.6, (12, 3)), rng.uniform(0.1, 0.8, 12)
    points = rng.uniform(-1, 1, (200_000, 3))
    points = points[np.einsum("ij,ij->i", points, points) < 1]
    for c, r, found in zip(centre, radius, region.balls(centre, radius), strict=True):
        share = region.inside(r * points + c).mean()
        assert found / (4 / 3 * np.pi * r**3) == pytest.approx(share, abs=0.006)


@pytest.mark.parametrize("name", REGIONS)
def test_shares_of_lines_against_many_points_on_them(name):
    region = measured_region(REGIONS[name])
    rng = np.random.default_rng(3)
    start, end = rng.uniform(-1, 1, (2, 200, 3))
    end[:20] = start[:20]  # no length at all
    s = (np.arange(800) + 0.5) / 800
    points = start[:, None] + s[:, None] * (end - start)[:, None]
    naive = region.inside(points.reshape(-1, 3)).reshape(200, 800).mean(axis=1)
    np.testing.assert_allclose(region.share(start, end), naive, atol=2.5e-3)
    assert naive.min() == 0
    assert 0.5 < naive.max() <= 1
