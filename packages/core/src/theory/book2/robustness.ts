import { run } from "../../engine/run.ts";
import type { Figure } from "../../figure/figure.ts";
import { logGridCells, robustnessGap, seenRobustness } from "../../generalization/stability/robustness.ts";
import { knowsOneSample, seenStability } from "../../generalization/stability/uniform-stability.ts";
import type { Graph } from "../../graph/graph.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import { layer, network } from "../../networks/layers/layers.ts";
import { toNumber } from "../../numbers/exact/rational.ts";
import type { Random } from "../../numbers/random.ts";
import { linearPieces } from "../../passes/pieces.ts";
import { initialNetwork } from "../../train/network.ts";
import { train } from "../../train/train.ts";
import { atLeast, atMost, checked, equals } from "../claim.ts";
import { type LemmaTable, lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";

const delta = 0.05;
/** Points of the population on [0, 1], each with one of two labels. */
const count = 512;

export default lemma({
  id: "C2-04",
  covers: ["C2-04", "C2-25"],
  kind: "bound",
  title: "Robust algorithms, and one that is neither robust nor stable and has no gap",
  source: "Book, chapter 2, section 2.2, Proposition 2.3 and appendix A5; Xu and Mannor 2012",
  statement: String.raw`|\mathcal R - \mathcal R_S| \le \zeta(S) + M \sqrt{\frac{2 |\Omega| \ln 2 + 2 \ln(1/\delta)}{m}}, \qquad \mathcal A(S) = \begin{cases} f^* & S = S' \\ f' & \text{else} \end{cases} \text{ has the gap of } f^* \text{ on } S'`,
  parameters: {
    level: integer({ min: 0, max: 5, default: 3, label: "cells of side 2^-level" }),
    m: integer({ min: 5, max: 400, default: 100, label: "examples m" }),
    size: real({ min: 1, max: 1000, default: 100, label: "how bad the other model is" }),
  },
  claims: {
    "bound for 100 cells, ζ = 0, M = 1, m = 1000, δ = 0.05": equals("0.3803"),
    // The function does not depend on the sample: Hoeffding allows sqrt(ln(2/δ) / (2 m)), and there are two cells at least.
    "|gap|, losses in [0, 1]": atMost(String.raw`\zeta + \sqrt{(2 |\Omega| \ln 2 + 2 \ln(1/\delta)) / m}`)
      .probable()
      .looseBy(Math.sqrt((4 * Math.LN2 + 2 * Math.log(1 / delta)) / (Math.log(2 / delta) / 2))),
    // What the proof shows before it bounds the frequencies: for any algorithm and any sample.
    "|gap|, our trainer or a memory, whichever is nearer": atMost(
      String.raw`\zeta + \textstyle\sum_i |N_i / m - \mu_i|, \; N_i \text{ examples in cell } i \text{ of mass } \mu_i`,
    ),
    ζ: atMost(String.raw`\operatorname{Lip}(f) \cdot 2^{-\text{level}}`),
    "ζ, every example against every point of its cell": equals(String.raw`\zeta`),
    "ζ with cells halved": atMost(String.raw`\zeta`),
    "digits of the number of cells, d = 784, side 1/2, 10 classes": equals("238"),
    "seen β of an algorithm that knows one sample": equals("how bad the other model is"),
    "ζ of that algorithm on other samples": atLeast("how bad the other model is, less the spread of losses"),
    "gap of that algorithm on the sample it knows": equals(
      String.raw`\mathcal R[f^*] - \mathcal R_{S'}[f^*]`,
    ),
  },
  mutants: {
    "the logarithm of the cells": {
      "bound for 100 cells, ζ = 0, M = 1, m = 1000, δ = 0.05": () =>
        Math.round(1e4 * Math.sqrt((2 * Math.log(100) * Math.LN2 + 2 * Math.log(20)) / 1000)) / 1e4,
    },
    "half a cell": {
      ζ: (_, { theory }) => theory / 2,
      "|gap|, our trainer or a memory, whichever is nearer": (_, { theory }) => theory / 2,
    },
    "the gap of the other model": ({ size }) => ({ size: size / 2 }),
  },
  async run({ level, m, size }, { random, budget }) {
    const f = drawnNetwork(random);
    const x = Array.from({ length: count }, (_, j) => j / count);
    const labels = x.map(() => random.integer(0, 1));
    const values = await valuesAt(f, x);
    const off = values.map((v, j) => Math.abs(v - labels[j]!));
    const losses = off.map((v) => Math.min(1, v));
    const sample = Array.from({ length: m }, () => random.integer(0, count - 1));
    const mean = (of: readonly number[]): number => of.reduce((s, v) => s + v, 0) / of.length;
    const gap = (of: readonly number[]): number => mean(of) - mean(sample.map((j) => of[j]!));
    const cellsOf = (k: number): number[] => x.map((v, j) => 2 * Math.floor(v * 2 ** k) + labels[j]!);
    const zeta = seenRobustness(losses, cellsOf(level), sample);
    const logCells = logGridCells({ d: 1, side: 2 ** -level, classes: 2 });
    const { knots, values: heights } = linearPieces(f, 0, 1);
    const slopes = knots
      .slice(1)
      .map((k, i) =>
        Math.abs((toNumber(heights[i + 1]!) - toNumber(heights[i]!)) / (toNumber(k) - toNumber(knots[i]!))),
      );
    // f' errs by so much more at every other point: no cell is small enough for it.
    const bad = off.map((v, j) => (j % 2 === 0 ? v + size : v));
    const learn = knowsOneSample(sample, off, bad);
    const others = sample.map((_, i) => learn(sample.filter((__, k) => k !== i)));
    const elsewhere = [...sample.slice(1), 0];
    const wild = seenRobustness(
      learn(elsewhere),
      x.map(() => 0),
      elsewhere,
    );
    const plain = Math.max(...off) - Math.min(...off);
    const learned = await trainedLosses(x, labels, sample, random);
    const own = robustness(learned, cellsOf(level), sample);
    const memory = remembered(level);
    const nearer = own.gap / own.bound > memory.gap / memory.bound ? own : memory;
    return {
      graph: f,
      ...(budget === "cheap"
        ? {}
        : { figure: cellFigure(losses, cellsOf, sample), table: trainedTable(learned, cellsOf, sample) }),
      claims: {
        "bound for 100 cells, ζ = 0, M = 1, m = 1000, δ = 0.05": checked(
          Math.round(1e4 * robustnessGap({ zeta: 0, logCells: Math.log(100), m: 1000, M: 1, delta })) / 1e4,
          0.3803,
        ),
        "|gap|, losses in [0, 1]": checked(
          Math.abs(gap(losses)),
          robustnessGap({ zeta, logCells, m, M: 1, delta }),
          { delta },
        ),
        "|gap|, our trainer or a memory, whichever is nearer": checked(nearer.gap, nearer.bound, {
          tolerance: 1e-12, // means of 512 numbers of at most 1
        }),
        ζ: checked(zeta, Math.max(...slopes) * 2 ** -level, { tolerance: 1e-12 }),
        "ζ, every example against every point of its cell": checked(
          allPairs(losses, cellsOf(level), sample),
          zeta,
        ),
        "ζ with cells halved": checked(seenRobustness(losses, cellsOf(level + 1), sample), zeta),
        "digits of the number of cells, d = 784, side 1/2, 10 classes": checked(
          Math.floor(logGridCells({ d: 784, side: 0.5, classes: 10 }) / Math.LN10) + 1,
          String(10n * 2n ** 784n).length,
        ),
        "seen β of an algorithm that knows one sample": checked(seenStability(learn(sample), others), size, {
          tolerance: 1e-12 * size, // the difference of two sums
        }),
        "ζ of that algorithm on other samples": checked(wild, size - plain),
        "gap of that algorithm on the sample it knows": checked(gap(learn(sample)), gap(off)),
      },
    };
  },
});

interface Robustness {
  readonly zeta: number;
  /** sum_i |N_i / m - mu_i|: how far the shares of the sample are from the masses of the cells. */
  readonly shares: number;
  readonly gap: number;
  readonly bound: number;
}

/** A loss at every point of the population, all of them equally likely; a cell of each point; the points of the sample. */
function robustness(
  losses: readonly number[],
  cells: readonly number[],
  sample: readonly number[],
): Robustness {
  const off = new Map<number, number>();
  const add = (cell: number, share: number) => off.set(cell, (off.get(cell) ?? 0) + share);
  for (const cell of cells) add(cell, -1 / cells.length);
  for (const j of sample) add(cells[j]!, 1 / sample.length);
  const shares = [...off.values()].reduce((sum, v) => sum + Math.abs(v), 0);
  const zeta = seenRobustness(losses, cells, sample);
  const mean = (of: readonly number[]): number => of.reduce((sum, v) => sum + v, 0) / of.length;
  const gap = Math.abs(mean(losses) - mean(sample.map((j) => losses[j]!)));
  return { zeta, shares, gap, bound: zeta + shares };
}

/** Where the bound is attained but for a share of 2^(level + 1) / 512: one example in each cell, learned by heart, nothing else. */
function remembered(level: number): Robustness {
  const cells = Array.from({ length: count }, (_, j) => 2 * Math.floor((j / count) * 2 ** level) + (j % 2));
  const sample = [...new Set(cells)].map((cell) => cells.indexOf(cell));
  return robustness(
    cells.map((_, j) => (sample.includes(j) ? 0 : 1)),
    cells,
    sample,
  );
}

/** |f(x) - y| of a network that our trainer has fitted to the sample, at most 1. */
async function trainedLosses(
  x: readonly number[],
  labels: readonly number[],
  sample: readonly number[],
  random: Random,
): Promise<readonly number[]> {
  const column = (values: readonly number[]) => tensor([...values], { dims: [values.length, 1] });
  const start = initialNetwork("1-16-relu-1", { seed: random.integer(0, 1e6), type: "float64" });
  const data = { x: column(sample.map((j) => x[j]!)), target: column(sample.map((j) => labels[j]!)) };
  const options = {
    loss: "square",
    optimizer: "adam",
    rate: 0.05,
    batch: "full",
    steps: 60,
    threads: 1,
  } as const;
  const { model } = await train(start, data, options);
  return (await valuesAt(model, x)).map((v, j) => Math.min(1, Math.abs(v - labels[j]!)));
}

const three = (v: number): number => Number(v.toPrecision(3));

/** What our trainer's network has, by the size of the cells. */
const trainedTable = (
  losses: readonly number[],
  cellsOf: (level: number) => readonly number[],
  sample: readonly number[],
): LemmaTable => ({
  title: `1-16-1, 60 steps of our trainer on ${sample.length} examples with labels of coins: |gap| ${three(robustness(losses, cellsOf(0), sample).gap)}`,
  columns: ["side of cells", "ζ", "Σ |N/m - μ|", "their sum", "bound with probability 0.95"],
  rows: [0, 1, 2, 3, 4, 5, 6, 7].map((k) => {
    const { zeta, shares, bound } = robustness(losses, cellsOf(k), sample);
    const logCells = logGridCells({ d: 1, side: 2 ** -k, classes: 2 });
    const printed = robustnessGap({ zeta, logCells, m: sample.length, M: 1, delta });
    return [`1/${2 ** k}`, ...[zeta, shares, bound, printed].map(three)];
  }),
});

function allPairs(losses: readonly number[], cells: readonly number[], sample: readonly number[]): number {
  let most = 0;
  for (const i of sample)
    for (const [j, loss] of losses.entries())
      if (cells[i] === cells[j]) most = Math.max(most, Math.abs(losses[i]! - loss));
  return most;
}

function drawnNetwork(random: Random): Graph {
  const units = Array.from({ length: 6 }, () => [random.normal()]);
  const [knots, outer] = [random.uniform(6), random.normal(6)];
  return network([
    layer(
      units,
      units.map(([w], k) => -w! * knots[k]!),
    ),
    layer([[...outer].map((v) => v / 2)], [0.5]),
  ]);
}

async function valuesAt(f: Graph, x: readonly number[]): Promise<readonly number[]> {
  const found = await run(
    f,
    { [f.inputs[0]!.name]: tensor([...x], { dims: [x.length, 1] }) },
    { threads: 1 },
  );
  return Array.from(numbers(found[f.outputs[0]!.name]!));
}

/** Finer cells: zeta falls, what the number of cells adds grows. */
function cellFigure(
  losses: readonly number[],
  cellsOf: (level: number) => readonly number[],
  sample: readonly number[],
): Figure {
  const levels = [0, 1, 2, 3, 4, 5, 6, 7];
  const zetas = levels.map((k) => seenRobustness(losses, cellsOf(k), sample));
  const bound = (m: number) =>
    levels.map((k, i) => {
      const logCells = logGridCells({ d: 1, side: 2 ** -k, classes: 2 });
      return [k, robustnessGap({ zeta: zetas[i]!, logCells, m, M: 1, delta })] as const;
    });
  return {
    title: "The price of small cells, in one dimension",
    panels: [
      {
        title: "Bound of the gap by the size of the cells",
        x: { label: "level: cells of side 2^-level" },
        y: { label: "bound" },
        series: [
          { name: "ζ(S)", mark: "line", points: levels.map((k, i) => [k, zetas[i]!]) },
          { name: `bound, m = ${sample.length}`, mark: "line", role: "theory", points: bound(sample.length) },
          { name: "bound, m = 10,000", mark: "line", role: "theory", points: bound(10_000) },
        ],
      },
    ],
  };
}
