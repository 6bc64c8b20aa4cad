// Draws a frame, or a moment between two, straight from buffers that hold the whole run.

const STATE = 28; // bytes of a body in a frame: place (3 floats), turn (4 shorts), speed, load
const LOOK = 16;
const CONTACT = 36; // point and force (6 floats), arms to both bodies (6 half floats)
const KIND = { body: 0, plane: 1, glass: 2, pick: 3 };
const ANGLE = 0.7; // of the field of view, from bottom to top
const CROWD = 200; // bodies of a kind from which on they are drawn as points that rays cut
const MANY = 3000; // bodies from which on edges are not smoothed: they are small, and it costs
const SMOOTH = 4; // samples of a pixel where they are
const NO_CUT = [0, 0, 0, 1];

// how far bodies take light from each other: the reach of the kind that most bodies are of
function crowding(run) {
  const moving = run.groups.filter((group) => group.moving);
  const most = moving.sort((a, b) => b.count - a.count)[0];
  return Math.min(most ? 1.2 * most.reach : Infinity, 0.1 * run.size);
}

class Renderer {
  constructor(canvas, run, data) {
    this.canvas = canvas;
    this.run = run;
    const smooth = run.moving < MANY;
    const gl = canvas.getContext("webgl2", {
      antialias: smooth, preserveDrawingBuffer: true, alpha: false,
    });
    if (!gl) throw new Error("this browser has no WebGL 2");
    this.gl = gl;
    this.bodies = compiled(gl, BODY_VERTEX, BODY_FRAGMENT);
    this.solids = compiled(gl, SOLID_VERTEX, SOLID_FRAGMENT);
    this.largest = gl.getParameter(gl.ALIASED_POINT_SIZE_RANGE)[1];
    this.lines = compiled(gl, FORCE_VERTEX, FORCE_FRAGMENT);
    this.bodyArrays = gl.createVertexArray();
    this.lineArrays = gl.createVertexArray();
    this.corners = filled(gl, data.corners);
    this.look = filled(gl, data.look);
    this.places = filled(gl, data.places);
    this.states = new Growing(gl, data.states);
    this.contacts = data.contacts && new Growing(gl, data.contacts);
    gl.bindVertexArray(this.bodyArrays);
    this.triangles = filled(gl, data.triangles, gl.ELEMENT_ARRAY_BUFFER);
    gl.bindVertexArray(null);
    this.trail = new Trail(gl);
    this.occlusion = new Occlusion(gl, smooth ? SMOOTH : 0);
    this.crowding = crowding(run);
    this.quality = 1; // share of the pixels along each side that are drawn
  }

  resize() {
    const dense = this.quality * (window.devicePixelRatio || 1);
    const [width, height] = [this.canvas.clientWidth, this.canvas.clientHeight];
    this.canvas.width = Math.max(1, Math.round(width * dense));
    this.canvas.height = Math.max(1, Math.round(height * dense));
  }

  range(view) {
    return [0.01 * view.distance, view.distance + 8 * this.run.size];
  }

  matrix(view) {
    const aspect = this.canvas.width / this.canvas.height;
    const seen = perspective(ANGLE, aspect, ...this.range(view));
    return product(seen, lookingAt(view.eye, view.target));
  }

  // frame: a number from 0 to frames − 1 that may lie between two
  draw(view, frame, options, picking = false) {
    const gl = this.gl;
    const last = this.run.times.length - 1;
    const first = Math.min(Math.floor(frame), last);
    const [near, far] = this.range(view);
    this.now = {
      camera: this.matrix(view), eye: view.eye, axes: view.axes, near, far, first, second: Math.min(first + 1, last),
      between: frame - first, picking, options,
    };
    const { width, height } = this.canvas;
    const shaded = options.shade && this.quality === 1 && !picking;
    if (shaded) this.occlusion.begin(width, height);
    gl.viewport(0, 0, width, height);
    gl.clearColor(...(picking ? [0, 0, 0, 0] : [...options.sky, 1]));
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.bindVertexArray(this.bodyArrays);
    this.use(this.bodies);
    for (const group of this.run.groups) {
      if (!group.glass && !this.asPoints(group, view)) this.group(group);
    }
    this.use(this.solids);
    for (const group of this.run.groups) if (this.asPoints(group, view)) this.solid(group);
    if (options.forces && this.contacts && !picking) this.forces(Math.round(frame), options.forces);
    if (!picking) this.trail.draw(this.now.camera, frame, this.canvas);
    if (options.glass && !picking) this.glass();
    if (shaded) this.occlusion.end(near, far, this.pixels, this.crowding);
    gl.bindVertexArray(null);
  }

