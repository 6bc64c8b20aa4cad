"""Where energy comes from and goes to: each cause alone, changes by hand, files and figures."""

from __future__ import annotations

import csv
import math

import numpy as np
import pytest

import amontons as am
from amontons import plots
from amontons.dynamics.energy_ledger import CAUSES, Work
from amontons.results import Recorder, Results, begin, resume
from amontons.results.exports import EXPORTS
from amontons.scenes import Drum

G, H = 9.81, 1e-3
BALL = am.Sphere(0.1)


def close(sim):
    """Assert that the sum of all causes is the energy, after every step, to rounding."""
    readings = sim.readings
    flows = [*readings.work.values(), readings.potential_energy]
    turnover = sum(np.abs(np.diff(values, prepend=0.0)).sum() for values in flows)
    assert np.abs(readings.energy - sum(readings.work.values())).max() <= 1e-12 * turnover


def only(sim, *causes):
    """Assert that the balance closes and that no other causes did anything to speak of."""
    close(sim)
    work = sim.work._asdict()
    most = max(map(abs, work.values()))
    rest = {cause: value for cause, value in work.items() if cause not in causes}
    assert max(map(abs, rest.values())) <= 1e-9 * most, rest


def resting_ball(**options):
    world = am.World()
    world.add_body(am.Plane(), fixed=True)
    ball = world.add_body(BALL, mass=2.0, position=(0, 0, 0.1))
    return am.Simulation(world, step=H, **options), ball


# -- causes one by one ----------------------------------------------------------------------------


def test_rest_makes_no_heat():
    """Gravity gives a free body ½m(gh)² a step, and the floor takes nothing of a body at rest."""
    sim, _ = resting_ball()
    sim.run(0.2)
    assert abs(sim.dissipated) < 1e-12
    only(sim, "outside")


@pytest.mark.slow
def test_free_fall_has_no_cause_but_the_step():
    """E − (h/2) m g·v is constant: the error is ½ m g² h t, and it is told as such."""
    world = am.World()
    world.add_body(am.Box((0.1, 0.2, 0.3)), mass=2.0, angular_velocity=(1, 2, 3))
    sim = am.Simulation(world, step=H)
    sim.run(1.0)
    only(sim, "outside", "integration")
    assert sim.work.integration == pytest.approx(-0.5 * 2.0 * G**2 * H, rel=1e-9)


@pytest.mark.slow
def test_loads_work_along_the_way():
    world = am.World(gravity=(0, 0, 0))
    pushed = world.add_body(BALL, mass=2.0)
    turned = world.add_body(BALL, mass=1.0, position=(1, 0, 0))
    world.add_force(am.AppliedForce(pushed, (3.0, 0.0, 0.0)))
    world.add_force(am.AppliedTorque(turned, (0.0, 0.0, 0.01)))
    sim = am.Simulation(world, step=H)
    sim.run(1.0)
    only(sim, "loads")
    about = sim.bodies.inertia[1, 2, 2]
    assert sim.work.loads == pytest.approx(3.0**2 / (2 * 2.0) + 0.01**2 / (2 * about), rel=1e-9)


@pytest.mark.slow
def test_a_force_with_a_potential_gives_what_it_holds():
    """The loads' entry has what a force gives beyond its own potential: here a damper's −c v²."""
    k, c = 40.0, 0.5

    def pull(state):
        force = -k * state.position - c * state.velocity
        return np.concatenate([force, np.zeros_like(force)], axis=1)

    world = am.World(gravity=(0, 0, 0))
    ball = world.add_body(BALL, mass=1.0, position=(0.2, 0, 0))
    potential = lambda state: 0.5 * k * float((state.position**2).sum())  # noqa: E731
    world.add_force(am.Force(ball, function=pull, potential=potential))
    sim = am.Simulation(world, step=H)
    damped, before = 0.0, 0.0
    for _ in range(1500):
        sim.step()
        now = float(ball.velocity[0])
        damped, before = damped + H * c * (0.5 * (before + now)) ** 2, now
    only(sim, "loads", "outside")
    assert sim.work.outside == pytest.approx(0.5 * k * 0.2**2, rel=1e-12)
    assert sim.work.loads == pytest.approx(-damped, rel=0.01)


