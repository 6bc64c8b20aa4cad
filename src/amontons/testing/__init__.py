"""For those who write solvers or shapes: contracts that all of them pass, and problems to try.

::

    from amontons.testing import check_solver

    check_solver(MySolver(tolerance=1e-6))

or, one test a check, `@pytest.mark.parametrize(("name", "check"), solver_checks(MySolver()))`.
`check_shape(MyShape())` and `shape_checks` do the same for shapes.
"""

from amontons.testing.judging import ContractError, parallel_kernels
from amontons.testing.problems import CASES, Case, Units, build, case
from amontons.testing.shapes import SHAPE_CHECKS, check_shape, shape_checks
from amontons.testing.solvers import CHECKS, check_solver, solver_checks

__all__ = [
    "CASES",
    "CHECKS",
    "SHAPE_CHECKS",
    "Case",
    "ContractError",
    "Units",
    "build",
    "case",
    "check_shape",
    "check_solver",
    "parallel_kernels",
    "shape_checks",
    "solver_checks",
]
