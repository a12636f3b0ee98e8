import type { Figure } from "../../figure/figure.ts";
import { isTensorType } from "../../graph/graph.ts";
import { elementCount } from "../../graph/tensor.ts";
import { type VggLayer, vgg16, vggLayers } from "../../networks/vgg.ts";
import { cost } from "../../passes/cost.ts";
import { checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer } from "../parameter.ts";

export default lemma({
  id: "C5-32",
  covers: ["C5-32"],
  kind: "measure",
  title: "What VGG-16 costs",
  source: "Book, chapter 5, sect. 5.1 (Simonyan and Zisserman 2014)",
  statement: String.raw`\text{MACs} = \sum_{\text{conv}} 9 \, c_{l-1} c_l \, s_l^2 + \sum_{\text{dense}} n_{l-1} n_l, \qquad \text{parameters} = \sum_{\text{conv}} (9 \, c_{l-1} + 1) c_l + \sum_{\text{dense}} (n_{l-1} + 1) n_l`,
  parameters: {
    side: integer({ min: 1, max: 10, default: 7, label: "side of the image, in 32 pixels" }),
    classes: integer({ min: 1, max: 1000, default: 1000, label: "classes" }),
  },
  claims: {
    parameters: equals(
      String.raw`14714688 + 4096 \, (512 k^2 + 1) + 4096 \cdot 4097 + 4097 \, c, \; k = s/32`,
    ),
    "multiplications with an addition": equals(String.raw`305856 \, s^2 + 4096 \, (512 k^2 + 4096 + c)`),
    "layers with weights": equals("16").printed(),
    "at 224 pixels and 1000 classes: parameters, in millions": equals("138").printed(),
    "at 224 pixels: MACs, in units of 100 millions": equals("155").printed(),
    "MACs that meet the image, not its padding": equals(
      String.raw`\sum_{\text{conv}} (3 s_l - 2)^2 c_{l-1} c_l + \sum_{\text{dense}} n_{l-1} n_l`,
    ),
  },
  mutants: {
    "biases forgotten": { parameters: (_, { theory }) => theory - 13_416 },
    "an addition is an operation of its own": {
      "multiplications with an addition": (_, { theory }) => 2 * theory,
    },
    "a smaller image": ({ side }) => ({ side: side - 1 }),
  },
  run({ side: blocks, classes }) {
    const side = 32 * blocks;
    const graph = vgg16({ side, classes });
    const { byOperator } = cost(graph);
    const weights = graph.inputs.filter(({ name }) => name !== "x");
    const parameters = weights.reduce(
      (total, { type }) =>
        total + (isTensorType(type) ? elementCount((type.shape ?? []) as readonly number[]) : 0),
      0,
    );
    const layers = vggLayers({ side, classes });
    const usual = vggLayers();
    return {
      figure: figure(usual),
      table: {
        title: `VGG-16 at ${side} pixels`,
        columns: ["layer", "kind", "side", "parameters", "MACs"],
        rows: layers.map((l, k) => [k + 1, l.kind, l.side, weightsOf(l), macsOf(l)]),
      },
      claims: {
        parameters: checked(parameters, parameterFormula(blocks, classes)),
        // The graph counts a multiplication and an addition each, and an addition for every bias.
        "multiplications with an addition": checked(
          (byOperator["Conv"]! + byOperator["Gemm"]! - biasAdditions(layers)) / 2,
          macFormula(blocks, classes),
        ),
        "layers with weights": checked(weights.length / 2, 16),
        "at 224 pixels and 1000 classes: parameters, in millions": checked(
          Math.round(total(usual, weightsOf) / 1e6),
          138,
        ),
        "at 224 pixels: MACs, in units of 100 millions": checked(Math.round(total(usual, macsOf) / 1e8), 155),
        "MACs that meet the image, not its padding": checked(
          total(layers, tapsByCounting),
          total(layers, ({ kind, from, to, side: s }) =>
            kind === "dense" ? from * to : (3 * s - 2) ** 2 * from * to,
          ),
        ),
      },
    };
  },
});

const total = (layers: readonly VggLayer[], value: (l: VggLayer) => number): number =>
  layers.reduce((s, l) => s + value(l), 0);

const weightsOf = ({ kind, from, to }: VggLayer): number => ((kind === "dense" ? 1 : 9) * from + 1) * to;
const macsOf = ({ kind, from, to, side }: VggLayer): number =>
  kind === "dense" ? from * to : 9 * from * to * side * side;
const biasAdditions = (layers: readonly VggLayer[]): number =>
  total(layers, ({ to, side }) => to * side * side);

/** Convolutions 14 714 688; dense layers on 512 blocks² numbers, 4096, 4096 and the classes. */
const parameterFormula = (blocks: number, classes: number): number =>
  14_714_688 + (512 * blocks ** 2 + 1) * 4096 + 4097 * 4096 + 4097 * classes;

/** Each of the 32² pixels of a block costs 305 856 MACs in the convolutions. */
const macFormula = (blocks: number, classes: number): number =>
  305_856 * (32 * blocks) ** 2 + 512 * blocks ** 2 * 4096 + 4096 * 4096 + 4096 * classes;

/** Places of the window that lie in the image, counted one by one. */
function tapsByCounting({ kind, from, to, side }: VggLayer): number {
  if (kind === "dense") return from * to;
  let taps = 0;
  for (let r = 0; r < side; r++)
    for (let c = 0; c < side; c++)
      for (let dr = -1; dr <= 1; dr++)
        for (let dc = -1; dc <= 1; dc++)
          if (r + dr >= 0 && r + dr < side && c + dc >= 0 && c + dc < side) taps++;
  return taps * from * to;
}

const figure = (layers: readonly VggLayer[]): Figure => ({
  title: "VGG-16 at 224 pixels: weights are in the dense layers, work is in the convolutions",
  panels: [
    {
      title: "Parameters",
      x: { label: "layer" },
      y: { label: "parameters", scale: "log" },
      series: [{ name: "parameters", mark: "dots", points: layers.map((l, k) => [k + 1, weightsOf(l)]) }],
    },
    {
      title: "Multiplications with an addition",
      x: { label: "layer" },
      y: { label: "MACs", scale: "log" },
      series: [{ name: "MACs", mark: "dots", points: layers.map((l, k) => [k + 1, macsOf(l)]) }],
    },
  ],
});
