import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from amontons.errors import InputError
from amontons.scenes import Drum, Scene
from amontons.sweeps.points import points_of
from amontons.sweeps.ranges import as_word, read_values
from amontons.sweeps.subjects import FunctionSubject, SceneSubject, subject_of


def numbers(text):
    return read_values("x", text, float)


def test_texts_of_values():
    assert numbers("0.1:0.8:8") == [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]
    assert read_values("n", "-1:2", int) == [-1, 0, 1, 2]
    assert numbers("3,1,2") == [3, 1, 2]
    assert numbers("1e-4:1:5:log") == [1e-4, 1e-3, 1e-2, 1e-1, 1.0]
    assert numbers("7,0:1,2:4:3") == [7, 0, 1, 2, 3, 4]
    assert numbers(" 5 ") == [5]
    rows = read_values("v", "1,2;3,4", lambda word: word.split(","), rows=True)
    assert rows == [["1", "2"], ["3", "4"]]
    assert [as_word(word) for word in ("3", "0.5", "true", "steel")] == [3, 0.5, True, "steel"]


@given(
    low=st.integers(-1000, 1000),
    steps=st.integers(1, 50),
    stride=st.sampled_from([0.001, 0.1, 0.25, 1.0, 7.0]),
)
def test_evenly_spaced_values(low, steps, stride):
    high = low + stride * steps
    found = numbers(f"{low}:{high!r}:{steps + 1}")
    assert len(found) == steps + 1
    assert found[0] == low
    assert math.isclose(found[-1], high, rel_tol=1e-11, abs_tol=1e-11)
    np.testing.assert_allclose(np.diff(found), stride, rtol=1e-6)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no values"),
        (",", "no values"),
        ("9:0", "empty range"),
        ("0.1:0.8", "give their number"),
        ("0:1:1", "empty range"),
        ("0:1:0", "empty range"),
        ("0:inf:3", "finite"),
        ("0:1:4:log", "positive"),
        ("1:2:4:cubic", "is not a range"),
        ("a:b:3", "is not a range"),
        ("1:2:3:log:5", "is not a range"),
        ("0:9999999", "a sweep has at most"),
        ("0:1:9999999", "a sweep has at most"),
    ],
)
def test_bad_texts(text, words):
    with pytest.raises(InputError, match=words):
        numbers(text)


def test_every_combination_in_order():
    drum = SceneSubject(Drum())
    points = points_of(drum, {"friction": "0.1:0.3:3", "seed": range(2)})
    assert points == [{"friction": mu, "seed": seed} for mu in (0.1, 0.2, 0.3) for seed in (0, 1)]
    assert points_of(drum, {"turns": np.float64(3.0)}) == [{"turns": 3.0}]
    listed = [{"friction": 0.1, "turns": 5}, {"friction": 0.2, "turns": 9}]
    assert points_of(drum, listed) == listed


@pytest.mark.parametrize(
    ("vary", "words"),
    [
        ({}, "nothing is to be varied"),
        ([], "nothing is to be varied"),
        ({"fric": [1]}, "no parameter 'fric'; it has balls"),
        ({"friction": []}, "no values"),
        ({"friction": [0.1, 0.1]}, "twice"),
        ({"friction": [0.1, math.nan]}, "finite"),
        ({"friction": [None]}, "numbers, texts"),
        ({"friction": object()}, "a list of values"),
        ({"seed": range(1000), "balls": range(1, 1000)}, "999000 runs"),
        ({"seed": "0:3:3"}, "whole number"),
        ([{"seed": 1}, {"friction": 0.2}], "same parameters"),
        ([{"seed": 1}, {"seed": 1}], "same as run 0"),
    ],
)
def test_bad_values(vary, words):
    with pytest.raises(InputError, match=words):
        points_of(SceneSubject(Drum()), vary)


def test_what_can_be_swept(tmp_path):
    assert subject_of("drum").name == "drum"
    assert subject_of(Drum(balls=3)).described(("seed",))["fixed"]["balls"] == 3
    assert subject_of(Drum).name == "drum"

    def heap(friction, seed=0):
        raise AssertionError("is not called before the run")

    function = subject_of(heap)
    assert isinstance(function, FunctionSubject)
    with pytest.raises(InputError, match=r"heap\(\) has no argument 'mu'; it has friction, seed"):
        function.check_name("mu")
    with pytest.raises(InputError, match="missing a required argument"):
        function.made({"seed": 1})
    assert isinstance(function.made({"friction": 1, "time": 2.0}), Scene)
    for wrong in (3, dict):
        with pytest.raises(InputError, match="a sweep takes"):
            subject_of(wrong)
    with pytest.raises(InputError, match="no scene 'drumm'"):
        subject_of("drumm")
    with pytest.raises(InputError, match="does not exist"):
        subject_of(tmp_path / "none.yaml")
