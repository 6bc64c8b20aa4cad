"""What breaks joints: loads along, across and about an axis, averaged over a time if one is given.

The average of a reaction F over a time τ solves d(average)/dt = (F − average)/τ,

    average ← exp(−h/τ) average + (1 − exp(−h/τ)) F,

which is exact where F is constant in a step, whatever its length h. An impulse P within one step
(F = P/h) lifts the average by P/τ as long as h ≪ τ; for τ = 0 it is F itself, and so P/h.

A joint whose average was too much once lets go a time τ later, and holds until then. A blow takes
one step or two, as it happens to fall; if joints let go at once, the second part would find another
body than the first, however short the step.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from amontons._jit import routine, serial_kernel
from amontons.dynamics.joints.measures import cross, dot, inverse, rotation, turned
from amontons.dynamics.joints.tables import MODES, UNBROKEN

TORQUES = ("torque", "bending", "torsion")
"""Those of the `MODES` that are in newton metres."""


@routine
def seen_from(turn, j, x, y, z):
    """A vector of the world in the axes of joint j's body B, whose quaternion is turn[j]."""
    back = inverse((turn[j, 0], turn[j, 1], turn[j, 2], turn[j, 3]))
    return turned(rotation(back), (x, y, z))


@serial_kernel
def take_loads(joints, state, turn, owners, lines, step):
    """Loads ← those after a step with the reactions that joints have; some may let go.

    Joints `owners` have no axis of their own but directions `lines` in world axes, from A to B.
    Returns how many let go.
    """
    count = 0
    axes = joints.axis.copy()
    for i in range(owners.size):
        j = owners[i]
        axes[j, 0], axes[j, 1], axes[j, 2] = seen_from(
            turn, j, lines[i, 0], lines[i, 1], lines[i, 2]
        )
    for j in range(joints.id.size):
        f, t, average = state.reaction_force[j], state.reaction_torque[j], state.average[j]
        f0, f1, f2 = seen_from(turn, j, f[0], f[1], f[2])
        t0, t1, t2 = seen_from(turn, j, t[0], t[1], t[2])
        time = joints.break_time[j]
        kept, share = 0.0, 1.0
        if time > 0.0:
            kept, share = math.exp(-step / time), -math.expm1(-step / time)
        average[0] = kept * average[0] + share * f0
        average[1] = kept * average[1] + share * f1
        average[2] = kept * average[2] + share * f2
        average[3] = kept * average[3] + share * t0
        average[4] = kept * average[4] + share * t1
        average[5] = kept * average[5] + share * t2
        force, torque = (average[0], average[1], average[2]), (average[3], average[4], average[5])
        axis = (axes[j, 0], axes[j, 1], axes[j, 2])
        # B is pulled away from A where the joint pulls it back, against the axis
        pull, across, bend = -dot(force, axis), cross(axis, force), cross(axis, torque)
        loads = state.loads[j]
        loads[0], loads[1] = math.sqrt(dot(force, force)), math.sqrt(dot(torque, torque))
        loads[2], loads[3] = max(pull, 0.0), max(-pull, 0.0)
        loads[4], loads[5] = math.sqrt(dot(across, across)), math.sqrt(dot(bend, bend))
        loads[6] = abs(dot(torque, axis))
        if state.broken[j]:
            continue
        torn = state.broken_by[j] != UNBROKEN  # too much already, but it still holds
        worst = state.broken_at[j] / joints.strength[j, state.broken_by[j]] if torn else 1.0
        for k in range(loads.size):
            part = loads[k] / joints.strength[j, k]
            if part > worst:
                worst = part
                state.broken_by[j], state.broken_at[j] = k, loads[k]
        if state.broken_by[j] == UNBROKEN:
            continue
        state.left[j] = state.left[j] - step if torn else time
        if state.left[j] <= 0.5 * step:  # to the nearest step
            state.broken[j] = True
            count += 1
    return count


def told(mode: int, load: float) -> str:
    """How a joint broke, for messages: by which of the `MODES`, and at which load [N or N m]."""
    name = MODES[mode]
    unit = "N m" if name in TORQUES else "N"
    if name in ("force", "torque"):
        return f"broke under a {name} of {load:.4g} {unit}"
    return f"broke in {name} at {load:.4g} {unit}"


def mode_names(modes: NDArray[np.uint8]) -> NDArray[np.str_]:
    """Names of modes by their numbers, empty for `UNBROKEN`."""
    return np.array([*MODES, ""])[modes]
