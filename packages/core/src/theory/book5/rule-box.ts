import { taylorStep } from "../../explain/deep-taylor.ts";
import { atLeast, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer } from "../parameter.ts";
import {
  biasParameter,
  type DenseLayer,
  deviation,
  drawLayers,
  forward,
  propagated,
  total,
} from "./dense-relu.ts";
import { boxRule, explainPlainly, zPlusRule } from "./plain-rules.ts";
import { figure } from "./rule-box-figure.ts";

interface Box {
  readonly low: readonly number[];
  readonly high: readonly number[];
}

export default lemma({
  id: "C5-13",
  covers: ["C5-13"],
  kind: "algorithm",
  title: "The rule of the box of pixels",
  source: "Book, Table 5.1, section 5.4.2",
  statement: String.raw`R_i = \sum_j \frac{n_{ij}}{\sum_l n_{lj}} R_j, \qquad n_{lj} = x_l w_{lj} - L_l w_{lj}^+ - H_l w_{lj}^-`,
  parameters: {
    d: integer({ min: 1, max: 8, default: 5, label: "inputs" }),
    n: integer({ min: 1, max: 10, default: 6, label: "width" }),
    bounds: choice(["of each input", "the same"], { label: "bounds" }),
    biases: biasParameter,
  },
  claims: {
    "the pass against plain loops, deviation": equals("0"),
    "sum of the relevance": equals(String.raw`\sum_j R_j`),
    "least n_ij in the box": atLeast("0"),
    "expansion at the root against the rule, deviation": equals("0"),
    "roots in the box where the corner is open, or outside where it is closed": equals("0"),
    "outside of the box, biases that are not positive": equals("0"),
    "sum of the shares of a neuron, with bounds of i in the denominator": equals("1").printed({
      where: "Table 5.1, rule for pixels",
      printed: String.raw`R_i^{[0]} = \sum_{j=1}^{n_1} \frac{x_i^{[0]} w_{ij}^{[1]} - L_i \cdot (w_{ij}^{[1]})^+ - H_i \cdot (w_{ij}^{[1]})^-}{\sum_{l=1}^{n_0} x_l^{[0]} w_{lj}^{[1]} - L_i \cdot (w_{lj}^{[1]})^+ - H_i \cdot (w_{lj}^{[1]})^-} R_j^{[1]}`,
      corrected: "$L_l$ and $H_l$ in the denominator: with bounds of each input the shares do not sum to 1",
    }),
  },
  mutants: {
    "one pair of bounds for all": () => ({ bounds: "the same" }),
    "one input more": ({ d }) => ({ d: d + 1 }),
  },
  async run({ d, n, bounds, biases }, { random }) {
    const layers = drawLayers(random, [d, n, 2], biases);
    const [below, above] = [random.uniform(d), random.uniform(d)];
    const each = (values: Float64Array): number[] =>
      [...values].map((v) => 0.1 + 2 * (bounds === "the same" ? values[0]! : v));
    const box: Box = { low: each(below).map((v) => -v), high: each(above) };
    const x = [...random.uniform(d)].map((u, j) => box.low[j]! + u * (box.high[j]! - box.low[j]!));
    const rules = [
      { kind: "z-box", ...box, stabilizer: 0 },
      { kind: "z-plus", stabilizer: 0 },
    ] as const;
    const { R, graph } = await propagated(layers, x, rules, 0);
    const plainly = explainPlainly(layers, x, [boxRule(box.low, box.high), zPlusRule], 0);
    const upper = plainly.relevance[1]!;
    const rounding = { tolerance: 1e-11 * (1 + total(upper.map(Math.abs))) };
    return {
      graph,
      figure: figure(layers[0]!, x, box, sharesAsPrinted),
      claims: {
        "the pass against plain loops, deviation": checked(deviation(R, plainly.relevance[0]!), 0, {
          tolerance: 1e-9,
        }),
        "sum of the relevance": checked(total(R), total(upper), rounding),
        "least n_ij in the box": checked(
          Math.min(...layers[0]!.W.flatMap((row) => row.map((w, i) => part(w, x[i]!, box, i)))),
          0,
        ),
        ...rootsInBox(layers[0]!, x, box, biases !== "any"),
        "sum of the shares of a neuron, with bounds of i in the denominator": checked(
          sharesAsPrinted(layers[0]!.W[0]!, x, box),
          1,
          { tolerance: 1e-12 },
        ),
      },
    };
  },
});

/** x w - L w^+ - H w^-, with the bounds of input i. */
const part = (w: number, x: number, { low, high }: Box, i: number): number =>
  w >= 0 ? (x - low[i]!) * w : (x - high[i]!) * w;

const sharesAsPrinted = (w: readonly number[], x: readonly number[], box: Box): number =>
  total(w.map((v, i) => part(v, x[i]!, box, i) / total(w.map((u, l) => part(u, x[l]!, box, i)))));

/** Each open neuron by itself: the root lies on the way to the corner where the neuron is least. */
function rootsInBox(layer: DenseLayer, x: readonly number[], box: Box, isNonpositive: boolean) {
  const { scores } = forward([layer], x);
  const open = scores.flatMap((z, k) => (z > 0 ? [{ z, weights: layer.W[k]!, bias: layer.b[k]! }] : []));
  if (open.length === 0) return {};
  const steps = open.map((neuron) => {
    const corner = neuron.weights.map((w, i) => (w >= 0 ? box.low[i]! : box.high[i]!));
    return {
      ...taylorStep(neuron, x, neuron.z, { kind: "z-box", ...box }),
      least: total(neuron.weights.map((w, i) => w * corner[i]!)) + neuron.bias,
      rule: boxRule(box.low, box.high)({ W: [neuron.weights], b: [neuron.bias] }, x, [neuron.z]).inputs,
    };
  });
  const isInside = ({ outside }: { readonly outside: number }): boolean => outside < 1e-12;
  const decided = steps.filter(({ least }) => Math.abs(least) > 1e-9);
  return {
    "expansion at the root against the rule, deviation": checked(
      Math.max(...steps.map(({ messages, rule }) => deviation(messages, [...rule]))),
      0,
      { tolerance: 1e-9 },
    ),
    "roots in the box where the corner is open, or outside where it is closed": checked(
      decided.filter((step) => isInside(step) !== step.least < 0).length,
      0,
    ),
    ...(isNonpositive && {
      "outside of the box, biases that are not positive": checked(
        Math.max(...steps.map(({ outside }) => outside)),
        0,
        { tolerance: 1e-12 },
      ),
    }),
  };
}
