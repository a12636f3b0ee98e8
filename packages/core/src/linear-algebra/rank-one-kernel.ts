// Sums and quotients over the poles of a secular equation in WebAssembly: they live on divisions, of which an instruction
// makes two in the time of one.
import {
  add,
  advance,
  and,
  type Code,
  constant,
  divided,
  f64,
  firstHalf,
  get,
  i32,
  minus,
  multiplied,
  number,
  pair,
  plus,
  set,
  single,
  sumOfHalves,
  twice,
  v128,
  type WasmFunction,
  whileBelow,
} from "./wasm-code.ts";

/** Addresses and lengths in bytes. The distance of pole j to a root is (d_j - o) - tau, or (d_j - o)(d_j + o) - tau. */
export interface RankOneKernel {
  /** out = sum_j s_j / (x_j - tau) and sum_j s_j / (x_j - tau)^2. */
  secularSums(s: number, x: number, length: number, tau: number, out: number): void;
  /** w_j <- w_j distance_j / (d_j - own). */
  poleRatios(w: number, d: number, length: number, o: number, tau: number, own: number): void;
  /** The same with d_j^2 - own^2. */
  poleRatiosOfSquares(w: number, d: number, length: number, o: number, tau: number, own: number): void;
  /** into_j = z_j / distance_j, and out = sum_j into_j^2. */
  quotients(z: number, d: number, length: number, o: number, tau: number, into: number, out: number): void;
  quotientsOfSquares(
    z: number,
    d: number,
    length: number,
    o: number,
    tau: number,
    into: number,
    out: number,
  ): void;
  /** into_j = factor x_j. */
  scaled(x: number, length: number, factor: number, into: number): void;
}

type Access = typeof pair;

/** Pairs, and then the number that may be left; locals hold where `first` ends, and addresses that run. */
function overAll(
  [first, length, end]: readonly [number, number, number],
  addresses: readonly number[],
  step: Code,
  last: Code,
): Code {
  const loop = (steps: Code, bytes: number): Code =>
    whileBelow(first, end, [...steps, ...addresses.flatMap((local) => advance(local, constant(bytes)))]);
  return [
    ...[...get(first), ...get(length), ...constant(-16), ...and, ...add, ...set(end)],
    ...loop(step, 16),
    ...advance(end, [...get(length), ...constant(8), ...and]),
    ...loop(last, 8),
  ];
}

const secularSums = ((): WasmFunction => {
  const [s, x, length, tau, out, end] = [0, 1, 2, 3, 4, 5];
  const [inverseOfLast, termOfLast, sumOfLast, slopeOfLast] = [6, 7, 8, 9];
  const [tauTwice, one, inverse, term, sum, slope] = [10, 11, 12, 13, 14, 15];
  const step: Code = [
    ...[...get(one), ...get(x), ...pair.load(0), ...get(tauTwice), ...minus, ...divided, ...set(inverse)],
    ...[...get(s), ...pair.load(0), ...get(inverse), ...multiplied, ...set(term)],
    ...[...get(sum), ...get(term), ...plus, ...set(sum)],
    ...[...get(slope), ...get(term), ...get(inverse), ...multiplied, ...plus, ...set(slope)],
  ];
  const last: Code = [
    ...[...number.of(1), ...get(x), ...number.load(0), ...get(tau), ...number.subtract, ...number.divide],
    ...set(inverseOfLast),
    ...[...get(s), ...number.load(0), ...get(inverseOfLast), ...number.multiply, ...set(termOfLast)],
    ...[...get(sumOfLast), ...get(termOfLast), ...number.add, ...set(sumOfLast)],
    ...[...get(slopeOfLast), ...get(termOfLast), ...get(inverseOfLast), ...number.multiply, ...number.add],
    ...set(slopeOfLast),
  ];
  return {
    name: "secularSums",
    parameters: [i32, i32, i32, f64, i32],
    locals: [
      [1, i32],
      [4, f64],
      [6, v128],
    ],
    code: [
      ...[...get(tau), ...twice, ...set(tauTwice), ...number.of(1), ...twice, ...set(one)],
      ...overAll([s, length, end], [s, x], step, last),
      ...[...get(out), ...sumOfHalves(sum), ...get(sumOfLast), ...number.add, ...number.store(0)],
      ...[...get(out), ...sumOfHalves(slope), ...get(slopeOfLast), ...number.add, ...number.store(8)],
    ],
  };
})();

