// Any kernel by a deep network (Theorem 6.13): 2^j sections side by side, in each of them 2^(d-j) subsections one after the
// other, each of which moves mass along Gray codes for one input.
import { DiscreteError } from "../error.ts";
import type { BeliefNetwork } from "./belief-network.ts";
import { grayCode, overlayBits, partialGrayCodes } from "./gray.ts";
import { bitsOf, type Kernel } from "./kernel.ts";
import {
  copyUnit,
  gammaOf,
  matchUnit,
  type Sharing,
  type StochasticUnit,
  sharingUnit,
  silentUnit,
} from "./unit.ts";

export type SharingMode = "single" | "overlay";

/** The bits of an output that may flip in one layer: from a state, staying with a chance. */
type Step = Pick<Sharing, "state" | "flips" | "stay" | "partner">;

const indexOf = (state: readonly number[]): number => state.reduce((sum, b) => 2 * sum + b, 0);
const flipped = (from: readonly number[], to: readonly number[]): number =>
  from.findIndex((b, k) => b !== to[k]);
const ratio = (part: number, whole: number): number => (whole > 0 ? Math.min(1, part / whole) : 1);

/** Along one Gray code, from (1, 0, ..., 0) to 0: each state keeps its own mass of what has not been placed yet. */
function singleSteps(row: Float64Array, s: number): readonly (readonly Step[])[] {
  const path = grayCode(s).toReversed();
  let left = 1;
  return path.slice(0, -1).map((state, k) => {
    const mass = row[indexOf(state)]!;
    const step = { state, flips: flipped(state, path[k + 1]!), stay: ratio(mass, left) };
    left -= mass;
    return [step];
  });
}

/** First over the beginnings of all partial codes, then along all of them at a time, two for each unit that flips. */
function overlaySteps(row: Float64Array, b: number): readonly (readonly Step[])[] {
  const codes = partialGrayCodes(b);
  const mass = codes.map((code) => code.reduce((sum, state) => sum + row[indexOf(state)]!, 0));
  const order = grayCode(b).map(indexOf);
  let left = 1;
  const spreading = order.slice(0, -1).map((index, k): readonly Step[] => {
    const [state, next] = [codes[index]![0]!, codes[order[k + 1]!]![0]!];
    const step = { state, flips: flipped(state, next), stay: ratio(mass[index]!, left) };
    left -= mass[index]!;
    return [step];
  });
  const remaining = [...mass];
  const moving = codes[0]!.slice(1).map((_, k) =>
    Array.from({ length: codes.length / 2 }, (_, pair): Step => {
      const [stay, other] = [2 * pair, 2 * pair + 1].map((index) => {
        const own = row[indexOf(codes[index]![k]!)]!;
        const chance = ratio(own, remaining[index]!);
        remaining[index]! -= own;
        return chance;
      }) as [number, number];
      const state = codes[2 * pair]![k]!;
      const partner = { place: state.length - 1, stay: other };
      return { state, flips: flipped(state, codes[2 * pair]![k + 1]!), stay, partner };
    }),
  );
  return [...spreading, ...moving];
}

/**
 * All units but the inputs, before the network is made: a first layer, then for each of 2^(d-j) inputs 2^s - 1 layers that share
 * mass (with overlaid codes 2^b - 1 and 2^(s-b) - 1), then the outputs.
 * @example deepUnits({ inputs: 1, outputs: 2 }, 0) // 17
 */
export function deepUnits(
  { inputs: d, outputs: s }: Pick<Kernel, "inputs" | "outputs">,
  j: number,
  mode: SharingMode = overlayBits(s) ? "overlay" : "single",
): number {
  const b = overlayBits(s);
  const sharing = mode === "overlay" && b !== undefined ? 2 ** b + 2 ** (s - b) - 2 : 2 ** s - 1;
  return (1 + 2 ** (d - j) * sharing) * 2 ** j * (s + d - j) + s;
}

/**
 * The deep network of shape j; each unit errs with probability eps at most. Overlaid codes need s = 2, 4, 7 or 12 outputs.
 * @example deepNetwork(kernelOf([[0.5, 0.5], [1, 0]]), 1, 0.001).layers.map((l) => l.length) // [2, 2, 1]
 */
export function deepNetwork(
  { inputs: d, outputs: s, rows }: Kernel,
  j: number,
  eps: number,
  mode: SharingMode = overlayBits(s) ? "overlay" : "single",
): BeliefNetwork {
  if (!(Number.isSafeInteger(j) && j >= 0 && j <= d))
    throw new DiscreteError(`the shape of a deep network is 0 ... ${d}, not ${j}`);
  const b = overlayBits(s);
  if (mode === "overlay" && b === undefined)
    throw new DiscreteError(`overlaid Gray codes need 2, 4, 7 or 12 outputs, not ${s}`);
  const width = s + d - j;
  const sections = Array.from({ length: 2 ** j }, (_, t) => t);
  const first = sections.flatMap((t) => firstBlock(t, d, s, j, eps));
  const layers: StochasticUnit[][] = [first];
  for (let q = 0; q < 2 ** (d - j); q++) {
    const steps = sections.map((t) => {
      const row = rows[t * 2 ** (d - j) + q]!;
      return mode === "overlay" ? overlaySteps(row, b!) : singleSteps(row, s);
    });
    for (let k = 0; k < steps[0]!.length; k++)
      layers.push(sections.flatMap((t) => sharingBlock(steps[t]![k]!, bitsOf(q, d - j), t * width, s, eps)));
  }
  return { inputs: d, layers: [...layers, disjunctions(sections.length, s, width, eps)] };
}

/** On where the first j bits are those of the section; then zeros; then copies of the other bits. */
function firstBlock(section: number, d: number, s: number, j: number, eps: number): StochasticUnit[] {
  const columns = Array.from({ length: j }, (_, k) => k);
  return [
    matchUnit(columns, bitsOf(section, j), eps),
    ...Array.from({ length: s - 1 }, () => silentUnit(eps)),
    ...Array.from({ length: d - j }, (_, k) => copyUnit(j + k, eps)),
  ];
}

function sharingBlock(
  steps: readonly Step[],
  input: readonly number[],
  from: number,
  s: number,
  eps: number,
): StochasticUnit[] {
  const columns = Array.from({ length: s + input.length }, (_, k) => from + k);
  return columns.map((column, k) => {
    const step = steps.find(({ flips }) => flips === k);
    return step
      ? sharingUnit({ ...step, columns, state: [...step.state, ...input] }, eps)
      : copyUnit(column, eps);
  });
}

/** Output k is on where unit k of a section is (6.20, its bias mended). */
const disjunctions = (sections: number, s: number, width: number, eps: number): StochasticUnit[] =>
  Array.from({ length: s }, (_, k) => ({
    bias: -gammaOf(eps),
    reads: Array.from({ length: sections }, (_, t): readonly [number, number] => [
      t * width + k,
      2 * gammaOf(eps),
    ]),
  }));
