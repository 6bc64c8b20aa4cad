"""Run files that lead elsewhere: no other file of the reader is opened, let alone shown."""

import shutil

import h5py
import numpy as np
import pytest

import amontons as am
from amontons.results import Recorder, Results
from amontons.results.layout import RUN_FILE
from amontons.storage.superblock import SIZE, Superblock, lookup3
from amontons.viewer import view


@pytest.fixture
def run(tmp_path):
    world = am.World()
    world.add_body(am.Sphere(0.1), mass=1.0, name="<!--<script>")
    with Recorder(am.Simulation(world, step=1e-3), tmp_path / "run"):
        pass
    (tmp_path / "secret").write_bytes(b"secret-secret-secret-secret-secret")
    with h5py.File(tmp_path / "other.h5", "w") as other:
        other["x"] = np.frombuffer(b"secret-secret-secret-secret-secret"[:32], "S32")
    return tmp_path / "run" / RUN_FILE


def external(file, secret):
    file.create_dataset("bodies/name", (1,), "S32", external=[(str(secret), 0, 32)])


def virtual(file, secret):
    layout = h5py.VirtualLayout((1,), "S32")
    layout[:] = h5py.VirtualSource(str(secret.with_name("other.h5")), "x", (1,))
    file.create_virtual_dataset("bodies/name", layout)


def linked(file, secret):
    file["bodies/name"] = h5py.ExternalLink(str(secret.with_name("other.h5")), "/x")


def soft(file, secret):
    file["bodies/name"] = h5py.SoftLink("/shapes/kind")


@pytest.mark.parametrize("how", [external, virtual, linked, soft])
def test_what_is_elsewhere_is_not_shown(run, tmp_path, how):
    with h5py.File(run, "r+", libver="latest") as file:
        del file["bodies/name"]
        how(file, tmp_path / "secret")
    words = "another file" if how is not soft else "is a link"
    with pytest.raises(am.FileFormatError, match=words):
        Results(run)
    with pytest.raises(am.FileFormatError, match=words):
        view(run.parent)


def test_names_cannot_end_the_data_of_a_page(run):
    page = view(run.parent).html
    data = page[page.index('type="application/json">') :]
    assert "<" not in data[len('type="application/json">') : data.index("</script>")]


def test_hdf5_agrees_on_the_first_block(run):
    head = run.read_bytes()[:SIZE]
    assert lookup3(head[:-4]) == int.from_bytes(head[-4:], "little")
    block = Superblock.parse(head)
    assert not block.growing
    assert block.settled(run.stat().st_size) == head


@pytest.mark.parametrize("size", [0, 1, 7, 8, 40, 47, 48, 200])
def test_a_file_that_was_cut_short_is_refused(run, size):
    run.write_bytes(run.read_bytes()[:size])
    with pytest.raises(am.FileFormatError, match=r"run\.h5 cannot be read as a run"):
        Results(run)


def test_a_damaged_file_that_says_it_is_being_written_is_refused_at_once(run, tmp_path):
    """HDF5's own reader of growing files would look again for years."""
    content = bytearray(run.read_bytes())
    content[11] = 5
    content[44:48] = lookup3(bytes(content[:44])).to_bytes(4, "little")
    sound = tmp_path / "sound.h5"
    sound.write_bytes(content)
    Results(sound).close()
    content[48 + 20] ^= 1  # the root group
    run.write_bytes(content)
    with pytest.raises(am.FileFormatError, match="cannot be read"):
        Results(run)


def test_a_run_that_was_copied_while_it_grew_can_be_read(tmp_path):
    world = am.World()
    world.add_body(am.Sphere(0.1), mass=1.0)
    sim = am.Simulation(world, step=1e-2)
    with Recorder(sim, tmp_path / "run", rate=100.0) as recorder:
        sim.run(0.1, on_step=recorder)
        shutil.copy(tmp_path / "run" / RUN_FILE, tmp_path / "copy.h5")
    with Results(tmp_path / "copy.h5") as results:
        assert results.frames == 11
