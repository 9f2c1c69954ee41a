// The graph around a thing, drawn and as a table. Never more is drawn than can be looked at; the rest is counted.

import cytoscape from "./vendor/cytoscape.mjs";
import { get } from "./api.js";
import { go } from "./app.js";
import { asking, confidence, counted, day, empty, fact, h, left, table, time, to, told } from "./dom.js";

const main = document.querySelector("#main");
const dark = matchMedia("(prefers-color-scheme: dark)");

/** The things whose name has this in it, or, for a whole name, what lies around it. */
export async function graph(argument) {
  const form = asking("The graph around", argument, "Show", (text) => go("graph", text), { autofocus: true, list: "names", placeholder: "a thing, by its name" });
  const names = await get("entities", { q: argument });
  form.append(h("datalist", { id: "names" }, names.map((one) => h("option", { value: one.entity }))));
  const head = [h("h1", {}, "Graph"), form];
  if (!argument) return [...head, chooser(names, "Things that are known")];
  const found = await get("around", { entity: argument });
  if (!found.entity)
    return [...head, h("p", { class: "note" }, "Nothing is known of ", told(argument), "."), names.length ? chooser(names, "Did you mean one of these?") : null].filter(Boolean);
  const picture = h("div", { id: "picture", role: "img", "aria-label": `The graph around ${found.entity}; the table below says the same.` });
  main.addEventListener("shown", () => draw(picture, found), { once: true });
  return [...head, h("h2", {}, told(found.entity), " ", h("span", { class: "note" }, counted(found.total, "fact"))),
    picture, left(found.edges.length, found.total, "fact"), left(found.between.length, found.between_total, "fact between its neighbours"),
    table("The same as a table", ["fact", "confidence", "last said", "look at"], found.edges.map((edge) => {
      const other = edge.subject === found.entity ? edge.object : edge.subject;
      return [fact(edge), confidence(edge.confidence), time(edge.last_seen, day), to(`graph/${encodeURIComponent(other)}`, told(other))];
    }))].filter(Boolean);
}

function chooser(names, title) {
  if (!names.length) return empty("No thing is known yet: run ", h("code", {}, "hymem dream"), ".");
  return h("section", {}, h("h2", {}, title), h("ul", { class: "tags" }, names.map((one) =>
    h("li", {}, to(`graph/${encodeURIComponent(one.entity)}`, told(one.entity)), one.type ? h("span", { class: "note" }, ` ${one.type}`) : null))));
}

function colours() {
  const held = getComputedStyle(document.documentElement);
  return Object.fromEntries(["ink", "quiet", "edge", "accent", "card"].map((name) => [name, held.getPropertyValue(`--${name}`).trim()]));
}

function draw(container, found) {
  const edges = [...found.edges, ...found.between];
  const ends = new Set([found.entity, ...edges.flatMap((edge) => [edge.subject, edge.object])]);
  const elements = [
    ...[...ends].map((name) => ({ data: { id: name, label: shortened(name) }, classes: name === found.entity ? "it" : "" })),
    ...edges.map((edge) => ({ data: { id: edge.id, source: edge.subject, target: edge.object, label: edge.verb, weight: 1 + 3 * edge.confidence },
      classes: [edge.derived ? "derived" : "", edge.faded || edge.status === "stale" ? "faded" : ""].join(" ") })),
  ];
  const layout = { name: "concentric", animate: false, padding: 40, minNodeSpacing: ends.size > 16 ? 34 : 110, startAngle: Math.PI * 1.15,
    concentric: (node) => (node.id() === found.entity ? 2 : 1), levelWidth: () => 1 };
  const drawn = cytoscape({ container, elements, style: style(), layout, maxZoom: 1.3, minZoom: 0.2, autounselectify: true, userZoomingEnabled: false });
  drawn.on("tap", "node", (event) => go("graph", event.target.id()));
  drawn.on("tap", "edge", (event) => go("origin", event.target.id()));
  const repaint = () => drawn.style(style());
  dark.addEventListener("change", repaint);
  const resized = new ResizeObserver(() => { drawn.resize(); drawn.fit(undefined, 30); });
  resized.observe(container);
  container.dataset.drawn = String(drawn.elements().length);
  addEventListener("hashchange", () => { dark.removeEventListener("change", repaint); resized.disconnect(); drawn.destroy(); }, { once: true });
}

const shortened = (name) => (name.length > 28 ? `${name.slice(0, 27)}…` : name);

function style() {
  const { ink, quiet, edge, accent, card } = colours();
  return [
    { selector: "node", style: { label: "data(label)", "font-size": 12, color: ink, "background-color": card, "border-color": quiet, "border-width": 1.5,
      width: 18, height: 18, "text-valign": "bottom", "text-margin-y": 5, "text-outline-color": card, "text-outline-width": 2 } },
    { selector: "node.it", style: { "background-color": accent, "border-color": accent, width: 28, height: 28, "font-weight": "bold" } },
    { selector: "edge", style: { width: "data(weight)", "line-color": edge, "target-arrow-color": edge, "target-arrow-shape": "triangle", "curve-style": "bezier",
      label: "data(label)", "font-size": 9, color: quiet, "text-rotation": "autorotate", "text-outline-color": card, "text-outline-width": 2, "min-zoomed-font-size": 7 } },
    { selector: "edge.derived", style: { "line-style": "dashed" } },
    { selector: "edge.faded", style: { opacity: 0.5 } },
  ];
}
