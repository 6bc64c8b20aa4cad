"""Runs as tables of numbers separated by commas."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from amontons.results.exports.small_tables import write_tables
from amontons.results.reader import Results
from amontons.storage.writing import replacing

STATE = (
    "time", "body", "x", "y", "z", "qw", "qx", "qy", "qz",
    "vx", "vy", "vz", "wx", "wy", "wz",
)  # fmt: skip
CONTACT = (
    "time", "body_a", "body_b", "x", "y", "z", "nx", "ny", "nz", "fx", "fy", "fz", "gap",
    "tx", "ty", "tz",
)  # fmt: skip


def write_csv(results: Results, folder: Path, frames: Sequence[int]) -> list[Path]:
    """Write `bodies.csv`, `steps.csv` and, if contacts were recorded, `contacts.csv`.

    They have one row per frame and body, per step, and per frame and contact. Beside them are the
    tables of probes and meters, where there are any.
    """
    written = [folder / "bodies.csv", folder / "steps.csv"]
    with replacing(written[0]) as stream:
        stream.write((",".join(STATE) + "\n").encode())
        for number in frames:
            frame = results[number]
            time = np.full(len(frame.position), frame.time)
            columns = (time, frame.id, frame.position, frame.orientation, frame.twist)
            np.savetxt(stream, np.column_stack(columns), fmt="%.17g", delimiter=",")
    with replacing(written[1]) as stream:
        table = np.column_stack([results.readings(name) for name in results.columns])
        np.savetxt(
            stream, table, fmt="%.17g", delimiter=",", header=",".join(results.columns), comments=""
        )
    if results.has_contacts:
        written.append(folder / "contacts.csv")
        _write_contacts(results, written[-1], frames)
    return written + write_tables(results, folder)


def _write_contacts(results: Results, path: Path, frames: Sequence[int]) -> None:
    times = results.time
    with replacing(path) as stream:
        stream.write((",".join(CONTACT) + "\n").encode())
        for number in frames:
            found = results.contacts(number)
            time = np.full(len(found), times[number])
            columns = (
                time, found.bodies, found.points, found.normals, found.force, found.gaps,
                found.torque,
            )  # fmt: skip
            np.savetxt(stream, np.column_stack(columns), fmt="%.17g", delimiter=",")
