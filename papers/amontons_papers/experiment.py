"""What every experiment is: a name, the paper it comes from, and a run that fills a notebook."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, Literal, TypeVar

from amontons_papers.notebook import Notebook

T = TypeVar("T")

Size = Literal["quick", "default", "full"]
"""Quick: seconds, for the tests. Default: minutes. Full: what the paper ran, hours or days."""


class Experiment(ABC):
    """One experiment of a paper. A subclass says what it is and fills a notebook."""

    name: ClassVar[str]
    """How the command line calls it, such as "plates"."""
    paper: ClassVar[int]
    """1 to 5, as the README lists them."""
    shows: ClassVar[str]
    """Figures, tables and equations of the paper, such as "table I, figure 5"."""
    summary: ClassVar[str]
    """What is done, in one line."""
    minutes: ClassVar[float]
    """About how long the default size takes on two cores."""

    def __init__(self, size: Size = "default") -> None:
        self.size: Size = size

    def pick(self, quick: T, default: T, full: T) -> T:
        """The one of three values that goes with the size."""
        return {"quick": quick, "default": default, "full": full}[self.size]

    @abstractmethod
    def run(self, notebook: Notebook) -> None:
        """Do the experiment and write down what came out."""
