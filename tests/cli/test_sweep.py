"""`amontons sweep`, and `amontons plot` of a sweep."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

import amontons as am
from amontons.sweeps.outcomes import read_log
from helpers.command_line import run, said

SMALL = ("--set", "balls=3", "--set", "height=0.02", "--set", "time=0.02", "--set", "step=2e-3")


def refused(result, *words):
    """Assert that a result is a usage error of one paragraph which says all of `words`."""
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert len(said(result.stderr)) == 1, result.stderr
    for word in words:
        assert str(word) in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("drum",), ("nothing is to be varied", "--set")),
        (("drum", "--set", "fric=1,2"), ("no parameter 'fric'", "friction")),
        (("drum", "--set", "friction=0.8:0.1"), ("friction=0.8:0.1", "say how many")),
        (("drum", "--set", "seed=9:0"), ("empty range",)),
        (("drum", "--set", "seed="), ("seed has no values",)),
        (("drum", "--set", "friction=-1,1"), ("friction is -1", "0 to 100")),
        (("drum", "--set", "friction=slippery"), ("friction", "a number", "slippery")),
        (("drum", "--set", "friction"), ("--set takes NAME=VALUES",)),
        (("drum", "--set", "seed=1", "--set", "seed=2"), ("--set seed is given twice",)),
        (("drum", "--set", "seed=1", "--jobs", "0"), ("jobs",)),
        (("drum", "--set", "seed=1", "--jobs", "2", "--dask", "tcp://x"), ("jobs", "cluster")),
        (("drum", "--set", "seed=1", "--frames", "0"), ("--frames",)),
        (("drum", "--set", "solver=magic"), ("unknown solver 'magic'",)),
        (("trommel", "--set", "seed=1"), ("no scene 'trommel'",)),
        (("none.yaml", "--set", "run.step=1e-3"), ("none.yaml", "does not exist")),
    ],
)
def test_bad_input(given, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    refused(run("sweep", *given), *words)
    assert list(tmp_path.iterdir()) == []


def test_folders_of_something_else(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    refused(run("sweep", "drum", "--set", "seed=0:1", "--out", tmp_path), "holds notes.txt")
    refused(run("sweep", tmp_path), "holds no sweep")
    refused(run("plot", tmp_path, "--over", "friction"), "--over", "are for sweeps")
    assert [each.name for each in tmp_path.iterdir()] == ["notes.txt"]


def test_dask_is_missing(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    given = ("sweep", "drum", "--set", "seed=0:1", "--out", tmp_path / "s")
    refused(run(*given), "needs distributed", "pip install 'amontons[sweep]'")
    assert not (tmp_path / "s").exists()


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    """A sweep of four runs, done in threads of this process."""
    distributed = pytest.importorskip("distributed")
    folder = tmp_path_factory.mktemp("swept") / "s"
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address="127.0.0.1:0",
        silence_logs="ERROR",
    ) as cluster:  # fmt: skip
        result = run(
            "sweep", "bouncing_balls", *SMALL, "--set", "friction=0.1,0.4", "--set", "seed=0:1",
            "--dask", cluster.scheduler_address, "--out", folder,
        )  # fmt: skip
    return folder, result


def test_a_sweep_says_what_came_of_it(swept):
    folder, result = swept
    assert result.exit_code == 0, result.output
    assert "4 of 4 runs done" in result.stdout
    again = run("sweep", folder)
    assert again.exit_code == 0
    assert again.stdout == result.stdout
    told = json.loads(run("sweep", folder, "--json").stdout)
    assert [row["friction"] for row in told["table"]] == [0.1, 0.1, 0.4, 0.4]
    assert told["missing"] == []
    assert told["failed"] == {}


@pytest.mark.slow
def test_runs_of_a_sweep_are_runs(swept):
    folder, _ = swept
    assert run("plot", folder / "run-00002").exit_code == 0
    assert run("view", folder / "run-00002", "--no-open").exit_code == 0
    longer = run("resume", folder / "run-00003", "--time", "0.03", "--json")
    assert json.loads(longer.stdout)["time"] == pytest.approx(0.03)


def test_a_sweep_is_plotted_over_a_parameter(swept, tmp_path):
    folder, _ = swept
    result = run("plot", folder, "--over", "friction", "--result", "contacts", "--by", "seed",
                 "--out", tmp_path, "--format", "svg")  # fmt: skip
    assert result.exit_code == 0, result.output
    assert (tmp_path / "sweep.svg").stat().st_size > 1000
    refused(run("plot", folder, "--over", "colour"), "'colour' is not varied", "friction")
    refused(run("plot", folder, "--result", "status"), "'status' is not a column of numbers")
    from amontons import plots

    figure = plots.over(am.Sweep(folder))
    assert [ax.get_xlabel() for ax in figure.axes] == ["friction"] * 3
    table = am.Sweep(folder).table
    line = figure.axes[0].containers[0].lines[0]
    expected = table.groupby("friction").mean_height.mean()
    assert list(line.get_xdata()) == [0.1, 0.4]
    assert list(line.get_ydata()) == list(expected)


@pytest.mark.slow
def test_ctrl_c_leaves_a_sweep_that_goes_on(tmp_path):
    """SIGINT to the sweep alone; its workers checkpoint what they do, and the rest is missing."""
    command = [sys.executable, "-m", "amontons", "sweep", "bouncing_balls", *SMALL[:4],
               "--set", "time=0.2", "--set", "step=1e-3", "--set", "seed=0:7", "--jobs", "1",
               "--out", "s"]  # fmt: skip
    started = subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    while not list(tmp_path.glob("s/run-*/outcome.json")) and started.poll() is None:
        time.sleep(0.02)
    os.kill(started.pid, signal.SIGINT)
    told = started.communicate(timeout=200)
    assert started.returncode == 130, told
    missing = am.Sweep(tmp_path / "s").missing
    assert missing
    assert f"{len(missing)} of 8 runs are missing; the same command goes on" in told[1]
    again = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, timeout=200, check=False
    )
    assert again.returncode == 0, again.stderr
    assert am.Sweep(tmp_path / "s").missing == ()
    for folder in (tmp_path / "s").glob("run-*"):
        ends = [line for line in read_log(folder) if line["event"] == "end"]
        assert [line["status"] for line in ends].count("done") == 1
