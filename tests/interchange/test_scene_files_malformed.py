"""Malformed scene files and arguments: one paragraph with file, line and field, exit code 2."""

import random
import re

import pytest

import amontons as am
from amontons.interchange import load_scene
from amontons.interchange.text import to_toml, to_yaml
from amontons.interchange.yaml_text import parse_yaml
from helpers.command_line import run, said
from helpers.robot_files import ROBOT
from helpers.scene_files import GOOD

TOML = """\
gravity = [0, 0, -9.81]

[materials]
wood = {friction = 0.4}

[[bodies]]
name = "floor"
shape = {kind = "plane"}
fixed = true

[[bodies]]
name = "ball"
shape = {kind = "sphere", radius = 0.2}
mass = 20
position = [0, 0, 2]
material = "wood"

[[joints]]
kind = "revolute"
a = "world"
b = "ball"
point = [0, 0, 3]
axis = [0, 1, 0]

[run]
step = 5e-3
solver = {kind = "apgd", tolerance = 1e-4}
"""

CHANGES = [
    # what, by what, field, words of the message
    ("amontons: 1", "amontons: 9", "amontons", "update amontons"),
    ("amontons: 1", "amontons: one", "amontons", "whole number"),
    ("name: crane", "name: 7", "name", "text"),
    ("name: crane", "nam: crane", "nam", "did you mean 'name'"),
    ("gravity: [0, 0, -9.81]", "gravity: [0, -9.81]", "gravity", "3 numbers, got 2"),
    ("gravity: [0, 0, -9.81]", "gravity: -9.81", "gravity", "3 numbers"),
    ("gravity: [0, 0, -9.81]", "gravity: [0, 0, .nan]", "gravity[2]", "nan"),
    ("gravity: [0, 0, -9.81]", "gravity:", "gravity", "is empty"),
    ("friction: 0.4", "friction: -0.4", "materials.wood.friction", "≥ 0"),
    ("friction: 0.4", "fricton: 0.4", "materials.wood.fricton", "did you mean 'friction'"),
    ("restitution: 0.2", "restitution: 1.2", "materials.wood.restitution", "≤ 1"),
    ("friction: mean", "friction: average", "rules.friction", "geometric"),
    ("[wood, ice]", "[wood, ics]", "pairs[0].between[1]", "did you mean 'ice'"),
    ("[wood, ice]", "[wood]", "pairs[0].between", "at least 2"),
    ("kind: box", "kind: bix", "shapes.brick.kind", "did you mean 'box'"),
    ("kind: box, ", "", "shapes.brick", "lacks 'kind'"),
    ("size: [0.2, 0.1, 0.1]", "size: [0.2, -0.1, 0.1]", "shapes.brick.size[1]", "above 0"),
    ("size: [0.2, 0.1, 0.1]", "size: big", "shapes.brick.size", "3 numbers"),
    ("fixed: true", "fixed: yes", "bodies[0].fixed", "true or false"),
    ("shape: {kind: plane}, ", "", "bodies[0]", "lacks 'shape'"),
    ("material: ice}", "material: water}", "bodies[0].material", "no material 'water'"),
    ("fixed: true", "mass: 3", "bodies[0]", "has no end"),
    ("name: ball", "name: floor", "bodies[1].name", "already a body called 'floor'"),
    ("radius: 0.2", "radius: 0", "bodies[1].shape.radius", "> 0"),
    ("radius: 0.2", "radius: 0.2, length: 1", "bodies[1].shape.length", "no field 'length'"),
    ("mass: 20", "mass: -20", "bodies[1].mass", "> 0"),
    ("mass: 20", "mass: .inf", "bodies[1].mass", "finite"),
    ("mass: 20", "mass: 1e400", "bodies[1].mass", "finite"),
    ("mass: 20", "mass: '20'", "bodies[1].mass", "must be a number, got '20'"),
    ("mass: 20", "mass: 20\n    density: 3", "bodies[1].mass", "either a mass or a density"),
    ("    mass: 20\n", "", "bodies[1]", "needs either a mass"),
    ("position: [0, 0, 2]", "position: [0, 0, 2]\n    grid: {}", "bodies[1].grid", "'count'"),
    ("orientation: [1, 0, 0, 0]", "orientation: [0, 0, 0, 0]", "bodies[1].orientation", "zeros"),
    ("orientation: [1, 0, 0, 0]", "orientation: [2, 0, 0, 0]", "bodies[1].orientation", "unit"),
    ("shape: brick", "shape: brik", "bodies[2].shape", "did you mean 'brick'"),
    ("spacing: 0.3", "spacing: [0.3, 0.3]", "bodies[2].grid.spacing", "3 numbers, got 2"),
    ("count: [2, 2, 3]", "count: [2, 0, 3]", "bodies[2].grid.count[1]", "from 1"),
    ("[0, 1, 0], [0, 0, 1]", "[0, 1, 0], [1, 1, 0]", "bodies[3].shape.points", "flat"),
    ("kind: hull, points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]",
     "kind: mesh, file: gone.stl", "bodies[3].shape.file", "no mesh file"),
    ("      - [4, 0, 1]", "      - [4, 0]", "bodies[3].positions[1]", "3 numbers, got 2"),
    ("mass: 1.5", "mass: [1.5, 1, 2]", "bodies[3].mass", "for 2 bodies"),
    ("mass: 1.5", "mass: 1.5\n    name: two", "bodies[3].name", "one body"),
    ("b: ball", "b: bal", "joints[0].b", "did you mean 'ball'"),
    ("b: ball", "b: 99", "joints[0].b", "no body 99"),
    ("a: world", "a: ball", "joints[0]", "two different bodies"),
    ("b: ball", "b: floor", "joints[0]", "neither of its ends"),
    ("kind: revolute", "kind: hinge", "joints[0].kind", "revolute"),
    ("axis: [0, 1, 0]", "axis: [0, 0, 0]", "joints[0].axis", "must not be zero"),
    ("    axis: [0, 1, 0]\n", "", "joints[0]", "lacks 'axis'"),
    ("limits: [-1, 2]", "limits: [1, 2]", "joints[0].limits", "count from there"),
    ("limits: [-1, 2]", "strength: {shear: -1}", "joints[0].strength.shear", "must be > 0"),
    ("limits: [-1, 2]", "strength: {pull: 1}", "joints[0].strength.pull", "has no field 'pull'"),
    ("limits: [-1, 2]", "strength: 5", "joints[0].strength", "must be a mapping"),
    ("limits: [-1, 2]", "break_time: -1", "joints[0].break_time", "must be ≥ 0"),
    ("limits: [-1, 2]", "limits: [2, -1]", "joints[0].limits", "above the high one"),
    ("{kind: speed, speed: 1.5, limit: 10}", "{kind: speed, limit: 10}", "joints[0].motor",
     "lacks 'speed'"),
    ("limit: 10", "limit: 0", "joints[0].motor.limit", "> 0"),
    ("body: ball", "body: world", "forces[0].body", "no body called 'world'"),
    ("force: [1, 0, 0]", "force: up", "forces[0].force", "3 numbers"),
    ("time: 0.1", "time: soon", "run.time", "must be a number"),
    ("step: 5e-3", "step: 0", "run.step", "> 0"),
    ("kind: apgd", "kind: newton", "run.solver.kind", "interior-point"),
    ("tolerance: 1e-4", "tolerance: -1", "run.solver.tolerance", "≥ 0"),
    ("tolerance: 1e-4", "toleranze: 1", "run.solver.toleranze", "did you mean 'tolerance'"),
    ("rate: 60", "rate: -60", "output.rate", "> 0"),
    ("bodies:", "boddies:", "boddies", "did you mean 'bodies'"),
    ("forces:", "forces: {}\nx:", "x", "no field 'x'"),
]  # fmt: skip

