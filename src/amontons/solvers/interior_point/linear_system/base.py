"""What the method asks of a linear system: factorise (N + Θ + soft), and solve with it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

from amontons.array_types import Floats
from amontons.solvers.interior_point.linear_system.factorisation import ANALYSES, Factorisation


class Hessian(NamedTuple):
    """Θ as the scaling of all pieces: η, ω and c, shapes (pieces,), (pieces,) and (pieces, 3)."""

    eta: Floats
    omega: Floats
    axis: Floats


class LinearSystem(ABC):
    """Some way to solve (N + Θ + soft) x = b for one problem."""

    factorisation: Factorisation

    @abstractmethod
    def factorise(self, hessian: Hessian, soft: Floats) -> None:
        """Factorise with this Θ and this softness of fₙ, f_t, m_t, m_n, shape (blocks, 4)."""

    @abstractmethod
    def solve(self, b: Floats) -> Floats:
        """(N + Θ + soft)⁻¹ b, as well as one factorisation can."""

    def close(self) -> None:
        """Keep the analysis of the pattern for the next problem that has the same."""
        ANALYSES.give_back(self.factorisation)
