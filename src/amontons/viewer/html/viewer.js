// The page: unpacks the run, moves through time, turns the camera.

const element = (id) => document.getElementById(id);

async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

const SLOW = 50; // milliseconds of a picture from which on fewer pixels are drawn while it plays
const AWAY = 3000; // milliseconds after which nobody was looking: another tab was in front
const COARSEST = 0.4; // share of the pixels along each side

class Viewer {
  constructor(run, data) {
    this.run = run;
    this.renderer = new Renderer(element("canvas"), run, data);
    this.camera = new Camera(run);
    this.options = { colouring: 1, forces: "", glass: true, chosen: -1 };
    this.frame = 0;
    this.playing = false;
    this.drawn = 0; // pictures so far
    this.last = performance.now(); // when the last one was
    this.pace = 0; // milliseconds of a picture, while it plays
    this.place = new Map(run.rows.map((row, i) => [row, i]));
    this.next = (now) => this.tick(now);
    this.controls();
    this.pointer();
    this.resize();
    requestAnimationFrame(this.next);
  }

  get frames() {
    return this.run.times.length;
  }

  // frames that have come since the page was opened
  extend(part, states, contacts) {
    const run = this.run;
    if (contacts) {
      const before = this.renderer.contacts.used / CONTACT;
      for (const [first, count] of part.ranges) run.ranges.push([before + first, count]);
      this.renderer.contacts.add(contacts);
    }
    this.renderer.states.add(states);
    run.times.push(...part.times);
    for (const name in run.scales) run.scales[name] = Math.max(run.scales[name], part.scales[name]);
    element("slider").max = this.frames - 1;
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
    if (!on && this.renderer.quality < 1) this.draught(1);
    element("play").textContent = on ? "❚❚" : "▶";
  }

  tick(now) {
    if (this.playing) {
      const rate = (this.frames - 1) / (this.run.times[this.frames - 1] - this.run.times[0] || 1);
      const took = Math.max(0, now - this.last);
      const passed = Math.min(100, took);
      if (took < AWAY) this.pace = 0.8 * this.pace + 0.2 * took;
      if (this.pace > SLOW && this.renderer.quality > COARSEST)
        this.draught(0.7 * this.renderer.quality);
      this.show(this.frame + 0.001 * passed * rate * Number(element("pace").value));
      if (this.frame >= this.frames - 1) this.play(false);
    }
    this.last = now;
    if (this.stale) {
      this.stale = false;
      this.renderer.draw(this.camera, this.frame, this.options);
      this.drawn++;
    }
    requestAnimationFrame(this.next);
  }

  // pictures with fewer pixels, for machines that are slow
  draught(quality) {
    this.renderer.quality = quality;
    this.pace = 0; // give it time
    this.resize();
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
    const place = this.place.get(row);
    const lines = [this.run.names[row]];
    if (this.run.mass[row] !== null) lines.push(`mass ${this.run.mass[row].toPrecision(4)} kg`);
    if (place < this.run.moving) {
      const view = new DataView(this.renderer.states.bytes.buffer);
      const at = STATE * (Math.floor(this.frame) * this.run.moving + place);
      const [x, y, z] = [0, 4, 8].map((skip) => view.getFloat32(at + skip, true).toFixed(3));
      lines.push(`at (${x}, ${y}, ${z}) m`);
      lines.push(`speed ${view.getFloat32(at + 20, true).toFixed(3)} m/s`);
      if (this.run.ranges)
        lines.push(`contact forces ${view.getFloat32(at + 24, true).toPrecision(4)} N`);
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
    element("forces").onchange = (event) => set("forces", event.target.value);
    element("glass").onchange = (event) => set("glass", event.target.checked);
    element("forces-label").hidden = !this.run.ranges;
    element("by-force").hidden = !this.run.ranges;
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
  for (const name of ["corners", "triangles", "look", "places", "states", "contacts"]) {
    data[name] = run[name] && (await unpacked(run[name]));
    delete run[name];
  }
  window.viewer = new Viewer(run, data);
  window.viewer.show(0);
  window.viewer.play(true);
  if (window.follow) window.follow(window.viewer);
}

start().catch((error) => {
  element("trouble").hidden = false;
  element("trouble").textContent = `This run cannot be shown: ${error.message}`;
});
