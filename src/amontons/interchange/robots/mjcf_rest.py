"""Everything else that an MJCF file may contain: it is listed as left out."""

from __future__ import annotations

from typing import Any

import numpy as np

from amontons.interchange.robots.left_out import LeftOut

COUNTED = {
    "ntendon": "tendons",
    "npair": "contact pairs",
    "nsensor": "sensors",
    "nsite": "sites",
    "ncam": "cameras",
    "nlight": "lights",
    "nflex": "flexible bodies",
    "nskin": "skins",
    "nplugin": "plugins",
    "nmat": "visual materials",
    "ntex": "textures",
    "nuser_body": "user data of bodies",
}
"""Parts of a model that have no counterpart here."""


def list_the_rest(mujoco: Any, model: Any, left_out: LeftOut) -> None:
    """Note what a model contains and a world does not."""
    for name, words in COUNTED.items():
        number = int(getattr(model, name, 0))
        if number:
            left_out.add(f"{words} ({number})")
    option = model.opt
    if option.density or option.viscosity:
        left_out.add("the medium: its density and viscosity")
    if np.any(option.wind):
        left_out.add("wind")
    if np.any(model.body_gravcomp):
        left_out.add("gravity compensation")
    if np.any(model.geom_margin) or np.any(model.geom_gap):
        left_out.add("margins and gaps of geoms: contacts here begin where surfaces touch")
    usual = np.array([0.02, 1.0])
    if (model.geom_solref[:, :2] != usual).any() or (model.jnt_solref[:, :2] != usual).any():
        left_out.add("solref and solimp: contacts and limits here are rigid")
    if option.disableflags & ~int(mujoco.mjtDisableBit.mjDSBL_GRAVITY):
        left_out.add("flags that switch parts of the physics off")
    if model.nkey:
        left_out.add(f"keyframes ({model.nkey}) other than the one asked for")
