import { run } from "../../engine/run.ts";
import { taylorStep } from "../../explain/deep-taylor.ts";
import { float64, graph } from "../../graph/builder.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import type { Random } from "../../numbers/random.ts";
import { relevance } from "../../passes/relevance.ts";
import { atLeast, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer } from "../parameter.ts";
import {
  biasParameter,
  type DenseLayer,
  deviation,
  drawLayers,
  forward,
  propagated,
  total,
} from "./dense-relu.ts";
import { figure } from "./input-rules-figure.ts";
import { explainPlainly, flatRule, squareRule, zPlusRule } from "./plain-rules.ts";

export default lemma({
  id: "C5-11",
  covers: ["C5-11", "C5-12"],
  kind: "algorithm",
  title: "The flat rule and the w-square rule of the first layer",
  source: "Book, Table 5.1",
  statement: String.raw`R_i = \frac{1}{n_0} \sum_j R_j, \qquad R_i = \sum_j \frac{w_{ij}^2}{\sum_l w_{lj}^2} R_j`,
  parameters: {
    d: integer({ min: 1, max: 8, default: 5, label: "inputs" }),
    n: integer({ min: 1, max: 10, default: 6, label: "width" }),
    side: integer({ min: 3, max: 8, default: 6, label: "side of the image" }),
    kernel: integer({ min: 1, max: 3, default: 3, label: "side of the kernel" }),
    pad: integer({ min: 0, max: 2, default: 1, label: "padding" }),
    biases: biasParameter,
  },
  claims: {
    "flat against plain loops, deviation": equals("0"),
    "w-square against plain loops, deviation": equals("0"),
    "flat: greatest less least relevance": equals("0"),
    "flat: sum": equals(String.raw`\sum_j R_j`),
    "w-square: sum": equals(String.raw`\sum_j R_j`),
    "w-square: least relevance": atLeast(String.raw`0 \text{ if all } R_j \ge 0`),
    "w-square against the nearest root, deviation": equals("0"),
    "distance to the nearest root": equals(String.raw`z / \|w\|`),
    "flat on a padded convolution against counted pixels, deviation": equals("0"),
    "flat on a padded convolution: sum": equals(String.raw`\sum_j R_j, \text{ nothing in the padding}`),
  },
  mutants: {
    "weights not squared": {
      "distance to the nearest root": ({ d }, { theory }) => theory * Math.sqrt(d + 1),
    },
    "padding takes its share": {
      "flat on a padded convolution: sum": ({ side, pad }, { theory }) =>
        theory * (side / (side + 2 * pad)) ** 2,
    },
  },
  async run({ d, n, side, kernel, pad, biases }, { random }) {
    const layers = drawLayers(random, [d, n, 2], biases);
    const x = [...random.normal(d)];
    const top = { kind: "z-plus", stabilizer: 0 } as const;
    const [flat, square] = [
      await propagated(layers, x, [{ kind: "flat", stabilizer: 0 }, top], 0),
      await propagated(layers, x, [{ kind: "w-square", stabilizer: 0 }, top], 0),
    ];
    const plainFlat = explainPlainly(layers, x, [flatRule, zPlusRule], 0);
    const plainSquare = explainPlainly(layers, x, [squareRule, zPlusRule], 0);
    const upper = plainFlat.relevance[1]!;
    const rounding = { tolerance: 1e-11 * (1 + total(upper.map(Math.abs))) };
    const image = await flatOnImage(random, { side, kernel, pad });
    return {
      graph: square.graph,
      figure: figure({ layer: layers[0]!, x, image, side }),
      claims: {
        "flat against plain loops, deviation": checked(deviation(flat.R, plainFlat.relevance[0]!), 0, {
          tolerance: 1e-10,
        }),
        "w-square against plain loops, deviation": checked(
          deviation(square.R, plainSquare.relevance[0]!),
          0,
          {
            tolerance: 1e-10,
          },
        ),
        "flat: greatest less least relevance": checked(
          Math.max(...flat.R) - Math.min(...flat.R),
          0,
          rounding,
        ),
        "flat: sum": checked(total(flat.R), total(upper), rounding),
        "w-square: sum": checked(total(square.R), total(upper), rounding),
        ...(Math.min(...upper) >= 0 && { "w-square: least relevance": checked(Math.min(...square.R), 0) }),
        ...nearestRoots(layers[0]!, x),
        "flat on a padded convolution against counted pixels, deviation": checked(
          deviation(image.found, image.expected),
          0,
          { tolerance: 1e-10 },
        ),
        "flat on a padded convolution: sum": checked(total(image.found), image.sum, {
          tolerance: 1e-11 * (1 + Math.abs(image.sum)),
        }),
      },
    };
  },
});

/** Each open neuron by itself, with its activation as relevance. */
function nearestRoots(layer: DenseLayer, x: readonly number[]) {
  const { scores } = forward([layer], x);
  const open = scores.flatMap((z, k) => (z > 0 ? [{ z, weights: layer.W[k]!, bias: layer.b[k]! }] : []));
  if (open.length === 0) return {};
  const steps = open.map((neuron) => ({
    ...neuron,
    ...taylorStep(neuron, x, neuron.z, { kind: "w-square" }),
    rule: squareRule({ W: [neuron.weights], b: [neuron.bias] }, x, [neuron.z]).inputs,
  }));
  const [{ z, weights, distance }] = steps as [(typeof steps)[number]];
  return {
    "w-square against the nearest root, deviation": checked(
      Math.max(...steps.map(({ messages, rule }) => deviation(messages, [...rule]))),
      0,
      { tolerance: 1e-10 },
    ),
    "distance to the nearest root": checked(distance, z / Math.hypot(...weights), {
      tolerance: 1e-12 * (1 + distance),
    }),
  };
}

interface Geometry {
  readonly side: number;
  readonly kernel: number;
  readonly pad: number;
}

/** A padded convolution whose outputs are the scores: each hands its score to the pixels that it sees, all alike. */
async function flatOnImage(random: Random, { side, kernel, pad }: Geometry) {
  const K = tensor(random.normal(kernel * kernel), { type: "float64", dims: [1, 1, kernel, kernel] });
  const net = graph({ x: float64(1, 1, side, side) }, ({ x }) => ({
    y: x!.op("Conv", [K, [random.normal()]], { pads: [pad, pad, pad, pad] }),
  }));
  const { graph: backward } = relevance(net, {
    assign: () => ({ product: "all", ruleOf: () => ({ kind: "flat", stabilizer: 0 }) }),
    target: { kind: "all" },
  });
  const x = tensor(random.normal(side * side), { type: "float64", dims: [1, 1, side, side] });
  const { relevance_x, score } = await run(backward, { x });
  const R = numbers(score!);
  const width = side + 2 * pad - kernel + 1;
  const expected = new Array<number>(side * side).fill(0);
  let sum = 0;
  for (let r = 0; r < width; r++)
    for (let c = 0; c < width; c++) {
      const rows = seen(r - pad, kernel, side);
      const columns = seen(c - pad, kernel, side);
      const count = rows.length * columns.length;
      if (count === 0) continue;
      sum += R[r * width + c]!;
      for (const i of rows)
        for (const j of columns) expected[i * side + j] = expected[i * side + j]! + R[r * width + c]! / count;
    }
  return { found: Array.from(numbers(relevance_x!)), expected, sum };
}

const seen = (start: number, length: number, side: number): readonly number[] =>
  Array.from({ length }, (_, k) => start + k).filter((k) => k >= 0 && k < side);