@pytest.mark.slow
def test_drag_takes_all_motion():
    world = am.World(gravity=(0, 0, 0))
    world.add_body(
        am.Box((0.1, 0.2, 0.3)), mass=1.0, velocity=(3, 0, 0), angular_velocity=(4, 1, 2)
    )
    world.add_force(am.Drag(linear=2.0, quadratic=0.3, angular=0.05))
    sim = am.Simulation(world, step=H)
    sim.run(1.0)
    close(sim)
    assert sim.dissipated == pytest.approx(sim.work.outside - sim.readings.energy[-1], rel=1e-9)
    assert (np.diff(sim.readings.dissipated_energy) > 0.0).all()


def test_a_motor_gives_and_makes_no_heat():
    world = am.World(gravity=(0, 0, 0))
    wheel = world.add_body(BALL, mass=1.0)
    motor = am.SpeedMotor(speed=10.0, limit=0.5)
    world.add_joint(am.Revolute(None, wheel, point=(0, 0, 0), axis=(0, 0, 1), motor=motor))
    sim = am.Simulation(world, step=H)
    sim.run(0.2)
    only(sim, "motors")
    assert sim.work.motors == pytest.approx(0.5 * sim.bodies.inertia[0, 2, 2] * 100.0, rel=1e-6)
    assert abs(sim.dissipated) < 1e-12


@pytest.mark.slow
def test_a_motor_that_brakes_takes():
    world = am.World(gravity=(0, 0, 0))
    wheel = world.add_body(BALL, mass=1.0, angular_velocity=(0, 0, 10.0))
    motor = am.SpeedMotor(speed=0.0, limit=0.5)
    world.add_joint(am.Revolute(None, wheel, point=(0, 0, 0), axis=(0, 0, 1), motor=motor))
    sim = am.Simulation(world, step=H)
    sim.run(0.2)
    only(sim, "motors", "outside")
    assert sim.work.motors == pytest.approx(-sim.work.outside, rel=1e-6)


@pytest.mark.slow
def test_rolling_friction_brakes_a_ball():
    world = am.World()
    material = am.Material(friction=0.8, rolling_friction=5e-3)
    world.add_body(am.Plane(), fixed=True, material=material)
    world.add_body(
        BALL, mass=1.0, position=(0, 0, 0.1), velocity=(1, 0, 0), angular_velocity=(0, 10.0, 0),
        material=material,
    )  # fmt: skip
    sim = am.Simulation(world, step=H, friction="exact")
    sim.run(3.0)
    close(sim)
    had = sim.readings.energy[0] - sim.readings.energy[-1]
    assert -sim.work.rolling == pytest.approx(had, rel=0.02)


@pytest.mark.slow
def test_a_stop_takes_what_hits_it():
    world = am.World(gravity=(0, 0, 0))
    slider = world.add_body(BALL, mass=1.0, velocity=(1.0, 0, 0))
    world.add_joint(am.Prismatic(None, slider, point=(0, 0, 0), axis=(1, 0, 0), limits=(-1.0, 0.2)))
    sim = am.Simulation(world, step=H)
    sim.run(0.5)
    only(sim, "impacts", "outside")
    assert sim.dissipated == pytest.approx(0.5, rel=1e-9)


@pytest.mark.slow
def test_recovery_is_no_negative_heat():
    """A ball that is put into the floor is lifted out of it: that is told, and none of it cools."""
    world = am.World()
    world.add_body(am.Plane(), fixed=True)
    world.add_body(BALL, mass=1.0, position=(0, 0, 0.08))
    sim = am.Simulation(world, step=H)
    sim.run(1.0)
    close(sim)
    heat = sim.readings.dissipated_energy
    assert np.diff(heat).min() >= 0.0
    assert sim.work.recovery - heat[-1] == pytest.approx(G * 0.02, rel=1e-9)


