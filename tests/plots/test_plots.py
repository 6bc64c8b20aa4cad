"""Figures: what is drawn, and what is refused."""

import base64
import io
import math
import sys

import numpy as np
import pytest
from PIL import Image

import amontons as am
from amontons import plots
from amontons.plots.style import COLOURS, curve_style, legend_below, panels
from amontons.problem.solution import History


def history(residuals):
    residuals = np.asarray(residuals, dtype=float)
    return History(residuals, -residuals, 1e-3 * (1.0 + np.arange(residuals.size)))


@pytest.fixture(scope="module")
def solutions():
    problem = am.ConeProblem.from_matrix(np.diag([2.0, 1.0, 1.0]), [-1.0, 0.3, 0.1], friction=0.5)
    return {kind.__name__: kind().solve(problem) for kind in (am.APGD, am.Jacobi)}


def curves(ax, name):
    return [line for line in ax.get_lines() if line.get_label() == name]


# -- convergence ----------------------------------------------------------------------------------


def test_convergence_draws_the_best_and_the_raw_residual():
    figure = plots.convergence({"run": history([1.0, 0.1, 0.5, 0.01])}, tolerance=1e-2, title="t")
    left, right = figure.axes
    for ax, x in ((left, [0, 1, 2, 3]), (right, [1e-3, 2e-3, 3e-3, 4e-3])):
        (best,) = curves(ax, "run")
        np.testing.assert_allclose(best.get_xdata(), x)
        np.testing.assert_allclose(best.get_ydata(), [1.0, 0.1, 0.1, 0.01])
        raw = ax.get_lines()[0]
        np.testing.assert_allclose(raw.get_ydata(), [1.0, 0.1, 0.5, 0.01])
        assert raw.get_alpha() < 0.5
        assert raw.get_linewidth() < best.get_linewidth()
        (tolerance,) = curves(ax, "tolerance")
        assert tolerance.get_linestyle() == "--"
        assert ax.get_yscale() == "log"
    assert (left.get_xlabel(), right.get_xlabel()) == ("Iteration", "Time [s]")
    assert figure.get_suptitle() == "t"


def test_convergence_of_solutions_says_which_residual(solutions, tmp_path):
    figure = plots.convergence(solutions)
    assert figure.axes[0].get_ylabel() == "Scaled error"
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert labels == ["APGD", "Jacobi"]
    for suffix, start in (("png", b"\x89PNG"), ("pdf", b"%PDF"), ("svg", b"<?xml")):
        path = tmp_path / f"figure.{suffix}"
        plots.save(figure, path)
        assert path.read_bytes().startswith(start)


def test_long_runs_have_logarithmic_axes():
    long, short = history(np.geomspace(1, 1e-6, 1000)), history([1.0, 0.1])
    assert plots.convergence({"short": short}).axes[0].get_xscale() == "linear"
    figure = plots.convergence({"short": short, "long": long})
    assert [ax.get_xscale() for ax in figure.axes] == ["log", "log"]
    assert figure.axes[0].get_xlim()[0] == 1.0


def test_zero_and_infinite_residuals_are_left_out(tmp_path):
    figure = plots.convergence({"run": history([1.0, math.inf, 0.1, 0.0])})
    (best,) = curves(figure.axes[0], "run")
    np.testing.assert_allclose(best.get_ydata(), [1.0, 1.0, 0.1, math.nan])
    plots.save(figure, tmp_path / "figure.png")


def test_nested_runs_count_outer_iterations():
    problem = am.ConeProblem.from_matrix(np.diag([2.0, 1.0, 1.0]), [-1.0, 0.9, 0.1], friction=0.5)
    nested = am.ExactCoulomb(inner=am.InteriorPoint(), tolerance=1e-10).solve(problem)
    assert plots.convergence({"exact": nested}).axes[0].get_xlabel() == "Outer iteration"


def test_nothing_to_draw_is_said(solutions):
    with pytest.raises(am.InputError, match="nothing to draw"):
        plots.convergence({})
    with pytest.raises(am.InputError, match="nothing to draw"):
        plots.convergence({"empty": history([])})
    with pytest.raises(am.InputError, match="got int"):
        plots.convergence({"wrong": 3})


# -- performance profiles -------------------------------------------------------------------------


def fraction(ax, name, tau):
    """The height of a step curve at τ."""
    (line,) = curves(ax, name)
    x, y = line.get_data()
    return y[np.searchsorted(x, tau, side="right") - 1]


