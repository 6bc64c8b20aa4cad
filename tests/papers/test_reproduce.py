"""The frame of `amontons reproduce`: bands, notebooks, pages, and the command."""

import json
import math
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import amontons as am
from amontons_papers import (
    EXPERIMENTS,
    Band,
    Experiment,
    Notebook,
    Outcome,
    command,
    find_experiment,
    reproduce,
)
from amontons_papers import registry as registered
from amontons_papers.outcome import kept_outcome
from amontons_papers.page import overview, page
from helpers.command_line import run

finite = st.floats(-1e6, 1e6)


class Passing(Experiment):
    """One that passes."""

    name = "passing"
    paper = 2
    shows = "figure 0"
    summary = "one band that holds"
    minutes = 0.01

    def run(self, notebook):
        notebook.say("halfway", 0.5)
        notebook.band("speed [m/s]", self.pick(1.0, 2.0, 3.0), paper="2.5", low=0.0, reason="why")
        notebook.table("Numbers", ("a", "b"), [(1, None), ("x|y", 0.123456)])
        notebook.data("curve", x=[1.0, 2.0])
        notebook.differs("Nothing much.")


class Failing(Passing):
    name = "failing"

    def run(self, notebook):
        notebook.band("height [m]", 7.0, paper="1", high=1.0, reason="it is too high")


class Broken(Passing):
    name = "broken"

    def run(self, notebook):
        raise am.InputError("the bed has no floor")


@pytest.fixture
def registry(monkeypatch):
    """Three experiments instead of the papers'."""
    kinds = {kind.name: kind for kind in (Passing, Failing, Broken)}
    monkeypatch.setattr(registered, "EXPERIMENTS", kinds)
    return kinds


@given(ours=finite, low=finite, width=st.floats(0.0, 1e6))
def test_a_band_passes_exactly_within_its_limits(ours, low, width):
    band = Band("q", ours, "p", low, low + width)
    assert band.passed == (low <= ours <= low + width)


def test_nan_never_passes_and_a_band_without_limits_is_refused(tmp_path):
    assert not Band("q", math.nan, "p", -math.inf, 1.0).passed
    assert not Band("q", math.nan, "p", 0.0, 1.0).passed
    with pytest.raises(am.InputError, match="could not fail"):
        Notebook(tmp_path).band("q", 1.0, paper="p")


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [(-math.inf, 2.0, "≤ 2"), (3.0, math.inf, "≥ 3"), (1.0, 2.5, "1 to 2.5")],
)
def test_bands_say_their_range(low, high, words):
    assert Band("q", 1.0, "p", low, high).range == words


def test_a_row_that_does_not_fit_its_table_is_refused(tmp_path):
    with pytest.raises(am.InputError, match="2 cells, not 3"):
        Notebook(tmp_path).table("T", ("a", "b", "c"), [(1, 2)])


def test_every_size_picks_its_own_value():
    assert [Passing(size).pick(1, 2, 3) for size in ("quick", "default", "full")] == [1, 2, 3]


def test_a_run_leaves_page_data_and_numbers(tmp_path):
    said = []
    outcome = reproduce(
        Passing("quick"), tmp_path / "out", report=lambda text, share: said.append((text, share))
    )
    assert outcome.ok
    assert (outcome.bands, outcome.passed, outcome.failures) == (1, 1, ())
    assert said == [("halfway", 0.5)]
    text = (tmp_path / "out" / "page.md").read_text(encoding="utf-8")
    assert text.startswith("# passing: paper 2, figure 0\n")
    assert "`amontons reproduce passing --quick`" in text
    assert "| speed [m/s] | 2.5 | 1 | ≥ 0 | pass | why |" in text
    assert "| x\\|y | 0.1235 |" in text  # a bar inside a cell does not end it
    assert "| 1 | – |" in text
    assert "- Nothing much." in text
    data = json.loads((tmp_path / "out" / "data.json").read_text(encoding="utf-8"))
    assert data["bands"][0]["passed"] is True
    assert (tmp_path / "out" / "curve.npz").exists()


def test_a_failed_band_is_told_with_its_reason(tmp_path):
    outcome = reproduce(Failing(), tmp_path)
    assert not outcome.ok
    assert outcome.failures == ("height [m] is 7, must be ≤ 1; it is too high",)
    assert "**FAIL**" in (tmp_path / "page.md").read_text(encoding="utf-8")


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(am.OutputError, match="cannot be made"):
        reproduce(Passing(), tmp_path / "file" / "inside")


