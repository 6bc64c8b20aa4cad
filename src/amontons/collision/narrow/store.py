"""How kernels write a contact, so that no two of them do it differently."""

from __future__ import annotations

from amontons._jit import helper


@helper
def store(normal, point, gap, key, i, k, n0, n1, n2, p0, p1, p2, distance, code):
    """Contact `k` of pair `i`: unit normal, point on A less A's place [m], gap [m] and key."""
    normal[i, k, 0], normal[i, k, 1], normal[i, k, 2] = n0, n1, n2
    point[i, k, 0], point[i, k, 1], point[i, k, 2] = p0, p1, p2
    gap[i, k] = distance
    key[i, k] = code
