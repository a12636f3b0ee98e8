// Relevance through LSTM and GRU, ONNX operators of several steps, against plain loops.
import { describe, expect, it } from "vitest";
import { composite, explain } from "../../src/explain/index.ts";
import { float64, graph } from "../../src/graph/builder.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { type Nested, numbers, tensor } from "../../src/graph/tensor.ts";
import { createRandom } from "../../src/numbers/random.ts";
import type { ProductRule } from "../../src/passes/relevance.ts";
import { lstmNetwork, sequence } from "../../src/theory/book5/lstm-network.ts";
import { drawCell, type LstmCell, lstmForward, lstmRelevance } from "../../src/theory/book5/plain-lstm.ts";
import { type GruCell, gruForward, gruRelevance, type PlainGate } from "./plain-gru.ts";

type Vector = readonly number[];
const [inputs, units, steps] = [3, 4, 5];
const random = createRandom("recurrent relevance");
const xs = Array.from({ length: steps }, () => [...random.normal(inputs)]);
const weights = [...random.normal(2 * units)];
const rules: readonly ProductRule[] = ["all", "prop", "half"];

const sum = (values: Iterable<number>): number => [...values].reduce((s, v) => s + v, 0);
/** What a linear score without a bias hands to each of its inputs. */
const seeds = (y: Vector, w: Vector): number[] => y.map((v, k) => v * w[k]!);
const near = (found: ArrayLike<number>, plain: readonly Vector[]): void => {
  const flat = plain.flat();
  const size = Math.max(...flat.map(Math.abs));
  expect(found.length).toBe(flat.length);
  flat.forEach((v, k) => {
    expect(Math.abs(found[k]! - v)).toBeLessThan(1e-8 * (1 + size));
  });
};
const explained = (net: Graph, x: readonly Vector[], name: string, product: ProductRule) =>
  explain(net, { x: sequence(x) }, { composite: { ...composite(name), product }, output: "y" });

const lstm = drawCell(inputs, units, random.split("lstm"));
const readout = { W: [weights.slice(0, units)], b: [0] };

describe("an LSTM", () => {
  it.each(rules)("%s: as plain loops do it, and the books add up", async (product) => {
    const walked = lstmForward(lstm, xs);
    const found = await explained(lstmNetwork(lstm, readout, steps), xs, "uniform(zero)", product);
    const last = seeds(walked.at(-1)!.y, weights);
    const plain = lstmRelevance(lstm, walked, last, { product, epsilon: 0, stabilizer: 1e-6 });
    near(numbers(found.relevance.get("x")!), plain.x);
    expect(found.conservationError).toBeLessThan(1e-9 * (1 + Math.abs(sum(plain.x.flat()))));
    expect(found.imbalance).toBeUndefined();
  });

  it.each([1, steps])("epsilon is added to each whole pre-activation, once (%i steps)", async (count) => {
    const walked = lstmForward(lstm, xs.slice(0, count));
    const found = await explained(lstmNetwork(lstm, readout, count), xs.slice(0, count), "text", "all");
    const parts = seeds(walked.at(-1)!.y, weights);
    const score = sum(parts);
    const last = parts.map((v) => (v * score) / (score + 0.001 * Math.sign(score)));
    const plain = lstmRelevance(lstm, walked, last, { product: "all", epsilon: 0.001, stabilizer: 1e-6 });
    near(numbers(found.relevance.get("x")!), plain.x);
  });

  it("in both directions: the second one reads the sequence from its end", async () => {
    const other = drawCell(inputs, units, random.split("backwards"));
    const found = await explained(bidirectional([lstm, other]), xs, "uniform(zero)", "all");
    const ways = [lstm, other].map((cell, way) => {
      const read = way === 0 ? xs : xs.toReversed();
      const walked = lstmForward(cell, read);
      const last = seeds(walked.at(-1)!.y, weights.slice(way * units));
      const { x } = lstmRelevance(cell, walked, last, { product: "all", epsilon: 0, stabilizer: 1e-6 });
      return way === 0 ? x : x.toReversed();
    });
    near(
      numbers(found.relevance.get("x")!),
      ways[0]!.map((row, t) => row.map((v, j) => v + ways[1]![t]![j]!)),
    );
  });

  it("a sequence that comes first step first is one example, not as many as it has steps", async () => {
    const net = stepsFirst(lstm);
    const x = tensor(xs.map((row) => [row]));
    const slope = await explain(net, { x }, { method: "gradient-x-input", output: "y" });
    const batchFirst = await explain(
      lstmNetwork(lstm, readout, steps),
      { x: sequence(xs) },
      { method: "gradient-x-input", output: "y" },
    );
    expect(slope.scores.length).toBe(1);
    near(numbers(slope.relevance.get("x")!), [Array.from(numbers(batchFirst.relevance.get("x")!))]);
    const gone = await explain(net, { x }, { method: "occlusion", output: "y" });
    expect(gone.details["groups"]).toBe(steps);
  });
});

