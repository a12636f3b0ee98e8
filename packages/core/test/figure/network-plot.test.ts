import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compile } from "../../src/compile/compile.ts";
import { networkBlocks } from "../../src/figure/network/blocks.ts";
import { layeredLayout, ranksOf } from "../../src/figure/network/layered-layout.ts";
import { drawNetwork } from "../../src/figure/network/plot.ts";
import { unitEdges, unitLayers } from "../../src/figure/network/units.ts";
import type { Graph, Node } from "../../src/graph/graph.ts";
import { sawtooth } from "../../src/networks/triangle/triangle.ts";
import { initialNetwork } from "../../src/train/network.ts";
import { newDocument, unclosedTag } from "../audit/report/page.ts";

const document = newDocument();
const residual = "1x6x6-conv4k3p1-relu-residual(conv4k3p1-relu)-maxpool2-flatten-2";
const nets: Readonly<Record<string, Graph>> = {
  tiny: initialNetwork("3-5-relu-2", { seed: 1 }),
  wide: initialNetwork("784-256-relu-10", { seed: 1 }),
  residual: initialNetwork(residual, { seed: 1 }),
  sawtooth: sawtooth([2, 3, 4]),
};
const large = await compile({
  formula: "sin(x*y) + exp(x) * y^3",
  box: [
    { name: "x", lower: -1, upper: 1 },
    { name: "y", lower: -1, upper: 1 },
  ],
  eps: 1e-8,
});

/** A directed acyclic graph by its edges, from smaller to greater numbers. */
const dag = fc.integer({ min: 1, max: 14 }).chain((count) =>
  fc
    .uniqueArray(fc.tuple(fc.nat(count - 1), fc.nat(count - 1)), {
      selector: ([a, b]) => `${a} ${b}`,
      maxLength: 30,
    })
    .map((pairs) => ({ count, edges: pairs.filter(([a, b]) => a < b) })),
);

describe("layers of a directed acyclic graph", () => {
  it("every edge leads down, and a rank is a longest path", () => {
    fc.assert(
      fc.property(dag, ({ count, edges }) => {
        const ranks = ranksOf(count, edges);
        for (let v = 0; v < count; v++) {
          const before = edges.filter(([, to]) => to === v).map(([from]) => ranks[from]!);
          expect(ranks[v]).toBe(Math.max(-1, ...before) + 1);
        }
      }),
    );
  });

  it("boxes never overlap, and routes go down from box to box", () => {
    const boxes = fc.tuple(
      dag,
      fc.array(fc.integer({ min: 20, max: 200 }), { minLength: 14, maxLength: 14 }),
    );
    fc.assert(
      fc.property(boxes, ([{ count, edges }, widths]) => {
        const sizes = Array.from({ length: count }, (_, k) => ({ width: widths[k]!, height: 30 }));
        const layout = layeredLayout(sizes, edges);
        for (let a = 0; a < count; a++)
          for (let b = 0; b < a; b++) {
            const [p, q] = [layout.boxes[a]!, layout.boxes[b]!];
            const apart = Math.abs(p.x - q.x) >= (widths[a]! + widths[b]!) / 2 - 1e-6;
            expect(apart || Math.abs(p.y - q.y) >= 30).toBe(true);
          }
        layout.boxes.forEach(({ x, y }, k) => {
          expect(x - widths[k]! / 2).toBeGreaterThanOrEqual(-1e-6);
          expect(x + widths[k]! / 2).toBeLessThanOrEqual(layout.width + 1e-6);
          expect(y).toBeLessThanOrEqual(layout.height);
        });
        for (const route of layout.routes)
          for (let k = 1; k < route.length; k++)
            expect(route[k]![1]).toBeGreaterThanOrEqual(route[k - 1]![1]);
      }),
    );
  });

  it("a cycle has none", () => {
    expect(() => ranksOf(2, [[0, 1], [1, 0]])).toThrow("cycle"); // biome-ignore format: one line
  });
});

describe("blocks of a network", () => {
  it.each([...Object.entries(nets), ["large", large.graph] as const])(
    "%s: every node is in one",
    (_, graph) => {
      const { blocks, edges } = networkBlocks(graph);
      const covered = blocks.flatMap((b) => b.nodes);
      expect(covered).toHaveLength(graph.nodes.length);
      expect(new Set(covered).size).toBe(graph.nodes.length);
      expect(blocks.length).toBeLessThanOrEqual(64);
      const ranks = ranksOf(blocks.length, edges);
      expect(ranks.every((r) => r >= 0)).toBe(true);
      // Every block but the inputs is reached.
      blocks.forEach(({ kind }, k) => {
        if (kind !== "input") expect(edges.some(([, to]) => to === k)).toBe(true);
      });
    },
  );

  it("weights are counted once, whatever is folded", () => {
    const { blocks } = networkBlocks(nets.wide!);
    expect(blocks.map((b) => b.parameters)).toEqual([0, 784 * 256 + 256, 2570, 0]);
    const total = (most: number): number =>
      networkBlocks(large.graph, { most }).blocks.reduce((sum, b) => sum + b.parameters, 0);
    expect(total(10)).toBe(total(10_000));
  });

  it("a skip is an edge past its branch", () => {
    const { blocks, edges } = networkBlocks(nets.residual!);
    const join = blocks.findIndex((b) => b.label.startsWith("Add"));
    expect(edges.filter(([, to]) => to === join)).toHaveLength(2);
    expect(blocks.map((b) => b.label)).toContain("Conv 3×3 + Relu");
  });

  it("folds to about as many as asked for, and says how many it hides", () => {
    for (const most of [6, 20, 40]) {
      const { blocks } = networkBlocks(large.graph, { most });
      expect(blocks.length).toBeLessThanOrEqual(most + 8);
      const hidden = blocks.filter((b) => b.kind === "folded");
      expect(hidden.length).toBeGreaterThan(0);
      for (const { label, nodes } of hidden)
        expect(label).toBe(`… ${nodes.length} more ${nodes.length === 1 ? "node" : "nodes"}`);
    }
  });
});

