// Waves as integrals of ridge units on the unit ball. With a = |omega|, z = <omega / a, x> and |z| <= 1:
// cos(az + th) - cos th            = int_0^1 -a sin(at + th) 1[z >= t] + a sin(th - at) 1[-z >= t] dt
// cos(az + th) - cos th + az sin th = int_0^1 -a^2 cos(at + th) (z - t)_+ - a^2 cos(th - at) (-z - t)_+ dt

import { dot } from "../../linear-algebra/dot.ts";
import { integral } from "../../networks/spline/quadrature.ts";
import type { Random } from "../../numbers/random.ts";
import { BarronError, requireCount } from "./error.ts";
import type { RidgeActivation, RidgeSum, RidgeUnit } from "./ridge-sum.ts";
import { euclideanLength, type SpectralFunction, type Wave, type WeightedWave } from "./spectral-function.ts";

/** The coefficients of sigma(z - t) and sigma(-z - t), divided by a or a^2. */
export function pairCoefficients(
  activation: RidgeActivation,
  { phase }: Pick<Wave, "phase">,
  turn: number,
): readonly [number, number] {
  return activation === "threshold"
    ? [-Math.sin(turn + phase), Math.sin(phase - turn)]
    : [-Math.cos(turn + phase), -Math.cos(phase - turn)];
}

const orderOf = (activation: RidgeActivation): 1 | 2 => (activation === "threshold" ? 1 : 2);

/** int_0^1 c(t) h(t) dt for smooth c, of which the unit sees t up to `end` only. */
const untilJump = (c: (t: number) => number, end: number, a: number): number => {
  const panels = Math.ceil((a * end) / 4) + 1;
  let sum = 0;
  for (let p = 0; p < panels; p++) sum += integral(c, (end * p) / panels, (end * (p + 1)) / panels);
  return sum;
};

/**
 * The network of infinitely many units, by quadrature: for |x| <= 1 it is f(x) - f(0), with ReLUs f(x) - f(0) - <grad f(0), x>.
 * Offsets stop at 1, as the theorem has them; that is why it fails for |x| > 1.
 */
export function representedValue(
  nodes: readonly WeightedWave[],
  activation: RidgeActivation,
  x: ArrayLike<number>,
): number {
  return nodes.reduce((sum, { omega, phase, weight }) => {
    const a = euclideanLength(omega);
    if (a === 0) return sum;
    const z = dot(omega, x) / a;
    const side = z >= 0 ? 0 : 1; // one unit of the pair is on
    const c = (t: number): number =>
      pairCoefficients(activation, { phase }, a * t)[side] * (activation === "relu" ? Math.abs(z) - t : 1);
    return sum + weight * a ** orderOf(activation) * untilJump(c, Math.min(1, Math.abs(z)), a);
  }, 0);
}

/** The moment to draw from: a function without frequencies has nothing to draw. */
function requireVariation(f: SpectralFunction, order: 1 | 2): number {
  const moment = f.moment(order);
  if (!(moment > 0 && moment < Number.POSITIVE_INFINITY))
    throw new BarronError(
      `${f.formula} has the moment ${moment} of order ${order}: there is nothing to draw from`,
    );
  return moment;
}

/** n pairs drawn from the representation, each (omega, t) with both of its units: 2 n units whose mean is f. */
export function drawPairs(
  f: SpectralFunction,
  activation: RidgeActivation,
  n: number,
  random: Random,
): RidgeSum {
  requireCount("the number of pairs", n);
  const mass = requireVariation(f, orderOf(activation));
  const units = Array.from({ length: n }, (): readonly RidgeUnit[] => {
    const wave = f.draw(orderOf(activation), random);
    const a = euclideanLength(wave.omega);
    const direction = wave.omega.map((w) => w / a);
    const offset = random.uniform();
    const [right, left] = pairCoefficients(activation, wave, a * offset);
    return [
      { direction, offset, weight: (mass * right) / n },
      { direction: direction.map((v) => -v), offset, weight: (mass * left) / n },
    ];
  }).flat();
  return { dimension: f.dimension, activation, units, ...affinePart(f, activation) };
}

