"""Run the notebooks of docs/notebooks in Jupyter and keep what their cells show.

python docs/make_notebooks.py [NAME ...]

Sphinx shows what is stored, and runs nothing. What would change from run to run is left out.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

NOTEBOOKS = Path(__file__).resolve().parent / "notebooks"


def main(names: list[str]) -> None:
    for path in [NOTEBOOKS / f"{name}.ipynb" for name in names] or sorted(
        NOTEBOOKS.glob("*.ipynb")
    ):
        notebook = nbformat.read(path, as_version=4)
        with tempfile.TemporaryDirectory() as folder:
            resources = {"metadata": {"path": folder}}
            NotebookClient(notebook, resources=resources, record_timing=False).execute()
        notebook.metadata = {"kernelspec": notebook.metadata.kernelspec}
        nbformat.write(notebook, path)
        print(f"{path.name}: {path.stat().st_size / 1e3:.0f} kB", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
