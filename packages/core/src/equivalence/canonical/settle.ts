// Canonical form, class by class: scales so that incoming weights have norm 1, signs, then the order of units.
import { type Parameters, parametersOf, transformParameters } from "../apply.ts";
import type { SymmetryElement } from "../element.ts";
import { absorbedScales, type SymmetryGroup, type UnitLeg } from "../group.ts";
import { stridedBlocks } from "../transform.ts";
import { addGram, balancingMatrix, mostLinearUnits } from "./linear-gauge.ts";
import { addUnitSums, type UnitSumOptions } from "./unit-sums.ts";
import { weightOrder } from "./weight-order.ts";

export interface Settled {
  readonly parameters: Parameters;
  /** Classes whose matrices, signs or scales nothing fixed: then equal networks may have different forms. */
  readonly open: readonly number[];
}

interface State {
  readonly group: SymmetryGroup;
  /** Weights that symmetries change, in the order of the structure. */
  readonly names: readonly string[];
  parameters: Parameters;
  /** Classes whose order is final, scales whose size is, and whose signs are. */
  readonly ordered: Set<number>;
  readonly sized: Set<number>;
  readonly signed: Set<number>;
  /** Scales whose signs change biases further on. */
  readonly absorbed: ReadonlySet<number>;
  /** Linear classes of which only the signs are left. */
  readonly balanced: Set<number>;
  readonly open: Set<number>;
}

/** Brings the parameters into canonical form. */
export function settle(group: SymmetryGroup): Settled {
  const parameters = parametersOf(group);
  const state: State = {
    group,
    names: weightOrder(group.graph).filter((name) => parameters.has(name)),
    parameters,
    ordered: new Set(),
    sized: new Set(),
    signed: new Set(),
    absorbed: new Set(group.absorbers.flatMap((a) => absorbedScales(group, a))),
    balanced: new Set(),
    open: new Set(),
  };
  const rank = new Map<number, number>();
  for (const name of state.names)
    for (const leg of group.weights.get(name)!.flat(2))
      if (!rank.has(leg.units)) rank.set(leg.units, rank.size);
  const isFree = (k: number) => {
    const { permutes, linear, scales } = group.classes[k]!;
    return permutes || linear || scales.length > 0;
  };
  group.classes.forEach((_, k) => {
    if (!isFree(k)) state.ordered.add(k);
  });
  group.scales.forEach(({ magnitude, sign }, s) => {
    if (!magnitude) state.sized.add(s);
    if (!sign) state.signed.add(s);
  });
  const waiting = [...rank.keys()].filter(isFree);
  while (waiting.length > 0) {
    const { units, step } = chooseNext(state, waiting);
    if (step === "balance" && balance(state, units)) continue;
    if (typeof step === "number") settleSizes(state, units, step);
    else {
      if (step === "settle") settleClass(state, units);
      else state.open.add(units);
      state.ordered.add(units);
      waiting.splice(waiting.indexOf(units), 1);
    }
  }
  return { parameters: state.parameters, open: [...state.open] };
}

interface Choice {
  readonly units: number;
  /** Balance a linear class, settle signs and order, or settle the sizes of the scale with this number. */
  readonly step: "balance" | "settle" | number;
}

