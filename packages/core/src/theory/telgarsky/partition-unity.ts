import { partitionOfUnity } from "../../approximate/sobolev/partition.ts";
import { run } from "../../engine/run.ts";
import type { Figure } from "../../figure/figure.ts";
import type { Graph } from "../../graph/graph.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import { sizes } from "../../passes/sizes.ts";
import { atMost, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer } from "../parameter.ts";
import { bumpValue, printedPartition } from "./partition-printed.ts";
import type { Point } from "./plane.ts";

export default lemma({
  id: "T-36",
  covers: ["T-36"],
  kind: "construction",
  title: "A partition of unity by products of hats, with truly local supports",
  source: "Telgarsky, Lemma 5.5",
  statement: String.raw`\mathrm{part}_{k,s}(x)_v = \mathrm{prod}_{k,d}(h(x_1 - v_1), \dots, h(x_d - v_d)), \qquad \Big|\sum_v \mathrm{part}_{k,s}(x)_v - 1\Big| \le d\,2^d\,4^{-k}`,
  parameters: {
    d: integer({ min: 1, max: 3, default: 2, label: "variables d" }),
    s: integer({ min: 1, max: 6, default: 6, label: "cells a side s" }),
    k: integer({ min: 1, max: 7, default: 3, label: "levels k" }),
  },
  claims: {
    sum: equals(
      String.raw`1, \text{ since } \mathrm{prod}_k(a, b) + \mathrm{prod}_k(1 - a, b) = b \text{ exactly}`,
    ),
    "sum, distance from 1": atMost(String.raw`d\,2^d\,4^{-k}`).loose({
      where: "Lemma 5.5, item 2",
      printed: String.raw`|\sum_{v \in S} \text{part}_{k,s}(x)_v - 1| \leq d2^d 4^{-k}`,
      corrected: String.raw`\textstyle\sum_{v \in S} \text{part}_{k,s}(x)_v = 1 \text{ if } \text{prod}_{k,2} \text{ takes two squares on one scale, } d \leq 3`,
    }),
    "value off the support": equals("0"),
    "elements that are not zero": atMost("2^d"),
    "one element, error": atMost("(d-1) 4^{-k-1}"),
    "neighbouring bumps, h(z) + h(z - 1/s)": equals("1"),
    "neighbouring bumps, h(z) + h(z + 1/s)": equals("1").printed({
      where: "Lemma 5.5, last display of the proof",
      printed: String.raw`$z := x - u \in [0, 1/s]^d$ [...] $h(z_j) + h(z_j + 1/s) = (1 + sz_j) + (1 - s(z_j + 1/s)) = 1$`,
      corrected:
        "$h(z_j) + h(z_j - 1/s) = (1 - sz_j) + (1 + s(z_j - 1/s)) = 1$: the neighbour lies on the other side",
    }),
    elements: equals("(s+1)^d"),
    "hidden layers": equals(String.raw`2 + (k+1) \lceil \log_2 d \rceil`),
    "hidden units": atMost(String.raw`3d(s+1) + (d-1)(5k+4)(s+1)^d + d (s+1)^d (k+1)\lceil \log_2 d \rceil`),
  },
  mutants: {
    "a level more": { "one element, error": (_, { theory }) => theory / 4 },
    "nodes inside only": { elements: ({ d, s }) => s ** d },
    "hats and products in one layer": {
      "hidden layers": ({ d, k }) => 1 + (k + 1) * Math.ceil(Math.log2(d)),
    },
  },
  async run({ d, s, k }, { random, scale, budget }) {
    const made = partitionOfUnity(d, s, k);
    const points: Point[] = Array.from({ length: scale(300) }, (_, i) =>
      Array.from({ length: d }, () =>
        i % 3 === 0
          ? random.integer(0, s) / s
          : i % 3 === 1
            ? random.uniform()
            : random.integer(0, 4 * s) / (4 * s),
      ),
    );
    const seen = await measure(made.network, s, points);
    const { hiddenUnits, depth } = sizes(made.network);
    const [elements, stages] = [(s + 1) ** d, Math.ceil(Math.log2(d))];
    const rounding = made.rounding * elements;
    const z = random.integer(1, 7) / (8 * s);
    return {
      graph: made.network,
      figure: budget === "cheap" ? undefined : await figure(k),
      claims: {
        sum: sampled(seen.sum, 1, { tolerance: rounding }),
        "sum, distance from 1": sampled(Math.abs(seen.sum - 1), d * 2 ** d * 4 ** -k, {
          tolerance: rounding,
        }),
        // A gate with a zero factor takes a number from itself, in an order that the runtime chooses.
        "value off the support": sampled(seen.offSupport, 0, { tolerance: made.rounding }),
        "elements that are not zero": sampled(seen.active, 2 ** d),
        "one element, error": sampled(seen.error, (d - 1) * 4 ** -(k + 1), {
          tolerance: made.rounding + 2 ** -48,
        }),
        // s z rounds where s is not a power of two.
        "neighbouring bumps, h(z) + h(z - 1/s)": checked(bumpValue(s, z) + bumpValue(s, z - 1 / s), 1, {
          tolerance: 2 ** -48,
        }),
        "neighbouring bumps, h(z) + h(z + 1/s)": checked(bumpValue(s, z) + bumpValue(s, z + 1 / s), 1, {
          tolerance: 2 ** -48,
        }),
        elements: checked(seen.elements, elements),
        "hidden layers": checked(depth, 2 + (k + 1) * stages),
        "hidden units": checked(
          hiddenUnits!,
          3 * d * (s + 1) + (d - 1) * (5 * k + 4) * elements + d * elements * (k + 1) * stages,
        ),
      },
    };
  },
});

