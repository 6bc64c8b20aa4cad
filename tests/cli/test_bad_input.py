"""Bad input to the command line: exit code 2 and one paragraph that says what to do."""

import os
import stat

import numpy as np
import pytest

from amontons.cli.loading import expand, load_problem
from helpers.command_line import contacts, run, said


def one_paragraph(result, *words):
    """Assert that a result is a usage error which says all of `words`."""
    assert result.exit_code == 2, result.output
    assert isinstance(result.exception, SystemExit)
    assert result.stdout == ""
    assert len(said(result.stderr)) == 1, result.stderr
    for word in words:
        assert str(word) in result.stderr
    assert "Traceback" not in result.stderr


@pytest.fixture
def problem_file(tmp_path):
    path = tmp_path / "small.npz"
    contacts().save(path)
    return path


def test_a_missing_file(tmp_path):
    path = tmp_path / "nowhere" / "none.npz"
    one_paragraph(run("solve", path), path, "no such problem file", "does not exist")
    one_paragraph(run("compare", path), path, "no such problem file")


def test_a_text_file_called_npz(tmp_path):
    path = tmp_path / "text.npz"
    path.write_text("not a problem")
    one_paragraph(run("solve", path), path, "not a problem file")


def test_a_solution_is_no_problem(problem_file, tmp_path):
    run("solve", problem_file, "-o", tmp_path / "s.npz", "-q")
    one_paragraph(run("solve", tmp_path / "s.npz"), tmp_path / "s.npz")


def test_unknown_names(problem_file):
    one_paragraph(run("solve", problem_file, "-s", "newton"), "'newton'", "apgd", "jacobi")
    one_paragraph(run("compare", problem_file, "-s", "apgd,newton"), "'newton'", "apgd")
    one_paragraph(run("compare", problem_file, "-s", ","), "--solvers")
    one_paragraph(run("solve", problem_file, "--measure", "best"), "'best'", "scaled")


@pytest.mark.parametrize("value", ["0", "-1e-6", "nan", "inf"])
def test_bad_tolerances(problem_file, value):
    one_paragraph(run("solve", problem_file, "--tolerance", value), "--tolerance", "positive")


def test_values_that_are_no_numbers_are_usage_errors(problem_file):
    result = run("solve", problem_file, "--tolerance", "small")
    assert result.exit_code == 2
    assert "--tolerance" in result.stderr


@pytest.mark.parametrize("threads", [10_000, 0])
def test_bad_threads(problem_file, threads):
    one_paragraph(run("solve", problem_file, "--threads", threads), "threads", threads)


def test_bad_limits(problem_file):
    one_paragraph(run("solve", problem_file, "-n", "-3"), "max_iterations", "-3")
    one_paragraph(run("solve", problem_file, "--time-limit", "0"), "time_limit")


def test_a_solver_that_is_not_made_for_the_problem(problem_file):
    one_paragraph(run("solve", problem_file, "-s", "conjugate-gradient"), "bilateral")


def test_unwritable_targets(problem_file, tmp_path):
    gone = tmp_path / "gone" / "x"
    one_paragraph(run("solve", problem_file, "--out", f"{gone}.npz"), gone, "does not exist")
    one_paragraph(run("compare", problem_file, "--plot", f"{gone}.png"), gone, "does not exist")
    one_paragraph(run("solve", problem_file, "--out", tmp_path), tmp_path, "folder")
    one_paragraph(run("solve", problem_file, "--out", problem_file), "the result is made from it")
    one_paragraph(run("compare", problem_file, "--plot", tmp_path / "plot.doc"), ".png")
    assert load_problem(problem_file).rows == 12


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission(problem_file, tmp_path):
    folder = tmp_path / "locked"
    folder.mkdir()
    folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
    one_paragraph(run("solve", problem_file, "--out", folder / "s.npz"), "permission")


def test_bad_guesses(problem_file, tmp_path):
    np.save(tmp_path / "short.npy", np.zeros(5))
    np.savez(tmp_path / "other.npz", x=np.zeros(12))
    (tmp_path / "text.npy").write_text("zeros")
    one_paragraph(run("solve", problem_file, "--guess", tmp_path / "short.npy"), "12 entries")
    one_paragraph(run("solve", problem_file, "--guess", tmp_path / "other.npz"), "impulses", "x")
    one_paragraph(run("solve", problem_file, "--guess", tmp_path / "text.npy"), "text.npy")
    one_paragraph(run("solve", problem_file, "--guess", tmp_path / "no.npy"), "no.npy")


def test_folders_and_patterns(tmp_path):
    one_paragraph(run("compare", tmp_path), tmp_path, "folder without problems")
    one_paragraph(run("compare", tmp_path / "*.npz"), "no file matches")
    for name in ("b.npz", "a.npz", "c.hdf5", "d.txt"):
        (tmp_path / name).touch()
    every = [tmp_path / name for name in ("a.npz", "b.npz", "c.hdf5")]
    assert expand([tmp_path]) == every
    assert expand([tmp_path / "b.npz", tmp_path]) == [every[1], every[0], every[2]]
    assert expand([tmp_path / "[ab].*"]) == every[:2]
