// What is asked of the page of explanations, and how its link says it.
import type { ColourMap, Method } from "@lemmata/core/explain";
import { type PixelScaleName, pixelScaleNames } from "./pixel-scale.ts";

export const methodLabels: Readonly<Record<Method, string>> = {
  lrp: "Relevance propagation (LRP)",
  gradient: "Gradient, its size",
  "squared-gradient": "Gradient, squared",
  "gradient-x-input": "Gradient × input",
  "integrated-gradients": "Integrated gradients",
  smoothgrad: "SmoothGrad",
  occlusion: "Occlusion",
  shapley: "Shapley values, sampled",
  lime: "LIME",
  "kernel-shap": "KernelSHAP",
  taylor: "Taylor expansion at a root",
  "rate-distortion": "Rate-distortion",
};
export const methods = Object.keys(methodLabels) as readonly Method[];

export type ParameterName = "samples" | "noise" | "patch" | "root";
/** What each method asks for, with the label of the field and what holds if it is left empty. */
export const methodParameters: Readonly<
  Partial<Record<Method, readonly (readonly [ParameterName, string, string])[]>>
> = {
  "integrated-gradients": [["samples", "Steps of the path", "64"]],
  smoothgrad: [
    ["samples", "Draws", "50"],
    ["noise", "Noise, a part of the range", "0.15"],
  ],
  occlusion: [["patch", "Side of a patch", "a 14th"]],
  shapley: [
    ["samples", "Orders", "40"],
    ["patch", "Side of a patch", "a 14th"],
  ],
  lime: [
    ["samples", "Draws", "1024"],
    ["patch", "Side of a patch", "a 14th"],
  ],
  "kernel-shap": [
    ["samples", "Draws", "1024"],
    ["patch", "Side of a patch", "a 14th"],
  ],
  taylor: [["root", "Root", "nearest"]],
  "rate-distortion": [["samples", "Steps of the search", "60"]],
};
export const roots = ["nearest", "origin", "near-origin", "segment"] as const;

/** Rules for every layer alike, with their parameter if they have one. */
export const rules: Readonly<Record<string, readonly [string, string] | undefined>> = {
  zero: undefined,
  epsilon: ["Epsilon", "0.1"],
  gamma: ["Gamma", "0.25"],
  "alpha-beta": ["Alpha (beta is one less)", "2"],
  "z-plus": undefined,
  flat: undefined,
  "w-square": undefined,
  gradient: undefined,
};

export interface Settings {
  readonly method: Method;
  /** By name, or `uniform(RULE)`. */
  readonly composite: string;
  /** A class, "predicted" or "all". */
  readonly target: string;
  /** Another class, or nothing. */
  readonly against: string;
  readonly colours: ColourMap;
  readonly pixels: PixelScaleName;
  readonly invert: boolean;
  readonly centre: boolean;
  /** As they are written; empty: what is usual. */
  readonly parameters: Readonly<Record<ParameterName, string>>;
}

export const defaults: Settings = {
  method: "lrp",
  composite: "epsilon-plus",
  target: "predicted",
  against: "",
  colours: "bwr",
  pixels: "unit",
  invert: false,
  centre: true,
  parameters: { samples: "", noise: "", patch: "", root: "" },
};
const colourNames: readonly ColourMap[] = ["bwr", "seismic", "coldnhot", "purple-orange", "gray"];
const parameterNames = ["samples", "noise", "patch", "root"] as const;

const oneOf = <T extends string>(given: string | undefined, all: readonly T[], usual: T): T =>
  all.find((each) => each === given) ?? usual;

export function fromQuery(query: Readonly<Record<string, string>>): Settings {
  const [, target = defaults.target, against = ""] =
    /^([^-]*)(?:-(.*))?$/.exec(query["target"] ?? defaults.target) ?? [];
  return {
    method: oneOf(query["method"], methods, defaults.method),
    composite: query["composite"] ?? defaults.composite,
    target: target || defaults.target,
    against,
    colours: oneOf(query["colours"], colourNames, defaults.colours),
    pixels: oneOf(query["pixels"], pixelScaleNames, defaults.pixels),
    invert: query["invert"] === "yes",
    centre: query["centre"] !== "no",
    parameters: {
      ...defaults.parameters,
      ...Object.fromEntries(parameterNames.flatMap((name) => (query[name] ? [[name, query[name]]] : []))),
    },
  };
}

/** A target as the command line takes it. */
export const targetText = ({ target, against }: Settings): string =>
  against === "" ? target : `${target}-${against}`;

/** What is not as usual. */
export function toQuery(settings: Settings): Record<string, string> {
  const { method, composite, colours, pixels, invert, centre, parameters } = settings;
  const asked = methodParameters[method]?.map(([name]) => name) ?? [];
  return {
    ...(method !== defaults.method && { method }),
    ...(composite !== defaults.composite && { composite }),
    ...(targetText(settings) !== defaults.target && { target: targetText(settings) }),
    ...(colours !== defaults.colours && { colours }),
    ...(pixels !== defaults.pixels && { pixels }),
    ...(invert && { invert: "yes" }),
    ...(!centre && { centre: "no" }),
    ...Object.fromEntries(asked.flatMap((name) => (parameters[name] ? [[name, parameters[name]]] : []))),
  };
}

export interface UniformRule {
  readonly rule: string;
  readonly parameter: string;
}

/** The rule of `uniform(RULE)`. */
export function uniformRule(composite: string): UniformRule | undefined {
  const [, rule, parameter = ""] = /^uniform\(([^=]*)=?(.*)\)$/.exec(composite) ?? [];
  if (rule === undefined) return undefined;
  return { rule, parameter: rule === "alpha-beta" ? parameter.split(",")[0]! : parameter };
}

/** `uniform(RULE)`, with a parameter that is as usual if none is given. */
export function uniformComposite({ rule, parameter }: UniformRule): string {
  const usual = rules[rule]?.[1];
  return usual === undefined ? `uniform(${rule})` : `uniform(${rule}=${parameter.trim() || usual})`;
}
