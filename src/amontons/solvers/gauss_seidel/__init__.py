"""Projected Gauss–Seidel and SOR, after papers 2 to 4."""

from amontons.solvers.gauss_seidel.method import GaussSeidel

__all__ = ["GaussSeidel"]
