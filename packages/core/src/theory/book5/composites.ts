import { explain } from "../../explain/explain.ts";
import type { Explanation } from "../../explain/explanation.ts";
import { float64, graph } from "../../graph/builder.ts";
import type { Graph } from "../../graph/graph.ts";
import { numbers, type Tensor, tensor } from "../../graph/tensor.ts";
import type { Random } from "../../numbers/random.ts";
import { atLeast, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer } from "../parameter.ts";
import { figure } from "./composites-figure.ts";
import { type Biases, biasParameter } from "./dense-relu.ts";

/** The rules of the four layers, from the output down: dense, dense, convolution, convolution. */
const expected = {
  "epsilon-alpha1-beta0": ["epsilon=0.000001", "epsilon=0.000001", "alpha-beta=1,0", "alpha-beta=1,0"],
  "alpha1-beta0": ["alpha-beta=1,0", "alpha-beta=1,0", "alpha-beta=1,0", "alpha-beta=1,0"],
  "epsilon-plus-flat": ["epsilon=0.000001", "epsilon=0.000001", "z-plus", "flat"],
  "epsilon-alpha2-beta1-flat": ["epsilon=0.000001", "epsilon=0.000001", "alpha-beta=2,1", "flat"],
  "epsilon-gamma-box": ["epsilon=0.000001", "epsilon=0.000001", "gamma=0.25", "z-box=0,1"],
  montavon: ["zero", "epsilon=0.25rms", "gamma=0.25", "z-box=0,1"],
  "montavon-real": ["zero", "epsilon=0.25rms", "gamma=0.25", "w-square"],
  text: ["epsilon=0.001", "epsilon=0.001", "epsilon=0.001", "epsilon=0.001"],
} as const;

