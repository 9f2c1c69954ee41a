// What the server is asked. The access token, where one is needed, stays in this tab; the page's own token goes with every act.

const KEY = "hymem.token";
const pageToken = document.querySelector('meta[name="page-token"]').content;

export class Trouble extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export const state = { workspace: "default", asOf: null };

export const keepToken = (token) => sessionStorage.setItem(KEY, token);

/** The workspace that the access token names, where it names one. */
export function workspaceOfToken() {
  const [, claims] = (sessionStorage.getItem(KEY) ?? "").split(".");
  if (!claims) return null;
  try {
    return JSON.parse(atob(claims.replaceAll("-", "+").replaceAll("_", "/"))).w ?? null;
  } catch {
    return null;
  }
}

/** The ids of all workspaces. */
export const workspaces = () => fetched("/v3/page/workspaces");

/** What the workspace tells, as of the moment that the slider shows unless `now` is said. */
export function get(path, query = {}, now = false) {
  const asked = { ...query, ...(state.asOf && !now ? { as_of: state.asOf } : {}) };
  const told = new URLSearchParams(asked).toString();
  return fetched(`${base()}/${path}${told ? `?${told}` : ""}`);
}

/** An act. */
export function post(path, body = {}) {
  const headers = { "Content-Type": "application/json", "X-HyMem-Page": pageToken };
  return fetched(`${base()}/${path}`, { method: "POST", headers, body: JSON.stringify(body) });
}

const base = () => `/v3/workspaces/${encodeURIComponent(state.workspace)}/page`;

async function fetched(address, options = {}) {
  const token = sessionStorage.getItem(KEY);
  const headers = { ...options.headers, ...(token ? { Authorization: `Bearer ${token}` } : {}) };
  let response;
  try {
    response = await fetch(address, { ...options, headers, cache: "no-store", credentials: "omit" });
  } catch {
    throw new Trouble(0, "The server does not answer: is it still running?");
  }
  if (response.ok) return response.json();
  const { detail } = await response.json().catch(() => ({}));
  throw new Trouble(response.status, typeof detail === "string" ? detail : detail?.[0]?.msg ?? `The server said ${response.status}.`);
}
