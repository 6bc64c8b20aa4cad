"""Markdown pages: one an experiment, and one that lists them all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from amontons_papers.notebook import Cell, Notebook, Table

if TYPE_CHECKING:
    from amontons_papers.experiment import Experiment
    from amontons_papers.outcome import Outcome


def page(experiment: Experiment, notebook: Notebook, seconds: float) -> str:
    """The page of one experiment: bands first, then tables, images and what differs."""
    kind = type(experiment)
    parts = [
        f"# {kind.name}: paper {kind.paper}, {kind.shows}",
        f"{kind.summary[0].upper()}{kind.summary[1:]}.",
        f"`amontons reproduce {kind.name}{_option(experiment)}` took {_duration(seconds)}.",
    ]
    if notebook.bands:
        rows = [
            (each.quantity, each.paper, each.ours, each.range, _verdict(each.passed), each.reason)
            for each in notebook.bands
        ]
        columns = ("quantity", "paper", "ours", "band", "verdict", "why this band")
        parts.append(_markdown(Table("", columns, tuple(rows))))
    for table in notebook.tables:
        parts += [f"## {table.title}", _markdown(table)]
    for image in notebook.images:
        parts.append(f"![{image.caption}]({image.file})\n\n*{image.caption}*")
    if notebook.differences:
        parts += [
            "## What differs, and why",
            "\n".join(f"- {each}" for each in notebook.differences),
        ]
    return "\n\n".join(parts) + "\n"


def overview(outcomes: list[Outcome]) -> str:
    """The page that lists experiments, with every band that failed and its reason."""
    rows = [
        (
            f"[{each.name}]({each.name}/page.md)",
            f"{each.paper}: {each.shows}",
            f"{each.passed} of {each.bands}" if each.error is None else "stopped by an error",
            _duration(each.seconds),
            _duration(each.cpu_seconds),
        )
        for each in outcomes
    ]
    columns = ("experiment", "paper", "bands passed", "took", "processor time")
    total = sum(each.seconds for each in outcomes)
    parts = [
        "# The papers' experiments",
        _markdown(Table("", columns, tuple(rows))),
        f"{len(outcomes)} experiments took {_duration(total)}.",
    ]
    failures = [
        f"- **{each.name}**: {failure}" for each in outcomes for failure in each.failures
    ] + [f"- **{each.name}**: {each.error}" for each in outcomes if each.error is not None]
    if failures:
        parts += ["## What failed, and why", "\n".join(failures)]
    return "\n\n".join(parts) + "\n"


def _markdown(table: Table) -> str:
    lines = [f"| {' | '.join(table.columns)} |", "|" + "---|" * len(table.columns)]
    lines += [f"| {' | '.join(_cell(each) for each in row)} |" for row in table.rows]
    return "\n".join(lines)


def _cell(value: Cell) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.4g}"
    return str(value).replace("|", "\\|")


def _verdict(passed: bool) -> str:
    return "pass" if passed else "**FAIL**"


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120.0 else f"{seconds / 60.0:.1f} min"


def _option(experiment: Experiment) -> str:
    return {"quick": " --quick", "default": "", "full": " --full"}[experiment.size]
