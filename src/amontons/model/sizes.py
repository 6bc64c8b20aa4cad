"""`Sizes`: distributions of grain sizes by count or, as sieves measure them, by mass."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr

from amontons.checks import finite_array, positive, whole
from amontons.errors import InputError

Floats = NDArray[np.float64]

CELLS = 4000
"""Cells of the table of a distribution."""


@dataclass(frozen=True, eq=False, repr=False)
class Sizes:
    """Diameters of grains. Made by `single`, `uniform`, `lognormal`, `weibull` or `sieve`.

    All lengths are diameters [m]. `by` says what a share is a share of: of the "count" of grains,
    or of their "mass", as in a sieve curve; grains have the same density.
    """

    name: str
    edges: Floats
    """Diameters [m] between the cells of a table, increasing, shape (cells + 1,)."""
    below: Floats
    """Share of the count of grains that are smaller than each, from 0 to 1."""
    recipe: Mapping[str, Any] = field(default_factory=dict)
    """How it was made: the `kind`, which is the method, and its arguments."""

    @classmethod
    def single(cls, d: float) -> Sizes:
        """Grains of one diameter [m]."""
        d = positive("d", d)
        return cls(
            f"single {d:g} m", np.array([d, d]), np.array([0.0, 1.0]), {"kind": "single", "d": d}
        )

    @classmethod
    def uniform(cls, low: float, high: float, *, by: str = "count") -> Sizes:
        """Uniformly distributed diameters between two [m]."""
        low, high = _rising("low", low, "high", high)
        return cls._made(
            f"uniform {low:g} to {high:g} m",
            low,
            high,
            lambda d: (d - low) / (high - low),
            by,
            {"kind": "uniform", "low": low, "high": high, "by": by},
        )

    @classmethod
    def lognormal(
        cls, median: float, sigma: float, *, by: str = "count", cut: float = 3.0
    ) -> Sizes:
        """ln d is normal with a standard deviation `sigma`, about the median [m].

        Values more than `cut` standard deviations away are left out: 0.3 % by default.
        """
        median, sigma, cut = (
            positive("median", median),
            positive("sigma", sigma),
            positive("cut", cut),
        )
        reach = np.exp(cut * sigma)
        return cls._made(
            f"lognormal about {median:g} m, sigma {sigma:g}", median / reach, median * reach,
            lambda d: ndtr(np.log(d / median) / sigma), by,
            {"kind": "lognormal", "median": median, "sigma": sigma, "by": by, "cut": cut},
        )  # fmt: skip

    @classmethod
    def weibull(
        cls, scale: float, shape: float, *, by: str = "mass", low: float | None = None,
        high: float | None = None,
    ) -> Sizes:  # fmt: skip
        """Share below d is 1 − exp(−(d/scale)^shape): Rosin and Rammler's law, `by` mass.

        Smaller and larger diameters than `low` and `high` [m] are left out; by default the
        smallest and the largest thousandth.
        """
        scale, shape = positive("scale", scale), positive("shape", shape)
        first = scale * (-np.log(1.0 - 1e-3)) ** (1.0 / shape) if low is None else low
        last = scale * (-np.log(1e-3)) ** (1.0 / shape) if high is None else high
        first, last = _rising("low", first, "high", last)
        return cls._made(
            f"weibull {scale:g} m, shape {shape:g}", first, last,
            lambda d: -np.expm1(-((d / scale) ** shape)), by,
            {"kind": "weibull", "scale": scale, "shape": shape, "by": by, "low": first,
             "high": last},
        )  # fmt: skip

    @classmethod
    def sieve(cls, d: ArrayLike, passing: ArrayLike, *, by: str = "mass") -> Sizes:
        """A sieve curve: share that passes sieves of diameter d [m], from 0 to 1.

        Between two sieves it is a straight line over ln d, as it is drawn.
        """
        sieves, share = finite_array("d", d), finite_array("passing", passing)
        if sieves.ndim != 1 or sieves.size < 2 or share.shape != sieves.shape:
            raise InputError(
                "d and passing must be equally many numbers, two or more, got shapes "
                f"{sieves.shape} and {share.shape}"
            )
        positive("d[0]", sieves[0])
        _refuse_falling("d", sieves, strictly=True)
        _refuse_falling("passing", share, strictly=False)
        if share[0] != 0.0 or share[-1] != 1.0:
            raise InputError(
                f"passing goes from {share[0]:g} to {share[-1]:g}; it must begin with 0 at the "
                "smallest diameter and end with 1 at the largest (fractions, not %)"
            )
        logs = np.log(sieves)
        return cls._made(
            f"sieve curve {sieves[0]:g} to {sieves[-1]:g} m", sieves[0], sieves[-1],
            lambda each: np.interp(np.log(each), logs, share), by,
            {"kind": "sieve", "d": sieves.tolist(), "passing": share.tolist(), "by": by}, logs,
        )  # fmt: skip

    @classmethod
    def _made(
        cls, name: str, low: float, high: float, share: Callable[[Floats], Floats], by: str,
        recipe: Mapping[str, Any], kinks: Floats | None = None,
    ) -> Sizes:  # fmt: skip
        """A table of a distribution from low to high, given by its cumulative share."""
        if by not in ("count", "mass"):
            raise InputError(f"by must be 'count' or 'mass', got {by!r}")
        logs = np.linspace(np.log(low), np.log(high), CELLS + 1)
        if kinks is not None:
            logs = np.unique(np.concatenate([logs, kinks]))
        edges = np.exp(logs)
        edges[0], edges[-1] = low, high
        part = np.diff(share(edges))
        if by == "mass":
            part = part / np.exp(1.5 * (logs[1:] + logs[:-1]))  # d³ in the middle of a cell
        below = np.concatenate([[0.0], np.cumsum(part)])
        return cls(f"{name} by {by}", edges, below / below[-1], recipe)

    @property
    def smallest(self) -> float:
        """Diameter [m]."""
        return float(self.edges[0])

    @property
    def largest(self) -> float:
        """Diameter [m]."""
        return float(self.edges[-1])

    @property
    def mean_volume(self) -> float:
        """Of a grain [m³]."""
        a, b = self.edges[:-1], self.edges[1:]
        cubes = 0.25 * (a + b) * (a**2 + b**2)  # mean of d³ where d is even between a and b
        return float(np.pi / 6.0 * (np.diff(self.below) * cubes).sum())

    def diameters(self, count: int, seed: int | np.random.Generator = 0) -> Floats:
        """Diameters of `count` grains in random order [m], shape (count,).

        One is drawn from each of `count` equal shares, so that the curve is matched as closely as
        possible.
        """
        count = whole("count", count)
        rng = _generator(seed)
        share = (np.arange(count) + rng.random(count)) / max(count, 1)
        return np.asarray(np.interp(rng.permutation(share), self.below, self.edges))

    def radii(self, count: int, seed: int | np.random.Generator = 0) -> Floats:
        """Half of :meth:`diameters` [m], shape (count,)."""
        return 0.5 * self.diameters(count, seed)

    def radii_filling(self, volume: float, seed: int | np.random.Generator = 0) -> Floats:
        """Radii of grains with this total volume, to within one grain [m]."""
        rng, volume = _generator(seed), positive("volume", volume)
        count = max(1, round(volume / self.mean_volume))
        for _ in range(8):
            radius = self.radii(count, rng)
            lacking = volume - 4.0 / 3.0 * np.pi * (radius**3).sum()
            change = round(lacking / self.mean_volume)
            if not change:
                break
            count = max(1, count + change)
        return radius

    def __repr__(self) -> str:
        return f"<Sizes: {self.name}>"


def passing(radius: ArrayLike, d: ArrayLike) -> Floats:
    """Share by mass of spheres of these radii [m] that pass sieves of diameter d [m]."""
    r = np.sort(finite_array("radius", radius))
    if not r.size:
        raise InputError("there are no grains to sieve")
    mass = np.concatenate([[0.0], np.cumsum(r**3)])
    return np.asarray(mass[np.searchsorted(2.0 * r, finite_array("d", d), "right")] / mass[-1])


def _generator(seed: int | np.random.Generator) -> np.random.Generator:
    if isinstance(seed, np.random.Generator):
        return seed
    return np.random.default_rng(whole("seed", seed))


def _rising(first: str, low: float, second: str, high: float) -> tuple[float, float]:
    low, high = positive(first, low), positive(second, high)
    if not low < high:
        raise InputError(f"{first} is {low:g} m and {second} {high:g} m; the second must be larger")
    return low, high


def _refuse_falling(name: str, values: Floats, *, strictly: bool) -> None:
    step = np.diff(values)
    wrong = step <= 0.0 if strictly else step < 0.0
    if wrong.any():
        i = int(np.argmax(wrong))
        raise InputError(
            f"{name} must increase, but {name}[{i + 1}] = {values[i + 1]:g} follows {values[i]:g}"
        )
