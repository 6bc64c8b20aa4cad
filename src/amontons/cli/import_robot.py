"""`amontons import`: a robot in URDF or MJCF as a scene file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from amontons.cli.output import console, print_json
from amontons.cli.settings import Force, Json


def import_robot(
    file: Annotated[Path, typer.Argument(help="A robot: .urdf, or .xml in URDF or MJCF.")],
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FILE", help="A scene file: .yaml or .toml.")
    ],
    force: Force = False,
    json: Json = False,
) -> None:
    """Turn a robot in URDF or MJCF into a scene file, and list what is not supported.

    Exit code: 0 written, 2 bad input.
    """
    from amontons.cli.scene_files import say_untaken
    from amontons.interchange import load_robot, save_scene
    from amontons.storage.targets import check_target

    check_target(out, inputs=[file], replaces=force)
    robot = load_robot(file)
    scene = robot.scene()
    save_scene(scene, out)
    if json:
        print_json(
            {
                "file": str(out),
                "bodies": len(scene.world.bodies),
                "joints": list(robot.joints),
                "unsupported": list(robot.unsupported),
            }
        )
        return
    say_untaken(file, robot)
    console(stderr=True).print(f"written: {out}; run it: amontons run {out}", soft_wrap=True)
