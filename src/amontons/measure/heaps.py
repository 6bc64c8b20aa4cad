"""How steep a heap is, at rest on a plate or in a turning drum."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from amontons.errors import InputError
from amontons.measure.sample import Sample, Source, sample_of
from amontons.model.between import Between
from amontons.model.regions import Region, region_part

Floats = NDArray[np.float64]

FLANK = (0.15, 0.85)
"""Heights, as shares of the heap's, between which its flank is straight."""

FEWEST_RINGS = 3


def repose_angle(source: Source, region: Region | Between | None = None) -> float:
    """Slope of a heap about a vertical axis, z upwards [degrees].

    Rings a mean diameter wide, half a diameter apart, lie about the axis through the bodies' centre
    of mass. In each, the surface is where the highest bodies reach: the mean over the highest body
    in every mean diameter of its circumference. A straight line through the rings between 15 % and
    85 % of the height of the heap gives the angle. It is NaN where fewer than three rings are
    there: for a heap of a few layers, or grains that ran away and made none.

    Parameters
    ----------
    region:
        Bodies count whose centre is in it, such as those on a plate; by default all do.
    """
    sample = sample_of(source, region)
    inside = np.ones(len(sample), dtype=bool)
    if region is not None:
        inside = sample.region(region).inside(sample.position)
    if not inside.any():
        raise InputError("there is no body in the region, so there is no heap to measure")
    ring, top = _profile(sample, inside)
    low, high = (top.min() + share * np.ptp(top) for share in FLANK)
    flank = (top >= low) & (top <= high)
    # beyond the first ring that is at the foot there are stragglers alone
    foot = np.flatnonzero(top < low)
    if foot.size:
        flank &= np.arange(len(top)) < foot[0]
    if flank.sum() < FEWEST_RINGS:
        return float("nan")
    slope = np.polyfit(ring[flank], top[flank], 1)[0]
    return float(np.degrees(np.arctan(-slope)))


def lean_angle(source: Source, region: Region) -> float:
    """Angle at which bodies hang in a turning drum [degrees], z upwards.

    It is that between straight down and the line from the middle of the drum to the centre of mass
    of the bodies in it: the slope of their surface, if that is flat.

    Parameters
    ----------
    region:
        A box, a shape or a `Part` about the drum, with the middle that the drum has.
    """
    if region is None or isinstance(region, Between):
        raise InputError(
            f"lean_angle needs the region of a drum, a shape or two corners, got {region!r}: it is "
            "measured about the middle of that"
        )
    sample = sample_of(source)
    inside = sample.region(region).inside(sample.position)
    if not inside.any():
        raise InputError("there is no body in the region, so nothing that leans")
    part = region_part(region)
    middle = part.moved(part.shape.centre[None])[0]
    mass = sample.mass[inside]
    x, y, z = mass @ sample.position[inside] / mass.sum() - middle
    return float(np.degrees(np.arctan2(np.hypot(x, y), -z)))


def _profile(sample: Sample, inside: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Mean radii of rings about the axis [m], and the height of the surface in each [m]."""
    place, reach, mass = sample.position[inside], sample.reach[inside], sample.mass[inside]
    width = 2.0 * float(reach.mean())
    off = place[:, :2] - mass @ place[:, :2] / mass.sum()
    away, height = np.hypot(off[:, 0], off[:, 1]) / width, place[:, 2] + reach
    turn = np.arctan2(off[:, 1], off[:, 0]) / (2.0 * np.pi) + 0.5
    found = [_tops(away - shift, turn, height) for shift in (0.0, 0.5)]
    middle = np.concatenate([found[0][0], found[1][0] + 0.5])
    order = np.argsort(middle)
    return middle[order] * width, np.concatenate([found[0][1], found[1][1]])[order]


def _tops(away: Floats, turn: Floats, height: Floats) -> tuple[Floats, Floats]:
    """Middles of rings of width 1 from 0 on, and the mean height of their highest bodies."""
    ring = np.floor(away).astype(np.int64)
    sectors = np.round(2.0 * np.pi * (ring + 0.5)).clip(1.0)
    sector = np.minimum((turn * sectors).astype(np.int64), sectors.astype(np.int64) - 1)
    spot, which = np.unique(np.stack([ring, sector], axis=1), axis=0, return_inverse=True)
    highest = np.full(len(spot), -np.inf)
    np.maximum.at(highest, which.ravel(), height)
    there = np.unique(ring[ring >= 0])
    means = [float(highest[spot[:, 0] == each].mean()) for each in there.tolist()]
    return np.asarray(there + 0.5), np.array(means)
