// Bodies. A body's place and turn come from two frames, between which the vertex shader takes the
// mean.

const STATES = `
layout(location = 2) in vec4 look;      // scale, row of the body
layout(location = 3) in vec3 placeA;
layout(location = 4) in vec4 turnA;
layout(location = 5) in vec2 motionA;   // speed, load
layout(location = 6) in vec3 placeB;
layout(location = 7) in vec4 turnB;
layout(location = 8) in vec2 motionB;
uniform mat4 camera;
uniform float between;
uniform vec2 scales;                    // a high speed, a high load
uniform int colouring;                  // 0 by speed, 1 by row, 2 by load
uniform vec4 cut;                       // bodies with cut.xyz · place > cut.w are left out
flat out vec3 paint;
flat out float row;
vec3 turned(vec4 q, vec3 v) { return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v); }
vec4 turn() { return normalize(mix(turnA, dot(turnA, turnB) < 0.0 ? -turnB : turnB, between)); }
vec3 place() { return mix(placeA, placeB, between); }
// a body that comes or goes has no turn where it is not; it is shown in frames that it is in
bool there() { return dot(turnA, turnA) > 0.1 && (between == 0.0 || dot(turnB, turnB) > 0.1); }
bool shown() { return there() && dot(cut.xyz, place()) <= cut.w; }
const vec4 NOWHERE = vec4(2.0, 2.0, 2.0, 1.0);   // off the screen
vec3 wheel(float x) { return 0.5 + 0.5 * cos(6.28318 * (x + vec3(0.0, 0.33, 0.67))); }
${HEAT_GLSL}
void dress() {
  row = look.w;
  vec2 share = clamp(mix(motionA, motionB, between) / scales, 0.0, 1.0);
  if (colouring == 1) paint = mix(vec3(0.72), wheel(fract(row * 0.61803)), 0.5);
  else paint = heat(colouring == 0 ? share.x : share.y);
}`;

const LIGHT = `
precision highp float;
precision highp int;
flat in vec3 paint;
flat in float row;
uniform vec3 eye;
uniform vec2 chosen;   // rows of the chosen body and of the one that is compared with it
uniform int kind;      // 0 a body, 1 a plane, 2 glass, 3 rows as colours, for picking
out vec4 colour;
const vec3 sun = vec3(0.33429, -0.47756, 0.81185);
float lightness(vec3 n) { return 0.42 + 0.18 * n.z + 0.5 * max(dot(n, sun), 0.0); }
vec4 lit(vec3 n, vec3 spot) {
  float gloss = max(dot(reflect(-sun, n), normalize(eye - spot)), 0.0);
  gloss *= gloss; gloss *= gloss; gloss *= gloss;
  vec3 seen = paint * lightness(n) + 0.18 * gloss * gloss * gloss;
  if (abs(row - chosen.x) < 0.5) seen = mix(seen, vec3(1.0, 0.95, 0.5), 0.55);
  if (abs(row - chosen.y) < 0.5) seen = mix(seen, vec3(0.5, 0.9, 1.0), 0.55);
  return vec4(seen, 1.0);
}
vec4 number() {
  float n = row + 1.0;
  return vec4(mod(n, 256.0), mod(floor(n / 256.0), 256.0), floor(n / 65536.0), 255.0) / 255.0;
}`;

const BODY_VERTEX = `#version 300 es
layout(location = 0) in vec3 corner;
layout(location = 1) in vec3 normal;
${STATES}
out vec3 facing;
out vec3 spot;
void main() {
  vec4 q = turn();
  facing = turned(q, normal / look.xyz);
  spot = turned(q, corner * look.xyz) + place();
  dress();
  gl_Position = shown() ? camera * vec4(spot, 1.0) : NOWHERE;
}`;

const BODY_FRAGMENT = `#version 300 es
${LIGHT}
in vec3 facing;
in vec3 spot;
uniform vec3 middle;
uniform float size;
uniform vec3 sky;
vec4 tiles(vec3 n) {
  vec3 away = abs(n);
  vec2 flat2 = away.z > 0.9 ? spot.xy : (away.x > 0.7 ? spot.yz : spot.xz);
  float cell = exp2(floor(log2(size / 8.0)));
  vec2 tile = floor(flat2 / cell);
  float shade = mod(tile.x + tile.y, 2.0) < 0.5 ? 0.86 : 0.82;
  float fade = smoothstep(3.0, 1.0, length(spot - middle) / size);
  return vec4(mix(sky, sky * vec3(shade, shade + 0.002, shade + 0.015) / 0.93, fade), 1.0);
}
void main() {
  vec3 n = normalize(facing);
  if (kind == 0) colour = lit(n, spot);
  else if (kind == 1) colour = tiles(n);
  else if (kind == 3) colour = number();
  else {
    float across = dot(n, normalize(eye - spot));
    if (across < 0.0) n = -n;
    colour = vec4(vec3(0.45, 0.55, 0.68) * lightness(n), 0.10 + 0.22 * (1.0 - abs(across)));
  }
}`;

