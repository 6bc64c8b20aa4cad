"""A compiled direct solver of small problems: joints are eliminated, Newton does the contacts."""

from amontons.solvers.direct.method import Direct, solves_directly

__all__ = ["Direct", "solves_directly"]
