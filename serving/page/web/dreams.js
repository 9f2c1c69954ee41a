// Dreams: what each one did, with its dataflow and its timings; and one more, when somebody says so.

import { get } from "./api.js";
import { dreamNow, say, show } from "./app.js";
import { drawDataflow } from "./dataflow.js";
import { counted, empty, h, minute, table, time, to, told } from "./dom.js";

/** The last dreams, and a button. */
export async function dreams() {
  const [found, around] = await Promise.all([get("dreams", {}, true), get("overview", {}, true)]);
  const button = h("button", { type: "button", class: "strong", onclick: () => dreaming(button) }, "Dream now");
  const rows = found.map((run) => [to(`dream/${run.run_id}`, time(run.started_at)), told(run.outcome), String(run.asked), String(run.answered),
    String(run.waiting), String(run.rows_changed)]);
  return [h("h1", {}, "Dreams"),
    h("p", {}, around.waiting ? `${counted(around.waiting, "message")} waiting to be dreamt over. ` : "Nothing waits to be dreamt over. ", button),
    around.dreaming.trouble ? h("p", { class: "trouble" }, "The last dream failed: ", told(around.dreaming.trouble)) : null,
    rows.length ? table("The last dreams", ["begun", "outcome", "asked", "answered", "waiting", "rows changed"], rows, "numbers")
      : empty("Nothing has been dreamt yet: run ", h("code", {}, "hymem dream"), ", or press the button.")].filter(Boolean);
}

async function dreaming(button) {
  button.disabled = true;
  say("Dreaming…");
  try {
    const trouble = await dreamNow();
    await show(true);
    say(trouble ? `The dream failed: ${trouble}` : "Dreamt.", Boolean(trouble));
  } catch (error) {
    say(error.message, true);
    button.disabled = false;
  }
}

/** One dream: its nodes by chapter, with what they did; each names what it is made from. */
export async function dream(run) {
  const { run: it, nodes, pipeline } = await get(`dreams/${encodeURIComponent(run || "last")}`, {}, true);
  const did = new Map(nodes.map((node) => [node.node, node]));
  const longest = Math.max(1, ...nodes.map((node) => node.milliseconds));
  const computed = pipeline.filter((node) => node.chapter);
  const chapters = [...new Set(computed.map((node) => node.chapter))];
  const kinds = new Map(computed.map((node) => [node.name, kindOf(did.get(node.name))]));
  const picture = h("div", { id: "picture", role: "img", "aria-label": "The dataflow of this dream; the list below says the same." });
  const main = document.querySelector("#main");
  main.addEventListener("shown", () => drawDataflow(picture, computed, kinds, reveal), { once: true });
  const changed = nodes.filter((node) => node.changed).length;
  return [h("h1", {}, "The dream of ", minute(it.started_at)),
    h("p", {}, told(it.outcome), `: ${it.asked} asked, ${it.answered} answered, ${it.failed} failed; ${counted(it.rows_changed, "row")} changed; ${nodes.length} nodes ran, ${changed} of them with another value than in the dream before.`),
    it.error ? h("p", { class: "trouble" }, told(it.error)) : null,
    it.warnings.map((warning) => h("p", { class: "note" }, told(warning))),
    h("ul", { class: "legend", "aria-label": "Colours" }, [["ran", "ran"], ["changed", "another value than before"], ["failed", "failed"], ["idle", "did not run"]].map(([name, title]) =>
      h("li", { class: name }, title))),
    picture,
    h("div", { class: "chapters" }, chapters.map((chapter) => h("section", { "aria-label": chapter }, h("h2", {}, chapter), h("ul", { class: "nodes" },
      computed.filter((node) => node.chapter === chapter).map((node) => box(node, did.get(node.name), longest))))))].flat(Infinity).filter(Boolean);
}

const kindOf = (deed) => (!deed ? "idle" : deed.error ? "failed" : deed.changed ? "changed" : "ran");

function box(node, deed, longest) {
  const kind = kindOf(deed);
  const says = !deed ? "did not run" : deed.error ? `failed: ${deed.error}` : `${deed.rows === null ? "" : `${counted(deed.rows, "row")}, `}${deed.milliseconds.toFixed(1)} ms${deed.changed ? ", changed" : ""}`;
  const needs = node.needs.length ? h("p", { class: "needs" }, "from ", node.needs.map((need, n) => [n ? ", " : "", h("a", { href: `#node-${need}`, onclick: (event) => jump(event, need) }, need)])) : null;
  return h("li", { class: `node ${kind}`, id: `node-${node.name}`, tabindex: -1 }, h("h3", {}, node.name), h("p", { class: "deed" }, told(says)),
    deed ? h("meter", { min: 0, max: longest, value: deed.milliseconds, "aria-hidden": "true" }) : null,
    node.doc ? h("p", { class: "doc" }, node.doc.split("\n")[0]) : null, needs);
}

function jump(event, name) {
  event.preventDefault();
  reveal(name);
}

function reveal(name) {
  const target = document.getElementById(`node-${name}`);
  if (!target) return say(`${name} comes from outside the dream.`);
  target.scrollIntoView({ block: "center" });
  target.focus();
}
