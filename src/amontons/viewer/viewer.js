// The page: unpacks the run, moves through time, turns the camera.

const element = (id) => document.getElementById(id);

async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

class Camera {
  constructor(run) {
    this.target = [...run.middle];
    this.distance = 1.4 * run.size;
    this.azimuth = -1.0;
    this.height = 0.42;
  }

  get eye() {
    const level = this.distance * Math.cos(this.height);
    return [
      this.target[0] + level * Math.cos(this.azimuth),
      this.target[1] + level * Math.sin(this.azimuth),
      this.target[2] + this.distance * Math.sin(this.height),
    ];
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

class Viewer {
  constructor(run, data) {
    this.run = run;
    this.states = data.states;
    run.fastest = this.fastest();
    this.renderer = new Renderer(element("canvas"), run, data);
    this.camera = new Camera(run);
    this.options = { colouring: 1, forces: false, glass: true, chosen: -1 };
    this.frame = 0;
    this.playing = false;
    this.drawn = 0; // pictures so far
    this.controls();
    this.pointer();
    this.resize();
    requestAnimationFrame((now) => this.tick(now));
  }

  get frames() {
    return this.run.times.length;
  }

  fastest() {
    const view = new DataView(this.states.buffer);
    const count = this.states.byteLength / STATE;
    const stride = Math.max(1, Math.floor(count / 20000));
    const speeds = [];
    for (let i = 0; i < count; i += stride) speeds.push(view.getFloat32(STATE * i + 20, true));
    speeds.sort((a, b) => a - b);
    return speeds[Math.floor(0.99 * (speeds.length - 1))] || 1;
  }

  show(frame) {
    this.frame = Math.min(Math.max(frame, 0), this.frames - 1);
    element("slider").value = this.frame;
    const times = this.run.times;
    const i = Math.floor(this.frame);
    const next = times[Math.min(i + 1, this.frames - 1)];
    const time = times[i] + (this.frame - i) * (next - times[i]);
    element("time").textContent = `${time.toFixed(3)} of ${times[this.frames - 1].toFixed(2)} s`;
    this.describe();
    this.stale = true;
  }

  play(on = !this.playing) {
    if (on && this.frame >= this.frames - 1) this.show(0);
    this.playing = on;
    element("play").textContent = on ? "❚❚" : "▶";
  }

  tick(now) {
    if (this.playing) {
      const rate = (this.frames - 1) / (this.run.times[this.frames - 1] - this.run.times[0] || 1);
      const passed = Math.min(0.1, (now - this.last) / 1000);
      this.show(this.frame + passed * rate * Number(element("pace").value));
      if (this.frame >= this.frames - 1) this.play(false);
    }
    this.last = now;
    if (this.stale) {
      this.stale = false;
      this.renderer.draw(this.camera, this.frame, this.options);
      this.drawn++;
    }
    requestAnimationFrame((later) => this.tick(later));
  }

  resize() {
    this.renderer.resize();
    this.stale = true;
  }

  choose(x, y) {
    this.options.chosen = this.renderer.pick(this.camera, this.frame, this.options, x, y);
    this.describe();
    this.stale = true;
  }

  // what is known of the chosen body
  describe() {
    const row = this.options.chosen;
    const panel = element("body");
    panel.hidden = row < 0;
    if (row < 0) return;
    const place = this.run.rows.indexOf(row);
    const lines = [this.run.names[row]];
    if (this.run.mass[row] !== null) lines.push(`mass ${this.run.mass[row].toPrecision(4)} kg`);
    if (place < this.run.moving) {
      const view = new DataView(this.states.buffer);
      const at = STATE * (Math.floor(this.frame) * this.run.moving + place);
      const [x, y, z] = [0, 4, 8].map((skip) => view.getFloat32(at + skip, true).toFixed(3));
      lines.push(`at (${x}, ${y}, ${z}) m`);
      lines.push(`speed ${view.getFloat32(at + 20, true).toFixed(3)} m/s`);
    }
    panel.textContent = lines.join("\n");
  }

  controls() {
    element("title").textContent = `${this.run.title}, ${this.run.moving} bodies`;
    const slider = element("slider");
    slider.max = this.frames - 1;
    slider.oninput = () => {
      this.play(false);
      this.show(Number(slider.value));
    };
    element("play").onclick = () => this.play();
    const set = (name, value) => {
      this.options[name] = value;
      this.stale = true;
    };
    element("colour").onchange = (event) => set("colouring", Number(event.target.value));
    element("forces").onchange = (event) => set("forces", event.target.checked);
    element("glass").onchange = (event) => set("glass", event.target.checked);
    element("forces-label").hidden = !this.run.contacts;
    window.onresize = () => this.resize();
    window.onkeydown = (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (event.target.tagName === "SELECT" || (!step && event.key !== " ")) return;
      event.preventDefault();
      if (!step) return this.play();
      this.play(false);
      this.show(Math.round(this.frame) + step);
    };
  }

  pointer() {
    const canvas = element("canvas");
    let held = null;
    canvas.onpointerdown = (event) => {
      held = { x: event.clientX, y: event.clientY, moved: 0 };
      canvas.setPointerCapture(event.pointerId);
    };
    canvas.onpointermove = (event) => {
      if (!held) return;
      const [dx, dy] = [event.clientX - held.x, event.clientY - held.y];
      Object.assign(held, { x: event.clientX, y: event.clientY });
      held.moved += Math.abs(dx) + Math.abs(dy);
      if (event.shiftKey || event.buttons & 2) this.camera.move(dx, dy);
      else this.camera.turn(dx, dy);
      this.stale = true;
    };
    canvas.onpointerup = (event) => {
      if (held && held.moved < 4) this.choose(event.offsetX, event.offsetY);
      held = null;
    };
    canvas.oncontextmenu = (event) => event.preventDefault();
    canvas.onwheel = (event) => {
      event.preventDefault();
      this.camera.distance *= Math.exp(0.001 * event.deltaY);
      this.stale = true;
    };
  }
}

async function start() {
  const run = JSON.parse(element("data").textContent);
  const data = {};
  for (const name of ["corners", "look", "states", "places"]) {
    data[name] = await unpacked(run[name]);
    delete run[name];
  }
  if (run.contacts) data.contacts = await unpacked(run.contacts.rows);
  window.viewer = new Viewer(run, data);
  window.viewer.show(0);
  window.viewer.play(true);
}

start().catch((error) => {
  element("trouble").hidden = false;
  element("trouble").textContent = `This run cannot be shown: ${error.message}`;
});