// Solids are cut by the ray of each pixel. Each is one point, as large as it needs to be: no
// triangles, no instances. In a solid's own frame p is Rᵀ(p − place), and scale are its half extents.
const SOLID_VERTEX = `#version 300 es
${STATES}
uniform vec3 eye;
uniform mat3 axes;      // right, up, forward
uniform vec3 screen;    // width and height in pixels, pixels of a length as long as deep
uniform int solid;      // 0 a sphere, 1 an ellipsoid, 2 a box, 3 a capsule, 4 a cylinder
uniform vec3 extents;   // half extents of all, where they are not scales
flat out vec3 origin;   // the eye in the solid's frame
flat out vec4 q;
flat out vec3 scale;
void main() {
  q = turn();
  scale = look.xyz * extents;
  dress();
  vec3 to = place() - eye;
  origin = solid == 0 ? -to : turned(vec4(-q.xyz, q.w), -to);
  float radius = solid < 2 ? max(scale.x, max(scale.y, scale.z))
    : solid == 3 ? scale.z : solid == 4 ? length(scale.xz) : length(scale);
  // tangents from the eye to the ball about the solid, to both sides and up and down
  vec3 seen = to * axes;
  float gap = seen.z * seen.z - radius * radius;
  if (!shown() || seen.z < radius * 1.01) { gl_Position = NOWHERE; gl_PointSize = 1.0; return; }
  vec2 middle = seen.xy * seen.z / gap;
  vec2 reach = radius * sqrt(seen.xy * seen.xy + gap) / gap;
  gl_Position = vec4(2.0 * screen.z * middle / screen.xy, 0.0, 1.0);
  gl_PointSize = 2.0 * screen.z * max(reach.x, reach.y) + 1.0;
}`;

const SOLID_FRAGMENT = `#version 300 es
${LIGHT}
uniform mat3 axes;
uniform vec3 screen;
uniform vec2 depths;    // of the picture at infinity, and its change with 1/depth
uniform int solid;
flat in vec3 origin;
flat in vec4 q;
flat in vec3 scale;
vec3 turned(vec4 q, vec3 v) { return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v); }
// each gives the normal in the solid's frame, and how far along the ray; negative where it misses
vec4 ellipsoid(vec3 o, vec3 d) {
  o /= scale; d /= scale;
  float a = dot(d, d), b = dot(o, d);
  vec3 closest = o - (b / a) * d;      // from this rather than from |o|²: no cancellation
  float under = 1.0 - dot(closest, closest);
  if (under < 0.0) return vec4(-1.0);
  float t = sqrt(under / a);
  return vec4((closest - t * d) / scale, -b / a - t);
}
vec4 box(vec3 o, vec3 d) {
  vec3 inverse = 1.0 / d;
  vec3 enter = -inverse * o - abs(inverse) * scale, leave = -inverse * o + abs(inverse) * scale;
  float t = max(max(enter.x, enter.y), enter.z);
  if (t > min(min(leave.x, leave.y), leave.z)) return vec4(-1.0);
  return vec4(-sign(d) * step(enter.yzx, enter.xyz) * step(enter.zxy, enter.xyz), t);
}
vec4 ball(vec3 o, vec3 d, float radius) {
  float a = dot(d, d), b = dot(o, d);
  vec3 closest = o - (b / a) * d;
  float under = radius * radius - dot(closest, closest);
  if (under < 0.0) return vec4(-1.0);
  float t = sqrt(under / a);
  return vec4(closest - t * d, -b / a - t);
}
// capsules and cylinders: along z, of radius scale.x
vec4 rod(vec3 o, vec3 d, float half_length, bool round) {
  float a = dot(d.xy, d.xy), b = dot(o.xy, d.xy), r = scale.x;
  vec2 closest = o.xy - (b / a) * d.xy;
  float under = r * r - dot(closest, closest);
  if (under < 0.0) return vec4(-1.0);
  float root = sqrt(under / a), t = -b / a - root, z = o.z + t * d.z;
  if (abs(z) < half_length) return vec4(closest - root * d.xy, 0.0, t);
  float end = half_length * sign(z);
  if (round) return ball(o - vec3(0.0, 0.0, end), d, r);
  t = (end - o.z) / d.z;
  vec2 lid = o.xy + t * d.xy;
  return dot(lid, lid) < r * r ? vec4(0.0, 0.0, sign(end), t) : vec4(-1.0);
}
void main() {
  vec3 ray = axes * vec3((gl_FragCoord.xy - 0.5 * screen.xy) / screen.z, 1.0);
  vec4 hit;
  if (solid == 0) hit = ball(origin, ray, scale.x); // the same however it is turned
  else {
    vec3 d = turned(vec4(-q.xyz, q.w), ray);
    if (solid == 1) hit = ellipsoid(origin, d);
    else if (solid == 2) hit = box(origin, d);
    else if (solid == 3) hit = rod(origin, d, scale.z - scale.x, true);
    else hit = rod(origin, d, scale.z, false);
    hit.xyz = turned(q, hit.xyz);
  }
  if (hit.w <= 0.0) discard;
  gl_FragDepth = depths.x + depths.y / hit.w;
  colour = kind == 3 ? number() : lit(normalize(hit.xyz), eye + hit.w * ray);
}`;
