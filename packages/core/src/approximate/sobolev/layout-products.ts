// The theorem's own layout: phi_m is a product of d bumps, and every node's polynomial is multiplied by it.
import { combine, type Form, form, shifted } from "../../networks/circuit/form.ts";
import { powerOfTwoAbove } from "../../numbers/exact/rounding.ts";
import { type Carried, type GateTask, positiveValue, runStage, signedValue } from "./gate-stage.ts";
import { gridUnits } from "./grid-units.ts";
import type { LayerWriter } from "./layer-writer.ts";
import type { WrittenNetwork } from "./layout-table.ts";
import { coordinateForm, type LocalCoordinate, MonomialTable, stageOf } from "./monomial-tasks.ts";
import { degreeOf } from "./multi-index.ts";
import { nodeTuples, type TaylorData } from "./taylor-data.ts";

/** |P_m| is at most sum_alpha |c_{m,alpha}|, rounded up to a power of two. */
function polynomialBounds({ coefficients, indices, nodes }: TaylorData): number[] {
  return Array.from({ length: nodes }, (_, m) => {
    const own = coefficients.subarray(m * indices.length, (m + 1) * indices.length);
    return powerOfTwoAbove(own.reduce((sum, c) => sum + Math.abs(c), 0)) || 1;
  });
}

/**
 * The gates err by at most this times 4^-(levels+1). At most 2^d nodes have a part at any point, exactly zero elsewhere;
 * each errs by A in its own product and by (d-1) A in that of its bumps. The monomials err by (|alpha| - 1) |c_alpha|,
 * weighed with the bumps' products, which add up to at most 1 + 2^d (d-1) / 16.
 */
export function productsGateError(data: TaylorData): number {
  const { axes, indices, coefficients, nodes } = data;
  const active = 2 ** axes.length;
  const bound = polynomialBounds(data).reduce((a, b) => Math.max(a, b), 0);
  let monomials = 0;
  for (let m = 0; m < nodes; m++) {
    const own = indices.reduce(
      (sum, alpha, k) =>
        sum + Math.abs(coefficients[m * indices.length + k]!) * Math.max(0, degreeOf(alpha) - 1),
      0,
    );
    monomials = Math.max(monomials, own);
  }
  const total = active * bound * axes.length + monomials * (1 + (active * (axes.length - 1)) / 16);
  return total * (1 + 2 ** -40);
}

/** Products of bumps, pair by pair; those that nodes share are made once. */
export class BumpProducts {
  readonly #values = new Map<string, Carried>();
  readonly #bumps: readonly (readonly Carried[])[];

  constructor(bumps: readonly (readonly Form[])[]) {
    this.#bumps = bumps.map((axis) => axis.map((bump) => positiveValue(bump, 1)));
  }

  /** Axes from `from` on, `count` of them. */
  valueOf(tuple: readonly number[], from: number, count: number): Carried {
    if (count === 1) return this.#bumps[from]![tuple[from]!]!;
    const key = `${from} ${tuple.slice(from, from + count).join(" ")}`;
    const known = this.#values.get(key);
    if (known) return known;
    const made = positiveValue(form(), 1);
    this.#values.set(key, made);
    return made;
  }

  /** The gates of a stage: blocks of 2^stage axes from blocks half as long. */
  tasks(tuples: Iterable<readonly number[]>, dimension: number, stage: number): GateTask[] {
    const [half, made] = [2 ** (stage - 1), new Map<Carried, GateTask>()];
    for (const tuple of tuples)
      for (let from = 0; from + half < dimension; from += 2 * half) {
        const count = Math.min(2 * half, dimension - from);
        const target = this.valueOf(tuple, from, count);
        if (made.has(target)) continue;
        const parts = [
          this.valueOf(tuple, from, half).form,
          this.valueOf(tuple, from + half, count - half).form,
        ];
        made.set(target, {
          gate: { kind: "product", of: [form(), form()], bounds: [1, 1], nonnegative: true },
          operands: parts,
          into: [[target, 1]],
        });
      }
    return [...made.values()];
  }

