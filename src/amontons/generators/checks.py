"""Checks of the arguments of generators."""

from __future__ import annotations

from amontons.checks import whole

MOST = 100_000_000
"""The largest number of bodies or rows that a generator accepts."""


def count_of(name: str, value: object) -> None:
    """A whole number from 1 to MOST."""
    whole(name, value, 1, MOST)
