"""`python -m amontons.cli` is `amontons`."""

from amontons.cli import main

main()
