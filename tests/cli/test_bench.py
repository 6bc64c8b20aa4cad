"""`amontons bench`: every figure is there, positive, and what it says it is."""

import json

import pytest

from amontons.cli.measuring import fastest
from helpers.command_line import run


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    monkeypatch.setattr("amontons.cli.measuring.ENOUGH", 0.0)
    monkeypatch.setattr("amontons.cli.measuring.REPEATS", 1)


@pytest.mark.slow
def test_json_has_every_figure_and_the_machine():
    result = run("bench", "--bodies", "50", "--json")
    assert result.exit_code == 0, result.stderr
    report = json.loads(result.stdout)
    figures = {figure["name"]: figure for figure in report["figures"]}
    assert list(figures) == ["product", "iteration", "iterations", "detection", "step", "bodies"]
    assert all(figure["value"] > 0.0 for figure in figures.values())
    assert report["cores"] >= 1
    per_step = 1e3 * 50 / figures["step"]["value"]  # body steps per second, of ms
    assert figures["bodies"]["value"] == pytest.approx(per_step)


@pytest.mark.slow
def test_the_table_names_units():
    result = run("bench", "--bodies", "50")
    assert result.exit_code == 0
    for word in ("ns per contact", "ns per body", "ms", "packed_bed"):
        assert word in result.stdout


@pytest.mark.parametrize("bodies", ["0", "-5", "100000000"])
def test_sizes_that_make_no_sense(bodies):
    result = run("bench", "--bodies", bodies)
    assert result.exit_code == 2
    assert "--bodies must be" in result.stderr


def test_fastest_is_the_least_of_its_runs(monkeypatch):
    ticks = iter([0.0, 5.0, 10.0, 12.0, 20.0, 24.0])
    monkeypatch.setattr("amontons.cli.measuring.REPEATS", 3)
    monkeypatch.setattr("amontons.cli.measuring.time.perf_counter", lambda: next(ticks))
    assert fastest(lambda: None, enough=0.0) == 2.0
