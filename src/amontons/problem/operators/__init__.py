"""The forms of the matrix of a cone problem: over bodies, sparse, or factored."""

from amontons.problem.operators.base import MassForm, Operator
from amontons.problem.operators.bodies import BodyOperator
from amontons.problem.operators.cell import CellOperator
from amontons.problem.operators.factored import FactoredOperator
from amontons.problem.operators.matrix import MatrixOperator
from amontons.problem.operators.single import SingleBodies

__all__ = [
    "BodyOperator",
    "CellOperator",
    "FactoredOperator",
    "MassForm",
    "MatrixOperator",
    "Operator",
    "SingleBodies",
]
