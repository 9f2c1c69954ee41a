// The dataflow of a dream as a picture: it is read as text is, each node after all that it is made from.

import cytoscape from "./vendor/cytoscape.mjs";

const COLUMN = 186;
const ROW = 40;
const GAP = 34;
const MARGIN = 16;

/** Draw the nodes that compute into a container; `deeds` names what each one did, `onchoose` is told which was chosen. */
export function drawDataflow(container, nodes, deeds, onchoose) {
  const across = Math.max(2, Math.min(7, Math.floor(container.clientWidth / 135)));
  const { places, height } = placed(nodes, across);
  container.style.height = `${Math.ceil((height * (container.clientWidth - 2 * MARGIN)) / (across * COLUMN)) + 2 * MARGIN}px`;
  const elements = [
    ...nodes.map((node) => ({ data: { id: node.name }, classes: deeds.get(node.name), position: places.get(node.name) })),
    ...nodes.flatMap((node) => node.needs.filter((need) => places.has(need)).map((need) => ({ data: { source: need, target: node.name } }))),
  ];
  const drawn = cytoscape({ container, elements, style: style(), layout: { name: "preset", fit: true, padding: MARGIN },
    autoungrabify: true, autounselectify: true, userZoomingEnabled: false, userPanningEnabled: false });
  drawn.on("tap", "node", (event) => onchoose(event.target.id()));
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const repaint = () => drawn.style(style());
  dark.addEventListener("change", repaint);
  addEventListener("hashchange", () => { dark.removeEventListener("change", repaint); drawn.destroy(); }, { once: true });
  container.dataset.drawn = String(drawn.elements().length);
}

/** A column for each depth, as many columns in a line as there is room, the next lines below, as text is set. */
function placed(nodes, across) {
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const depths = new Map();
  const depth = (name) => {
    if (!depths.has(name)) depths.set(name, Math.max(0, ...byName.get(name).needs.filter((need) => byName.has(need)).map((need) => depth(need) + 1)));
    return depths.get(name);
  };
  const columns = [];
  for (const { name } of nodes) (columns[depth(name)] ??= []).push(name);
  const heights = new Map();
  columns.forEach((column) => {
    const weight = (name) => {
      const needs = byName.get(name).needs.filter((need) => heights.has(need));
      return needs.length ? needs.reduce((sum, need) => sum + heights.get(need), 0) / needs.length : 0;
    };
    column.sort((one, other) => weight(one) - weight(other));
    column.forEach((name, n) => heights.set(name, n - column.length / 2));
  });
  const places = new Map();
  let top = 0;
  for (let begin = 0; begin < columns.length; begin += across) {
    const line = columns.slice(begin, begin + across);
    const tallest = Math.max(...line.map((column) => column.length)) * ROW;
    line.forEach((column, x) => column.forEach((name, n) =>
      places.set(name, { x: x * COLUMN, y: top + (tallest - column.length * ROW) / 2 + n * ROW })));
    top += tallest + GAP;
  }
  return { places, height: top - GAP };
}

function style() {
  const held = getComputedStyle(document.documentElement);
  const [ink, edge, idle, ran, changed, failed] = ["ink", "edge", "card", "good-paper", "warm-paper", "bad-paper"].map((name) => held.getPropertyValue(`--${name}`).trim());
  const filled = (name, colour) => ({ selector: `node.${name}`, style: { "background-color": colour } });
  return [
    { selector: "node", style: { shape: "round-rectangle", width: 160, height: 28, label: "data(id)", "text-valign": "center", "font-size": 11, color: ink,
      "background-color": idle, "border-width": 1, "border-color": edge, "text-wrap": "ellipsis", "text-max-width": 150 } },
    { selector: "edge", style: { width: 1, "line-color": edge, "target-arrow-color": edge, "target-arrow-shape": "triangle", "arrow-scale": 0.7,
      "curve-style": "bezier", opacity: 0.55 } },
    filled("ran", ran), filled("changed", changed), filled("failed", failed),
  ];
}
