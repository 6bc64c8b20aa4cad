"""Run files whose values somebody changed, the digest of constants included: always a clear word.

AMONTONS_DAMAGED=1 pytest tests/adversarial/test_crafted_runs.py   # every change, not some
"""

import contextlib
import json
import os
import shutil

import h5py
import numpy as np
import pytest

import amontons as am
from amontons import plots
from amontons.results import Recorder, Results
from amontons.results.exports import EXPORTS
from amontons.results.layout import RUN_FILE
from amontons.results.truncation import cut_back
from amontons.viewer.packing import Packing
from amontons.viewer.page import page_text
from amontons.viewer.pictures import Look, Painter
from amontons.viewer.pictures.video import moments
from helpers.recordings import downgraded, edited

ODD = [np.nan, np.inf, -np.inf, -1.0, 1e300, 0.0]


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """Files of one run, by their version."""
    folder = tmp_path_factory.mktemp("sound")
    world = am.World()
    world.add_body(am.Plane(), fixed=True, name="floor")
    for i in range(3):
        world.add_body(am.Sphere(0.1), mass=1.0, position=(0.25 * i, 0, 0.11 + 0.02 * i))
    world.add_body(am.Box((0.2, 0.2, 0.2)), mass=2.0, position=(0, 0, 5), velocity=(90, 0, 0))
    sim = am.Simulation(world, step=5e-3)
    with Recorder(sim, folder / "run", rate=100.0, contacts=True) as recorder:
        sim.run(0.05, on_step=recorder)
    files = {3: folder / "run" / RUN_FILE, 2: folder / "older.h5"}
    shutil.copy(files[3], files[2])
    downgraded(files[2])
    return files


def use(path):
    """Everything that amontons makes of a run; errors of its own are answers."""
    folder = path.parent
    with contextlib.suppress(am.AmontonsError), Results(path) as results:
        repr(results)
        for task in (
            lambda results: [*results],
            lambda results: [results.readings(name) for name in results.columns],
            lambda results: (results.totals(), results.note_summaries),
            lambda results: page_text(Packing(results)),
            lambda results: Painter(results, Look(size=(32, 24), smooth=1)).picture(0),
            lambda results: moments(results, 30.0, 1.0),
            lambda results: plots.energy(results).savefig(folder / "energy.png"),
            plots.forces,
            *(
                lambda results, write=write: write(results, folder, range(results.frames))
                for write in EXPORTS.values()
            ),
        ):
            with contextlib.suppress(am.AmontonsError), np.errstate(all="ignore"):
                task(results)
    with contextlib.suppress(am.AmontonsError):
        cut_back(path, 5, {}).close()


def put(name, value, where=(0,)):
    """A change of one number."""

    def change(file, about):
        file[name][where] = value

    return change


def replaced(name, data, **options):
    """A change of a whole array."""

    def change(file, about):
        attributes = dict(file[name].attrs) if name in file else {}
        with contextlib.suppress(KeyError):
            del file[name]
        if data is not None:
            made = file.create_dataset(name, data=data, **options)
            made.attrs.update(attributes)

    return change


def stated(name, value):
    """A change of an attribute of the file."""

    def change(file, about):
        file.attrs[name] = value

    return change


def told(**more):
    """A change of what is said about the run."""
    return lambda file, about: about.update(more)


