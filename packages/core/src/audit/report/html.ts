// HTML as a value: what is put into a template is text and is escaped, unless it is HTML itself.

/** A piece of a page. */
export interface Html {
  readonly html: string;
}

export type HtmlPart = Html | string | number | undefined | readonly (Html | string)[];

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text as HTML; control characters, which no name needs, are shown as such. */
const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (c) => entities[c]!).replace(/[^\P{Cc}\n\t]/gu, "\u{fffd}");

function written(part: HtmlPart): string {
  if (part === undefined) return "";
  if (typeof part === "string" || typeof part === "number") return escaped(String(part));
  if ("html" in part) return part.html;
  return part.map(written).join("");
}

/**
 * A piece of a page from a template.
 * @example html`<b>${"<script>"}</b>`.html // "<b>&lt;script&gt;</b>"
 */
export const html = (strings: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html => ({
  html: String.raw({ raw: strings }, ...parts.map(written)),
});

/** An element that is drawn already, such as a picture. */
export const drawn = (element: Element): Html => ({ html: element.outerHTML });