def test_the_overview_lists_what_failed_and_what_stopped(tmp_path):
    good = Outcome("a", 1, "figure 1", tmp_path, 5.0, 2, 2, (), cpu_seconds=7.0)
    bad = Outcome("b", 2, "table 2", tmp_path, 300.0, 2, 1, ("x is 1, must be ≥ 2; why",))
    dead = Outcome("c", 3, "figure 3", tmp_path, 0.0, 0, 0, (), "no floor")
    text = overview([good, bad, dead])
    assert "| [a](a/page.md) | 1: figure 1 | 2 of 2 | 5 s | 7 s |" in text
    assert "| [b](b/page.md) | 2: table 2 | 1 of 2 | 5.0 min | 0 s |" in text
    assert "stopped by an error" in text
    assert "- **b**: x is 1, must be ≥ 2; why\n- **c**: no floor" in text
    assert "3 experiments took 5.1 min." in text
    assert "What failed" not in overview([good])


def test_a_page_without_bands_has_no_empty_table(tmp_path):
    assert "verdict" not in page(Passing(), Notebook(tmp_path), 1.0)


def test_every_experiment_says_what_it_is():
    papers = [kind.paper for kind in EXPERIMENTS.values()]
    assert papers == sorted(papers)
    assert set(papers) == {1, 2, 3, 4, 5}
    for name, kind in EXPERIMENTS.items():
        assert kind.name == name == name.lower().replace("_", "-").strip()
        assert kind.shows
        assert kind.summary
        assert not kind.summary.endswith(".")
        assert 0.0 < kind.minutes < 60.0


def test_experiments_are_found_by_any_spelling():
    assert find_experiment(" Sliding_Ball ").name == "sliding-ball"
    with pytest.raises(am.InputError, match="no experiment 'sliding-cube'; choose one of b1"):
        find_experiment("sliding-cube")


def test_the_command_lists_experiments():
    result = run("reproduce")
    assert result.exit_code == 0
    for name in EXPERIMENTS:
        assert name in result.output
    listed = json.loads(run("reproduce", "--json").stdout)
    assert [each["name"] for each in listed] == list(EXPERIMENTS)


def test_exit_code_0_where_all_bands_pass(registry, tmp_path):
    result = run("reproduce", "passing", "--quick", "--out", tmp_path)
    assert result.exit_code == 0
    assert "pass passing: 1 of 1 bands" in result.output
    assert (tmp_path / "passing" / "page.md").exists()
    assert not (tmp_path / "index.md").exists()  # one experiment needs no list


def test_exit_code_1_where_a_band_fails_and_the_others_still_run(registry, tmp_path):
    result = run("reproduce", "--all", "--out", tmp_path, "--json")
    assert result.exit_code == 1
    outcomes = {each["name"]: each for each in json.loads(result.stdout)}
    assert [outcomes[name]["ok"] for name in ("passing", "failing", "broken")] == [
        True, False, False,
    ]  # fmt: skip
    assert outcomes["broken"]["error"] == "the bed has no floor"
    index = (tmp_path / "index.md").read_text(encoding="utf-8")
    assert "**failing**: height [m] is 7" in index
    assert "**broken**: the bed has no floor" in index


def test_an_unforeseen_error_leaves_its_traceback_until_the_next_run(
    registry, monkeypatch, tmp_path
):
    def stumble(self, notebook):
        raise IndexError("row 7")

    with monkeypatch.context() as patch:
        patch.setattr(registry["passing"], "run", stumble)
        result = run("reproduce", "passing", "--out", tmp_path)
    trace = tmp_path / "passing" / "error.txt"
    assert result.exit_code == 1
    assert "IndexError('row 7')" in result.stderr
    assert "error.txt" in result.stderr
    assert "in stumble" in trace.read_text(encoding="utf-8")
    assert run("reproduce", "passing", "--out", tmp_path).exit_code == 0
    assert not trace.exists()


