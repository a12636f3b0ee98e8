import { run } from "../../engine/run.ts";
import type { Figure, Panel } from "../../figure/figure.ts";
import type { Graph } from "../../graph/graph.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import { absolute, maximum, minimum } from "../../networks/gates/gates.ts";
import { median, sorting, sortingStages } from "../../networks/gates/sorting.ts";
import { complexity } from "../../networks/layers/layers.ts";
import { atMost, checked, equals, proved, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer } from "../parameter.ts";

// The catalogue has 3(n - 1) units for the tree of minima; that holds for n = 2^t. With three wires the first layer
// must carry the odd one (two units), as every stage with an odd number of wires does.
const carries = (n: number): number => (n <= 1 ? 0 : (n % 2) + carries(Math.ceil(n / 2)));
const levels = (n: number): number => Math.ceil(Math.log2(n));

export default lemma({
  id: "P-05",
  covers: ["P-05"],
  kind: "construction",
  title: "Min, max, median and sorting gates",
  source: "Poggio, section 6.8.1, the construction before Lemma 2",
  statement: String.raw`\min(x_1, x_2) = (x_1)_+ - (-x_1)_+ - (x_1 - x_2)_+ = \tfrac{x_1 + x_2}{2} - \tfrac{|x_1 - x_2|}{2}`,
  parameters: {
    n: integer({ min: 2, max: 8, default: 8, label: "wires" }),
    x1: integer({ min: -4, max: 4, default: -1, label: "first number" }),
    x2: integer({ min: -4, max: 4, default: 2, label: "second number" }),
  },
  claims: {
    "min of two, error on all of the plane": equals("0"),
    "max of two, error on all of the plane": equals("0"),
    "abs, error on all of the line": equals("0"),
    "min of two, units": equals("3"),
    "min of two nonnegative numbers, units": equals("2"),
    "abs, units": equals("2"),
    "closed form with a minus": equals(String.raw`\min(x_1, x_2)`),
    "closed form with a plus": equals(String.raw`\min(x_1, x_2)`).printed({
      where: "section 6.8.1, the definition of phi",
      printed: String.raw`\min(x_1, x_2) = \frac{x_1 + x_2}{2} + \frac{|x_1 - x_2|}{2}`,
      corrected: String.raw`\min(x_1, x_2) = \frac{x_1 + x_2}{2} - \frac{|x_1 - x_2|}{2}`,
    }),
    "min of n, units": equals(String.raw`3(n - 1) + 2 \cdot \#\{\text{stages with an odd wire}\}`),
    "min of n, hidden layers": equals(String.raw`\lceil \log_2 n \rceil`),
    "min of n, error on integers": equals("0"),
    "median of n, error on integers": equals("0"),
    "median of three, units": equals("14"),
    "0-1 inputs that come out unsorted": equals("0"),
    "sorting, error on integers": equals("0"),
    "sorting, units": equals(String.raw`n t (t + 1), \; t = \lceil \log_2 n \rceil`),
    "sorting, hidden layers": equals("t(t + 1)/2"),
    "sorting, comparators": equals(String.raw`(t^2 - t + 4) 2^{t-2} - 1 \; (n = 2^t)`),
    "error on ONNX Runtime": atMost(String.raw`60 \cdot 2^{-53} \max_i |x_i| \text{ a layer}`).looseBy(25),
  },
  mutants: {
    "three units a pair, none for an odd wire": { "min of n, units": ({ n }) => 3 * (n - 1) },
    "layers for the wires, rounded down": { "min of n, hidden layers": ({ n }) => Math.floor(Math.log2(n)) },
    "t stages for t (t + 1) / 2": { "sorting, hidden layers": ({ n }) => levels(n) },
  },
  async run({ n, x1, x2 }, { random, scale, progress, budget }) {
    const [least, middleOf, sorter] = [minima(n), medians(n), sorters(n)];
    const t = levels(n);
    const integers = rows(scale(300), n, () => random.integer(-1000, 1000));
    const ordered = integers.map((row) => [...row].sort((a, b) => a - b));
    const reals = rows(scale(300), n, () => random.normal());
    const greatest = Math.max(...reals.flat().map(Math.abs));
    await progress(0.3);
    return {
      graph: sorter,
      ...(budget === "cheap"
        ? {}
        : {
            figure: figure(
              n,
              rows(1, n, () => random.uniform())[0]!.map((v) => Math.round(100 * v)),
            ),
          }),
      claims: {
        "min of two, error on all of the plane": proved(
          await errorOnRays(minima(2), (x) => Math.min(...x)),
          0,
        ),
        "max of two, error on all of the plane": proved(await errorOnRays(larger, (x) => Math.max(...x)), 0),
        "abs, error on all of the line": proved(
          await worst(size, [[-1], [0], [1]], ([x]) => [Math.abs(x!)]),
          0,
        ),
        "min of two, units": checked(units(minimum(2)), 3),
        "min of two nonnegative numbers, units": checked(units(minimum(2, { nonnegative: true })), 2),
        "abs, units": checked(units(absolute()), 2),
        "closed form with a minus": proved((x1 + x2) / 2 - Math.abs(x1 - x2) / 2, Math.min(x1, x2)),
        "closed form with a plus": proved((x1 + x2) / 2 + Math.abs(x1 - x2) / 2, Math.min(x1, x2)),
        "min of n, units": checked(units(least), 3 * (n - 1) + 2 * carries(n)),
        "min of n, hidden layers": checked(hiddenLayers(least), t),
        "min of n, error on integers": sampled(await worst(least, integers, (x) => [Math.min(...x)]), 0),
        "median of n, error on integers": sampled(await worst(middleOf, integers, middle), 0),
        ...(n === 3 ? { "median of three, units": checked(units(median(3)), 14) } : {}),
        "0-1 inputs that come out unsorted": proved(await unsortedBits(sorter, n), 0),
        "sorting, error on integers": sampled(await worst(sorter, integers, (_, k) => ordered[k]!), 0),
        "sorting, units": checked(units(sorter), n * t * (t + 1)),
        "sorting, hidden layers": checked(hiddenLayers(sorter), (t * (t + 1)) / 2),
        ...(n === 2 ** t
          ? {
              "sorting, comparators": checked(
                sortingStages(n).flat().length,
                (t * t - t + 4) * 2 ** (t - 2) - 1,
              ),
            }
          : {}),
        // A layer adds at most six numbers of at most 2 max|x| and 6 max|x| in all, for two of its units at once.
        "error on ONNX Runtime": sampled(
          await worst(sorter, reals, (x) => [...x].sort((a, b) => a - b)),
          60 * 2 ** -53 * greatest * (hiddenLayers(sorter) + 1),
        ),
      },
    };
  },
});

