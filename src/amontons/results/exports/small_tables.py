"""The tables that users read first: one for each probe, and what meters counted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from amontons.results.probe_tables import probe_names, probe_table
from amontons.results.reader import Results
from amontons.results.tables import columns_of_table
from amontons.storage.writing import replacing

METERS = "meters.csv"


def write_tables(results: Results, folder: Path) -> list[Path]:
    """Write a CSV file for each probe of a run, and `meters.csv` where bodies are counted."""
    written = [folder / name for name in table_names(results)]
    for path in written:
        if path.name == METERS:
            columns, _ = columns_of_table(results, "meters", None)
        else:
            columns, _ = probe_table(results, path.stem)
        _write(path, columns)
    return written


def table_names(results: Results) -> list[str]:
    """Names of the files that `write_tables` writes."""
    names = [f"{name}.csv" for name in probe_names(results.columns)]
    return names + ([METERS] if len(results.meters) else [])


def _write(path: Path, columns: Mapping[str, Any]) -> None:
    with replacing(path) as stream:
        stream.write((",".join(columns) + "\n").encode())
        for row in zip(*columns.values(), strict=True):
            stream.write((",".join(_words(row)) + "\n").encode())


def _words(row: Iterable[Any]) -> Iterable[str]:
    """Numbers as short as they can be read back to the last bit; texts in quotes if need be."""
    for each in row:
        if isinstance(each, str):
            quoted = any(sign in each for sign in ',"\n')
            yield '"' + each.replace('"', '""') + '"' if quoted else each
        elif isinstance(each, np.integer):
            yield str(int(each))
        else:
            yield repr(float(each))
