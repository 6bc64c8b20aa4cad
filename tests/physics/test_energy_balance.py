"""The balance of energy: the ledger closes to rounding, and each cause is what theory says."""

from __future__ import annotations

import importlib.util
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import amontons as am
from amontons._jit import CHUNK
from amontons.algebra.rotations import rotation_matrices
from amontons.dynamics.contact_laws import ContactPlaces
from amontons.dynamics.energy_ledger import (
    CAUSES,
    MOTOR,
    OF_BODIES,
    OF_CONTACTS,
    OF_JOINTS,
    RIGID,
    Inertias,
    Velocities,
    room_for_sums,
    total_of,
    work_of_contacts,
    work_of_rows,
    work_on_bodies,
)
from amontons.dynamics.joints.law import NO_ROWS
from amontons.dynamics.joints.step import Targets
from amontons.dynamics.joints.tables import RowArrays
from amontons.scenes import BouncingBalls, Chain, Conveyor, Drum, Shaker, Vehicle, WalkingRobot
from helpers.paths import ROOT

G, H = 9.81, 1e-3
FOLDER = ROOT / "benchmarks"


@pytest.fixture(scope="module")
def benchmark():
    """The script that prints the table of docs/dynamics.md."""
    sys.path.insert(0, str(FOLDER))
    try:
        spec = importlib.util.spec_from_file_location(
            "energy_balance", FOLDER / "energy_balance.py"
        )
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(FOLDER))
    return module


def table_of_rows(rng, rows):
    """A table of springs of random stiffness and damping; the rest of it is nobody's business."""
    stiffness, damping = rng.uniform(0.0, 9.0, (2, rows))
    rest = dict.fromkeys(RowArrays._fields, np.empty(0))
    return RowArrays(**(rest | {"sign": np.ones(rows), "stiffness": stiffness, "damping": damping}))


def gap(sim):
    """Largest energy that no cause accounts for, by the energy turned over."""
    readings = sim.readings
    work = readings.work
    assert tuple(work) == CAUSES
    flows = [*work.values(), readings.potential_energy]
    turnover = sum(np.abs(np.diff(values)).sum() for values in flows)
    return np.abs(readings.energy - sum(work.values())).max() / turnover


# -- the identity ---------------------------------------------------------------------------------


def unit_rows(rng, count, width):
    rows = rng.standard_normal((count, width))
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def cross_impulse(arm, force):
    return np.concatenate([force, np.cross(arm, force)], axis=1)


@pytest.mark.parametrize("form", ["serial", "parallel"])
@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    count=st.integers(2, 7),
    contacts=st.integers(1, 12),
    rows=st.integers(1, 8),
    torques=st.booleans(),
    dragged=st.booleans(),
)
def test_works_of_any_impulses_add_up_to_the_change_of_energy(
    form, seed, count, contacts, rows, torques, dragged
):
    """ΔK = Σ P·v̄, whatever the impulses: of loads, drag, contacts, joints; some bodies driven."""
    rng = np.random.default_rng(seed)
    h, gravity = 0.01, rng.standard_normal(3)
    mass = rng.uniform(0.5, 5.0, count)
    squares = rng.uniform(0.1, 1.0, (count, 3))
    turn = unit_rows(rng, count, 4)
    own = np.einsum("ni,ij->nij", squares.sum(axis=1, keepdims=True) - squares, np.eye(3))
    R = rotation_matrices(turn)
    inertia = np.einsum("nij,njk,nlk->nil", R, own, R)
    driven = rng.uniform(size=count) < 0.3
    driven[0] = False
    mass[driven] = np.inf
    own[driven] = 0.0
    inverse_mass = 1.0 / mass
    before, wrench = rng.standard_normal((2, count, 6))
    bodies = np.array(
        [rng.choice(count, 2, replace=False) for _ in range(contacts)], dtype=np.int32
    )
    normals = unit_rows(rng, contacts, 3)
    arms_a, arms_b = rng.standard_normal((2, contacts, 3))
    impulses = rng.standard_normal((contacts, 6 if torques else 3))
    cohesion = rng.uniform(0.0, 1.0, contacts)
    joined = np.array([rng.choice(count, 2, replace=False) for _ in range(rows)], dtype=np.int32)
    joined[0, 1] = -1
    jacobian, pulls = rng.standard_normal((rows, 12)), rng.standard_normal(rows)
    drag = rng.standard_normal((count, 6)) * dragged

    # what all of them do together
    total = h * wrench + drag
    total[:, :3] += np.where(driven, 0.0, h * np.where(driven, 0.0, mass))[:, None] * gravity
    forces, pure = impulses[:, :3], impulses[:, 3:] if torques else np.zeros((contacts, 3))
    for side, sign, arms in ((0, -1.0, arms_a), (1, 1.0, arms_b)):
        push = cross_impulse(arms, forces)
        push[:, 3:] += pure
        np.add.at(total, bodies[:, side], sign * push)
        here = joined[:, side] >= 0
        at = jacobian[:, 6 * side : 6 * side + 6] * pulls[:, None]
        np.add.at(total, joined[here, side], at[here])

    def kicked(impulse):
        kick = np.zeros((count, 6))
        kick[:, :3] = inverse_mass[:, None] * impulse[:, :3]
        free = ~driven
        kick[free, 3:] = np.linalg.solve(inertia[free], impulse[free, 3:, None])[..., 0]
        return kick

    of_forces = h * wrench + drag
    of_forces[~driven, :3] += h * mass[~driven, None] * gravity
    after, star = before + kicked(total), before + kicked(of_forces)
    after[driven] = star[driven] = before[driven]

    def kinetic(twist):
        v, w = twist[~driven, :3], twist[~driven, 3:]
        turning = np.einsum("ni,nij,nj->", w, inertia[~driven], w)
        return 0.5 * float(mass[~driven] @ (v * v).sum(axis=1)) + 0.5 * turning

    mean, partial = np.empty((count, 6)), room_for_sums(count, len(OF_BODIES))
    getattr(work_on_bodies, form)(
        Velocities(before, before, star, after, after),
        Inertias(mass, own, np.zeros(count, bool), inverse_mass),
        wrench, gravity, turn, turn, dragged, h, mean, partial,
    )  # fmt: skip
    of_bodies = dict(zip(OF_BODIES, total_of(partial), strict=True))
    partial = room_for_sums(contacts, len(OF_CONTACTS) + 1)
    material, table = np.zeros(count, np.int32), np.array([[rng.choice([0.0, 0.1])]])
    getattr(work_of_contacts, form)(
        ContactPlaces(bodies, normals, arms_a, arms_b, rng.uniform(-0.1, 0.1, contacts)),
        impulses, cohesion, material, table, table, mean, after, inverse_mass, 0.5, h, partial,
    )  # fmt: skip
    # both ends driven: whatever passes between the two is their drives' alone
    of_contacts = dict(zip(OF_CONTACTS, total_of(partial), strict=False))
    partial = room_for_sums(rows, len(OF_JOINTS))
    order = np.arange(rows, dtype=np.int32)
    kind = rng.integers(RIGID, MOTOR + 1, rows).astype(np.uint8)
    getattr(work_of_rows, form)(
        NO_ROWS._replace(bodies=joined, jacobian=jacobian, offset=rng.standard_normal(rows)),
        pulls, order, kind, table_of_rows(rng, rows), Targets(*rng.standard_normal((2, rows))),
        mean, after, inverse_mass, h, partial,
    )  # fmt: skip
    of_joints = dict(zip(OF_JOINTS, total_of(partial), strict=True))

    fall = -h * float(mass[~driven] @ (after[~driven, :3] @ gravity))  # of the potential
    parts = [of_bodies, of_contacts, of_joints]
    found = sum(sum(part.values()) for part in parts)
    size = kinetic(before) + kinetic(after) + sum(abs(v) for part in parts for v in part.values())
    assert found == pytest.approx(kinetic(after) - kinetic(before) + fall, abs=1e-12 * size)
    assert dragged or of_bodies["drag"] == 0.0