  use({ program, at }) {
    const gl = this.gl;
    const { camera, eye, between, options } = this.now;
    gl.useProgram(program);
    gl.uniformMatrix4fv(at.camera, false, camera);
    gl.uniform3fv(at.eye, eye);
    gl.uniform1f(at.between, between);
    gl.uniform2f(at.scales, this.run.scales.speed || 1, this.run.scales.load || 1);
    gl.uniform2f(at.chosen, options.chosen, options.second);
    gl.uniform4fv(at.cut, options.cut);
    gl.uniform1i(at.colouring, options.colouring);
    if (!at.middle) return;
    gl.uniform3fv(at.middle, this.run.middle);
    gl.uniform1f(at.size, this.run.size);
    gl.uniform3fv(at.sky, options.sky);
  }

  glass() {
    const gl = this.gl;
    gl.bindVertexArray(this.bodyArrays);
    this.use(this.bodies);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    gl.depthMask(false);
    for (const group of this.run.groups) if (group.glass) this.group(group);
    gl.depthMask(true);
    gl.disable(gl.BLEND);
  }

  group(group) {
    const gl = this.gl;
    const mesh = this.run.meshes[group.mesh];
    const picking = this.now.picking;
    if (mesh.plane && picking) return;
    const shown = mesh.plane ? KIND.plane : group.glass ? KIND.glass : KIND.body;
    gl.uniform1i(this.bodies.at.kind, picking ? KIND.pick : shown);
    gl.uniform4fv(this.bodies.at.cut, group.moving ? this.now.options.cut : NO_CUT);
    if (mesh.closed) gl.enable(gl.CULL_FACE);
    else gl.disable(gl.CULL_FACE);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.corners);
    this.attribute(0, 3, gl.FLOAT, 24, 24 * mesh.corner, 0);
    this.attribute(1, 3, gl.FLOAT, 24, 24 * mesh.corner + 12, 0);
    this.moved(group, 1);
    const [count, from] = [mesh.count, 4 * mesh.first];
    gl.drawElementsInstanced(gl.TRIANGLES, count, gl.UNSIGNED_INT, from, group.count);
  }

  // whether bodies are drawn as points that rays cut: many, of simple shapes, and none too large
  asPoints(group, view) {
    if (group.solid < 0 || group.glass || group.count < CROWD) return false;
    const nearest = Math.max(view.distance - this.run.size, 0.02 * view.distance);
    return (2 * this.pixels * group.reach) / nearest < this.largest;
  }

  solid(group) {
    const gl = this.gl;
    const at = this.solids.at;
    const { width, height } = this.canvas;
    gl.uniform1i(at.kind, this.now.picking ? KIND.pick : KIND.body);
    gl.uniform4fv(at.cut, group.moving ? this.now.options.cut : NO_CUT);
    gl.uniform1i(at.solid, group.solid);
    gl.uniform3fv(at.extents, group.extents);
    gl.uniform3f(at.screen, width, height, this.pixels);
    gl.uniformMatrix3fv(at.axes, false, this.now.axes);
    const { near, far } = this.now;
    gl.uniform2f(at.depths, far / (far - near), (-far * near) / (far - near));
    gl.disableVertexAttribArray(0);
    gl.disableVertexAttribArray(1);
    this.moved(group, 0);
    gl.drawArrays(gl.POINTS, 0, group.count);
  }

  // pixels of a length that is as long as it is deep
  get pixels() {
    return (0.5 * this.canvas.height) / Math.tan(0.5 * ANGLE);
  }

  // where the bodies of a group are in both frames
  moved(group, divisor) {
    const gl = this.gl;
    const row = group.first + (group.moving ? 0 : this.run.moving);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.look);
    this.attribute(2, 4, gl.FLOAT, LOOK, LOOK * row, divisor);
    gl.bindBuffer(gl.ARRAY_BUFFER, group.moving ? this.states.buffer : this.places);
    this.state(3, group, this.now.first, divisor);
    this.state(6, group, this.now.second, divisor);
  }

  state(place, group, frame, divisor) {
    const gl = this.gl;
    const base = STATE * (group.first + (group.moving ? frame * this.run.moving : 0));
    this.attribute(place, 3, gl.FLOAT, STATE, base, divisor);
    this.attribute(place + 1, 4, gl.SHORT, STATE, base + 12, divisor);
    this.attribute(place + 2, 2, gl.FLOAT, STATE, base + 20, divisor);
  }

  attribute(place, size, type, stride, offset, divisor) {
    const gl = this.gl;
    gl.enableVertexAttribArray(place);
    gl.vertexAttribPointer(place, size, type, type === gl.SHORT, stride, offset);
    gl.vertexAttribDivisor(place, divisor);
  }

  forces(frame, kind) {
    const gl = this.gl;
    const at = this.lines.at;
    const [first, count] = this.run.ranges[frame];
    if (!count) return;
    this.use(this.lines);
    gl.bindVertexArray(this.lineArrays);
    gl.disable(gl.DEPTH_TEST); // forces are inside the bodies
    gl.disable(gl.CULL_FACE);
    gl.uniform1f(at.size, this.run.size);
    gl.uniform1f(at.strong, this.run.scales.force || 1);
    gl.uniform1i(at.chains, kind === "chains" ? 1 : 0);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.contacts.buffer);
    const base = CONTACT * first;
    this.attribute(0, 3, gl.FLOAT, CONTACT, base, 1);
    this.attribute(1, 3, gl.FLOAT, CONTACT, base + 12, 1);
    this.attribute(2, 3, gl.HALF_FLOAT, CONTACT, base + 24, 1);
    this.attribute(3, 3, gl.HALF_FLOAT, CONTACT, base + 30, 1);
    gl.drawArraysInstanced(gl.TRIANGLES, 0, kind === "chains" ? 12 : 9, count);
    gl.enable(gl.DEPTH_TEST);
  }

  // row of the body at a place of the canvas, or −1; drawn beside the canvas, and one pixel of it
  pick(view, frame, options, x, y) {
    const gl = this.gl;
    const [width, height] = [this.canvas.width, this.canvas.height];
    const dense = width / this.canvas.clientWidth;
    const [right, up] = [Math.round(x * dense), height - Math.round(y * dense) - 1];
    const [target, colours, depths] = this.aside(width, height);
    gl.enable(gl.SCISSOR_TEST);
    gl.scissor(right, up, 1, 1);
    this.draw(view, frame, options, true);
    gl.disable(gl.SCISSOR_TEST);
    const pixel = new Uint8Array(4);
    gl.readPixels(right, up, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.deleteFramebuffer(target);
    for (const each of [colours, depths]) gl.deleteRenderbuffer(each);
    return pixel[0] + 256 * pixel[1] + 65536 * pixel[2] - 1;
  }

  // a canvas that nobody sees, whose edges are not smoothed
  aside(width, height) {
    const gl = this.gl;
    const target = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, target);
    const parts = [[gl.RGBA8, gl.COLOR_ATTACHMENT0], [gl.DEPTH_COMPONENT24, gl.DEPTH_ATTACHMENT]];
    const made = parts.map(([format, role]) => {
      const store = gl.createRenderbuffer();
      gl.bindRenderbuffer(gl.RENDERBUFFER, store);
      gl.renderbufferStorage(gl.RENDERBUFFER, format, width, height);
      gl.framebufferRenderbuffer(gl.FRAMEBUFFER, role, gl.RENDERBUFFER, store);
      return store;
    });
    return [target, ...made];
  }
}
