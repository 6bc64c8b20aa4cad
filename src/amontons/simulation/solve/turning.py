"""Rolling and spinning friction that scales with the size of bodies."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from amontons.dynamics.contact_laws import ContactTerms
from amontons.simulation.model import Model

Floats = NDArray[np.float64]


def with_resistance(terms: ContactTerms, model: Model) -> ContactTerms:
    """The terms with torques μ_r R* F_n against rolling and spinning beside those of lengths."""
    size = reduced_radii(terms, model.masses.driven)
    pairs, of = model.pairs, tuple(model.bodies.material[terms.contacts.bodies].T)
    assert terms.rolling is not None  # the problem has rows for torques already
    assert terms.spinning is not None
    return dataclasses.replace(
        terms,
        rolling=terms.rolling + size * pairs.rolling_resistance[of],
        spinning=terms.spinning + size * pairs.spinning_resistance[of],
    )


def reduced_radii(terms: ContactTerms, driven: NDArray[np.bool_]) -> Floats:
    """R* of each contact [m]: 1/R* = 1/R_A + 1/R_B, none of a body that is driven; (contacts,)."""
    contacts = terms.contacts
    curved = np.zeros(len(contacts))
    for side, arms in enumerate((contacts.arms_a, contacts.arms_b)):
        radius = np.sqrt(np.einsum("ci,ci->c", arms, arms))
        free = ~driven[contacts.bodies[:, side]] & (radius > 0.0)
        curved += np.where(free, 1.0 / np.where(free, radius, 1.0), 0.0)
    return np.where(curved > 0.0, 1.0 / np.where(curved > 0.0, curved, 1.0), 0.0)
