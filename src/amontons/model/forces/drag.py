"""Drag of the air, or of another medium at rest."""

from __future__ import annotations

from dataclasses import dataclass

from amontons.checks import not_negative
from amontons.errors import InputError
from amontons.model.forces.base import Bodies, Load, body_ids

COEFFICIENTS = ("linear", "quadratic", "angular", "angular_quadratic")


@dataclass(frozen=True)
class Drag(Load):
    """Slows bodies down: force −(c₁ + c₂|v|) v, torque −(d₁ + d₂|ω|) ω. Implicit in time.

    Parameters
    ----------
    bodies:
        One body or several; None, the default, means all bodies at any time.
    linear, quadratic:
        c₁ [N s/m] and c₂ [N s²/m²].
    angular, angular_quadratic:
        d₁ [N m s/rad] and d₂ [N m s²/rad²].
    """

    bodies: Bodies = None
    linear: float = 0.0
    quadratic: float = 0.0
    angular: float = 0.0
    angular_quadratic: float = 0.0

    def check(self) -> None:
        body_ids("bodies", self.bodies)
        for name in COEFFICIENTS:
            self._check(name, not_negative)
        if not any(self.coefficients):
            raise InputError(f"{self.title} has no coefficient above zero: it does nothing")

    @property
    def coefficients(self) -> tuple[float, float, float, float]:
        """c₁, c₂, d₁ and d₂."""
        return self.linear, self.quadratic, self.angular, self.angular_quadratic

    @property
    def ids(self) -> tuple[int, ...] | None:
        return body_ids("bodies", self.bodies)
