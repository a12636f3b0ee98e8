// Monomials and products of many factors by squares and products that share what they can.

import { ConstructError } from "../functions/error.ts";
import { requireCount } from "./calculus/conditions.ts";
import { type Certified, certified } from "./circuit/certified.ts";
import { CircuitBuilder, rangeOf, type Source } from "./circuit/circuit.ts";
import { form, variable } from "./circuit/form.ts";
import { uniformLevels } from "./circuit/levels.ts";

/** x^alpha = x_1^alpha_1 ... x_d^alpha_d. */
export type Exponents = readonly number[];
/** tree: both factors of a product have about half its degree; chain: one factor is a coordinate. */
export type Layout = "tree" | "chain";

export const degree = (alpha: Exponents): number => alpha.reduce((a, b) => a + b, 0);
const keyOf = (alpha: Exponents): string => alpha.join(" ");

export interface MonomialOptions {
  /** Levels of every square and product. */
  readonly levels: number;
  readonly layout?: Layout;
  /** On [0, 1]^d instead of [-1, 1]^d: no absolute values. */
  readonly nonnegative?: boolean;
}

/**
 * x^alpha on [-1, 1]^d: |error| <= (|alpha| - 1) 4^-(levels+1), values in [-1, 1], zero where a factor is zero.
 * A tree has ceil(log2 |alpha|) stages of levels + 1 hidden layers, a chain |alpha| - 1.
 * @example monomial([2, 1], { levels: 4 }).error // 0.001953125
 */
export const monomial = (alpha: Exponents, options: MonomialOptions): Certified =>
  monomials([alpha], options);

/**
 * x_1 x_2 ... x_count on [-1, 1]^count, by count - 1 products: |error| <= (count - 1) 4^-(levels+1).
 * @example productOf(4, { levels: 4 }).error // 0.0029296875
 */
export function productOf(count: number, options: MonomialOptions): Certified {
  requireCount("productOf", "number of factors", count, 1);
  return monomials([new Array<number>(count).fill(1)], options);
}

/**
 * Several monomials as the outputs of one network, which share their factors.
 * @example monomials([[2], [3], [4]], { levels: 3 }).circuit.values.filter(isGate).length // 3
 */
export function monomials(wanted: readonly Exponents[], options: MonomialOptions): Certified {
  const { levels, layout = "tree", nonnegative = false } = options;
  requireCount("a monomial", "number of levels", levels, 1);
  requireCount("monomials", "number of monomials", wanted.length, 1);
  requireCount("monomials", "number of variables", wanted[0]!.length, 1);
  const dimension = wanted[0]!.length;
  const builder = new CircuitBuilder();
  const lowest = nonnegative ? 0 : -1;
  const sources = Array.from({ length: dimension }, (_, k) =>
    builder.add({ kind: "source", of: variable(k), lower: lowest, upper: 1 }),
  );
  const places = addMonomials(builder, sources, wanted, layout);
  const outputs = wanted.map((alpha) => {
    const place = places.get(keyOf(alpha));
    return builder.add({ kind: "sum", of: place === undefined ? form([], 1) : variable(place) });
  });
  const circuit = { dimension, values: builder.values, outputs };
  return certified(circuit, uniformLevels(circuit, levels), { name: "monomials" });
}

/** Adds the squares and products that make these monomials of sources in [-1, 1]; their places, by `placeOf`. */
export function addMonomials(
  builder: CircuitBuilder,
  sources: readonly number[],
  wanted: readonly Exponents[],
  layout: Layout = "tree",
): ReadonlyMap<string, number> {
  for (const alpha of wanted)
    if (alpha.length !== sources.length || alpha.some((a) => !Number.isSafeInteger(a) || a < 0))
      throw new ConstructError(`exponents [${alpha}] are not ${sources.length} whole numbers of at least 0`);
  const splits = chooseSplits(wanted, layout);
  const places = new Map(sources.map((source, k) => [keyOf(unitVector(sources.length, k)), source]));
  const nonnegative = (place: number): boolean => rangeOf(builder.values[place] as Source)[0] >= 0;
  for (const { alpha, beta, gamma } of [...splits.values()].sort(
    (a, b) => degree(a.alpha) - degree(b.alpha),
  )) {
    const [left, right] = [places.get(keyOf(beta))!, places.get(keyOf(gamma))!];
    places.set(
      keyOf(alpha),
      left === right
        ? builder.add({ kind: "square", of: variable(left), bound: 1, nonnegative: nonnegative(left) })
        : builder.add({
            kind: "product",
            of: [variable(left), variable(right)],
            bounds: [1, 1],
            nonnegative: nonnegative(left) && nonnegative(right),
          }),
    );
  }
  return places;
}

