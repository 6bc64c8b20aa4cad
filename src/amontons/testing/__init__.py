"""For authors of solvers, shapes and joints: contracts that all must meet, and test problems.

::

    from amontons.testing import check_solver

    check_solver(MySolver(tolerance=1e-6))

or, one test per check, `@pytest.mark.parametrize(("name", "check"), solver_checks(MySolver()))`.
`check_shape(MyShape())` and `shape_checks` do the same for shapes, `check_joint(MyJoint(0, 1))` and
`joint_checks` for joints.
"""

from amontons.testing.joints import JOINT_CHECKS, check_joint, joint_checks
from amontons.testing.judging import ContractError, parallel_kernels
from amontons.testing.problems import CASES, Case, Units, build, case
from amontons.testing.shapes import SHAPE_CHECKS, check_shape, shape_checks
from amontons.testing.solvers import CHECKS, check_solver, solver_checks

__all__ = [
    "CASES",
    "CHECKS",
    "JOINT_CHECKS",
    "SHAPE_CHECKS",
    "Case",
    "ContractError",
    "Units",
    "build",
    "case",
    "check_joint",
    "check_shape",
    "check_solver",
    "joint_checks",
    "parallel_kernels",
    "shape_checks",
    "solver_checks",
]
