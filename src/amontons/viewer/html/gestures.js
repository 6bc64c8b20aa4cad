// Keys, mouse and fingers.

const element = (id) => document.getElementById(id);
const QUARTER = Math.PI / 2;

// what a press does, and what is said of it; a select or a box is changed as if by hand
const KEYS = {
  " ": ["space", "play or pause", (viewer) => viewer.play()],
  ArrowRight: ["←  →", "one frame back or on", (viewer) => stepped(viewer, 1)],
  ArrowLeft: ["", "", (viewer) => stepped(viewer, -1)],
  Home: ["Home  End", "first or last frame", (viewer) => stepped(viewer, -Infinity)],
  End: ["", "", (viewer) => stepped(viewer, Infinity)],
  c: ["c", "colour by body, speed or force", () => next("colour")],
  f: ["f", "forces as arrows or chains", () => next("forces")],
  x: ["x", "cut across x, y or z", () => next("cut")],
  g: ["g", "containers", () => element("glass").click()],
  t: ["t", "trail of the chosen body", () => element("trail").click()],
  s: ["s", "shade", () => element("shade").click()],
  d: ["d", "dark or light", (viewer) => viewer.darken()],
  1: ["1  2  3", "look along x, along y, from above", (viewer) => looking(viewer, Math.PI, 0)],
  2: ["", "", (viewer) => looking(viewer, -QUARTER, 0)],
  3: ["", "", (viewer) => looking(viewer, -QUARTER, 1.5)],
  r: ["r", "back to the first view", (viewer) => looking(viewer)],
  p: ["p", "save a picture", (viewer) => savePicture(viewer)],
  Escape: ["Esc", "choose no body", (viewer) => unchosen(viewer)],
  "?": ["?", "this list", () => showHelp()],
};

const GESTURES = [
  ["drag", "turn"],
  ["shift-drag, two fingers", "move"],
  ["wheel, pinch", "zoom"],
  ["click", "choose a body: its data, curves and trail"],
  ["shift-click", "measure the distance from it to another"],
];

function stepped(viewer, frames) {
  viewer.play(false);
  viewer.show(Math.round(viewer.frame) + frames);
}

function looking(viewer, azimuth, height) {
  if (azimuth === undefined) viewer.camera.reset();
  else viewer.camera.look(azimuth, height);
  viewer.stale = true;
}

function unchosen(viewer) {
  element("help").hidden = true;
  Object.assign(viewer.options, { chosen: -1, second: -1 });
  viewer.follow();
}

// the next option of a select that can be seen
function next(id) {
  const select = element(id);
  if (select.closest("label").hidden) return;
  const open = [...select.options].filter((option) => !option.hidden);
  const place = open.findIndex((option) => option.selected);
  open[(place + 1) % open.length].selected = true;
  select.dispatchEvent(new Event("change"));
}

function showHelp() {
  const help = element("help");
  help.hidden = !help.hidden;
  const rows = [...GESTURES, ...Object.values(KEYS).filter(([keys]) => keys)];
  help.replaceChildren(
    ...rows.flatMap((row) =>
      row.slice(0, 2).map((text, i) => {
        const cell = document.createElement(i ? "span" : "b");
        cell.textContent = text;
        return cell;
      }),
    ),
  );
}

function listenToKeys(viewer) {
  window.onkeydown = (event) => {
    const key = KEYS[event.key];
    const busy = event.target.tagName === "SELECT" || event.ctrlKey || event.metaKey || event.altKey;
    if (!key || busy) return;
    event.preventDefault();
    key[2](viewer);
  };
}

const STILL = 4; // pixels within which a press is a click

function listenToPointers(viewer) {
  const canvas = element("canvas");
  const held = new Map(); // pointers that are down, and where
  let moved = 0;
  const middle = () => {
    const all = [...held.values()];
    const x = all.reduce((sum, each) => sum + each.x, 0) / all.length;
    const y = all.reduce((sum, each) => sum + each.y, 0) / all.length;
    return { x, y, apart: all.length > 1 ? Math.hypot(all[0].x - all[1].x, all[0].y - all[1].y) : 0 };
  };
  canvas.onpointerdown = (event) => {
    if (!held.size) moved = 0;
    else moved = Infinity; // two fingers choose nothing
    held.set(event.pointerId, { x: event.clientX, y: event.clientY });
    canvas.setPointerCapture(event.pointerId);
  };
  canvas.onpointermove = (event) => {
    if (!held.has(event.pointerId)) return;
    const before = middle();
    held.set(event.pointerId, { x: event.clientX, y: event.clientY });
    const after = middle();
    const [dx, dy] = [after.x - before.x, after.y - before.y];
    moved += Math.abs(dx) + Math.abs(dy);
    if (held.size > 1) {
      viewer.camera.move(dx, dy);
      if (after.apart > 0) viewer.camera.distance *= before.apart / after.apart;
    } else if (event.shiftKey || event.buttons & 2) viewer.camera.move(dx, dy);
    else viewer.camera.turn(dx, dy);
    viewer.stale = true;
  };
  canvas.onpointerup = (event) => {
    if (held.size === 1 && moved < STILL) viewer.choose(event.offsetX, event.offsetY, event.shiftKey);
    held.delete(event.pointerId);
  };
  canvas.onpointercancel = (event) => held.delete(event.pointerId);
  canvas.oncontextmenu = (event) => event.preventDefault();
  canvas.onwheel = (event) => {
    event.preventDefault();
    viewer.camera.distance *= Math.exp(0.001 * event.deltaY);
    viewer.stale = true;
  };
}
