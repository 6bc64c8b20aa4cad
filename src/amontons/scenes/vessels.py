"""Round containers made of convex wedges: drums, bowls and funnels."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from amontons.model.shapes import Compound, ConvexHull, Part


def vessel(
    profile: Sequence[tuple[float, float]], *, thickness: float, segments: int = 16
) -> Compound:
    """The wall of a vessel about the z axis.

    Parameters
    ----------
    profile:
        Inner radius and height [m] of its rings, from one end to the other.
    thickness:
        Of the wall, outwards [m].
    segments:
        Flat pieces around the axis; radii are those of their corners.
    """
    angles = 2.0 * np.pi * np.arange(segments + 1) / segments
    spokes = np.stack([np.cos(angles), np.sin(angles), np.zeros_like(angles)], axis=1)
    up = np.array([0.0, 0.0, 1.0])
    wedges = []
    for (r0, z0), (r1, z1) in pairwise(profile):
        for first, second in pairwise(spokes):
            corners = [
                (radius + out) * spoke + height * up
                for radius, height in ((r0, z0), (r1, z1))
                for spoke in (first, second)
                for out in (0.0, thickness)
            ]
            wedges.append(Part(ConvexHull(corners)))
    return Compound(wedges)
