"""What is known of a run beside its bodies: the books of energy, the watch, and the margin.

Staged steps and compiled ones call these very functions, whose arithmetic is as it is written.
"""

from __future__ import annotations

import math

import numpy as np

from amontons.dynamics.energy_ledger import CAUSES, OF_BODIES, OF_CONTACTS, OF_JOINTS
from amontons.small_worlds.linking import exact_kernel

MARGINS = 6
"""Margins are near, 2 near, 4 near, ... : so many of them."""

PATIENCE = 20
"""Steps that a smaller margin must suffice before it is taken."""

WARY, STRIKES, RISE = 10.0, 3, 0.01
"""Kinetic energy by its ceiling, found in so many steps in a row in which contacts and joints gave
at least this share of it: a runaway."""

ABSURD = 1e3
"""Kinetic energy by its ceiling that is a runaway at once."""

HELD, IN_LOADS, IN_SPRINGS, IN_CONTACTS = range(4)
"""Places in the array of what a run holds, as in `EnergyState`."""

(
    KINETIC, POTENTIAL, ELASTIC, SPRINGS_BEFORE, SPRINGS_AFTER, LOADS_BEFORE, LOADS_AFTER,
    OF_STIFFNESS,
) = range(8)  # fmt: skip
"""Places in the array of a step's energies, as in `StepSums`."""

SUPPLIED, PEAK, LAST = range(3)
"""Places in the array of what the watch knows, as in `WatchState`."""

FREE, AFTER, GIVEN, BEFORE, IN_SPRINGS_NOW, SPEED, MASS = range(7)
"""Places in the array of what the watch is told of a step."""

_NUMBER = {cause: i for i, cause in enumerate(CAUSES)}
_BODIES, _CONTACTS, _JOINTS = (
    np.array([_NUMBER[cause] for cause in causes]) for causes in (OF_BODIES, OF_CONTACTS, OF_JOINTS)
)
_LOADS, _INTEGRATION, _OUTSIDE = (_NUMBER[each] for each in ("loads", "integration", "outside"))


@exact_kernel
def level_of_margin(doublings, calm, closing, near, step):
    """The level of the margin of a step, and for how long a smaller one would have done.

    From those of the step before, and from the speed at which bodies may close in [m/s]. Doubling
    needs no logarithm, which is not the same everywhere.
    """
    margin, reach, wanted = near + step * closing, near, 0
    while wanted < MARGINS - 1 and not margin <= reach:
        wanted += 1
        reach = 2.0 * reach
    calm = calm + 1 if wanted < doublings else 0
    if wanted > doublings or calm > PATIENCE:
        return wanted, 0
    return doublings, calm


@exact_kernel
def enter_works(entries, holds, energies, of_bodies, of_contacts, of_joints):
    """Entries, holds ← the books after a step in which nothing broke or had to be parted."""
    stored = energies[LOADS_BEFORE] + energies[SPRINGS_BEFORE] + holds[IN_CONTACTS]
    entries[_OUTSIDE] += energies[KINETIC] + (energies[POTENTIAL] + stored) - holds[HELD]
    for i in range(_BODIES.size):
        entries[_BODIES[i]] += of_bodies[i]
    for i in range(_CONTACTS.size):
        entries[_CONTACTS[i]] += of_contacts[i]
    for i in range(_JOINTS.size):
        entries[_JOINTS[i]] += of_joints[i]
    entries[_LOADS] += energies[LOADS_AFTER] - energies[LOADS_BEFORE]
    # the springs' work is in already: with what they hold in the end it makes their error
    entries[_INTEGRATION] += energies[ELASTIC] - holds[IN_CONTACTS] - energies[SPRINGS_BEFORE]
    entries[_INTEGRATION] += energies[SPRINGS_AFTER]
    entries[_INTEGRATION] += energies[OF_STIFFNESS]
    holds[IN_LOADS], holds[IN_SPRINGS] = energies[LOADS_AFTER], energies[SPRINGS_AFTER]
    holds[IN_CONTACTS] = energies[ELASTIC]


@exact_kernel
def hold(holds, kinetic, potential):
    """What is held ← with these energies of the bodies; returns what is stored elsewhere [J]."""
    stored = holds[IN_LOADS] + holds[IN_SPRINGS] + holds[IN_CONTACTS]
    holds[HELD] = kinetic + (potential + stored)
    return stored


@exact_kernel
def judge_energy(recent, known, alarm, told):
    """All but `told` ← what is known after a step; returns kinetic energy by its ceiling, or 0.

    It is 0 where that is no runaway. The alarm is how many strikes there were, and whether the
    world has changed.
    """
    free, kinetic, given, before = told[FREE], told[AFTER], told[GIVEN], told[BEFORE]
    elastic, speed = told[IN_SPRINGS_NOW], told[SPEED]
    supply = max(0.0, before - known[LAST]) + max(0.0, free - before) + given
    if alarm[1]:
        supply += elastic
    lately = 0.0
    for i in range(recent.shape[0]):
        lately += recent[i, 1]
    ceiling = min(known[SUPPLIED], known[PEAK] + lately) + supply
    ceiling += 0.5 * speed * speed * told[MASS]
    ratio = kinetic / ceiling if ceiling > 0.0 else 0.0
    rising = kinetic - free - given > RISE * kinetic
    strikes = 0
    if not ratio <= WARY:
        strikes = alarm[0] + (1 if rising else 0)
    known[SUPPLIED] += supply
    known[PEAK], known[LAST] = max(known[PEAK], recent[0, 0]), kinetic
    for i in range(recent.shape[0] - 1):
        recent[i, 0], recent[i, 1] = recent[i + 1, 0], recent[i + 1, 1]
    recent[recent.shape[0] - 1, 0] = kinetic + elastic
    recent[recent.shape[0] - 1, 1] = supply
    alarm[0], alarm[1] = strikes, 0
    return ratio if strikes >= STRIKES or (rising and ratio > ABSURD) else 0.0


@exact_kernel
def energy_of_retargeting(rows, servos, command, target, now, values):
    """Energy ½k(Ψ² − Ψ'²) that servos have since commands moved their rest, as `retargeted`."""
    total = 0.0
    for i in range(servos.size):
        r = servos[i]
        if math.isnan(command[r]):
            continue
        value, before = values[rows.coordinate[r]], target[r]
        if math.isnan(before):
            before = now[r]
        change = (value - now[r]) * (value - now[r]) - (value - before) * (value - before)
        total += 0.5 * rows.stiffness[r] * change
    return total
