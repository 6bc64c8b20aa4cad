// Programs and buffers of the card.

function compiled(gl, vertex, fragment) {
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

function filled(gl, bytes, target = gl.ARRAY_BUFFER) {
  const made = gl.createBuffer();
  gl.bindBuffer(target, made);
  gl.bufferData(target, bytes, gl.STATIC_DRAW);
  return made;
}

// Bytes here and on the card that more are added to; each is sent once, but for moves to more room.
class Growing {
  constructor(gl, bytes) {
    this.gl = gl;
    this.bytes = bytes;
    this.used = bytes.byteLength;
    this.buffer = filled(gl, bytes);
  }

  add(more) {
    const gl = this.gl;
    const end = this.used + more.byteLength;
    if (end > this.bytes.byteLength) {
      const larger = new Uint8Array(2 * end);
      larger.set(this.bytes.subarray(0, this.used));
      larger.set(more, this.used);
      this.bytes = larger;
      gl.deleteBuffer(this.buffer);
      this.buffer = filled(gl, larger);
    } else {
      this.bytes.set(more, this.used);
      gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
      gl.bufferSubData(gl.ARRAY_BUFFER, this.used, more);
    }
    this.used = end;
  }
}