interface Measured {
  /** The sum that is farthest from 1. */
  readonly sum: number;
  readonly offSupport: number;
  readonly active: number;
  readonly error: number;
  readonly elements: number;
}

/** Sums, values off the supports, and errors against the products of hats, on ONNX Runtime. */
async function measure(network: Graph, s: number, points: readonly Point[]): Promise<Measured> {
  const d = points[0]!.length;
  const x = tensor(Float64Array.from(points.flat()), { dims: [points.length, d] });
  const values = numbers((await run(network, { x })).y!);
  const elements = values.length / points.length;
  let [farthest, offSupport, active, error] = [1, 0, 0, 0];
  points.forEach((p, i) => {
    let [sum, count] = [0, 0];
    for (let v = 0; v < elements; v++) {
      const value = values[i * elements + v]!;
      const exact = p.reduce(
        (product, c, k) => product * bumpValue(s, c - (Math.floor(v / (s + 1) ** (d - 1 - k)) % (s + 1)) / s),
        1,
      );
      sum += value;
      if (exact === 0) offSupport = Math.max(offSupport, Math.abs(value));
      else if (value > 2 ** -40) count++;
      error = Math.max(error, Math.abs(value - exact));
    }
    if (Math.abs(sum - 1) > Math.abs(farthest - 1)) farthest = sum;
    active = Math.max(active, count);
  });
  return { sum: farthest, offSupport, active, error, elements };
}

/** Outputs of the network along a line, by point. */
async function along(s: number, k: number, xs: readonly number[], y: number): Promise<number[][]> {
  const { network } = partitionOfUnity(2, s, k);
  const x = tensor(Float64Array.from(xs.flatMap((t) => [t, y])), { dims: [xs.length, 2] });
  const values = Array.from(numbers((await run(network, { x })).y!), Number);
  const elements = (s + 1) ** 2;
  return xs.map((_, i) => values.slice(i * elements, (i + 1) * elements));
}

async function figure(k: number): Promise<Figure> {
  const [few, many, y] = [4, 16, 0.4];
  const xs = Array.from({ length: 321 }, (_, i) => i / 320);
  const row = Math.round(y * few);
  const [coarse, fine] = [await along(few, k, xs, y), await along(many, k, xs, y)];
  return {
    title: `Products of hats, k = ${k}, along y = ${y}`,
    panels: [
      {
        title: `Elements of one row of nodes, s = ${few}`,
        x: { label: "x" },
        y: { label: "value" },
        series: Array.from({ length: few + 1 }, (_, i) => ({
          name: `node (${i}/${few}, ${row}/${few})`,
          mark: "line" as const,
          points: xs.map((t, j) => [t, coarse[j]![i * (few + 1) + row]!] as const),
        })),
      },
      {
        title: `Sum of all elements, s = ${many}`,
        x: { label: "x" },
        y: { label: "sum" },
        series: [
          {
            name: "product that is zero on the axes",
            mark: "line",
            points: xs.map((t, j) => [t, fine[j]!.reduce((a, b) => a + b, 0)] as const),
          },
          {
            name: "product as printed",
            mark: "line",
            points: xs.map((t) => [t, printedPartition(k, many, [t, y]).sum] as const),
          },
          ...[1, -1].map((sign) => ({
            name: `1 ${sign > 0 ? "+" : "-"} d 2^d 4^-k, printed bound`,
            mark: "line" as const,
            role: "theory" as const,
            points: [0, 1].map((t) => [t, 1 + sign * 8 * 4 ** -k] as const),
          })),
        ],
      },
    ],
  };
}
