"""Crowds: so many bodies in one place that their pairs fill the memory and are never solved."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from amontons.errors import InputError

MOST_PAIRS = 200_000
"""Pairs from which a crowd is looked for: fewer are solved in good time, however they arise."""

MOST_PARTNERS = 200
"""Partners of a part, on average. In the densest packings of like bodies it is some ten."""


def refuse_crowds(partners: NDArray[np.int32], pairs: int, body: NDArray[np.uint32]) -> None:
    """Raise InputError where parts have more partners (n,) than bodies that only touch can have.

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