/** What can be settled without asking for what is not settled yet; only if there is nothing, something less sure. */
function chooseNext(state: State, waiting: readonly number[]): Choice {
  const { group, ordered, balanced, sized } = state;
  const isRaw = (k: number) => group.classes[k]!.linear && !balanced.has(k);
  const linear = waiting.find((k) => isRaw(k) && partnersAreSized(state, k));
  if (linear !== undefined) return { units: linear, step: "balance" };
  const unsized = waiting.flatMap((k) =>
    group.classes[k]!.scales.filter((s) => !sized.has(s)).map((s) => ({
      units: k,
      step: s,
      ...incomingOf(state, k, s),
    })),
  );
  const sure = unsized.find(({ ready, incoming }) => ready.length === incoming.length);
  if (sure) return sure;
  const ready = waiting.filter(
    (k) => !isRaw(k) && group.classes[k]!.bases.every((base) => ordered.has(base)),
  );
  const isDone = (k: number) => group.classes[k]!.scales.every((s) => sized.has(s));
  const available = ready.filter((k) => isDone(k) && hasAvailableWeight(state, k));
  const next = available.find((k) => partnersAreSized(state, k));
  if (next !== undefined) return { units: next, step: "settle" };
  const partial = unsized.find((u) => u.ready.length > 0);
  if (partial) return partial;
  const last = available[0] ?? ready.find(isDone);
  if (last !== undefined) return { units: last, step: "settle" };
  return (
    unsized[0] ?? {
      units: waiting.find(isRaw) ?? waiting[0]!,
      step: waiting.some(isRaw) ? "balance" : "settle",
    }
  );
}

const legsOf = ({ group }: State, name: string): readonly UnitLeg[] => group.weights.get(name)!.flat(2);
const namesOf = (state: State, k: number): readonly string[] =>
  state.names.filter((name) => legsOf(state, name).some((leg) => leg.units === k));

const isSized = ({ sized, signed, absorbed, group, balanced }: State, leg: UnitLeg): boolean =>
  leg.scale.every(([s]) => sized.has(s) && (signed.has(s) || !absorbed.has(s))) &&
  (!group.classes[leg.units]!.linear || balanced.has(leg.units));
/** A bias that is still to take what the signs before it leave over. */
const isPendingBias = ({ group, signed }: State, name: string): boolean =>
  group.absorbers.some((a) => a.bias === name && absorbedScales(group, a).some((s) => !signed.has(s)));
const isSigned = ({ signed, group, ordered }: State, leg: UnitLeg): boolean =>
  leg.scale.every(([s, e]) => signed.has(s) || e % 2 === 0) &&
  (!group.classes[leg.units]!.linear || ordered.has(leg.units));

/** The other legs of the blocks of a weight that have this class. */
function partners({ group }: State, name: string, k: number): readonly UnitLeg[] {
  return stridedBlocks(group, group.weights.get(name)!).flatMap(({ legs }) => {
    const own = legs.findIndex((leg) => leg.units === k);
    return own < 0 ? [] : legs.filter((_, i) => i !== own);
  });
}
const partnersAreSized = (state: State, k: number): boolean =>
  namesOf(state, k).every((name) =>
    partners(state, name, k).every((leg) => leg.units !== k && isSized(state, leg)),
  );
const hasAvailableWeight = (state: State, k: number): boolean =>
  namesOf(state, k).some((name) =>
    partners(state, name, k).every((leg) => state.ordered.has(leg.units) && isSized(state, leg)),
  );

function apply(state: State, element: Partial<SymmetryElement>): void {
  state.parameters = transformParameters(state.group, state.parameters, {
    permutations: new Map(),
    scales: new Map(),
    matrices: new Map(),
    ...element,
  });
}

/** Adds up what `options` says over the given weights. */
function unitSums(
  state: State,
  k: number,
  names: readonly string[],
  options: Omit<UnitSumOptions, "units">,
): Float64Array {
  const { size, fibres } = state.group.classes[k]!;
  const sums = new Float64Array(size * fibres);
  names.forEach((name) => {
    const salt = options.salt === undefined ? undefined : options.salt + 7 * state.names.indexOf(name);
    addUnitSums(state.group, state.group.weights.get(name)!, state.parameters.get(name)!, sums, {
      ...options,
      units: k,
      ...(salt === undefined ? {} : { salt }),
    });
  });
  return sums;
}

