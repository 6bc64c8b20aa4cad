"""Exact Coulomb friction around a convex solver, with Newton's method on small problems."""

from amontons.solvers.exact_coulomb.method import ExactCoulomb

__all__ = ["ExactCoulomb"]
