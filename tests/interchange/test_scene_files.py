"""Scene files: round trips bit for bit, what they can say, and what they refuse to hold."""

import dataclasses
import inspect
import json
import math
import re
import runpy
import tomllib

import jsonschema
import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

import amontons as am
from amontons.interchange import (
    FileScene,
    Output,
    RunOptions,
    json_schema,
    load_scene,
    save_scene,
)
from amontons.interchange.file_scene import file_scene, scene_data
from amontons.interchange.joint_fields import JOINTS, LOADS, MOTORS
from amontons.interchange.shape_fields import SHAPES
from amontons.interchange.text import to_toml, to_yaml
from amontons.interchange.toml_text import parse_toml
from amontons.interchange.yaml_text import parse_yaml
from amontons.model import forces, joints
from amontons.model.signals import Components, Schedule, Wave
from amontons.scenes import SCENES
from helpers.joint_samples import SAMPLES
from helpers.paths import ROOT
from helpers.scene_files import again, assert_same_world
from helpers.small_scenes import SMALL

ENDINGS = ("yaml", "toml")
VALIDATOR = jsonschema.Draft202012Validator(json_schema())


# -- round trips ----------------------------------------------------------------------------------


WALKS = "walking_robot"
"""The scene whose motors follow a gait that only Python can compute."""


@pytest.mark.slow
@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("kind", [SCENES[name] for name in SCENES if name != WALKS])
def test_every_scene_comes_back_from_its_file(kind, ending, tmp_path):
    scene, path = kind(), tmp_path / f"scene.{ending}"
    save_scene(scene, path)
    loaded = load_scene(path)
    assert_same_world(scene.build(), loaded.world)
    assert loaded.advice == scene.advice
    assert (loaded.name, loaded.summary) == (scene.name, scene.summary)
    assert scene_data(loaded) == scene_data(scene)
    text = path.read_text()
    VALIDATOR.validate(yaml.safe_load(text) if ending == "yaml" else tomllib.loads(text))


def test_a_scene_that_computes_as_it_goes_is_refused(tmp_path):
    with pytest.raises(am.InputError, match=r"motor: position is a Python function"):
        save_scene(SCENES[WALKS](), tmp_path / "walk.yaml")


@pytest.mark.slow
@pytest.mark.parametrize(
    "scene", [each for each in SMALL if each.name != WALKS], ids=lambda scene: scene.name
)
def test_a_run_from_a_file_is_the_run_from_python(scene, tmp_path):
    save_scene(scene, tmp_path / "scene.yaml")
    mine = am.Simulation(scene.build(), step=scene.advice.step, solver=scene.advice.make_solver())
    theirs = load_scene(tmp_path / "scene.yaml").simulation()
    for _ in range(20):
        mine.step()
        theirs.step()
    for name in mine.bodies.columns.names:
        here, there = mine.bodies.columns[name], theirs.bodies.columns[name]
        assert here.tobytes() == there.tobytes(), name
    assert mine.contacts.force.tobytes() == theirs.contacts.force.tobytes()


