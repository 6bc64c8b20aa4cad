"""Scenes: worlds that tests, benchmarks, docs and the command line share; one a file."""

from amontons.scenes.packed_bed import packed_bed
from amontons.scenes.plates import plates
from amontons.scenes.wall import wall

__all__ = ["packed_bed", "plates", "wall"]
