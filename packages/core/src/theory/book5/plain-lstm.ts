// An LSTM in plain loops, as (5.14)-(5.19) state it, and relevance through it, each gate one linear layer of all that it
// reads: what graphs are compared with.
import type { Random } from "../../numbers/random.ts";
import type { ProductRule } from "../../passes/relevance.ts";

type Vector = readonly number[];
type Rows = readonly Vector[];

/** x, y -> W x + U y + b */
export interface Gate {
  readonly W: Rows;
  readonly U: Rows;
  readonly b: Vector;
}

const gateNames = ["z", "i", "f", "o"] as const;
type GateName = (typeof gateNames)[number];
export type LstmCell = Readonly<Record<GateName, Gate>>;

/** One step: what it read, what each gate gave before and behind its activation, and the new state. */
export interface LstmStep {
  readonly x: Vector;
  readonly before: { readonly y: Vector; readonly c: Vector };
  readonly sums: Readonly<Record<GateName, Vector>>;
  readonly gates: Readonly<Record<GateName, Vector>>;
  readonly c: Vector;
  readonly y: Vector;
}

const normalRows = (rows: number, columns: number, scale: number, random: Random): Rows =>
  Array.from({ length: rows }, () => Array.from(random.normal(columns), (v) => scale * v));

/** Weights drawn at random, of the size that keeps sums near 1. */
export function drawCell(inputs: number, units: number, random: Random): LstmCell {
  const gate = (name: GateName): Gate => {
    const stream = random.split(name);
    return {
      W: normalRows(units, inputs, 1 / Math.sqrt(inputs), stream),
      U: normalRows(units, units, 1 / Math.sqrt(units), stream),
      b: [...stream.normal(units)].map((v) => v / 2),
    };
  };
  return { z: gate("z"), i: gate("i"), f: gate("f"), o: gate("o") };
}

const dot = (a: Vector, b: Vector): number => a.reduce((sum, v, k) => sum + v * b[k]!, 0);
const sigmoid = (v: number): number => 1 / (1 + Math.exp(-v));

/** y_0 = c_0 = 0; z = tanh(...), i, f, o = sigm(...); c_t = i z + f c_{t-1}; y_t = o tanh(c_t) */
export function lstmForward(cell: LstmCell, xs: Rows): readonly LstmStep[] {
  const units = cell.z.b.length;
  let before = { y: new Array<number>(units).fill(0), c: new Array<number>(units).fill(0) };
  return xs.map((x) => {
    const sum = ({ W, U, b }: Gate): Vector => b.map((v, k) => v + dot(W[k]!, x) + dot(U[k]!, before.y));
    const sums = { z: sum(cell.z), i: sum(cell.i), f: sum(cell.f), o: sum(cell.o) };
    const gates = {
      z: sums.z.map(Math.tanh),
      i: sums.i.map(sigmoid),
      f: sums.f.map(sigmoid),
      o: sums.o.map(sigmoid),
    };
    const c = gates.i.map((i, k) => i * gates.z[k]! + gates.f[k]! * before.c[k]!);
    const y = gates.o.map((o, k) => o * Math.tanh(c[k]!));
    const step: LstmStep = { x, before, sums, gates, c, y };
    before = { y, c };
    return step;
  });
}

/** Moved off 0 in its own direction, up where it is 0. */
const stable = (z: number, eps: number): number => z + (z >= 0 ? eps : -eps);

/** What gate and signal get of the relevance of their product. */
export function shareOfProduct(
  rule: ProductRule,
  gate: number,
  signal: number,
  relevance: number,
  stabilizer: number,
): { readonly gate: number; readonly signal: number } {
  if (rule === "all") return { gate: 0, signal: relevance };
  if (rule === "half") return { gate: relevance / 2, signal: relevance / 2 };
  const s = relevance / stable(gate + signal, stabilizer);
  return { gate: gate * s, signal: signal * s };
}

export interface LstmRelevance {
  /** Of the inputs, step by step. */
  readonly x: Rows;
  /** What biases took. */
  readonly bias: number;
}

export interface LstmRules {
  readonly product: ProductRule;
  /** Of sums and layers; 0: 0 / 0 is 0. */
  readonly epsilon: number;
  /** Of the proportional rule. */
  readonly stabilizer: number;
}

/** The relevance of the last output, handed back to the inputs of all steps. */
export function lstmRelevance(
  cell: LstmCell,
  steps: readonly LstmStep[],
  last: Vector,
  { product, epsilon, stabilizer }: LstmRules,
): LstmRelevance {
  const quotient = (r: number, z: number): number => (z === 0 && epsilon === 0 ? 0 : r / stable(z, epsilon));
  const found: Vector[] = [];
  let bias = 0;
  let [ofY, ofC] = [[...last], last.map(() => 0)];
  for (const { x, before, sums, gates, c } of steps.toReversed()) {
    const arrived: Record<GateName, number[]> = { z: [], i: [], f: [], o: [] };
    const carried = c.map((state, k) => {
      const output = shareOfProduct(product, gates.o[k]!, Math.tanh(state), ofY[k]!, stabilizer);
      const s = quotient(ofC[k]! + output.signal, state);
      const [written, kept] = [gates.i[k]! * gates.z[k]!, gates.f[k]! * before.c[k]!];
      const input = shareOfProduct(product, gates.i[k]!, gates.z[k]!, written * s, stabilizer);
      const memory = shareOfProduct(product, gates.f[k]!, before.c[k]!, kept * s, stabilizer);
      arrived.o.push(output.gate);
      arrived.i.push(input.gate);
      arrived.z.push(input.signal);
      arrived.f.push(memory.gate);
      return memory.signal;
    });
    const [toX, toY] = [x.map(() => 0), carried.map(() => 0)];
    for (const name of gateNames) {
      const { W, U, b } = cell[name];
      sums[name].forEach((sum, k) => {
        const s = quotient(arrived[name][k]!, sum);
        x.forEach((v, j) => {
          toX[j]! += v * W[k]![j]! * s;
        });
        before.y.forEach((v, j) => {
          toY[j]! += v * U[k]![j]! * s;
        });
        bias += b[k]! * s;
      });
    }
    found.push(toX);
    [ofY, ofC] = [toY, carried];
  }
  return { x: found.reverse(), bias };
}
