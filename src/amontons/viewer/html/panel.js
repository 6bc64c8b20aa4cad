// What is known of the chosen body: its data at this time, and its curves over the whole run.

const ROW = 46; // pixels of a curve, with its title
const WIDTH = 250;

const short = (x) => Number(x.toPrecision(3));

class BodyPanel {
  constructor(viewer) {
    this.viewer = viewer;
    this.canvas = element("curves");
    this.place = new Map(viewer.run.rows.map((row, i) => [row, i]));
    this.canvas.onclick = (event) => {
      viewer.play(false);
      viewer.show(((viewer.frames - 1) * event.offsetX) / WIDTH);
    };
  }

  // place (three numbers), speed and load of a moving body in a frame, if it is there
  state(row, frame) {
    const { run, renderer } = this.viewer;
    const bytes = renderer.states.bytes;
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    const at = STATE * (frame * run.moving + this.place.get(row));
    const [x, y, z, speed, load] = [0, 4, 8, 20, 24].map((skip) => view.getFloat32(at + skip, true));
    const there = [12, 14, 16, 18].some((skip) => view.getInt16(at + skip, true) !== 0);
    return { there, place: [x, y, z], speed, load };
  }

  moves(row) {
    return row >= 0 && this.place.get(row) < this.viewer.run.moving;
  }

  // places of a body in all frames, one after the other
  path(row) {
    const path = new Float32Array(3 * this.viewer.frames);
    const states = Array.from({ length: this.viewer.frames }, (_, i) => this.state(row, i));
    let place = (states.find((state) => state.there) || states[0]).place; // before it came
    states.forEach((state, i) => {
      if (state.there) place = state.place;
      path.set(place, 3 * i);
    });
    return path;
  }

  show() {
    const { run, options, frame } = this.viewer;
    const row = options.chosen;
    element("chosen").hidden = row < 0;
    if (row < 0) return;
    const lines = [run.names[row]];
    if (run.mass[row] !== null) lines.push(`mass ${run.mass[row].toPrecision(4)} kg`);
    const now = Math.floor(frame);
    if (this.moves(row)) {
      const { there, place, speed, load } = this.state(row, now);
      if (there) {
        lines.push(`at (${place.map((x) => x.toFixed(3)).join(", ")}) m`);
        lines.push(`speed ${speed.toFixed(3)} m/s`);
        if (run.ranges) lines.push(`contact forces ${load.toPrecision(4)} N`);
      } else lines.push("not here at this time");
      const other = this.moves(options.second) && this.state(options.second, now);
      if (there && other && other.there && options.second !== row) {
        const apart = Math.hypot(...sub(other.place, place));
        lines.push(`${apart.toPrecision(4)} m to ${run.names[options.second]}`);
      }
    }
    element("body").textContent = lines.join("\n");
    this.curves(row);
  }

  curves(row) {
    const { run, frames } = this.viewer;
    const shown = this.moves(row) && frames > 1;
    this.canvas.hidden = !shown;
    if (!shown) return;
    const rows = [["speed", "m/s", (s) => s.speed], ["height", "m", (s) => s.place[2]]];
    if (run.ranges) rows.push(["contact forces", "N", (s) => s.load]);
    const dense = window.devicePixelRatio || 1;
    this.canvas.width = WIDTH * dense;
    this.canvas.height = rows.length * ROW * dense;
    this.canvas.style.height = `${rows.length * ROW}px`;
    const ink = this.canvas.getContext("2d");
    ink.scale(dense, dense);
    const states = Array.from({ length: frames }, (_, i) => this.state(row, i));
    rows.forEach(([name, unit, of], i) => {
      const values = states.map((state) => (state.there ? of(state) : NaN));
      this.curve(ink, i * ROW, name, unit, values);
    });
  }

  curve(ink, top, name, unit, values) {
    const style = getComputedStyle(document.documentElement);
    const known = values.filter((value) => !Number.isNaN(value));
    if (!known.length) return;
    const [low, high] = [Math.min(...known), Math.max(...known)];
    const [first, last] = [top + 18, top + ROW - 3];
    const x = (i) => (WIDTH * i) / (values.length - 1);
    const y = (value) => last - ((last - first) * (value - low)) / (high - low || 1);
    ink.font = "11px system-ui, sans-serif";
    ink.fillStyle = style.getPropertyValue("--ink");
    ink.fillText(`${name}  ${short(low)} to ${short(high)} ${unit}`, 0, top + 12);
    ink.strokeStyle = style.getPropertyValue("--curve");
    ink.lineWidth = 1.2;
    ink.beginPath();
    values.forEach((value, i) => Number.isNaN(value) || ink.lineTo(x(i), y(value)));
    ink.stroke();
    ink.globalAlpha = 0.5;
    ink.fillRect(Math.min(x(this.viewer.frame), WIDTH - 1), first, 1, last - first);
    ink.globalAlpha = 1;
  }
}
