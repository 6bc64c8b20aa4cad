"""Forces: springs and bushings between two bodies, and loads that act from outside."""

from amontons.model.forces.applied import AppliedForce, AppliedTorque
from amontons.model.forces.base import Load
from amontons.model.forces.bushing import Bushing
from amontons.model.forces.drag import Drag
from amontons.model.forces.springs import LinearSpring, TorsionSpring
from amontons.model.forces.user import Force, ForceState

__all__ = [
    "AppliedForce",
    "AppliedTorque",
    "Bushing",
    "Drag",
    "Force",
    "ForceState",
    "LinearSpring",
    "Load",
    "TorsionSpring",
]
