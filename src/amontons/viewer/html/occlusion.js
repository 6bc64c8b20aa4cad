// Ambient occlusion: a picture is darker where what is near it stands in the way of the sky.
// The picture is drawn aside, with its depths; for each pixel, places around it within a radius are
// looked at, and those that rise above its tangent plane take light away.

const SCREEN_VERTEX = `#version 300 es
void main() { gl_Position = vec4(vec2[3](vec2(-1, -1), vec2(3, -1), vec2(-1, 3))[gl_VertexID], 0, 1); }`;

const SHADE_FRAGMENT = `#version 300 es
precision highp float;
uniform sampler2D picture;
uniform sampler2D depths;
uniform vec2 range;       // nearest and farthest depth
uniform float pixels;     // of a length that is as long as it is deep
uniform float radius;     // within which bodies take light from each other
out vec4 colour;
const int SAMPLES = 20;
const float STRENGTH = 1.1;
vec3 spot(ivec2 at, ivec2 size) {
  float d = texelFetch(depths, clamp(at, ivec2(0), size - 1), 0).r;
  float z = range.x * range.y / (range.y - d * (range.y - range.x));
  return vec3((vec2(at) + 0.5 - 0.5 * vec2(size)) / pixels, 1.0) * z;
}
void main() {
  ivec2 size = textureSize(depths, 0), at = ivec2(gl_FragCoord.xy);
  colour = texelFetch(picture, at, 0);
  if (texelFetch(depths, at, 0).r >= 1.0) return;    // the sky
  vec3 here = spot(at, size);
  // the nearer neighbour on either side: not across an edge
  vec3 l = here - spot(at - ivec2(1, 0), size), r = spot(at + ivec2(1, 0), size) - here;
  vec3 d = here - spot(at - ivec2(0, 1), size), u = spot(at + ivec2(0, 1), size) - here;
  vec3 x = abs(l.z) < abs(r.z) ? l : r, y = abs(d.z) < abs(u.z) ? d : u;
  vec3 n = normalize(cross(y, x));                   // towards the eye
  float reach = min(pixels * radius / here.z, 0.25 * float(size.y)), taken = 0.0;
  if (reach < 1.0) return;
  // neighbours look at other places: grain that the eye smooths, instead of ghosts of bodies
  float begin = 6.28318 * fract(52.9829 * fract(dot(gl_FragCoord.xy, vec2(0.06711, 0.00584))));
  for (int i = 0; i < SAMPLES; i++) {
    float share = sqrt((float(i) + 0.5) / float(SAMPLES)), angle = begin + 2.39996 * float(i);
    vec3 v = spot(at + ivec2(reach * share * vec2(cos(angle), sin(angle))), size) - here;
    float apart = length(v);
    taken += max(0.0, dot(n, v) / max(apart, 1e-30) - 0.1) * max(0.0, 1.0 - apart / (2.0 * radius));
  }
  colour.rgb *= max(0.35, 1.0 - STRENGTH * taken / float(SAMPLES));
}`;

class Occlusion {
  constructor(gl, samples) {
    this.gl = gl;
    this.samples = samples; // per pixel, so that edges are smooth
    this.shade = compiled(gl, SCREEN_VERTEX, SHADE_FRAGMENT);
    this.nothing = gl.createVertexArray();
    this.size = [0, 0];
  }

  // from now on pictures are drawn aside
  begin(width, height) {
    if (this.size[0] !== width || this.size[1] !== height) this.prepare(width, height);
    this.gl.bindFramebuffer(this.gl.FRAMEBUFFER, this.drawn);
  }

  prepare(width, height) {
    const gl = this.gl;
    for (const each of this.made || []) each();
    this.made = [];
    this.size = [width, height];
    const parts = [
      [gl.COLOR_ATTACHMENT0, gl.RGBA8, gl.RGBA, gl.UNSIGNED_BYTE],
      [gl.DEPTH_ATTACHMENT, gl.DEPTH_COMPONENT24, gl.DEPTH_COMPONENT, gl.UNSIGNED_INT],
    ];
    const frame = () => {
      const made = gl.createFramebuffer();
      gl.bindFramebuffer(gl.FRAMEBUFFER, made);
      this.made.push(() => gl.deleteFramebuffer(made));
      return made;
    };
    this.drawn = frame();
    for (const [role, format] of parts) {
      const store = gl.createRenderbuffer();
      gl.bindRenderbuffer(gl.RENDERBUFFER, store);
      gl.renderbufferStorageMultisample(gl.RENDERBUFFER, this.samples, format, width, height);
      gl.framebufferRenderbuffer(gl.FRAMEBUFFER, role, gl.RENDERBUFFER, store);
      this.made.push(() => gl.deleteRenderbuffer(store));
    }
    this.resolved = frame();
    this.textures = parts.map(([role, format, kind, type]) => {
      const texture = gl.createTexture();
      gl.bindTexture(gl.TEXTURE_2D, texture);
      gl.texImage2D(gl.TEXTURE_2D, 0, format, width, height, 0, kind, type, null);
      for (const filter of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER])
        gl.texParameteri(gl.TEXTURE_2D, filter, gl.NEAREST);
      gl.framebufferTexture2D(gl.FRAMEBUFFER, role, gl.TEXTURE_2D, texture, 0);
      this.made.push(() => gl.deleteTexture(texture));
      return texture;
    });
  }

  // shows on the canvas what was drawn since `begin`
  end(near, far, pixels, radius) {
    const gl = this.gl;
    const [width, height] = this.size;
    const at = this.shade.at;
    gl.bindFramebuffer(gl.READ_FRAMEBUFFER, this.drawn);
    gl.bindFramebuffer(gl.DRAW_FRAMEBUFFER, this.resolved);
    const all = gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT;
    gl.blitFramebuffer(0, 0, width, height, 0, 0, width, height, all, gl.NEAREST);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.disable(gl.DEPTH_TEST);
    gl.disable(gl.CULL_FACE);
    gl.useProgram(this.shade.program);
    this.textures.forEach((texture, unit) => {
      gl.activeTexture(gl.TEXTURE0 + unit);
      gl.bindTexture(gl.TEXTURE_2D, texture);
    });
    gl.uniform1i(at.picture, 0);
    gl.uniform1i(at.depths, 1);
    gl.uniform2f(at.range, near, far);
    gl.uniform1f(at.pixels, pixels);
    gl.uniform1f(at.radius, radius);
    gl.bindVertexArray(this.nothing);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
  }
}
