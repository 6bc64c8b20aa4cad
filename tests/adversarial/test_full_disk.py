"""A disk that is really full: a small file system of its own, where that can be mounted."""

import os
import subprocess
import sys

import pytest

import amontons as am
from amontons.results import Recorder, Results

pytestmark = pytest.mark.slow


@pytest.fixture
def disk(tmp_path):
    """A file system of 4 MiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(folder)]
    try:
        mounted = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as reason:
        pytest.skip(f"no file system can be mounted here: {reason}")
    if mounted.returncode:
        pytest.skip(f"no file system can be mounted here: {mounted.stderr.strip()}")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def fill(folder, left=0):
    """Leave so many bytes of a disk; returns the file that takes up the rest."""
    space = os.statvfs(folder)
    free = space.f_bavail * space.f_frsize
    (folder / "filler").write_bytes(bytes(max(0, free - left)))
    assert os.statvfs(folder).f_bavail * space.f_frsize <= left
    return folder / "filler"


def simulation():
    world = am.World()
    world.add_body(am.Plane(), fixed=True)
    for i in range(20):
        world.add_body(am.Sphere(0.1), mass=1.0, position=(0.3 * i, 0, 0.2))
    return am.Simulation(world, step=5e-3)


def test_a_run_keeps_what_it_had_written_and_goes_on_once_there_is_room(disk):
    sim = simulation()
    recorder = Recorder(sim, disk / "run", rate=200.0)
    sim.run(0.1, on_step=recorder)
    recorder.checkpoint()
    filler = fill(disk)
    with pytest.raises(am.OutputError, match=r"run\.h5: .*disk is full"):
        sim.run(20.0, on_step=recorder)
    recorder.abandon()
    with Results(disk / "run") as results:
        assert results.frames >= 20
        kept = [results[i].position for i in range(20)]
    filler.unlink()
    again = simulation()
    with Recorder(again, disk / "run", resume=True) as recorder:
        assert again.steps == 20
        again.run(0.05, on_step=recorder)
    with Results(disk / "run") as results:
        assert all((results[i].position == kept[i]).all() for i in range(20))


def test_a_checkpoint_that_does_not_fit_leaves_the_earlier_one(disk):
    sim = simulation()
    sim.save(disk / "state.npz")
    old = (disk / "state.npz").read_bytes()
    sim.step()
    fill(disk, left=4096)
    with pytest.raises(am.OutputError, match=r"state\.npz: No space left on device"):
        sim.save(disk / "state.npz")
    assert (disk / "state.npz").read_bytes() == old
    assert sorted(path.name for path in disk.iterdir()) == ["filler", "state.npz"]


def test_a_film_that_does_not_fit_leaves_the_earlier_one(disk, tmp_path):
    pytest.importorskip("imageio_ffmpeg")
    sim = simulation()
    with Recorder(sim, tmp_path / "run") as recorder:
        sim.run(0.2, on_step=recorder)
    film = disk / "run.mp4"
    film.write_text("an earlier film")
    fill(disk)
    command = [sys.executable, "-m", "amontons", "export", str(tmp_path / "run"), "-f", "mp4",
               "-o", str(disk), "--force"]  # fmt: skip
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 2, ended.stdout + ended.stderr
    assert "cannot write" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert film.read_text() == "an earlier film"
    assert sorted(path.name for path in disk.iterdir()) == ["filler", "run.mp4"]


def test_kernels_that_cannot_be_kept_are_compiled_all_the_same(disk):
    fill(disk)
    code = "import numpy as np, amontons as am; am.ConeProblem.from_matrix(np.eye(3), -np.ones(3), friction=0.5).sets.project(np.ones(3)); print('done')"  # noqa: E501
    environment = os.environ | {"AMONTONS_CACHE_DIR": str(disk / "kernels")}
    ended = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stdout) == (0, "done\n"), ended.stderr
    assert "Traceback" not in ended.stderr
    assert not list((disk / "kernels").rglob("*.nbc"))
