// One block of the network: the nodes of a group, column by column, between named values.

import type { CertificateBlock } from "../../check/certificate.ts";
import { denseTensor, sparseMatrix } from "../../graph/sparse.ts";
import { type FloatType, tensor } from "../../graph/tensor.ts";
import type { Value } from "../../graph/value.ts";
import type { AffinePlan, Plan, ProductPlan, SplinePlan, SquarePlan } from "../plan.ts";
import type { Columns } from "./columns.ts";
import type { Group } from "./group.ts";

interface Block {
  readonly output: Value;
  readonly block: CertificateBlock;
}

/** A matrix with more entries is stored sparse. */
const densest = 16_384;

/** What all kinds of blocks say. */
const partsOf = ({ ids, plans, sources }: Group, columns: Columns, output: Value) => ({
  nodes: [...ids],
  inputs: [...columns.sources(sources.flat())],
  output: output.name,
  localError: plans.map((p) => p.localError),
  rounding: plans.map((p) => p.rounding),
});

/** The block of a group; `x` is the network's input, `op` the operation of an exact group. */
export function blockOf(group: Group, columns: Columns, x: Value, op: string): Block {
  switch (group.plans[0]!.kind) {
    case "affine":
    case "polynomial":
      return affineBlock(group as Group<AffinePlan>, columns, x);
    case "exact":
      return exactBlock(group, columns, op);
    case "square":
      return squareBlock(group as Group<SquarePlan>, columns);
    case "product":
      return productBlock(group as Group<ProductPlan>, columns);
    default:
      return splineBlock(group as Group<SplinePlan>, columns);
  }
}

function affineBlock(group: Group<AffinePlan>, columns: Columns, x: Value): Block {
  const { plans, sources } = group;
  const used = [...new Set(sources.flat())];
  const {
    tensor: from,
    width,
    columns: places,
  } = used.length > 0 ? columns.joined(used) : { tensor: x, width: Number(x.type.shape![1]), columns: [] };
  const placeOf = new Map(used.map((id, k) => [id, places[k]!]));
  const entries = plans.flatMap(({ weights }, row) =>
    weights.map((w, k) => [row, placeOf.get(sources[row]![k]!)!, w] as const),
  );
  const bias = plans.map((p) => p.bias);
  const matrix = sparseMatrix(plans.length, width, entries);
  const isDense = plans.length * width <= densest;
  const output = from.affine(isDense ? denseTensor(matrix, x.type.type as FloatType) : matrix, bias);
  const parts = partsOf(group, columns, output);
  if (plans[0]!.kind === "affine") return { output, block: { kind: "affine", ...parts } };
  return { output, block: { kind: "polynomial", ...parts, argument: [] } };
}

/**
 * Each column times its own weight. ONNX Runtime drops a product with a single weight that is 1 as a float32, in f64
 * too (NoopElimination compares in float32): such a weight is halved, and the product doubled.
 */
function times(value: Value, weights: readonly number[] | readonly number[][]): Value {
  const [single, ...more] = weights.flat();
  if (more.length > 0 || single === 1 || Math.fround(single!) !== 1) return value.mul(weights as number[]);
  const half = value.mul(weights.flat().length === weights.length ? [single! / 2] : [[single! / 2]]);
  return half.add(half);
}

/** |s| = 2 relu(s) - s, without any rounding. */
function absolute(s: Value): Value {
  const positive = s.relu();
  return positive.add(positive).sub(s);
}

function exactBlock(group: Group, columns: Columns, op: string): Block {
  const left = columns.select(group.sources.map((s) => s[0]!));
  if (op === "abs") {
    const output = absolute(left);
    return { output, block: { kind: "exact", ...partsOf(group, columns, output), left: left.name } };
  }
  const right = columns.select(group.sources.map((s) => s[1]!));
  const above = left.sub(right).relu();
  const output = op === "max" ? right.add(above) : left.sub(above);
  const parts = partsOf(group, columns, output);
  return { output, block: { kind: "exact", ...parts, left: left.name, right: right.name } };
}

/** F(t) = sum_{j=1}^m 2^(1-j) s_j + constant, s_0 = t, s_j = |s_{j-1}| - 2^-j. */
function foldChain(t: Value, levels: number): { readonly square: Value; readonly folds: readonly Value[] } {
  const folds = [t];
  let constant = 4 ** -levels / 2;
  for (let j = levels; j >= 1; j--) constant += 4 ** -j;
  for (let j = 1; j <= levels; j++) folds.push(absolute(folds[j - 1]!).sub(2 ** -j));
  // From the smallest term up, so that rounding does not grow with the number of folds.
  let sum = t.mul(0);
  for (let j = levels; j >= 1; j--) {
    const term = j === 1 ? folds[1]! : folds[j]!.mul(2 ** (1 - j));
    sum = j === levels ? term : sum.add(term);
  }
  return { square: sum.add(constant), folds };
}

