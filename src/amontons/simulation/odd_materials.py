"""Materials that are probably meant otherwise: rolling friction that is no length of the body."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np

from amontons.array_types import Flags, Ints
from amontons.dynamics.masses import Masses
from amontons.errors import ProblemWarning
from amontons.model.materials import PairTable


def warn_of_rolling(
    material: Ints,
    is_sphere: Flags,
    masses: Masses,
    pairs: PairTable,
    name_of: Callable[[int], str],
) -> None:
    """Warn where a body's rolling friction [m] is larger than its radius: it never rolls.

    `material` is that of each body and `is_sphere` whether it is one, shape (bodies,); of other
    shapes the farthest point counts. `name_of` says what the body in a row is called. Coefficients
    of other programs have no unit, and are 0.1 for grains of a millimetre.
    """
    if not pairs.rolling_friction.any():
        return
    length = pairs.rolling_friction.max(axis=1)[material]
    radius = np.where(is_sphere, masses.size, masses.reach)
    odd = (masses.inverse_mass > 0.0) & (length > radius)
    if not odd.any():
        return
    row = int(np.argmax(odd))
    more = f", and that of {odd.sum() - 1} bodies more" if odd.sum() > 1 else ""
    warnings.warn(
        f"rolling_friction of {name_of(row)} is {length[row]:g} m, but the body reaches only "
        f"{radius[row]:g} m from its centre{more}: it is a length, and none of these bodies "
        "will ever roll. A coefficient without a unit, as other programs have it, is "
        "rolling_resistance",
        ProblemWarning,
        stacklevel=2,
    )
