import type { Figure } from "../../figure/figure.ts";
import {
  overlapFactors,
  patchCount,
  patchGeometry,
} from "../../generalization/local-kernels/patch-geometry.ts";
import {
  type PatchNetwork,
  patchValues,
  slidingWindows,
} from "../../generalization/local-kernels/patch-network.ts";
import { atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer } from "../parameter.ts";

const mostInputs = 10_000;

export default lemma({
  id: "P-25",
  covers: ["P-25"],
  kind: "bound",
  title: "Patches that overlap",
  source: "Poggio, Conjecture 5",
  statement: String.raw`P = \frac{D - O}{K - O}, \qquad \sum_{p=1}^P \|x^{(p)}\|^2 \le \Bigl\lceil \frac{K}{K-O} \Bigr\rceil \|x\|^2, \qquad \mathcal R_m \le 2^{L-1} M_L \cdots M_1 \|x\| \prod_{l < L} \Bigl\lceil \frac{K_l}{K_l - O_l} \Bigr\rceil^{1/2}`,
  parameters: {
    K: integer({ min: 1, max: 32, default: 25, label: "kernel K" }),
    stride: integer({ min: 1, max: 8, default: 1, label: "stride K - O, at most K" }),
    layers: integer({ min: 1, max: 3, default: 2, label: "overlapping layers" }),
    last: integer({ min: 1, max: 200, default: 150, label: "patches of the last of them" }),
    data: choice(["constant", "normal", "one coordinate"], { label: "input" }),
  },
  claims: {
    "patches, counted": equals("(D - O) / (K - O)"),
    "windows that share a coordinate, at most": atMost(String.raw`\lceil K / (K - O) \rceil`),
    "mean number of windows of a coordinate": atMost("K / (K - O)"),
    "energy of all patches over that of the input": atMost(String.raw`\lceil K / (K - O) \rceil`),
    "one example: complexity, from below": atMost(
      String.raw`\lceil K / (K - O) \rceil^{(L-1)/2} \|x\|, \text{ for one example without } 2^{L-1}`,
    ),
    "one example: complexity, as conjectured": atMost(
      String.raw`2^{L-1} M_L \cdots M_1 \|x\| \sqrt{K / (K - O)}`,
    ).printed({
      where: "Conjecture 5",
      printed: String.raw`If a convolutional layer has overlaps among its patches then the bound $\mathcal{R}_m(\mathcal{H}_L) \le 2^{L-1} M_L \cdot M_{L-1} \cdots M_1 \|x\|$ holds with $\|x\|$ replaced by $\|x\|\sqrt{\frac{K}{K-O}}$`,
      corrected: String.raw`where several layers overlap, a factor $\lceil K / (K - O) \rceil^{1/2}$ for each of them: one constant input and kernels of equal weights exceed the one factor`,
    }),
  },
  mutants: {
    "a last window that does not fit": { "patches, counted": (_, { theory }) => theory + 1 },
    "rounded down": {
      "windows that share a coordinate, at most": ({ K, stride }) => Math.floor(K / Math.min(stride, K)),
    },
    "overlap of one layer only": {
      "one example: complexity, from below": ({ K, stride, layers }, { theory }) =>
        theory / Math.ceil(K / Math.min(stride, K)) ** ((layers - 1) / 2),
    },
  },
  run({ K, stride: given, layers, last: wanted, data }, { random, budget }) {
    const stride = Math.min(given, K);
    const O = K - stride;
    const last = fewEnough(K, stride, layers, wanted);
    const net = stack(K, stride, layers, last);
    const D = placesOf(net);
    const x = new Float64Array(D);
    if (data === "constant") x.fill(1);
    if (data === "normal") random.normal(x);
    if (data === "one coordinate") x[Math.floor(D / 2)] = 1;
    const { patches, coverage, multiplicity } = patchGeometry({ size: D, kernel: K, stride });
    const energy = x.reduce((s, v) => s + v * v, 0);
    const ofPatches = net[0]!.fields.reduce((s, field) => s + field.reduce((t, k) => t + x[k]! ** 2, 0), 0);
    const { conjectured, proved } = overlapFactors(K, O);
    const seen = largestOutput(net, x);
    const length = Math.sqrt(energy);
    const tolerance = 1e-12 * seen; // equality happens: one patch of one layer
    return {
      ...(budget === "cheap" ? {} : { figure: overlapFigure() }),
      claims: {
        "patches, counted": checked(patches, patchCount(D, K, O)),
        "windows that share a coordinate, at most": checked(multiplicity, proved),
        "mean number of windows of a coordinate": checked(
          coverage.reduce((a, b) => a + b, 0) / D,
          conjectured,
          { tolerance: 1e-12 * K }, // a quotient on both sides
        ),
        ...(energy === 0
          ? {}
          : {
              "energy of all patches over that of the input": checked(ofPatches / energy, proved, {
                tolerance: 1e-12 * K,
              }),
            }),
        "one example: complexity, from below": checked(seen, proved ** (layers / 2) * length, { tolerance }),
        "one example: complexity, as conjectured": checked(
          seen,
          2 ** layers * length * Math.sqrt(conjectured),
          {
            tolerance,
          },
        ),
      },
    };
  },
});

