"""Files: there whole or not at all, and read with a plain word on what is wrong."""

import os

import h5py
import numpy as np
import pytest

import amontons as am
from amontons.storage.archives import Archive
from amontons.storage.hdf5 import integer, opened_hdf5, vector
from amontons.storage.matrices import compressed
from amontons.storage.reading import naming, require_file
from amontons.storage.writing import remove_unfinished, replacing

# -- writing --------------------------------------------------------------------------------------


def test_a_file_takes_the_place_of_the_old_one_at_the_end(tmp_path):
    path = tmp_path / "file"
    path.write_text("old")
    with replacing(path) as stream:
        stream.write(b"new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.parametrize("reason", [ValueError("no"), KeyboardInterrupt()], ids=repr)
def test_what_breaks_off_leaves_the_old_file_and_nothing_else(tmp_path, reason):
    path = tmp_path / "file"
    path.write_text("old")

    def write():
        with replacing(path) as stream:
            stream.write(b"half")
            raise reason

    with pytest.raises(type(reason)):
        write()
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["file"]


def test_links_are_followed(tmp_path):
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    with replacing(tmp_path / "link") as stream:
        stream.write(b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


def test_failures_say_which_file_and_why(tmp_path):
    with (
        pytest.raises(am.OutputError, match=r"cannot write .*x: the folder .*away does not exist"),
        replacing(tmp_path / "away" / "x"),
    ):
        pass
    with pytest.raises(am.OutputError, match="it is a folder"), replacing(tmp_path):
        pass


def test_only_the_remains_of_that_file_are_removed(tmp_path):
    for name in (".run[1].dead.tmp", ".run[1]x", ".run1.dead.tmp", "run[1]"):
        (tmp_path / name).write_text("")
    remove_unfinished(tmp_path / "run[1]")
    assert sorted(os.listdir(tmp_path)) == [".run1.dead.tmp", ".run[1]x", "run[1]"]


# -- reading --------------------------------------------------------------------------------------


def test_what_is_no_file_is_told_apart(tmp_path):
    (tmp_path / "there").write_text("")
    require_file(tmp_path / "there", "scene")
    with pytest.raises(am.FileFormatError, match="is a folder; expected a scene file"):
        require_file(tmp_path, "scene")
    with pytest.raises(FileNotFoundError, match="no such scene file"):
        require_file(tmp_path / "gone", "scene")
    with pytest.raises(FileNotFoundError, match=r"the folder .*away does not exist"):
        require_file(tmp_path / "away" / "gone", "scene")


@pytest.mark.parametrize("kind", [am.FileFormatError, am.InputError])
def test_errors_get_the_name_of_the_file(tmp_path, kind):
    with (
        pytest.raises(am.FileFormatError, match=r"p\.npz: mu is wrong"),
        naming(tmp_path / "p.npz"),
    ):
        raise kind("mu is wrong")


@pytest.fixture
def archive(tmp_path):
    entries = {
        "count": np.array(3),
        "values": np.array([1.0, np.nan]),
        "name": np.array("x"),
        "pickle": np.array([{}], dtype=object),
    }
    np.savez(tmp_path / "a.npz", **entries)
    with np.load(tmp_path / "a.npz", allow_pickle=False) as file:
        yield Archive(file)


def test_entries_of_archives(archive):
    assert "count" in archive
    assert "counts" not in archive
    assert archive.integer("count") == 3
    assert archive.text("name").item() == "x"
    assert archive.floats("values", None).shape == archive.floats("values", 2).shape == (2,)


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda a: a.floats("mass", 2), "no 'mass'; .*found only: count, name, pickle, values"),
        (lambda a: a.floats("values", 3), r"'values' has shape \(2,\); expected \(3\)"),
        (lambda a: a.floats("values", None, 3), r"'values' has shape \(2,\); expected \(any, 3\)"),
        (lambda a: a.finite("values", 2), "'values' has an entry that is not a finite number"),
        (lambda a: a.integers("values", 2), "'values' holds float64; expected integers"),
        (lambda a: a.integer("count", least=4), "'count' is 3; expected at least 4"),
        (lambda a: a.floats("name"), "'name' holds <U1; expected real numbers"),
        (lambda a: a.floats("pickle", 1), "'pickle' is damaged, or a pickle, which is never"),
    ],
)
def test_entries_that_are_refused(archive, ask, said):
    with pytest.raises(am.FileFormatError, match=said):
        ask(archive)


DATA, INDICES, INDPTR = np.array([1.0, 2.0, 3.0]), np.array([0, 2, 1]), np.array([0, 2, 3])


@pytest.mark.parametrize("by_columns", [False, True])
def test_sparse_matrices(by_columns):
    expected = np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
    shape = (3, 2) if by_columns else (2, 3)
    found = compressed("W", DATA, INDICES, INDPTR, shape, by_columns=by_columns)
    assert found.format == ("csc" if by_columns else "csr")
    np.testing.assert_array_equal(found.toarray(), expected.T if by_columns else expected)


@pytest.mark.parametrize(
    ("indices", "indptr", "said"),
    [
        (INDICES, [0, 3], "W has 2 pointers; expected 3"),
        (INDICES, [1, 2, 3], "must begin with 0 and never fall"),
        (INDICES, [0, 3, 2], "must begin with 0 and never fall"),
        (INDICES, [0, 2, 4], "promise 4 entries, but there are 3 indices and 3 values"),
        ([0, 3, 1], INDPTR, "from 0 to 3; expected 0 to 2"),
        ([0, -1, 1], INDPTR, "from -1 to 1; expected 0 to 2"),
    ],
)
def test_sparse_matrices_that_reach_outside_are_refused(indices, indptr, said):
    with pytest.raises(am.FileFormatError, match=said):
        compressed("W", DATA, np.array(indices), np.array(indptr), (2, 3), by_columns=False)


def test_datasets_of_hdf5(tmp_path):
    with h5py.File(tmp_path / "f.h5", "w") as file:
        file["one"], file["two"], file["text"] = 7, [1, 2], "word"
    with opened_hdf5(tmp_path / "f.h5", "r") as file:
        assert integer(file, "one") == 7
        assert vector(file, "two", 2).tolist() == [1.0, 2.0]
        for ask, said in (
            (lambda: integer(file, "two"), "/two has 2 entries; expected one integer"),
            (lambda: vector(file, "two", 3), "/two has 2 entries; expected 3"),
            (lambda: integer(file, "gone"), "/ has no 'gone'; expected one integer"),
            (lambda: integer(file, "text"), "/text is .*; expected one integer"),
        ):
            with pytest.raises(am.FileFormatError, match=said):
                ask()


def test_what_is_not_hdf5_is_said_to_be_damaged(tmp_path):
    (tmp_path / "f.h5").write_bytes(b"no such thing")
    with (
        pytest.raises(am.FileFormatError, match="truncated or damaged, expected HDF5"),
        opened_hdf5(tmp_path / "f.h5", "r"),
    ):
        pass
