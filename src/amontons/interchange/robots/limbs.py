"""The order of a robot's joints: limb by limb."""

from __future__ import annotations

from collections.abc import Mapping

from amontons.model.joints import Connection


def depth_first(joints: Mapping[str, Connection]) -> list[tuple[str, Connection]]:
    """Joints limb by limb, from the base outwards; those of one body in the order of the file."""
    below: dict[int | None, list[tuple[str, Connection]]] = {}
    carried = {joint.bodies[1] for joint in joints.values()}
    for name, joint in joints.items():
        first = joint.bodies[0]
        below.setdefault(first if first in carried else None, []).append((name, joint))
    ordered: list[tuple[str, Connection]] = []
    waiting = below.pop(None, [])[::-1]
    while waiting:
        name, joint = waiting.pop()
        ordered.append((name, joint))
        waiting += below.pop(joint.bodies[1], [])[::-1]
    return ordered + [each for left in below.values() for each in left]
