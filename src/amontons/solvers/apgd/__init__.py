"""Nesterov's accelerated projected gradient descent, after paper 3."""

from amontons.solvers.apgd.method import APGD

__all__ = ["APGD"]
