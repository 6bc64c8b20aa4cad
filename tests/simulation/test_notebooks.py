"""What notebooks and prompts show: progress without widgets, and one line for each thing."""

import sys
from types import ModuleType

import pytest

import amontons as am
from amontons.results import Results, SingleFrame, begin
from amontons.scenes import BouncingBalls


def falling():
    world = am.World()
    world.add_body(am.Sphere(0.1), mass=1.0, position=(0.0, 0.0, 1.0))
    return am.Simulation(world, step=1e-2)


class Handle:
    """An output of a notebook."""

    def __init__(self):
        self.shown = []

    def update(self, content):
        self.shown.append(content)


@pytest.fixture
def outputs(monkeypatch):
    """A notebook that is not one: IPython's two names, and a console that says it is there."""
    made = []

    def display(content, display_id):
        assert display_id is True
        made.append(Handle())
        return made[-1]

    module = ModuleType("IPython.display")
    module.HTML, module.display = str, display
    monkeypatch.setitem(sys.modules, "IPython", ModuleType("IPython"))
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    monkeypatch.setattr("rich.console.Console.is_jupyter", True, raising=False)
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    return made


def test_progress_in_a_notebook_is_one_output_that_ends_at_the_end(outputs):
    falling().run(0.5, progress=True)
    (handle,) = outputs
    assert handle.shown[0].startswith('<progress value="0.0200">')
    assert handle.shown[-1].startswith('<progress value="1.0000">')
    assert "0.5 of 0.5 s" in handle.shown[-1]
    assert len(handle.shown) < 50  # not one per step


def test_progress_in_a_notebook_shows_where_an_error_came(outputs):
    def fail(report):
        if report.number == 10:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        falling().run(0.5, progress=True, on_step=fail)
    assert outputs[0].shown[-1].startswith('<progress value="0.2000">')


def test_reprs_are_a_line_that_says_what_it_is(tmp_path):
    run = begin(BouncingBalls(5), tmp_path / "run")
    with run.recorder:
        run.simulation.run(0.1, on_step=run.recorder)
        assert repr(run.recorder).endswith("60 frames per second, 7 frames>")
    assert repr(run.recorder).endswith("closed>")
    assert repr(run).startswith("<RecordedRun: BouncingBalls(balls=5,")
    assert "at 0.1 of 3 s" in repr(run)
    assert repr(run.simulation).endswith("APGD to 0.001>")
    assert repr(SingleFrame(run.simulation)) == "<SingleFrame: 7 bodies at 0.1 s>"
    with Results(tmp_path / "run") as results:
        assert repr(results[-1]) == "<Frame 6: 7 bodies at 0.1 s, after 25 steps>"
        assert repr(results.bodies) == "<BodyList: 5 dynamic, 2 fixed, 0 kinematic>"
        assert repr(results.position).startswith("<Series: shape (7, 7, 3)")
        assert repr(results.shapes[0]).startswith("<Surface: Plane, ")
