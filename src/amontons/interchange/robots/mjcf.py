"""MJCF, read and compiled by mujoco itself."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from amontons.checks import finite_vector, unit_quaternion
from amontons.errors import FileFormatError, InputError
from amontons.interchange.robots.assembly import RobotAssembly
from amontons.interchange.robots.configuration import Clamped
from amontons.interchange.robots.imported import Imported
from amontons.interchange.robots.left_out import LeftOut
from amontons.interchange.robots.mechanism import Link, Mechanism, Pose
from amontons.interchange.robots.mjcf_actuators import read_motors
from amontons.interchange.robots.mjcf_constraints import add_constraints, excluded_pairs
from amontons.interchange.robots.mjcf_contacts import give_groups, material_of
from amontons.interchange.robots.mjcf_geoms import pieces_of
from amontons.interchange.robots.mjcf_joints import axes_of, set_configuration
from amontons.interchange.robots.mjcf_names import body_name
from amontons.interchange.robots.mjcf_rest import list_the_rest
from amontons.interchange.robots.placing import move
from amontons.model.joints.constraints import Signal
from amontons.model.world import World

RULES = dict.fromkeys(
    ("friction", "static_friction", "rolling_friction", "spinning_friction"), "maximum"
)
"""How MuJoCo combines the friction of two geoms."""


def load_mjcf(
    path: str | os.PathLike[str],
    *,
    world: World | None = None,
    position: ArrayLike = (0.0, 0.0, 0.0),
    orientation: ArrayLike = (1.0, 0.0, 0.0, 0.0),
    configuration: Mapping[str, float] | None = None,
    controls: Mapping[str, Signal] | None = None,
    keyframe: str | int | None = None,
) -> Imported:
    """Read a model from an MJCF file, or from its text; pip install 'amontons[robots]'.

    Parameters
    ----------
    path:
        A file, or the text itself, which begins with "<".
    world:
        Where to put it; by default a new one, with the file's gravity and rules of friction.
    position, orientation:
        Of the file's `worldbody` [m], and as a unit quaternion (w, x, y, z).
    configuration:
        Positions of hinges and slides at the start [rad, m] by name, as the file counts them; by
        default those of the file, or the limit that is nearest to them.
    controls:
        Controls of actuators, by name: numbers or functions of time; by default zero.
    keyframe:
        One of the file's keyframes, by name or number, to start from.
    """
    text = path if isinstance(path, str) and path.lstrip().startswith("<") else ""
    path = Path("MJCF text" if text else path)
    place = Pose.of_quaternion(
        finite_vector("position", position), unit_quaternion("orientation", orientation)
    )
    try:
        mujoco, model = _compiled(path, text)
        source = _Source(path, mujoco, model, world, place)
        return _robot(source, configuration, controls, keyframe)
    except (UnicodeDecodeError, np.linalg.LinAlgError) as reason:  # of names, of huge numbers
        raise FileFormatError(f"{path} has data that cannot be used: {reason}") from reason


class _Source(NamedTuple):
    """A compiled model, and the world that it is added to."""

    path: Path
    mujoco: Any
    model: Any
    world: World | None
    place: Pose


def _robot(
    source: _Source,
    configuration: Mapping[str, float] | None,
    controls: Mapping[str, Signal] | None,
    keyframe: str | int | None,
) -> Imported:
    """What :func:`load_mjcf` makes of a file."""
    path, mujoco, model, world, place = source
    left_out = LeftOut()
    data = mujoco.MjData(model)
    start = Clamped(path, configuration or {}, left_out)
    if keyframe is not None:
        mujoco.mj_resetDataKeyframe(model, data, _keyframe(mujoco, model, keyframe, path))
    set_configuration(mujoco, model, data, start)
    start.refuse_unknown()
    mujoco.mj_forward(model, data)
    actuated = read_motors(mujoco, model, data, controls or {}, left_out)
    links = [
        _link(mujoco, model, data, body, actuated.motors, left_out)
        for body in range(1, model.nbody)
    ]
    _refuse_what_is_nowhere(path, links)
    ground = Link("world", None, Pose(np.zeros(3), np.eye(3)))
    ground.pieces = pieces_of(mujoco, model, data, 0, left_out)
    ground.material = material_of(mujoco, model, 0, "world", left_out)
    mechanism = Mechanism(
        _model_name(model) or path.stem,
        path,
        [ground, *links],
        apart=excluded_pairs(mujoco, model),
        left_out=left_out,
    )
    give_groups(mujoco, model, mechanism, left_out)
    list_the_rest(mujoco, model, left_out)
    move(mechanism, place)
    if world is None:
        world = World(gravity=_gravity(mujoco, model), rules=RULES)
    else:
        left_out.add("gravity and rules of friction: the world's are used")
    assembly = RobotAssembly(mechanism, world)
    imported = assembly.build(start.taken, float(model.opt.timestep))
    add_constraints(mujoco, model, data, imported, place, left_out)
    turned = np.kron(np.eye(2), place.rotation)
    twists = {name: turned @ each for name, each in velocities(mujoco, model, data).items()}
    return dataclasses.replace(
        imported.with_velocities(twists, left_out), actuators=actuated.actuators
    )


def _compiled(path: Path, text: str) -> tuple[Any, Any]:
    if not text and not path.is_file():
        raise InputError(f"there is no MJCF file {path}")
    try:
        import mujoco
    except ImportError:
        raise InputError("reading MJCF needs mujoco: pip install 'amontons[robots]'") from None
    try:
        if text:
            return mujoco, mujoco.MjModel.from_xml_string(text)
        return mujoco, mujoco.MjModel.from_xml_path(str(path))
    except (ValueError, RuntimeError) as reason:
        said = " ".join(str(reason).split())
        raise FileFormatError(f"{path} cannot be read as MJCF: {said}") from None


def _keyframe(mujoco: Any, model: Any, which: str | int, path: Any) -> int:
    names = [model.key(i).name for i in range(model.nkey)]
    if isinstance(which, int) and 0 <= which < model.nkey:
        return which
    if which in names:
        return names.index(str(which))
    raise InputError(f"{path} has no keyframe {which!r}; it has {', '.join(names) or 'none'}")


def _model_name(model: Any) -> str:
    return bytes(model.names[: model.name_bodyadr[0]]).split(b"\0")[0].decode()


def _gravity(mujoco: Any, model: Any) -> Any:
    if model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_GRAVITY:
        return (0.0, 0.0, 0.0)
    return model.opt.gravity


def _link(
    mujoco: Any, model: Any, data: Any, body: int, motors: dict[int, Any], left_out: LeftOut
) -> Link:
    """A body of the model in the world, with its axes."""
    parent = int(model.body_parentid[body])
    link = Link(
        body_name(model, body),
        body_name(model, parent) if parent else "world",
        Pose(data.xpos[body].copy(), data.xmat[body].reshape(3, 3).copy()),
        mass=float(model.body_mass[body]),
        centre=data.xipos[body].copy(),
    )
    principal = data.ximat[body].reshape(3, 3)
    link.inertia = principal @ np.diag(model.body_inertia[body]) @ principal.T
    link.pieces = pieces_of(mujoco, model, data, body, left_out)
    link.material = material_of(mujoco, model, body, link.name, left_out)
    link.axes, link.free = axes_of(mujoco, model, data, body, motors, left_out)
    if model.body_mocapid[body] >= 0:
        left_out.add("mocap bodies: they are fixed", link.name)
    return link


def _refuse_what_is_nowhere(path: Path, links: list[Link]) -> None:
    """Raise InputError for a body whose position or inertia MuJoCo read as NaN or infinite."""
    for link in links:
        values = (*link.pose, link.centre, link.inertia, np.array(link.mass))
        if not all(np.isfinite(value).all() for value in values):
            raise InputError(
                f"{path}: body {link.name!r} has a mass, an inertia or a position that is not "
                "finite; look for inf, nan and very large numbers in it and in its geoms"
            )


def velocities(mujoco: Any, model: Any, data: Any) -> dict[str, Any]:
    """Velocities of bodies at the start [rad/s, m/s] by name, where there are any."""
    out = {}
    for body in range(1, model.nbody):
        twist = np.zeros(6)
        mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_BODY, body, twist, 0)
        if twist.any():
            out[body_name(model, body)] = twist
    return out