/** What the units leave out: f(0), and the linear part for ReLUs. */
const affinePart = (f: SpectralFunction, activation: RidgeActivation): Pick<RidgeSum, "bias" | "slope"> => ({
  bias: f.value(new Float64Array(f.dimension)),
  ...(activation === "relu" ? { slope: f.slope } : {}),
});

/**
 * The density q of Theorem 2.12: for real f the two halves of the pair are the same by omega -> -omega, so one threshold
 * 1[<e, x> >= t] with the coefficient -2 |omega| sin(|omega| t + theta) is enough. Weights have the size |sin| here.
 */
export function drawThresholds(f: SpectralFunction, k: number, random: Random): RidgeSum {
  requireCount("the number of thresholds", k);
  const mass = 2 * requireVariation(f, 1);
  const units = Array.from({ length: k }, (): RidgeUnit => {
    const { direction, offset, turn, phase } = drawOffset(f.draw(1, random), random);
    return { direction, offset, weight: (-mass * Math.sin(turn + phase)) / k };
  });
  return { dimension: f.dimension, activation: "threshold", units, ...affinePart(f, "threshold") };
}

/** The sampler of the signed measure itself: (omega, t) is kept with probability |sin|, and the weights are +-mass / k. */
export function drawSignedThresholds(f: SpectralFunction, k: number, mass: number, random: Random): RidgeSum {
  requireCount("the number of thresholds", k);
  const units: RidgeUnit[] = [];
  while (units.length < k) {
    const { direction, offset, turn, phase } = drawOffset(f.draw(1, random), random);
    const size = -Math.sin(turn + phase);
    if (random.uniform() >= Math.abs(size)) continue;
    units.push({ direction, offset, weight: (Math.sign(size) * mass) / k });
  }
  return { dimension: f.dimension, activation: "threshold", units, ...affinePart(f, "threshold") };
}

/** Of a wave and its opposite, which is the same function, each comes half of the time: one threshold needs that. */
function drawOffset({ omega, phase }: Wave, random: Random) {
  const a = euclideanLength(omega);
  const sign = random.uniform() < 0.5 ? -1 : 1;
  const offset = random.uniform();
  return { direction: omega.map((w) => (sign * w) / a), offset, turn: a * offset, phase: sign * phase };
}

/** The mass of q: int 2 |omega| int_0^1 |sin(|omega| t + theta)| dt, over each wave and its opposite; at most 2 C. */
export const thresholdMass = (nodes: readonly WeightedWave[]): number =>
  nodes.reduce((sum, { omega, phase, weight }) => {
    const a = euclideanLength(omega);
    return sum + weight * (sineVariation(phase, phase + a) + sineVariation(-phase, a - phase));
  }, 0);

/**
 * E V(x)^2 for one drawn threshold V = -2 C sin(|omega| t + theta) 1[<e, x> >= t], over each wave and its opposite:
 * 2 C int |omega| int_0^|z| sin^2(|omega| t +- theta) dt, z = <e, x>, the sign that of z.
 */
export const thresholdSecondMoment = (
  nodes: readonly WeightedWave[],
  constant: number,
  x: ArrayLike<number>,
): number =>
  nodes.reduce((sum, { omega, phase, weight }) => {
    const turn = dot(omega, x); // |omega| z
    const [end, theta] = turn >= 0 ? [turn, phase] : [-turn, -phase];
    const squares = end / 2 - (Math.sin(2 * (end + theta)) - Math.sin(2 * theta)) / 4;
    return sum + 2 * constant * weight * squares;
  }, 0);

/** int |sin| from a to b. */
function sineVariation(a: number, b: number): number {
  const until = (x: number): number => {
    const whole = Math.floor(x / Math.PI);
    return 2 * whole + 1 - Math.cos(x - whole * Math.PI);
  };
  return until(b) - until(a);
}
