"""Words that resemble others: what a misspelt name was probably meant to be."""

from __future__ import annotations

from collections.abc import Iterable


def meant(word: object, options: Iterable[object]) -> str:
    """A suggestion for a message, if a word resembles one of the existing ones."""
    import difflib

    close = difflib.get_close_matches(str(word), [str(each) for each in options], n=1)
    return f"; did you mean {close[0]!r}?" if close else ""