def everything():
    """A world with something of every kind."""
    rng = np.random.default_rng(7)
    world = am.World(gravity=(0.1, -0.0, -9.81), rules={"friction": "mean", "damping": "sum"})
    wood, ice = am.Material(friction=0.4, static_friction=0.6), am.Material(friction=0.01)
    world.set_contact(wood, ice, am.Material(friction=0.2, rolling_friction=1e-3))
    cloud = rng.standard_normal((40, 3))
    tetrahedron = am.TriangleMesh(
        [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)]
    )
    shapes = [
        am.Sphere(0.1), am.Box((0.1, 0.2, 0.3)), am.Capsule(0.1, 0.3), am.Cylinder(0.2, 0.1),
        am.Cone(0.1, 0.4), am.Ellipsoid((0.1, 0.2, 0.3)), am.ConvexHull(cloud), tetrahedron,
        am.Compound([(am.Sphere(0.1), (1, 0, 0)), (am.ConvexHull(cloud), (0, 0, 1), (1, 2, 3, 4))]),
    ]  # fmt: skip
    ground = am.HeightField(rng.standard_normal((4, 5)), extent=(3.0, 4.0))
    world.add_body(ground, fixed=True, material=ice, name="ground")
    world.add_body(am.Plane((0, 1, 1), 0.5), fixed=True, name='an "odd" näme: {')
    for i, shape in enumerate(shapes):
        turn = rng.standard_normal(4)
        world.add_body(
            shape, mass=rng.uniform(0.1, 5.0), position=rng.standard_normal(3), material=wood,
            orientation=turn / np.linalg.norm(turn), velocity=rng.standard_normal(3),
            angular_velocity=rng.standard_normal(3), group=i + 1, mask=2**i,
        )  # fmt: skip
    odd = world.add_body(
        am.Sphere(0.2), mass=2.0, inertia=(0.3, 0.2, 0.4), centre=(0.1, 0, 0), placed_by="frame"
    )
    world.bodies.force[odd.index] = 1 / 3
    world.bodies.columns["still"][odd.index] = 0.1
    turns = rng.standard_normal((20, 4))
    many = world.add_bodies(
        am.Sphere(0.05), position=rng.standard_normal((20, 3)),
        orientation=turns / np.linalg.norm(turns, axis=1, keepdims=True),
        density=rng.uniform(900, 1100, 20), mask=0,
    )  # fmt: skip
    world.add_bodies(
        am.Sphere(0.05), position=rng.standard_normal((3, 3)), motion=am.Motion(velocity=(1, 2, 3))
    )
    world.add_joint(am.Revolute(None, odd, point=(0, 0, 0), axis=(1, 2, 3), name="hinge"))
    world.add_force(am.AppliedForce(odd, (1, 2, 3), point=(0.1, 0, 0), frame="body"))
    world.add_force(am.AppliedTorque(odd, (1, 2, 3)))
    world.add_force(am.Drag(many[:3].tolist(), linear=0.1))
    world.add_force(am.Drag(linear=0.1, name="air"))
    world.remove_bodies([3, int(many[4]), int(world.next_id) - 1])
    return world


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_world_with_everything_comes_back(ending, tmp_path):
    world = everything()
    back = again(world, tmp_path, ending)
    # body 3 was the only box: a file holds no shape that nobody has
    kept = [i for i in range(len(world.shapes)) if i in world.bodies.shape]
    world.bodies.columns["shape"][:] = np.searchsorted(kept, world.bodies.shape)
    world.shapes = [world.shapes[i] for i in kept]
    world.origins = [world.origins[i] for i in kept]
    assert_same_world(world, back)
    told = yaml.safe_load((tmp_path / "world.yaml").read_text()) if ending == "yaml" else None
    if told is not None:
        VALIDATOR.validate(told)


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("name", SAMPLES)
def test_every_joint_comes_back(name, ending, tmp_path):
    world = am.World()
    world.add_bodies(am.Sphere(0.1), mass=1.0, position=[(0, 0, 0), (2, 0, 0)])
    world.add_joint(SAMPLES[name])
    if name in ("prismatic-motor", "distance-driven"):
        with pytest.raises(am.InputError, match=r"Python function"):
            again(world, tmp_path, ending)
        assert not (tmp_path / f"world.{ending}").exists()
    else:
        assert_same_world(world, again(world, tmp_path, ending))


numbers = st.floats(-1e6, 1e6)


@given(
    places=st.lists(st.tuples(numbers, numbers, numbers), min_size=1, max_size=6),
    masses=st.lists(st.floats(1e-6, 1e6), min_size=6, max_size=6),
    turn=st.tuples(*[st.floats(-1, 1)] * 4).filter(lambda q: math.hypot(*q) > 0.1),
    ending=st.sampled_from(ENDINGS),
    name=st.text(st.characters(blacklist_categories=("Cs", "Cc")), min_size=1),
)
@settings(max_examples=60, deadline=None)
def test_any_numbers_and_names_come_back(tmp_path_factory, places, masses, turn, ending, name):
    world = am.World()
    unit = np.array(turn) / np.linalg.norm(turn)
    world.add_bodies(
        am.Box((0.1, 0.2, 0.3)), position=places, mass=masses[: len(places)], orientation=unit
    )
    world.add_body(am.Sphere(abs(places[0][0]) + 1e-9), mass=masses[0], name=name)
    assert_same_world(world, again(world, tmp_path_factory.mktemp("any"), ending))


