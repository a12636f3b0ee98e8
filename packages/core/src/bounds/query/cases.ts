// A query as cases: a box of inputs, and conjunctions of linear comparisons of which one would have to hold there.
import { DataError } from "../../data/error.ts";
import {
  abs,
  compare,
  div,
  type Exact,
  mul,
  neg,
  sign,
  sub,
  toNumber,
} from "../../numbers/exact/rational.ts";
import { type Atom, contradict, renamed } from "./linear.ts";
import type { Formula, Query } from "./query.ts";
import type { Bound } from "./representable.ts";

/** Bounds by input variable: as the query writes them, and rounded outward to doubles. */
export interface Case {
  readonly least: ReadonlyMap<number, Bound>;
  readonly greatest: ReadonlyMap<number, Bound>;
  readonly lower: ReadonlyMap<number, number>;
  readonly upper: ReadonlyMap<number, number>;
  /** Each alternative: all its comparisons, those that make the box included. */
  readonly alternatives: readonly (readonly Atom[])[];
}

const mostAlternatives = 20_000;

/** Which input variable stands for which: `(== X_f[0] X_g[0])` makes both the same. */
export function unified({ variables, assertions }: Query): (index: number) => number {
  const parent = variables.map((_, k) => k);
  const root = (k: number): number => (parent[k] === k ? k : root(parent[k]!));
  for (const formula of assertions.flatMap(conjuncts)) {
    const pair = equalInputs(formula, variables);
    if (pair) parent[Math.max(root(pair[0]), root(pair[1]))] = Math.min(root(pair[0]), root(pair[1]));
  }
  return root;
}

/** A conjunction whose parts are all atoms is kept whole: it may be an equation. */
const conjuncts = (formula: Formula): readonly Formula[] =>
  formula.kind === "and" && formula.parts.some((p) => p.kind !== "atom")
    ? formula.parts.flatMap(conjuncts)
    : [formula];

function equalInputs(formula: Formula, variables: Query["variables"]): readonly [number, number] | undefined {
  if (formula.kind !== "and" || formula.parts.length !== 2) return undefined;
  const [first, second] = formula.parts;
  if (first?.kind !== "atom" || second?.kind !== "atom" || first.atom.strict || second.atom.strict)
    return undefined;
  const { coefficients, constant } = first.atom.linear;
  const [a, b, ...more] = [...coefficients];
  if (!a || !b || more.length > 0 || sign(constant) !== 0 || compare(a[1], neg(b[1])) !== 0) return undefined;
  const isOpposite = contradict(
    { ...first.atom, strict: true }, // strict ones contradict each other exactly when they are opposite and meet in 0
    { ...second.atom, strict: true },
  );
  const inputs = [a, b].every(([index]) => variables[index]!.side === "input");
  return isOpposite && inputs && sign(second.atom.linear.constant) === 0 ? [a[0], b[0]] : undefined;
}

/** The disjunctive normal form. */
function alternativesOf(formula: Formula): readonly (readonly Atom[])[] {
  if (formula.kind === "atom") return [[formula.atom]];
  if (formula.kind === "or") return limited(formula.parts.flatMap(alternativesOf));
  let all: Atom[][] = [[]];
  for (const part of formula.parts) {
    const next = alternativesOf(part);
    if (next.length === 1) for (const atoms of all) for (const atom of next[0]!) atoms.push(atom);
    else {
      if (all.length * next.length > mostAlternatives) limited({ length: all.length * next.length });
      all = all.flatMap((atoms) => next.map((more) => [...atoms, ...more]));
    }
  }
  return all;
}

function limited<List extends { readonly length: number }>(list: List): List {
  if (list.length > mostAlternatives)
    throw new DataError(
      `the query has more than ${mostAlternatives} alternatives once its "or"s are written out`,
    );
  return list;
}

const roundedDown = (x: Exact): number => {
  const near = toNumber(x);
  return compare(near, x) <= 0 ? near : near - 2 ** -52 * Math.abs(near) - Number.MIN_VALUE;
};
const roundedUp = (x: Exact): number => -roundedDown(neg(x));

/** Is it a bound of one input? */
const isBound = ({ linear }: Atom, { variables }: Query): boolean => {
  const [index] = linear.coefficients.keys();
  return linear.coefficients.size === 1 && variables[index!]!.side === "input";
};

/** The comparisons that the box does not express already. */
export const beyondBox = (atoms: readonly Atom[], query: Query): readonly Atom[] =>
  atoms.filter((atom) => !isBound(atom, query));

/** The comparison, or if it is a bound of one input, one that allows `tolerance` beyond it. */
export function widened(atom: Atom, query: Query, tolerance: number): Atom {
  if (tolerance === 0 || !isBound(atom, query)) return atom;
  const { coefficients, constant } = atom.linear;
  const [factor] = coefficients.values();
  return { linear: { coefficients, constant: sub(constant, mul(abs(factor!), tolerance)) }, strict: false };
}

type Bounds = Map<number, Bound>;

/**
 * Bounds that inputs lack, from comparisons with others that have them: from x <= u and 0 <= x follows 0 <= u. In
 * c_1 x_1 + ... + c <= 0 each term is at most minus the least that all others can be together.
 */