describe("blocks of graphs that are very long or very wide", () => {
  const { tiny } = nets;
  const node = (op: string, inputs: readonly string[], output: string): Node => ({
    op,
    domain: "",
    name: "",
    inputs,
    outputs: [output],
    attributes: new Map(),
  });
  const graphOf = (nodes: readonly Node[], outputs: readonly string[]): Graph => ({
    ...tiny!,
    nodes,
    outputs: outputs.map((name) => ({ name, type: tiny!.outputs[0]!.type })),
  });
  const names = Array.from({ length: 1500 }, (_, k) => `v${k}`);

  it("a chain", () => {
    const nodes = names.map((name, k) =>
      node("MatMul", k ? [names[k - 1]!, names[k - 1]!] : ["x", "x"], name),
    );
    const { blocks } = networkBlocks(graphOf(nodes, [names.at(-1)!]));
    expect(blocks.length).toBeLessThanOrEqual(61);
    expect(blocks.flatMap((b) => b.nodes)).toHaveLength(1500);
  });

  it("many nodes and outputs side by side", () => {
    const nodes = names.map((name) => node("GlobalAveragePool", ["x"], name));
    const { blocks } = networkBlocks(graphOf(nodes, names));
    expect(blocks.map((b) => b.label).filter((l) => l.startsWith("…"))).toEqual([
      "… 1495 more nodes",
      "… 1495 more outputs",
    ]);
    expect(blocks.flatMap((b) => b.nodes)).toHaveLength(1500);
  });

  it("what depends on no input belongs to its reader", () => {
    const nodes = [
      node("Constant", [], "a"),
      node("Neg", ["a"], "b"),
      node("Constant", [], "nobody"),
      node("MatMul", ["x", "b"], "y"),
    ];
    const { blocks } = networkBlocks(graphOf(nodes, ["y"]));
    const product = blocks.find((b) => b.label === "MatMul")!;
    expect(product.nodes.map((n) => n.op)).toEqual(["MatMul", "Neg", "Constant"]);
    expect(blocks.flatMap((b) => b.nodes)).toHaveLength(4);
  });
});

describe("the picture of a network", () => {
  const draw = (graph: Graph, options = {}) => drawNetwork(graph, { document, ...options });

  it("units and weights where they are few", () => {
    const picture = draw(nets.tiny!);
    expect(picture.querySelectorAll(".network-unit")).toHaveLength(3 + 5 + 2);
    expect(picture.querySelectorAll(".network-weight")).toHaveLength(3 * 5 + 5 * 2);
    const layers = unitLayers(nets.sawtooth!)!;
    expect(layers.map((l) => l.units)).toEqual([1, 2, 3, 4, 1]);
    expect(draw(nets.sawtooth!).querySelectorAll(".network-weight")).toHaveLength(unitEdges(layers));
  });

  it("blocks else: one group a block, one line an edge", () => {
    for (const graph of [nets.wide!, nets.residual!, large.graph]) {
      const { blocks, edges } = networkBlocks(graph);
      const picture = draw(graph);
      expect(picture.querySelectorAll(".network-edge")).toHaveLength(edges.length);
      const kinds = ["input", "nodes", "folded", "output"].map((kind) => `.network-${kind}`).join(", ");
      expect(picture.querySelectorAll(kinds)).toHaveLength(blocks.length);
      expect(picture.outerHTML.length).toBeLessThan(100_000);
    }
  });

  it("has a name for those who cannot see it, and no number that is none", () => {
    for (const graph of [...Object.values(nets), large.graph]) {
      const picture = draw(graph);
      expect(picture.getAttribute("role")).toBe("img");
      expect(picture.getAttribute("aria-label")).toBe(picture.querySelector("title")!.textContent);
      expect(picture.outerHTML).not.toMatch(/NaN|undefined|Infinity/);
      expect(unclosedTag(picture.outerHTML)).toBeUndefined();
    }
  });

  it("a graph without nodes, and names that would be markup", () => {
    const { tiny } = nets;
    const nothing = { ...tiny!, nodes: [], outputs: [], initializers: new Map() };
    expect(draw(nothing).querySelectorAll(".network-input")).toHaveLength(1);
    const hostile = { ...tiny!, name: "<script>x</script>" };
    expect(draw(hostile).outerHTML).not.toContain("<script");
    expect(draw(hostile).querySelector("title")!.textContent).toContain("<script>x</script>");
  });
});
