"""The viewer: a recorded run as one HTML file that any browser shows, without a network."""

from amontons.viewer.page import write_page

__all__ = ["write_page"]
