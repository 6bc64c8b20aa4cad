"""Robots under control: joints as arrays, commands, and the equations of motion of their trees."""

from amontons.robots.robot import Robot

__all__ = ["Robot"]
