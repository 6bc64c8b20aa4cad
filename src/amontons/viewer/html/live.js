// Follows a run that still goes on: asks for the frames that have come since.

const PAUSE = 500; // milliseconds between two questions
const AT_ONCE = 60; // frames in one answer at most
const ANEW = 3000; // milliseconds before the page is loaded again, to know bodies that have come

window.follow = async (viewer) => {
  let following = true; // until somebody moves the slider back
  const slider = element("slider");
  slider.addEventListener("input", () => {
    following = Number(slider.value) >= viewer.frames - 2;
  });
  element("play").addEventListener("click", () => (following = false));
  const shown = sessionStorage.getItem("shown"); // before the page was loaded again
  sessionStorage.removeItem("shown");
  if (shown) {
    viewer.play(false);
    viewer.show(shown === "last" ? viewer.frames - 1 : Number(shown));
    following = shown === "last";
  }
  let behind = false; // there is more already
  for (;;) {
    if (!behind) await new Promise((later) => setTimeout(later, PAUSE));
    let part;
    try {
      part = await (await fetch(`frames?from=${viewer.frames}`, { cache: "no-store" })).json();
    } catch {
      element("live").textContent = "the run's process has gone";
      return;
    }
    if (part.grown) {
      await new Promise((later) => setTimeout(later, ANEW));
      sessionStorage.setItem("shown", following ? "last" : String(viewer.frame));
      location.reload();
      return;
    }
    if (part.times.length) {
      const contacts = part.contacts && (await unpacked(part.contacts));
      viewer.extend(part, await unpacked(part.states), contacts);
      if (following && !viewer.playing) viewer.show(viewer.frames - 1);
    }
    behind = part.times.length >= AT_ONCE;
    viewer.run.finished = part.finished;
    element("live").textContent = part.finished ? "the run has ended" : "live";
    viewer.show(viewer.frame);
    if (part.finished && !part.times.length) return;
  }
};