const order = ["i", "o", "f", "z"] as const;
const lstmTensors = (cells: readonly LstmCell[]): Nested[] => [
  cells.map((cell) => order.flatMap((g) => cell[g].W)),
  cells.map((cell) => order.flatMap((g) => cell[g].U)),
  cells.map((cell) => [...order.flatMap((g) => cell[g].b), ...new Array<number>(4 * units).fill(0)]),
];

const bidirectional = (cells: readonly LstmCell[]): Graph =>
  graph({ x: float64(1, steps, inputs) }, ({ x }) => {
    const tensors = lstmTensors(cells).map((t) => tensor(t));
    const attributes = { hidden_size: units, direction: "bidirectional" };
    const [, last] = x.builder.apply("LSTM", [x.transpose([1, 0, 2]), ...tensors], attributes, 2);
    return { y: last!.reshape([1, 2 * units]).affine([weights], [0]) };
  });

const stepsFirst = (cell: LstmCell): Graph =>
  graph({ x: float64(steps, 1, inputs) }, ({ x }) => {
    const tensors = lstmTensors([cell]).map((t) => tensor(t));
    const [, last] = x.builder.apply("LSTM", [x, ...tensors], { hidden_size: units }, 2);
    return { y: last!.reshape([1, units]).affine(readout.W, readout.b) };
  });

const plainGate = (name: string): PlainGate => {
  const stream = random.split(name);
  const rows = (columns: number) => Array.from({ length: units }, () => [...stream.normal(columns)]);
  return { W: rows(inputs), U: rows(units), b: [...stream.normal(units)], c: [...stream.normal(units)] };
};
const gru = (resetsLast: boolean): GruCell => ({
  ...{ z: plainGate("z"), r: plainGate("r"), h: plainGate("h"), resetsLast },
});

const gruNetwork = (cell: GruCell, direction: "forward" | "reverse"): Graph =>
  graph({ x: float64(1, steps, inputs) }, ({ x }) => {
    const gates = [cell.z, cell.r, cell.h];
    const bias = [...gates.flatMap((g) => g.b), ...gates.flatMap((g) => g.c)];
    const tensors = [[gates.flatMap((g) => g.W)], [gates.flatMap((g) => g.U)], [bias]].map((t) => tensor(t));
    const attributes = {
      hidden_size: units,
      direction,
      linear_before_reset: cell.resetsLast ? 1 : 0,
    };
    const [, last] = x.builder.apply("GRU", [x.transpose([1, 0, 2]), ...tensors], attributes, 2);
    return { y: last!.reshape([1, units]).affine(readout.W, readout.b) };
  });

const gruCases = rules.flatMap((rule) =>
  (["forward", "reverse"] as const).flatMap((way) => [false, true].map((last) => [rule, way, last] as const)),
);

describe("a GRU", () => {
  it.each(gruCases)(
    "%s, %s, reset after the product %s: as plain loops do it, and the books add up",
    async (product, way, resetsLast) => {
      const cell = gru(resetsLast);
      const read = way === "forward" ? xs : xs.toReversed();
      const walked = gruForward(cell, read);
      const found = await explained(gruNetwork(cell, way), xs, "uniform(zero)", product);
      const plain = gruRelevance(cell, read, seeds(walked.at(-1)!.y, weights), product);
      near(numbers(found.relevance.get("x")!), way === "forward" ? plain : plain.toReversed());
      expect(found.conservationError).toBeLessThan(1e-9 * (1 + Math.abs(sum(plain.flat()))));
      expect(found.imbalance).toBeUndefined();
    },
  );
});
