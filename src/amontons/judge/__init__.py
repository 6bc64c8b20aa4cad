"""The judge: how wrong impulses are, whoever computed them.

What a `Solution` reports, and whether it may call itself converged, comes from here and from
nowhere else. The judge computes N x anew and uses, of all the package, the scalar projections of
:mod:`amontons.algebra.cones`; no solver may import it but to have an answer confirmed, in
`solvers/base.py` (import-linter sees to both).
"""

from amontons.judge.verdict import evaluate, residuals

__all__ = ["evaluate", "residuals"]
