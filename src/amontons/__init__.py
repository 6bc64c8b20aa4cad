"""amontons: rigid bodies with contact and friction, as cone complementarity problems.

Names are imported when they are first used, so `import amontons` is instant and loads no Numba.
Which they are and where they come from is said once, in `__init__.pyi`.
"""

from __future__ import annotations

import ast
import importlib
import sys
from pathlib import Path
from typing import Any


def _homes() -> dict[str, str]:
    """The module of every public name, as `__init__.pyi` imports it."""
    tree = ast.parse(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    return {alias.name: str(node.module) for node in imports for alias in node.names}


_HOME_OF = _homes()

__all__ = sorted([*_HOME_OF, "__version__"])  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    if name == "__version__":
        globals()[name] = _version()
        return globals()[name]
    home = _HOME_OF.get(name)
    if home is None:
        module = sys.modules[__name__]  # Python then says which name was probably meant
        raise AttributeError(f"module 'amontons' has no attribute {name!r}", name=name, obj=module)
    if home == __name__:  # a room of its own, such as `amontons.measure`
        value: Any = importlib.import_module(f"{home}.{name}")
    else:
        value = getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value


def _version() -> str:
    """Version that was installed: of the last git tag, and the commits since then."""
    from importlib import metadata

    try:
        return metadata.version(__name__)
    except metadata.PackageNotFoundError:  # sources that nobody installed
        return "0+unknown"


def __dir__() -> list[str]:
    return sorted(__all__)
