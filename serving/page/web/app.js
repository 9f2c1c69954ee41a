// The page: which view is open, for which workspace, as of which moment. The address after # says it, so that "back" works.

import { get, keepToken, post, state, Trouble, workspaceOfToken, workspaces } from "./api.js";
import { counted, h } from "./dom.js";
import { conflicts, experience, facts, profile, recall, search } from "./lists.js";
import { graph } from "./graph.js";
import { origin } from "./origin.js";
import { dream, dreams } from "./dreams.js";

const VIEWS = { recall, search, facts, graph, profile, experience, conflicts, dreams, dream, origin };
const SHOWN = { recall: "Recall", search: "Messages", facts: "Facts", graph: "Graph", profile: "Profile",
  experience: "Experience", conflicts: "Conflicts", dreams: "Dreams" };
const TIMELESS = new Set(["dreams", "dream"]);
const DAY = 86_400_000;

const main = document.querySelector("#main");
const notice = document.querySelector("#notice");
const slider = document.querySelector("#slider");
const moment = document.querySelector("#moment");
const back = document.querySelector("#now");
const chooser = document.querySelector("#workspace");
let turn = 0;
let first = null;

/** The view and its argument, as the address says them. */
function place() {
  const [name, ...rest] = location.hash.replace(/^#\/?/, "").split("/");
  return [name in VIEWS ? name : "recall", decode(rest.join("/"))];
}

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Say something beside the content; screen readers say it too. */
export function say(text, isTrouble = false) {
  notice.textContent = text;
  notice.classList.toggle("trouble", isTrouble);
}

export const go = (name, argument = "") => {
  const address = `#/${name}${argument ? `/${encodeURIComponent(argument)}` : ""}`;
  if (location.hash === address) show();
  else location.hash = address;
};

/** Draw the view that the address names. */
export async function show(keepFocus = false) {
  const mine = ++turn;
  const [name, argument] = place();
  mark(name);
  document.querySelector("#time").hidden = TIMELESS.has(name);
  say(state.asOf ? `Looking at memory as of ${state.asOf}…` : "Looking…");
  main.setAttribute("aria-busy", "true");
  try {
    const shown = await VIEWS[name](argument);
    if (mine !== turn) return;
    main.replaceChildren(...[shown].flat());
    say(state.asOf ? `This is memory as it stood on ${state.asOf}.` : "");
    main.dispatchEvent(new Event("shown"));
  } catch (error) {
    if (mine !== turn) return;
    refused(error);
  }
  main.removeAttribute("aria-busy");
  document.title = `${SHOWN[name] ?? "Where it comes from"} · HyMem`;
  if (!keepFocus) (main.querySelector("[autofocus]") ?? main).focus({ preventScroll: true });
}

function refused(error) {
  if (!(error instanceof Trouble)) console.error(error);
  if (error.status === 401) return askForToken(error.message);
  main.replaceChildren(h("h1", {}, "That did not work"), h("p", { class: "trouble" }, error.message));
  say("");
}

function askForToken(reason) {
  const field = h("input", { id: "token", type: "password", autocomplete: "off", required: true, autofocus: true });
  const enter = (event) => {
    event.preventDefault();
    keepToken(field.value.trim());
    begin();
  };
  main.replaceChildren(h("h1", {}, "An access token, please"),
    h("p", {}, "This server lets in those who have a token. ", h("code", {}, "hymem serve token"),
      " makes one where its secret is. It stays in this tab, and is gone when you close it."),
    h("form", { onsubmit: enter }, h("label", { for: "token" }, "Access token"),
      h("div", { class: "row" }, field, h("button", {}, "Enter"))));
  say(reason === "No access token provided" ? "" : reason, true);
  field.focus();
}

function mark(name) {
  const links = Object.entries(SHOWN).map(([view, title]) =>
    h("li", {}, h("a", { href: `#/${view}`, "aria-current": view === name ? "page" : undefined }, title)));
  document.querySelector("#views").replaceChildren(...links);
}

/** What the footer tells, and how far back the slider reaches. */
export async function lookAround() {
  const found = await get("overview", {}, true);
  const dreaming = found.dreaming.state === "dreaming" ? "dreaming now" : found.dreaming.trouble ? `the last dream failed: ${found.dreaming.trouble}` : "";
  document.querySelector("#extent").textContent = [counted(found.messages, "message"), counted(found.edges, "fact"),
    counted(found.entities, "thing"), found.waiting ? `${counted(found.waiting, "message")} waiting for a dream` : "", dreaming]
    .filter(Boolean).join(" · ");
  first = found.first_said ? Math.floor(Date.parse(found.first_said) / DAY) : null;
  const today = Math.floor(Date.parse(found.now) / DAY);
  slider.max = first === null ? 0 : Math.max(0, today - first);
  slider.disabled = slider.max === "0";
  if (!state.asOf) slider.value = slider.max;
  return found;
}

function chosenDay() {
  const isNow = slider.value === slider.max || first === null;
  return isNow ? null : new Date((first + Number(slider.value)) * DAY).toISOString().slice(0, 10);
}

function tellMoment() {
  const chosen = chosenDay();
  moment.textContent = chosen ?? "now";
  slider.setAttribute("aria-valuetext", chosen ?? "now");
  back.hidden = chosen === null;
}

slider.addEventListener("input", tellMoment);
slider.addEventListener("change", () => {
  state.asOf = chosenDay();
  tellMoment();
  show(true);
});
back.addEventListener("click", () => {
  slider.value = slider.max;
  slider.dispatchEvent(new Event("change"));
  slider.focus();
});
chooser.addEventListener("change", () => {
  state.workspace = chooser.value;
  state.asOf = null;
  begin();
});
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
addEventListener("hashchange", () => show());

/** Let it dream, and wait until it has. */
export async function dreamNow() {
  const before = (await get("overview", {}, true)).dreaming;
  await post("dream");
  return dreamt(before);
}

/** Wait until a dream has ended that had not when they stood as `before`; null, or why it failed. */
export async function dreamt(before) {
  for (;;) {
    const { dreaming } = await lookAround();
    if (dreaming.trouble && dreaming.failures !== before.failures) return dreaming.trouble;
    if (dreaming.state === "idle" && dreaming.dreams > before.dreams) return null;
    await new Promise((resolve) => setTimeout(resolve, 400));
  }
}

async function begin() {
  try {
    const named = await workspaces().catch((error) => {
      const only = workspaceOfToken();
      if (error.status === 401 && only) return [only];
      throw error;
    });
    if (!named.includes(state.workspace)) state.workspace = named[0] ?? "default";
    chooser.replaceChildren(...named.map((name) => h("option", { value: name, selected: name === state.workspace }, name)));
    chooser.closest("label").hidden = named.length < 2;
    if (named.length === 0) {
      mark("recall");
      main.replaceChildren(h("h1", {}, "Nothing is remembered yet"),
        h("p", { class: "empty" }, "No workspace has been made. Tell HyMem something, over Honcho's interface or with ", h("code", {}, "hymem ingest"), "."));
      return;
    }
    await lookAround();
    tellMoment();
    await show();
  } catch (error) {
    mark("recall");
    refused(error);
  }
}

begin();