NO_SCENE = [
    ("a tab", GOOD.replace("    mass: 20", "\tmass: 20"), 16, "tab"),
    ("cut off", GOOD[: GOOD.index("limit: 10")], None, "not valid YAML"),
    ("a key twice", GOOD.replace("    mass: 20", "    mass: 20\n    mass: 21"), 17, "twice"),
    ("an alias", GOOD.replace("size: [0.2, 0.1, 0.1]", "size: &s [0.2, 0.1, 0.1], x: *s"), 11, "&"),
    ("indented anyhow", GOOD.replace("  time: 0.1", "     time: 0.1"), None, "not valid YAML"),
    ("a list", "- 1\n- 2\n", 1, "sections"),
    ("a word", "hello", 1, "sections"),
    ("nothing", "", 1, "nothing"),
    ("deep", "[" * 5_000, None, ""),
]


def one_paragraph(result, *words):
    """Assert that a result is bad input, told in one paragraph."""
    assert result.exit_code == 2, result.output
    assert isinstance(result.exception, SystemExit)
    assert len(said(result.stderr)) == 1, result.stderr
    assert "Traceback" not in result.stderr
    for word in words:
        assert str(word) in result.stderr, result.stderr


def test_the_good_ones_are_good(tmp_path):
    (tmp_path / "good.yaml").write_text(GOOD)
    (tmp_path / "good.toml").write_text(TOML)
    assert len(load_scene(tmp_path / "good.yaml").world.bodies) == 16
    assert len(load_scene(tmp_path / "good.toml").world.bodies) == 2