export default lemma({
  id: "C5-16",
  covers: ["C5-16"],
  kind: "algorithm",
  title: "Composites: which rule meets which layer",
  source: "Book, Figure 5.1 and section 5.4.2, Choosing LRP Rules in Practice",
  statement: String.raw`\text{dense} \mapsto \text{LRP-}\epsilon, \quad \text{convolution} \mapsto \text{LRP-}\alpha_1\beta_0 \text{ or } \gamma, \quad \text{first} \mapsto z^{\mathcal B}, w^2, \text{flat}`,
  parameters: {
    composite: choice(
      [
        "epsilon-alpha1-beta0",
        "alpha1-beta0",
        "epsilon-plus-flat",
        "epsilon-alpha2-beta1-flat",
        "epsilon-gamma-box",
        "montavon",
        "montavon-real",
        "text",
      ],
      { label: "composite" },
    ),
    side: integer({ min: 5, max: 9, default: 7, label: "side of the image" }),
    channels: integer({ min: 1, max: 4, default: 3, label: "channels" }),
    biases: biasParameter,
  },
  claims: {
    "layers with another rule than the composite says": equals("0"),
    "different rules": equals("those of the composite"),
    "relevance, biases and stabilizers together": equals("f(x)"),
    "alpha = 1, beta = 0 everywhere: least of relevance times the sign of the score": atLeast("0"),
    "sum of the relevance, Figure 5.1": equals("f(x)").printed({
      where: "caption of Figure 5.1",
      printed:
        "Each neuron redistributes as much relevance to the lower layer as it has received from the higher layer, i.e., no relevance is lost or artificially added in the explanation process.",
      corrected: String.raw`biases and, with the LRP-$\epsilon$ of the figure's dense layers, stabilizers keep a part: only with them the sum is $f(x)$`,
    }),
    "alpha = 1, beta = 0 everywhere: least relevance": atLeast("0").printed({
      where: "section 5.4.2, Choosing LRP Rules in Practice",
      printed: String.raw`The LRP-$\alpha\beta$ rule, with parameters fixed as $\alpha = 1$ and $\beta = 0$, considers only positively contributing neurons and delivers positive-valued relevances`,
      corrected: "relevances of the sign of the score that is explained: for a negative one none is positive",
    }),
  },
  mutants: {
    "one rule everywhere": () => ({ composite: "text" }),
    "a network without biases": () => ({ biases: "none" }),
  },
  async run({ composite, side, channels, biases }, { random, budget }) {
    const net = network(random, { side, channels, biases });
    const x = tensor(random.uniform(side * side), { type: "float64", dims: [1, 1, side, side] });
    const explained = (by: string) =>
      explain(
        net,
        { x },
        { composite: by, target: { kind: "class", index: 0 }, bounds: { low: 0, high: 1 } },
      );
    const shown = await explained(composite);
    const { ledger, sums, scores, relevance } = shown;
    const layers = ledger!.filter(({ operator }) => operator === "Gemm" || operator === "Conv");
    const taken = ledger!.reduce((sum, { bias, absorbed }) => sum + bias + absorbed, 0);
    const [sum, score] = [sums[0]!, scores[0]!];
    const R = Array.from(numbers(relevance.get("x")!));
    const scale = 1 + Math.max(...ledger!.flatMap((row) => [row.in, row.out].map(Math.abs)));
    const rounding = { tolerance: 1e-9 * scale };
    return {
      graph: net,
      ...(budget === "cheap" ? {} : { figure: figure(shown, await byAll(explained)) }),
      table: {
        title: `Which rule met which node (${composite})`,
        columns: ["node", "operator", "rule", "arrived", "handed on", "biases", "absorbed"],
        rows: ledger!.map((row) => [
          row.node,
          row.operator,
          row.rule,
          ...[row.in, row.out, row.bias, row.absorbed].map((v) => Number(v.toPrecision(5))),
        ]),
      },
      claims: {
        "layers with another rule than the composite says": checked(
          layers.filter(({ rule }, k) => rule !== expected[composite][k]).length +
            Math.abs(layers.length - 4),
          0,
        ),
        "different rules": checked(
          new Set(layers.map(({ rule }) => rule)).size,
          new Set<string>(expected[composite]).size,
        ),
        "relevance, biases and stabilizers together": checked(sum + taken, score, rounding),
        ...(composite === "epsilon-alpha1-beta0" && {
          "sum of the relevance, Figure 5.1": checked(sum, score, rounding),
        }),
        ...(composite === "alpha1-beta0" && {
          "alpha = 1, beta = 0 everywhere: least of relevance times the sign of the score": checked(
            Math.min(...R.map((v) => v * Math.sign(score))),
            0,
          ),
          "alpha = 1, beta = 0 everywhere: least relevance": checked(Math.min(...R), 0),
        }),
      },
    };
  },
});

async function byAll(explained: (by: string) => Promise<Explanation>) {
  const all = new Map<string, Explanation>();
  for (const name of Object.keys(expected)) all.set(name, await explained(name));
  return all;
}

interface Size {
  readonly side: number;
  readonly channels: number;
  readonly biases: Biases;
}

/** Two convolutions with a pool between them, two dense layers. */
function network(random: Random, { side, channels: n, biases }: Size): Graph {
  const weights = (...dims: number[]): Tensor => {
    const fanIn = dims.slice(1).reduce((product, d) => product * d, 1);
    return tensor(
      random.normal(dims[0]! * fanIn).map((v) => v * Math.sqrt(2 / fanIn)),
      { type: "float64", dims },
    );
  };
  const bias = (count: number): Tensor =>
    tensor(
      random.normal(count).map((v) => (biases === "none" ? 0 : biases === "negative" ? -Math.abs(v) : v) / 4),
      { type: "float64" },
    );
  return graph({ x: float64(1, 1, side, side) }, ({ x }) => {
    const first = x!.op("Conv", [weights(n, 1, 3, 3), bias(n)], { pads: [1, 1, 1, 1] }).relu();
    const pooled = first.op("MaxPool", [], { kernel_shape: [2, 2], strides: [2, 2] });
    const second = pooled.op("Conv", [weights(n, n, 2, 2), bias(n)]).relu();
    const flat = second.op("Flatten");
    const hidden = flat.affine(weights(6, flat.type.shape![1] as number), bias(6)).relu();
    return { y: hidden.affine(weights(2, 6), bias(2)) };
  });
}