/** The same network every time, so that the runtime compiles it once. */
function kept(make: (n: number) => Graph): (n: number) => Graph {
  const made = new Map<number, Graph>();
  return (n) => {
    const network = made.get(n) ?? make(n);
    made.set(n, network);
    return network;
  };
}
const [minima, medians, sorters] = [kept(minimum), kept(median), kept(sorting)];
const [larger, size] = [maximum(2), absolute()];

const units = (network: Graph): number =>
  complexity(network)
    .architecture.slice(1, -1)
    .reduce((a, b) => a + b, 0);
const hiddenLayers = (network: Graph): number => complexity(network).layers - 1;

const rows = (count: number, n: number, draw: () => number): number[][] =>
  Array.from({ length: count }, () => Array.from({ length: n }, draw));

function middle(row: readonly number[]): readonly number[] {
  const sorted = [...row].sort((a, b) => a - b);
  return [(sorted[Math.floor((row.length - 1) / 2)]! + sorted[Math.ceil((row.length - 1) / 2)]!) / 2];
}

/** The greatest difference between a network's outputs and those expected of it. */
async function worst(
  network: Graph,
  inputs: readonly (readonly number[])[],
  expected: (row: readonly number[], k: number) => readonly number[],
): Promise<number> {
  const y = numbers((await run(network, { x: tensor(inputs) })).y!);
  return inputs.flatMap(expected).reduce((most, value, k) => Math.max(most, Math.abs(y[k]! - value)), 0);
}

/**
 * Gate and function are linear on the four cones between the lines x1 = 0 and x1 = x2: what they do on the rays that
 * span the cones, in small integers, they do everywhere.
 */
const errorOnRays = (gate: Graph, f: (x: readonly number[]) => number): Promise<number> =>
  worst(
    gate,
    [
      [0, 1],
      [0, -1],
      [1, 1],
      [-1, -1],
      [1, 0], // of max, whose lines are x2 = 0 and x1 = x2
      [-1, 0],
    ],
    (x) => [f(x)],
  );

/** The 0-1 principle: comparators that sort all 2^n inputs of zeros and ones sort all numbers. */
async function unsortedBits(sorter: Graph, n: number): Promise<number> {
  const inputs = Array.from({ length: 2 ** n }, (_, bits) =>
    Array.from({ length: n }, (_, j) => (bits >> j) & 1),
  );
  const y = numbers((await run(sorter, { x: tensor(inputs) })).y!);
  return inputs.filter((row, k) => {
    const ones = row.filter((bit) => bit === 1).length;
    return row.some((_, j) => y[k * n + j] !== (j < n - ones ? 0 : 1));
  }).length;
}

/** Which wire each number is on, from stage to stage. */
function journeys(values: readonly number[]): readonly (readonly (readonly [number, number])[])[] {
  const onWire = values.map((_, w) => w);
  const paths = values.map((_, w): (readonly [number, number])[] => [[0, w]]);
  sortingStages(values.length).forEach((stage, k) => {
    for (const { low, high } of stage)
      if (values[onWire[low]!]! > values[onWire[high]!]!)
        [onWire[low], onWire[high]] = [onWire[high]!, onWire[low]!];
    onWire.forEach((number, wire) => {
      paths[number]!.push([k + 1, wire]);
    });
  });
  return paths;
}

function figure(n: number, values: readonly number[]): Figure {
  const sorter: Panel = {
    title: `${n} numbers find their places`,
    x: { label: "hidden layer" },
    y: { label: "wire" },
    series: journeys(values).map((points, k) => ({ name: String(values[k]), mark: "line", points })),
  };
  const wires = Array.from({ length: 15 }, (_, k) => k + 2);
  const cost = (network: (n: number) => Graph) => wires.map((w) => [w, units(network(w))] as const);
  const costs: Panel = {
    title: "ReLUs against wires",
    x: { label: "wires" },
    y: { label: "hidden units", scale: "log" },
    series: [
      { name: "sorting", mark: "dots", points: cost(sorting) },
      { name: "median", mark: "dots", points: cost(median) },
      { name: "min", mark: "dots", points: cost(minimum) },
      {
        name: "theory: n t (t + 1), t = ⌈log₂ n⌉",
        mark: "line",
        role: "theory",
        points: wires.map((w) => [w, w * levels(w) * (levels(w) + 1)]),
      },
      {
        name: "theory: 3(n - 1), n = 2ᵗ",
        mark: "line",
        role: "theory",
        points: wires.map((w) => [w, 3 * (w - 1)]),
      },
    ],
  };
  return {
    title: `Sorting ${n} numbers with ${n * levels(n) * (levels(n) + 1)} ReLUs`,
    panels: [sorter, costs],
  };
}
