"""Damaged run files: how they are made, and what comes of reading one in a process of its own."""

import contextlib
import enum
import json
import os
import resource
import select
import signal
import time
import traceback
from pathlib import Path

import numpy as np

from amontons.errors import AmontonsError
from amontons.results import Results
from amontons.results.exports import write_csv, write_gltf
from amontons.results.truncation import cut_back
from amontons.viewer.packing import Packing
from amontons.viewer.page import page_text

LONGEST = 20.0
"""Seconds after which a reader is taken to wait for ever."""

MOST_MEMORY = 6 << 30


class Fate(enum.Enum):
    """What came of reading a file."""

    SAME = "read, and the same"
    REFUSED = "refused, in a paragraph"
    DIFFERENT = "other data in silence"
    TRACEBACK = "tracebacks"
    CRASH = "crashes"
    HANG = "hangs"


SOUND = (Fate.SAME, Fate.REFUSED)


# -- damage ---------------------------------------------------------------------------------------


def damaged(content, rng):
    """A file's bytes, damaged at random, and a word on how."""
    kinds = (flipped, overwritten, zeroed, truncated, spliced, shifted)
    kind = kinds[rng.integers(len(kinds))]
    return bytes(kind(bytearray(content), rng)), kind.__name__


def flipped(content, rng):
    """Some bits turned."""
    for place in rng.integers(len(content), size=rng.integers(1, 9)):
        content[place] ^= 1 << int(rng.integers(8))
    return content


def _part(content, rng):
    size = min(len(content), int(2 ** rng.uniform(1, 13)))
    return int(rng.integers(len(content) - size + 1)), size


def overwritten(content, rng):
    """A part full of noise."""
    place, size = _part(content, rng)
    content[place : place + size] = rng.bytes(size)
    return content


def zeroed(content, rng):
    """A part empty, as after a power cut."""
    place, size = _part(content, rng)
    content[place : place + size] = bytes(size)
    return content


def truncated(content, rng):
    """The end lost."""
    return content[: int(rng.integers(len(content)))]


def spliced(content, rng):
    """A part in the place of another."""
    place, size = _part(content, rng)
    there = int(rng.integers(len(content) - size + 1))
    content[place : place + size] = content[there : there + size]
    return content


def shifted(content, rng):
    """A part left out, or twice there."""
    place, size = _part(content, rng)
    return content[:place] + content[place + (size if rng.random() < 0.5 else -min(size, place)) :]


# -- reading --------------------------------------------------------------------------------------


def everything(path):
    """All that a run's file says, by name, as bytes; what is refused is None."""
    found = {}

    def take(name, read):
        try:
            found[name] = read()
        except AmontonsError as reason:
            if str(path) not in str(reason):
                raise RuntimeError("this error does not name the file") from reason
            found[name] = None

    try:
        results = Results(path)
    except AmontonsError:
        return {"file": None}
    with results:
        take("about", lambda: json.dumps([results.about, results.rate, results.version]).encode())
        for name, column in vars(results.bodies).items():
            take(name, lambda column=column: repr(np.asarray(column).tolist()).encode())
        take("shapes", lambda: b"".join(_surface(each) for each in results.shapes))
        take("time", lambda: np.asarray(results.time).tobytes())
        for number in range(results.frames):
            take(f"frame {number}", lambda number=number: _frame(results[number]))
        for name in results.columns:
            take(name, lambda name=name: results.readings(name).tobytes())
        take("notes", lambda: repr(results.notes).encode())
    return found


def _surface(surface):
    arrays = (surface.half, surface.middle, surface.vertices, surface.triangles)
    return surface.kind.encode() + b"".join(each.tobytes() for each in arrays)


def _frame(frame):
    arrays = [frame.position, frame.orientation, frame.twist, np.array([frame.step, frame.time])]
    if frame.contacts is not None:
        arrays += vars(frame.contacts).values()
    return b"".join(np.ascontiguousarray(each).tobytes() for each in arrays)


def use(path, folder, *, show):
    """What commands do with a file: a page and exports, which are dear, and going on in it."""
    for task in (_page, _exports) if show else ():
        with contextlib.suppress(AmontonsError):
            task(path, folder)
    try:
        cut_back(path, 12, {}).close()
    except AmontonsError:
        return {}
    return everything(path)


def _page(path, folder):
    with Results(path) as results:
        page_text(Packing(results))


def _exports(path, folder):
    with Results(path) as results:
        write_csv(results, folder, range(results.frames))
        write_gltf(results, folder, range(results.frames))


# -- judging --------------------------------------------------------------------------------------


def fate_of(path, truth, *, checked=True, show=True):
    """What comes of a file whose contents should be `truth`, and what there is to say about it."""

    def judge():
        found = everything(path)
        again = use(path, Path(path).parent, show=show)
        if checked:
            for each in (found, again):
                wrong = [n for n, v in each.items() if v is not None and v != truth.get(n, v)]
                if wrong and not _cut_short(each is again, wrong):
                    return Fate.DIFFERENT, f"{wrong[:4]}"
        if found.get("file", True) is None or None in found.values():
            return Fate.REFUSED, ""
        return Fate.SAME, ""

    content = Path(path).read_bytes()
    fate, words = in_a_process_of_its_own(judge)
    if fate is Fate.HANG:  # or had other processes the machine? Who waits for ever does so again.
        Path(path).write_bytes(content)
        fate, words = in_a_process_of_its_own(judge, longest=6 * LONGEST)
    return fate, words


def _cut_short(resumed, names):
    """Whether only what a shorter run has less of differs: its lists, and what is said of it."""
    return resumed and not any(name.startswith(("frame", "shapes")) for name in names)


def in_a_process_of_its_own(judge, longest=LONGEST):
    """What `judge` says, or what became of the process: fork, limits on time [s] and memory."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        _act(judge, read, write)
    os.close(write)
    said, end = b"", time.monotonic() + longest
    while True:
        left = end - time.monotonic()
        ready, _, _ = select.select([read], [], [], max(left, 0.0))
        if not ready:
            os.kill(child, signal.SIGKILL)
            said = json.dumps([Fate.HANG.name, ""]).encode()
            break
        part = os.read(read, 65536)
        if not part:
            break
        said += part
    os.close(read)
    _, status = os.waitpid(child, 0)
    if not said:
        return Fate.CRASH, f"status {status}"
    name, words = json.loads(said)
    return Fate[name], words


def _act(judge, read, write):
    """In the child: judge, tell, and never come back."""
    code = 1
    try:
        os.close(read)
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        try:
            fate, words = judge()
        except BaseException:
            fate, words = Fate.TRACEBACK, traceback.format_exc()
        os.write(write, json.dumps([fate.name, words[-4000:]]).encode())
        code = 0
    finally:
        os._exit(code)
