"""Devices, pipes and sockets where files are expected; names and outputs that are no plain text."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

import amontons as am
from amontons.results import begin, resume
from amontons.results.claim import FolderClaim
from amontons.results.layout import CHECKPOINT, LOCK_FILE, RUN_FILE
from amontons.scenes import BouncingBalls
from amontons.storage.writing import replacing, take_place
from helpers.command_line import run

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs pipes with names")


@pytest.fixture
def recorded(tmp_path):
    made = begin(BouncingBalls(2, height=0.02), tmp_path / "run")
    with made.recorder:
        made.simulation.run(0.02, on_step=made.recorder)
    return tmp_path / "run"


def pipe(path):
    os.mkfifo(path)
    return path


def bound(path):
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(path))
    server.close()
    return path


@pytest.mark.parametrize("make", [pipe, bound])
def test_nothing_takes_the_place_of_a_device(tmp_path, make, monkeypatch):
    """Root could otherwise replace `/dev/null` by a file, for the whole machine."""
    monkeypatch.chdir(tmp_path)  # names of sockets are short
    odd = make(Path("odd"))
    before = odd.lstat()
    with pytest.raises(am.OutputError, match="a device, a pipe or a socket"), replacing(odd) as out:
        out.write(b"x")
    (tmp_path / "fresh").write_text("x")
    with pytest.raises(OSError, match="a device, a pipe or a socket"):
        take_place(tmp_path / "fresh", odd)
    assert odd.lstat() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["fresh", "odd"]


@pytest.mark.parametrize("command", ["view", "scenes", "export", "film"])
def test_commands_leave_devices_alone_even_by_force(recorded, tmp_path, command):
    out = tmp_path / "out"
    out.mkdir()
    name, arguments = {
        "view": ("page", ("view", recorded, "--no-open", "--out", out / "page")),
        "scenes": ("s.yaml", ("scenes", "bouncing_balls", "--file", out / "s.yaml")),
        "export": ("bodies.csv", ("export", recorded, "-f", "csv", "--out", out)),
        "film": ("run.mp4", ("export", recorded, "-f", "mp4", "--out", out)),
    }[command]
    before = pipe(out / name).lstat()
    done = run(*arguments, "--force")
    assert done.exit_code == 2, done.output
    assert "a device, a pipe or a socket" in done.stderr
    assert (out / name).lstat() == before
    assert [path.name for path in out.iterdir()] == [name]


def test_what_reads_a_pipe_does_not_wait_for_ever(recorded, tmp_path):
    for name in ("p.npz", "p.h5", "p.hdf5"):
        done = run("solve", pipe(tmp_path / name))
        assert done.exit_code == 2
        assert (
            f"{name} is a device, a pipe or a socket, not a file; expected a problem file"
            in done.stderr
        )
    for name in ("s.yaml", "s.toml", "r.urdf"):
        done = run("run", pipe(tmp_path / name))
        assert (done.exit_code, "not a file" in done.stderr) == (2, True), done.stderr
    (recorded / CHECKPOINT).unlink()
    pipe(recorded / CHECKPOINT)
    with pytest.raises(am.FileFormatError, match="expected a checkpoint file"):
        resume(recorded, time=0.1)


@pytest.mark.parametrize("name", [LOCK_FILE, f".{RUN_FILE}.new"])
def test_links_in_a_folder_from_elsewhere_lead_to_no_file_of_mine(recorded, tmp_path, name):
    """A lock is signed, and a run that goes on is written anew: not through a link."""
    mine = tmp_path / "mine"
    mine.write_text("mine")
    (recorded / name).symlink_to(mine)
    if name == LOCK_FILE:
        with pytest.raises(am.OutputError, match=r"\.run\.lock is a link; delete it"):
            resume(recorded, time=0.03)
    else:
        resume(recorded, time=0.03).recorder.close()
        assert not (recorded / name).exists()
    assert mine.read_text() == "mine"


@pytest.mark.parametrize("make", [pipe, bound, Path.mkdir])
def test_a_lock_that_is_no_file_is_refused(tmp_path, make, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("r").mkdir()
    make(Path("r") / LOCK_FILE)
    with pytest.raises(am.OutputError, match="cannot write in r"):
        FolderClaim(Path("r"))


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["ascii", "utf-8:strict"])
def test_what_an_output_cannot_show_is_spelled_out(tmp_path, encoding):
    """An arrow where there is ASCII alone, and a folder whose name is no text."""
    folder = os.fsencode(tmp_path / "run-") + b"\xff"
    command = [sys.executable, "-m", "amontons", "run", "bouncing_balls", "--bodies", "2",
               "--time", "0.01", "--out", folder]  # fmt: skip
    environment = os.environ | {"PYTHONIOENCODING": encoding}
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert b"run-\\udcff" in done.stdout
    assert (b"\\u2192" in done.stdout) == (encoding == "ascii")
