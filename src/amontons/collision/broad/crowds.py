"""Crowds: so many bodies in one place that their pairs exhaust memory and time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from amontons.errors import InputError

MOST_PAIRS = 200_000
"""Number of pairs above which crowds are searched for."""

MOST_PARTNERS = 200
"""Partners per part, on average. In the densest packings of equal bodies it is about ten."""


def refuse_crowds(partners: NDArray[np.int32], pairs: int, body: NDArray[np.uint32]) -> None:
    """Raise InputError if parts have more partners (n,) than touching bodies can have.

    `body` is the body of each part, shape (n,).
    """
    if pairs <= MOST_PAIRS or pairs <= MOST_PARTNERS * partners.size:
        return
    worst = int(np.argmax(partners))
    raise InputError(
        f"{partners.size} parts of bodies make {pairs:.3g} pairs that come near each other in a "
        f"step, {pairs / partners.size:.0f} for each: body {body[worst]} alone meets at least "
        f"{partners[worst]} others. Are they in one place, or too fast for the step? Place them "
        "apart, take a shorter step, or give them a group and a mask by which they pass through "
        "each other"
    )
