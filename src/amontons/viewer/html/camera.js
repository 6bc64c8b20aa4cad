// From where one looks: around a target, at a distance, at an angle above the horizon.

class Camera {
  constructor(run, canvas) {
    this.run = run;
    this.canvas = canvas;
    this.reset();
  }

  reset() {
    this.target = [...this.run.middle];
    const { clientWidth, clientHeight } = this.canvas; // where it is narrow, its width counts
    this.distance = 1.4 * this.run.size * Math.max(1, clientHeight / clientWidth || 1);
    this.look(-1.0, 0.42);
  }

  look(azimuth, height) {
    this.azimuth = azimuth;
    this.height = height;
  }

  get eye() {
    const level = this.distance * Math.cos(this.height);
    return [
      this.target[0] + level * Math.cos(this.azimuth),
      this.target[1] + level * Math.sin(this.azimuth),
      this.target[2] + this.distance * Math.sin(this.height),
    ];
  }

  // right, up and forward, one after the other
  get axes() {
    const back = unit(sub(this.eye, this.target));
    const right = unit(cross([0, 0, 1], back));
    return [...right, ...cross(back, right), -back[0], -back[1], -back[2]];
  }

  turn(dx, dy) {
    this.azimuth -= 0.006 * dx;
    this.height = Math.min(1.5, Math.max(-0.3, this.height + 0.006 * dy));
  }

  move(dx, dy) {
    const back = unit(sub(this.eye, this.target));
    const right = unit(cross([0, 0, 1], back));
    const up = cross(back, right);
    const by = 0.001 * this.distance;
    this.target = this.target.map((x, i) => x + by * (dy * up[i] - dx * right[i]));
  }
}
