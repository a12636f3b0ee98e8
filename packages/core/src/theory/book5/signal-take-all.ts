import { prepare } from "../../explain/index.ts";
import { expandProduct } from "../../explain/product-expansion.ts";
import { type Point, ScoreModel } from "../../explain/score-model.ts";
import type { Figure } from "../../figure/figure.ts";
import { float64, graph } from "../../graph/builder.ts";
import type { Graph } from "../../graph/graph.ts";
import { tensor } from "../../graph/tensor.ts";
import { atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { real } from "../parameter.ts";

export default lemma({
  id: "C5-19",
  covers: ["C5-19"],
  kind: "bound",
  title: "Why the signal takes all: the product's expansion at its nearest root, and what it leaves",
  source: "Book, chapter 5, section 5.4.3, DTD interpretation",
  statement: String.raw`\widehat R_k = \sigma(z_g) \tanh(z_j) c_k, \; (\tilde z_g, \tilde z_j) = (z_g, 0): \quad R_g = 0, \; R_j = \sigma(z_g) z_j c_k = \widehat R_k - \epsilon, \quad |\epsilon| \le \tfrac13 \sigma(z_g) |c_k| |z_j|^3`,
  parameters: {
    gate: real({ min: -6, max: 6, default: 1, label: "pre-activation of the gate" }),
    signal: real({ min: -3, max: 3, default: 0.8, label: "pre-activation of the signal" }),
    c: real({ min: -2, max: 2, default: 1, label: "relevance per value, c" }),
  },
  claims: {
    "slope along the gate at the root": equals("0"),
    "first-order term of the signal": equals(String.raw`\sigma(z_g) z_j c_k`),
    "relevance less the first order": equals(String.raw`\sigma(z_g) (\tanh z_j - z_j) c_k`),
    "|remainder|": atMost(String.raw`\tfrac13 \sigma(z_g) |c_k| |z_j|^3`),
    "remainder in parts of the relevance": equals(String.raw`|1 - z_j / \tanh z_j|`),
    "remainder per σ(z_g), gate shut instead": equals(String.raw`\text{the same: it knows no gate}`),
    "least |relevance| nearer than the root": equals(String.raw`\text{above 0, but for } z_j = 0`),
    "signal of a ReLU: remainder": equals("0"),
    "first-order term, as printed": equals(String.raw`\widehat R_k`).printed({
      where: "section 5.4.3, DTD interpretation, after the expansion",
      printed: String.raw`it follows the LRP-all rule:  $R_g = 0$  and  $R_j = \widehat{R}_k$`,
      corrected: String.raw`$R_g = 0$ and $R_j = \sigma(z_g) z_j c_k = \widehat R_k - \epsilon$; LRP-all gives the remainder $\epsilon$ to the signal too`,
    }),
  },
  mutants: {
    "cube over six": { "|remainder|": (_, { theory }) => theory / 2 },
    "slope of tanh taken at the signal": {
      "first-order term of the signal": ({ signal }, { theory }) => theory / Math.cosh(signal) ** 2,
    },
    "relative to the first order": {
      "remainder in parts of the relevance": ({ signal }) => Math.abs(1 - Math.tanh(signal) / signal),
    },
  },
  async run({ gate, signal, c }, { random, scale }) {
    const product = relevanceModel("tanh", c);
    const model = await modelOf(product);
    const [here, root] = [Float64Array.of(gate, signal), Float64Array.of(gate, 0)];
    const [slope] = await model.slopes([root]);
    const [value] = await model.at([here]);
    const first = slope![1]! * signal;
    const remainder = value!.score - first;
    const { bound } = expandProduct("tanh", gate, signal, c);
    const open = 1 / (1 + Math.exp(-gate));
    // sums of numbers below 10
    const rounding = { tolerance: 4e-15 };
    const shut = await remainderOf(model, Float64Array.of(-gate - 1, signal));
    return {
      graph: product,
      figure: figure(gate, c),
      claims: {
        "slope along the gate at the root": checked(slope![0]!, 0),
        "first-order term of the signal": checked(first, open * signal * c, rounding),
        "relevance less the first order": checked(
          remainder,
          expandProduct("tanh", gate, signal, c).remainder,
          rounding,
        ),
        "|remainder|": checked(Math.abs(remainder), bound, rounding),
        ...(Math.abs(signal * c) > 0.01 && {
          "remainder in parts of the relevance": checked(
            Math.abs(remainder / value!.score),
            Math.abs(1 - signal / Math.tanh(signal)),
            { tolerance: 1e-9 },
          ),
          "remainder per σ(z_g), gate shut instead": checked(
            shut * (1 + Math.exp(gate + 1)),
            remainder / open,
            { tolerance: 1e-11 },
          ),
          "least |relevance| nearer than the root": checked(
            Number((await leastWithin(model, here, Math.abs(signal), random.uniform(2 * scale(200)))) > 0),
            1,
          ),
        }),
        "signal of a ReLU: remainder": checked(await reluRemainder(gate, signal, c), 0, rounding),
        "first-order term, as printed": checked(first, value!.score, rounding),
      },
    };
  },
});

/** (z_g, z_j) -> sigm(z_g) phi(z_j) c */
const relevanceModel = (activation: "tanh" | "relu", c: number): Graph =>
  graph({ z: float64(1, 2) }, ({ z }) => {
    const [gate, signal] = [z.slice(1, 0, 1), z.slice(1, 1, 2)];
    return { y: gate.sigmoid().mul(signal[activation]()).mul(c) };
  });

const modelOf = async (product: Graph): Promise<ScoreModel> =>
  ScoreModel.create(await prepare(product, { z: tensor([[0, 0]]) }), { kind: "all" });

async function remainderOf(model: ScoreModel, z: Point): Promise<number> {
  const [slope] = await model.slopes([Float64Array.of(z[0]!, 0)]);
  return (await model.score(z)) - slope![1]! * z[1]!;
}

/** The least size of the relevance at points of the disc around z that ends short of the root. */
async function leastWithin(model: ScoreModel, z: Point, radius: number, drawn: Point): Promise<number> {
  const points = Array.from({ length: drawn.length / 2 }, (_, k) => {
    const r = 0.999 * radius * Math.sqrt(drawn[2 * k]!);
    const angle = 2 * Math.PI * drawn[2 * k + 1]!;
    return Float64Array.of(z[0]! + r * Math.cos(angle), z[1]! + r * Math.sin(angle));
  });
  return Math.min(...(await model.at(points)).map(({ score }) => Math.abs(score)));
}

/** The root approached from the signal's side, where a ReLU has a slope: f(z) - f(root) - slope (z - root). */
async function reluRemainder(gate: number, signal: number, c: number): Promise<number> {
  const model = await modelOf(relevanceModel("relu", c));
  const root = Float64Array.of(gate, signal * 2 ** -30);
  const [slope] = await model.slopes([root]);
  const [there, near] = await model.at([Float64Array.of(gate, signal), root]);
  return there!.score - near!.score - slope![1]! * (signal - root[1]!);
}

function figure(gate: number, c: number): Figure {
  const signals = Array.from({ length: 121 }, (_, k) => -3 + k / 20);
  const over = (name: string, value: (z: number) => number, role?: "theory") => ({
    name,
    mark: "line" as const,
    points: signals.map((z) => [z, value(z)] as const),
    ...(role && { role }),
  });
  const at = (z: number) => expandProduct("tanh", gate, z, c);
  return {
    title: "A product of gate and signal, expanded at its nearest root",
    panels: [
      {
        title: "Relevance and its first order",
        x: { label: "pre-activation of the signal" },
        y: { label: "relevance" },
        series: [
          over("relevance", (z) => at(z).relevance),
          over("first order", (z) => at(z).signal, "theory"),
        ],
      },
      {
        title: "What the first order leaves",
        x: { label: "pre-activation of the signal" },
        y: { label: "|remainder|" },
        series: [
          over("remainder", (z) => Math.abs(at(z).remainder)),
          over("bound: σ |c| |z|³ / 3", (z) => at(z).bound, "theory"),
        ],
      },
    ],
  };
}
