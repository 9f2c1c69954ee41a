// Elements made from values. Whatever was said in a chat becomes a text node: it is never parsed as markup.

/** An element. Properties that begin with "on" are listeners; children are nodes, texts, or lists of them. */
export function h(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** What a stranger wrote: isolated, so that marks that turn the reading direction end where it ends. */
export const told = (text, properties = {}) => h("bdi", { dir: "auto", ...properties }, String(text ?? ""));

/** A link to a place of this page. */
export const to = (place, ...children) => h("a", { href: `#/${place}` }, ...children);

/** A fact as a link to its evidence, with the signs that go with it. */
export function fact(edge) {
  return h("span", { class: `fact ${edge.status}` }, to(`origin/${edge.id}`, told(edge.sentence)), " ", signs(edge));
}

function signs(edge) {
  const said = [
    edge.status === "retracted" && "retracted",
    edge.status === "stale" && "stale",
    edge.derived && "derived",
    edge.faded && "faded",
  ];
  return said.filter(Boolean).map((word) => h("span", { class: `sign ${word}` }, word));
}

/** How far something is believed, as a bar and as a number. */
export function confidence(value) {
  return h("span", { class: "confidence" }, h("meter", { min: 0, max: 1, value, "aria-hidden": "true" }), value.toFixed(2));
}

/** A table with a caption and column heads; cells are texts or nodes. */
export function table(caption, columns, rows, className = "") {
  const head = h("tr", {}, columns.map((column) => h("th", { scope: "col" }, column)));
  const body = rows.map((cells) => h("tr", {}, cells.map((cell) => h("td", {}, cell))));
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption },
    h("table", { class: className }, h("caption", {}, caption), h("thead", {}, head), h("tbody", {}, body)));
}

/** What stands where there is nothing. */
export const empty = (text, ...more) => h("p", { class: "empty" }, text, ...more);

/** "1 fact", "2 facts". */
export const counted = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;

/** "12 of 3,000 are shown." where some are not. */
export function left(shown, total, noun) {
  if (shown >= total) return null;
  return h("p", { class: "note" }, `${counted(total - shown, noun)} more ${total - shown === 1 ? "is" : "are"} not shown.`);
}

export const day = (moment) => (moment ? moment.slice(0, 10) : "");
export const minute = (moment) => (moment ? moment.slice(0, 16).replace("T", " ") : "");

/** A moment that machines can read too. */
export const time = (moment, shown = minute) => (moment ? h("time", { datetime: moment }, shown(moment)) : "");

/** A form of one field that asks for a text. */
export function asking(label, value, button, onask, properties = {}) {
  const field = h("input", { type: "search", name: "q", id: "q", autocomplete: "off", value, ...properties });
  const submit = (event) => {
    event.preventDefault();
    onask(field.value.trim());
  };
  return h("form", { role: "search", onsubmit: submit },
    h("label", { for: "q" }, label), h("div", { class: "row" }, field, h("button", {}, button)));
}
