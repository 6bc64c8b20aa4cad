"""What a release needs: one version everywhere, and records that can be found."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path
from types import ModuleType

import yaml

import amontons

ROOT = next(up for up in Path(__file__).resolve().parents if (up / "pyproject.toml").is_file())

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
CHANGELOG = (ROOT / "CHANGELOG.md").read_text()


def test_the_version_is_that_of_the_installed_package():
    assert amontons.__version__ == metadata.version("amontons")
    assert re.match(r"\d+\.\d+", amontons.__version__)


def test_h5py_is_new_enough_to_survive_a_failed_write():
    """Before 3.13 a full disk left a run file that could not be opened any more."""
    (bound,) = (each for each in PROJECT["project"]["dependencies"] if each.startswith("h5py"))
    assert tuple(map(int, re.match(r"h5py>=(\d+)\.(\d+)$", bound).groups())) >= (3, 13)


def test_a_release_and_the_changelog_name_the_same_version():
    """Between releases the changelog begins with the coming one, at a release with its tag."""
    heading = re.search(r"^## (\d+\.\d+\.\d+) \((.+)\)$", CHANGELOG, re.MULTILINE)
    assert heading
    command = ["git", "describe", "--tags", "--exact-match", "--match", "v*"]
    tag = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout
    if tag:
        assert heading[1] == tag.strip().removeprefix("v")
        assert re.fullmatch(r"\d{4}-\d{2}-\d{2}", heading[2])
    else:
        fallback = PROJECT["tool"]["hatch"]["version"]["raw-options"]["fallback_version"]
        assert fallback == f"{heading[1]}.dev0"


def test_the_citation_is_that_of_this_package():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert citation["cff-version"] == "1.2.0"
    assert citation["license"] == PROJECT["project"]["license"]
    assert set(citation["keywords"]) >= {"contact", "friction"}
    assert [each["name"] for each in citation["authors"]] == [
        each["name"] for each in PROJECT["project"]["authors"]
    ]


def workflow(name):
    """A workflow of GitHub, and all commands that it runs."""
    content = yaml.safe_load((ROOT / ".github" / "workflows" / f"{name}.yml").read_text())
    jobs = content["jobs"].values()
    return content, [s["run"] for job in jobs for s in job.get("steps", []) if "run" in s]


def test_hosted_checks_are_those_of_the_script_and_no_others():
    content, commands = workflow("ci")
    assert commands == [".ci/run"]
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
    pythons = content["jobs"]["checks"]["strategy"]["matrix"]["python"]
    oldest = PROJECT["project"]["requires-python"].removeprefix(">=")
    assert pythons[0] == oldest
    assert pythons == workflow("release")[0]["jobs"]["wheels"]["strategy"]["matrix"]["python"]


def test_the_hosted_docs_are_built_as_the_script_builds_them():
    script = (ROOT / ".ci" / "run").read_text()
    _, commands = workflow("docs")
    built = [command for command in commands if "sphinx-build" in command]
    assert len(built) == 1
    assert f"\n{built[0]}\n" in script
    for each in ("wheel", "matrix"):
        assert f"\n.ci/{each}\n" in script
        assert os.access(ROOT / ".ci" / each, os.X_OK)


def test_a_release_is_published_only_after_the_checks():
    content, commands = workflow("release")
    jobs = content["jobs"]
    assert jobs["checks"]["uses"] == "./.github/workflows/ci.yml"
    assert set(jobs["publish"]["needs"]) == set(jobs) - {"publish"}
    (built,) = [step for step in jobs["wheels"]["steps"] if "pip wheel" in step.get("run", "")]
    assert built["env"] == {hatch_build().SWITCH: "1"}
    assert any("grep compiling said" in command for command in commands)


def hatch_build():
    """The build hook; hatchling, of which it is a plug-in, need not be installed."""
    source = (ROOT / "hatch_build.py").read_text()
    plain = re.sub(r"^from hatchling.*$", "BuildHookInterface = object", source, flags=re.MULTILINE)
    module = ModuleType("hatch_build")
    exec(compile(plain, "hatch_build.py", "exec"), vars(module))
    return module


def test_kernels_are_built_only_where_they_are_asked_for(monkeypatch):
    hook = hatch_build().KernelsInTheWheel()
    data = {"force_include": {}}
    for value in (None, "", "0"):
        monkeypatch.delenv(hatch_build().SWITCH, raising=False)
        if value is not None:
            monkeypatch.setenv(hatch_build().SWITCH, value)
        hook.initialize("standard", data)
        assert hook.dependencies() == []
    monkeypatch.setenv(hatch_build().SWITCH, "1")
    hook.initialize("editable", data)  # an editable install has no kernels, whatever is asked
    assert data == {"force_include": {}}


def test_a_wheel_with_kernels_is_for_this_interpreter_on_this_system(monkeypatch):
    module = hatch_build()
    monkeypatch.setattr(module.sysconfig, "get_platform", lambda: "linux-x86_64")
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    assert module.wheel_tag() == f"{python}-{python}-manylinux_2_17_x86_64"
    monkeypatch.setattr(module.sysconfig, "get_platform", lambda: "macosx-14.0-arm64")
    assert module.wheel_tag() == f"{python}-{python}-macosx_14_0_arm64"


def test_decision_records_are_numbered_listed_and_complete():
    folder = ROOT / "docs" / "decisions"
    records = sorted(folder.glob("[0-9]*.md"))
    index = (folder / "index.md").read_text()
    assert [int(each.name[:4]) for each in records] == list(range(1, len(records) + 1))
    assert len(records) >= 12
    for record in records:
        text = record.read_text()
        titles = re.findall(r"^## (.*)$", text, re.MULTILINE)
        assert titles == ["Context", "Decision", "Consequences", "Alternatives"], record.name
        assert f"]({record.name})" in index
        assert f"\n{record.stem}\n" in index  # the table of contents


def test_records_and_contributing_link_to_what_is_there():
    pages = [ROOT / "CONTRIBUTING.md", *(ROOT / "docs" / "decisions").glob("*.md")]
    links = 0
    for page in pages:
        for name in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
            assert (page.parent / name).exists(), f"{page.name} links to {name}"
            links += 1
    assert links > 30
