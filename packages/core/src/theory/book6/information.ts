import type { BeliefNetwork } from "../../discrete/stochastic/belief-network.ts";
import { deepNetwork } from "../../discrete/stochastic/deep.ts";
import { exactKernel } from "../../discrete/stochastic/exact-kernel.ts";
import {
  capacity,
  informationByLayer,
  leastWidth,
  mutualInformation,
} from "../../discrete/stochastic/information.ts";
import { kernelOf } from "../../discrete/stochastic/kernel.ts";
import { randomKernel } from "../../discrete/stochastic/random-kernel.ts";
import { copyUnit } from "../../discrete/stochastic/unit.ts";
import type { Figure } from "../../figure/figure.ts";
import type { Random } from "../../numbers/random.ts";
import { atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";

const entropyOf = (p: number): number => -p * Math.log(p) - (1 - p) * Math.log1p(-p);
const identity = (d: number) =>
  kernelOf(
    Array.from({ length: 2 ** d }, (_, x) => Array.from({ length: 2 ** d }, (_, y) => (x === y ? 1 : 0))),
  );
const uniform = (d: number): number[] => Array.from({ length: 2 ** d }, () => 2 ** -d);

/** d copies, through layers of these widths, with random weights of this size besides. */
const randomNetwork = (
  random: Random,
  d: number,
  widths: readonly number[],
  size: number,
): BeliefNetwork => ({
  inputs: d,
  layers: widths.map((width, l) =>
    Array.from({ length: width }, () => ({
      bias: size * random.normal(),
      reads: Array.from(
        { length: l === 0 ? d : widths[l - 1]! },
        (_, k) => [k, size * random.normal()] as const,
      ),
    })),
  ),
});

/** d bits, the first w of which are copied twice. */
const bottleneck = (d: number, w: number, eps: number): BeliefNetwork => ({
  inputs: d,
  layers: [0, 1].map(() => Array.from({ length: w }, (_, k) => copyUnit(k, eps))),
});

export default lemma({
  id: "C6-22",
  covers: ["C6-22"],
  kind: "bound",
  title: "Information does not grow from layer to layer, so no hidden layer is too narrow",
  source: "Book, chapter 6, Proposition 6.22",
  statement: String.raw`MI(X; Y) \le MI(X; H_l) \le \min(d, m_l) \log 2`,
  parameters: {
    d: integer({ min: 1, max: 3, default: 2, label: "inputs d" }),
    w: integer({ min: 1, max: 3, default: 2, label: "narrowest layer, at most d" }),
    size: real({ min: 0.5, max: 20, default: 3, label: "size of random weights" }),
    eps: real({ min: 1e-4, max: 0.3, default: 0.05, label: "error ε of a copy" }),
  },
  claims: {
    "information of a layer, over that of the layer before": atMost("1"),
    "identity with uniform input": equals(String.raw`d \log 2`),
    "capacity of w copies of copies": equals(String.raw`w (\log 2 - H(2 \epsilon (1 - \epsilon)))`),
    "capacity of a network through w units, over w log 2": atMost("1"),
    "least width that the identity of d bits needs": equals("d"),
    "capacity, upper bound over the information of uniform inputs, two copies": equals("1"),
  },
  mutants: {
    "errors of two copies added": {
      "capacity of w copies of copies": ({ d, w, eps }) =>
        Math.min(d, w) * (Math.LN2 - entropyOf(Math.min(0.5, 2 * eps))),
    },
    "bits for nats": { "identity with uniform input": ({ d }) => d },
    "a unit less": { "least width that the identity of d bits needs": ({ d }) => d - 1 },
  },
  run({ d, w: given, size, eps }, { random, budget }) {
    const w = Math.min(d, given);
    const network = randomNetwork(random, d, [d + 1, w, 2], size);
    const law = uniform(d);
    const information = [mutualInformation(identity(d), law), ...informationByLayer(network, law)];
    const growth = information.slice(1).map((v, l) => (information[l]! > 1e-9 ? v / information[l]! : 0));
    const copies = exactKernel(bottleneck(d, w, eps));
    const flip = 2 * eps * (1 - eps);
    const found = capacity(copies);
    const rounding = 2 ** -36; // Blahut and Arimoto's iteration, sums of logarithms
    return {
      figure: budget === "cheap" ? undefined : figure(random),
      claims: {
        "information of a layer, over that of the layer before": checked(Math.max(...growth), 1, {
          tolerance: rounding,
        }),
        "identity with uniform input": checked(mutualInformation(identity(d), law), d * Math.LN2, {
          tolerance: rounding,
        }),
        "capacity of w copies of copies": checked(found.lower, w * (Math.LN2 - entropyOf(flip)), {
          tolerance: rounding,
        }),
        "capacity of a network through w units, over w log 2": checked(
          Math.max(capacity(exactKernel(network)).lower, found.lower) / (w * Math.LN2),
          1,
        ),
        "least width that the identity of d bits needs": checked(leastWidth(identity(d)), d),
        "capacity, upper bound over the information of uniform inputs, two copies": checked(
          found.upper / mutualInformation(copies, law),
          1,
          { tolerance: rounding },
        ),
      },
    };
  },
});

function figure(random: Random): Figure {
  const kernel = randomKernel(random, 1, 2, "deterministic");
  const rows = kernel.rows[0]!.every((p, y) => p === kernel.rows[1]![y])
    ? kernelOf([
        [1, 0, 0, 0],
        [0, 0, 0, 1],
      ])
    : kernel;
  return {
    title: "Mutual information of input and layer, a deep network of one bit in, two out",
    panels: [
      {
        title: "Layer by layer",
        x: { label: "layer" },
        y: { label: "nats" },
        series: [
          ...[0.1, 0.03, 0.01, 1e-3].map((eps) => ({
            name: `ε = ${eps}`,
            mark: "line" as const,
            points: informationByLayer(deepNetwork(rows, 0, eps), [0.5, 0.5]).map(
              (v, l) => [l + 1, v] as const,
            ),
          })),
          {
            name: "theory: at most log 2",
            mark: "line" as const,
            role: "theory" as const,
            points: [
              [1, Math.LN2],
              [6, Math.LN2],
            ] as const,
          },
        ],
      },
    ],
  };
}
