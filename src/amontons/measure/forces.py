"""How contact forces are distributed, and how far they are from balance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from amontons.checks import finite_vector
from amontons.errors import InputError
from amontons.measure.sample import Source
from amontons.measure.structure import SLIGHT, pairs_in
from amontons.model.between import Between
from amontons.model.regions import Region
from amontons.model.world import World
from amontons.simulation.simulation import Simulation

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


def unbalanced_force(
    source: Source, region: Region | Between | None = None, *, gravity: ArrayLike | None = None
) -> float:
    """Mean net force on a body over the mean force of a contact: 0 in equilibrium, 1 far from it.

    Infinite where nothing presses yet.
    The net force is that of contacts and weight, and what `bodies.force` of a simulation adds;
    joints, bonds and other loads are not in it. A contact's force is that of the pair.

    Parameters
    ----------
    region:
        Bodies count whose centre is in it, and pairs whose contact is; by default all do.
    gravity:
        [m/s²], shape (3,). A simulation knows it, a run's file does not.
    """
    sample, pairs = pairs_in(source, region, 0.0)
    world = source.world if isinstance(source, Simulation) else source
    if gravity is None:
        if not isinstance(world, World):
            raise InputError(
                "a run's file does not say what gravity was; give it: gravity=(0, 0, -9.81)"
            )
        gravity = world.gravity
    net = sample.mass[:, None] * finite_vector("gravity", gravity)
    if isinstance(world, World):
        net = net + world.bodies.force[np.searchsorted(world.bodies.id, sample.id)]
    row, _, _, force = sample.arms()
    np.add.at(net, row, force)
    if region is not None:
        net = net[sample.region(region).inside(sample.position)]
    if not len(net):
        raise InputError("there is no body's centre in the region, so no net force")
    if not len(pairs.force):
        return float("inf")
    each = np.linalg.norm(pairs.force, axis=1).mean()
    return float(np.linalg.norm(net, axis=1).mean() / each)
