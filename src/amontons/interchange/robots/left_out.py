"""The list of what a file says and a world does not."""

from __future__ import annotations


class LeftOut:
    """Collects what was not taken over: the same thing of several joints or links is one line."""

    def __init__(self) -> None:
        self._who: dict[str, list[str]] = {}

    def add(self, what: str, who: str = "") -> None:
        """Note something, and perhaps whose it is."""
        names = self._who.setdefault(what, [])
        if who:
            names.append(who)

    def lines(self) -> list[str]:
        """One line per thing, in the order in which they came."""
        return [
            f"{what}: {', '.join(names)}" if names else what for what, names in self._who.items()
        ]
