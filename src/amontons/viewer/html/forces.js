// Contact forces: arrows on the second body of each pair, or chains from body to body. Both are
// flat ribbons that face the eye; a vertex's number says which corner of them it is.

const FORCE_VERTEX = `#version 300 es
layout(location = 0) in vec3 point;
layout(location = 1) in vec3 force;
layout(location = 2) in vec3 armA;     // from the point to the middle of each body
layout(location = 3) in vec3 armB;
uniform mat4 camera;
uniform vec3 eye;
uniform float size;                    // of the scene
uniform float strong;                  // a high force
uniform int chains;
uniform vec4 cut;                      // contacts with cut.xyz · point > cut.w are left out
out float share;
// corners of a band and of an arrow's head: along it, across it
const vec2 ARROW[9] = vec2[9](
  vec2(0.0, -1.0), vec2(0.0, 1.0), vec2(0.7, 1.0), vec2(0.0, -1.0), vec2(0.7, 1.0),
  vec2(0.7, -1.0), vec2(0.7, -3.0), vec2(0.7, 3.0), vec2(1.0, 0.0));
const vec2 BAND[6] = vec2[6](
  vec2(0.0, -1.0), vec2(0.0, 1.0), vec2(1.0, 1.0), vec2(0.0, -1.0), vec2(1.0, 1.0),
  vec2(1.0, -1.0));
void main() {
  share = clamp(length(force) / strong, 0.0, 1.0);
  vec3 way = 0.12 * size * force / strong;
  vec2 corner = ARROW[min(gl_VertexID, 8)];
  float half_width = 0.003 * size * sqrt(share);
  if (chains == 1) {
    way = gl_VertexID < 6 ? armA : armB;
    corner = BAND[gl_VertexID % 6];
    half_width = 0.006 * size * share;
  }
  vec3 across = cross(way, eye - point);
  across /= max(length(across), 1e-20);
  vec3 spot = point + corner.x * way + corner.y * half_width * across;
  bool leftOut = dot(cut.xyz, point) > cut.w;
  gl_Position = leftOut ? vec4(2.0, 2.0, 2.0, 1.0) : camera * vec4(spot, 1.0);
}`;

const FORCE_FRAGMENT = `#version 300 es
precision highp float;
in float share;
out vec4 colour;
void main() { colour = vec4(mix(vec3(0.95, 0.6, 0.3), vec3(0.7, 0.0, 0.1), share), 1.0); }`;
