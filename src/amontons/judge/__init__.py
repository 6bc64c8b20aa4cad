"""The judge: how wrong impulses are, whichever solver computed them.

What a `Solution` reports, and whether it may call itself converged, comes from here and from
nowhere else. The judge recomputes N x and uses, from the rest of the package, only the scalar
projections of :mod:`amontons.algebra.cones`; solvers may only import it to have an answer
confirmed, in `solvers/base.py` (import-linter sees to both).
"""

from amontons.judge.verdict import evaluate, residuals

__all__ = ["evaluate", "residuals"]
