// A document that can only make elements and write them down: enough to draw where there is no page, as in a worker.

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escaped = (text: string): string => text.replace(/[&<>"]/g, (c) => entities[c]!);

class TextElement {
  readonly #name: string;
  readonly #attributes = new Map<string, string>();
  #children: (TextElement | string)[] = [];

  constructor(name: string) {
    this.#name = name;
  }
  setAttribute(name: string, value: string): void {
    this.#attributes.set(name, value);
  }
  append(...children: readonly (TextElement | string)[]): void {
    this.#children.push(...children);
  }
  set textContent(text: string) {
    this.#children = [text];
  }
  toString(): string {
    const attributes = [...this.#attributes].map(([name, value]) => ` ${name}="${escaped(value)}"`).join("");
    const children = this.#children.map((c) => (typeof c === "string" ? escaped(c) : String(c))).join("");
    return `<${this.#name}${attributes}>${children}</${this.#name}>`;
  }
}

/**
 * For `drawNetwork` in a worker: `String(...)` of what it draws is SVG.
 * @example String(drawNetwork(net, { document: svgTextDocument() })).startsWith("<svg") // true
 */
export const svgTextDocument = (): Document =>
  ({ createElementNS: (_space: string, name: string) => new TextElement(name) }) as unknown as Document;
