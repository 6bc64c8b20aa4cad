"""The table of a sweep: one row per run with its parameters and results; CSV and Parquet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from amontons.storage.writing import replacing
from amontons.sweeps.outcomes import Outcome
from amontons.sweeps.plan import Plan

CSV_FILE = "sweep.csv"
PARQUET_FILE = "sweep.parquet"


def table_of(plan: Plan, outcomes: dict[int, Outcome]) -> Any:
    """The table, a pandas `DataFrame`: unfinished runs are `missing`."""
    import pandas

    rows = [_row(plan, number, outcomes.get(number)) for number in range(len(plan.points))]
    columns = list(dict.fromkeys(name for row in rows for name in row))
    last = [name for name in ("notes", "error") if name in columns]
    ordered = [name for name in columns if name not in last] + last
    return pandas.DataFrame(rows, columns=ordered)


def _row(plan: Plan, number: int, outcome: Outcome | None) -> dict[str, Any]:
    point = {name: _cell(value) for name, value in plan.points[number].items()}
    outcome = outcome or {"status": "missing", "error": "", "results": {}}
    measured = {
        f"{name}_measured" if name in point else name: value
        for name, value in outcome.get("measured", {}).items()
    }
    results = {name: value for name, value in outcome["results"].items() if name not in point}
    failed = outcome.get("measure_error", "")
    return {
        "run": plan.run_name(number),
        **point,
        "status": "failed" if failed else outcome["status"],
        **measured,
        **{name: value for name, value in results.items() if name not in measured},
        "error": outcome["error"] or failed,
    }


def _cell(value: Any) -> Any:
    """A value as a cell: several numbers become a text, in the syntax of `--set`."""
    return ",".join(f"{each}" for each in value) if isinstance(value, tuple) else value


def write_table(table: Any, folder: Path) -> None:
    """Write both files, each whole or not at all."""
    with replacing(folder / CSV_FILE) as stream:
        stream.write(table.to_csv(index=False).encode())
    with replacing(folder / PARQUET_FILE) as stream:
        table.to_parquet(stream, index=False)
