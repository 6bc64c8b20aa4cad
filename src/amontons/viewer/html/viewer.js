// The page: unpacks the run, moves through time, answers its controls.

async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

const SLOW = 50; // milliseconds of a picture from which on fewer pixels are drawn while it plays
const AWAY = 3000; // milliseconds after which nobody was looking: another tab was in front
const COARSEST = 0.4; // share of the pixels along each side

const complain = (text) => {
  element("trouble").hidden = !text;
  element("trouble").textContent = text;
};

const SKIES = { light: [0.933, 0.945, 0.961], dark: [0.114, 0.129, 0.161] };
const NARROW = 560; // pixels of a page below which most controls wait behind a button

class Viewer {
  constructor(run, data) {
    this.run = run;
    this.renderer = new Renderer(element("canvas"), run, data);
    this.camera = new Camera(run, this.renderer.canvas);
    this.options = {
      colouring: 1, forces: "", glass: true, shade: true, chosen: -1, second: -1, cut: NO_CUT,
      sky: SKIES.light,
    };
    this.trail = true;
    this.frame = 0;
    this.playing = false;
    this.drawn = 0; // pictures so far
    this.last = performance.now(); // when the last one was
    this.pace = 0; // milliseconds of a picture, while it plays
    this.panel = new BodyPanel(this);
    this.film = new Film(this);
    this.next = (now) => this.tick(now);
    this.controls();
    listenToKeys(this);
    listenToPointers(this);
    const dark = window.matchMedia("(prefers-color-scheme: dark)");
    dark.onchange = () => this.darken(dark.matches);
    this.darken(dark.matches);
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
    showLegend(run, this.options.colouring);
    this.follow();
  }

  show(frame) {
    this.frame = Math.min(Math.max(frame, 0), this.frames - 1);
    element("slider").value = this.frame;
    const times = this.run.times;
    const i = Math.floor(this.frame);
    const next = times[Math.min(i + 1, this.frames - 1)];
    const time = times[i] + (this.frame - i) * (next - times[i]);
    element("time").textContent = `${time.toFixed(3)} of ${times[this.frames - 1].toFixed(2)} s`;
    this.panel.show();
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
      if (this.frame >= this.frames - 1) {
        this.play(false);
        this.film.ended();
      }
    }
    this.last = now;
    if (this.stale) this.redraw();
    requestAnimationFrame(this.next);
  }

  // pictures with fewer pixels, for machines that are slow
  draught(quality) {
    this.renderer.quality = quality;
    this.pace = 0; // give it time
    this.resize();
  }

  // at once: a canvas that changes its size is empty
  resize() {
    this.renderer.resize();
    this.redraw();
  }

  redraw() {
    this.stale = false;
    this.renderer.draw(this.camera, this.frame, this.options);
    this.drawn++;
  }

  darken(on = !document.documentElement.classList.contains("dark")) {
    document.documentElement.classList.toggle("dark", on);
    this.set("sky", on ? SKIES.dark : SKIES.light);
    this.panel.show();
  }

  // the body at a place of the canvas; `second`: the one whose distance is measured
  choose(x, y, second = false) {
    const found = this.renderer.pick(this.camera, this.frame, this.options, x, y);
    if (second && this.options.chosen >= 0) this.options.second = found;
    else Object.assign(this.options, { chosen: found, second: -1 });
    this.follow();
  }

  // the trail and the panel of the chosen body
  follow() {
    const row = this.options.chosen;
    const path = this.trail && this.panel.moves(row) ? this.panel.path(row) : null;
    this.renderer.trail.follow(path);
    this.panel.show();
    this.stale = true;
  }

  set(name, value) {
    this.options[name] = value;
    this.stale = true;
  }

  // leaves out bodies beyond a plane across an axis; `share` goes from one end of the scene to the other
  cut(axis, share) {
    element("cut-at").hidden = !axis;
    if (!axis) return this.set("cut", NO_CUT);
    const normal = ["x", "y", "z"].map((name) => (name === axis ? 1 : 0));
    const reach = 0.5 * this.run.size * share;
    this.set("cut", [...normal, dot(normal, this.run.middle) + reach]);
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
    element("colour").onchange = (event) => {
      this.set("colouring", Number(event.target.value));
      showLegend(this.run, this.options.colouring);
    };
    element("forces").onchange = (event) => this.set("forces", event.target.value);
    element("glass").onchange = (event) => this.set("glass", event.target.checked);
    element("shade").onchange = (event) => this.set("shade", event.target.checked);
    element("trail").onchange = (event) => {
      this.trail = event.target.checked;
      this.follow();
    };
    const cut = () => this.cut(element("cut").value, Number(element("cut-at").value));
    element("cut").onchange = cut;
    element("cut-at").oninput = cut;
    element("picture").onclick = () => savePicture(this);
    element("film").onclick = () => this.film.toggle();
    element("keys").onclick = () => showHelp();
    element("forces-label").hidden = !this.run.ranges;
    element("by-force").hidden = !this.run.ranges;
    element("more").onclick = () => (element("controls").hidden = !element("controls").hidden);
    element("controls").hidden = window.innerWidth < NARROW;
    new ResizeObserver(() => this.resize()).observe(element("canvas"));
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

start().catch((error) => complain(`This run cannot be shown: ${error.message}`));
