"""The viewer: a run as one HTML file that any browser shows, live, or as pictures and films."""

from amontons.viewer.page import write_page
from amontons.viewer.pictures import Picture, View, render
from amontons.viewer.showing import Page, view

__all__ = ["Page", "Picture", "View", "render", "view", "write_page"]
