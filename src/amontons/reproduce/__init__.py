"""Every experiment of the five papers: one file each, run by `amontons reproduce`."""
