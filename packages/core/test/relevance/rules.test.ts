// Each rule on random dense networks against plain loops, with biases, negative inputs and negative scores.
import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import { float64, graph } from "../../src/graph/builder.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";
import type { Value } from "../../src/graph/value.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { type Assignment, parseRule, type Rule, relevance } from "../../src/passes/relevance.ts";
import {
  alphaBeta,
  boxRule,
  epsilonRule,
  explainPlainly,
  flatRule,
  gammaRule,
  type PlainLayer,
  type PlainRule,
  squareRule,
  zPlus,
} from "./plain-loops.ts";

const random = createRandom("relevance rules");
const sizes = [5, 7, 6, 3];
const layers: PlainLayer[] = sizes.slice(1).map((n, l) => ({
  W: Array.from({ length: n }, () => [...random.normal(sizes[l]!)]),
  b: [...random.normal(n)],
}));

type Style = "Gemm" | "scaled Gemm" | "MatMul";

/** y = alpha x W + beta b with factors below 0, and with weights that make up for them. */
const scaled = (x: Value, { W, b }: PlainLayer): Value =>
  x.op("Gemm", [tensor(W.map((row) => row.map((v) => v / -2))), tensor(b.map((v) => v / -0.5))], {
    alpha: -2,
    beta: -0.5,
    transB: 1,
  });

/** The same network as exporters write it: Gemm, or MatMul and Add. */
const network = (style: Style): Graph =>
  graph({ x: float64("N", 5) }, ({ x }) => {
    let value = x;
    layers.forEach(({ W, b }, l) => {
      const columns = W[0]!.map((_, j) => W.map((row) => row[j]!));
      value =
        style === "Gemm"
          ? value.affine(W, b)
          : style === "MatMul"
            ? value.matmul(columns).add(b)
            : scaled(value, { W, b });
      if (l < layers.length - 1) value = value.relu();
    });
    return { y: value };
  });

/** One rule for all layers, another one for the first. */
const assign = (net: Graph, rule: Rule, first: Rule): Assignment => ({
  product: "all",
  ruleOf: (node) =>
    /^(Gemm|MatMul)$/.test(node.op) ? (node.inputs.includes(net.inputs[0]!.name) ? first : rule) : undefined,
});

const [low, high] = [
  [-3, -2.5, -4, -3, -2.5],
  [3, 2.5, 4, 3.5, 2.8],
];
const cases: readonly (readonly [string, Rule, PlainRule, Rule, PlainRule])[] = [
  ["zero", parseRule("zero"), epsilonRule(0), parseRule("zero"), epsilonRule(0)],
  ["epsilon", parseRule("epsilon=0.1"), epsilonRule(0.1), parseRule("epsilon=0.1"), epsilonRule(0.1)],
  ["gamma", parseRule("gamma=0.25"), gammaRule(0.25), parseRule("gamma=0.25"), gammaRule(0.25)],
  ["z-plus", parseRule("z-plus"), zPlus, parseRule("z-plus"), zPlus],
  ["alpha-beta", parseRule("alpha-beta=2,1"), alphaBeta(2, 1), parseRule("alpha-beta=2,1"), alphaBeta(2, 1)],
  ["flat below", parseRule("epsilon=0.01"), epsilonRule(0.01), parseRule("flat"), flatRule],
  ["flat", parseRule("flat"), flatRule, parseRule("flat"), flatRule],
  ["gamma below flat", parseRule("flat"), flatRule, parseRule("gamma=0.5"), gammaRule(0.5)],
  ["w-square below", parseRule("z-plus"), zPlus, parseRule("w-square"), squareRule],
  ["z-box below", parseRule("gamma=0.1"), gammaRule(0.1), { kind: "z-box", low, high }, boxRule(low, high)],
];

describe.each(["Gemm", "scaled Gemm", "MatMul"] as const)("a dense network of %s", (style) => {
  const net = network(style);
  it.each(cases)("%s", async (_, rule, plain, first, plainFirst) => {
    for (let index = 0; index < 3; index++) {
      const { graph: backward, rows } = relevance(net, {
        assign: () => assign(net, rule, first),
        target: { kind: "class", index },
        ledger: true,
      });
      expect(rows.filter((row) => /Gemm|MatMul/.test(row.node.op))).toHaveLength(3);
      for (let trial = 0; trial < 5; trial++) {
        const x = [...random.normal(5)].map((v) => Math.max(-2.4, Math.min(2.4, v)));
        const found = await run(backward, { x: tensor([x], { type: "float64" }) });
        const expected = explainPlainly(layers, x, [plainFirst, plain, plain], index);
        Array.from(numbers(found["relevance_x"]!)).forEach((v, j) => {
          expect(Math.abs(v - expected.relevance[j]!)).toBeLessThan(
            1e-9 * (1 + Math.max(...expected.relevance.map(Math.abs))),
          );
        });
        const ledger = Array.from(numbers(found["ledger"]!));
        rows.forEach((row, k) => {
          const [into, out, bias, absorbed] = ledger.slice(4 * k, 4 * k + 4) as [
            number,
            number,
            number,
            number,
          ];
          const size = 1 + Math.abs(into) + Math.abs(out) + Math.abs(bias);
          expect(Math.abs(into - out - bias - absorbed) / size, `${row.node.op} ${row.rule}`).toBeLessThan(
            1e-11,
          );
        });
        expect(ledger[0]).toBeCloseTo(expected.score, 10);
      }
    }
  });
});
