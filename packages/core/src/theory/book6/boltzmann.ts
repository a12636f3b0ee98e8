import { type BeliefNetwork, samplingGraph } from "../../discrete/stochastic/belief-network.ts";
import {
  type BoltzmannMachine,
  beliefLaw,
  boltzmannLaw,
  divergence,
  divergenceGradient,
  trainBoltzmann,
} from "../../discrete/stochastic/boltzmann.ts";
import { exactKernel } from "../../discrete/stochastic/exact-kernel.ts";
import { bitsOf } from "../../discrete/stochastic/kernel.ts";
import { randomKernel } from "../../discrete/stochastic/random-kernel.ts";
import { run } from "../../engine/run.ts";
import type { Figure } from "../../figure/figure.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import { createRandom, type Random } from "../../numbers/random.ts";
import { atMost, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";

const randomMachine = (random: Random, d: number, m: number, size: number): BoltzmannMachine => ({
  W: Array.from({ length: d }, () => random.normal(m).map((v) => size * v)),
  b: random.normal(d).map((v) => size * v),
  c: random.normal(m).map((v) => size * v),
});

const randomNetwork = (random: Random, d: number, s: number): BeliefNetwork => ({
  inputs: d,
  layers: [
    Array.from({ length: s }, () => ({
      bias: random.normal(),
      reads: Array.from({ length: d }, (_, k) => [k, random.normal()] as const),
    })),
  ],
});

/** (6.8) as it is printed: all hidden states one after the other. */
function bruteForce({ W, b, c }: BoltzmannMachine): number[] {
  const [d, m] = [b.length, c.length];
  const weights = Array.from({ length: 2 ** d }, (_, state) => {
    const x = bitsOf(state, d);
    return Array.from({ length: 2 ** m }, (_, hidden) => {
      const h = bitsOf(hidden, m);
      const energy = x.reduce(
        (sum, v, i) => sum + v * (b[i]! + h.reduce((t, u, k) => t + u * W[i]![k]!, 0)),
        h.reduce((t, u, k) => t + u * c[k]!, 0),
      );
      return Math.exp(energy);
    }).reduce((p, q) => p + q, 0);
  });
  const total = weights.reduce((p, q) => p + q, 0);
  return weights.map((w) => w / total);
}

const furthest = (p: ArrayLike<number>, q: ArrayLike<number>): number =>
  Array.from(p).reduce((m, v, k) => Math.max(m, Math.abs(v - q[k]!)), 0);

/** How often the sampling graph gives each output, for one input, from seeded uniform numbers. */
async function frequencies(
  network: BeliefNetwork,
  state: number,
  n: number,
  random: Random,
): Promise<number[]> {
  const s = network.layers.at(-1)!.length;
  const { y } = await run(samplingGraph(network), {
    x: tensor(Array.from({ length: n }, () => bitsOf(state, network.inputs))),
    ...Object.fromEntries(
      network.layers.map(({ length }, l) => [
        `u${l + 1}`,
        tensor(random.uniform(n * length), { dims: [n, length] }),
      ]),
    ),
  });
  const counts = Array.from({ length: 2 ** s }, () => 0);
  const bits = numbers(y!);
  for (let k = 0; k < n; k++) {
    let output = 0;
    for (let j = 0; j < s; j++) output = 2 * output + bits[k * s + j]!;
    counts[output]!++;
  }
  return counts.map((c) => c / n);
}

/** The derivative by the first weight, the first visible and the first hidden bias, from differences. */
function differences(machine: BoltzmannMachine, data: ArrayLike<number>): number[] {
  const h = 1e-5;
  const at = (w: number, b: number, c: number): number =>
    divergence(
      data,
      boltzmannLaw({
        W: machine.W.map((row, i) => row.map((v, k) => (i === 0 && k === 0 ? v + w : v))),
        b: machine.b.map((v, i) => (i === 0 ? v + b : v)),
        c: machine.c.map((v, k) => (k === 0 ? v + c : v)),
      }),
    );
  return [at(h, 0, 0) - at(-h, 0, 0), at(0, h, 0) - at(0, -h, 0), at(0, 0, h) - at(0, 0, -h)].map(
    (v) => v / (2 * h),
  );
}

/** sum_i H(X_i) - H(X): how far bits are from being independent. */
function dependence(law: Float64Array, d: number): number {
  const entropy = (p: ArrayLike<number>): number =>
    Array.from(p).reduce((sum, v) => (v > 0 ? sum - v * Math.log(v) : sum), 0);
  return Array.from({ length: d }, (_, i) => {
    const on = law.reduce((sum, p, state) => sum + p * bitsOf(state, d)[i]!, 0);
    return entropy([on, 1 - on]);
  }).reduce((sum, h) => sum + h, -entropy(law));
}

/** With which the frequencies of a sample may be further off. */
const delta = 0.05;

export default lemma({
  id: "C6-03",
  covers: ["C6-02", "C6-03"],
  kind: "algorithm",
  title: "Boltzmann machines and deep belief networks: exact laws, samples, training",
  source: "Book, chapter 6, (6.8) and (6.9), section 6.9",
  statement: String.raw`p(x) = \frac{1}{Z} e^{b^\top x} \prod_k \bigl( 1 + e^{c_k + W_k^\top x} \bigr), \qquad p(y) = \sum_x P(y | x) \, p(x), \qquad \partial_{W_{ik}} D = \mathbb{E}_p [x_i h_k] - \mathbb{E}_{\mathrm{data}} [x_i h_k]`,
  parameters: {
    d: integer({ min: 1, max: 5, default: 3, label: "visible units d" }),
    m: integer({ min: 1, max: 6, default: 3, label: "hidden units m" }),
    size: real({ min: 0.1, max: 4, default: 1, label: "size of the weights" }),
    s: integer({ min: 1, max: 3, default: 2, label: "outputs s of the belief network" }),
  },
  claims: {
    "law of the machine and the sum over hidden states, difference": equals("0"),
    "law without couplings and the product law, difference": equals("0"),
    "law of the belief network and of the composition, difference": equals("0"),
    "frequencies of samples, greatest error": atMost(
      String.raw`\sqrt{\log(2 \cdot 2^s / \delta) / (2n)}, \; \delta = 0.05`,
    ).probable(),
    "gradient of the divergence and differences": equals("0"),
    "divergence of a trained machine without hidden units": equals(String.raw`\sum_i H(X_i) - H(X)`),
  },
  mutants: {
    "hidden units without biases": { "law without couplings and the product law, difference": () => 0.1 },
    "entropies of pairs forgotten": {
      "divergence of a trained machine without hidden units": (_, { theory }) => theory / 2,
    },
    "noise of a hundred times the sample": {
      "frequencies of samples, greatest error": (_, { theory }) => theory / 10,
    },
  },
  async run({ d, m, size, s }, { random, scale, budget }) {
    const machine = randomMachine(random, d, m, size);
    const exact = boltzmannLaw(machine);
    const free = { ...machine, W: machine.W.map((row) => row.map(() => 0)) };
    const product = Array.from({ length: 2 ** d }, (_, state) =>
      bitsOf(state, d).reduce((p, v, i) => p / (1 + Math.exp(v ? -machine.b[i]! : machine.b[i]!)), 1),
    );
    const below = randomNetwork(random, d, s);
    const { rows } = exactKernel(below);
    const composed = Array.from({ length: 2 ** s }, (_, y) =>
      bruteForce(machine).reduce((sum, p, x) => sum + p * rows[x]![y]!, 0),
    );
    const state = random.integer(0, 2 ** d - 1);
    const n = scale(4000);
    const seen = await frequencies(below, state, n, random);
    const data = randomKernel(random, 0, d, "dirichlet").rows[0]!;
    const gradient = divergenceGradient(machine, data);
    const mild = data.map((p) => (p + 2 ** -d) / 2);
    const rounding = 2 ** -44;
    return {
      figure: budget === "cheap" ? undefined : figure(),
      claims: {
        "law of the machine and the sum over hidden states, difference": checked(
          furthest(exact, bruteForce(machine)),
          0,
          { tolerance: rounding },
        ),
        "law without couplings and the product law, difference": checked(
          furthest(boltzmannLaw(free), product),
          0,
          { tolerance: rounding },
        ),
        "law of the belief network and of the composition, difference": checked(
          furthest(beliefLaw(machine, below), composed),
          0,
          { tolerance: rounding },
        ),
        "frequencies of samples, greatest error": sampled(
          furthest(seen, rows[state]!),
          Math.sqrt(Math.log((2 * 2 ** s) / delta) / (2 * n)),
          { delta },
        ),
        "gradient of the divergence and differences": sampled(
          furthest([gradient.W[0]![0]!, gradient.b[0]!, gradient.c[0]!], differences(machine, data)),
          0,
          { tolerance: 1e-8 }, // differences of second order, of numbers rounded to 2^-50, over 2e-5
        ),
        "divergence of a trained machine without hidden units": checked(
          trainBoltzmann(randomMachine(random, d, 0, 0.5), mild, 200).divergences.at(-1)!,
          dependence(mild, d),
          { tolerance: 2 ** -30 }, // a convex problem; what descent leaves
        ),
      },
    };
  },
});

/** The divergences along the training of a machine on a random distribution that keeps away from 0. */
function trainingExample(random: Random, d: number, m: number, steps: number): readonly number[] {
  const drawn = randomKernel(random, 0, d, "dirichlet").rows[0]!.map((p) => (p + 2 ** -d) / 2);
  return trainBoltzmann(randomMachine(random, d, m, 0.5), drawn, steps).divergences;
}

function figure(): Figure {
  const sizes = [0, 1, 3, 7];
  return {
    title: "Boltzmann machines of three or four visible units, trained exactly",
    panels: [3, 4].map((d) => ({
      title: `${d} visible units, the same distribution`,
      x: { label: "steps" },
      y: { label: "divergence", scale: "log" as const },
      series: sizes
        .filter((m) => m < 2 ** (d - 1))
        .map((m) => {
          const values = trainingExample(createRandom(`boltzmann ${d}`), d, m, 150);
          return {
            name: m === 0 ? "no hidden unit" : `${m} hidden`,
            mark: "line" as const,
            points: values.map((v, t) => [t, Math.max(v, 1e-12)] as const),
          };
        }),
    })),
  };
}
