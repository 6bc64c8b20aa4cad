"""The registry of scenes: parameters are declared once, checked, parsed and repeatable."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import amontons as am
from amontons.scenes import SCENES, BouncingBalls, FourBar, Wall, find_scene
from amontons.solvers import SOLVERS
from helpers.paths import ROOT

NAMES = sorted(SCENES)


@pytest.mark.parametrize("name", NAMES)
def test_every_parameter_is_explained_and_its_default_is_allowed(name):
    kind = SCENES[name]
    assert kind.name == name
    assert kind.summary
    for each in kind.parameters():
        assert each.help, each.name
        assert each.check(each.default) == each.default
    assert kind.counted == "" or kind.counted in {each.name for each in kind.parameters()}
    assert kind.advice.solver in SOLVERS
    assert 0.0 < kind.advice.step < kind.advice.time


@pytest.mark.parametrize("name", NAMES)
def test_values_limits_and_kinds_are_checked(name):
    kind = SCENES[name]
    for each in kind.parameters():
        wrong = ["text", None, float("nan"), True]
        if np.isfinite(each.low):
            wrong.append(type(each.default)(each.low - 1) if np.isscalar(each.default) else None)
        for value in wrong:
            with pytest.raises(am.InputError, match=each.name):
                kind(**{each.name: value})


def test_find_scene_takes_hyphens_and_names_what_there_is():
    assert find_scene("bouncing-balls") is BouncingBalls
    with pytest.raises(am.InputError, match=r"no scene 'nothing'.*bouncing_balls"):
        find_scene("nothing")


def test_parsed_from_words():
    scene = Wall.parsed({"courses": "3", "brick": "0.2,0.1,0.1", "joint": "1e-3"})
    assert (scene.courses, scene.brick, scene.joint) == (3, (0.2, 0.1, 0.1), 1e-3)
    for words, complaint in (
        ({"course": "3"}, "no parameter 'course'; it has courses"),
        ({"courses": "3.5"}, "courses must be a whole number, got '3.5'"),
        ({"courses": "0"}, "courses is 0; it must be 1 to"),
        ({"joint": "wide"}, "joint must be a number, got 'wide'"),
        ({"brick": "1,2"}, "brick must be 3 numbers"),
        ({"brick": "a,b,c"}, "brick must be numbers separated by commas"),
    ):
        with pytest.raises(am.InputError, match=complaint):
            Wall.parsed(words)


@given(st.floats(0.1, 10.0), st.integers(1, 10_000))
def test_words_and_values_go_round(height, balls):
    scene = BouncingBalls(balls, height=height)
    again = BouncingBalls.parsed({name: repr(value) for name, value in scene.values().items()})
    assert again == scene


WORDS = st.one_of(
    st.text(max_size=12),
    st.integers().map(str),
    st.floats().map(repr),
    st.lists(st.floats(-1.0, 2.0).map(repr), max_size=4).map(",".join),
)


@pytest.mark.slow
@given(st.sampled_from(NAMES), st.data())
def test_any_word_is_a_good_value_or_an_input_error(name, data):
    kind = SCENES[name]
    each = data.draw(st.sampled_from(kind.parameters()))
    try:
        scene = kind.parsed({each.name: data.draw(WORDS)})
    except am.InputError:
        return
    value = np.array(getattr(scene, each.name))
    assert (each.low <= value).all()
    assert (value <= each.high).all()


def test_parameters_that_do_not_go_together():
    with pytest.raises(am.InputError, match=r"smallest is 0\.2, above largest"):
        BouncingBalls(smallest=0.2, largest=0.1)
    with pytest.raises(am.InputError, match="Grashof"):
        FourBar(crank=1.0, coupler=0.9, rocker=1.0, ground=1.0)
    with pytest.raises(am.InputError, match="touches the wall"):
        SCENES["wrecking_ball"](angle=1.0)


@pytest.mark.parametrize("name", NAMES)
def test_the_same_parameters_give_the_same_world(name):
    scene = SCENES[name]()
    first, second = scene.build(), scene.build()
    for column in first.bodies.columns.names:
        np.testing.assert_array_equal(
            first.bodies.columns[column], second.bodies.columns[column], err_msg=column
        )


@pytest.mark.parametrize("name", NAMES)
def test_the_docs_say_what_the_scene_says(name):
    page = (ROOT / "docs" / "scenes.md").read_text()
    section = page.split(f"## {name}\n")[1].split("\n## ")[0]
    for each in SCENES[name].parameters():
        default = each.default
        text = ",".join(map(str, default)) if isinstance(default, tuple) else default
        assert f"| `{each.name}` | {text} | {each.unit} | {each.limits} | {each.help}" in section
    assert (ROOT / "docs" / "figures" / f"scene-{name}.jpg").exists()


def test_scenes_are_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        BouncingBalls().balls = 3


def test_a_misspelt_scene_is_told_from_one_that_nobody_knows():
    with pytest.raises(am.InputError, match=r"'bouncing_bals'; did you mean 'bouncing_balls'\?$"):
        find_scene("bouncing_bals")
    with pytest.raises(am.InputError, match="'xyzzy'; choose one of bouncing_balls, mixed_pile"):
        find_scene("xyzzy")
