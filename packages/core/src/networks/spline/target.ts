// Functions of one variable to approximate, with the facts that the certificates of splines and staircases ask for.
import { ConstructError } from "../../functions/error.ts";

/** [from, to]. */
export type Segment = readonly [number, number];

/** A function on [-1, 1] with its derivatives, and every point inside where one of them turns around. */
export interface Target {
  /** As people write it. */
  readonly formula: string;
  value(x: number): number;
  derivative(x: number): number;
  second(x: number): number;
  /** Where f' changes its sign: f is monotone between them. */
  readonly turns: readonly number[];
  /** Where f'' changes its sign: f' is monotone between them. */
  readonly inflections: readonly number[];
  /** Where f'' is locally extremal: f'' is monotone between them. */
  readonly bends: readonly number[];
}

const { sin, cos, exp, PI, sqrt } = Math;
const none: readonly number[] = [];
const [rampFrom, rampTo] = [0.4, 0.6];
const ramp = (x: number): number => Math.min(1, Math.max(0, (x - rampFrom) / (rampTo - rampFrom)));

export const targets = {
  exp: {
    formula: "exp x",
    value: exp,
    derivative: exp,
    second: exp,
    turns: none,
    inflections: none,
    bends: none,
  },
  square: {
    formula: "x²",
    value: (x) => x * x,
    derivative: (x) => 2 * x,
    second: () => 2,
    turns: [0],
    inflections: none,
    bends: none,
  },
  cube: {
    formula: "x³",
    value: (x) => x * x * x,
    derivative: (x) => 3 * x * x,
    second: (x) => 6 * x,
    turns: none,
    inflections: [0],
    bends: none,
  },
  sine: {
    formula: "sin 3x",
    value: (x) => sin(3 * x),
    derivative: (x) => 3 * cos(3 * x),
    second: (x) => -9 * sin(3 * x),
    turns: [-PI / 6, PI / 6],
    inflections: [0],
    bends: [-PI / 6, PI / 6],
  },
  wave: {
    formula: "sin 2πx",
    value: (x) => sin(2 * PI * x),
    derivative: (x) => 2 * PI * cos(2 * PI * x),
    second: (x) => -4 * PI * PI * sin(2 * PI * x),
    turns: [-0.75, -0.25, 0.25, 0.75],
    inflections: [-0.5, 0, 0.5],
    bends: [-0.75, -0.25, 0.25, 0.75],
  },
  runge: {
    formula: "1 / (1 + 25x²)",
    value: (x) => 1 / (1 + 25 * x * x),
    derivative: (x) => (-50 * x) / (1 + 25 * x * x) ** 2,
    second: (x) => (50 * (75 * x * x - 1)) / (1 + 25 * x * x) ** 3,
    turns: [0],
    inflections: [-1 / sqrt(75), 1 / sqrt(75)],
    bends: [-0.2, 0, 0.2],
  },
  /** 3s² - 2s³ between 0.4 and 0.6, flat elsewhere: f'' jumps at the ends of the ramp. */
  ramp: {
    formula: "ramp at 1/2",
    value: (x) => ramp(x) ** 2 * (3 - 2 * ramp(x)),
    derivative: (x) => (6 * ramp(x) * (1 - ramp(x))) / (rampTo - rampFrom),
    second: (x) => (x < rampFrom || x > rampTo ? 0 : (6 - 12 * ramp(x)) / (rampTo - rampFrom) ** 2),
    turns: none,
    inflections: [0.5],
    bends: [rampFrom, rampTo],
  },
} as const satisfies Readonly<Record<string, Target>>;

export type TargetName = keyof typeof targets;

/** The ends of a segment, and those of the given points that lie inside, in order. */
export function cuts([from, to]: Segment, points: readonly number[]): readonly number[] {
  if (!(from < to)) throw new ConstructError(`a segment needs ends in order, not ${from} and ${to}`);
  return [from, ...points.filter((x) => x > from && x < to), to];
}

/**
 * max |f'| on a segment, the least Lipschitz constant.
 * @example lipschitz(targets.sine, [0, 1]) // 3
 */
export const lipschitz = (f: Target, on: Segment): number =>
  Math.max(...cuts(on, f.inflections).map((x) => Math.abs(f.derivative(x))));

/**
 * max |f''| on a segment.
 * @example greatestSecond(targets.runge, [-1, 1]) // 50
 */
export const greatestSecond = (f: Target, on: Segment): number =>
  Math.max(...cuts(on, f.bends).map((x) => Math.abs(f.second(x))));

/** min |f''| on a segment. */
export const leastSecond = (f: Target, on: Segment): number =>
  cuts(on, f.inflections).length > 2 ? 0 : Math.min(...cuts(on, f.bends).map((x) => Math.abs(f.second(x))));

/** Whether f'' >= 0, or f'' <= 0, on the whole segment. */
export const isOneSided = (f: Target, on: Segment): boolean => cuts(on, f.inflections).length === 2;
