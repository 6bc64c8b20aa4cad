// Draws a frame, or a moment between two, straight from buffers that hold the whole run.

const STATE = 24; // bytes of a body in a frame: place (3 floats), turn (4 shorts), speed (float)
const LOOK = 16;
const KIND = { body: 0, plane: 1, glass: 2, pick: 3 };

class Renderer {
  constructor(canvas, run, data) {
    this.canvas = canvas;
    this.run = run;
    const gl = canvas.getContext("webgl2", { antialias: true, preserveDrawingBuffer: true });
    if (!gl) throw new Error("this browser has no WebGL 2");
    this.gl = gl;
    this.bodies = this.program(BODY_VERTEX, BODY_FRAGMENT);
    this.lines = this.program(LINE_VERTEX, LINE_FRAGMENT);
    this.corners = this.buffer(data.corners);
    this.look = this.buffer(data.look);
    this.states = this.buffer(data.states);
    this.places = this.buffer(data.places);
    this.contacts = data.contacts && this.buffer(data.contacts);
    this.bodyArrays = gl.createVertexArray();
    this.lineArrays = gl.createVertexArray();
    this.background = [0.933, 0.945, 0.961, 1];
  }

  program(vertex, fragment) {
    const gl = this.gl;
    const program = gl.createProgram();
    for (const [kind, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS))
        throw new Error(gl.getShaderInfoLog(shader));
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS))
      throw new Error(gl.getProgramInfoLog(program));
    const at = {};
    const count = gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS);
    for (let i = 0; i < count; i++) {
      const name = gl.getActiveUniform(program, i).name;
      at[name] = gl.getUniformLocation(program, name);
    }
    return { program, at };
  }

  buffer(bytes) {
    const gl = this.gl;
    const made = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, made);
    gl.bufferData(gl.ARRAY_BUFFER, bytes, gl.STATIC_DRAW);
    return made;
  }

  resize() {
    const dense = window.devicePixelRatio || 1;
    const [width, height] = [this.canvas.clientWidth, this.canvas.clientHeight];
    this.canvas.width = Math.max(1, Math.round(width * dense));
    this.canvas.height = Math.max(1, Math.round(height * dense));
  }

  matrix(view) {
    const aspect = this.canvas.width / this.canvas.height;
    const far = view.distance + 8 * this.run.size;
    const seen = perspective(0.7, aspect, 0.01 * view.distance, far);
    return product(seen, lookingAt(view.eye, view.target));
  }

  // frame: a number from 0 to frames − 1 that may lie between two
  draw(view, frame, options, picking = false) {
    const gl = this.gl;
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clearColor(...(picking ? [0, 0, 0, 0] : this.background));
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    const camera = this.matrix(view);
    const { program, at } = this.bodies;
    gl.useProgram(program);
    gl.bindVertexArray(this.bodyArrays);
    const first = Math.min(Math.floor(frame), this.run.times.length - 1);
    const second = Math.min(first + 1, this.run.times.length - 1);
    gl.uniformMatrix4fv(at.camera, false, camera);
    gl.uniform3fv(at.eye, view.eye);
    gl.uniform3fv(at.middle, this.run.middle);
    gl.uniform1f(at.size, this.run.size);
    gl.uniform1f(at.between, frame - first);
    gl.uniform1f(at.fastest, this.run.fastest);
    gl.uniform1f(at.chosen, options.chosen);
    gl.uniform1i(at.colouring, options.colouring);
    for (const group of this.run.groups) {
      if (!group.glass) this.group(group, first, second, picking);
    }
    if (options.forces && this.contacts && !picking) this.forces(camera, Math.round(frame));
    if (options.glass && !picking) this.glass(first, second);
    gl.bindVertexArray(null);
  }

  glass(first, second) {
    const gl = this.gl;
    gl.useProgram(this.bodies.program);
    gl.bindVertexArray(this.bodyArrays);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    gl.depthMask(false);
    for (const group of this.run.groups) if (group.glass) this.group(group, first, second, false);
    gl.depthMask(true);
    gl.disable(gl.BLEND);
  }

  group(group, first, second, picking) {
    const gl = this.gl;
    const plane = this.run.planes[group.mesh];
    if (plane && picking) return;
    const kind = picking ? KIND.pick : plane ? KIND.plane : group.glass ? KIND.glass : KIND.body;
    gl.uniform1i(this.bodies.at.kind, kind);
    if (plane) gl.enable(gl.CULL_FACE); // seen from its free side only
    else gl.disable(gl.CULL_FACE);
    const [start, count] = this.run.meshes[group.mesh];
    gl.bindBuffer(gl.ARRAY_BUFFER, this.corners);
    this.attribute(0, 3, gl.FLOAT, 24, 24 * start, 0);
    this.attribute(1, 3, gl.FLOAT, 24, 24 * start + 12, 0);
    const row = group.first + (group.moving ? 0 : this.run.moving);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.look);
    this.attribute(2, 4, gl.FLOAT, LOOK, LOOK * row, 1);
    gl.bindBuffer(gl.ARRAY_BUFFER, group.moving ? this.states : this.places);
    [first, second].forEach((frame, i) => {
      const base = STATE * (group.first + (group.moving ? frame * this.run.moving : 0));
      this.attribute(3 + 3 * i, 3, gl.FLOAT, STATE, base, 1);
      this.attribute(4 + 3 * i, 4, gl.SHORT, STATE, base + 12, 1);
      this.attribute(5 + 3 * i, 1, gl.FLOAT, STATE, base + 20, 1);
    });
    gl.drawArraysInstanced(gl.TRIANGLES, 0, count, group.count);
  }

  attribute(place, size, type, stride, offset, divisor) {
    const gl = this.gl;
    gl.enableVertexAttribArray(place);
    gl.vertexAttribPointer(place, size, type, type === gl.SHORT, stride, offset);
    gl.vertexAttribDivisor(place, divisor);
  }

  forces(camera, frame) {
    const gl = this.gl;
    const { program, at } = this.lines;
    const [first, count] = this.run.contacts.ranges[frame];
    gl.useProgram(program);
    gl.bindVertexArray(this.lineArrays);
    gl.disable(gl.DEPTH_TEST); // forces are inside the bodies
    gl.uniformMatrix4fv(at.camera, false, camera);
    gl.uniform1f(at.metres, (0.12 * this.run.size) / (this.run.contacts.strong || 1));
    gl.uniform1f(at.strong, this.run.contacts.strong || 1);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.contacts);
    this.attribute(0, 3, gl.FLOAT, 24, 24 * first, 1);
    this.attribute(1, 3, gl.FLOAT, 24, 24 * first + 12, 1);
    if (count) gl.drawArraysInstanced(gl.LINES, 0, 2, count);
    gl.enable(gl.DEPTH_TEST);
  }

  // row of the body at a place of the canvas, or −1
  pick(view, frame, options, x, y) {
    const gl = this.gl;
    this.draw(view, frame, options, true);
    const pixel = new Uint8Array(4);
    const dense = this.canvas.width / this.canvas.clientWidth;
    const up = this.canvas.height - Math.round(y * dense) - 1;
    gl.readPixels(Math.round(x * dense), up, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    return pixel[0] + 256 * pixel[1] + 65536 * pixel[2] - 1;
  }
}
