// Views that are lists: what recall finds, messages, facts, the profile, episodes and procedures, conflicts.

import { get, state } from "./api.js";
import { go } from "./app.js";
import { asking, confidence, counted, day, empty, fact, h, left, table, time, to, told } from "./dom.js";

const reasons = (why) => h("span", { class: "why" }, why.map((reason) => told(reason)));

const UNDREAMT = [
  "Nothing has been dreamt yet: run ", h("code", {}, "hymem dream"), ", or dream from ", to("dreams", "the list of dreams"), "."];

/** Why there is nothing to see, as far as that is known. */
async function nothing(otherwise) {
  const found = await get("overview", {}, true);
  if (!found.messages) return empty("Nothing was ever said here. ", h("code", {}, "hymem ingest"), " tells HyMem a conversation.");
  if (!found.last_dream) return empty(...UNDREAMT.map((part) => (part.cloneNode ? part.cloneNode(true) : part)));
  return empty(state.asOf ? `${otherwise} On that day, at least.` : otherwise);
}

/** What an agent is given that reads a message, with reasons. */
export async function recall(q) {
  const form = asking("What would an agent be told that reads this?", q, "Recall", (text) => go("recall", text), {
    autofocus: true, placeholder: "What does the billing service depend on?" });
  const head = [h("h1", {}, "Recall"), form];
  if (!q) {
    const { insights } = await get("profile");
    const lines = insights.length ? [h("h2", {}, "What MEMORY.md says"), h("ul", { class: "plain" }, insights.map((one) =>
      h("li", {}, to(`origin/${encodeURIComponent(one.statement)}`, told(one.statement)), " ", h("span", { class: "sign" }, one.kind.replaceAll("_", " ")))))]
      : [await nothing("MEMORY.md has nothing to say yet; ask for something, or look at the facts.")];
    return [...head, ...lines];
  }
  const found = await get("recall", { q });
  const degraded = found.degraded.map((reason) => h("p", { class: "note" }, told(reason)));
  if (!found.facts.length && !found.said.length && !found.told.length)
    return [...head, ...degraded, await nothing("Nothing that is remembered bears on this.")];
  return [...head, ...degraded,
    found.entities.length ? h("p", { class: "note" }, "It names ", found.entities.map((name, n) =>
      [n ? ", " : "", to(`graph/${encodeURIComponent(name)}`, told(name))]), ".") : null,
    h("h2", {}, counted(found.facts.length, "fact")),
    found.facts.length ? h("ol", { class: "cards" }, found.facts.map((one) =>
      h("li", {}, fact(one), confidence(one.confidence), reasons(one.why)))) : empty("No fact answers it."),
    found.told.length ? [h("h2", {}, "Told as facts"), h("ol", { class: "cards" }, found.told.map((one) =>
      h("li", {}, told(one.fact.content), reasons(one.why_retrieved))))] : null,
    h("h2", {}, "What was said"),
    found.said.length ? h("ol", { class: "cards" }, found.said.map((one) =>
      h("li", {}, h("p", { class: "said" }, told(one.text)), h("span", { class: "note" }, told(one.peer_id), ", ", time(one.said_at, day)),
        reasons(one.why_retrieved)))) : empty("Nothing that was said bears on it."),
  ].flat(Infinity).filter(Boolean);
}

/** Messages by their words. */
export async function search(q) {
  const form = asking("Find messages, whoever said them", q, "Search", (text) => go("search", text), { autofocus: true });
  const head = [h("h1", {}, "Messages"), form];
  if (!q) return [...head, empty("Words find every message, dreamt over or not.")];
  const hits = await get("search", { q });
  if (!hits.length) return [...head, await nothing("No message has these words.")];
  return [...head, h("ol", { class: "cards" }, hits.map(({ message, why_retrieved }) =>
    h("li", {}, h("p", { class: "said" }, told(message.content)),
      h("span", { class: "note" }, told(message.peer_id), " in ", told(message.session_id), ", ", time(message.created_at)), reasons(why_retrieved))))];
}