@pytest.mark.slow
def test_compliant_contacts_hold_energy():
    """Without a dashpot nothing becomes heat; what the floor holds at rest is ½C(mg)²."""
    world, soft = am.World(), am.Material(compliance=1e-4)
    world.add_body(am.Plane(), fixed=True, material=soft)
    world.add_body(BALL, mass=2.0, position=(0, 0, 0.1), material=soft)
    sim = am.Simulation(world, step=5e-3)
    sim.run(4.0)
    close(sim)
    assert abs(sim.dissipated) < 1e-9
    compliance = 2e-4  # of two such materials
    held = 0.5 * compliance * (2.0 * G) ** 2
    assert sim.state.energy.in_contacts == pytest.approx(held, rel=1e-6)
    height = 0.1 - compliance * 2.0 * G
    assert sim.readings.potential_energy[-1] == pytest.approx(2.0 * G * height + held, rel=1e-6)


@pytest.mark.slow
def test_dashpots_of_contacts_make_heat():
    world, rubber = am.World(), am.Material(compliance=1e-4, damping=0.01)
    world.add_body(am.Plane(), fixed=True, material=rubber)
    world.add_body(BALL, mass=2.0, position=(0, 0, 0.3), material=rubber)
    sim = am.Simulation(world, step=1e-4)
    sim.run(0.5)
    close(sim)
    assert sim.work.damping < 0.0
    assert abs(sim.work.integration) < 0.05 * sim.dissipated
    heat = sim.readings.dissipated_energy
    assert np.diff(heat).min() > -1e-6 * heat[-1]  # where it turns round within a step


@pytest.mark.slow
def test_cohesion_takes_what_parting_costs():
    """A ball that leaves a sticky floor pays the pull c times the way on which it pulls."""
    pull = 5.0
    world, glue = am.World(gravity=(0, 0, 0)), am.Material(cohesion=pull)
    world.add_body(am.Plane(), fixed=True, material=glue)
    world.add_body(BALL, mass=0.1, position=(0, 0, 0.1), velocity=(0, 0, 1.0), material=glue)
    sim = am.Simulation(world, step=1e-5)
    sim.run(5e-3)
    close(sim)
    size = sim.model.masses.typical_size
    way = sim.rules.of_contacts(size, world.gravity, 1e-5, exact=False).cohesion_range
    assert sim.work.cohesion == pytest.approx(-pull * way, rel=0.03)
    assert abs(sim.dissipated) < 1e-9


@pytest.mark.slow
def test_a_box_carried_by_a_shaken_plate_makes_no_heat():
    """What sticks to a drive that speeds up and slows down is moved by it, not rubbed."""
    world, rough = am.World(), am.Material(friction=1.0)
    swing = am.Motion(position=lambda t: (0.05 * (1.0 - math.cos(5.0 * t)), 0.0, -0.1))
    world.add_body(am.Box((2, 2, 0.2)), position=(0, 0, -0.1), motion=swing, material=rough)
    world.add_body(am.Box.cube(0.2), mass=1.0, position=(0, 0, 0.1), material=rough)
    sim = am.Simulation(world, step=H)
    sim.run(math.pi / 5.0 / 2.0)  # at the largest speed
    close(sim)
    kinetic = 0.5 * 0.25**2
    assert sim.work.drives == pytest.approx(kinetic, rel=0.01)
    assert abs(sim.dissipated) < 1e-3 * kinetic


@pytest.mark.slow
def test_a_broken_spring_loses_what_it_held():
    world = am.World(gravity=(0, 0, 0))
    ball = world.add_body(BALL, mass=1.0, velocity=(1.0, 0, 0))
    world.add_joint(
        am.LinearSpring(
            None, ball, point_a=(-1, 0, 0), point_b=(0, 0, 0), stiffness=100.0, break_force=5.0
        )
    )
    sim = am.Simulation(world, step=H)
    sim.run(0.5)
    assert sim.joints.broken.all()
    close(sim)
    assert sim.readings.potential_energy[-1] == 0.0
    assert sim.work.damping == pytest.approx(-(5.0**2) / (2 * 100.0), rel=0.05)


