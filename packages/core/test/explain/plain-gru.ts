// A GRU in plain loops, as ONNX states it, and relevance through it by the rules 0 (sums and layers) and all, prop or half.

import type { ProductRule } from "../../src/passes/relevance.ts";
import { shareOfProduct } from "../../src/theory/book5/plain-lstm.ts";

type Vector = readonly number[];
type Rows = readonly Vector[];
export interface PlainGate {
  readonly W: Rows;
  readonly U: Rows;
  /** Of the input's part and of the state's. */
  readonly b: Vector;
  readonly c: Vector;
}
export interface GruCell extends Readonly<Record<"z" | "r" | "h", PlainGate>> {
  /** linear_before_reset: h = tanh(W x + b + r (U y + c)) instead of tanh(W x + b + U (r y) + c). */
  readonly resetsLast: boolean;
}

const dot = (a: Vector, b: Vector): number => a.reduce((s, v, k) => s + v * b[k]!, 0);
const sigmoid = (v: number): number => 1 / (1 + Math.exp(-v));
const quotient = (r: number, z: number): number => (z === 0 ? 0 : r / z);

export function gruForward(cell: GruCell, xs: Rows) {
  let before: Vector = cell.z.b.map(() => 0);
  return xs.map((x) => {
    const sum = ({ W, U, b, c }: PlainGate, y: Vector): number[] =>
      b.map((v, k) => v + c[k]! + dot(W[k]!, x) + dot(U[k]!, y));
    const [zs, rs] = [sum(cell.z, before), sum(cell.r, before)];
    const [z, r] = [zs.map(sigmoid), rs.map(sigmoid)];
    const reset = r.map((v, k) => v * before[k]!);
    const { W, U, b, c } = cell.h;
    const recurrent = c.map((v, k) => v + dot(U[k]!, before));
    const hs = cell.resetsLast
      ? b.map((v, k) => v + dot(W[k]!, x) + r[k]! * recurrent[k]!)
      : sum(cell.h, reset);
    const h = hs.map(Math.tanh);
    const y = z.map((v, k) => (1 - v) * h[k]! + v * before[k]!);
    const step = { x, before, zs, rs, hs, z, r, h, reset, recurrent, y };
    before = y;
    return step;
  });
}

/** The relevance of the last state, handed back to the inputs. */
export function gruRelevance(cell: GruCell, xs: Rows, last: Vector, product: ProductRule): Rows {
  const found: Vector[] = [];
  let arriving = [...last];
  for (const { x, before, zs, rs, hs, z, r, h, reset, recurrent, y } of gruForward(cell, xs).toReversed()) {
    const [toX, toY] = [x.map(() => 0), before.map(() => 0)];
    const through = (gate: PlainGate, sums: Vector, R: Vector, state: Vector, to: number[]): void =>
      sums.forEach((sum, k) => {
        const s = quotient(R[k]!, sum);
        x.forEach((v, j) => {
          toX[j]! += v * gate.W[k]![j]! * s;
        });
        state.forEach((v, j) => {
          to[j]! += v * gate.U[k]![j]! * s;
        });
      });
    const [toZ, toR, toH] = [x, x, x].map(() => before.map(() => 0)) as [number[], number[], number[]];
    y.forEach((sum, k) => {
      const s = quotient(arriving[k]!, sum);
      const fresh = shareOfProduct(product, 1 - z[k]!, h[k]!, (1 - z[k]!) * h[k]! * s, 1e-6);
      const kept = shareOfProduct(product, z[k]!, before[k]!, z[k]! * before[k]! * s, 1e-6);
      toH[k] = fresh.signal;
      // 1 - z is a sum of a constant, which takes its share, and -z.
      toZ[k] = kept.gate - z[k]! * quotient(fresh.gate, 1 - z[k]!);
      toY[k]! += kept.signal;
    });
    if (cell.resetsLast)
      hs.forEach((sum, k) => {
        const s = quotient(toH[k]!, sum);
        x.forEach((v, j) => {
          toX[j]! += v * cell.h.W[k]![j]! * s;
        });
        const q = recurrent[k]!;
        const { gate, signal } = shareOfProduct(product, r[k]!, q, r[k]! * q * s, 1e-6);
        toR[k] = gate;
        before.forEach((v, j) => {
          toY[j]! += v * cell.h.U[k]![j]! * quotient(signal, q);
        });
      });
    else {
      const toReset = before.map(() => 0);
      through(cell.h, hs, toH, reset, toReset);
      toReset.forEach((R, k) => {
        const { gate, signal } = shareOfProduct(product, r[k]!, before[k]!, R, 1e-6);
        toR[k] = gate;
        toY[k]! += signal;
      });
    }
    through(cell.z, zs, toZ, before, toY);
    through(cell.r, rs, toR, before, toY);
    found.push(toX);
    arriving = toY;
  }
  return found.reverse();
}
