"""Where things are: this clone, and the folder of real problems where it is at hand."""

import os
from pathlib import Path

ROOT = Path(__file__).parents[2]
SHARED = Path(os.environ.get("AMONTONS_PROBLEMS", ROOT.parent / "shared" / "problems"))
