"""Mean stress in a region."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from amontons.errors import InputError
from amontons.measure.motion import fluctuations
from amontons.measure.sample import Source, sample_of
from amontons.model.between import Between
from amontons.model.regions import Region

Floats = NDArray[np.float64]

PARTS = ("contact", "kinetic", "total")


def stress(
    source: Source,
    region: Region | Between | None = None,
    *,
    part: Literal["contact", "kinetic", "total"] = "contact",
) -> Floats:
    """Mean stress in a region [Pa], shape (3, 3); compression is positive.

    σ V = Σ f ⊗ (x_body − x_contact) over the ends of contacts, with the force f on the body, each
    by the share of the line from the body's centre to the contact that is in the region. So its
    divergence balances weight and acceleration, wherever the region cuts (Goldhirsch 2010, with a
    box for the averaging function). For a whole sample at rest without weight, σ V is Σ f ⊗ x over
    the forces on its walls.

    Parameters
    ----------
    region:
        By default the box that just holds all bodies that move freely.
    part:
        "contact": forces alone. "kinetic": Σ m δv ⊗ δv / V, with speeds relative to the region's
        mean. "total": both.
    """
    if part not in PARTS:
        raise InputError(f"part must be one of {', '.join(PARTS)}, got {part!r}")
    sample = sample_of(source, region)
    where = sample.region(region)
    total = np.zeros((3, 3))
    if part != "kinetic":
        _, centre, point, force = sample.arms()
        share = where.share(centre, point)
        total -= np.einsum("c,ci,cj->ij", share, force, point - centre)
    if part != "contact":
        mass, relative = fluctuations(sample, where)
        total += np.einsum("b,bi,bj->ij", mass, relative, relative)
    return total / where.volume
