"""The command line, on small problems of its own and on real ones where they are at hand."""

import json

import numpy as np
import pytest

import amontons as am
from amontons import _jit
from amontons.cli.output import seconds
from amontons.cli.settings import SOLVER_NAMES
from amontons.solvers import SOLVERS
from helpers.command_line import chain, contacts, python, run, said
from helpers.stored_problems import own, reference, shared


@pytest.fixture
def problem_file(tmp_path):
    path = tmp_path / "small.npz"
    contacts().save(path)
    return path


@pytest.fixture
def slow_file(tmp_path):
    path = tmp_path / "slow.npz"
    chain(4000, 1).save(path)
    return path


# -- the application ------------------------------------------------------------------------------


@pytest.mark.slow
def test_help_and_version_load_nothing_heavy():
    script = """
import sys
from amontons.cli import main
for arguments in (["--help"], ["solve", "--help"], ["compare", "-h"], ["--version"]):
    try:
        main(arguments)
    except SystemExit as end:
        assert not end.code
heavy = {"numba", "numpy", "scipy", "h5py", "matplotlib"} & set(sys.modules)
assert not heavy, heavy
"""
    result = python(script)
    assert result.returncode == 0, result.stderr
    assert f"amontons {am.__version__}" in result.stdout
    assert "compare" in result.stdout


def test_help_names_every_solver():
    assert all(name in SOLVER_NAMES for name in SOLVERS)


def test_without_arguments_help_is_shown():
    assert "Usage" in run().output


# -- solve ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("solver", ["apgd", "spectral-gradient", "gauss-seidel", "jacobi"])
def test_solve_tells_all(problem_file, solver):
    result = run("solve", problem_file, "--solver", solver, "--tolerance", "1e-6")
    assert result.exit_code == 0, result.output
    assert said(result.stderr) == []
    for word in ("contacts-1", "12 rows", "4 × coulomb", solver, "converged", "iterations"):
        assert word in result.stdout
    for measure in ("scaled", "paper1", "paper3", "complementarity", "objective"):
        assert measure in result.stdout


def test_solve_json_is_one_object(problem_file):
    result = run("solve", problem_file, "--json", "--measure", "paper3", "--exact")
    assert result.exit_code == 0
    report = json.loads(result.stdout)
    expected = am.ExactCoulomb(tolerance=1e-8, measure="paper3").solve(contacts())
    assert report["file"] == str(problem_file)
    assert report["name"] == "contacts-1"
    assert (report["rows"], report["blocks"]) == (12, 4)
    assert (report["solver"], report["exact"]) == ("apgd", True)
    assert (report["status"], report["converged"]) == ("converged", True)
    assert report["measure"] == "paper3"
    assert report["residual"] == report["residuals"]["paper3"] == expected.residual
    assert report["iterations"] == expected.iterations
    assert report["objective"] == expected.objective
    assert report["time"] > 0


def test_solve_that_does_not_converge_exits_with_1(problem_file):
    result = run("solve", problem_file, "--max-iterations", "2", "--json")
    assert result.exit_code == 1
    report = json.loads(result.stdout)
    assert (report["status"], report["iterations"]) == ("iteration limit", 2)
    assert not report["converged"]


def test_time_limit(slow_file):
    result = run(*("solve", slow_file, "-s", "jacobi", "-n", 10**9, "--time-limit", 0.2, "--json"))
    assert result.exit_code == 1
    report = json.loads(result.stdout)
    assert report["status"] == "time limit"
    assert 0.2 <= report["time"] < 5.0


def test_quiet_prints_nothing(problem_file):
    result = run("solve", problem_file, "--quiet")
    assert (result.exit_code, result.output) == (0, "")
    assert _jit.announcer.quiet
    run("solve", problem_file)
    assert not _jit.announcer.quiet


def test_out_and_guess_lead_back_to_the_solution(problem_file, tmp_path):
    out = tmp_path / "solution.npz"
    assert run("solve", problem_file, "--out", out, "-q").exit_code == 0
    expected = am.APGD(tolerance=1e-8).solve(contacts())
    with np.load(out, allow_pickle=False) as entries:
        np.testing.assert_array_equal(entries["impulses"], expected.impulses)
        np.testing.assert_array_equal(entries["velocities"], expected.velocities)
        assert entries["status"] == "converged"
        assert entries["residual_scaled"] == expected.residuals.scaled
        np.save(tmp_path / "impulses.npy", entries["impulses"])
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".")] == []
    for guess in (out, tmp_path / "impulses.npy"):
        result = run("solve", problem_file, "--guess", guess, "--json")
        assert result.exit_code == 0
        assert json.loads(result.stdout)["iterations"] == 0


