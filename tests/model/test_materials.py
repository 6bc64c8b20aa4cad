"""Materials, the rules that combine two of them, and pairs that are told apart."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import amontons as am
from amontons.model.materials import PROPERTIES, RULES, USUAL_RULES, Materials

RUBBER = am.Material(
    friction=0.8, static_friction=1.0, rolling_friction=0.02, spinning_friction=0.01,
    cohesion=5.0, restitution=0.7, compliance=1e-4, damping=0.02,
)  # fmt: skip
STEEL = am.Material(
    friction=0.3, static_friction=0.4, rolling_friction=0.001, spinning_friction=0.003,
    cohesion=0.5, restitution=0.9, compliance=1e-7, damping=0.001,
)  # fmt: skip

BY_HAND = {
    "minimum": min,
    "maximum": max,
    "mean": lambda a, b: (a + b) / 2,
    "product": lambda a, b: a * b,
    "geometric": lambda a, b: math.sqrt(a * b),
    "sum": lambda a, b: a + b,
}


def made_of(rules, *members):
    materials = Materials(rules)
    numbers = [materials.number(member) for member in members]
    return materials, numbers


def test_usual_rules():
    materials, (i, j) = made_of(None, RUBBER, STEEL)
    assert set(USUAL_RULES) == set(PROPERTIES)
    for name in PROPERTIES:
        both = getattr(materials.table, name)
        by_hand = BY_HAND[USUAL_RULES[name]](getattr(RUBBER, name), getattr(STEEL, name))
        assert both[i, j] == both[j, i] == pytest.approx(by_hand), name
    assert materials.table.compliance[i, i] == pytest.approx(2e-4)  # two springs in a row
    assert materials.table.friction[i, i] == 0.8


@pytest.mark.parametrize(
    ("name", "rule"), [*itertools.product(["friction", "rolling_friction", "cohesion"], RULES)]
)
def test_every_rule(name, rule):
    materials, (i, j) = made_of({name: rule}, RUBBER, STEEL)
    by_hand = BY_HAND[rule](getattr(RUBBER, name), getattr(STEEL, name))
    assert getattr(materials.table, name)[i, j] == pytest.approx(by_hand)


def test_bodies_have_materials_one_each():
    world = am.World()
    floor = world.add_body(am.Plane(), fixed=True, material=STEEL)
    ids = world.add_bodies(
        am.Sphere(0.1), position=np.eye(3), mass=1.0, material=[RUBBER, None, STEEL]
    )
    numbers = [world.bodies.material[world.index_of(int(each))] for each in ids]
    assert [world.materials.list[number] for number in numbers] == [RUBBER, am.Material(), STEEL]
    assert world.bodies.material[floor.index] == numbers[2]
    again = world.add_bodies(am.Sphere(0.1), position=np.eye(3), mass=1.0, material=RUBBER)
    assert [world.bodies.material[world.index_of(int(each))] for each in again] == [numbers[0]] * 3


@pytest.mark.parametrize(
    ("material", "words"),
    [
        ([RUBBER], "1 materials for 3 bodies"),
        ([RUBBER, "steel", STEEL], r"material\[1\] must be an amontons.Material, got 'steel'"),
        ("steel", "material must be an amontons.Material, got 'steel'"),
        (0.3, "material must be an amontons.Material, got 0.3"),
    ],
)
def test_materials_that_do_not_fit_are_refused(material, words):
    world = am.World()
    with pytest.raises(am.InputError, match=words):
        world.add_bodies(am.Sphere(0.1), position=np.eye(3), mass=1.0, material=material)
    assert len(world.bodies) == 0
    assert not world.materials.list


def test_one_each_slides_as_its_own_material_says():
    world = am.World()
    world.add_body(am.Plane(), fixed=True, material=am.Material(friction=1.0))
    rough = [am.Material(friction=mu) for mu in (0.1, 0.4)]
    places = [(0, 0, 0.05), (0, 1, 0.05)]
    world.add_bodies(
        am.Box.cube(0.1), position=places, velocity=(1, 0, 0), mass=1.0, material=rough
    )
    sim = am.Simulation(world, step=1e-3, friction="exact")
    sim.run(0.1)
    assert sim.bodies.velocity[1:, 0] == pytest.approx(
        1.0 - 9.81 * 0.1 * np.array([0.1, 0.4]), rel=1e-2
    )


def test_static_friction_follows_the_rule_of_friction():
    materials, (i, j) = made_of({"friction": "maximum"}, RUBBER, STEEL)
    assert materials.table.static_friction[i, j] == 1.0
    materials, (i, j) = made_of({"friction": "maximum", "static_friction": "mean"}, RUBBER, STEEL)
    assert materials.table.static_friction[i, j] == pytest.approx(0.8)  # not the mean 0.7


@pytest.mark.parametrize("rules", [*itertools.product(RULES, RULES)])
def test_no_rule_makes_energy_or_sticks_less_than_it_slides(rules):
    friction, static = rules
    chosen = {"friction": friction, "static_friction": static, "restitution": friction}
    materials, _ = made_of(chosen, RUBBER, STEEL, am.Material())
    assert materials.table.restitution.max() <= 1.0
    assert (materials.table.static_friction >= materials.table.friction).all()


def test_a_pair_is_told_apart_whatever_the_rules():
    materials, (i, j) = made_of({"friction": "sum"}, RUBBER, STEEL)
    wet = am.Material(friction=0.05, restitution=0.1)
    materials.set_pair(RUBBER, STEEL, wet)
    for name in PROPERTIES:
        table = getattr(materials.table, name)
        assert table[i, j] == table[j, i] == wet.property(name), name
    assert materials.table.friction[i, i] == pytest.approx(1.6)
    later = materials.number(am.Material(friction=0.1))  # pairs outlive new materials
    assert materials.table.friction[i, j] == 0.05
    assert materials.table.friction[i, later] == pytest.approx(0.9)


def test_equal_materials_are_one():
    materials, numbers = made_of(None, am.Material(friction=0.2), am.Material(friction=0.2), None)
    assert numbers == [0, 0, 1]
    assert materials.list == [am.Material(friction=0.2), am.Material()]


def test_a_pair_acts_in_a_world():
    """Ice and wood slide; ice and ice, told apart, stick."""
    ice, wood = am.Material(friction=0.0), am.Material(friction=1.0)
    slid = {}
    for pair in (False, True):
        world = am.World(gravity=(3.0, 0.0, -9.81))
        world.add_body(am.Plane(), fixed=True, material=ice)
        body = world.add_body(am.Box.cube(0.2), mass=1.0, position=(0, 0, 0.1), material=wood)
        if pair:
            world.set_contact(wood, ice, am.Material(friction=0.9))
        am.Simulation(world, step=1e-3).run(0.1)
        slid[pair] = body.velocity[0]
    assert slid[False] == pytest.approx(0.3, rel=1e-6)
    assert abs(slid[True]) < 1e-6


REFUSED = {name: ({name: -0.1}, f"{name} is -0.1; it must not be negative") for name in PROPERTIES}
REFUSED |= {f"nan {name}": ({name: math.nan}, f"{name} is nan") for name in PROPERTIES}
REFUSED |= {
    "bouncy": ({"restitution": 1.1}, "more than 1 would create energy"),
    "slippery at rest": (
        {"friction": 0.5, "static_friction": 0.4}, "static_friction 0.4 is below friction 0.5"),
    "text": ({"friction": "rough"}, "friction must be a number"),
    "none": ({"friction": None}, "friction must be a number"),
    "truth": ({"cohesion": True}, "cohesion must be a number"),
    "vector": ({"friction": (0.5, 0.4)}, "friction must be a number"),
}  # fmt: skip


@pytest.mark.parametrize(("options", "match"), REFUSED.values(), ids=REFUSED.keys())
def test_bad_materials(options, match):
    with pytest.raises(am.InputError, match=match):
        am.Material(**options)


def test_bad_rules_and_pairs():
    with pytest.raises(am.InputError, match="no material has 'colour'; choose from friction"):
        am.World(rules={"colour": "mean"})
    for rule in ("median", ["mean"], None):
        with pytest.raises(am.InputError, match=r"unknown rule .* choose from minimum"):
            am.World(rules={"friction": rule})
    world = am.World()
    for arguments in ((RUBBER, STEEL, 0.3), (RUBBER, "steel", STEEL), (3, STEEL, STEEL)):
        with pytest.raises(am.InputError, match=r"must be an amontons\.Material"):
            world.set_contact(*arguments)
    assert np.isfinite(am.World(rules={"friction": "mean"}).materials.table.friction).all()
