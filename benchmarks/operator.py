"""Cost of a product, of an iteration, and of memory: the work is in `matrix_free.py`.

A file of this name hides the standard library's `operator` from every script in this folder, so it
hands that module's names on to whoever imports it.
"""

from _operator import *  # noqa: F403

if __name__ == "__main__":
    import matrix_free

    matrix_free.main()