/** Where `addMonomials` put a monomial; undefined for the constant 1. */
export const placeOf = (places: ReadonlyMap<string, number>, alpha: Exponents): number | undefined =>
  places.get(keyOf(alpha));

const unitVector = (dimension: number, k: number): number[] =>
  Array.from({ length: dimension }, (_, j) => (j === k ? 1 : 0));

/** alpha = beta + gamma. */
interface Split {
  readonly alpha: Exponents;
  readonly beta: Exponents;
  readonly gamma: Exponents;
}

/** How each monomial, and each factor that this needs, is a product of two others; highest degrees first. */
function chooseSplits(wanted: readonly Exponents[], layout: Layout): ReadonlyMap<string, Split> {
  const needed = new Map<string, Exponents>();
  const splits = new Map<string, Split>();
  const byDegree: Exponents[][] = [];
  const need = (alpha: Exponents): void => {
    if (degree(alpha) < 2 || needed.has(keyOf(alpha))) return;
    needed.set(keyOf(alpha), alpha);
    byDegree[degree(alpha)] = [...(byDegree[degree(alpha)] ?? []), alpha];
  };
  for (const alpha of wanted) need(alpha);
  for (let n = byDegree.length - 1; n >= 2; n--)
    for (const alpha of byDegree[n] ?? []) {
      const split = layout === "chain" ? chainSplit(alpha) : treeSplit(alpha, needed);
      splits.set(keyOf(alpha), split);
      need(split.beta);
      need(split.gamma);
    }
  return splits;
}

function chainSplit(alpha: Exponents): Split {
  const last = alpha.findLastIndex((a) => a > 0);
  const gamma = unitVector(alpha.length, last);
  return { alpha, beta: alpha.map((a, k) => a - gamma[k]!), gamma };
}

/** The cheapest split into factors of degree at most 2^(ceil(log2 n) - 1): squares before products, known before new. */
function treeSplit(alpha: Exponents, needed: ReadonlyMap<string, Exponents>): Split {
  const n = degree(alpha);
  const half = 2 ** (Math.ceil(Math.log2(n)) - 1);
  const price = ({ beta, gamma }: Split): number => {
    const same = keyOf(beta) === keyOf(gamma);
    const fresh = [beta, ...(same ? [] : [gamma])].filter((f) => degree(f) > 1 && !needed.has(keyOf(f)));
    return (same ? 2 : 4) + 4 * fresh.length + Math.abs(degree(beta) - degree(gamma)) / n;
  };
  const candidates = factorsOf(alpha)
    .map((beta): Split => ({ alpha, beta, gamma: alpha.map((a, k) => a - beta[k]!) }))
    .filter(({ beta, gamma }) => degree(beta) >= degree(gamma) && degree(gamma) > 0 && degree(beta) <= half);
  return candidates.reduce((best, next) => (price(next) < price(best) ? next : best));
}

/** All beta <= alpha; where they are too many, the one with the first half of the factors. */
function factorsOf(alpha: Exponents): Exponents[] {
  if (alpha.reduce((count, a) => count * (a + 1), 1) > 4096) {
    let left = Math.ceil(degree(alpha) / 2);
    return [
      alpha.map((a) => {
        const taken = Math.min(a, left);
        left -= taken;
        return taken;
      }),
    ];
  }
  return alpha.reduce<Exponents[]>(
    (all, a) => all.flatMap((beta) => Array.from({ length: a + 1 }, (_, k) => [...beta, k])),
    [[]],
  );
}
