"""amontons: rigid bodies with contact and friction, as cone complementarity problems.

Names are imported when they are first used, so `import amontons` is instant and loads no Numba.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOMES = {
    "amontons._jit": ("get_threads", "max_threads", "set_threads"),
    "amontons.collision.contacts": ("ContactSet",),
    "amontons.collision.detector": ("CollisionDetector",),
    "amontons.collision.memory": ("ContactMemory",),
    "amontons.collision.queries.snapshot": ("Snapshot",),
    "amontons.errors": (
        "AmontonsError",
        "FileFormatError",
        "InputError",
        "InsufficientMemoryError",
        "OutputError",
        "ProblemWarning",
        "RunawayError",
        "SimulationError",
        "StrictError",
        "UnsupportedProblemError",
    ),
    "amontons.interchange": (
        "FileScene",
        "Imported",
        "load_mjcf",
        "load_scene",
        "load_urdf",
        "save_scene",
    ),
    "amontons.model.bodies": ("Bodies", "Body"),
    "amontons.model.forces": (
        "AppliedForce",
        "AppliedTorque",
        "Bushing",
        "Drag",
        "Force",
        "ForceState",
        "LinearSpring",
        "TorsionSpring",
    ),
    "amontons.model.joints": (
        "Cylindrical",
        "Distance",
        "Fixed",
        "Gear",
        "Joint",
        "Planar",
        "PointOnLine",
        "PointOnPlane",
        "PositionMotor",
        "Prismatic",
        "RackAndPinion",
        "Revolute",
        "Rope",
        "Screw",
        "SpeedMotor",
        "Spherical",
        "Strength",
        "TorqueMotor",
        "Universal",
    ),
    "amontons.simulation.model": ("Model", "prepare"),
    "amontons.simulation.rules": ("Rules",),
    "amontons.simulation.sleeping": ("Sleeping",),
    "amontons.simulation.state": ("State",),
    "amontons.simulation.step": ("step",),
    "amontons.model.materials": ("Material",),
    "amontons.model.motion": ("Motion",),
    "amontons.model.world": ("World",),
    "amontons.simulation.contacts": ("Contacts",),
    "amontons.simulation.notes": ("Note",),
    "amontons.simulation.report": ("Readings", "StepReport"),
    "amontons.simulation.simulation": ("Simulation",),
    "amontons.simulation.step_size": ("AutomaticStep",),
    "amontons.model.shapes": (
        "Box",
        "Capsule",
        "Compound",
        "Cone",
        "ConvexHull",
        "Cylinder",
        "Ellipsoid",
        "HeightField",
        "Part",
        "Plane",
        "Shape",
        "Sphere",
        "TriangleMesh",
    ),
    "amontons.problem.problem": ("ConeProblem",),
    "amontons.judge": ("residuals",),
    "amontons.problem.residuals": ("Measure", "Residuals"),
    "amontons.problem.sets.runs": (
        "CoulombCone",
        "Free",
        "Interval",
        "NonNegative",
        "RollingCone",
        "SpinningCone",
    ),
    "amontons.problem.solution": ("History", "Solution", "Status"),
    "amontons.results": ("Recorder", "Results"),
    "amontons.viewer": ("Page", "Picture", "View", "render", "view"),
    "amontons.solvers": (
        "APGD",
        "Auto",
        "ConjugateGradient",
        "ExactCoulomb",
        "GaussSeidel",
        "InteriorPoint",
        "Jacobi",
        "MinimumResidual",
        "Progress",
        "Solver",
        "SpectralGradient",
    ),
}

_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "APGD",
    "AmontonsError",
    "AppliedForce",
    "AppliedTorque",
    "Auto",
    "AutomaticStep",
    "Bodies",
    "Body",
    "Box",
    "Bushing",
    "Capsule",
    "CollisionDetector",
    "Compound",
    "Cone",
    "ConeProblem",
    "ConjugateGradient",
    "ContactMemory",
    "ContactSet",
    "Contacts",
    "ConvexHull",
    "CoulombCone",
    "Cylinder",
    "Cylindrical",
    "Distance",
    "Drag",
    "Ellipsoid",
    "ExactCoulomb",
    "FileFormatError",
    "FileScene",
    "Fixed",
    "Force",
    "ForceState",
    "Free",
    "GaussSeidel",
    "Gear",
    "HeightField",
    "History",
    "Imported",
    "InputError",
    "InsufficientMemoryError",
    "InteriorPoint",
    "Interval",
    "Jacobi",
    "Joint",
    "LinearSpring",
    "Material",
    "Measure",
    "MinimumResidual",
    "Model",
    "Motion",
    "NonNegative",
    "Note",
    "OutputError",
    "Page",
    "Part",
    "Picture",
    "Planar",
    "Plane",
    "PointOnLine",
    "PointOnPlane",
    "PositionMotor",
    "Prismatic",
    "ProblemWarning",
    "Progress",
    "RackAndPinion",
    "Readings",
    "Recorder",
    "Residuals",
    "Results",
    "Revolute",
    "RollingCone",
    "Rope",
    "Rules",
    "RunawayError",
    "Screw",
    "Shape",
    "Simulation",
    "SimulationError",
    "Sleeping",
    "Snapshot",
    "Solution",
    "Solver",
    "SpectralGradient",
    "SpeedMotor",
    "Sphere",
    "Spherical",
    "SpinningCone",
    "State",
    "Status",
    "StepReport",
    "Strength",
    "StrictError",
    "TorqueMotor",
    "TorsionSpring",
    "TriangleMesh",
    "Universal",
    "UnsupportedProblemError",
    "View",
    "World",
    "__version__",
    "get_threads",
    "load_mjcf",
    "load_scene",
    "load_urdf",
    "max_threads",
    "prepare",
    "render",
    "residuals",
    "save_scene",
    "set_threads",
    "step",
    "view",
]

if TYPE_CHECKING:
    from amontons._jit import get_threads, max_threads, set_threads
    from amontons.collision.contacts import ContactSet
    from amontons.collision.detector import CollisionDetector
    from amontons.collision.memory import ContactMemory
    from amontons.collision.queries.snapshot import Snapshot
    from amontons.errors import (
        AmontonsError,
        FileFormatError,
        InputError,
        InsufficientMemoryError,
        OutputError,
        ProblemWarning,
        RunawayError,
        SimulationError,
        StrictError,
        UnsupportedProblemError,
    )
    from amontons.interchange import (
        FileScene,
        Imported,
        load_mjcf,
        load_scene,
        load_urdf,
        save_scene,
    )
    from amontons.judge import residuals
    from amontons.model.bodies import Bodies, Body
    from amontons.model.forces import (
        AppliedForce,
        AppliedTorque,
        Bushing,
        Drag,
        Force,
        ForceState,
        LinearSpring,
        TorsionSpring,
    )
    from amontons.model.joints import (
        Cylindrical,
        Distance,
        Fixed,
        Gear,
        Joint,
        Planar,
        PointOnLine,
        PointOnPlane,
        PositionMotor,
        Prismatic,
        RackAndPinion,
        Revolute,
        Rope,
        Screw,
        SpeedMotor,
        Spherical,
        Strength,
        TorqueMotor,
        Universal,
    )
    from amontons.model.materials import Material
    from amontons.model.motion import Motion
    from amontons.model.shapes import (
        Box,
        Capsule,
        Compound,
        Cone,
        ConvexHull,
        Cylinder,
        Ellipsoid,
        HeightField,
        Part,
        Plane,
        Shape,
        Sphere,
        TriangleMesh,
    )
    from amontons.model.world import World
    from amontons.problem.problem import ConeProblem
    from amontons.problem.residuals import Measure, Residuals
    from amontons.problem.sets.runs import (
        CoulombCone,
        Free,
        Interval,
        NonNegative,
        RollingCone,
        SpinningCone,
    )
    from amontons.problem.solution import History, Solution, Status
    from amontons.results import Recorder, Results
    from amontons.simulation.contacts import Contacts
    from amontons.simulation.model import Model, prepare
    from amontons.simulation.notes import Note
    from amontons.simulation.report import Readings, StepReport
    from amontons.simulation.rules import Rules
    from amontons.simulation.simulation import Simulation
    from amontons.simulation.sleeping import Sleeping
    from amontons.simulation.state import State
    from amontons.simulation.step import step
    from amontons.simulation.step_size import AutomaticStep
    from amontons.solvers import (
        APGD,
        Auto,
        ConjugateGradient,
        ExactCoulomb,
        GaussSeidel,
        InteriorPoint,
        Jacobi,
        MinimumResidual,
        Progress,
        Solver,
        SpectralGradient,
    )
    from amontons.viewer import Page, Picture, View, render, view


def __getattr__(name: str) -> Any:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'amontons' has no attribute {name!r}")
    value = getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
