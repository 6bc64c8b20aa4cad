"""Frames: bodies at one moment, of a simulation or of a file, and their shapes as triangles."""

from amontons.frames.cell import FrameCell
from amontons.frames.frame import BodyList, Frame
from amontons.frames.single_frame import SingleFrame
from amontons.frames.surfaces import Surface

__all__ = ["BodyList", "Frame", "FrameCell", "SingleFrame", "Surface"]
