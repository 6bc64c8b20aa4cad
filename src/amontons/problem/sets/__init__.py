"""The feasible set Υ of a cone problem: a product of small convex sets, described run by run.

A run is a number of consecutive blocks of one kind::

    Product([CoulombCone(friction=np.full(100, 0.5)), Free(12), Interval(lower=-2.0, upper=2.0)])

is the set of 100 frictional contacts (300 rows), 12 bilateral rows and one motor of bounded force.
"""

from amontons.problem.sets.coefficients import unit_normals
from amontons.problem.sets.product import Product
from amontons.problem.sets.runs import (
    COEFFICIENTS,
    RUNS,
    CoulombCone,
    Free,
    Interval,
    NonNegative,
    RollingCone,
    Run,
    SpinningCone,
)

__all__ = [
    "COEFFICIENTS",
    "RUNS",
    "CoulombCone",
    "Free",
    "Interval",
    "NonNegative",
    "Product",
    "RollingCone",
    "Run",
    "SpinningCone",
    "unit_normals",
]
