"""Scenes: worlds that tests, benchmarks, docs and the command line share; one per file."""

from amontons.checks.words import meant
from amontons.errors import InputError
from amontons.scenes.base import Advice, Parameter, Scene, parameter
from amontons.scenes.bouncing_balls import BouncingBalls
from amontons.scenes.brittle_plate import BrittlePlate
from amontons.scenes.bulldozer import Bulldozer
from amontons.scenes.chain import Chain
from amontons.scenes.conveyor import Conveyor
from amontons.scenes.crater import Crater
from amontons.scenes.direct_shear import DirectShear
from amontons.scenes.dominoes import Dominoes
from amontons.scenes.drum import Drum
from amontons.scenes.four_bar import FourBar
from amontons.scenes.gripper import Gripper
from amontons.scenes.heap import Heap
from amontons.scenes.hourglass import Hourglass
from amontons.scenes.mixed_pile import MixedPile
from amontons.scenes.mixer import Mixer
from amontons.scenes.odd_shapes import OddShapes
from amontons.scenes.oedometer import Oedometer
from amontons.scenes.packaging import Packaging
from amontons.scenes.packed_bed import PackedBed, packed_bed
from amontons.scenes.pebble_bed import PebbleBed
from amontons.scenes.penetration import Penetration
from amontons.scenes.plates import Plates, plates
from amontons.scenes.pressed_bed import PressedBed
from amontons.scenes.ragdolls import Ragdolls
from amontons.scenes.sandcastle import Sandcastle
from amontons.scenes.shaker import Shaker
from amontons.scenes.silo import Silo
from amontons.scenes.simple_shear import SimpleShear
from amontons.scenes.snowball import Snowball
from amontons.scenes.tracked_vehicle import TrackedVehicle
from amontons.scenes.triaxial import Triaxial
from amontons.scenes.triaxial_cell import TriaxialCell
from amontons.scenes.vehicle import Vehicle
from amontons.scenes.walking_robot import WalkingRobot
from amontons.scenes.wall import Wall, wall
from amontons.scenes.wrecking_ball import WreckingBall

SCENES: dict[str, type[Scene]] = {
    kind.name: kind
    for kind in (
        BouncingBalls,
        MixedPile,
        PackedBed,
        PressedBed,
        Wall,
        WreckingBall,
        Dominoes,
        Plates,
        Hourglass,
        Drum,
        Mixer,
        Conveyor,
        Chain,
        FourBar,
        Vehicle,
        Crater,
        Snowball,
        Sandcastle,
        BrittlePlate,
        Shaker,
        PebbleBed,
        TrackedVehicle,
        Bulldozer,
        WalkingRobot,
        Gripper,
        Packaging,
        Ragdolls,
        OddShapes,
        Oedometer,
        Triaxial,
        TriaxialCell,
        DirectShear,
        SimpleShear,
        Heap,
        Silo,
        Penetration,
    )
}
"""All scenes by their names on the command line."""


def find_scene(name: str) -> type[Scene]:
    """The scene of that name; hyphens are accepted."""
    kind = SCENES.get(name.strip().lower().replace("-", "_"))
    if kind is None:
        hint = meant(name, SCENES) or f"; choose one of {', '.join(SCENES)}"
        raise InputError(f"there is no scene {name!r}{hint}")
    return kind


__all__ = [
    "SCENES",
    "Advice",
    "BouncingBalls",
    "BrittlePlate",
    "Bulldozer",
    "Chain",
    "Conveyor",
    "Crater",
    "DirectShear",
    "Dominoes",
    "Drum",
    "FourBar",
    "Gripper",
    "Heap",
    "Hourglass",
    "MixedPile",
    "Mixer",
    "OddShapes",
    "Oedometer",
    "Packaging",
    "PackedBed",
    "Parameter",
    "PebbleBed",
    "Penetration",
    "Plates",
    "PressedBed",
    "Ragdolls",
    "Sandcastle",
    "Scene",
    "Shaker",
    "Silo",
    "SimpleShear",
    "Snowball",
    "TrackedVehicle",
    "Triaxial",
    "TriaxialCell",
    "Vehicle",
    "WalkingRobot",
    "Wall",
    "WreckingBall",
    "find_scene",
    "packed_bed",
    "parameter",
    "plates",
    "wall",
]
