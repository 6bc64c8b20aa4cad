"""Solvers of cone problems: one file or one folder for each method, one row in the table."""

from amontons.solvers.apgd import APGD
from amontons.solvers.auto import Auto
from amontons.solvers.base import Callback, Iterate, Progress, Solver
from amontons.solvers.direct import Direct
from amontons.solvers.exact_coulomb import ExactCoulomb
from amontons.solvers.gauss_seidel import GaussSeidel
from amontons.solvers.interior_point import InteriorPoint
from amontons.solvers.jacobi import Jacobi
from amontons.solvers.krylov import ConjugateGradient, MinimumResidual
from amontons.solvers.spectral_gradient import SpectralGradient

SOLVERS: dict[str, type[Solver]] = {
    "auto": Auto,
    "apgd": APGD,
    "interior-point": InteriorPoint,
    "spectral-gradient": SpectralGradient,
    "gauss-seidel": GaussSeidel,
    "jacobi": Jacobi,
    "direct": Direct,
    "conjugate-gradient": ConjugateGradient,
    "minimum-residual": MinimumResidual,
}
"""Convex solvers by the names that the command line knows them by."""

__all__ = [
    "APGD",
    "SOLVERS",
    "Auto",
    "Callback",
    "ConjugateGradient",
    "Direct",
    "ExactCoulomb",
    "GaussSeidel",
    "InteriorPoint",
    "Iterate",
    "Jacobi",
    "MinimumResidual",
    "Progress",
    "Solver",
    "SpectralGradient",
]
