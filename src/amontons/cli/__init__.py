"""The command line: `amontons run`, `view`, `solve` and the other commands, one per file.

Nothing here imports NumPy, Numba or matplotlib before a command needs it, so that `--help` is
instant.
"""

from amontons.cli.app import app, main

__all__ = ["app", "main"]
