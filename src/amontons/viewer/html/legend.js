// The colours of speeds and forces, and what they mean.

const HEAT = [[0.14, 0.2, 0.55], [0.1, 0.62, 0.6], [0.96, 0.82, 0.24], [0.85, 0.16, 0.12]];
const STEPS = [[0.0, 0.35], [0.3, 0.7], [0.65, 1.0]]; // where each colour goes over into the next
const LEGENDS = { 0: ["speed", "m/s", "speed"], 2: ["contact forces on a body", "N", "load"] };

const real = (x) => (Number.isInteger(x) ? `${x}.0` : `${x}`);
const HEAT_GLSL = `vec3 heat(float x) {
  vec3 a = vec3(${HEAT[0].map(real)});
  ${STEPS.map(
    ([from, to], i) => `a = mix(a, vec3(${HEAT[i + 1].map(real)}), smoothstep(${real(from)}, ${real(to)}, x));`,
  ).join("\n  ")}
  return a;
}`;

function heat(x) {
  let a = HEAT[0];
  STEPS.forEach(([from, to], i) => {
    const t = Math.min(1, Math.max(0, (x - from) / (to - from)));
    a = a.map((each, k) => each + t * t * (3 - 2 * t) * (HEAT[i + 1][k] - each));
  });
  return a;
}

function showLegend(run, colouring) {
  const [name, unit, scale] = LEGENDS[colouring] || [];
  element("legend").hidden = !name || !run.scales[scale];
  if (element("legend").hidden) return;
  const colours = Array.from({ length: 13 }, (_, i) => `rgb(${heat(i / 12).map((c) => 255 * c)})`);
  element("legend-name").textContent = `${name} [${unit}]`;
  element("legend-bar").style.background = `linear-gradient(to right, ${colours.join(", ")})`;
  const marks = [0, 0.5, 1].map((share) => Number((share * run.scales[scale]).toPrecision(2)));
  element("legend-marks").replaceChildren(
    ...["0", marks[1], `≥ ${marks[2]}`].map((text) => {
      const mark = document.createElement("span");
      mark.textContent = text;
      return mark;
    }),
  );
}