@pytest.mark.parametrize(("old", "new", "field", "words"), CHANGES)
def test_a_wrong_field_is_named_with_its_line(tmp_path, old, new, field, words):
    assert GOOD.count(old) >= 1
    path = tmp_path / "bad.yaml"
    text = GOOD.replace(old, new, 1)
    path.write_text(text)
    result = run("run", path, "--out", tmp_path / "out")
    one_paragraph(result, path, words, f", {field}: ")
    line = int(re.search(r"line (\d+)", result.stderr)[1])
    place = text.splitlines()[line - 1]
    last = re.sub(r"\[\d+\]", "", field).rpartition(".")[2]
    if field.endswith("]"):  # a row or an entry as a whole
        assert line > text[: text.index(f"{last}:")].count("\n")
    else:
        assert last in place
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("what", "text", "line", "words"), NO_SCENE, ids=[n[0] for n in NO_SCENE])
def test_text_that_is_no_scene(tmp_path, what, text, line, words):
    path = tmp_path / "bad.yaml"
    path.write_text(text)
    result = run("run", path, "--out", tmp_path / "out")
    one_paragraph(result, path, words, "line" if line is None else f"line {line}")


TOML_CHANGES = [
    ('mass = 20', 'mass = "20"', "bodies[1].mass", 14),
    ("radius = 0.2", "radius = -0.2", "bodies[1].shape.radius", 13),
    ("radius = 0.2", "radios = 0.2", "bodies[1].shape.radios", 13),
    ("axis = [0, 1, 0]", "axis = [\n  0,\n  1,\n]", "joints[0].axis", 23),
    ("a = \"world\"", "a = \"wall\"", "joints[0].a", 20),
    ("step = 5e-3", "step = 1979-05-27", "run.step", 26),
    ("tolerance = 1e-4", "tolerance = nan", "run.solver.tolerance", 27),
    ("[run]", "[rum]", "rum", 25),
    ("friction = 0.4", "friction = true", "materials.wood.friction", 4),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "field", "line"), TOML_CHANGES)
def test_toml_has_lines_too(tmp_path, old, new, field, line):
    path = tmp_path / "bad.toml"
    path.write_text(TOML.replace(old, new, 1))
    one_paragraph(run("run", path, "-o", tmp_path / "out"), f"{path}, line {line}, {field}: ")


