// The settings of the page as the options of `explain`; only in a worker.
import { type Bounds, ExplainError, type ExplainOptions, parseTarget } from "@lemmata/core/explain";
import { methodParameters, type ParameterName, roots, type Settings, targetText } from "./settings.ts";

const limits: Readonly<Record<Exclude<ParameterName, "root">, readonly [number, number, boolean]>> = {
  samples: [1, 2000, true],
  patch: [1, 1000, true],
  noise: [0, 10, false],
};

function numberOf(name: keyof typeof limits, label: string, text: string): number {
  const [least, most, isWhole] = limits[name];
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (value >= least && value <= most && (!isWhole || Number.isInteger(value))) return value;
  throw new ExplainError(
    `${label.toLowerCase()}: "${text}" is no ${isWhole ? "whole number" : "number"} from ${least} to ${most}`,
  );
}

function rootOf(text: string): (typeof roots)[number] {
  const root = roots.find((each) => each === text);
  if (!root) throw new ExplainError(`no root "${text}": there are ${roots.join(", ")}`);
  return root;
}

function parametersOf({ method, parameters }: Settings): ExplainOptions {
  const given: Partial<Record<ParameterName, number | string>> = {};
  for (const [name, label] of methodParameters[method] ?? []) {
    const text = parameters[name];
    if (text !== "") given[name] = name === "root" ? rootOf(text) : numberOf(name, label, text);
  }
  return given as Pick<ExplainOptions, ParameterName>;
}

export function optionsOf(settings: Settings, bounds: Bounds): ExplainOptions {
  const { method, composite } = settings;
  const black = typeof bounds.low === "number" ? bounds.low : bounds.low[0]!;
  return {
    ...{ method, bounds, baseline: black, target: parseTarget(targetText(settings)) },
    ...(method === "lrp" && { composite }),
    ...parametersOf(settings),
  };
}