function propagate(atoms: readonly Atom[], { variables }: Query, least: Bounds, greatest: Bounds): void {
  const relations = atoms.filter(
    ({ linear: { coefficients } }) =>
      coefficients.size > 1 && [...coefficients.keys()].every((index) => variables[index]!.side === "input"),
  );
  for (let isNew = true; isNew; ) {
    isNew = false;
    for (const { linear, strict } of relations)
      for (const [index, c] of linear.coefficients) {
        const side = sign(c) > 0 ? greatest : least;
        if (side.has(index)) continue;
        let [rest, isStrict, isKnown] = [neg(linear.constant), strict, true];
        for (const [other, factor] of linear.coefficients) {
          if (other === index) continue;
          const bound = (sign(factor) > 0 ? least : greatest).get(other);
          if (!bound) isKnown = false;
          else {
            rest = sub(rest, mul(factor, bound.value));
            isStrict ||= bound.strict;
          }
        }
        if (!isKnown) continue;
        side.set(index, { value: div(rest, c), strict: isStrict });
        isNew = true;
      }
  }
}

/** undefined: no point at all. */
function boxOf(atoms: readonly Atom[], query: Query, inputs: readonly number[]) {
  const [least, greatest] = [new Map<number, Bound>(), new Map<number, Bound>()];
  for (const { linear, strict } of atoms.filter((atom) => isBound(atom, query))) {
    const [[index, c]] = [...linear.coefficients] as [[number, Exact]];
    const value = div(neg(linear.constant), c);
    const [side, tighter] = sign(c) > 0 ? [greatest, -1] : [least, 1];
    const before = side.get(index);
    const order = before ? compare(value, before.value) : tighter;
    if (order === tighter || (order === 0 && strict)) side.set(index, { value, strict });
  }
  propagate(atoms, query, least, greatest);
  for (const index of inputs) {
    const [l, u] = [least.get(index), greatest.get(index)];
    if (l === undefined || u === undefined)
      throw new DataError(
        `${query.variables[index]!.name} has no ${l === undefined ? "lower" : "upper"} bound: inputs must be in a box`,
      );
    if (compare(l.value, u.value) > (l.strict || u.strict ? -1 : 0)) return undefined;
  }
  const rounded = (side: ReadonlyMap<number, Bound>, round: (x: Exact) => number) =>
    new Map([...side].map(([index, { value }]) => [index, round(value)]));
  return { least, greatest, lower: rounded(least, roundedDown), upper: rounded(greatest, roundedUp) };
}

const boundText = ({ value, strict }: Bound): string =>
  `${strict ? "!" : ""}${typeof value === "number" ? value : `${value.numerator}/${value.denominator}`}`;

/** Comparisons of one input are in the box; all others may contradict each other. */
const isImpossible = (atoms: readonly Atom[], { variables }: Query): boolean => {
  const isOfOutputs = (index: number): boolean => variables[index]!.side !== "input";
  const linear = atoms.filter(
    ({ linear: { coefficients } }) => coefficients.size > 1 || [...coefficients.keys()].some(isOfOutputs),
  );
  if (
    atoms.some(({ linear: l, strict }) => l.coefficients.size === 0 && sign(l.constant) > (strict ? -1 : 0))
  )
    return true;
  return linear.some((a, k) => linear.slice(0, k).some((b) => contradict(a, b)));
};

/** All atoms of a formula, whatever joins them. */
const atomsOf = (formula: Formula): readonly Formula[] =>
  formula.kind === "atom" ? [formula] : formula.parts.flatMap(atomsOf);

/** Reads all comparisons of outputs as joined by "or". */
function anyOutput({ variables, assertions }: Query): readonly Formula[] {
  const isOutput = (index: number): boolean =>
    variables[index]!.factors?.some(isOutput) ?? variables[index]!.side === "output";
  const isOfOutputs = (formula: Formula): boolean =>
    formula.kind === "atom"
      ? [...formula.atom.linear.coefficients.keys()].some(isOutput)
      : formula.parts.some(isOfOutputs);
  const outputs = assertions.filter(isOfOutputs);
  if (outputs.length === 0) return assertions;
  const parts = outputs.flatMap(atomsOf);
  return [...assertions.filter((a) => !outputs.includes(a)), { kind: "or", parts }];
}

export interface CaseOptions {
  /** Read the comparisons of outputs as joined by "or", whatever the query says. */
  readonly or?: boolean;
}

/** The cases of a query, those without any point left out; alternatives on the same box are one case. */
export function casesOf(
  query: Query,
  inputs: readonly number[],
  { or = false }: CaseOptions = {},
): readonly Case[] {
  const root = unified(query);
  const assertions = or ? anyOutput(query) : query.assertions;
  const cases = new Map<string, Case & { readonly alternatives: (readonly Atom[])[] }>();
  for (const written of alternativesOf({ kind: "and", parts: assertions })) {
    const atoms = written
      .map(({ linear, strict }) => ({ linear: renamed(linear, root), strict }))
      .filter(
        ({ linear, strict }) => linear.coefficients.size > 0 || sign(linear.constant) > (strict ? -1 : 0),
      );
    const box = boxOf(atoms, query, inputs);
    if (!box || isImpossible(atoms, query)) continue;
    const key = inputs
      .map((index) => `${boundText(box.least.get(index)!)} ${boundText(box.greatest.get(index)!)}`)
      .join(" ");
    const known = cases.get(key) ?? { ...box, alternatives: [] };
    known.alternatives.push(atoms);
    cases.set(key, known);
  }
  return [...cases.values()];
}
