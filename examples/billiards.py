"""Two equal balls part at a right angle, and a break sends the corners off.

Elastic impact of equal masses without friction: |v₁|² = |v₁'|² + |v₂'|² and v₁ = v₁' + v₂', so
v₁' and v₂' are at right angles, however the first ball hits the second (Huygens, 1669).
"""

import numpy as np

import amontons as am

RADIUS, MASS, SPEED = 0.0286, 0.17, 3.0


def table() -> am.World:
    """Without gravity, so that nothing but balls acts on balls."""
    return am.World(gravity=(0.0, 0.0, 0.0))


ivory = am.Material(friction=0.0, restitution=1.0)
ball = {"mass": MASS, "material": ivory}

# a thick hit: the line of centres is at 30° to the way of the first ball
world = table()
away = 2.5 * RADIUS
hit = 2.0 * RADIUS * np.array([np.cos(np.pi / 6), np.sin(np.pi / 6), 0.0])
first = world.add_body(
    am.Sphere(RADIUS), position=(-away, 0.0, 0.0), velocity=(SPEED, 0.0, 0.0), **ball
)
second = world.add_body(am.Sphere(RADIUS), position=hit, **ball)
sim = am.Simulation(world, step=1e-4, solver=am.Auto(tolerance=1e-10))
sim.run(0.05)
between = np.degrees(
    np.arccos(
        first.velocity @ second.velocity
        / (np.linalg.norm(first.velocity) * np.linalg.norm(second.velocity))
    )
)  # fmt: skip
print(f"they part at {between:.3f}°, at {np.linalg.norm(second.velocity):.4f} m/s the second")
assert abs(between - 90.0) < 0.5
assert abs(np.linalg.norm(second.velocity) - SPEED * np.cos(np.pi / 6)) < 0.01 * SPEED

# a break: the ball gives its speed to the first of the rack, which hits two at once at 30°: they go
# off with 2√3/5 of it, along the sides to the corners, and 1/5 comes back
world = table()
gap = 2.0 * RADIUS + 1e-3
rack = [
    (gap * np.sqrt(0.75) * row, gap * (place - 0.5 * row), 0.0)
    for row in range(5)
    for place in range(row + 1)
]
cue = world.add_body(
    am.Sphere(RADIUS), position=(-0.1, 0.0, 0.0), velocity=(SPEED, 0.0, 0.0), **ball
)
world.add_bodies(am.Sphere(RADIUS), position=rack, **ball)
sim = am.Simulation(world, step=1e-4, solver=am.Auto(tolerance=1e-8))
sim.run(0.15)
speed = np.linalg.norm(sim.bodies.velocity, axis=1)
energy = 0.5 * MASS * (speed**2).sum() / (0.5 * MASS * SPEED**2)
corners = speed[[11, 15]]  # of the last row
back = -cue.velocity[0] / SPEED
print(f"corners leave with {corners / SPEED} of the speed, {back:.4f} of it comes back")
assert np.allclose(corners / SPEED, 2.0 * np.sqrt(3.0) / 5.0, rtol=0.02)
assert abs(cue.velocity[0] / SPEED + 0.2) < 0.01
assert np.allclose(MASS * sim.bodies.velocity.sum(axis=0), [MASS * SPEED, 0.0, 0.0], atol=1e-6)
assert 0.98 < energy < 1.0 + 1e-6
