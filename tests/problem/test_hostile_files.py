"""Problem files that say what is not so: a wrong norm, a header of absurd shape."""

import io
import warnings
import zipfile

import numpy as np
import pytest

import amontons as am


def problem(**more):
    rng = np.random.default_rng(2)
    J = rng.normal(size=(6, 6))
    W = J @ J.T + np.eye(6)
    return am.ConeProblem.from_matrix(W, rng.normal(size=6) - 1.0, friction=0.4, **more)


def rewritten(path, **changes):
    entries = dict(np.load(path)) | changes
    np.savez(path, **entries)
    return path


@pytest.mark.parametrize("more", [{"lengths": [0.1, 0.2]}, {"cohesion": [0.3, 0.1]}])
@pytest.mark.parametrize("key", ["linear_norm", "objective_offset"])
@pytest.mark.parametrize("value", [1e30, -3.0])
def test_a_wrong_norm_in_a_file_is_found_out_and_computed(more, key, value, tmp_path):
    given = problem(**more)
    given.save(tmp_path / "p.npz")
    path = rewritten(tmp_path / "p.npz", **{key: np.array(value)})
    with pytest.warns(am.ProblemWarning, match=key):
        read = am.ConeProblem.load(path)
    assert getattr(read, key) == pytest.approx(getattr(given, key), rel=1e-12, abs=1e-12)
    solution = am.APGD(tolerance=1e-6).solve(read)
    assert solution.iterations > 0
    assert am.residuals(given, solution.impulses).scaled <= 1e-6


@pytest.mark.parametrize("more", [{"lengths": [0.1, 0.2]}, {"cohesion": [0.3, 0.1]}])
def test_a_right_norm_is_kept_to_the_last_bit(more, tmp_path):
    given = problem(**more)
    given.save(tmp_path / "p.npz")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read = am.ConeProblem.load(tmp_path / "p.npz")
    assert read.linear_norm == given.linear_norm
    assert read.objective_offset == given.objective_offset


def test_pointers_that_fall_by_more_than_32_bits_hold_are_found_out(tmp_path):
    """Their differences wrap around to positive numbers; scipy then read and wrote elsewhere."""
    problem().save(tmp_path / "p.npz")
    pointers = np.array([0, 6, 2**30, 2**31 - 1, -(2**31), -(2**30), 36], dtype=np.int32)
    path = rewritten(tmp_path / "p.npz", W_indptr=pointers)
    with pytest.raises(am.FileFormatError, match="pointers of W"):
        am.ConeProblem.load(path)


def test_an_entry_that_is_no_array_is_found_out(tmp_path):
    problem().save(tmp_path / "p.npz")
    out = io.BytesIO()
    with zipfile.ZipFile(tmp_path / "p.npz") as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            new.writestr(name, b"plain text" if name == "q.npy" else old.read(name))
    (tmp_path / "p.npz").write_bytes(out.getvalue())
    with pytest.raises(am.FileFormatError, match="'q' is damaged"):
        am.ConeProblem.load(tmp_path / "p.npz")


def with_header(path, shape, kind):
    """The archive with another shape and type in the header of `q`."""
    out = io.BytesIO()
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "q.npy":
                header = f"{{'descr': {kind}, 'fortran_order': False, 'shape': {shape}, }}\n"
                size = len(header).to_bytes(2, "little")
                content = b"\x93NUMPY\x01\x00" + size + header.encode() + bytes(48)
            new.writestr(name, content)
    path.write_bytes(out.getvalue())
    return path


@pytest.mark.parametrize(
    ("shape", "kind"),
    [
        ("(10000000000000,)", "'<f8'"),
        ("(99999999999999999999,)", "'<f8'"),
        ("(4294967296, 4294967296)", "'<f8'"),
        ("(-6,)", "'<f8'"),
        ("(True,)", "'<f8'"),
        ("(6.0,)", "'<f8'"),
        ("(6", "'<f8'"),
        ("(6,)", "'<U999999999'"),
        ("(6,)", "'O'"),
        ("(6,)", "[[[[[]]]]]"),
    ],
)
def test_absurd_headers_get_a_clear_error(shape, kind, tmp_path):
    problem().save(tmp_path / "p.npz")
    path = with_header(tmp_path / "p.npz", shape, kind)
    with pytest.raises(am.FileFormatError, match="'q'"):
        am.ConeProblem.load(path)