def test_sums_do_not_depend_on_the_number_of_threads():
    rng = np.random.default_rng(3)
    count, contacts, threads = 50, 3 * CHUNK + 5, am.get_threads()
    bodies = rng.integers(0, count, (contacts, 2)).astype(np.int32)
    vectors, twist = rng.standard_normal((4, contacts, 3)), rng.standard_normal((count, 6))
    none, table = np.empty(0), np.zeros((1, 1))
    sums = []
    try:
        for number in (1, am.max_threads()):
            am.set_threads(number)
            partial = room_for_sums(contacts, len(OF_CONTACTS) + 1)
            work_of_contacts.parallel(
                ContactPlaces(bodies, *vectors[:3], np.zeros(contacts)), vectors[3], none,
                np.zeros(count, np.int32), table, table, twist, twist, np.ones(count), 1.0, H,
                partial,
            )  # fmt: skip
            sums.append(total_of(partial))
    finally:
        am.set_threads(threads)
    assert sums[0] == sums[1]
    assert sums[0][0] != 0.0


# -- scenes ---------------------------------------------------------------------------------------

THEORY = {
    "belt": 1e-6,
    "incline": 1e-6,
    "bounce, e = 0": 1e-9,
    "bounce, e = 0.5": G * H / (2.0 * G) ** 0.5,  # gravity acts on in the step of the impact
    "spring and damper": 1e-6,
    "torque on a rod": 1e-5,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", [*THEORY, "driven pendulum", "gear train"])
def test_balances_close_and_agree_with_theory(benchmark, name):
    balance = benchmark.SCENES[name]()
    assert balance.gap < 1e-12
    heat = balance.sim.readings.dissipated_energy
    # never less, but where a damper turns round within a step: third order in h
    assert np.diff(heat).min() >= -1e-7 * balance.turnover
    if name in THEORY:
        assert balance.expected
        assert balance.wrong < THEORY[name]


SCENES = {
    "drum": (Drum(40), 0.5),
    "conveyor": (Conveyor(2, rollers=10), 0.5),
    "shaker": (Shaker(40, large=2), 0.15),
    "balls": (BouncingBalls(12, height=0.2), 0.5),
    "vehicle": (Vehicle(3), 0.3),
    "robot": (WalkingRobot(), 0.3),
    "chain": (Chain(), 0.3),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SCENES)
def test_balances_of_scenes_close(name):
    scene, time = SCENES[name]
    sim = am.Simulation(scene.build(), step=scene.advice.step, solver=scene.advice.make_solver())
    sim.run(time)
    assert gap(sim) < 1e-12
    heat, work = sim.readings.dissipated_energy, sim.readings.work
    assert heat[-1] > 0.0
    # never less, but for the solver's tolerance
    turnover = sum(np.abs(np.diff(values)).sum() for values in work.values())
    assert np.diff(heat).min() >= -scene.advice.tolerance * turnover
    moved = {"drum": "drives", "conveyor": "drives", "vehicle": "motors", "robot": "motors"}
    if name in moved:
        assert work[moved[name]][-1] > 0.0
