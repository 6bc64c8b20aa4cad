"""Pictures of a run without a browser: numpy draws them, PNG and video files hold them."""

from amontons.viewer.pictures.picture import Look, Painter, Picture, nearest, render
from amontons.viewer.pictures.view import View

__all__ = ["Look", "Painter", "Picture", "View", "nearest", "render"]