const chainNames = ({ square, folds }: ReturnType<typeof foldChain>) => ({
  folds: folds.map((f) => f.name),
  square: square.name,
});

function squareBlock(group: Group<SquarePlan>, columns: Columns): Block {
  const { plans } = group;
  const row = (pick: (p: SquarePlan) => number): number[] => plans.map(pick);
  const argument = columns.select(group.sources.map((s) => s[0]!));
  const scaled = times(
    argument,
    row((p) => p.scale),
  ).add(row((p) => p.shift));
  const chain = foldChain(scaled, plans[0]!.levels);
  const output = times(
    chain.square,
    row((p) => p.gain),
  )
    .add(
      times(
        argument,
        row((p) => p.linear),
      ),
    )
    .add(row((p) => p.constant));
  const parts = partsOf(group, columns, output);
  return {
    output,
    block: {
      kind: "square",
      ...parts,
      argument: argument.name,
      scaled: scaled.name,
      chain: chainNames(chain),
    },
  };
}

function productBlock(group: Group<ProductPlan>, columns: Columns): Block {
  const { plans } = group;
  const row = (pick: (p: ProductPlan) => number): number[] => plans.map(pick);
  const [left, right] = [0, 1].map((k) => columns.select(group.sources.map((s) => s[k]!))) as [Value, Value];
  const [a, b] = [
    times(
      left,
      row((p) => p.scales[0]),
    ),
    times(
      right,
      row((p) => p.scales[1]),
    ),
  ];
  const scaled = a
    .add(b)
    .add(row((p) => p.shifts[0]))
    .concat([a.sub(b).add(row((p) => p.shifts[1]))], 1);
  const chain = foldChain(scaled, plans[0]!.levels);
  const count = plans.length;
  const difference = chain.square.slice(1, 0, count).sub(chain.square.slice(1, count, 2 * count));
  const output = times(
    difference,
    row((p) => p.gain),
  )
    .add(
      times(
        left,
        row((p) => p.linear[0]),
      ),
    )
    .add(
      times(
        right,
        row((p) => p.linear[1]),
      ),
    )
    .add(row((p) => p.constant));
  const parts = partsOf(group, columns, output);
  const names = { left: left.name, right: right.name, scaled: scaled.name };
  return { output, block: { kind: "product", ...parts, ...names, chain: chainNames(chain) } };
}

/** z - x_j for the units that look right, x_j - z for those that look left, as [N, k, n]. */
function distances(z: Value, plans: readonly SplinePlan[]): Value {
  const deep = z.op("Unsqueeze", [tensor([2], { type: "int64", dims: [1] })]);
  const signs = plans.map(({ spline }) => spline.knots.map((_, j) => (j < spline.pivot ? -1 : 1)));
  const isPlain = signs.every((row) => row.every((s) => s === 1));
  const knots = plans.map(({ spline }, k) => spline.knots.map((x, j) => signs[k]![j]! * x));
  return (isPlain ? deep : deep.mul(signs)).sub(knots);
}

function splineBlock(group: Group<SplinePlan>, columns: Columns): Block {
  const { plans } = group;
  const { shifts, spline } = plans[0]!;
  const argument = columns.select(group.sources.map((s) => s[0]!));
  const folds: Value[] = [];
  shifts.forEach((_, k) => {
    folds.push(absolute((folds.at(-1) ?? argument).sub(plans.map((p) => p.shifts[k]!))));
  });
  const z = folds.at(-1) ?? argument;
  const linear = times(
    z,
    plans.map((p) => p.spline.slope),
  ).add(plans.map((p) => p.spline.offset));
  const bends =
    spline.knots.length === 0
      ? undefined
      : times(
          distances(z, plans).relu(),
          plans.map((p) => [...p.spline.changes]),
        ).sum([2]);
  const output = bends ? linear.add(bends) : linear;
  return {
    output,
    block: {
      kind: "spline",
      ...partsOf(group, columns, output),
      argument: argument.name,
      folds: folds.map((f) => f.name),
      pieces: spline.knots.length + 1,
    },
  };
}

export type { Plan };
