"""`Cell`: a periodic box of space, and how it deforms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from amontons.checks import finite, finite_vector, positive
from amontons.errors import InputError

Floats = NDArray[np.float64]

AXES = "xyz"

SOON = 1e-12
"""Share of a time by which a stage may begin too early: sums of steps are rounded."""


@dataclass(frozen=True)
class CellStage:
    """How a cell deforms from a time on, as the stages of a test: pressed first, sheared then.

    Parameters
    ----------
    time:
        When it begins [s].
    strain_rate, shear_rate, stress:
        As those of a `Cell`, in their place.
    """

    time: float
    strain_rate: float | Sequence[float] = 0.0
    shear_rate: float = 0.0
    stress: float | Sequence[float | None] | None = None

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "time", positive("the time of a stage", self.time))
        for name in ("strain_rate", "stress"):
            given = getattr(self, name)
            put(self, name, given if np.ndim(given) == 0 else tuple(given))


@dataclass(frozen=True)
class Cell:
    """A box that is periodic along some axes: what leaves on one side comes back on the other.

    Parameters
    ----------
    lengths:
        Of its edges when a run begins [m]; those of axes that do not repeat say nothing about where
        bodies may be, only what counts as the cell's volume.
    periodic:
        Which axes repeat.
    origin:
        Its lowest corner [m].
    strain_rate:
        At which its edges grow, each by its length [1/s], one for all axes or one each; negative
        where it is compressed.
    shear_rate:
        ∂v_x/∂y [1/s]: what is a cell higher along y moves along x by that much more (Lees and
        Edwards 1972). x and y must repeat.
    stress:
        That the cell holds [Pa], compression positive, instead of a strain rate. One number: the
        mean over all axes that repeat, which then grow alike. Three: axis by axis, None where the
        strain rate is given. Edges then move as bodies do: with an inertia, by the forces of
        contacts against the stress.
    stages:
        What comes later, in the order of their times.
    """

    lengths: Sequence[float]
    periodic: Sequence[bool] = (True, True, True)
    origin: Sequence[float] = (0.0, 0.0, 0.0)
    strain_rate: float | Sequence[float] = 0.0
    shear_rate: float = 0.0
    stress: float | Sequence[float | None] | None = None
    stages: Sequence[CellStage] = ()

    def __post_init__(self) -> None:
        lengths = finite_vector("the cell's lengths", self.lengths)
        if min(lengths) <= 0.0:
            raise InputError(f"the cell's lengths must be positive, got {tuple(lengths)}")
        axes = tuple(self.periodic)
        if len(axes) != 3 or not all(isinstance(axis, bool | np.bool_) for axis in axes):
            raise InputError(f"periodic must be three booleans, for x, y and z, got {axes}")
        if not any(axes):
            raise InputError("a cell must repeat along some axis; leave it out where none does")
        each = self.strain_rate
        rates: tuple[float, ...]
        rates = finite_vector("strain_rate", (each,) * 3 if np.ndim(each) == 0 else each)
        if np.ndim(each) == 0:
            rates = tuple(rate if axis else 0.0 for rate, axis in zip(rates, axes, strict=True))
        put = object.__setattr__
        put(self, "lengths", tuple(float(length) for length in lengths))
        put(self, "periodic", tuple(bool(axis) for axis in axes))
        put(self, "origin", tuple(float(x) for x in finite_vector("origin", self.origin)))
        put(self, "strain_rate", tuple(float(rate) for rate in rates))
        put(self, "shear_rate", finite("shear_rate", self.shear_rate))
        put(self, "stress", self._stress())
        self._check_motion()
        put(self, "stages", self._checked_stages())

    def _checked_stages(self) -> tuple[CellStage, ...]:
        stages = tuple(self.stages)
        for each in stages:
            if not isinstance(each, CellStage):
                raise InputError(f"stages must be amontons.CellStage, got {each!r}")
        times = [each.time for each in stages]
        if any(later <= sooner for sooner, later in pairwise(times)):
            raise InputError(f"stages of a cell must have times that rise, got {times}")
        for each in stages:  # what is wrong with one is said when the cell is made
            self._with(each)
        return stages

    def _with(self, stage: CellStage) -> Cell:
        return replace(
            self, strain_rate=stage.strain_rate, shear_rate=stage.shear_rate, stress=stage.stress,
            stages=(),
        )  # fmt: skip

    def at(self, time: float) -> Cell:
        """The cell with the rates and stresses that it has in a step that begins then [s]."""
        begun = [each for each in self.stages if each.time <= time + SOON * abs(time)]
        return self._with(begun[-1]) if begun else self

    def _stress(self) -> float | tuple[float | None, ...] | None:
        given = self.stress
        if given is None or np.ndim(given) == 0:  # type: ignore[arg-type]
            return None if given is None else finite("stress", given)
        each = tuple(given)  # type: ignore[arg-type]
        if len(each) != 3:
            raise InputError(f"stress must be one number or three, for x, y and z, got {each}")
        found = tuple(None if one is None else finite("stress", one) for one in each)
        return None if found == (None,) * 3 else found

    def _check_motion(self) -> None:
        for name, axis, rate, held in zip(
            AXES, self.periodic, np.diag(self.gradient).tolist(), self.held, strict=True
        ):
            if not axis and (rate or (held and np.ndim(self.stress))):  # type: ignore[arg-type]
                raise InputError(
                    f"the cell does not repeat along {name}, so it has no border there to move: "
                    "press a wall instead, a body with a force on it (AppliedForce)"
                )
            if held and rate:
                raise InputError(
                    f"along {name} the cell has both a strain_rate and a stress; give one"
                )
        if self.shear_rate and not (self.periodic[0] and self.periodic[1]):
            raise InputError("a cell with a shear_rate must repeat along x and y")

    @property
    def held(self) -> tuple[bool, bool, bool]:
        """Axes along which it holds a stress."""
        if self.stress is None:
            return (False, False, False)
        if np.ndim(self.stress) == 0:  # type: ignore[arg-type]
            return tuple(self.periodic)  # type: ignore[return-value]
        return tuple(one is not None for one in self.stress)  # type: ignore[return-value,union-attr]

    @property
    def isotropic(self) -> bool:
        """Whether it holds one mean stress, and grows along all axes alike."""
        return self.stress is not None and np.ndim(self.stress) == 0  # type: ignore[arg-type]

    @property
    def targets(self) -> Floats:
        """The stress that it holds along each axis [Pa], 0 where none, shape (3,)."""
        if self.stress is None:
            return np.zeros(3)
        if self.isotropic:
            return np.where(self.held, float(self.stress), 0.0)  # type: ignore[arg-type]
        return np.array([one or 0.0 for one in self.stress])  # type: ignore[union-attr]

    @property
    def gradient(self) -> Floats:
        """Of the velocity of space where the rates are given [1/s], shape (3, 3)."""
        rates = np.diag(np.array(self.strain_rate))
        rates[0, 1] = self.shear_rate
        return rates
