"""`python -m amontons` is the command `amontons`."""

from amontons.cli import main

if __name__ == "__main__":
    main()
