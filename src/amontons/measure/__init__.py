"""Measures of granular matter: stress, fabric, coordination, solid fraction, fields on grids.

All take a running `Simulation`, a `World`, or a frame of `Results`, and a region: two opposite
corners of a box, a `Box`, `Cylinder` or `Sphere` in the world's frame, or a `Part` that puts one
elsewhere.
"""

from amontons.measure.fields import fields
from amontons.measure.forces import ForceStatistics, force_statistics, unbalanced_force
from amontons.measure.heaps import lean_angle, repose_angle
from amontons.measure.motion import granular_temperature
from amontons.measure.probes import read
from amontons.measure.radial import RadialDistribution, radial_distribution
from amontons.measure.solids import solid_fraction
from amontons.measure.stresses import stress
from amontons.measure.structure import Coordination, coordination, fabric

__all__ = [
    "Coordination",
    "ForceStatistics",
    "RadialDistribution",
    "coordination",
    "fabric",
    "fields",
    "force_statistics",
    "granular_temperature",
    "lean_angle",
    "radial_distribution",
    "read",
    "repose_angle",
    "solid_fraction",
    "stress",
    "unbalanced_force",
]
