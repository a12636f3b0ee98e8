// The cheap layout. Nodes of one colour (even or odd, axis by axis) have disjoint supports, so they share their local
// coordinates: f_1 = sum_{colour p, alpha} (sum_{m in p} c_{m, alpha} phi_m) t_p^alpha takes 2^d products a coefficient,
// however many cells there are, and the tables in brackets take one unit a node, without products.

import type { Graph } from "../../graph/graph.ts";
import { combine, type Form, form } from "../../networks/circuit/form.ts";
import { powerOfTwoAbove } from "../../numbers/exact/rounding.ts";
import { type Carried, type GateTask, positiveValue, pushWith, runStage, signedValue } from "./gate-stage.ts";
import { gridUnits, ofOneAxis } from "./grid-units.ts";
import { kuhnHats } from "./kuhn-hats.ts";
import type { LayerWriter } from "./layer-writer.ts";
import { type Factors, type LocalCoordinate, MonomialTable, stageOf } from "./monomial-tasks.ts";
import { degreeOf, type MultiIndex } from "./multi-index.ts";
import { nodeTuples, type TaylorData } from "./taylor-data.ts";

/** A network without its error: that of its gates is at most `gates` 4^-(levels+1). */
export interface WrittenNetwork {
  readonly network: Graph;
  readonly units: number;
  /** What running it in doubles adds. */
  readonly rounding: number;
}

/** A bound for every coefficient over all nodes, a power of two; 0 where all vanish. */
export function coefficientBounds({ coefficients, indices }: TaylorData): number[] {
  const most = indices.map(() => 0);
  coefficients.forEach((c, k) => {
    most[k % indices.length] = Math.max(most[k % indices.length]!, Math.abs(c));
  });
  return most.map(powerOfTwoAbove);
}

/**
 * The gates err by at most this times 4^-(levels+1): for each alpha the 2^d products with tables A_alpha each, and the
 * monomials (|alpha| - 1) A_alpha in all, since the tables of all colours add up to at most A_alpha.
 */
export function tableGateError(data: TaylorData): number {
  const colours = 2 ** data.axes.length;
  const bounds = coefficientBounds(data);
  const sum = data.indices.reduce((total, alpha, k) => {
    const degree = degreeOf(alpha);
    return degree === 0 ? total : total + bounds[k]! * (colours + degree - 1);
  }, 0);
  return sum * (1 + 2 ** -40);
}

const coloursOf = (dimension: number): readonly (readonly number[])[] =>
  Array.from({ length: 2 ** dimension }, (_, c) => Array.from({ length: dimension }, (_, k) => (c >> k) & 1));

/** t_p^alpha as a list of local coordinates. */
const factorsOf = (
  alpha: MultiIndex,
  colour: readonly number[],
  local: readonly (readonly LocalCoordinate[])[],
): Factors => alpha.flatMap((n, k) => new Array<LocalCoordinate>(n).fill(local[k]![colour[k]!]!));

/** A table with the monomial that it is multiplied by. */
interface TableProduct {
  readonly table: Carried;
  readonly bound: number;
  readonly factors: Factors;
}

/** The network of Taylor polynomials with tables; `levels` for every square and product. */
export function tableNetwork(data: TaylorData, levels: number): WrittenNetwork {
  const dimension = data.axes.length;
  const { writer, axes } = gridUnits(data.axes, data.order > 1);
  const local = axes.map((axis, k) =>
    (data.order > 1 ? [0, 1] : []).map((parity): LocalCoordinate => {
      const half = (forms: readonly Form[]): Carried =>
        positiveValue(
          combine(forms.filter((_, m) => m % 2 === parity).map((f) => [1, f] as const)),
          1,
          ofOneAxis,
        );
      return { name: `${k}${parity}`, positive: half(axis.positive), negative: half(axis.negative) };
    }),
  );
  const halves = local.flat().flatMap((t) => [t.positive, t.negative]);
  const hats = kuhnHats(writer, data.axes, axes, halves);
  const tuples = [...nodeTuples(data.axes)];
  const bounds = coefficientBounds(data);
  const tableOf = (k: number, isIn: (tuple: readonly number[]) => boolean): Form => {
    const terms: [number, number][] = [];
    tuples.forEach((tuple, m) => {
      if (isIn(tuple)) terms.push([unitOf(hats[m]!), data.coefficients[m * data.indices.length + k]!]);
    });
    return form(terms);
  };
  const colours = coloursOf(dimension);
  const total = bounds.reduce((sum, bound) => sum + bound * colours.length, 0);
  const output = signedValue(
    tableOf(0, () => true),
    powerOfTwoAbove(total || 1),
  );
  const products = data.indices.flatMap((alpha, k): TableProduct[] =>
    k === 0 || bounds[k] === 0
      ? []
      : colours.map((colour) => ({
          table: signedValue(
            tableOf(k, (tuple) => tuple.every((m, j) => m % 2 === colour[j])),
            bounds[k]!,
          ),
          bound: bounds[k]!,
          factors: factorsOf(alpha, colour, local),
        })),
  );
  if (products.length > 0) {
    pushWith(writer, [output, ...products.map((p) => p.table), ...halves]);
    multiplyTables(writer, products, output, levels);
  }
  return {
    network: writer.network([output.form], "sobolev"),
    units: writer.units,
    rounding: writer.rounding(output.form),
  };
}

const unitOf = ({ terms }: Form): number => terms.keys().next().value!;

/** In stage s the tables meet the monomials of the stages before, while the next ones are made. */
function multiplyTables(
  writer: LayerWriter,
  products: readonly TableProduct[],
  output: Carried,
  levels: number,
): void {
  const monomials = new MonomialTable();
  for (const { factors } of products) if (factors.length > 1) monomials.ask(factors);
  const last = new Map(monomials.lastUse());
  const useAt = (value: Carried, stage: number): void => {
    last.set(value, Math.max(last.get(value) ?? 0, stage));
  };
  const stages = 1 + Math.max(...products.map((p) => stageOf(p.factors.length)));
  for (const { table, factors } of products) {
    const stage = 1 + stageOf(factors.length);
    useAt(table, stage);
    if (factors.length > 1) useAt(monomials.ask(factors).value, stage);
    else for (const half of [factors[0]!.positive, factors[0]!.negative]) useAt(half, stage);
  }
  useAt(output, stages + 1);
  for (let stage = 1; stage <= stages; stage++) {
    const kept = new Set([...last].flatMap(([value, until]) => (until > stage ? [value] : [])));
    const tasks = [
      ...monomials.inStage(stage).map((m) => monomials.task(m, true)),
      ...products
        .filter((p) => 1 + stageOf(p.factors.length) === stage)
        .map(
          ({ table, bound, factors }): GateTask => ({
            gate: { kind: "product", of: [form(), form()], bounds: [bound, 1] },
            operands: [table.form, monomials.formOf(factors)],
            into: [[output, 1]],
          }),
        ),
    ];
    runStage(writer, tasks, kept, levels);
  }
}
