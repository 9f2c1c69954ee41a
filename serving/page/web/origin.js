// Where something comes from, down to the messages, with the arithmetic; and what would remove it, from there.

import { get, post, state } from "./api.js";
import { dreamt, say, show } from "./app.js";
import { confidence, counted, empty, h, time, to, told } from "./dom.js";

const TABLES = { knowledge_graph: "facts", profile_entries: "profile entries", insights: "insights", episodes: "episodes",
  procedures: "procedures", markdown_sections: "lines of MEMORY.md and USER.md", chunks: "chunks", processed_chunks: "replies",
  kg_evidence: "evidence", entity_names: "names", entity_types: "types", entity_mentions: "mentions" };
const SIGNS = { "+": "for", "-": "against" };

/** The origin of a line, an edge, or whatever bears an id. */
export async function origin(what) {
  if (!what) return [h("h1", {}, "Where it comes from"), empty("Choose a fact, a line or an episode to see where it comes from.")];
  const found = await get("origin", { what });
  const { origin: it, edge } = found;
  return [h("h1", {}, edge ? told(edge.sentence) : told(it.title)),
    edge ? h("p", {}, h("span", { class: `sign ${edge.status}` }, edge.status), " ", edge.derived ? h("span", { class: "sign derived" }, "derived") : null,
      " ", to(`graph/${encodeURIComponent(edge.subject)}`, "The graph around ", told(edge.subject)), " · ",
      to(`graph/${encodeURIComponent(edge.object)}`, "around ", told(edge.object))) : null,
    edge ? h("p", { class: "big" }, confidence(edge.confidence)) : null,
    it.arithmetic ? h("p", { class: "arithmetic" }, it.arithmetic) : null,
    h("h2", {}, "Why"),
    it.steps.length ? h("ul", { class: "tree" }, it.steps.map(step)) : empty("It rests on nothing that is kept."),
    state.asOf ? h("p", { class: "note" }, "The past can be looked at, not changed: go back to now to change your mind.") : acts(what, edge),
  ].filter(Boolean);
}

function step(one) {
  const head = [one.sign ? h("span", { class: `sign ${SIGNS[one.sign]}` }, SIGNS[one.sign]) : null, h("span", { class: "kind" }, one.kind), " ",
    one.kind.endsWith("edge") && one.id ? to(`origin/${one.id}`, told(one.title)) : told(one.title), " ",
    h("span", { class: "note" }, time(one.at))];
  const arithmetic = one.arithmetic ? h("p", { class: "arithmetic" }, one.arithmetic) : null;
  if (one.kind === "message") return h("li", { class: "message" }, h("blockquote", {}, told(one.title)), h("span", { class: "note" }, "message ", told(one.id), ", ", time(one.at)));
  if (!one.steps.length) return h("li", {}, head, arithmetic);
  return h("li", {}, h("details", { open: true }, h("summary", {}, head), arithmetic, h("ul", {}, one.steps.map(step))));
}

function acts(what, edge) {
  const result = h("div", { class: "result", "aria-live": "polite" });
  const removing = h("button", { type: "button", onclick: () => working(result, async () => removal(await get("removal", { what }, true))) },
    "What would go with its messages?");
  if (!edge) return h("section", { class: "acts", "aria-label": "Change it" }, h("h2", {}, "Change it"), removing, result);
  return h("section", { class: "acts", "aria-label": "Change it" }, h("h2", {}, "Change it"),
    edge.status === "retracted" ? restoring(edge, result) : retracting(edge, result), naming(edge, result), removing, result);
}

function retracting(edge, result) {
  const reason = h("input", { id: "reason", autocomplete: "off", placeholder: "it was only a plan" });
  const preview = () => working(result, async () => {
    const receipt = await post("retract", { edge: edge.id, preview: true });
    const confirm = h("button", { type: "button", class: "strong", onclick: () => done(result, edge, "retract", { edge: edge.id, reason: reason.value }) }, "Retract it");
    queueMicrotask(() => confirm.focus());
    return [h("h3", {}, "If it is retracted"), going(receipt), h("p", { class: "note" },
      "The messages stay. It comes back when two newer pieces of conversation say it again, or when you restore it."), confirm];
  });
  return h("form", { onsubmit: (event) => { event.preventDefault(); preview(); } },
    h("label", { for: "reason" }, "It is wrong, because (if you like)"), h("div", { class: "row" }, reason, h("button", {}, "Retract…")));
}

