// The rules by which a layer hands relevance on: their names, their parameters, and how they are written.
import { GraphError } from "../../graph/error.ts";

/** Added to a denominator, with its sign, so that nothing is divided by 0. */
export const defaultStabilizer = 1e-6;

/** The least and the greatest that an input can be, numbers or one for each channel. */
export interface Bounds {
  readonly low: number | readonly number[];
  readonly high: number | readonly number[];
}

interface Options {
  /** Whether the bias takes its share; without it all goes to the inputs. */
  readonly bias?: boolean;
  readonly stabilizer?: number;
}

export type Rule = Options &
  (
    | { readonly kind: "zero" | "z-plus" | "flat" | "w-square" | "pass" | "norm" | "gradient" }
    /** Relative: epsilon times the root mean square of what the layer gives, for each example. */
    | { readonly kind: "epsilon"; readonly epsilon: number; readonly relative?: boolean }
    | { readonly kind: "gamma"; readonly gamma: number }
    /** Balanced: a neuron that has contributions of one sign only hands on all of its relevance, not alpha times it. */
    | {
        readonly kind: "alpha-beta";
        readonly alpha: number;
        readonly beta: number;
        readonly balanced?: boolean;
      }
    /** Inputs lie between low and high. */
    | ({ readonly kind: "z-box" } & Bounds)
    /** What comes back through an activation as gradients are shown: where both are positive, or where what comes is. */
    | { readonly kind: "guided" | "deconvolution" }
  );

export type RuleKind = Rule["kind"];

const wrong = (text: string, reason: string): never => {
  throw new GraphError(`no rule "${text}": ${reason}`);
};

/** The rule for inputs in a box. */
export function zBox({ low, high }: Bounds): Rule {
  const [lows, highs] = [[low].flat(), [high].flat()];
  const count = Math.max(lows.length, highs.length);
  const text = `z-box=${one(low)},${one(high)}`;
  if ([lows, highs].some(({ length }) => length !== 1 && length !== count))
    wrong(text, `there are ${lows.length} numbers below and ${highs.length} above`);
  const at = (bounds: readonly number[], k: number): number => bounds[k] ?? bounds[0]!;
  if (!Array.from({ length: count }, (_, k) => at(lows, k) < at(highs, k)).every(Boolean))
    wrong(text, "low is below high");
  return { kind: "z-box", low, high };
}

const list =
  "zero, epsilon=0.1, epsilon=0.25rms, gamma=0.25, alpha-beta=2,1, z-plus, flat, w-square, z-box=-1,1, pass, norm, gradient";

/**
 * A rule as it is written on a command line.
 * @example parseRule("gamma=0.25") // { kind: "gamma", gamma: 0.25 }
 */
export function parseRule(text: string): Rule {
  const [name, given, ...more] = text.split("=") as [string, string | undefined];
  if (more.length > 0) wrong(text, "its parameters are no numbers");
  const values = given === undefined ? [] : given.split(",");
  const numbers = values.map((v) => Number(name === "epsilon" ? v.replace(/rms$/, "") : v));
  if (values.some((v) => v.trim() === "") || !numbers.every(Number.isFinite))
    wrong(text, "its parameters are no numbers");
  const count = (most: number): void => {
    if (numbers.length > most) wrong(text, `it has ${most === 0 ? "no parameter" : `at most ${most}`}`);
  };
  switch (name) {
    case "zero":
    case "z-plus":
    case "flat":
    case "w-square":
    case "pass":
    case "norm":
    case "gradient":
    case "guided":
    case "deconvolution":
      count(0);
      return { kind: name };
    case "epsilon": {
      count(1);
      const epsilon = numbers[0] ?? defaultStabilizer;
      if (epsilon < 0) wrong(text, "epsilon is at least 0");
      return values[0]?.endsWith("rms") ? { kind: name, epsilon, relative: true } : { kind: name, epsilon };
    }
    case "gamma": {
      count(1);
      const gamma = numbers[0] ?? 0.25;
      if (gamma < 0) wrong(text, "gamma is at least 0");
      return { kind: name, gamma };
    }
    case "alpha-beta": {
      count(2);
      const [alpha, beta] = [numbers[0] ?? 2, numbers[1] ?? (numbers[0] ?? 2) - 1];
      if (alpha < 1 || Math.abs(alpha - beta - 1) > 1e-9)
        wrong(text, "alpha is at least 1, and alpha - beta = 1");
      return { kind: name, alpha, beta };
    }
    case "z-box": {
      count(2);
      return zBox({ low: numbers[0] ?? 0, high: numbers[1] ?? 1 });
    }
    default:
      return wrong(text, `there are ${list}`);
  }
}

const one = (v: number | readonly number[]): string => (typeof v === "number" ? `${v}` : `[${v.join(" ")}]`);

/**
 * A rule as it is printed.
 * @example ruleText({ kind: "alpha-beta", alpha: 2, beta: 1 }) // "alpha-beta=2,1"
 */
export function ruleText(rule: Rule): string {
  const suffix = rule.bias === false ? " (no bias)" : "";
  switch (rule.kind) {
    case "epsilon":
      return `epsilon=${rule.epsilon}${rule.relative ? "rms" : ""}${suffix}`;
    case "gamma":
      return `gamma=${rule.gamma}${suffix}`;
    case "alpha-beta":
      return `alpha-beta=${rule.alpha},${rule.beta}${rule.balanced ? " (balanced)" : ""}${suffix}`;
    case "z-box":
      return `z-box=${one(rule.low)},${one(rule.high)}`;
    default:
      return `${rule.kind}${suffix}`;
  }
}
