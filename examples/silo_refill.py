"""A silo that runs out through a hole in its floor and is topped up at the same time.

What was there, plus what came, less what went, must be what is there: exactly, as masses are summed
up without rounding. The source finds no room while the silo is full, waits, and keeps it full.
"""

import math

import numpy as np

import amontons as am

WIDTH, HEIGHT, HOLE, WALL = 0.07, 0.12, 0.04, 0.01  # [m]
grain = am.Sizes.uniform(0.009, 0.011)

world = am.World()
side = 0.5 * (WIDTH + WALL)
for x, y in ((side, 0.0), (-side, 0.0), (0.0, side), (0.0, -side)):
    lengths = (WALL if x else WIDTH + 2 * WALL, WALL if y else WIDTH + 2 * WALL, 2 * HEIGHT)
    world.add_body(am.Box(lengths), fixed=True, position=(x, y, HEIGHT))
    rim = 0.5 * (WIDTH - HOLE)
    edge = 0.25 * (WIDTH + HOLE)
    floor = (rim if x else WIDTH, rim if y else WIDTH, WALL)
    world.add_body(
        am.Box(floor), fixed=True, position=(np.sign(x) * edge, np.sign(y) * edge, -0.005)
    )

full = am.pack(((-0.035, -0.035, 0.0), (0.035, 0.035, HEIGHT)), grain, fraction=0.5, seed=1)
world.add_spheres(full.radius, position=full.position, density=2500.0)
top = ((-0.035, -0.035, HEIGHT), (0.035, 0.035, HEIGHT + 0.03))
world.add_source(am.Source(top, grain, rate=5.0, density=2500.0, velocity=(0, 0, -0.5), name="top"))
world.add_sink(am.Sink(((-1, -1, -0.5), (1, 1, -0.1)), name="bin"))
world.add_meter(am.FlowMeter(am.Plane((0, 0, -1), 0.01), name="hole"))

sim = am.Simulation(world, step=2e-3, solver=am.APGD(tolerance=1e-2, max_iterations=60))
begun = sim.bodies.mass[sim.bodies.dynamic].copy()
sim.run(0.5)

top, bin, hole = (sim.meters[name] for name in ("top", "bin", "hole"))
print(f"{top.mass:.3f} kg came, {hole.mass:.3f} kg passed the hole at {hole.speed:.2f} m/s")
print(
    f"{bin.mass:.3f} kg are in the bin; {sim.bodies.dynamic.sum()} grains are in the silo or fall"
)
books, there = sim.state.flows.mass, sim.bodies.mass[sim.bodies.dynamic]
lost = math.fsum([*begun, *books[0].ravel(), *-books[1].ravel(), *-there])
print(f"what was there + what came − what went − what is there = {lost} kg")
assert lost == 0.0
assert hole.mass >= bin.mass > 0.05
waits = [note for note in sim.readings.notes if note.kind == "waiting source"]
print(f"the source began to wait {len(waits)} times")
assert waits
assert top.mass < 5.0 * sim.time
