// The parameters of a lemma between fields, sliders, the address and the command line.
import type { LemmaEntry, ParameterEntry } from "../catalogue.ts";

export type Value = number | string | boolean;
export type Values = Readonly<Record<string, Value>>;

/** The seed that `lemmata theory run` takes by default. */
export const defaultSeed = 1;

/** Greatest over least from which a slider moves by factors. */
const wide = 50;

export const isLogarithmic = ({ kind, range }: ParameterEntry): boolean =>
  range !== undefined && range[0] > 0 && range[1] / range[0] >= (kind === "integer" ? 2 * wide : wide);

const logSteps = 200;

export interface SliderScale {
  readonly min: number;
  readonly max: number;
  readonly step: number;
  readonly toSlider: (value: number) => number;
  readonly toValue: (position: number) => number;
}

/** At most this many significant digits: what a person would have typed. */
const rounded = (value: number, digits = 3): number => Number(value.toPrecision(digits));

/** A slider's own scale: steps of 1 for integers, about a hundred for reals, factors for wide ranges. */
export function sliderScale(parameter: ParameterEntry): SliderScale {
  const [least, greatest] = parameter.range!;
  const within = (value: number): number => Math.min(Math.max(value, least), greatest) + 0; // -0 is 0
  const isInteger = parameter.kind === "integer";
  if (isLogarithmic(parameter)) {
    const ratio = Math.log(greatest / least);
    return {
      min: 0,
      max: logSteps,
      step: 1,
      toSlider: (value) => (logSteps * Math.log(within(value) / least)) / ratio,
      toValue: (position) => {
        const value = least * Math.exp((ratio * position) / logSteps);
        return within(isInteger ? Math.round(rounded(value)) : rounded(value));
      },
    };
  }
  const step = isInteger ? 1 : roundStep((greatest - least) / 100);
  return {
    min: least,
    max: greatest,
    step: isInteger ? 1 : step / 10, // fine enough that the ends and the default are on it
    toSlider: within,
    toValue: (position) => {
      if (isInteger) return within(Math.round(position));
      const near = Number((Math.round(position / step) * step).toPrecision(12));
      return position <= least || position >= greatest ? within(position) : within(near);
    },
  };
}

/** 1, 2 or 5 times a power of ten, the nearest below. */
function roundStep(size: number): number {
  const power = 10 ** Math.floor(Math.log10(size));
  return power * (size >= 5 * power ? 5 : size >= 2 * power ? 2 : 1);
}

/** What is wrong with a text as the value of a parameter, or its value. */
export function parseValue(
  parameter: ParameterEntry,
  text: string,
): { readonly value: Value } | { readonly problem: string } {
  const { kind, range, options } = parameter;
  if (options) {
    const option = options.find((o) => String(o) === text);
    return option === undefined ? { problem: `one of ${options.join(", ")}` } : { value: option };
  }
  const value = Number(text);
  const [least, greatest] = range!;
  const expected = `${kind === "integer" ? "an integer" : "a number"} from ${least} to ${greatest}`;
  if (text.trim() === "" || Number.isNaN(value) || value < least || value > greatest)
    return { problem: expected };
  return kind === "integer" && !Number.isInteger(value) ? { problem: expected } : { value };
}

export const defaultsOf = ({ parameters }: Pick<LemmaEntry, "parameters">): Record<string, Value> =>
  Object.fromEntries(parameters.map((p) => [p.name, p.default]));

/** The values an address gives; what it gives wrongly is named and has its default. */
export function valuesFrom(lemma: LemmaEntry, query: Readonly<Record<string, string>>) {
  const values = defaultsOf(lemma);
  const problems: Record<string, string> = {};
  for (const parameter of lemma.parameters) {
    const text = query[parameter.name];
    if (text === undefined) continue;
    const parsed = parseValue(parameter, text);
    if ("value" in parsed) values[parameter.name] = parsed.value;
    else problems[parameter.name] = `the link has “${text}”; it is ${parsed.problem}`;
  }
  return { values, problems, seed: seedFrom(query["seed"]) ?? defaultSeed };
}

export const greatestSeed = 2 ** 32 - 1;

export function seedFrom(text: string | undefined): number | undefined {
  const seed = text !== undefined && /^\d{1,10}$/.test(text.trim()) ? Number(text) : undefined;
  return seed !== undefined && seed <= greatestSeed ? seed : undefined;
}

/** What differs from the defaults. */
export function queryOf(lemma: LemmaEntry, values: Values, seed: number): Record<string, Value> {
  const changed = lemma.parameters.filter((p) => values[p.name] !== p.default);
  return {
    ...Object.fromEntries(changed.map((p) => [p.name, values[p.name]!])),
    ...(seed !== defaultSeed && { seed }),
  };
}

const quoted = (text: string): string =>
  /^[\w=.,+@%/:-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

/** `lemmata theory run T-27 --param i=8` */
export function commandOf(lemma: LemmaEntry, values: Values, seed: number): string {
  const { seed: _, ...changed } = queryOf(lemma, values, seed);
  return [
    `lemmata theory run ${lemma.id}`,
    ...Object.entries(changed).map(([name, value]) => `--param ${quoted(`${name}=${value}`)}`),
    ...(seed === defaultSeed ? [] : [`--seed ${seed}`]),
  ].join(" ");
}
