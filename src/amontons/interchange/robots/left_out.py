"""The list of what a file contains and a world does not."""

from __future__ import annotations


class LeftOut:
    """Collects what is not supported: one line for the same thing at several joints or links."""

    def __init__(self) -> None:
        self._who: dict[str, list[str]] = {}

    def add(self, what: str, who: str = "") -> None:
        """Note something, and optionally where it occurs."""
        names = self._who.setdefault(what, [])
        if who:
            names.append(who)

    def lines(self) -> list[str]:
        """One line per thing, in order of occurrence."""
        return [
            f"{what}: {', '.join(names)}" if names else what for what, names in self._who.items()
        ]