@pytest.mark.parametrize("ending", ENDINGS)
def test_functions_of_time_that_can_be_written_down_come_back(ending, tmp_path):
    world = am.World()
    moved = am.Motion(
        velocity=Components((0.0, Wave(amplitude=2.0, rate=3.0, phase=0.1, mean=-1.0), 1.0)),
        angular_velocity=(0, 0, 1),
    )
    world.add_body(am.Sphere(0.1), motion=moved, name="driven")
    ball = world.add_body(am.Sphere(0.1), mass=1.0, position=(0, 0, 1), name="ball")
    bent = Schedule([(0.0, 1.0), (0.5, 2.0), (0.75, -1.0)])
    straight = Schedule([(0.0, 1.0), (2.0, 1.5)], smooth=False)
    motor = am.PositionMotor(position=bent)
    world.add_joint(am.Revolute(None, ball, point=(0, 0, 1), axis=(0, 1, 0), motor=motor))
    world.add_joint(am.Rope(0, ball, point_a=(0, 0, 0), point_b=(0, 0, 1), length=straight))
    world.add_force(am.AppliedForce(ball, Components((straight, 0.0, bent))))
    assert_same_world(world, again(world, tmp_path, ending))
    text = (tmp_path / f"world.{ending}").read_text()
    VALIDATOR.validate(yaml.safe_load(text) if ending == "yaml" else tomllib.loads(text))


def test_values_of_functions_of_time():
    bent = Schedule([(1.0, 2.0), (2.0, 4.0), (4.0, 0.0)])
    assert [bent(t) for t in (0, 1, 1.5, 2, 3, 9)] == [2, 2, 3, 4, 2, 0]
    assert bent(1.25) == pytest.approx(2 + 2 * (3 / 16 - 2 / 64))
    straight = Schedule([(1.0, 2.0), (2.0, 4.0)], smooth=False)
    assert straight(1.25) == 2.5
    assert Wave(amplitude=2.0, rate=math.pi, mean=1.0)(1.0) == pytest.approx(-1.0)
    assert Components((1, Wave(amplitude=3, rate=0), 2))(5.0) == (1, 3, 2)
    for points in ([], [(1, 2), (1, 3)], [(1, 2, 3)], [(0, math.nan)]):
        with pytest.raises(am.InputError, match="points"):
            Schedule(points)
    with pytest.raises(am.InputError, match="rate"):
        Wave(amplitude=1.0, rate=math.inf)
    with pytest.raises(am.InputError, match="three"):
        Components((1, 2))


def test_how_it_is_run_comes_back(tmp_path):
    world = am.World()
    world.add_body(am.Sphere(0.1), mass=1.0)
    run = RunOptions(
        time=0.3, step=am.AutomaticStep(largest=0.02), substeps=2, friction="exact",
        solver=am.SpectralGradient(cut=(0.2, 0.8), tolerance=1e-5, memory=3, time_limit=2.5),
        sleeping=am.Sleeping(speed=0.01), near=1e-3, recovery_speed=0.5, bounce_speed=0.1,
        watch="note",
    )  # fmt: skip
    scene = FileScene(world, "odd", "one ball", run, Output(rate=25.0, contacts=True))
    for ending in ENDINGS:
        save_scene(scene, tmp_path / f"s.{ending}")
        back = load_scene(tmp_path / f"s.{ending}")
        assert (back.run, back.output) == (scene.run, scene.output)
    sim = back.simulation()
    assert isinstance(sim.solver, am.ExactCoulomb)
    assert sim.solver.inner == run.solver
    assert sim.step_length == run.step
    assert sim.rules.watch == "note"
    other = back.simulation(dataclasses.replace(back.advice, step=1e-3, solver="apgd"))
    assert other.step_length == 1e-3
    assert isinstance(other.solver.inner, am.APGD)


def test_a_scene_gives_a_new_world_each_time():
    scene = file_scene(SCENES["chain"]())
    one, other = scene.build(), scene.build()
    one.bodies.position[:] = 0.0
    assert_same_world(other, scene.world)


# -- what a file can say --------------------------------------------------------------------------


def written(tmp_path, text, name="scene.yaml"):
    path = tmp_path / name
    path.write_text(text)
    return path


