"""How contact forces are distributed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from amontons.errors import InputError
from amontons.measure.sample import Source
from amontons.measure.structure import SLIGHT, pairs_in
from amontons.model.regions import Region

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ForceStatistics:
    """Forces of pairs of bodies that press each other; one entry per pair."""

    normal: Floats
    """[N], shape (pairs,)."""
    tangential: Floats
    """[N], shape (pairs,)."""

    @property
    def mean(self) -> float:
        """Normal force [N]."""
        return float(self.normal.mean())

    @property
    def spread(self) -> float:
        """Standard deviation of normal forces over their mean; 1 if they fall off like e⁻ᶠ."""
        return float(self.normal.std() / self.mean)

    @property
    def mobilised(self) -> float:
        """Mean of tangential over normal force, to be compared with the coefficient of friction."""
        return float((self.tangential / self.normal).mean())

    @property
    def participation(self) -> float:
        """(Σ f)² / (n Σ f²): 1 if all pairs press equally, 1/n if one carries everything."""
        return float(self.normal.sum() ** 2 / (self.normal.size * (self.normal**2).sum()))

    def distribution(self, bins: int = 40, largest: float = 8.0) -> tuple[Floats, Floats]:
        """Normal forces over their mean: centres of bins, and the density P there; (bins,) each.

        The density counts all pairs, also those beyond `largest` times the mean.
        """
        count, edges = np.histogram(self.normal / self.mean, bins=bins, range=(0.0, largest))
        width = edges[1] - edges[0]
        return 0.5 * (edges[1:] + edges[:-1]), count / (self.normal.size * width)

    def __repr__(self) -> str:
        return (
            f"<ForceStatistics: {self.normal.size} pairs, mean {self.mean:.4g} N, spread "
            f"{self.spread:.3f}, largest {self.normal.max() / self.mean:.2f} means>"
        )


def force_statistics(
    source: Source, region: Region | None = None, *, slight: float = SLIGHT
) -> ForceStatistics:
    """Normal and tangential forces of the pairs that count for :func:`fabric`."""
    _, pairs = pairs_in(source, region, slight)
    if not len(pairs.force):
        raise InputError("there is no contact that carries force in the region")
    normal = np.einsum("pi,pi->p", pairs.force, pairs.normal)
    across = pairs.force - normal[:, None] * pairs.normal
    return ForceStatistics(normal, np.linalg.norm(across, axis=1))
