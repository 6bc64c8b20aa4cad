// The path of the chosen body up to now: a ribbon of a few pixels that faces the eye.

const TRAIL_VERTEX = `#version 300 es
layout(location = 0) in vec3 from;
layout(location = 1) in vec3 to;
uniform mat4 camera;
uniform vec2 thickness;   // half of it, as a share of the picture's width and height
const vec2 CORNERS[6] = vec2[6](
  vec2(0.0, -1.0), vec2(0.0, 1.0), vec2(1.0, 1.0), vec2(0.0, -1.0), vec2(1.0, 1.0),
  vec2(1.0, -1.0));
void main() {
  vec4 a = camera * vec4(from, 1.0), b = camera * vec4(to, 1.0);
  vec2 way = (b.xy / b.w - a.xy / a.w) / thickness;
  vec2 across = length(way) > 0.0 ? normalize(vec2(-way.y, way.x)) : vec2(0.0);
  vec2 corner = CORNERS[gl_VertexID];
  gl_Position = mix(a, b, corner.x);
  gl_Position.xy += corner.y * across * thickness * gl_Position.w;
}`;

const TRAIL_FRAGMENT = `#version 300 es
precision highp float;
out vec4 colour;
void main() { colour = vec4(0.90, 0.42, 0.10, 1.0); }`;

const TRAIL_PIXELS = 1.25; // half the width of the ribbon

class Trail {
  constructor(gl) {
    this.gl = gl;
    this.lines = compiled(gl, TRAIL_VERTEX, TRAIL_FRAGMENT);
    this.arrays = gl.createVertexArray();
    this.buffer = gl.createBuffer();
    this.points = 0;
  }

  // path: three numbers per frame, or nothing
  follow(path) {
    this.points = path ? path.length / 3 : 0;
    if (!path) return;
    this.gl.bindBuffer(this.gl.ARRAY_BUFFER, this.buffer);
    this.gl.bufferData(this.gl.ARRAY_BUFFER, path, this.gl.STATIC_DRAW);
  }

  draw(camera, frame, canvas) {
    const segments = Math.min(Math.floor(frame), this.points - 1);
    if (segments < 1) return;
    const gl = this.gl;
    const thick = (TRAIL_PIXELS * (window.devicePixelRatio || 1) * 2);
    gl.useProgram(this.lines.program);
    gl.uniformMatrix4fv(this.lines.at.camera, false, camera);
    gl.uniform2f(this.lines.at.thickness, thick / canvas.width, thick / canvas.height);
    gl.bindVertexArray(this.arrays);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    for (const place of [0, 1]) {
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, 3, gl.FLOAT, false, 12, 12 * place);
      gl.vertexAttribDivisor(place, 1);
    }
    gl.disable(gl.CULL_FACE);
    gl.drawArraysInstanced(gl.TRIANGLES, 0, 6, segments);
  }
}
