import { parseHTML } from "linkedom";
import { describe, expect, it } from "vitest";
import { drawNetwork, svgTextDocument } from "../../src/figure/index.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { square } from "../../src/networks/index.ts";
import { initialNetwork } from "../../src/train/network.ts";

/** The names and attributes of all elements, and the text of the innermost. */
const outline = (root: Element): unknown => [
  root.tagName.toLowerCase(),
  Object.fromEntries([...root.attributes].map((a) => [a.name, a.value])),
  root.children.length > 0 ? [...root.children].map(outline) : root.textContent,
];

describe("a drawing written as text", () => {
  const { document } = parseHTML("<html><body></body></html>");
  const read = (text: string): Element => {
    const host = document.createElement("div");
    host.innerHTML = text;
    return host.firstElementChild!;
  };

  it.each<readonly [string, Graph]>([
    ["units and weights", square(3)],
    ["blocks", initialNetwork("1x8x8-conv4k3-relu-flatten-10")],
    ["a hostile name", { ...initialNetwork("784-100-relu-10"), name: '<script>alert("1")</script>&amp;' }],
  ])("is the same picture as one made of elements: %s", (_, net) => {
    const text = String(drawNetwork(net, { document: svgTextDocument() }));
    expect(outline(read(text))).toEqual(outline(drawNetwork(net, { document })));
    expect(text).not.toContain("<script");
  });
});
