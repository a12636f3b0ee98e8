// Chebyshev series sum_k a_k T_k(t): coefficients of functions, and their sums made of few squares and products.

import type { FunctionNode } from "../formula/nodes.ts";
import * as I from "../numbers/interval/index.ts";

/**
 * Coefficients of the polynomial that agrees with f at the zeros of T_count.
 * @example chebyshevSeries((t) => t * t, 4).map((a) => Math.abs(Math.round(a * 1e12) / 1e12)) // [0.5, 0, 0.5, 0]
 */
export function chebyshevSeries(f: (t: number) => number, count: number): number[] {
  const cosines = Array.from({ length: 4 * count }, (_, k) => Math.cos((Math.PI * k) / (2 * count)));
  const values = Array.from({ length: count }, (_, j) => f(cosines[2 * j + 1]!));
  return values.map((_, k) => {
    const sum = values.reduce((s, v, j) => s + v * cosines[(k * (2 * j + 1)) % (4 * count)]!, 0);
    return ((k === 0 ? 1 : 2) * sum) / count;
  });
}

/** constant + sum of weights times nodes. */
export interface WeightedSum {
  readonly constant: number;
  readonly terms: ReadonlyMap<number, number>;
}

/** sum_k scale_k form_k. */
function combined(parts: readonly (readonly [number, WeightedSum])[]): WeightedSum {
  const terms = new Map<number, number>();
  let constant = 0;
  for (const [scale, form] of parts) {
    constant += scale * form.constant;
    for (const [id, w] of form.terms) terms.set(id, (terms.get(id) ?? 0) + scale * w);
  }
  return { constant, terms };
}

const only = (id: number, weight = 1, constant = 0): WeightedSum => ({
  constant,
  terms: new Map([[id, weight]]),
});

const lastNonzero = (a: readonly number[]): number => a.findLastIndex((c) => c !== 0);

/**
 * Sums of Chebyshev series in a node t with |t| <= 1. With M = 2^j <= degree < 2 M, T_{M+i} = 2 T_M T_i - T_{M-i} turns the
 * series into q + r T_M with q and r of lower degrees: about degree / 4 products and log2(degree) squares in all.
 */
export class ChebyshevSums {
  readonly #add: (node: FunctionNode) => number;
  readonly #round: (x: number) => number;

  constructor(add: (node: FunctionNode) => number, round: (x: number) => number) {
    [this.#add, this.#round] = [add, round];
  }

  /** A weighted sum as a node. */
  node({ constant, terms }: WeightedSum): number {
    const used = [...terms].filter(([, w]) => w !== 0);
    return this.#add({
      op: "affine",
      args: used.map(([id]) => id),
      coefficients: used.map(([, w]) => I.point(this.#round(w))),
      constant: I.point(this.#round(constant)),
    });
  }

  /** sum_k a_k T_k(t); series of one parity are series in T_2, an odd one times t. */
  sum(t: number, a: readonly number[]): WeightedSum {
    const [constant = 0, ...rest] = a;
    const degree = lastNonzero(a);
    if (degree < 2) return only(t, a[1] ?? 0, constant);
    if (rest.every((c, k) => k % 2 === 1 || c === 0)) {
      const even = a.filter((_, k) => k % 2 === 0);
      return this.sum(this.node(this.#power(t, 2)), even);
    }
    if (rest.every((c, k) => k % 2 === 0 || c === 0)) {
      const inner = this.sum(this.node(this.#power(t, 2)), oddQuotient([0, ...rest]));
      return only(this.#product(t, this.node(inner)), 1, constant);
    }
    return this.#split(t, a.slice(0, degree + 1));
  }

  #product(a: number, b: number): number {
    return this.#add({ op: "product", args: [a, b] });
  }

  /** T_M for a power M of two, or 3, as a weighted sum. */
  #power(t: number, M: number): WeightedSum {
    if (M === 1) return only(t);
    if (M === 3)
      return combined([
        [2, only(this.#product(t, this.node(this.#power(t, 2))))],
        [-1, only(t)],
      ]);
    const half = M === 2 ? t : this.node(this.#power(t, M / 2));
    return only(this.#add({ op: "square", args: [half] }), 2, -1);
  }

  #split(t: number, a: readonly number[]): WeightedSum {
    const degree = lastNonzero(a);
    if (degree < 4) {
      const powers = [1, 2, 3].filter((k) => (a[k] ?? 0) !== 0);
      return combined([
        [1, { constant: a[0] ?? 0, terms: new Map() }],
        ...powers.map((k) => [a[k]!, this.#power(t, k)] as const),
      ]);
    }
    const M = 2 ** Math.floor(Math.log2(degree));
    const q = a.slice(0, M);
    const r = a.slice(M, degree + 1).map((c, i) => (i === 0 ? c : 2 * c));
    for (let i = 1; i <= degree - M; i++) q[M - i]! -= a[M + i]!;
    const low = this.#split(t, q);
    if (lastNonzero(r) < 1)
      return combined([
        [1, low],
        [r[0]!, this.#power(t, M)],
      ]);
    const high = this.#product(this.node(this.#split(t, r)), this.node(this.#power(t, M)));
    return combined([
      [1, low],
      [1, only(high)],
    ]);
  }
}

/** b with t sum_k b_k T_2k = sum_k a_k T_k for odd a: 2 t T_2k = T_{2k+1} + T_{2k-1}. */
function oddQuotient(a: readonly number[]): number[] {
  const odd = a.filter((_, k) => k % 2 === 1);
  const b: number[] = [];
  for (let k = odd.length - 1; k >= 1; k--) b[k] = 2 * odd[k]! - (b[k + 1] ?? 0);
  b[0] = odd[0]! - (b[1] ?? 0) / 2;
  return b;
}
