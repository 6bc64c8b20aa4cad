"""An interior point method after paper 5, for every set that a problem can have."""

from amontons.solvers.interior_point.method import InteriorPoint

__all__ = ["InteriorPoint"]