@pytest.mark.parametrize(
    ("text", "line"), [("a = 1\nb = [1, 2\nc = 3\n", 3), ("a = 1\na = 2\n", 2), ("a = 'x", 1)]
)
def test_text_that_is_no_toml(tmp_path, text, line):
    path = tmp_path / "bad.toml"
    path.write_text(text)
    one_paragraph(run("run", path), f"{path}, line {line}: this is not valid TOML")


def test_bytes_that_are_no_text(tmp_path):
    path = tmp_path / "bad.yaml"
    path.write_bytes(b"bodies:\n  - \xff\xfe\x00")
    one_paragraph(run("run", path), f"{path}, line 2", "0xff")
    path.write_bytes(bytes(range(1, 128)))
    one_paragraph(run("run", path), path, "line 1")


def test_bad_arguments(tmp_path):
    good = tmp_path / "good.yaml"
    good.write_text(GOOD)
    one_paragraph(run("run", tmp_path / "none.yaml"), "none.yaml", "does not exist")
    one_paragraph(run("run", tmp_path / "none.urdf"), "none.urdf", "does not exist")
    one_paragraph(run("run", good, "--bodies", 3), "--bodies", "good.yaml")
    one_paragraph(run("run", good, "--seed", 3), "--seed")
    one_paragraph(run("run", good, "--set", "a=3"), "--set")
    one_paragraph(run("run", good, "--step", "-1"), "--step")
    one_paragraph(run("run", good, "--solver", "magic"), "magic")
    one_paragraph(run("scenes", "--file", tmp_path / "x.yaml"), "NAME")
    one_paragraph(run("scenes", "drum", "--file", tmp_path / "x.txt"), ".yaml")
    one_paragraph(run("scenes", "drum", "--file", tmp_path / "gone" / "x.yaml"), "does not exist")
    one_paragraph(run("scenes", "drum", "--set", "x=1", "--file", tmp_path / "x.yaml"), "'x'")
    (tmp_path / "folder.yaml").mkdir()
    one_paragraph(run("run", tmp_path / "folder.yaml"), "is a folder")
    one_paragraph(run("import", good, "--out", tmp_path / "x.yaml"), "good.yaml", "XML")
    assert not (tmp_path / "x.yaml").exists()


ROBOT_CHANGES = [
    ("</robot>", "", "line"),
    ("<robot", "<root", "<root>"),
    ('link="wheel"', 'link="wheal"', "'wheal'"),
    ("wedge.stl", "none.stl", "none.stl"),
    ('lower="-1.2" upper="0.9"', 'lower="1.2" upper="-0.9"', "shoulder"),
    ('xyz="1 2 0.5"', 'xyz="nan 0 0"', "shoulder"),
    ('<box size="0.4 0.3 0.1"/>', '<box size="0.4 0 0.1"/>', "base"),
]


@pytest.mark.parametrize(("old", "new", "words"), ROBOT_CHANGES)
def test_bad_robots(tmp_path, old, new, words):
    pytest.importorskip("yourdfpy")
    path = tmp_path / "bad.urdf"
    path.write_text(ROBOT.replace(old, new))
    one_paragraph(run("run", path, "-o", tmp_path / "out"), path, words)
    one_paragraph(run("import", path, "-o", tmp_path / "out.yaml"), path, words)


# -- at random ------------------------------------------------------------------------------------

WRONG = [
    None, True, -1, 0, 3, 10**400, 1.5, -1e300, float("nan"), float("inf"), "", "x", "world", [],
    [1], [[1, 2], [3]], {}, {"kind": "box"}, [0, 0, 0, 0], ["a", "b"], {"x": {"y": 1}},
]  # fmt: skip


