// What tests of pages share: a document for Node, and whether every tag is closed.
import { parseHTML } from "linkedom";

export const newDocument = (): Document =>
  parseHTML("<!doctype html><html><body></body></html>").document as unknown as Document;

export const parsed = (page: string): Document => parseHTML(page).document as unknown as Document;

const empty = new Set(["meta", "br", "link", "img", "input", "hr"]);

/** The first tag that is closed wrongly or not at all; undefined where all is well. */
export function unclosedTag(page: string): string | undefined {
  const open: string[] = [];
  const markup = page.replace(/<style>.*?<\/style>/gs, "");
  for (const [tag, slash, name, rest] of markup.matchAll(/<(\/?)([a-zA-Z][\w-]*)((?:"[^"]*"|[^">])*)>/g)) {
    if (slash) {
      if (open.pop() !== name) return tag;
    } else if (!rest!.endsWith("/") && !empty.has(name!)) open.push(name!);
  }
  return open.pop();
}

/** Words that only a mistake prints. */
export const slips = (page: string): readonly string[] => {
  const text = parsed(page).body.textContent ?? "";
  return [...text.matchAll(/undefined|NaN|\[object|null|Infinity/g)].map((m) =>
    text.slice(Math.max(0, m.index - 30), m.index + 20),
  );
};
