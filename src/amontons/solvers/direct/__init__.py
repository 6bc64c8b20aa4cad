"""A compiled direct solver of small problems: joints are eliminated, Newton does the contacts."""

from amontons.solvers.direct.method import Direct, directly, solves_directly

__all__ = ["Direct", "directly", "solves_directly"]