def test_a_warning_is_one_tidy_line(tmp_path):
    W = np.eye(3) + 0.01 * np.triu(np.ones((3, 3)), 1)
    path = tmp_path / "skew.npz"
    with pytest.warns(am.ProblemWarning):
        am.ConeProblem.from_matrix(W, [-1.0, 0.1, 0.0], friction=0.5).save(path)
    result = run("solve", path, "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["converged"]
    (line,) = said(result.stderr)
    assert line.startswith("warning: skew.npz: W is not symmetric")


def test_an_empty_problem_is_solved(tmp_path):
    path = tmp_path / "empty.npz"
    am.ConeProblem.from_matrix(np.zeros((0, 0)), [], friction=[]).save(path)
    result = run("solve", path, "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["rows"] == 0


def test_threads(problem_file):
    before = _jit.get_threads()
    try:
        assert run("solve", problem_file, "--threads", 1, "-q").exit_code == 0
        assert _jit.get_threads() == 1
    finally:
        _jit.set_threads(before)


@pytest.mark.slow
def test_real_problems_of_each_kind():
    for path in own() + shared(("Rover3865", "GFC3D_Example1", "RFC3D_cube_1")):
        result = run("solve", path, "--json")
        assert result.exit_code == 0, result.output
        expected = float(reference(path)["ccp_objective"])
        assert json.loads(result.stdout)["objective"] == pytest.approx(expected, rel=1e-7)


# -- compare --------------------------------------------------------------------------------------


@pytest.mark.slow
def test_compare_on_one_problem(problem_file, tmp_path):
    plot = tmp_path / "plot.png"
    solvers = "apgd,jacobi,conjugate-gradient"
    result = run("compare", problem_file, "--solvers", solvers, "-t", 1e-6, "--plot", plot)
    assert result.exit_code == 0, result.output
    for word in ("small", "apgd", "jacobi", "converged", "not applicable", "scaled error"):
        assert word in result.stdout
    assert plot.read_bytes().startswith(b"\x89PNG")


def test_compare_on_several_problems(tmp_path):
    for seed in range(3):
        contacts(seed=seed).save(tmp_path / f"p{seed}.npz")
    plot = tmp_path / "profile.svg"
    result = run("compare", tmp_path, "--plot", plot, "--json", "--exact")
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    assert [r["problem"] for r in report["runs"][::3]] == ["p0", "p1", "p2"]
    assert {r["status"] for r in report["runs"]} == {"converged"}
    assert [r["solved"] for r in report["totals"]] == [3, 3, 3]
    assert sum(r["fastest"] for r in report["totals"]) >= 3
    assert "<svg" in plot.read_text()
    table = run("compare", tmp_path).stdout
    assert "3 problems" in table
    assert "3 of 3" in table


def test_compare_goes_on_after_a_bad_file(problem_file, tmp_path):
    bad = tmp_path / "bad.npz"
    bad.write_text("no")
    result = run("compare", bad, problem_file, "--json", "-s", "apgd")
    assert result.exit_code == 2
    report = json.loads(result.stdout)
    assert report["unreadable"] == [str(bad)]
    assert [r["status"] for r in report["runs"]] == ["converged"]
    assert "bad.npz" in result.stderr


def test_unsolved_problems_count_as_such(problem_file):
    result = run("compare", problem_file, "-s", "apgd,conjugate-gradient", "-n", 1, "--json")
    report = json.loads(result.stdout)
    assert [r["status"] for r in report["runs"]] == ["iteration limit", "not applicable"]
    assert [r["solved"] for r in report["totals"]] == [0, 0]


@pytest.mark.parametrize(
    ("duration", "text"), [(0.0123, "12.3 ms"), (1.5, "1.5 s"), (125.0, "2 min 05 s")]
)
def test_durations(duration, text):
    assert seconds(duration) == text


def test_a_generated_problem_can_be_solved():
    result = run("solve", "packing:60,friction=0.3", "--tolerance", "1e-4", "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["blocks"] > 100


def test_a_bad_spec_is_bad_input():
    result = run("solve", "packing:sixty")
    assert result.exit_code == 2
    assert "packing" in result.stderr
