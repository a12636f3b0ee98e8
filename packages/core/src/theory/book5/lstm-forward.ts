import { run } from "../../engine/run.ts";
import type { Figure } from "../../figure/figure.ts";
import { isSparse } from "../../graph/graph.ts";
import { numbers } from "../../graph/tensor.ts";
import { atMost, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";
import { lstmNetwork, sequence } from "./lstm-network.ts";
import { drawCell, type LstmCell, type LstmStep, lstmForward } from "./plain-lstm.ts";

export default lemma({
  id: "C5-17",
  covers: ["C5-17"],
  kind: "algorithm",
  title: "An LSTM, step by step",
  source: "Book, chapter 5, (5.14)-(5.19)",
  statement: String.raw`z_t = \tanh(W_z x_t + U_z y_{t-1} + b_z), \; i_t, f_t, o_t = \sigma(W x_t + U y_{t-1} + b); \quad c_t = i_t \odot z_t + f_t \odot c_{t-1}, \; y_t = o_t \odot \tanh(c_t)`,
  parameters: {
    inputs: integer({ min: 1, max: 6, default: 3, label: "numbers of an input" }),
    units: integer({ min: 1, max: 8, default: 4, label: "units" }),
    steps: integer({ min: 1, max: 20, default: 8, label: "steps" }),
    scale: real({ min: 0.1, max: 30, default: 1, label: "size of the inputs" }),
  },
  claims: {
    "outputs of all steps, written out in f64: greatest difference to plain loops": equals("0"),
    "ONNX Runtime's own operator, in f32: greatest difference to plain loops": equals("0"),
    "sum of the last outputs": equals(String.raw`\text{that of plain loops}`),
    "greatest |y|": atMost("1"),
    "greatest |c_t| / t": atMost("1"),
    weights: equals("4h(d + h + 1)"),
  },
  mutants: {
    "the last step lost": ({ steps }) => ({ steps: steps - 1 }),
    "one bias for all gates": { weights: ({ inputs, units }) => 4 * units * (inputs + units) + units },
    "a state that stays as small as an output": { "greatest |c_t| / t": ({ steps }) => 1 / (2 * steps) },
  },
  async run({ inputs, units, steps, scale }, { random, progress }) {
    const cell = drawCell(inputs, units, random);
    const xs = Array.from({ length: steps }, (_, t) =>
      Array.from(random.split(`input ${t}`).normal(inputs), (v) => scale * v),
    );
    const walked = lstmForward(cell, xs);
    const classifier = { W: [new Array<number>(units).fill(1)], b: [0] };
    const network = lstmNetwork(cell, classifier, steps);
    const { y, hidden } = await run(network, { x: sequence(xs) });
    await progress(0.5);
    const single = await run(lstmNetwork(cell, classifier, steps, "float32"), { x: sequence(xs, "float32") });
    const outputs = walked.flatMap((step) => step.y);
    return {
      graph: network,
      figure: figure(walked),
      claims: {
        // Rounding errors of a step are not made larger than by the products of U.
        "outputs of all steps, written out in f64: greatest difference to plain loops": checked(
          distance(numbers(hidden!), outputs),
          0,
          { tolerance: 1e-11 },
        ),
        "ONNX Runtime's own operator, in f32: greatest difference to plain loops": sampled(
          distance(numbers(single["hidden"]!), outputs),
          0,
          { tolerance: 1e-3 }, // 2^-24 of sums as large as the inputs, where sigmoids are steepest
        ),
        "sum of the last outputs": checked(numbers(y!)[0]!, sum(walked.at(-1)!.y), { tolerance: 1e-10 }),
        "greatest |y|": checked(greatest(outputs), 1),
        "greatest |c_t| / t": checked(Math.max(...walked.map(({ c }, t) => greatest(c) / (t + 1))), 1),
        weights: checked(weightsOf(cell), 4 * units * (inputs + units + 1)),
      },
    };
  },
});

const sum = (values: readonly number[]): number => values.reduce((s, v) => s + v, 0);
const greatest = (values: readonly number[]): number => values.reduce((m, v) => Math.max(m, Math.abs(v)), 0);
const distance = (a: ArrayLike<number>, b: readonly number[]): number => greatest(b.map((v, k) => v - a[k]!));

/** Numbers in the operator's tensors, the second vector of biases, which is 0, left out. */
function weightsOf(cell: LstmCell): number {
  const units = cell.z.b.length;
  const { nodes, initializers } = lstmNetwork(cell, { W: [cell.z.b.map(() => 1)], b: [0] }, 1);
  const { inputs } = nodes.find(({ op }) => op === "LSTM")!;
  const sizes = inputs.map((name) => {
    const weight = initializers.get(name);
    return weight && !isSparse(weight) ? weight.data.length : 0;
  });
  return sum(sizes) - 4 * units;
}

/** The first unit over time. */
function figure(walked: readonly LstmStep[]): Figure {
  const over = (name: string, value: (step: LstmStep) => number) =>
    ({ name, mark: "line", points: walked.map((step, t) => [t + 1, value(step)] as const) }) as const;
  return {
    title: "The first unit of an LSTM, step by step",
    panels: [
      {
        title: "Gates",
        x: { label: "t" },
        y: { label: "how far open" },
        series: [
          over("input gate i", ({ gates }) => gates.i[0]!),
          over("forget gate f", ({ gates }) => gates.f[0]!),
          over("output gate o", ({ gates }) => gates.o[0]!),
        ],
      },
      {
        title: "Signals",
        x: { label: "t" },
        y: { label: "value" },
        series: [
          over("cell input z", ({ gates }) => gates.z[0]!),
          over("cell state c", ({ c }) => c[0]!),
          over("output y", ({ y }) => y[0]!),
        ],
      },
    ],
  };
}
