"""Damage to files, by seed, and a guarded process that reads them one after the other."""

import io
import json
import os
import random
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import NamedTuple

CAMPAIGN = int(os.environ.get("AMONTONS_CAMPAIGN", "0"))
"""Inputs of each kind that a long campaign tries; 0 for the short one alone."""

SECONDS, BYTES = 20, 6 * 2**30
"""What one input may take."""

NUMBER = re.compile(rb"[-+]?[0-9]+\.?[0-9]*(?:[eE][-+]?[0-9]+)?")

HOSTILE = [b"0", b"-1", b"1e308", b"-1e-320", b"nan", b"inf", b"9" * 400, b"1e400", b"0x10", b"",
           b"[[", b"null", b"99999999999999999999"]  # fmt: skip
WORDS = [b"\0", b"\xff\xfe", b"<!--", b"[/x]", b"'", b'"', b"{", b"}", b"]", b"&a *a", b"\n- ",
         b"%", b"../../", b"\n\n", b"\t", b"#", b"=", b":", "ä\u202e".encode()]  # fmt: skip


def damaged(data: bytes, seed: int) -> bytes:
    """The same content with one fault of a random kind."""
    rng = random.Random(seed)
    content = bytearray(data)
    place = rng.randrange(len(data))
    match rng.randrange(9):
        case 0:
            content[place] ^= 1 << rng.randrange(8)
        case 1:
            for _ in range(rng.randrange(2, 40)):
                content[rng.randrange(len(data))] = rng.randrange(256)
        case 2:
            del content[place:]
        case 3:
            del content[place : place + rng.randrange(1, 200)]
        case 4:
            start = rng.randrange(len(data))
            content[place:place] = data[start : start + rng.randrange(1, 400)]
        case 5:
            content[place:place] = rng.choice(WORDS)
        case 6:
            content[place : place + 8] = rng.randbytes(8)
        case _:  # another number, in text; in binary files some bytes that look like one
            found = [match.span() for match in NUMBER.finditer(data)]
            if found:
                begin, end = rng.choice(found)
                content[begin:end] = rng.choice(HOSTILE)
    return bytes(content)


def damaged_archive(data: bytes, seed: int) -> bytes:
    """A zip file with one of its members damaged, and sums that fit it all the same."""
    rng, out = random.Random(seed), io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
        chosen = rng.choice(old.namelist())
        for name in old.namelist():
            content = old.read(name)
            new.writestr(name, damaged(content, seed) if name == chosen else content)
    return out.getvalue()


class Outcome(NamedTuple):
    """What became of a campaign."""

    inputs: int
    read: int
    """Inputs that were still sound, or that nobody can tell from sound ones."""
    failures: list[str]
    """Of inputs that led to anything but a result or a clear error."""


READER = """
import json, signal, sys, warnings, resource
sys.path[:0] = json.loads(sys.argv[4])
limit = int(sys.argv[3])
import amontons as am
from helpers.damaged_readers import READERS
read = READERS[sys.argv[1]]
read(sys.stdin.readline().strip())  # the sound file, without a limit: it may have to compile
if limit:
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
warnings.simplefilter("ignore")
for line in sys.stdin:
    path = line.strip()
    signal.alarm(int(sys.argv[2]))
    try:
        read(path)
        said = "read"
    except am.AmontonsError as reason:
        text = str(reason)
        said = "clear" if 0 < len(text) < 3000 else f"long error: {len(text)} characters"
    except Exception as reason:
        said = f"{type(reason).__name__}: {str(reason)[:300]}"
    signal.alarm(0)
    print(json.dumps(said), flush=True)
"""


def attack(kind: str, original: Path, folder: Path, seeds: range, limit: int = BYTES) -> Outcome:
    """Read damaged forms of a file, each within :data:`SECONDS` and :data:`BYTES`.

    `kind` names the reader in :mod:`helpers.damaged_readers`. One process reads until it dies, of
    an input that hangs or crashes it; then the next one takes over.
    """
    data = original.read_bytes()
    reader, read, failures = None, 0, []
    for seed in seeds:
        path = folder / f"damaged{seed}{original.suffix}"
        inside = seed % 2 and data.startswith(b"PK")  # an archive's own sums find the rest
        path.write_bytes(damaged_archive(data, seed) if inside else damaged(data, seed))
        if reader is None:
            arguments = [kind, str(SECONDS), str(limit), json.dumps(sys.path)]
            reader = subprocess.Popen(
                [sys.executable, "-c", READER, *arguments],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            )  # fmt: skip
            reader.stdin.write(f"{original}\n")
        reader.stdin.write(f"{path}\n")
        reader.stdin.flush()
        line = reader.stdout.readline()
        if not line:
            failures.append(f"seed {seed}: the process ended with code {reader.wait()}")
            reader = None
            continue
        said = json.loads(line)
        read += said == "read"
        if said not in ("read", "clear"):
            failures.append(f"seed {seed}: {said}")
        else:
            path.unlink()
    if reader is not None:
        reader.communicate()
    return Outcome(len(seeds), read, failures)
