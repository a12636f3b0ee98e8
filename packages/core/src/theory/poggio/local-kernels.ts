import { kernelMarginBounds } from "../../generalization/local-kernels/kernel-margin-bound.ts";
import {
  claimedBound,
  exponentialBound,
  type LocalLayer,
  type LocalSample,
  peeledBound,
} from "../../generalization/local-kernels/kernel-rademacher.ts";
import {
  dyadicTree,
  type PatchNetwork,
  slidingWindows,
} from "../../generalization/local-kernels/patch-network.ts";
import { rademacherEstimate } from "../../generalization/local-kernels/rademacher-estimate.ts";
import { kernelMemory } from "../../generalization/memorization/coin-memory.ts";
import type { Random } from "../../numbers/random.ts";
import { atMost, checked } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer } from "../parameter.ts";
import { localKernelFigure } from "./local-kernels-figure.ts";

/** Of each of the three margin bounds; and how many coin throws in how many patches make a complexity felt. */
const [delta, throws, patches] = [0.02, 400, 1200];

export default lemma({
  id: "P-21",
  covers: ["P-21", "P-22"],
  kind: "bound",
  title: "Rademacher complexity with kernel norms",
  source: "Poggio, Theorems 11 and 12",
  statement: String.raw`\mathcal R_X \le \frac{2^{L-1}}{m} \prod_{l=1}^L \|w^l\| \sqrt{c_l} \, \Bigl(\sum_i \|x_i\|^2\Bigr)^{1/2}, \qquad \mathcal R_X \le \frac{1}{m} \prod_{l=1}^L \|w^l\| \Bigl(1 + \sqrt{2 (L-1) \ln 2 + 2 \ln d_1}\Bigr) \max_j \Bigl(D_j \sum_i \|x_i^{(j)}\|^2\Bigr)^{1/2}`,
  parameters: {
    L: integer({ min: 1, max: 4, default: 3, label: "layers L" }),
    m: integer({ min: 1, max: 6, default: 5, label: "examples m" }),
    K: integer({ min: 1, max: 4, default: 3, label: "kernel of the second network" }),
    stride: integer({ min: 1, max: 3, default: 1, label: "its stride" }),
    weights: choice(["shared", "own"], { label: "kernels of a layer" }),
    data: choice(["normal", "constant", "sparse"], { label: "inputs" }),
  },
  claims: {
    "tree: complexity, from below": atMost(
      String.raw`\tfrac{2^{L-1}}{m} \rho \bigl(\sum_i \|x_i\|^2\bigr)^{1/2}`,
    ),
    "tree: complexity against 2^L": atMost(
      String.raw`\tfrac{2^L}{m} \rho \bigl(\sum_i \|x_i\|^2\bigr)^{1/2}`,
    ).loose({
      where: "Theorem 11, (11)",
      printed: String.raw`$\mathcal{R}_X(\mathcal{H}) \le \frac{2^L \rho \sqrt{\sum_{i=1}^m \|x_i\|^2}}{m}$`,
      corrected: "$2^{L-1}$, as its own proof has it: the last layer is linear",
    }),
    "tree: complexity against the root of depth": atMost(
      String.raw`\tfrac1m (1 + 2 \sqrt{(L-1) \ln 2}) \rho \bigl(2^{L-1} \max_j \sum_i \|x_i^{(j)}\|^2\bigr)^{1/2}`,
    ),
    "tree: complexity against Theorem 12": atMost(
      String.raw`\tfrac1m (\sqrt{2 \ln 2 \, L} + 1) \rho \bigl(\sum_i \|x_i\|^2\bigr)^{1/2}`,
    )
      .printed()
      .looseBy(2.1),
    "overlapping fields: complexity, from below": atMost(
      String.raw`\tfrac{2^{L-1}}{m} \textstyle\prod_l \|w^l\| \sqrt{c_l} \, \bigl(\sum_i \|x_i\|^2\bigr)^{1/2}`,
    ),
    "overlapping fields: complexity against the root of depth": atMost(
      String.raw`\tfrac1m \textstyle\prod_l \|w^l\| (1 + \sqrt{2 (L-1) \ln 2 + 2 \ln d_1}) \max_j (D_j \sum_i \|x_i^{(j)}\|^2)^{1/2}`,
    ),
    "one layer: E|Σ ε x| / m, all signs": atMost(String.raw`\tfrac1m \bigl(\sum_i \|x_i\|^2\bigr)^{1/2}`),
    "risk 1/2 of kernels that know coin throws by heart": atMost(
      String.raw`\text{least margin bound from these complexities}`,
    )
      .probable()
      .looseBy(2.5),
  },
  mutants: {
    "2^{L-2}": { "tree: complexity, from below": (_, { theory }) => theory / 2 },
    "the leading 1 dropped": {
      "tree: complexity against the root of depth": ({ L }, { theory }) =>
        theory * (1 - 1 / (1 + 2 * Math.sqrt((L - 1) * Math.LN2))),
    },
    "the energy of one example for that of all": {
      "one layer: E|Σ ε x| / m, all signs": ({ m }, { theory }) => theory / Math.sqrt(m),
    },
  },
  async run({ L, m, K, stride, weights, data }, { random, scale, budget, progress }) {
    const shared = weights === "shared";
    const tree = dyadicTree(L, 1, shared);
    const X = inputs(data, m, 2 ** L, random);
    // All 2^(m-1) signs: what ascent finds is below the complexity for sure.
    const options = { signs: 64, restarts: scale(10), steps: 5 * L, random };
    const ofTree = rademacherEstimate(tree, X, options).estimate;
    const [treeLayers, sample] = [layersOf(tree), sampleOf(tree, X)];
    const other = overlapping(L, K, stride, shared);
    const Y = inputs(data, m, placesOf(other), random);
    const ofOther = rademacherEstimate(other, Y, options).estimate;
    const tolerance = 1e-12 * ofTree; // equality happens (m = 1, L = 1), and sums are rounded
    await progress(0.5);
    const memory = kernelMemory(throws, patches, random);
    const margins = await kernelMarginBounds(memory.model, memory.x, {
      ...{ delta, margins: memory.margins, outputs: 1 },
    });
    return {
      ...(budget === "cheap" ? {} : { figure: localKernelFigure(random) }),
      claims: {
        "tree: complexity, from below": checked(ofTree, peeledBound(treeLayers, sample), { tolerance }),
        "tree: complexity against 2^L": checked(ofTree, 2 * peeledBound(treeLayers, sample)),
        "tree: complexity against the root of depth": checked(ofTree, exponentialBound(treeLayers, sample), {
          tolerance,
        }),
        "tree: complexity against Theorem 12": checked(ofTree, claimedBound(treeLayers, sample)),
        "overlapping fields: complexity, from below": checked(
          ofOther,
          peeledBound(layersOf(other), sampleOf(other, Y)),
          { tolerance: 1e-12 * ofOther },
        ),
        "overlapping fields: complexity against the root of depth": checked(
          ofOther,
          exponentialBound(layersOf(other), sampleOf(other, Y)),
          { tolerance: 1e-12 * ofOther },
        ),
        "risk 1/2 of kernels that know coin throws by heart": checked(
          0.5,
          Math.min(...margins.map(({ value }) => value!)),
          { delta: 3 * delta },
        ),
        "one layer: E|Σ ε x| / m, all signs": checked(meanLength(X), Math.sqrt(sample.energy) / m, {
          tolerance: 1e-12 * Math.sqrt(sample.energy),
        }),
      },
    };
  },
});

