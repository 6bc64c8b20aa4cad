"""Granular experiments of papers 3 and 4: their measures by themselves, and quick runs."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import amontons as am
from amontons.algebra.rotations import rotation_matrices
from amontons.scenes import Crater, PebbleBed, Snowball
from amontons.scenes.placement import face_centred
from amontons_papers import EXPERIMENTS, reproduce
from amontons_papers.clusters import bonds, kept_share, pieces
from amontons_papers.paper3.crater import first_touch
from amontons_papers.paper3.hourglass import BEAD, Outflow, Trough, fitted_shadow
from amontons_papers.paper3.mixer import TIMED, TURNS, exponents, middle, time_in_turns
from amontons_papers.paper3.sticky_bodies import flawed_block, teapot
from amontons_papers.paper3.sticky_mixer import StickyMixer, half_heights, small_turns
from amontons_papers.paper4.pebbles import packing_fraction, refuel, ring_means
from amontons_papers.paper4.segregation import mean_rank
from amontons_papers.paper4.silo_stress import (
    JanssenFit,
    Stress,
    StressGauge,
    across,
    active_ratio,
    janssen,
    mean_stress,
)
from amontons_papers.power_laws import fit_power_law
from amontons_papers.refilling import lowest_free
from amontons_papers.settling import settle


@given(st.floats(0.1, 10.0), st.floats(-3.0, 3.0), st.floats(-3.0, 3.0), st.integers(0, 100))
def test_a_power_law_is_found_again(constant, a, b, seed):
    x, y = np.random.default_rng(seed).uniform(0.5, 2.0, (2, 20))
    law = fit_power_law(constant * x**a * y**b, x=x, y=y)
    assert law.constant == pytest.approx(constant, rel=1e-9)
    assert law.exponents == pytest.approx({"x": a, "y": b}, abs=1e-9)
    assert law.spread < 1e-9


def test_power_laws_that_cannot_be_fitted():
    with pytest.raises(am.InputError, match="x must be positive"):
        fit_power_law([1.0, 2.0], x=[0.0, 1.0])
    with pytest.raises(am.InputError, match="x has shape"):
        fit_power_law([1.0, 2.0], x=[1.0])
    with pytest.raises(am.InputError, match="tell the factors apart"):
        fit_power_law([1.0, 2.0, 3.0], x=[1.0, 2.0, 3.0], y=[2.0, 4.0, 6.0])


def test_twelve_neighbours_in_a_close_packing():
    places = face_centred(1.0, (3.0, 3.0, 3.0))
    away = np.linalg.norm(places[:, None] - places[None], axis=2)
    np.fill_diagonal(away, 9.0)
    assert away.min() == pytest.approx(1.0)
    middle = np.argmin(np.linalg.norm(places, axis=1))
    assert np.count_nonzero(away[middle] < 1.01) == 12


def naive_pieces(count, pairs):
    label = list(range(count))
    for _ in range(count):
        for a, b in pairs:
            label[a] = label[b] = min(label[a], label[b])
    return sorted((label.count(each) for each in set(label)), reverse=True)


@settings(max_examples=30)
@given(st.integers(1, 12), st.data())
def test_pieces_are_those_that_bonds_connect(count, data):
    ends = st.integers(0, count - 1)
    pairs = data.draw(st.lists(st.tuples(ends, ends), max_size=15))
    found = pieces(count, np.array(pairs, dtype=np.int64).reshape(-1, 2))
    assert found.tolist() == naive_pieces(count, pairs)


def test_bonds_and_how_many_are_kept():
    row = np.array([[0.0, 0, 0], [1.0, 0, 0], [2.0, 0, 0], [5.0, 0, 0]])
    before = bonds(row, 1.1)
    assert sorted(map(tuple, before.tolist())) == [(0, 1), (1, 2)]
    row[2, 0] = 4.0
    assert kept_share(before, bonds(row, 1.1)) == 0.5
    with pytest.raises(am.InputError, match="no bonds"):
        kept_share(before[:0], before)
    with pytest.raises(am.InputError, match="finite"):
        bonds(np.full((2, 3), np.nan), 1.0)


def test_a_ball_is_lowered_until_it_touches():
    bed = np.array([[0.0, 0.0, 1.0], [10.0, 0.0, 9.0]])
    assert first_touch(bed, 0.5, 2.0, np.zeros(2)) == pytest.approx(3.5)
    beside = first_touch(bed, 0.5, 2.0, np.array([1.5, 0.0]))
    assert beside == pytest.approx(1.0 + 2.0)  # 1.5, 2 and 2.5 make a right angle
    assert first_touch(bed, 0.5, 2.0, np.array([0.0, 50.0])) == 2.0  # the floor


def test_the_rate_of_a_steady_flow():
    time = np.linspace(0.0, 1.0, 101)
    beads = np.maximum(1000.0 * (time - 0.05), 0.0)
    assert Outflow(2e-3, 0.3, time, beads).rate == pytest.approx(1000.0)


def test_the_shadow_of_beverloos_law_is_found_again():
    gaps = np.array([2e-3, 2.5e-3, 3e-3])
    shadow, error = fitted_shadow(gaps, 7.0 * (gaps - 1.3 * BEAD) ** 1.5)
    assert shadow == pytest.approx(1.3, rel=1e-6)
    assert error < 1e-6


@pytest.mark.slow
@pytest.mark.parametrize("gap", [2e-3, 3e-3])
def test_beads_begin_inside_the_trough_and_stay_there_until_it_opens(gap):
    world = Trough(gap, 200, 2e-3, 0.0).build()
    sim = am.Simulation(world, step=2.5e-4, solver=am.APGD(tolerance=1e-2))
    report = sim.step()
    assert report.penetration == 0.0
    sim.run(0.03)
    place = sim.bodies.position[sim.bodies.dynamic]
    assert place[:, 2].min() > 0.2e-3
    assert (place[:, 0] < gap + place[:, 2]).all()
    assert place[:, 0].min() > 0.2e-3


def test_the_mixer_begins_without_overlaps_and_has_four_shapes():
    world = StickyMixer(300).build()
    assert np.count_nonzero(world.bodies.dynamic) == 300
    assert len(set(world.bodies.shape[world.bodies.dynamic])) == 4
    assert am.Simulation(world, step=1e-3).step().penetration == 0.0


def test_sizes_have_equal_shares_of_each_turn():
    sims = [am.Simulation(StickyMixer(n).build(), step=5e-3) for n in (20, 40)]
    turns = time_in_turns(sims)
    assert [[each.bodies for each in turn] for turn in turns] == [[20, 40]] * TURNS
    assert [sim.steps for sim in sims] == [1 + 2 * TURNS, 1 + TURNS]
    assert all(sim.time == pytest.approx(sim.steps * TIMED) for sim in sims)
    law = [[replace(each, processor=1e-3 * each.bodies**1.5) for each in turn] for turn in turns]
    assert exponents(law, "processor") == pytest.approx([1.5] * TURNS)
    five = [replace(turns[0][0], processor=float(k)) for k in (5, 1, 4, 2, 3)]
    assert middle(five).processor == 3.0


def test_bodies_of_the_mixer_stand_on_one_another():
    """Heights from the shapes' corners and rims, against the formulas."""
    turns = small_turns(np.random.default_rng(3), 40, 1.0)
    up = rotation_matrices(turns)[:, 2, :]
    corners = np.stack(np.meshgrid(*[[-0.05, 0.05]] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    angle = np.linspace(0.0, 2.0 * np.pi, 2001)
    rim = np.stack([0.05 * np.cos(angle), 0.05 * np.sin(angle), np.full(2001, 0.05)], axis=1)
    ball = np.random.default_rng(0).standard_normal((40_000, 3))
    ball *= 0.05 / np.linalg.norm(ball, axis=1, keepdims=True)
    outlines = (ball, ball * [1.15, 1.0, 0.85], np.concatenate([rim, -rim]), corners)
    for kind, points in enumerate(outlines):
        found = half_heights(np.full(40, kind), turns)
        np.testing.assert_allclose(found, (up @ points.T).max(axis=1), rtol=2e-3)


def test_a_teapot_is_hollow_and_in_one_piece():
    pot = teapot(0.2, 1.4)
    assert pieces(len(pot), bonds(pot, 0.201))[0] == len(pot)
    assert np.linalg.norm(pot, axis=1).min() > 0.9
    assert pot[:, 0].max() > 1.5
    assert pot[:, 0].min() < -1.9
    solid = flawed_block(0.2, (1.0, 1.0, 1.0), flaws=0.0)
    flawed = flawed_block(0.2, (1.0, 1.0, 1.0))
    assert 0.85 < len(flawed) / len(solid) < 0.98


def test_ranks_by_height():
    height = np.array([3.0, 0.0, 1.0, 2.0, 4.0])
    assert mean_rank(height, height == 4.0) == 1.0
    assert mean_rank(height, height == 0.0) == 0.0
    assert mean_rank(height, height >= 0.0) == 0.5


def test_the_packing_fraction_of_a_known_packing():
    scene = PebbleBed(8, radius=0.5, core=24.0, outlet=24.0)
    places = face_centred(1.0, (12.0, 12.0, 12.0)) + np.array([0.0, 0.0, 12.0])
    inside = places[np.hypot(places[:, 0], places[:, 1]) < 11.5]
    assert packing_fraction(inside, scene) == pytest.approx(np.pi / np.sqrt(18.0), rel=0.03)


def test_means_in_rings_and_janssen():
    away, fallen = np.array([0.1, 0.15, 0.9]), np.array([1.0, 3.0, 5.0])
    means = ring_means(away, fallen, np.array([0.0, 0.5, 1.0]), np.ones(3, dtype=bool))
    np.testing.assert_allclose(means, [2.0, 5.0])
    assert active_ratio(np.tan(np.pi / 6.0)) == pytest.approx(1.0 / 3.0)
    assert janssen(np.array([0.0, 1e-6, 1e9]), 3.0, 2.0) == pytest.approx([0.0, 3e-6, 6.0])


@given(st.integers(1, 12), st.integers(0, 30), st.integers(0, 1000))
def test_what_crosses_cuts_is_summed_cut_by_cut(count, spans, seed):
    rng = np.random.default_rng(seed)
    cuts = np.linspace(-1.0, 1.0, count)
    low, high = np.sort(rng.integers(-8, 9, (2, spans)) / 4.0, axis=0)  # ends also lie on cuts
    value = rng.normal(size=spans)
    naive = [value[(low <= cut) & (cut < high)].sum() for cut in cuts]
    np.testing.assert_allclose(across(cuts, low, high, value), naive, atol=1e-12)


@given(st.floats(0.3, 5.0), st.floats(1e2, 1e4))
def test_the_length_of_janssens_law_is_found_again(length, unit):
    cuts = np.linspace(0.0, 3.0, 10)
    depth = 4.0 - cuts
    stress = Stress(unit * depth, janssen(depth, unit, length), np.ones(9), np.ones(9))
    fit = JanssenFit.of(stress, cuts)
    assert fit.length == pytest.approx(length, rel=1e-5)
    assert fit.unit_weight == pytest.approx(unit)
    assert fit.explained == pytest.approx(1.0)
    np.testing.assert_allclose(fit.depth, depth)


@pytest.mark.slow
def test_cuts_and_the_wall_carry_a_resting_bed_together():
    """Between two cuts: what the upper passes down, plus weight, less what the wall holds up."""
    scene = PebbleBed(150, core=5.0, outlet=5.0, plugged=1)
    sim = am.Simulation(scene.build(), step=4e-3, solver=scene.advice.make_solver())
    settle(sim, length=scene.radius, limit=2.0, share=1e-3)
    sim.solver = am.APGD(tolerance=1e-6, max_iterations=3000)
    gauge = StressGauge(np.linspace(0.1, 0.4, 6), 5.0 * scene.radius, "core")
    sim.run(0.04)
    stress = mean_stress([gauge.read(sim)] * 2)
    bodies = sim.bodies
    above = bodies.dynamic & (bodies.position[:, 2] > 0.1)
    area = np.pi * gauge.radius**2
    assert stress.weight[0] == pytest.approx(9.81 * bodies.mass[above].sum() / area)
    held = 2.0 * 0.06 / gauge.radius * stress.shear  # by the area of a cut
    balance = np.diff(stress.vertical) - np.diff(stress.weight) - held
    np.testing.assert_allclose(balance, 0.0, atol=0.02 * stress.weight[0])
    # which way the wall of a small bed at rest pushes is chance: five seeds gave -0.03 to 0.07
    assert abs(stress.mobilised) <= scene.friction
    assert 0.1 < stress.ratio < 3.0


def test_pebbles_that_left_come_back_at_the_top_clear_of_all_others():
    scene = PebbleBed(60, core=6.0, outlet=4.0)
    sim = am.Simulation(scene.build(), step=4e-3, solver=scene.advice.make_solver())
    rows = np.flatnonzero(sim.bodies.dynamic)
    top = float(sim.bodies.position[rows, 2].max()) - scene.radius
    for gone in (rows[:20], rows[20:40], rows[:20]):
        refuel(sim, gone, scene, top)
        assert sim.bodies.position[gone, 2].min() >= top
        assert len(bonds(sim.bodies.position[rows], 2.0 * scene.radius)) == 0
    refuel(sim, rows[:0], scene, top)


def test_the_lowest_free_places_are_found_one_by_one():
    rng = np.random.default_rng(5)
    bodies = rng.uniform(0.0, 4.0, (30, 3))
    places = np.stack(np.meshgrid(*[np.arange(5.0)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    found = lowest_free(places, bodies, 0.8, 12)
    free = [p for p in places if all(np.linalg.norm(p - b) >= 0.8 for b in bodies)]
    assert sorted(found[:, 2]) == sorted(p[2] for p in free)[:12]
    assert {tuple(p) for p in found} <= {tuple(p) for p in free}
    assert len({tuple(p) for p in found}) == 12
    with pytest.raises(am.InputError, match="places are free"):
        lowest_free(places, bodies, 0.8, len(places))


def test_a_bed_settles_and_says_so():
    scene = Crater(150, width=8.0)
    sim = am.Simulation(scene.bed(), step=5e-4, solver=scene.advice.make_solver())
    assert not settle(sim, length=scene.grain, limit=0.005)
    shares = []
    assert settle(sim, length=scene.grain, limit=0.3, watch=shares.append)
    assert shares == sorted(shares)
    speed = np.linalg.norm(sim.bodies.velocity[sim.bodies.dynamic], axis=1)
    assert np.sqrt(np.mean(speed**2)) < np.sqrt(0.05 * 9.81 * scene.grain)


def test_a_snowball_is_one_piece_of_about_as_many_spheres_as_asked_for():
    scene = Snowball(500)
    ball = scene.ball()
    assert 400 < len(ball) < 600
    assert pieces(len(ball), bonds(ball, 2.02 * scene.radius)).tolist() == [len(ball)]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["crater", "pebbles"])
def test_a_quick_run_writes_its_page(name, tmp_path):
    outcome = reproduce(EXPERIMENTS[name]("quick"), tmp_path)
    page = (tmp_path / "page.md").read_text()
    assert outcome.bands >= 4
    for band in ("exponent of D_b", "constant") if name == "crater" else ("packing", "Janssen"):
        assert band in page
    if name == "pebbles":
        assert outcome.ok, outcome.failures
    else:
        assert not any(each.startswith("constant") for each in outcome.failures)