def test_grids_names_and_defaults(tmp_path):
    scene = load_scene(
        written(
            tmp_path,
            """
materials: {wood: {friction: 0.4}}
shapes:
  brick: {kind: box, size: [0.2, 0.1, 0.1]}
  pair: {kind: compound, parts: [{shape: brick}, {shape: brick, position: [0, 0, 1]}]}
bodies:
  - {shape: {kind: plane}, fixed: true}
  - {shape: brick, density: 1e3, grid: {count: [2, 1, 3], spacing: 0.5, start: [0, 0, 1]}}
  - {name: last, shape: pair, mass: 2, position: [5, 0, 0], material: wood}
joints:
  - {kind: rope, a: world, b: last, point_a: [5, 0, 2], point_b: [5, 0, 1]}
  - {kind: distance, a: 1, b: last, point_a: [0, 0, 1], point_b: [5, 0, 0]}
""",
        )
    )
    bodies = scene.world.bodies
    assert bodies.position[1:7].tolist() == [
        [0, 0, 1], [0.5, 0, 1], [0, 0, 1.5], [0.5, 0, 1.5], [0, 0, 2], [0.5, 0, 2],
    ]  # fmt: skip
    assert bodies.mass[1] == pytest.approx(2.0)
    assert scene.world.joints[0].bodies == (None, 7)
    assert scene.world.joints[1].bodies == (1, 7)
    assert scene.name == "scene"
    assert len(scene.world.body("last").shape.parts) == 2
    assert scene.run.solver is None
    usual = am.Simulation(scene.build(), step=scene.run.step)
    mine = scene.simulation()
    for sim in (usual, mine):
        sim.run(0.02)
    assert mine.bodies.position.tobytes() == usual.bodies.position.tobytes()
    changed = dataclasses.replace(scene.advice, tolerance=1e-6)
    assert scene.simulation(changed).solver.tolerance == 1e-6


def test_meshes_from_files(tmp_path):
    trimesh = pytest.importorskip("trimesh")
    (tmp_path / "meshes").mkdir()
    trimesh.creation.box((10, 20, 30)).export(tmp_path / "meshes" / "box.stl")
    path = written(
        tmp_path,
        """
bodies:
  - {shape: {kind: mesh, file: meshes/box.stl, scale: 0.01}, mass: 1}
  - {shape: {kind: hull, file: meshes/box.stl, scale: 0.01}, mass: 1, position: [1, 0, 0]}
""",
    )
    world = load_scene(path).world
    for shape in world.shapes:
        assert shape.volume == pytest.approx(0.1 * 0.2 * 0.3)
    save_scene(world, tmp_path / "copy.yaml")
    (tmp_path / "meshes" / "box.stl").unlink()
    assert_same_world(world, load_scene(tmp_path / "copy.yaml").world)


def test_yaml_is_that_of_version_1_2():
    text = "a: 1e-3\nb: no\nc: .5\nd: 010\ne: -.inf\nf: '1'\ng: 12:30:45\nh: ~\ni: 1e3\n"
    data, lines = parse_yaml(text, "x")
    assert data == {
        "a": 1e-3, "b": "no", "c": 0.5, "d": 10, "e": -math.inf, "f": "1", "g": "12:30:45",
        "h": None, "i": 1e3,
    }  # fmt: skip
    assert lines["e",] == 5


plain_data = st.recursive(
    st.booleans() | st.integers(-9, 9) | st.floats(allow_nan=False) | st.text("ab \"'#[]{}=.,:\\-"),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text("ab c.\"'#[=é", min_size=1, max_size=4), inner, max_size=3)
    ),
    max_leaves=12,
)


@pytest.mark.slow
@given(data=st.dictionaries(st.text("abc .#'", min_size=1, max_size=3), plain_data, max_size=4))
@settings(max_examples=200, deadline=None)
def test_any_plain_data_comes_back_from_yaml_and_toml(data):
    assert parse_yaml(to_yaml(data), "x")[0] == data if data else True
    mixed, lines = parse_toml(to_toml(data), "x")
    assert mixed == data
    text = to_toml(data).splitlines()
    for path, line in lines.items():
        if len(path) == 1:
            word = path[0]
            assert word in text[line - 1] or json.dumps(word) in text[line - 1]