def test_profile_after_dolan_and_more():
    times = {"a": [1.0, 1.0, 2.0, math.inf], "b": [2.0, 3.0, 1.0, math.nan]}
    iterations = {"a": [10, 10, 10, 10], "b": [0, 10, 20, math.inf]}
    figure = plots.performance_profile(times, iterations=iterations, title="t")
    left, right = figure.axes
    for tau, a, b in ((1.0, 0.5, 0.25), (1.9, 0.5, 0.25), (2.0, 0.75, 0.5), (3.0, 0.75, 0.75)):
        assert fraction(left, "a", tau) == a
        assert fraction(left, "b", tau) == b
    assert fraction(right, "a", 1.0) == 1.0
    assert fraction(right, "b", 1.0) == 0.5
    assert fraction(right, "b", 2.0) == 0.75
    assert left.get_xscale() == "log"
    assert curves(left, "a")[0].get_drawstyle() == "steps-post"


def test_profile_of_times_alone_is_one_panel(tmp_path):
    figure = plots.performance_profile({"a": [math.inf], "b": [0.0]})
    assert len(figure.axes) == 1
    assert fraction(figure.axes[0], "a", 4.0) == 0.0
    assert fraction(figure.axes[0], "b", 1.0) == 1.0
    plots.save(figure, tmp_path / "profile.png")


def test_bad_profiles_are_refused():
    for table in ({}, {"a": []}, {"a": [1.0], "b": [1.0, 2.0]}):
        with pytest.raises(am.InputError, match="one entry per problem"):
            plots.performance_profile(table)
    with pytest.raises(am.InputError, match="negative"):
        plots.performance_profile({"a": [-1.0]})


# -- style and files ------------------------------------------------------------------------------


def test_curves_can_be_told_apart():
    looks = [curve_style(i) for i in range(6)]
    assert len({one.colour for one in looks}) == 6
    assert len({str(one) for one in (curve_style(i) for i in range(12))}) == 12
    assert curve_style(len(COLOURS)).colour == curve_style(0).colour


def test_no_global_state(solutions):
    plots.convergence(solutions)
    assert "matplotlib.pyplot" not in sys.modules


def test_a_notebook_shows_figures_by_themselves(solutions):
    """As IPython asks for them; without pyplot, whose figures are all that it knows."""
    data, about = plots.convergence(solutions)._repr_mimebundle_(include=None, exclude=None)
    with Image.open(io.BytesIO(base64.b64decode(data["image/png"]))) as picture:
        assert picture.width == pytest.approx(2 * about["image/png"]["width"], abs=2)
    assert "matplotlib.pyplot" not in sys.modules


def test_bad_targets(solutions, tmp_path):
    figure = plots.convergence(solutions)
    with pytest.raises(am.InputError, match="png"):
        plots.save(figure, tmp_path / "figure.txt")
    with pytest.raises(am.OutputError, match="does not exist"):
        plots.save(figure, tmp_path / "gone" / "figure.png")


def test_without_matplotlib_the_extra_is_named(solutions, monkeypatch, tmp_path):
    needing = ("matplotlib", "amontons.plots.notebook_figure")
    for name in [name for name in sys.modules if name.startswith(needing)]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(plots.MissingExtraError, match=r'pip install "amontons\[plots\]"'):
        plots.convergence(solutions)
    assert issubclass(plots.MissingExtraError, am.AmontonsError)
    from typer.testing import CliRunner

    from amontons.cli import app

    path = tmp_path / "p.npz"
    am.ConeProblem.from_matrix(np.eye(3), [-1.0, 0.0, 0.0], friction=0.5).save(path)
    result = CliRunner().invoke(app, ["compare", str(path), "--plot", str(tmp_path / "p.png")])
    assert result.exit_code == 2
    assert "amontons[plots]" in result.stderr


@pytest.mark.parametrize("count", [1, 2])
def test_legends_stay_inside_their_figures(count):
    figure, axes = panels(count, "many solvers", share_y=False)
    for name in ("Auto", "InteriorPoint", "APGD", "SpectralGradient", "GaussSeidel", "Clarabel"):
        axes[0].plot([0.0, 1.0], [0.0, 1.0], label=name)
    legend_below(figure, axes[0])
    figure.canvas.draw()
    box = figure.legends[0].get_window_extent()
    assert box.x0 >= 0.0
    assert box.x1 <= figure.bbox.x1
