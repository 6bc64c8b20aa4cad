"""Joints in time: bound to bodies, measured, and made rows of each step's problem."""

from amontons.dynamics.joints.law import JointRows
from amontons.dynamics.joints.system import JointSystem

__all__ = ["JointRows", "JointSystem"]
