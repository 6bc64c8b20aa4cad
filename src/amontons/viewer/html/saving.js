// Pictures and films of what the page shows.

function offer(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

const fileName = (viewer, ending) => `${viewer.run.title.replace(/[^\w-]+/g, "_")}.${ending}`;

function savePicture(viewer) {
  if (viewer.renderer.quality < 1) viewer.play(false); // a fine one
  viewer.redraw();
  element("canvas").toBlob((blob) => offer(blob, fileName(viewer, "png")));
}

const FILM_RATE = 30; // pictures per second

// plays the run once from its beginning; pressing the button again ends the film
class Film {
  constructor(viewer) {
    this.viewer = viewer;
    this.recorder = null;
  }

  toggle() {
    if (this.recorder) return this.recorder.stop();
    if (!window.MediaRecorder) return complain("this browser cannot record films");
    const parts = [];
    const stream = element("canvas").captureStream(FILM_RATE);
    this.recorder = new MediaRecorder(stream, { videoBitsPerSecond: 8e6 });
    this.recorder.ondataavailable = (event) => parts.push(event.data);
    this.recorder.onstop = () => {
      const kind = this.recorder.mimeType.includes("mp4") ? "mp4" : "webm";
      offer(new Blob(parts, { type: this.recorder.mimeType }), fileName(this.viewer, kind));
      this.recorder = null;
      element("film").textContent = "film";
    };
    element("film").textContent = "end film";
    this.viewer.show(0);
    this.viewer.play(true);
    this.recorder.start();
  }

  // the run has been played to its end
  ended() {
    if (this.recorder) this.recorder.stop();
  }
}
