"""A motor turns a crank that drives a slider: where it is, and how hard the pin pulls.

x(θ) = r cos θ + √(l² − r² sin² θ), and at the outer dead centre (θ = 0) the slider's acceleration
is −r ω² (1 + r/l): any textbook of mechanisms, e.g. Shigley.
"""

import numpy as np

import amontons as am

CRANK, ROD, SPEED, MASS = 0.1, 0.3, 10.0, 2.0  # m, m, rad/s, kg

world = am.World(gravity=(0.0, 0.0, 0.0))
y = (0.0, 1.0, 0.0)
crank = world.add_body(
    am.Box((CRANK, 0.01, 0.01)), mass=0.01, position=(0.5 * CRANK, 0.0, 0.0), mask=0
)
rod = world.add_body(
    am.Box((ROD, 0.01, 0.01)), mass=1e-3, position=(CRANK + 0.5 * ROD, 0.0, 0.0), mask=0
)
slider = world.add_body(am.Box.cube(0.04), mass=MASS, position=(CRANK + ROD, 0.0, 0.0), mask=0)
motor = am.SpeedMotor(speed=SPEED)
world.add_joint(am.Revolute(None, crank, point=(0.0, 0.0, 0.0), axis=y, motor=motor))
world.add_joint(am.Revolute(crank, rod, point=(CRANK, 0.0, 0.0), axis=y))
world.add_joint(am.Revolute(rod, slider, point=(CRANK + ROD, 0.0, 0.0), axis=y))
world.add_joint(am.Prismatic(None, slider, point=(CRANK + ROD, 0.0, 0.0), axis=(1.0, 0.0, 0.0)))
sim = am.Simulation(world, step=5e-4, solver=am.Auto(tolerance=1e-10))

angles, places, pulls = [], [], []


def note(report: am.StepReport) -> None:
    """The crank's angle, the slider's place, and the force of the pin on it."""
    angles.append(sim.joints.angle[0])
    places.append(slider.position[0])
    pulls.append(sim.joints.reaction_force[2])


sim.run(2.0 * np.pi / SPEED, on_step=note)
theta = np.array(angles)
exact = CRANK * np.cos(theta) + np.sqrt(ROD**2 - (CRANK * np.sin(theta)) ** 2)
error = np.abs(np.array(places) - exact).max()
print(f"the slider is within {1e6 * error:.1f} µm of the formula over a whole turn")
assert error < 1e-4

size = np.linalg.norm(pulls, axis=1)
expected = MASS * CRANK * SPEED**2 * (1.0 + CRANK / ROD)
print(f"largest pull of the pin {size[5:].max():.3f} N; the formula says {expected:.3f} N")
assert abs(size[5:].max() - expected) < 0.01 * expected
