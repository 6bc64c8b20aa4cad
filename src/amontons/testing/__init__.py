"""For those who write solvers: a contract that every solver passes, and problems to try it on.

::

    from amontons.testing import check_solver

    check_solver(MySolver(tolerance=1e-6))

or, one test a check, `@pytest.mark.parametrize(("name", "check"), solver_checks(MySolver()))`.
"""

from amontons.testing.judging import ContractError, parallel_kernels
from amontons.testing.problems import CASES, Case, Units, build, case
from amontons.testing.solvers import CHECKS, check_solver, solver_checks

__all__ = [
    "CASES",
    "CHECKS",
    "Case",
    "ContractError",
    "Units",
    "build",
    "case",
    "check_solver",
    "parallel_kernels",
    "solver_checks",
]