/** What is on the stack minus the pole o, or the difference of their squares; d is in a local. */
const difference = (d: number, o: number, isOfSquares: boolean): Code => [
  ...[...get(d), ...get(o), ...minus],
  ...(isOfSquares ? [...get(d), ...get(o), ...plus, ...multiplied] : []),
];

const poleRatios = (isOfSquares: boolean): WasmFunction => {
  const [w, d, length, o, tau, own, end] = [0, 1, 2, 3, 4, 5, 6];
  const [oTwice, tauTwice, ownTwice, pole] = [7, 8, 9, 10];
  const step = ({ load, store }: Access): Code => [
    ...[...get(d), ...load(0), ...set(pole)],
    ...[...get(w), ...get(w), ...load(0)],
    ...[...difference(pole, oTwice, isOfSquares), ...get(tauTwice), ...minus],
    ...[...difference(pole, ownTwice, isOfSquares), ...divided, ...multiplied, ...store(0)],
  ];
  return {
    name: isOfSquares ? "poleRatiosOfSquares" : "poleRatios",
    parameters: [i32, i32, i32, f64, f64, f64],
    locals: [
      [1, i32],
      [4, v128],
    ],
    code: [
      ...[...get(o), ...twice, ...set(oTwice), ...get(tau), ...twice, ...set(tauTwice)],
      ...[...get(own), ...twice, ...set(ownTwice)],
      ...overAll([w, length, end], [w, d], step(pair), step(single)),
    ],
  };
};

const quotients = (isOfSquares: boolean): WasmFunction => {
  const [z, d, length, o, tau, into, out, end, sumOfLast] = [0, 1, 2, 3, 4, 5, 6, 7, 8];
  const [oTwice, tauTwice, pole, quotient, sum] = [9, 10, 11, 12, 13];
  const step = ({ load, store }: Access, square: Code): Code => [
    ...[...get(d), ...load(0), ...set(pole)],
    ...[...get(z), ...load(0), ...difference(pole, oTwice, isOfSquares), ...get(tauTwice), ...minus],
    ...[...divided, ...set(quotient), ...get(into), ...get(quotient), ...store(0)],
    ...square,
  ];
  const squared: Code = [...get(quotient), ...get(quotient), ...multiplied];
  return {
    name: isOfSquares ? "quotientsOfSquares" : "quotients",
    parameters: [i32, i32, i32, f64, f64, i32, i32],
    locals: [
      [1, i32],
      [1, f64],
      [5, v128],
    ],
    code: [
      ...[...get(o), ...twice, ...set(oTwice), ...get(tau), ...twice, ...set(tauTwice)],
      ...overAll(
        [z, length, end],
        [z, d, into],
        step(pair, [...get(sum), ...squared, ...plus, ...set(sum)]),
        step(single, [...squared, ...firstHalf, ...set(sumOfLast)]),
      ),
      ...[...get(out), ...sumOfHalves(sum), ...get(sumOfLast), ...number.add, ...number.store(0)],
    ],
  };
};

const scaled = ((): WasmFunction => {
  const [x, length, factor, into, end, factorTwice] = [0, 1, 2, 3, 4, 5];
  const step = ({ load, store }: Access): Code => [
    ...[...get(into), ...get(x), ...load(0), ...get(factorTwice), ...multiplied, ...store(0)],
  ];
  return {
    name: "scaled",
    parameters: [i32, i32, f64, i32],
    locals: [
      [1, i32],
      [1, v128],
    ],
    code: [
      ...[...get(factor), ...twice, ...set(factorTwice)],
      ...overAll([x, length, end], [x, into], step(pair), step(single)),
    ],
  };
})();

export const rankOneFunctions: readonly WasmFunction[] = [
  secularSums,
  poleRatios(false),
  poleRatios(true),
  quotients(false),
  quotients(true),
  scaled,
];