function balance(state: State, k: number): boolean {
  const { size: n, fibres } = state.group.classes[k]!;
  if (n > mostLinearUnits || !partnersAreSized(state, k)) return false;
  const grams = ([1, -1] as const).map((matrix) => {
    const G = new Float64Array(fibres * n * n);
    for (const name of namesOf(state, k))
      addGram(
        state.group,
        state.group.weights.get(name)!,
        state.parameters.get(name)!,
        G,
        (leg) => leg.units === k && leg.matrix === matrix,
      );
    return G;
  });
  const matrices = new Float64Array(fibres * n * n);
  for (let f = 0; f < fibres; f++) {
    const [G, H] = grams.map((all) => all.subarray(f * n * n, (f + 1) * n * n));
    const A = balancingMatrix(G!, H!, n);
    if (!A) return false;
    matrices.set(A, f * n * n);
  }
  apply(state, { matrices: new Map([[k, matrices]]) });
  state.balanced.add(k);
  return true;
}

function settleClass(state: State, k: number): void {
  const { scales, linear, permutes } = state.group.classes[k]!;
  for (const s of scales) if (!state.signed.has(s)) settleSigns(state, k, s);
  if (linear) settleSigns(state, k, undefined);
  if (permutes) settleOrder(state, k);
  state.ordered.add(k);
}

const exponentOf = (leg: UnitLeg, s: number): number => leg.scale.find(([v]) => v === s)?.[1] ?? 0;

/** The weights that a scale multiplies on the way in, and those of them whose other legs are settled in size. */
function incomingOf(state: State, k: number, s: number) {
  const names = namesOf(state, k);
  // What the graph meets first are the incoming weights; better those that no other open scale multiplies too.
  const legs = names.flatMap((name) => legsOf(state, name)).filter((leg) => exponentOf(leg, s) !== 0);
  const isAlone = (leg: UnitLeg) => leg.scale.every(([v]) => v === s || state.sized.has(v));
  const first = legs.find(isAlone) ?? legs[0];
  const direction: 1 | -1 = first && exponentOf(first, s) > 0 ? 1 : -1;
  const isIncoming = (leg: UnitLeg) =>
    leg.units === k && exponentOf(leg, s) * direction > 0 && (isAlone(leg) || !legs.some(isAlone));
  const incoming = names.filter((name) => legsOf(state, name).some(isIncoming));
  const ready = incoming.filter(
    (name) =>
      partners(state, name, k).every((leg) => leg.units !== k && isSized(state, leg)) &&
      !isPendingBias(state, name) &&
      legsOf(state, name).every((leg) => !isIncoming(leg) || isAlone(leg)),
  );
  return { names, direction, incoming, ready };
}

/** Incoming weights of each unit get norm 1. A unit without any computes 0, and what it sends out becomes 0. */
function settleSizes(state: State, k: number, s: number): void {
  const { names, direction, incoming, ready } = incomingOf(state, k, s);
  const used = ready.length > 0 ? ready : incoming;
  if (ready.length === 0) state.open.add(k);
  const exponents = used.flatMap((name) =>
    legsOf(state, name)
      .filter((leg) => leg.units === k)
      .map((leg) => exponentOf(leg, s)),
  );
  const exponent = Math.min(...exponents.map((e) => e * direction).filter((e) => e > 0)) * direction;
  const takes = (leg: UnitLeg) => exponentOf(leg, s) === exponent;
  const squares = unitSums(state, k, used, { power: 2, takes });
  const all = once(() =>
    unitSums(state, k, names, { power: 2, takes: (leg) => exponentOf(leg, s) * direction > 0 }),
  );
  const isDead = Array.from(squares, (q, i) => q === 0 && all()[i] === 0);
  apply(state, {
    scales: new Map([
      [
        s,
        squares.map((q, i) => (q > 0 ? Math.sqrt(q) ** (-1 / exponent) : isDead[i] ? vast ** direction : 1)),
      ],
    ]),
  });
  if (isDead.includes(true)) clearTiny(state, names);
  state.sized.add(s);
}

/** Any scale is a symmetry of a unit that computes 0; in the limit its outgoing weights are 0. */
const vast = 2 ** 400;

