"""What a good first guess is worth: the problems of a wall at rest, solved cold and warm.

A solution is a fixed point of every method (paper 3, eqs. 25 and 26): started there, a solver must
stop at once. From one step to the next little changes, so the last impulses are nearly such a
point; this is why simulations remember contacts.
"""

import numpy as np

import amontons as am
from amontons.scenes import Wall

scene = Wall(courses=6, length=5)
solver = am.APGD(tolerance=1e-4, min_iterations=0)  # stops as soon as it is within the tolerance
sim = am.Simulation(scene.build(), step=4e-3, solver=solver)
sim.run(0.4)

cold, warm, again = [], [], []
for _ in range(60):
    sim.step()
    problem = sim.problem()
    warm.append(sim.readings[-1].iterations)
    start = solver.solve(problem)
    cold.append(start.iterations)
    again.append(solver.solve(problem, guess=start.impulses).iterations)

print(f"iterations per step: cold {np.mean(cold):.0f}, from the last step {np.mean(warm):.0f}, "
      f"from the solution itself {np.mean(again):.1f}")  # fmt: skip
assert max(again) <= 1
assert np.mean(warm) < 0.8 * np.mean(cold)
