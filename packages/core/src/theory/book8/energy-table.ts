import type { Figure } from "../../figure/figure.ts";
import type { Random } from "../../numbers/random.ts";
import { splineScaling } from "../../scattering/battle-lemarie.ts";
import { energyLedger } from "../../scattering/energy.ts";
import { polarBank } from "../../scattering/polar.ts";
import { atLeast, atMost, checked } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer } from "../parameter.ts";
import { mean } from "./signals.ts";

/** Table 8.1: percentages of orders 0, 1, ... of Caltech-101 for J = 1 .. 7, and the printed totals. */
const table = [
  { orders: [95.1, 4.86], total: 99.96 },
  { orders: [87.56, 11.97, 0.35], total: 99.89 },
  { orders: [76.29, 21.92, 1.54, 0.02], total: 99.78 },
  { orders: [61.52, 33.87, 4.05, 0.16, 0], total: 99.61 },
  { orders: [44.6, 45.26, 8.9, 0.61, 0.01], total: 99.37 },
  { orders: [26.15, 57.02, 14.4, 1.54, 0.07], total: 99.1 },
  { orders: [0, 73.37, 21.98, 3.56, 0.25], total: 98.91 },
] as const;

export default lemma({
  id: "C8-22",
  covers: ["C8-22"],
  kind: "experiment",
  title: "Table 8.1: energy of each order on paths of decreasing frequency",
  source: "Book, chapter 8, section 8.3.5, Table 8.1",
  statement: String.raw`\sum_{p \in \mathcal P_\downarrow^m} \|S_J[p] x\|^2 / \|x\|^2, \; m = 0, 1, 2: \text{ order 0 falls with } J, \text{ to } \max_{k \ne 0} |\hat\phi(2 \pi |k|)|^2 \text{ at most where } 2^J \text{ is the width}`,
  parameters: {
    J: integer({ min: 1, max: 7, default: 4, label: "row J of the table" }),
    side: integer({ min: 3, max: 4, default: 4, label: "side of the picture, log2" }),
    leaves: integer({ min: 5, max: 60, default: 30, label: "leaves of the picture" }),
  },
  claims: {
    "a picture: order 0 where 2^J is its width": atMost(String.raw`\max_{k \ne 0} |\hat\phi(2 \pi |k|)|^2`),
    "a picture: order 0 at J, against J - 1": atMost(String.raw`\text{that at } J - 1`).looseBy(1.2),
    "a picture: all orders up to 2": atMost("1"),
    "orders 3 and more in row J of the table, percent, greatest": atMost("1").printed({
      where: "sect. 8.3.5, on Table 8.1",
      printed: String.raw`it is already below 1% for  $m \geq 3$`,
      corrected: String.raw`from $J = 6$ on it is not: 1.54 and 3.56 % for $m = 3$ in the table`,
    }),
    "orders up to 3 in row J of the table, percent": atLeast("99").printed({
      where: "sect. 8.3.5, after Table 8.1",
      printed: String.raw`more than 99% of the energy is absorbed by frequency-decreasing paths of length  $m \leq 3$`,
      corrected: String.raw`98.91 % for $J = 7$ in the table`,
    }),
  },
  mutants: {
    "an order 0 that stays": { "a picture: order 0 at J, against J - 1": () => -1e-3 },
    "half of the energy missing": { "a picture: all orders up to 2": () => 0.5 },
    "zero away from the axes, too": { "a picture: order 0 where 2^J is its width": () => 0 },
  },
  run({ J, side, leaves }, { random, budget }) {
    const n = 2 ** side;
    const x = deadLeaves(n, leaves, random);
    const scale = Math.min(J, side);
    const order0 = (s: number, picture = x): number => {
      const ledger = energyLedger(picture, polarBank({ shape: [n, n], scale: s }), { order: 0 });
      return ledger.averaged[0]! / ledger.input;
    };
    const wave = Float64Array.from({ length: n * n }, (_, u) => {
      return Math.cos((2 * Math.PI * (Math.floor(u / n) + (u % n))) / n);
    });
    const ledger = energyLedger(x, polarBank({ shape: [n, n], scale: Math.min(scale, 2) }));
    const { orders, total } = table[J - 1]!;
    const late = orders.slice(3);
    return {
      ...(budget !== "cheap" && { figure: figure(deadLeaves(32, 60, random.split("figure"))) }),
      claims: {
        "a picture: order 0 where 2^J is its width": checked(
          order0(side, random.integer(0, 1) === 0 ? wave : x),
          leastAverage(n),
          { tolerance: 1e-12 },
        ),
        ...(scale > 1 && {
          "a picture: order 0 at J, against J - 1": checked(order0(scale), order0(scale - 1), {
            tolerance: 1e-12,
          }),
        }),
        "a picture: all orders up to 2": checked(
          ledger.averaged.reduce((a, b) => a + b, 0) / ledger.input,
          1,
          { tolerance: 1e-12 },
        ),
        ...(late.length > 0 && {
          "orders 3 and more in row J of the table, percent, greatest": checked(Math.max(...late), 1),
        }),
        "orders up to 3 in row J of the table, percent": checked(total, 99),
      },
    };
  },
});

/** The greatest |phi^|^2 at a frequency of the grid but 0, phi as wide as the picture: 0 on the axes, not between them. */
function leastAverage(n: number): number {
  let most = 0;
  for (let a = 0; a <= n / 2; a++)
    for (let b = 0; b <= n / 2; b++)
      if (a + b > 0) most = Math.max(most, splineScaling(2 * Math.PI * Math.hypot(a, b)));
  return most;
}

/** Disks of constant grey on a torus, the later ones in front; with mean 0. */
function deadLeaves(n: number, leaves: number, random: Random): Float64Array {
  const x = random.normal(n * n).map((v) => 0.1 * v);
  for (let k = 0; k < leaves; k++) {
    const [a, b] = [n * random.uniform(), n * random.uniform()];
    const [radius, grey] = [(n / 4) * random.uniform() ** 2 + 1, random.normal()];
    for (let u = 0; u < n * n; u++) {
      const wrapped = (d: number): number => d - n * Math.round(d / n);
      const [p, q] = [wrapped(Math.floor(u / n) - a), wrapped((u % n) - b)];
      if (p * p + q * q <= radius * radius) x[u] = grey;
    }
  }
  const centre = mean(x);
  return x.map((v) => v - centre);
}

function figure(x: Float64Array): Figure {
  const ledgers = [1, 2, 3, 4].map((scale) =>
    energyLedger(x, polarBank({ shape: [32, 32], scale }), { order: scale < 4 ? 3 : 2 }),
  );
  return {
    title: "Table 8.1, and a picture of overlapping disks of 32 x 32",
    panels: [0, 1, 2].map((m) => ({
      title: `Order ${m}`,
      x: { label: "J" },
      y: { label: "% of the energy" },
      series: [
        {
          ...{ name: "disks", mark: "dots" as const },
          points: ledgers.flatMap(({ averaged, input }, k) =>
            m <= k + 1 ? [[k + 1, (100 * averaged[m]!) / input] as const] : [],
          ),
        },
        {
          ...{ name: "Table 8.1", mark: "line" as const, role: "theory" as const },
          points: table.flatMap(({ orders }, k) => (m in orders ? [[k + 1, orders[m]!] as const] : [])),
        },
      ],
    })),
  };
}
