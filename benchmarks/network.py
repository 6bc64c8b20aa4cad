"""B1 and B2 of paper 1: convergence of every solver, as in its figures 3 and 4.

python benchmarks/network.py [--plots FOLDER] [--json out.json]
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import amontons as am
from amontons.generators import bilateral_network, frictionless_spheres
from amontons.plots import convergence
from amontons_papers.histories import iterations_to
from amontons_papers.paper1.comparison import LEVELS, P_SPG_FB, race, rivals
from common import arguments, write


def counts(solutions: dict[str, am.Solution]) -> dict[str, dict[str, int | None]]:
    """Iterations of each solver to each level of the scaled residual."""
    return {
        name: {f"{level:g}": iterations_to(solution.history, level) for level in LEVELS}
        for name, solution in solutions.items()
    }


def show(title: str, table: dict[str, dict[str, Any]]) -> None:
    print(f"\n{title}\n{'iterations to':22s}" + "".join(f"{level:>10g}" for level in LEVELS))
    for name, row in table.items():
        print(f"{name:22s}" + "".join(f"{row[f'{level:g}']!s:>10}" for level in LEVELS))


def main() -> None:
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--plots", type=Path, help="write b1.png and b2.png here")
    options = parser.parse_args()
    limits: dict[str, Any] = {"tolerance": 1e-9, "max_iterations": 3000}
    b1 = race(bilateral_network(), rivals(krylov=True, **limits))
    b2 = race(frictionless_spheres(), rivals(**limits))
    tables = {"b1": counts(b1), "b2": counts(b2)}
    show("B1: 3500 bilateral constraints between 1000 parts (paper 1, figure 3)", tables["b1"])
    for level in LEVELS:
        ours = tables["b1"][P_SPG_FB][f"{level:g}"]
        theirs = tables["b1"]["MINRES"][f"{level:g}"]
        if ours and theirs:
            print(f"  P-SPG-FB / MINRES to {level:g}: {ours / theirs:.2f}")
    show("B2: 3525 frictionless contacts between 1000 spheres (paper 1, figure 4)", tables["b2"])
    if options.plots:
        options.plots.mkdir(parents=True, exist_ok=True)
        for name, solutions in (("b1", b1), ("b2", b2)):
            convergence(solutions).savefig(options.plots / f"{name}.png", dpi=150)
    write(options.json, tables)


if __name__ == "__main__":
    main()