/** All facts, or those about a thing. */
export async function facts(argument) {
  const retracted = argument.startsWith("retracted:");
  const q = retracted ? argument.slice("retracted:".length) : argument;
  const form = asking("Facts about", q, "Show", (text) => go("facts", (retracted ? "retracted:" : "") + text), {
    autofocus: true, placeholder: "everything" });
  const { facts: found, total } = await get("facts", { q, ...(retracted ? { retracted } : {}) });
  const other = retracted ? h("a", { href: "#/facts" }, "Show what is believed") : h("a", { href: "#/facts/retracted%3A" }, "Show what was retracted");
  const rows = found.map((one) => [fact(one), confidence(one.confidence), `${one.pos_evidence} for, ${one.neg_evidence} against`, time(one.last_seen, day)]);
  return [h("h1", {}, retracted ? "Retracted facts" : "Facts"), form, h("p", {}, other),
    rows.length ? table(counted(total, "fact"), ["fact", "confidence", "evidence", "last said"], rows)
      : await nothing(retracted ? "Nothing is retracted." : "No fact has that in its name."),
    left(found.length, total, "fact")].filter(Boolean);
}

/** What people want, reject, correct, and how they like things done. */
export async function profile() {
  const { entries, total, insights } = await get("profile");
  const peers = Map.groupBy ? [...Map.groupBy(entries, (entry) => entry.peer_id)] : [...grouped(entries)];
  const lists = peers.map(([peer, its]) => [h("h2", {}, told(peer)), h("ul", { class: "cards" }, its.map((entry) =>
    h("li", {}, h("span", { class: "sign" }, entry.kind), " ", to(`origin/${entry.entry_id}`, told(entry.statement)), confidence(entry.confidence),
      h("span", { class: "note" }, `${entry.pos_evidence} for, ${entry.neg_evidence} against, last on `, time(entry.last_seen, day)))))]);
  const lines = insights.map((one) => h("li", {}, to(`origin/${encodeURIComponent(one.statement)}`, told(one.statement))));
  return [h("h1", {}, "Profile"),
    lists.length ? lists : await nothing("Nobody has said what they prefer, reject or want otherwise."), left(entries.length, total, "entry"),
    lines.length ? [h("h2", {}, "Insights"), h("ul", { class: "plain" }, lines)] : null].flat(Infinity).filter(Boolean);
}

function grouped(entries) {
  const found = new Map();
  for (const entry of entries) found.set(entry.peer_id, [...(found.get(entry.peer_id) ?? []), entry]);
  return found;
}

/** What happened, and how things are done. */
export async function experience() {
  const { episodes, procedures, episodes_total, procedures_total } = await get("experience");
  const happened = episodes.map((one) => h("li", {}, h("h3", {}, to(`origin/${one.episode_id}`, told(one.title))), h("p", {}, told(one.summary)),
    h("p", { class: "note" }, h("span", { class: "sign" }, one.outcome), " in ", told(one.session_id), ", ", time(one.started_at, day))));
  const done = procedures.map((one) => h("li", {}, h("h3", {}, to(`origin/${one.procedure_id}`, told(one.name))), h("p", {}, told(one.description)),
    h("ol", {}, one.steps.map((step) => h("li", {}, told(step.action))))));
  return [h("h1", {}, "Experience"), h("h2", {}, "Episodes"),
    happened.length ? h("ul", { class: "cards" }, happened) : await nothing("No episode was read from what was said."), left(episodes.length, episodes_total, "episode"),
    h("h2", {}, "Procedures"),
    done.length ? h("ul", { class: "cards" }, done) : empty("Nobody has told how something is done."), left(procedures.length, procedures_total, "procedure")].filter(Boolean);
}

/** Facts that cannot both hold. */
export async function conflicts() {
  const { conflicts: found, total } = await get("conflicts");
  const pairs = found.map((one) => h("li", {}, h("p", {}, told(one.reason)), h("ul", { class: "pair" }, [one.first, one.second].map((edge) =>
    h("li", {}, fact(edge), confidence(edge.confidence))))));
  return [h("h1", {}, "Conflicts"), pairs.length ? h("ul", { class: "cards" }, pairs) : await nothing("Nothing contradicts anything."),
    left(found.length, total, "conflict")].filter(Boolean);
}
