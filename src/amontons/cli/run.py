"""`amontons run`: run a scene and record it in a folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from amontons.cli.settings import Json, Live, Strict, Threads, use_threads
from amontons.errors import InputError

if TYPE_CHECKING:
    from amontons.interchange.file_scene import FileScene
    from amontons.scenes import Scene


def run(
    scene: Annotated[
        str,
        typer.Argument(
            help="A scene (`amontons scenes` lists them), a scene file or a robot: "
            ".yaml, .toml, .urdf, .xml."
        ),
    ],
    bodies: Annotated[
        int | None, typer.Option("--bodies", "-b", metavar="N", help="Number of bodies.")
    ] = None,
    time: Annotated[
        float | None, typer.Option("--time", metavar="T", help="Simulated time \\[s].")
    ] = None,
    step: Annotated[
        float | None, typer.Option("--step", metavar="H", help="Length of a step \\[s].")
    ] = None,
    solver: Annotated[
        str | None, typer.Option("--solver", "-s", help="auto, apgd, interior-point, ...")
    ] = None,
    tolerance: Annotated[
        float | None,
        typer.Option("--tolerance", "-t", metavar="E", help="Tolerance of every step."),
    ] = None,
    max_iterations: Annotated[
        int | None,
        typer.Option(
            "--max-iterations", "-n", metavar="N", help="Maximum number of iterations per step."
        ),
    ] = None,
    friction: Annotated[
        str | None,
        typer.Option(
            "--friction",
            metavar="LAW",
            help="convex (relaxed) or exact Coulomb friction.",
            show_default=False,
        ),
    ] = None,
    threads: Threads = None,
    seed: Annotated[int | None, typer.Option(help="Seed of all random numbers.")] = None,
    set: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="A parameter of the scene; repeatable."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="DIR", help="A new folder.", show_default=False),
    ] = None,
    frames: Annotated[
        float | None,
        typer.Option(
            "--frames",
            metavar="FPS",
            help="Frames per simulated second. \\[default: 60, or what the file says]",
            show_default=False,
        ),
    ] = None,
    contacts: Annotated[
        bool, typer.Option("--contacts", help="Record contacts and their forces, too.")
    ] = False,
    live: Live = False,
    strict: Strict = False,
    force: Annotated[
        bool,
        typer.Option("--force", help="Start in a folder that is not empty; a run in it is lost."),
    ] = False,
    json: Json = False,
) -> None:
    """Run a scene and record it; defaults are those that the scene advises.

    Under `mpiexec -n N` the N processes share one run.

    Exit code: 0 ran to its end, 2 bad input, 3 became unstable or is strict and had a note, 130
    stopped by Ctrl-C, 143 by SIGTERM, 129 by SIGHUP (go on with `amontons resume`).
    """
    from amontons.cli.scene_files import names_a_file
    from amontons.cli.second_compiler import start_where_cold
    from amontons.cli.sharing import carry_out_silently, shared
    from amontons.cli.watched_run import carry_out, free_folder
    from amontons.results import begin, follow
    from amontons.results.folder import check_run_folder

    given = {
        "time": time, "step": step, "solver": solver, "tolerance": tolerance,
        "max_iterations": max_iterations, "friction": friction,
    }  # fmt: skip
    with shared() as ranks:
        made = _made(scene, bodies, seed, set or [])
        settings = made.advice.changed(given, prefix="--")
        use_threads(threads)
        if ranks is not None and not ranks.leads:
            carry_out_silently(follow(made, settings, ranks), ranks, strict=strict)
            return
        start_where_cold()
        source = [Path(scene)] if names_a_file(scene) else []
        folder = out or free_folder(source[0].stem if source else made.name)
        check_run_folder(folder, source, force=force)
        rate, points = _output(made, frames, contacts)
        begun = begin(
            made, folder, settings=settings, rate=rate, contacts=points, force=force, ranks=ranks
        )  # fmt: skip
        carry_out(begun, json=json, live=live, strict=strict, ranks=ranks)


def _made(word: str, bodies: int | None, seed: int | None, given: list[str]) -> Scene | FileScene:
    """The scene or file that a word of the command line names."""
    from amontons.cli.scene_files import names_a_file, open_scene
    from amontons.scenes import find_scene

    if not names_a_file(word):
        kind = find_scene(word)
        return kind.parsed(words_of(kind, bodies, seed, given))
    options = {"--bodies": bodies, "--seed": seed, "--set": given or None}
    for option, value in options.items():
        if value is not None:
            raise InputError(f"{option} is for built-in scenes; change {word} itself")
    return open_scene(Path(word))


def _output(made: Scene | FileScene, frames: float | None, contacts: bool) -> tuple[float, bool]:
    """Frames per second and whether contacts are recorded, as requested or as the file says."""
    from amontons.interchange.file_scene import FileScene
    from amontons.interchange.run_fields import Output

    output = made.output if isinstance(made, FileScene) else Output(rate=made.advice.rate)
    return output.rate if frames is None else frames, contacts or output.contacts


def words_of(
    kind: type[Scene], bodies: int | None, seed: int | None, given: list[str]
) -> dict[str, str]:
    """Parameters as words, by name, from `--set`, `--bodies` and `--seed`."""
    words: dict[str, str] = {}
    for each in given:
        name, equals, value = each.partition("=")
        if not equals or not name.strip():
            raise InputError(f"--set takes NAME=VALUE such as friction=0.3, got {each!r}")
        words[name.strip().replace("-", "_")] = value.strip()
    names = {each.name for each in kind.parameters()}
    for option, name, number in (("--bodies", kind.counted, bodies), ("--seed", "seed", seed)):
        if number is None:
            continue
        if name not in names:
            raise InputError(
                f"the scene {kind.name} does not take {option}; its parameters are "
                f"{', '.join(sorted(names))}: use --set"
            )
        if name in words:
            raise InputError(f"{option} and --set {name} set the same parameter; give one of them")
        words[name] = str(number)
    return words