  /** Blocks that are needed after a stage. */
  blocksAfter(tuples: Iterable<readonly number[]>, dimension: number, stage: number): Carried[] {
    const [size, found] = [2 ** stage, new Set<Carried>()];
    for (const tuple of tuples)
      for (let from = 0; from < dimension; from += size)
        found.add(this.valueOf(tuple, from, Math.min(size, dimension - from)));
    return [...found];
  }
}

/** The network as the theorem has it; `levels` for every square and product. */
export function productsNetwork(data: TaylorData, levels: number): WrittenNetwork {
  const dimension = data.axes.length;
  const { writer, axes } = gridUnits(data.axes, data.order > 1);
  const tuples = [...nodeTuples(data.axes)];
  const local = axes.map((axis, k) =>
    axis.positive.map(
      (positive, m): LocalCoordinate => ({
        name: `${k}:${m}`,
        positive: positiveValue(positive, 1),
        negative: positiveValue(axis.negative[m]!, 1),
      }),
    ),
  );
  const bounds = polynomialBounds(data);
  const monomials = new MonomialTable();
  const polynomials = tuples.map((tuple, m) => {
    const linear: (readonly [number, Form])[] = [];
    const value = signedValue(form(), bounds[m]!);
    data.indices.forEach((alpha, k) => {
      const c = data.coefficients[m * data.indices.length + k]!;
      if (k === 0 || c === 0) return;
      const factors = alpha.flatMap((n, j) => new Array<LocalCoordinate>(n).fill(local[j]![tuple[j]!]!));
      if (factors.length === 1) linear.push([c, coordinateForm(factors[0]!)]);
      else monomials.ask(factors).into.push([value, c]);
    });
    value.form = shifted(combine(linear), data.coefficients[m * data.indices.length]!);
    return value;
  });
  const bumps = new BumpProducts(axes.map((a) => a.bumps));
  const before = Math.max(stageOf(dimension), data.order > 2 ? stageOf(data.order - 1) : 0);
  for (let stage = 1; stage <= before; stage++)
    prepare(writer, stage, { tuples, dimension, bumps, monomials, polynomials, levels });
  const total = bounds.reduce((a, b) => Math.max(a, b), 0) * 2 ** dimension;
  const output = signedValue(form(), powerOfTwoAbove(total));
  const tasks = tuples.map(
    (tuple, m): GateTask => ({
      gate: { kind: "product", of: [form(), form()], bounds: [bounds[m]!, 1] },
      operands: [polynomials[m]!.form, bumps.valueOf(tuple, 0, dimension).form],
      into: [[output, 1]],
    }),
  );
  runStage(writer, tasks, new Set([output]), levels);
  return {
    network: writer.network([output.form], "yarotsky"),
    units: writer.units,
    rounding: writer.rounding(output.form),
  };
}

interface Preparation {
  readonly tuples: readonly (readonly number[])[];
  readonly dimension: number;
  readonly bumps: BumpProducts;
  readonly monomials: MonomialTable;
  readonly polynomials: readonly Carried[];
  readonly levels: number;
}

/** One stage of the bumps' products and of the monomials. */
function prepare(writer: LayerWriter, stage: number, given: Preparation): void {
  const { tuples, dimension, bumps, monomials, polynomials, levels } = given;
  const last = monomials.lastUse();
  const used = (value: Carried): boolean => (last.get(value) ?? 0) > stage;
  const kept = new Set([
    ...polynomials,
    ...bumps.blocksAfter(tuples, dimension, stage),
    ...[...last.keys()].filter(used),
  ]);
  const tasks = [
    ...bumps.tasks(tuples, dimension, stage),
    ...monomials.inStage(stage).map((m) => monomials.task(m, used(m.value))),
  ];
  runStage(writer, tasks, kept, levels);
}
