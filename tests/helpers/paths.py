"""Where things are in this clone."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
