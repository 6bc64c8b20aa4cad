"""Newton's method near a solution of a small problem: what Auto and ExactCoulomb finish with."""

from amontons.solvers.semismooth_newton.method import can_finish, finish

__all__ = ["can_finish", "finish"]
