// Queries that plain evaluation shows to hold somewhere: `unsat` would be a false proof. LEMMATA_HUNT sets their number.
import { expect, it } from "vitest";
import { parseVnnlib, verifyQuery } from "../../../src/bounds/index.ts";
import { float32, graph } from "../../../src/graph/builder.ts";
import type { Graph } from "../../../src/graph/graph.ts";
import { tensor } from "../../../src/graph/tensor.ts";
import { createRandom, type Random } from "../../../src/numbers/random.ts";

const hunt = Number(process.env["LEMMATA_HUNT"] ?? 0);
const seed = process.env["LEMMATA_SEED"] ?? (hunt > 0 ? String(Date.now()) : "unsat");
const queries = hunt > 0 ? hunt : 80;
const [inputs, units, outputs] = [2, 6, 2];
const activations = ["Relu", "LeakyRelu", "Sigmoid", "Abs", "HardSigmoid"] as const;
type Activation = (typeof activations)[number];

const bent: Readonly<Record<Activation, (v: number) => number>> = {
  Relu: (v) => Math.max(0, v),
  LeakyRelu: (v) => (v >= 0 ? v : Math.fround(0.01) * v),
  Sigmoid: (v) => 1 / (1 + Math.exp(-v)),
  Abs: Math.abs,
  HardSigmoid: (v) => Math.min(1, Math.max(0, Math.fround(0.2) * v + 0.5)),
};

interface Network {
  readonly graph: Graph;
  at(x: readonly number[]): readonly number[];
}

function drawn(random: Random): Network {
  const activation = activations[random.integer(0, activations.length - 1)]!;
  const matrix = (rows: number, width: number): number[][] =>
    Array.from({ length: rows }, () => Array.from({ length: width }, () => Math.fround(random.normal())));
  const [V, W] = [matrix(units, inputs), matrix(outputs, units)];
  const [b, c] = [matrix(1, units)[0]!, matrix(1, outputs)[0]!];
  const f32 = { type: "float32" } as const;
  const net = graph({ X: float32(1, inputs) }, ({ X }) => ({
    y: X.affine(tensor(V, f32), tensor(b, f32)).op(activation).affine(tensor(W, f32), tensor(c, f32)),
  }));
  const product = (M: number[][], x: readonly number[], shift: number[]): number[] =>
    M.map((row, i) => row.reduce((s, w, j) => s + w * x[j]!, shift[i]!));
  return { graph: net, at: (x) => product(W, product(V, x, b).map(bent[activation]), c) };
}

const declarations = [
  ...Array.from({ length: inputs }, (_, k) => `(declare-const X_${k} Real)`),
  ...Array.from({ length: outputs }, (_, k) => `(declare-const Y_${k} Real)`),
].join("\n");

it(`${queries} queries with seed ${seed}: none that holds somewhere is unsat`, {
  timeout: Math.max(120_000, 3000 * queries),
}, async () => {
  const count = { sat: 0, unsat: 0, other: 0 };
  for (let k = 0; k < queries; k++) {
    const random = createRandom(seed).split(k);
    const { graph: net, at } = drawn(random);
    const sides = Array.from({ length: inputs }, () => {
      const [a, width] = [random.normal(), random.uniform()];
      return [a, a + width] as const;
    });
    const points = Array.from({ length: 1500 }, () =>
      sides.map(([a, b]) =>
        Math.fround(Math.min(b, Math.max(a, a + (1.2 * random.uniform() - 0.1) * (b - a)))),
      ),
    ).filter((x) => x.every((v, i) => v >= sides[i]![0] && v <= sides[i]![1]));
    const values = points.map(at);
    const side = ([a, b]: readonly [number, number], i: number): string =>
      `(assert (>= X_${i} ${a.toFixed(20)})) (assert (<= X_${i} ${b.toFixed(20)}))`;
    // What is asked for is met at the best point, by a hair more than a run in f32 may be off, or missed by as much.
    const isMet = k % 4 !== 3;
    const hair = isMet ? 1e-4 : -1e-2;
    const scores = values.map(([y0, y1]) => (k % 2 === 0 ? y0! : y0! - y1!));
    const best = scores.indexOf(Math.max(...scores));
    const limit = (scores[best]! - hair).toFixed(20);
    const term = k % 2 === 0 ? "Y_0" : "(- Y_0 Y_1)";
    const asked =
      k % 5 === 0 ? `(assert (or (>= ${term} ${limit}) (<= Y_1 -1000)))` : `(assert (>= ${term} ${limit}))`;
    const text = [declarations, ...sides.map(side), asked].join("\n");
    const { verdict } = await verifyQuery(parseVnnlib(text), new Map([["", net]]), { seconds: 2 });
    count[verdict === "sat" || verdict === "unsat" ? verdict : "other"]++;
    if (isMet) expect(verdict, `seed ${seed}, query ${k}:\n${text}`).not.toBe("unsat");
  }
  expect(count.sat).toBeGreaterThan(queries / 3);
  expect(count.unsat).toBeGreaterThan(0);
});