function inputs(
  data: "normal" | "constant" | "sparse",
  m: number,
  d: number,
  random: Random,
): Float64Array[] {
  const alive = random.integer(0, d - 1);
  return Array.from({ length: m }, () => {
    if (data === "constant") return new Float64Array(d).fill(1 + Math.abs(random.normal()));
    const x = random.normal(d);
    // Beside one coordinate almost nothing: patches of very different energy.
    return data === "sparse" ? x.map((v, k) => (k === alive ? v : 0.01 * v)) : x;
  });
}

/** L - 1 layers of windows and a last node that reads all. */
export function overlapping(L: number, K: number, stride: number, shared: boolean): PatchNetwork {
  const places = [2];
  for (let l = 1; l < L; l++) places.unshift((places[0]! - 1) * stride + K);
  return places.map((n, l) =>
    l === L - 1
      ? { fields: [Array.from({ length: n }, (_, k) => k)], shared: false, norm: 1 }
      : { fields: slidingWindows(n, K, stride), shared, norm: 1 },
  );
}

export const placesOf = (net: PatchNetwork): number => 1 + Math.max(...net[0]!.fields.flat());

export const layersOf = (net: PatchNetwork): readonly LocalLayer[] =>
  net.map(({ fields, norm }) => {
    const counts = new Map<number, number>();
    for (const place of fields.flat()) counts.set(place, (counts.get(place) ?? 0) + 1);
    return {
      norm,
      multiplicity: Math.max(...counts.values()),
      predecessors: Math.max(...fields.map((f) => f.length)),
    };
  });

export function sampleOf(net: PatchNetwork, X: readonly Float64Array[]): LocalSample {
  const energy = (places: readonly number[]): number =>
    X.reduce((s, x) => s + places.reduce((t, k) => t + x[k]! ** 2, 0), 0);
  const patches = net[0]!.fields.map(energy);
  const all = X.reduce((s, x) => s + x.reduce((t, v) => t + v * v, 0), 0);
  return { m: X.length, energy: all, patchEnergy: Math.max(...patches), patches: patches.length };
}

/** The complexity of one dense layer of norm 1: the mean length of the signed sums, over all signs. */
function meanLength(X: readonly Float64Array[]): number {
  const m = X.length;
  let sum = 0;
  for (let s = 0; s < 2 ** m; s++) {
    const total = X[0]!.map((_, k) => X.reduce((t, x, i) => t + ((s >> i) & 1 ? -1 : 1) * x[k]!, 0));
    sum += Math.sqrt(total.reduce((t, v) => t + v * v, 0));
  }
  return sum / 2 ** m / m;
}