/** Convolutions with the same kernel size and stride, then one node of norm 1 that reads all. */
function stack(K: number, stride: number, layers: number, last: number): PatchNetwork {
  const places = [last];
  for (let l = 0; l < layers; l++) places.unshift((places[0]! - 1) * stride + K);
  return places.map((n, l) =>
    l === layers
      ? { fields: [Array.from({ length: n }, (_, k) => k)], shared: false, norm: 1 }
      : { fields: slidingWindows(n, K, stride), shared: true, norm: 1 },
  );
}

const placesOf = ([first]: PatchNetwork): number => 1 + first!.fields.at(-1)!.at(-1)!;

/** Patches of the last overlapping layer such that the input stays short. */
function fewEnough(K: number, stride: number, layers: number, wanted: number): number {
  const inputs = (last: number): number => {
    let places = last;
    for (let l = 0; l < layers; l++) places = (places - 1) * stride + K;
    return places;
  };
  let last = wanted;
  while (last > 1 && inputs(last) > mostInputs) last = Math.ceil(last / 2);
  return last;
}

/** A network of the class with a large output at x: kernels of equal weights, and the last layer along its input. */
function largestOutput(net: PatchNetwork, x: Float64Array): number {
  const equal = net.map(({ fields }) => [
    new Float64Array(fields[0]!.length).fill(1 / Math.sqrt(fields[0]!.length)),
  ]);
  const below = patchValues(net, equal, x)[net.length - 1]!;
  return Math.sqrt(below.reduce((s, v) => s + v * v, 0));
}

function overlapFigure(): Figure {
  const kernels = [1, 2, 4, 6, 9, 12, 16, 20, 25, 32];
  const of = (layers: number) => (K: number) => {
    const net = stack(K, 1, layers, 400);
    const D = placesOf(net);
    return [K, largestOutput(net, new Float64Array(D).fill(1)) / (2 ** layers * Math.sqrt(D * K))] as const;
  };
  return {
    title: "Constant inputs, kernels of equal weights, stride 1",
    panels: [
      {
        title: "Output over the conjectured bound",
        x: { label: "kernel K, overlap K - 1" },
        y: { label: "output / (2^(L-1) |x| √K)", scale: "log" },
        series: [
          ...[1, 2, 3].map((layers) => ({
            name: `${layers} overlapping layer${layers > 1 ? "s" : ""}`,
            mark: "line" as const,
            points: kernels.map(of(layers)),
          })),
          { name: "the conjecture", mark: "line", role: "theory", points: kernels.map((K) => [K, 1]) },
        ],
      },
    ],
  };
}
