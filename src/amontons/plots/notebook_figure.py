"""Figures that a notebook shows by themselves, whether pyplot is in use or not."""

from __future__ import annotations

import base64
import io
from typing import Any

from matplotlib.figure import Figure


class NotebookFigure(Figure):
    """A figure that is the picture of the cell that it ends, without pyplot or `%matplotlib`."""

    def _repr_mimebundle_(self, **_: Any) -> tuple[dict[str, str], dict[str, dict[str, int]]]:
        """A picture for screens of twice the usual resolution, and its width on the page."""
        stream = io.BytesIO()
        self.savefig(stream, format="png")
        picture = {
            "image/png": base64.b64encode(stream.getvalue()).decode(),
            "text/plain": str(self),
        }
        width = round(self.get_figwidth() * self.dpi / 2)
        return picture, {"image/png": {"width": width}}
