// A body's place and turn come from two frames, between which the vertex shader takes the mean.

const BODY_VERTEX = `#version 300 es
layout(location = 0) in vec3 corner;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec4 look;      // scale, row of the body
layout(location = 3) in vec3 placeA;
layout(location = 4) in vec4 turnA;
layout(location = 5) in float speedA;
layout(location = 6) in vec3 placeB;
layout(location = 7) in vec4 turnB;
layout(location = 8) in float speedB;
uniform mat4 camera;
uniform float between;
out vec3 facing;
out vec3 spot;
flat out float row;
flat out float speed;
vec3 turned(vec4 q, vec3 v) { return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v); }
void main() {
  vec4 nearer = dot(turnA, turnB) < 0.0 ? -turnB : turnB;
  vec4 q = normalize(mix(turnA, nearer, between));
  facing = turned(q, normal / look.xyz);
  spot = turned(q, corner * look.xyz) + mix(placeA, placeB, between);
  row = look.w;
  speed = mix(speedA, speedB, between);
  gl_Position = camera * vec4(spot, 1.0);
}`;

const BODY_FRAGMENT = `#version 300 es
precision highp float;
in vec3 facing;
in vec3 spot;
flat in float row;
flat in float speed;
uniform vec3 eye;
uniform vec3 middle;
uniform float size;
uniform float fastest;
uniform float chosen;
uniform int kind;      // 0 a body, 1 a plane, 2 glass, 3 rows as colours, for picking
uniform int colouring; // 0 by speed, 1 by row
out vec4 colour;
vec3 wheel(float x) { return 0.5 + 0.5 * cos(6.28318 * (x + vec3(0.0, 0.33, 0.67))); }
vec3 heat(float x) {   // dark blue, teal, yellow, red
  vec3 a = mix(vec3(0.14, 0.20, 0.55), vec3(0.10, 0.62, 0.60), smoothstep(0.0, 0.35, x));
  a = mix(a, vec3(0.96, 0.82, 0.24), smoothstep(0.3, 0.7, x));
  return mix(a, vec3(0.85, 0.16, 0.12), smoothstep(0.65, 1.0, x));
}
void main() {
  if (kind == 3) {
    float n = row + 1.0;
    colour = vec4(mod(n, 256.0), mod(floor(n / 256.0), 256.0), floor(n / 65536.0), 255.0) / 255.0;
    return;
  }
  vec3 n = normalize(facing);
  vec3 sight = normalize(eye - spot);
  if (kind == 2 && dot(n, sight) < 0.0) n = -n;
  vec3 sun = normalize(vec3(0.35, -0.5, 0.85));
  float light = 0.42 + 0.18 * n.z + 0.5 * max(dot(n, sun), 0.0);
  if (kind == 1) {
    vec3 away = abs(n);
    vec2 flat2 = away.z > 0.9 ? spot.xy : (away.x > 0.7 ? spot.yz : spot.xz);
    float cell = exp2(floor(log2(size / 8.0)));
    vec2 tile = floor(flat2 / cell);
    float shade = mod(tile.x + tile.y, 2.0) < 0.5 ? 0.86 : 0.82;
    float fade = smoothstep(3.0, 1.0, length(spot - middle) / size);
    colour = vec4(mix(vec3(0.933, 0.945, 0.961), vec3(shade, shade + 0.01, shade + 0.03), fade), 1.0);
    return;
  }
  if (kind == 2) {
    float rim = 1.0 - abs(dot(n, sight));
    colour = vec4(vec3(0.45, 0.55, 0.68) * light, 0.10 + 0.22 * rim);
    return;
  }
  vec3 paint = colouring == 0
    ? heat(clamp(speed / fastest, 0.0, 1.0))
    : mix(vec3(0.72), wheel(fract(row * 0.61803)), 0.5);
  float gloss = pow(max(dot(reflect(-sun, n), sight), 0.0), 24.0);
  vec3 lit = paint * light + 0.18 * gloss;
  if (abs(row - chosen) < 0.5) lit = mix(lit, vec3(1.0, 0.95, 0.5), 0.55);
  colour = vec4(lit, 1.0);
}`;

const LINE_VERTEX = `#version 300 es
layout(location = 0) in vec3 point;
layout(location = 1) in vec3 force;
uniform mat4 camera;
uniform float metres;  // by newton
uniform float strong;
out float share;
void main() {
  float size = length(force);
  // both bodies feel the force: the line goes both ways
  float side = gl_VertexID == 0 ? -0.5 : 0.5;
  share = clamp(size / strong, 0.0, 1.0);
  gl_Position = camera * vec4(point + side * metres * force, 1.0);
}`;

const LINE_FRAGMENT = `#version 300 es
precision highp float;
in float share;
out vec4 colour;
void main() { colour = vec4(mix(vec3(0.95, 0.6, 0.3), vec3(0.7, 0.0, 0.1), share), 1.0); }`;
