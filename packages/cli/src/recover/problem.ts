// What `lemmata recover` is asked for: options, measurements, and what a prior answers.
import { type Certificate, type LinearMap, untrainedNames } from "@lemmata/core/inverse";
import { createRandom } from "@lemmata/core/numbers";
import type { CommonOptions } from "../output.ts";
import { UsageError } from "../usage-error.ts";
import type { Measuring, RealArray } from "./data.ts";

export interface RecoverOptions extends CommonOptions {
  readonly operator: string;
  readonly generator?: string;
  readonly prior?: string;
  readonly network?: string;
  readonly denoiser?: string;
  readonly shape?: string;
  readonly measure?: boolean;
  readonly noise?: number;
  readonly truth?: string;
  readonly out?: string;
  readonly measurements?: string;
  readonly png?: string;
  readonly lambda?: number;
  readonly wavelet: string;
  readonly range?: readonly number[];
  readonly restarts: number;
  readonly steps?: number;
  readonly rate?: number;
  readonly latentWeight: number;
  readonly negation?: number;
  readonly deviations?: number;
  readonly layerwise?: boolean;
  readonly intermediate?: number;
  readonly nearness: number;
  readonly posterior?: boolean;
  readonly modulus?: boolean;
  readonly radius: number;
  readonly width: number;
  readonly variation: number;
}

export const priors = ["tv", "dct", "wavelet", ...untrainedNames] as const;
export type Prior = (typeof priors)[number];

/** What a prior found, and what it says of it. */
export interface Found {
  readonly x: Float64Array;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly certificate: Certificate;
}

export interface Problem extends Measuring {
  readonly y: Float64Array;
  readonly truth: RealArray | undefined;
  readonly noise: number;
  readonly range: readonly [number, number] | undefined;
  readonly options: RecoverOptions;
  readonly tick: (fraction: number, note: string) => void;
  readonly signal: AbortSignal;
}

/** Networks that an option names. */
const models = ["generator", "network", "denoiser"] as const;
export type Method = (typeof models)[number] | Prior;

/** Ways to use a generator, of which one goes at a time. */
const ways = ["layerwise", "deviations", "intermediate", "posterior"] as const;

/** What finds the signal; options that do not go with it are refused. */
export function methodOf(options: RecoverOptions): Method {
  const { prior, modulus, deviations, operator, negation } = options;
  const given = [...models, "prior" as const].filter((name) => options[name] !== undefined);
  if (given.length !== 1)
    throw new UsageError("one of --generator, --prior, --network and --denoiser is wanted");
  if (prior !== undefined && !priors.includes(prior as Prior))
    throw new UsageError(`--prior is one of ${priors.join(", ")}, not ${prior}`);
  const way = ways.filter((name) => options[name] !== undefined);
  const ofGenerator = [
    ...way,
    ...(["modulus", "negation"] as const).filter((name) => options[name] !== undefined),
  ];
  if (options.generator === undefined && ofGenerator[0])
    throw new UsageError(`--${ofGenerator[0]} is there for a --generator`);
  if (way.length > 1) throw new UsageError(`--${way[0]} and --${way[1]} exclude each other`);
  if (options.layerwise && (operator !== "identity" || modulus || negation !== undefined))
    throw new UsageError(
      "--layerwise inverts a generator: --operator identity, without --modulus and --negation",
    );
  if (deviations !== undefined && (modulus || !(deviations > 0)))
    throw new UsageError("--deviations is a positive weight, without --modulus");
  if (options.posterior && (modulus || !options.noise))
    throw new UsageError("--posterior needs --noise above 0, without --modulus");
  if (options.intermediate !== undefined && !(options.nearness > 0))
    throw new UsageError(`--nearness is a positive part, not ${options.nearness}`);
  const [name] = given as [(typeof given)[number]];
  return name === "prior" ? (prior as Prior) : name;
}

export function rangeOf({ range }: RecoverOptions): readonly [number, number] | undefined {
  if (range === undefined) return undefined;
  const [low, high, ...more] = range as [number, number];
  if (!(low < high) || more.length > 0)
    throw new UsageError("--range is two numbers, the lower one first: 0,1");
  return [low, high];
}

/** y = A x + e, or |A x| + e. */
export function measured(
  map: LinearMap,
  x: Float64Array,
  { noise = 0, modulus, seed }: RecoverOptions,
): Float64Array {
  if (x.length !== map.inputs)
    throw new UsageError(`the signal has ${x.length} numbers, the operator takes ${map.inputs}`);
  const random = createRandom(`noise ${seed}`);
  return map.apply(x).map((v) => (modulus ? Math.abs(v) : v) + (noise > 0 ? noise * random.normal() : 0));
}

export const residualOf = ({ map, y, options }: Problem, x: Float64Array): number =>
  Math.sqrt(map.apply(x).reduce((sum, v, i) => sum + ((options.modulus ? Math.abs(v) : v) - y[i]!) ** 2, 0));
