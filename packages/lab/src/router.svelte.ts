// The address after "#": a path and parameters, so that every state of the page has a link that works on any host.

export interface Address {
  readonly path: readonly string[];
  readonly query: Readonly<Record<string, string>>;
}

function parseAddress(hash: string): Address {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  return {
    path: path.split("/").filter(Boolean).map(decoded),
    query: Object.fromEntries(new URLSearchParams(query)),
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a link that was cut inside an escape
  }
}

/** `#/theory/T-27?i=6` */
export function link(path: string, query: Readonly<Record<string, string | number | boolean>> = {}): string {
  const pairs = Object.entries(query).map(([k, v]) => [k, String(v)]);
  const search = new URLSearchParams(pairs).toString();
  return `#/${path}${search ? `?${search}` : ""}`;
}

let current = $state.raw(parseAddress(location.hash));
addEventListener("hashchange", () => {
  current = parseAddress(location.hash);
});

/** Where the page is; reading it in a component keeps that up to date. */
export const address = (): Address => current;

/** Puts the state of a page into its address, without a new entry in the history and without loading anything anew. */
export function remember(path: string, query: Readonly<Record<string, string | number | boolean>>): void {
  history.replaceState(null, "", link(path, query));
}