# -- one description ------------------------------------------------------------------------------


def test_every_kind_of_the_model_is_described():
    def concrete(module):
        return {
            each
            for each in vars(module).values()
            if inspect.isclass(each) and not inspect.isabstract(each)
        }

    connections = {each for each in concrete(joints) if issubclass(each, joints.Connection)}
    springs = {each for each in concrete(forces) if issubclass(each, joints.Connection)}
    loads = {each for each in concrete(forces) if issubclass(each, forces.Load)}
    motors = {each for each in concrete(joints) if issubclass(each, joints.Motor)}
    assert set(JOINTS.classes) == connections | springs
    assert set(LOADS.classes) == loads - {am.Force}
    assert set(MOTORS.classes) == motors
    public = {getattr(am, name) for name in am.__all__}
    shapes = {each for each in public if inspect.isclass(each) and issubclass(each, am.Shape)}
    assert set(SHAPES.classes) == shapes - {am.Shape}


def test_the_schema_is_one_and_knows_right_from_wrong():
    jsonschema.Draft202012Validator.check_schema(json_schema())
    ball = {"shape": {"kind": "sphere", "radius": 0.1}, "mass": 1.0}
    assert VALIDATOR.is_valid({"bodies": [ball]})
    for wrong in (
        {"bodies": {}},
        {"bodies": [ball | {"colour": "red"}]},
        {"bodies": [ball | {"mass": -1.0}]},
        {"bodies": [ball | {"shape": {"kind": "ball", "radius": 0.1}}]},
        {"bodies": [{"mass": 1.0}]},
        {"joints": [{"kind": "revolute", "a": 0, "b": 1, "point": [0, 0], "axis": [0, 0, 1]}]},
        {"gravity": [0, 0]},
        {"run": {"solver": {"kind": "magic"}}},
    ):
        assert not VALIDATOR.is_valid(wrong), wrong


# -- what no file can hold ------------------------------------------------------------------------


def test_python_functions_are_named(tmp_path):
    def ball():
        world = am.World()
        return world, world.add_body(am.Sphere(0.1), mass=1.0, name="ball")

    world, body = ball()
    motor = am.SpeedMotor(speed=math.sin)
    world.add_joint(
        am.Revolute(None, body, point=(0, 0, 0), axis=(0, 0, 1), motor=motor, name="hip")
    )
    with pytest.raises(am.InputError, match=r"Revolute 'hip': motor: speed is a Python function"):
        save_scene(world, tmp_path / "w.yaml")
    world, body = ball()
    world.add_force(am.Force(body, lambda state: np.zeros((1, 6)), name="wind"))
    with pytest.raises(am.InputError, match=r"Force 'wind'"):
        save_scene(world, tmp_path / "w.yaml")
    world, body = ball()
    world.add_body(am.Sphere(0.1), motion=am.Motion(position=lambda t: (t, 0, 0)), name="moved")
    with pytest.raises(am.InputError, match=r"moved: motion: position is a Python function"):
        save_scene(world, tmp_path / "w.yaml")
    with pytest.raises(am.InputError, match=r"friction: exact"):
        RunOptions(solver=am.ExactCoulomb())
    with pytest.raises(am.InputError, match=r"\.yaml"):
        save_scene(world, tmp_path / "w.txt")
    assert not list(tmp_path.iterdir())


# -- docs -----------------------------------------------------------------------------------------

PAGE = ROOT / "docs" / "scene-files.md"


def test_the_docs_show_the_fields_as_they_are():
    text = PAGE.read_text()
    tables = runpy.run_path(str(PAGE.parent / "make_scene_tables.py"))
    shown = text.partition(tables["BEGIN"])[2].partition(tables["END"])[0]
    assert shown.strip() == tables["field_tables"]().strip(), "run docs/make_scene_tables.py"


def test_the_example_in_the_docs_runs(tmp_path):
    (example,) = re.findall(r"^```yaml\n(.*?)^```", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    scene = load_scene(written(tmp_path, example))
    assert len(scene.world.bodies) == 17
    VALIDATOR.validate(parse_yaml(example, "docs")[0])
    sim = scene.simulation()
    sim.run(0.05)
    assert sim.bodies.velocity[1, 2] < -0.2