/** What was divided by something vast is 0. */
function clearTiny(state: State, names: readonly string[]): void {
  const clear = (v: number) => (Math.abs(v) < 1e-100 ? 0 : v);
  const cleared = names.map((name) => [name, state.parameters.get(name)!.map(clear)] as const);
  state.parameters = new Map([...state.parameters, ...cleared]);
}

/** A sum of incoming weights with fixed coefficients becomes positive. */
function settleSigns(state: State, k: number, s: number | undefined): void {
  const takes = (leg: UnitLeg) => (s === undefined ? leg.matrix !== 0 : exponentOf(leg, s) % 2 !== 0);
  const others = (leg: UnitLeg) => leg.scale.every(([v, e]) => v === s || state.signed.has(v) || e % 2 === 0);
  const available = namesOf(state, k).filter(
    (name) =>
      legsOf(state, name).some((leg) => leg.units === k && takes(leg) && others(leg)) &&
      partners(state, name, k).every(
        (leg) =>
          leg.units !== k && state.ordered.has(leg.units) && isSigned(state, leg) && isSized(state, leg),
      ),
  );
  if (available.length === 0) state.open.add(k);
  const { size, fibres } = state.group.classes[k]!;
  const sums = unitSums(state, k, available, {
    power: 1,
    // A leg with another sign that is still open would make the sum depend on it.
    takes: (leg) => takes(leg) && others(leg),
    isOrdered: (leg) => state.ordered.has(leg.units),
    salt: 1,
  });
  const signs = sums.map((v) => (v < 0 ? -1 : 1));
  if (s !== undefined) {
    apply(state, { scales: new Map([[s, signs]]) });
    state.signed.add(s);
    return;
  }
  const matrices = new Float64Array(fibres * size * size);
  signs.forEach((sign, e) => {
    matrices[Math.floor(e / size) * size * size + (e % size) * (size + 1)] = sign;
  });
  apply(state, { matrices: new Map([[k, matrices]]) });
}

/** Units in the order of a sum of their weights; those that agree in it, in the order of others. */
function settleOrder(state: State, k: number): void {
  const { size, fibres } = state.group.classes[k]!;
  const names = namesOf(state, k);
  const isOrdered = (leg: UnitLeg) => state.ordered.has(leg.units);
  const isFinal = (name: string, own: boolean) =>
    partners(state, name, k).every(
      (leg) => isSized(state, leg) && leg.units !== k && (!own || isOrdered(leg)),
    );
  const isPlain = (name: string) =>
    isFinal(name, true) && legsOf(state, name).every((leg) => isSigned(state, leg));
  const plain = names.filter(isPlain);
  const aggregated = names.filter((name) => isFinal(name, false) && !isPlain(name));
  const rest = names.filter((name) => !plain.includes(name) && !aggregated.includes(name));
  if (plain.length + aggregated.length === 0) state.open.add(k);
  // Later keys are for units that agree in the earlier ones: seldom asked for.
  const keys = [
    ...(plain.length > 0
      ? [2, 3].map((salt) => () => unitSums(state, k, plain, { power: 1, isOrdered, salt }))
      : []),
    ...(aggregated.length > 0
      ? [4, 5].map((salt) => () => unitSums(state, k, aggregated, { power: 2, isOrdered, salt }))
      : []),
    ...(rest.length > 0 ? [() => unitSums(state, k, rest, { power: 2 })] : []),
  ].map(once);
  const permutation = new Int32Array(size * fibres);
  for (let f = 0; f < fibres; f++) {
    const order = Array.from({ length: size }, (_, i) => f * size + i).sort((a, b) => {
      for (const key of keys) {
        const [p, q] = [key()[a]!, key()[b]!];
        if (Math.abs(p - q) > 1e-9 * (Math.abs(p) + Math.abs(q))) return p - q;
      }
      return 0;
    });
    order.forEach((unit, place) => {
      permutation[unit] = place;
    });
  }
  apply(state, { permutations: new Map([[k, permutation]]) });
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