def paths_of(data, path=()):
    """All places in plain data."""
    if path:
        yield path
    if isinstance(data, dict | list):
        for key in data if isinstance(data, dict) else range(len(data)):
            yield from paths_of(data[key], (*path, key))


def changed(data, rng):
    """Good data with one thing wrong (or right by chance)."""
    path = rng.choice(list(paths_of(data)))
    *outer, last = path
    place = data
    for key in outer:
        place = place[key]
    what = rng.randrange(4)
    if what == 0:
        del place[last]
    elif what == 1 and isinstance(last, str):
        place[last[:-1] + rng.choice("xyz")] = place.pop(last)
    elif what == 2 and isinstance(place, list):
        place.append(rng.choice(WRONG))
    else:
        place[last] = rng.choice(WRONG)
    return data


def scrambled(text, rng):
    """Good text with some letters gone, doubled or replaced, or cut off."""
    what = rng.randrange(3)
    if what == 0:
        return text[: rng.randrange(len(text))]
    letters = list(text)
    for _ in range(rng.randrange(1, 6)):
        place = rng.randrange(len(letters))
        letters[place] = rng.choice(["", "\t", ":", "]", "{", "\x00", "-", "\n", "é", "9", "'"])
    if what == 2:
        rows = "".join(letters).splitlines(keepends=True)
        rng.shuffle(rows[: rng.randrange(2, 8)])
        return "".join(rows)
    return "".join(letters)


def refused_or_good(path):
    """Load a file: it is good, or the error says where it is not."""
    try:
        load_scene(path)
    except (am.InputError, am.FileFormatError) as reason:
        message = str(reason)
        assert message.startswith(str(path)), message
        assert re.search(r"line \d+", message), message
        assert "\n" not in message
        assert len(message) < 1000
        return 1
    return 0


@pytest.mark.parametrize("seed", range(4))
def test_no_damage_gives_a_traceback(tmp_path, seed):
    rng = random.Random(seed)
    refused = 0
    for number in range(40):
        data = changed(parse_yaml(GOOD, "good")[0], rng)
        path = tmp_path / f"{number}.yaml"
        path.write_text(to_yaml(without_nothing(data, keep=True)))
        refused += refused_or_good(path)
        path = tmp_path / f"{number}.toml"
        path.write_text(to_toml(without_nothing(data, keep=False)))
        refused += refused_or_good(path)
        for text, ending in ((GOOD, "yaml"), (TOML, "toml")):
            path = tmp_path / f"{number}-text.{ending}"
            path.write_text(scrambled(text, rng))
            refused += refused_or_good(path)
    assert refused > 80


def without_nothing(data, keep):
    """Plain data as a format can say it: TOML has no word for nothing."""
    if isinstance(data, dict):
        return {
            key: without_nothing(value, keep)
            for key, value in data.items()
            if keep or value is not None
        }
    if isinstance(data, list):
        return [without_nothing(value, keep) for value in data if keep or value is not None]
    return "~" if data is None else data


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("e.yaml", "", "this has nothing"),
        ("e.toml", "", "this has nothing"),
        ("e.toml", "# a comment\n", "this has nothing"),
        ("d.yaml", "a: " + "[" * 1000 + "]" * 1000, "nested too deeply"),
        ("d.yaml", "a: " + "{a: " * 500 + "}" * 500, "nested too deeply"),
        ("d.yaml", "- " * 100_000, "nested too deeply"),
        ("d.yaml", "[" * 100_000, "nested too deeply"),
        ("d.toml", "a = " + "[" * 1000 + "]" * 1000, "nested too deeply"),
        ("i.toml", "amontons = " + "1" * 5000, "thousands of digits"),
        ("i.yaml", "amontons: " + "1" * 5000, "whole number"),
    ],
)
def test_hostile_texts_get_a_clear_error(name, text, said, tmp_path):
    (tmp_path / name).write_text(text)
    with pytest.raises(am.AmontonsError, match=said):
        am.load_scene(tmp_path / name)
