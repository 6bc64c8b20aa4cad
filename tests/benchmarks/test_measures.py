"""What the races read off places: by hand on places made up for it."""

import numpy as np
import pytest

from engines.grains import GRAVITY, Grains, bed, drum
from engines.measures import (
    LEVEL,
    SLOW,
    RestRule,
    discharge,
    lean,
    mean_and_error,
    overlaps,
    slope,
)

R = 0.15
SLOWEST = SLOW * np.sqrt(GRAVITY * R)


def test_overlaps_are_shares_of_the_radius():
    places = np.array([[0.0, 0.0, 0.99 * R], [1.98 * R, 0.0, R], [9.0, 0.0, 2.0]])
    grains = Grains(places=places, radius=R, box=((-np.inf, np.inf),) * 2 + ((0.0, np.inf),))
    expected = [2.0 - np.hypot(1.98, 0.01), 0.01]
    np.testing.assert_allclose(overlaps(places, grains), expected, rtol=1e-9)


def looks(move, seconds=1.5, every=0.05):
    """The rule, after looks at a bed whose grains are moved by `move(time)`."""
    grains = bed(60)
    rule = RestRule(grains)
    for k in range(round(seconds / every) + 1):
        time = k * every
        rule.look(time, 10.0 * time, grains.places + move(time, grains.places))
    return rule


def falls_until(end):
    return lambda time, places: np.array([0.0, 0.0, -min(time, end)]) + 0.0 * places


def test_rest_begins_with_the_first_still_look():
    since, cpu = looks(falls_until(0.5)).since
    assert since == pytest.approx(0.95, abs=0.11)  # the latest four √(r/g) = 0.49 s all pass
    assert cpu == pytest.approx(10.0 * since)


def test_a_run_that_looks_after_every_stretch_stops_when_rest_has_lasted():
    grains, rule = bed(60), RestRule(bed(60))
    k = 0
    rule.look(0.0, 0.0, grains.places)
    while rule.since is None:
        k += 1
        rule.look(0.05 * k, 0.0, grains.places - np.array([0.0, 0.0, min(0.05 * k, 0.5)]))
    assert rule.since[0] == pytest.approx(0.55, abs=0.051)
    assert rule.looks[-1][0] == pytest.approx(0.55 + 4.0 * np.sqrt(R / GRAVITY), abs=0.11)


def test_what_still_falls_does_not_rest():
    assert looks(falls_until(9.0)).since is None


def test_grains_that_creep_sideways_do_not_rest():
    def creep(speed):
        return lambda time, places: np.array([speed * time, 0.0, 0.0]) + 0.0 * places

    assert looks(creep(1.1 * SLOWEST)).since is None
    assert looks(creep(0.9 * SLOWEST)).since is not None


def test_a_bed_that_sinks_does_not_rest_though_most_grains_are_still():
    def sink(time, places):
        shift = np.zeros_like(places)
        shift[: len(places) // 3, 2] = -4.0 * LEVEL * R * time / 0.45
        return shift

    rule = looks(sink)
    assert rule.looks[-1][3] == 0.0  # the median grain
    assert rule.since is None


def test_a_moment_is_not_enough():
    assert looks(falls_until(0.0), seconds=0.3).since is None


@pytest.mark.parametrize("spin", [0.5, -0.5])
@pytest.mark.parametrize("degrees", [20.0, 35.0])
def test_angle_of_a_flat_surface(degrees, spin):
    """A half-full drum whose surface is tilted: both readings see the tilt, whichever way."""
    scene = drum(1000)
    radius, shell = scene.radius, np.hypot(scene.wall[:, 0], scene.wall[:, 2]).max()
    axis = np.arange(-shell, shell, 0.5 * radius)
    x, y, z = (each.ravel() for each in np.meshgrid(axis, [-0.1, 0.1], axis, indexing="ij"))
    tilt = -np.sign(spin) * np.radians(degrees)
    inside = (np.hypot(x, z) < shell) & (z < x * np.tan(tilt))
    places = np.stack([x, y, z], axis=1)[inside]
    turned = Grains(places=places, radius=radius, wall=scene.wall, spin=spin)
    assert np.degrees(slope(places, turned)) == pytest.approx(degrees, abs=1.0)
    assert np.degrees(lean(places, turned)) == pytest.approx(degrees, abs=1.0)


def test_rate_of_an_even_discharge():
    times = np.linspace(2.0, 5.0, 40)
    rate, error = discharge(times, 900.0 - 120.0 * times)
    assert rate == pytest.approx(120.0)
    assert error == pytest.approx(0.0, abs=1e-9)


def test_errors_come_from_blocks():
    values = np.repeat([1.0, 3.0] * 4, 10)
    mean, error = mean_and_error(values)
    assert mean == 2.0
    assert error == pytest.approx(np.std([1.0, 3.0] * 4, ddof=1) / np.sqrt(8.0))