CHANGES = {
    **{f"position {odd}": put("frames/position", odd, (1, 2, 0)) for odd in ODD},
    **{f"orientation {odd}": put("frames/orientation", odd, (1, 2)) for odd in (*ODD, 3.0)},
    **{f"twist {odd}": put("frames/twist", odd, (1, 2)) for odd in (np.nan, 1e38)},
    **{f"time {odd}": put("frames/time", odd, (2,)) for odd in ODD},
    **{f"mass {odd}": put("bodies/mass", odd, (2,)) for odd in ODD},
    **{f"half {odd}": put("shapes/half", odd, (1,)) for odd in ODD},
    **{f"vertices {odd}": put("shapes/vertices", odd, (0,)) for odd in (*ODD, 1e38)},
    **{f"steps {odd}": put("steps", odd, (3,)) for odd in ODD},
    **{f"force {odd}": put("contacts/force", odd, (0,)) for odd in ODD},
    **{f"step {n}": put("frames/step", n, (1,)) for n in (-1, 2**62)},
    **{f"first {n}": put("frames/first_contact", n, (3,)) for n in (-1, 10**6, 2**62)},
    **{f"contacts {n}": put("frames/contacts", n, (3,)) for n in (-1, 10**6, 2**62)},
    **{f"came {n}": put("frames/first_added", n, (2,)) for n in (-1, -(2**40), 10**6, 2**62)},
    **{f"comers {n}": put("frames/added", n, (2,)) for n in (-1, 10**6, 2**62)},
    **{f"shape {n}": put("bodies/shape", n, (1,)) for n in (-1, 99)},
    **{f"id {n}": put("bodies/id", n, (1,)) for n in (-5, 0, 2**60)},
    **{f"touching {n}": put("contacts/bodies", n, (0,)) for n in (-1, 99)},
    **{f"corner {n}": put("shapes/triangles", n, (0,)) for n in (-1, 10**6)},
    **{f"start {n}": put("shapes/vertex_start", n, (1,)) for n in (-1, 10**6)},
    **{f"triangles {n}": put("shapes/triangle_start", n, (1,)) for n in (-1, 0, 10**6)},
    "kind": put("shapes/kind", b"\xff\xfe", (0,)),
    "all planes": put("shapes/kind", b"Plane", slice(None)),
    "name": put("bodies/name", b"\xff[/x]<!--<script>", (1,)),
    **{f"rate {odd}": stated("rate", odd) for odd in (*ODD, "x", [1.0, 2.0])},
    **{f"version {odd}": stated("version", odd) for odd in (0, 9, -1, np.nan, "3", [3])},
    "format": stated("format", 7),
    "amontons": stated("amontons", np.arange(3)),
    "about text": lambda file, about: file.attrs.__setitem__("about", "{" * 5000),
    "scene 7": told(scene=7),
    "scene a list": told(scene=["x"]),
    "no time": replaced("frames/time", None),
    "no steps": replaced("steps", None),
    "no bodies": replaced("bodies", None),
    "no notes": replaced("notes", None),
    "no checks": replaced("frames/check", None),
    "no position": replaced("frames/position", None),
    "a group for an array": lambda file, about: (file.pop("frames/twist"),
                                                 file.create_group("frames/twist")),
    "an array for a group": lambda file, about: (file.pop("frames"),
                                                 file.create_dataset("frames", data=[1.0])),
    "text for numbers": replaced("bodies/mass", np.array([b"x"] * 5)),
    "numbers for text": replaced("bodies/name", np.arange(5)),
    "whole numbers": replaced("frames/time", np.arange(6), chunks=(6,), maxshape=(None,)),
    "flat positions": replaced("frames/position", np.zeros((6, 15)), chunks=True),
    "not growing": replaced("frames/time", np.arange(6.0)),
    "shorter": replaced("frames/twist", np.zeros((2, 5, 6), np.float32), chunks=(1, 5, 6)),
    "empty": replaced("steps", h5py.Empty("f8")),
    "a scalar": replaced("frames/time", 3.0),
    "other notes": replaced("notes", np.zeros(3, dtype=[("step", "S3"), ("time", "f4")])),
    "huge": lambda file, about: (file.pop("frames/time"), file.create_dataset(
        "frames/time", (10**12,), "f8", chunks=(10**6,), maxshape=(None,))),
    "huge bodies": lambda file, about: (file.pop("bodies/mass"), file.create_dataset(
        "bodies/mass", (10**11,), "f8", chunks=(10**6,))),
    "huge chunk": lambda file, about: (file.pop("frames/step"), file.create_dataset(
        "frames/step", (6,), "i8", chunks=(5 * 10**8,), maxshape=(None,))),
    "columns": lambda file, about: file["steps"].attrs.__setitem__("columns", "number,number"),
    "columns 7": lambda file, about: file["steps"].attrs.__setitem__("columns", 7),
    "unknown column": lambda file, about: file["steps"].attrs.__setitem__(
        "columns", _text(file["steps"].attrs["columns"]).replace("residual", "luck")),
}  # fmt: skip


def _text(value):
    return value.decode() if isinstance(value, bytes) else value


TRIED = [
    (name, version)
    for version in (3, 2)
    for i, name in enumerate(CHANGES)
    if "AMONTONS_DAMAGED" in os.environ or i % 9 == version
]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::UserWarning")
@pytest.mark.parametrize(("change", "version"), TRIED)
def test_a_changed_value_is_used_or_refused_in_a_paragraph(sound, tmp_path, version, change):
    path = tmp_path / RUN_FILE
    shutil.copy(sound[version], path)
    with contextlib.suppress(KeyError, AttributeError, MemoryError):  # of who stamps it
        edited(path, CHANGES[change])
    use(path)


@pytest.mark.parametrize("name", ["position", "time", "steps", "force"])
def test_a_changed_number_is_never_handed_out(sound, tmp_path, name):
    """In place, where neither HDF5's checksums nor zlib's would tell."""
    path = tmp_path / RUN_FILE
    shutil.copy(sound[3], path)
    where = {"steps": "steps", "force": "contacts/force"}.get(name, f"frames/{name}")
    with h5py.File(path, "r+") as file:
        file[where][-1] = file[where][-2]
        file["contacts/force"][: len(file["contacts/force"])] += name == "force"
    with Results(path) as results, pytest.raises(am.FileFormatError, match="its checksum"):
        {
            "position": lambda: results.position[-1],
            "time": lambda: results.time,
            "steps": lambda: results.readings("kinetic_energy"),
            "force": lambda: [results.contacts(i) for i in range(results.frames)],
        }[name]()


def test_attributes_have_a_checksum(sound, tmp_path):
    path = tmp_path / RUN_FILE
    shutil.copy(sound[3], path)
    with h5py.File(path, "r+") as file:
        file.attrs["about"] = json.dumps({"scene": "another"})
    with pytest.raises(am.FileFormatError, match="attributes do not match their checksum"):
        Results(path)