@pytest.mark.slow
def test_a_rope_with_a_damper_makes_heat():
    world = am.World(gravity=(0, 0, 0))
    ball = world.add_body(BALL, mass=1.0, velocity=(1.0, 0, 0))
    world.add_joint(
        am.Rope(
            None, ball, point_a=(-1, 0, 0), point_b=(0, 0, 0), length=1.1, compliance=1 / 400.0,
            damping=4.0,
        )
    )  # fmt: skip
    sim = am.Simulation(world, step=5e-4)
    sim.run(0.5)
    close(sim)
    assert -sim.work.damping > 0.1
    assert abs(sim.work.integration) < 0.1 * sim.dissipated
    heat = sim.readings.dissipated_energy
    assert np.diff(heat).min() > -1e-6 * heat[-1]  # where it turns round within a step


@pytest.mark.slow
@pytest.mark.parametrize("compliance", [0.0, 1e-4])
def test_a_winch_lifts_as_a_motor_does(compliance):
    """A rope that is wound up at a steady speed gives m g times the way, stiff or not."""
    world, speed = am.World(), 0.5
    ball = world.add_body(BALL, mass=2.0)
    world.add_joint(
        am.Rope(
            None, ball, point_a=(0, 0, 3), point_b=(0, 0, 0), compliance=compliance,
            damping=200.0 if compliance else 0.0, length=lambda t: 3.0 - speed * max(t - 0.5, 0.0),
        )
    )  # fmt: skip
    sim = am.Simulation(world, step=H)
    sim.run(2.5)
    close(sim)
    lifted = 2.0 * G * speed * 2.0 + 0.5 * 2.0 * speed**2
    assert sim.work.motors == pytest.approx(lifted, rel=0.02)
    assert abs(sim.work.integration) < 0.01 * lifted


def test_falling_asleep_is_told():
    sim, ball = resting_ball(sleeping=am.Sleeping(speed=0.01, time=0.0))
    sim.bodies.velocity[ball.index] = (0.003, 0, 0)
    sim.run(0.05)
    close(sim)
    assert sim.bodies.asleep[ball.index]
    assert sim.work.sleep < 0.0
    assert sim.readings.kinetic_energy[-1] == 0.0


# -- changes by hand ------------------------------------------------------------------------------


def test_what_is_changed_between_steps_comes_from_outside():
    sim, ball = resting_ball()
    sim.run(0.01)
    assert sim.work.outside == pytest.approx(2.0 * G * 0.1)
    sim.bodies.velocity[ball.index] = (0, 0, 3.0)
    sim.step()
    assert sim.work.outside == pytest.approx(2.0 * G * 0.1 + 9.0)
    sim.bodies.position[ball.index, 2] += 2.0
    sim.step()
    assert sim.work.outside == pytest.approx(2.0 * G * 2.1 + 9.0)
    before, energy = sim.work.outside, sim.readings.energy[-1]
    height = sim.bodies.position[ball.index, 2]
    sim.world.gravity = (0.0, 0.0, 0.0)
    sim.step()
    assert sim.work.outside - before == pytest.approx(-2.0 * G * height)
    close(sim)
    assert sim.readings.energy[-1] == pytest.approx(energy - 2.0 * G * height)


