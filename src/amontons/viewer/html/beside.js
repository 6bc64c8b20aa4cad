"use strict";
// Runs side by side: time and view of the one that was touched last are those of the others, too.

const pages = [...document.querySelectorAll("iframe")].map((frame) => frame.contentWindow);
let leader = pages[0];

// the time that a page shows [s]
function timeOf({ run, frame, frames }) {
  const i = Math.floor(frame);
  const next = Math.min(i + 1, frames - 1);
  return run.times[i] + (frame - i) * (run.times[next] - run.times[i]);
}

// the frame, or the moment between two, at a time
function frameAt(times, time) {
  const i = times.findLastIndex((each) => each <= time);
  if (i < 0 || i === times.length - 1) return Math.max(i, 0);
  return i + (time - times[i]) / (times[i + 1] - times[i]);
}

function align(from, to) {
  const [mine, theirs] = [to.camera, from.camera];
  const scale = to.run.size / from.run.size;
  mine.look(theirs.azimuth, theirs.height);
  mine.distance = scale * theirs.distance;
  mine.target = mine.target.map(
    (_, i) => to.run.middle[i] + scale * (theirs.target[i] - from.run.middle[i]),
  );
  if (to.playing) to.play(false); // it is carried along
  to.show(frameAt(to.run.times, timeOf(from)));
}

let seen = "";
function tick() {
  const from = leader.viewer;
  const others = pages.filter((page) => page !== leader && page.viewer).map((page) => page.viewer);
  if (from) {
    const now = JSON.stringify([
      pages.indexOf(leader), others.length, from.frame, from.camera.target, from.camera.distance,
      from.camera.azimuth, from.camera.height,
    ]);
    if (now !== seen) others.forEach((to) => align(from, to));
    seen = now;
  }
  requestAnimationFrame(tick);
}

for (const page of pages)
  for (const kind of ["pointerdown", "wheel", "keydown"])
    page.addEventListener(kind, () => (leader = page), { capture: true });
tick();