function restoring(edge, result) {
  return h("p", {}, h("button", { type: "button", onclick: () => done(result, edge, "restore", { edge: edge.id }) }, "Restore it"));
}

function naming(edge, result) {
  const which = h("select", { id: "which" }, [edge.subject, edge.object].map((name) => h("option", { value: name }, name)));
  const other = h("input", { id: "other", required: true, autocomplete: "off" });
  const preview = (event) => {
    event.preventDefault();
    const named = { alias: which.value, canonical: other.value.trim() };
    working(result, async () => {
      const receipt = await post("alias", { ...named, preview: true });
      const confirm = h("button", { type: "button", class: "strong", onclick: () => done(result, edge, "alias", named) }, "Make them one");
      queueMicrotask(() => confirm.focus());
      return [h("h3", {}, "If ", told(named.alias), " means ", told(named.canonical)), going(receipt), confirm];
    });
  };
  return h("form", { onsubmit: preview }, h("div", { class: "row named" }, h("label", {}, "The name ", which), h("label", {}, " means ", other), h("button", {}, "Alias…")));
}

/** What a receipt says would go. */
function going(receipt) {
  const names = Object.keys(TABLES).filter((name) => receipt.gone[name] || receipt.changed[name]);
  if (!names.length) return empty("Nothing else would go.");
  return h("ul", { class: "plain" }, names.map((name) => {
    const gone = receipt.gone[name] ?? 0;
    const changed = receipt.changed[name] ?? 0;
    const numbers = [gone ? `${gone} gone` : "", changed ? `${changed} changed` : ""].filter(Boolean).join(", ");
    return h("li", {}, `${TABLES[name]}: ${numbers}`, examples(receipt.examples[name] ?? []));
  }));
}

function examples(texts) {
  if (!texts.length) return null;
  return h("ul", {}, texts.slice(0, 12).map((text) => h("li", {}, told(text))), texts.length > 12 ? h("li", { class: "note" }, `and ${texts.length - 12} more`) : null);
}

function removal(found) {
  const { removal: it } = Array.isArray(found) ? found[0] : found;
  if (!it) return empty("This cannot be told of it.");
  const goes = Object.entries(it.goes);
  return [h("h3", {}, `It rests on ${counted(it.messages.length, "message")}`),
    it.messages.length && !it.suffices ? h("p", {}, "It would stay even without these messages.") : null,
    goes.length ? h("ul", { class: "plain" }, goes.map(([name, texts]) => h("li", {}, `${TABLES[name] ?? name} that would go, too`, examples(texts))))
      : empty("Nothing else would go with them."),
    h("p", { class: "note" }, "Forgetting is done on the command line: ", it.messages.slice(0, 5).map((id) => h("code", {}, `hymem forget --message ${id}`)))];
}

async function working(result, work) {
  result.replaceChildren(h("p", { class: "note" }, "Memory is being computed without it; this takes a few seconds…"));
  try {
    result.replaceChildren(...[await work()].flat(Infinity).filter(Boolean));
  } catch (error) {
    result.replaceChildren(h("p", { class: "trouble" }, error.message));
  }
}

async function done(result, edge, act, body) {
  await working(result, async () => {
    const before = (await get("overview", {}, true)).dreaming;
    await post(act, body);
    result.replaceChildren(h("p", { class: "note" }, "Said. The next dream makes it so; it has begun…"));
    const trouble = await dreamt(before);
    if (trouble) return h("p", { class: "trouble" }, `What you said is kept, but the dream failed: ${trouble}`);
    if (act === "alias") return h("p", {}, "They are one now. ", to(`graph/${encodeURIComponent(body.canonical)}`, "Look at the graph."));
    await show(true);
    say(act === "retract" ? `Retracted: ${edge.sentence}` : `Restored: ${edge.sentence}`);
    return null;
  });
}