def test_bodies_and_springs_bring_their_energy_and_take_it_away():
    sim, _ = resting_ball()
    world = sim.world
    sim.run(0.01)
    before = sim.work.outside
    other = world.add_body(BALL, mass=1.0, position=(5, 0, 3.0), velocity=(2.0, 0, 0))
    sim.step()
    assert sim.work.outside - before == pytest.approx(G * 3.0 + 2.0)
    before = sim.work.outside
    place = tuple(other.position)
    world.add_joint(
        am.LinearSpring(
            None, other, point_a=(5, 0, 4.0), point_b=place, stiffness=50.0,
            length=float(np.linalg.norm(np.subtract(place, (5, 0, 4.0)))) - 0.1,
        )
    )  # fmt: skip
    sim.step()
    assert sim.work.outside - before == pytest.approx(0.5 * 50.0 * 0.1**2)
    before, held = sim.work.outside, sim.readings.energy[-1]
    world.remove_bodies(other)
    sim.step()
    close(sim)
    assert sim.work.outside - before == pytest.approx(2.0 * G * 0.1 - held)
    assert sim.readings.energy[-1] == pytest.approx(2.0 * G * 0.1)


def test_a_step_that_raises_enters_nothing():
    sim, _ = resting_ball()
    sim.run(0.01)
    state = sim.state.copy()
    fails = iter([0.0, 0.0])  # the second potential of a step raises
    sim.world.add_force(
        am.Force(
            None,
            function=lambda state: np.zeros((len(state.position), 6)),
            potential=lambda state: next(fails) if state.time < sim.time + 0.5 * H else 1 / 0,
        )
    )
    with pytest.raises(ZeroDivisionError):
        sim.step()
    assert sim.state._replace(watch=state.watch).equals(state)  # the world has another force


# -- what is read, written and drawn --------------------------------------------------------------


def test_reports_and_readings_have_the_same_works():
    sim, _ = resting_ball()
    sim.run(0.01)
    assert isinstance(sim.readings[-1].work, Work)
    assert sim.readings[-1].work == sim.work
    assert {cause: v[-1] for cause, v in sim.readings.work.items()} == sim.work._asdict()
    assert sim.readings[-1].dissipated_energy == sim.work.dissipated
    assert sim.work.total == pytest.approx(sim.readings.energy[-1])
    assert am.Simulation(sim.world, step=H).readings.work["motors"].shape == (0,)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("drum")
    run = begin(Drum(12), folder / "run")
    with run.recorder:
        run.simulation.run(0.2, on_step=run.recorder)
    return folder / "run", run.simulation


def test_run_files_have_the_works(run, tmp_path):
    folder, sim = run
    with Results(folder) as results:
        assert tuple(results.work) == CAUSES
        for cause, values in sim.readings.work.items():
            np.testing.assert_array_equal(results.readings(f"work_{cause}"), values)
        EXPORTS["csv"](results, tmp_path, range(0))
    with (tmp_path / "steps.csv").open() as stream:
        last = list(csv.DictReader(stream))[-1]
    assert float(last["work_drives"]) == sim.work.drives


@pytest.mark.slow
def test_a_resumed_run_has_the_same_works_bit_for_bit(run, tmp_path):
    folder, sim = run
    whole = tmp_path / "part"
    part = begin(Drum(12), whole)
    with part.recorder:
        part.simulation.run(0.1, on_step=part.recorder)
    again = resume(whole, time=0.2)
    with again.recorder:
        again.simulation.run(again.left, on_step=again.recorder)
    assert again.simulation.work == sim.work
    with Results(whole) as one, Results(folder) as other:
        for cause in CAUSES:
            np.testing.assert_array_equal(one.work[cause], other.work[cause])


@pytest.mark.slow
def test_the_figure_shows_the_causes(run):
    folder, sim = run
    with Results(folder) as results:
        _, right = plots.energy(results).axes
    lines = {line.get_label(): line.get_ydata() for line in right.get_lines()}
    np.testing.assert_array_equal(lines["drives"], sim.readings.work["drives"])
    assert "motors" not in lines  # that did nothing
    assert right.get_ylabel() == "Work on the bodies [J]"


def test_runs_of_before_can_still_be_drawn(tmp_path, monkeypatch):
    sim, _ = resting_ball()
    with Recorder(sim, tmp_path) as recorder:
        sim.run(0.01, on_step=recorder)
    with Results(tmp_path) as results:
        monkeypatch.setattr(Results, "columns", results.columns[:13])
        assert results.work == {}
        assert len(plots.energy(results).axes) == 1
