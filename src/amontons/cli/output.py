"""What commands print, and where: results on standard output, everything else on standard error."""

from __future__ import annotations

import contextlib
import functools
import json
import math
import warnings
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import typer

from amontons.errors import AmontonsError, ProblemWarning

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

P = ParamSpec("P")
R = TypeVar("R")

NOT_CONVERGED = 1
BAD_INPUT = 2
STOPPED = 3
INTERRUPTED = 130

WIDTH_OF_A_FILE = 130
"""Width of tables that are not printed to a terminal."""


def console(*, stderr: bool = False) -> Console:
    """A console on standard output or standard error; wide where that is not a terminal.

    Names of files, scenes and bodies may contain brackets, so styled output is a `Text`.
    """
    from rich.console import Console

    plain: dict[str, Any] = {"stderr": stderr, "highlight": False, "markup": False, "emoji": False}
    screen = Console(**plain)
    return screen if screen.is_terminal else Console(**plain, width=WIDTH_OF_A_FILE)


def styled(text: str, style: str) -> Text:
    """A text in a style, for a line or a cell of a table."""
    from rich.text import Text

    return Text(text, style=style)


def complain(message: str, *, kind: str = "error", style: str = "bold red") -> None:
    """One paragraph on standard error."""
    from rich.text import Text

    text = Text.assemble((f"{kind}: ", style), message)
    console(stderr=True).print(text, soft_wrap=True)


def reporting(command: Callable[P, R]) -> Callable[P, R]:
    """A command whose foreseeable errors give a paragraph and an exit code, not a traceback."""

    @functools.wraps(command)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return command(*args, **kwargs)
        except BrokenPipeError:
            raise
        except (AmontonsError, OSError, MemoryError) as reason:
            complain(describe(reason))
            raise typer.Exit(BAD_INPUT) from None
        except KeyboardInterrupt:
            complain("interrupted; there is no result", kind="stopped", style="bold yellow")
            raise typer.Exit(INTERRUPTED) from None

    return guarded


def describe(reason: BaseException) -> str:
    """An error in one paragraph that names the file."""
    if isinstance(reason, MemoryError):
        return f"not enough memory: {reason}"
    if isinstance(reason, OSError) and reason.strerror and reason.filename is not None:
        return f"{reason.filename}: {reason.strerror}"
    return str(reason)


@contextlib.contextmanager
def tidy_warnings(about: str) -> Iterator[None]:
    """Show a `ProblemWarning` as one line on standard error, and other warnings as they are."""
    with warnings.catch_warnings():
        usual = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *rest: Any, **more: Any) -> None:
            if issubclass(category, ProblemWarning):
                complain(f"{about}: {message}", kind="warning", style="bold yellow")
            else:
                usual(message, category, *rest, **more)

        warnings.filterwarnings("always", category=ProblemWarning)
        warnings.showwarning = show
        yield


def print_json(value: Any) -> None:
    """One JSON object on standard output; numbers that are not finite become null."""
    typer.echo(json.dumps(_plain(value), indent=2, ensure_ascii=False, allow_nan=False))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def seconds(duration: float) -> str:
    """A duration with its unit."""
    if duration < 1.0:
        return f"{1e3 * duration:.3g} ms"
    if duration < 120.0:
        return f"{duration:.3g} s"
    return f"{int(duration // 60)} min {int(duration % 60):02d} s"


def megabytes(size: int) -> str:
    """A size in bytes, in MB."""
    return f"{size / 1e6:.1f} MB"


def grouped(number: int) -> str:
    """A whole number with thin groups of thousands: 13 099."""
    return f"{number:,}".replace(",", "\N{NO-BREAK SPACE}")