def test_the_last_table_has_all_times_and_a_summary_is_written(registry, tmp_path):
    result = run("reproduce", "--all", "--out", tmp_path, "--quick")
    lines = result.output.splitlines()
    (head,) = (i for i, line in enumerate(lines) if line.startswith("experiment"))
    assert lines[head].split() == ["experiment", "bands", "clock", "processor"]
    rows = [line.split()[:2] for line in lines[head + 1 : head + 5]]
    assert [row[0] for row in rows] == ["passing", "failing", "broken", "all"]
    assert [row[1] for row in rows[:3]] == ["pass", "FAIL", "FAIL"]
    assert "3 of 3: broken (paper 2, figure 0)" in result.stderr
    summary = json.loads((tmp_path / "summary.json").read_text(encoding="utf-8"))
    assert (summary["experiments"], summary["done"], summary["passed"]) == (3, 3, 1)
    assert summary["size"] == "quick"
    assert summary["seconds"] == sum(each["seconds"] for each in summary["outcomes"])
    assert all(each["cpu_seconds"] >= 0.0 for each in summary["outcomes"])


def test_what_an_earlier_run_finished_is_not_run_again(registry, monkeypatch, tmp_path):
    runs = []
    for kind in registry.values():
        plain = kind.run

        def counted(self, notebook, plain=plain):
            runs.append(self.name)
            plain(self, notebook)

        monkeypatch.setattr(kind, "run", counted)
    run("reproduce", "--all", "--out", tmp_path)
    runs.clear()
    result = run("reproduce", "--all", "--out", tmp_path)
    assert runs == ["broken"]  # bands that failed are results, an error is not
    assert result.exit_code == 1
    assert "pass passing: 1 of 1 bands" in result.output
    assert "of an earlier run" in result.output
    assert "height [m] is 7" in (tmp_path / "index.md").read_text(encoding="utf-8")
    for words in (("--all", "--again"), ("--all", "--quick"), ("passing", "failing", "broken")):
        runs.clear()
        run("reproduce", *words, "--out", tmp_path)
        assert runs == ["passing", "failing", "broken"]


def test_an_outcome_is_kept_and_one_that_was_cut_off_is_none(tmp_path):
    outcome = reproduce(Failing("quick"), tmp_path)
    assert kept_outcome(Failing, "quick", tmp_path) == outcome
    assert kept_outcome(Failing, "default", tmp_path) is None
    assert kept_outcome(Passing, "quick", tmp_path) is None
    file = tmp_path / "outcome.json"
    file.write_text(file.read_text()[:40])
    assert kept_outcome(Failing, "quick", tmp_path) is None
    with pytest.raises(am.InputError):
        reproduce(Broken("quick"), tmp_path)
    assert not file.exists()


def test_progress_is_printed_where_there_is_no_terminal(registry, monkeypatch, tmp_path):
    monkeypatch.setattr(command, "MINUTE", 0.0)
    result = run("reproduce", "passing", "--out", tmp_path)
    assert "  halfway, 50%" in result.stderr
    assert "halfway" not in result.stdout


def test_all_experiments_of_one_paper(registry, tmp_path):
    assert run("reproduce", "--paper", "2", "--out", tmp_path).exit_code == 1
    assert run("reproduce", "--paper", "9", "--out", tmp_path).exit_code == 2


def test_bad_input_is_refused(registry, tmp_path):
    assert run("reproduce", "passing", "--full", "--quick").exit_code == 2
    result = run("reproduce", "cubes", "--out", tmp_path)
    assert result.exit_code == 2
    assert not list(tmp_path.iterdir())


def test_a_library_without_the_papers_says_where_they_are(monkeypatch, tmp_path):
    """As it is installed from an index: no clone around it, no `amontons_papers`."""
    monkeypatch.setattr(sys.modules["amontons.cli.reproduce"], "PAPERS", tmp_path / "none")
    monkeypatch.setattr(sys, "path", [p for p in sys.path if not p.endswith("papers")])
    for name in [name for name in sys.modules if name.split(".")[0] == "amontons_papers"]:
        monkeypatch.delitem(sys.modules, name)
    result = run("reproduce", "passing", "--out", tmp_path)
    assert result.exit_code == 2
    assert "clone it, and run `pip install ./papers`" in result.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_a_clone_finds_the_papers_beside_the_library(tmp_path):
    """Whatever else is installed: an old editable install knows nothing of the folder."""
    found = subprocess.run(
        [sys.executable, "-c", "from amontons.cli.reproduce import _experiments as e\n"
         "import amontons\nprint(amontons.__file__, e().__file__)"],
        capture_output=True, text=True, check=True, timeout=60, cwd=tmp_path,
    )  # fmt: skip
    library, papers = map(Path, found.stdout.split())
    assert papers == library.parents[2] / "papers" / "amontons_papers" / "command.py"
