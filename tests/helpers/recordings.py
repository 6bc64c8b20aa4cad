"""What the tests of recorded runs share."""

import json

import h5py
import numpy as np

from amontons.results import Results
from amontons.results.layout import COLUMNS, NOTE, STAGES, VERSION
from amontons.results.run_file import describe


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


def edited(path, change):
    """Change a run's file with h5py and stamp it again, as somebody would who knows how."""
    with h5py.File(path, "r+") as file:
        rate, about = float(file.attrs["rate"]), json.loads(file.attrs["about"])
        change(file, about)
        if file.attrs["version"] == VERSION:
            describe(file, rate, about)
        else:
            file.attrs["about"] = json.dumps(about)


def downgraded(path):
    """Make a run's file one of version 2, which had no checksums."""
    with h5py.File(path, "r+") as file:
        steps, columns = file["steps"][:], file["steps"].attrs["columns"].decode().split(",")
        units = file["steps"].attrs["units"].decode().split(",")
        notes = file["notes"][:]
        for name in ("steps", "notes", "frames/check"):
            del file[name]
        width = len(columns) - 1
        file.create_dataset(
            "steps", data=steps[:, :-1], maxshape=(None, width), chunks=(256, width)
        )
        file["steps"].attrs["columns"] = ",".join(columns[:-1])
        file["steps"].attrs["units"] = ",".join(units[:-1])
        kept = list(NOTE.names[:-1])
        rows = np.empty(len(notes), dtype=[(name, NOTE[name]) for name in kept])
        for name in kept:
            rows[name] = notes[name]
        file.create_dataset("notes", data=rows, maxshape=(None,), chunks=(64,))
        about = file.attrs["about"].decode()
        del file.attrs["digest"], file.attrs["about"]
        file.attrs["about"], file.attrs["version"] = about, 2
