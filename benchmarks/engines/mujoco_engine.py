"""MuJoCo: rigid bodies with soft contacts."""

from __future__ import annotations

import numpy as np

from engines.base import Engine, Settings
from engines.grains import GRAVITY, Floats, Grains


class MuJoCoEngine(Engine):
    """Conjugate gradients, elliptic cones, its default softness, one thread."""

    def __init__(self, grains: Grains, settings: Settings) -> None:
        import mujoco

        if grains.spin or np.isfinite(grains.bottom):
            raise ValueError("MuJoCo has no vessel that turns or is emptied here: the bed only")
        super().__init__(grains)
        self.step = settings.step or 0.002
        friction = 0.0 if grains.smooth else grains.friction
        walls = "".join(
            f'<geom type="plane" size="0 0 1" pos="{_text(point)}" zaxis="{_text(normal)}" '
            f'friction="{friction} 0 0"/>'
            for point, normal in grains.faces
        )
        balls = "".join(
            f'<body pos="{_text(place)}"><freejoint/>'
            f'<geom size="{grains.radius}" mass="{grains.mass}"/></body>'
            for place in grains.places
        )
        text = f"""<mujoco>
          <option timestep="{self.step}" solver="CG" cone="elliptic" gravity="0 0 {-GRAVITY}"/>
          <size memory="4G"/><default><geom friction="{grains.friction} 0 0" condim="3"/></default>
          <worldbody>{walls}{balls}</worldbody></mujoco>"""
        self.mujoco = mujoco
        self.model = mujoco.MjModel.from_xml_string(text)
        self.data = mujoco.MjData(self.model)

    def advance(self, steps: int) -> None:
        for _ in range(steps):
            self.mujoco.mj_step(self.model, self.data)

    def places(self) -> Floats:
        return np.array(self.data.qpos).reshape(-1, 7)[:, :3].copy()


def _text(vector: Floats) -> str:
    return " ".join(map(repr, np.asarray(vector).tolist()))
