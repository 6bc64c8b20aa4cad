"""Radial distribution of centres."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from amontons.checks import positive, whole
from amontons.errors import InputError
from amontons.measure.sample import Source, sample_of
from amontons.model.between import Between
from amontons.model.regions import Region

Floats = NDArray[np.float64]


class RadialDistribution(NamedTuple):
    """The number of others at a distance, over that of a uniform distribution."""

    r: Floats  # middles of bins [m], (bins,)
    g: Floats  # (bins,)
    neighbours: Floats  # mean number of bodies closer than the end of each bin, (bins,)


def radial_distribution(
    source: Source, reach: float, region: Region | Between | None = None, *, bins: int = 100
) -> RadialDistribution:
    """g(r) of centres up to a distance `reach` [m].

    Shells about a centre count as far as they are within the region, whose volume is exact: so
    there is no error near its borders. By default the region is the box that just holds all
    centres; walls order what is next to them, so give one that keeps away from them.
    """
    reach, bins = positive("reach", reach), whole("bins", bins, least=1)
    sample = sample_of(source, region)
    place = sample.position
    if isinstance(region, Between):  # a shell goes on beyond a wall
        region = sample.borders(region)
    given = (place.min(axis=0), place.max(axis=0)) if region is None and len(place) > 1 else region
    where = sample.region(given)
    place = place[where.inside(place)]
    if len(place) < 2:
        raise InputError(f"a radial distribution needs two bodies or more, got {len(place)}")
    edges = np.linspace(0.0, reach, bins + 1)
    tree = cKDTree(place)
    found = tree.count_neighbors(tree, edges) - len(place)  # each pair twice, without self-pairs
    count = np.diff(found)
    rows = np.tile(place, (bins, 1))
    radii = np.repeat(edges[1:], len(place))
    balls = where.balls(rows, radii).reshape(bins, -1).sum(axis=1)
    shells = np.diff(np.concatenate([[0.0], balls]))
    even = (len(place) - 1) / where.volume * shells
    return RadialDistribution(0.5 * (edges[1:] + edges[:-1]), count / even, found[1:] / len(place))
