"""All errors and warnings of amontons, in one place.

An error names what is wrong and what to do; it is raised by the call that brought the bad data in.
"""


class AmontonsError(Exception):
    """Base of every error of this package: catch this one to catch them all."""


class InputError(AmontonsError, ValueError):
    """Data that no problem or solver can use: NaN, negative friction, sizes that do not match."""


class UnsupportedProblemError(InputError):
    """A sound problem, given to a solver that is not made for its kind."""


class InsufficientMemoryError(AmontonsError, MemoryError):
    """A factorisation that would not fit into the memory that is free."""


class SimulationError(AmontonsError, ArithmeticError):
    """A run that cannot go on, as after a step that gave no finite velocities."""


class RunawayError(SimulationError):
    """A time step in which energy came from nowhere; the state is that before it."""


class StrictError(SimulationError):
    """A note in a run that is strict; the state is that after the step."""


class FileFormatError(AmontonsError, ValueError):
    """A file that is truncated, foreign, or of a version that this release cannot read."""


class OutputError(AmontonsError, OSError):
    """A result that could not be written: a missing folder, no permission, a full disk."""


class ProblemWarning(UserWarning):
    """Unusual but usable data, and what was done with it."""
