"""Figures of recorded runs: what is drawn is what was read."""

import numpy as np
import pytest

import amontons as am
from amontons import plots
from amontons.plots import runs
from amontons.plots.forces import relative_forces
from amontons.results import STAGES, Recorder, Results, begin
from amontons.scenes import BouncingBalls


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    run = begin(BouncingBalls(6, height=0.02), folder)
    with run.recorder:
        run.simulation.run(0.2, on_step=run.recorder)
    with Results(folder) as results:
        yield results


def curve(ax, name):
    (line,) = [line for line in ax.get_lines() if line.get_label() == name]
    return line


def test_energy_adds_up(results):
    ax, _ = plots.energy(results).axes
    parts = [curve(ax, name).get_ydata() for name in ("kinetic", "potential", "dissipated")]
    np.testing.assert_array_equal(parts[0], results.readings("kinetic_energy"))
    np.testing.assert_allclose(curve(ax, "sum").get_ydata(), np.sum(parts, axis=0))
    np.testing.assert_array_equal(curve(ax, "sum").get_xdata(), results.readings("time"))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("Simulated time [s]", "Energy [J]")


def test_contacts_and_overlap(results):
    left, right = plots.contacts(results).axes
    np.testing.assert_array_equal(curve(left, "contacts").get_ydata(), results.readings("contacts"))
    overlap = curve(right, "penetration").get_ydata()
    np.testing.assert_allclose(overlap, 1e3 * results.readings("penetration"))


def test_effort_shows_the_tolerance(results):
    left, right = plots.effort(results).axes
    np.testing.assert_array_equal(
        curve(left, "iterations").get_ydata(), results.readings("iterations")
    )
    residual = results.readings("residual")
    dots, tolerance = right.get_lines()
    np.testing.assert_array_equal(dots.get_ydata(), residual[residual > 0.0])
    assert set(tolerance.get_ydata()) == {BouncingBalls.advice.tolerance}
    assert right.get_yscale() == "log"


def test_stages_are_stacked(results):
    (ax,) = plots.stages(results).axes
    assert [area.get_label() for area in ax.collections] == list(STAGES)
    top = ax.collections[-1].get_paths()[0].vertices[:, 1].max()
    total = 1e3 * np.sum([results.readings(name) for name in STAGES], axis=0)
    assert top == pytest.approx(total.max())


def test_long_curves_are_thinned_by_means(monkeypatch):
    monkeypatch.setattr(runs, "MOST_POINTS", 10)
    thin = runs._thinned(np.arange(25.0))
    np.testing.assert_array_equal(thin, np.arange(24.0).reshape(-1, 3).mean(axis=1))


def test_a_run_without_steps_is_refused(tmp_path):
    world = am.World()
    world.add_body(am.Sphere(0.1), mass=1.0)
    with Recorder(am.Simulation(world, step=1e-3), tmp_path):
        pass
    with Results(tmp_path) as results:
        for draw in (plots.energy, plots.contacts, plots.effort, plots.stages):
            with pytest.raises(am.InputError, match="nothing to draw"):
                draw(results)


def test_forces_are_those_of_the_last_fifth_by_their_mean(tmp_path):
    run = begin(BouncingBalls(12, height=0.02, restitution=0.0), tmp_path, contacts=True)
    with run.recorder:
        run.simulation.run(0.5, on_step=run.recorder)
    with Results(tmp_path) as found:
        last = range(int(0.8 * (found.frames - 1)), found.frames)
        sizes = [found.contacts(number).normal_force for number in last]
        kept = [force[force > 1e-6 * force.max()] for force in sizes]
        expected = np.concatenate([force / force.mean() for force in kept])
        np.testing.assert_array_equal(relative_forces(found), expected)
        (ax,) = plots.forces(found).axes
        dots = curve(ax, f"{expected.size} contacts")
        width = np.diff(curve(ax, "exp(−f)").get_xdata())[0]
        inside = (expected < width * 30 + 1e-12).sum() / expected.size
        assert np.sum(dots.get_ydata()) * width == pytest.approx(1.0, abs=1e-9)
        assert inside > 0.9


def test_forces_need_contacts(results):
    with pytest.raises(am.InputError, match="no contacts: record them"):
        plots.forces(results)


def test_meters_are_drawn_as_they_counted(tmp_path):
    world = am.World()
    above = ((-0.2, -0.2, 0.1), (0.2, 0.2, 0.3))
    world.add_source(am.Source(above, 0.05, rate=4.0, velocity=(0, 0, -1)))
    world.add_meter(am.FlowMeter(am.Plane((0, 0, -1)), name="past"))
    sim = am.Simulation(world, step=0.01)
    with Recorder(sim, tmp_path, rate=100.0) as recorder:
        sim.run(0.4, on_step=recorder)
    with Results(tmp_path) as results:
        left, right = plots.meters(results).axes[:2]
        drawn = {line.get_label(): line.get_ydata() for line in left.get_lines()}
        assert list(drawn) == ["source 1", "past"]
        assert len(drawn["past"]) == results.frames == 41
        for name, mass in drawn.items():
            assert mass[0] == 0.0
            assert mass[-1] == pytest.approx(sim.meters[name].mass, rel=1e-14)
        rates = right.get_lines()[0].get_ydata()
        assert rates.sum() * 0.01 == pytest.approx(drawn["source 1"][-1])


def test_a_run_without_meters_has_none_to_draw(results):
    with pytest.raises(am.InputError, match="no source, sink or meter"):
        plots.meters(results)
