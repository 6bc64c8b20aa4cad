"""What the tests of recorded runs share."""

import numpy as np

from amontons.results import Results
from amontons.results.layout import COLUMNS, STAGES


def same(first, second, contacts=True):
    """Assert that two runs are the same bit for bit, wall-clock times apart."""
    with Results(first) as a, Results(second) as b:
        assert (a.frames, a.steps) == (b.frames, b.steps)
        for name in ("position", "orientation", "twist", "time"):
            np.testing.assert_array_equal(getattr(a, name)[:], getattr(b, name)[:], err_msg=name)
        for name in COLUMNS.keys() - set(STAGES):
            np.testing.assert_array_equal(a.readings(name), b.readings(name), err_msg=name)
        for number in range(a.frames if contacts else 0):
            for name in ("bodies", "points", "normals", "gaps", "force", "torque"):
                here, there = a.contacts(number), b.contacts(number)
                np.testing.assert_array_equal(getattr(here, name), getattr(there, name))
