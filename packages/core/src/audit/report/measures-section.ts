// What was measured of the whole network: slopes and norms, activity, sharpness, and the measures of comparison studies.

import type { Extremes, SpectrumEnd } from "../../linear-algebra/lanczos.ts";
import type { UnitActivity } from "../../measures/activity.ts";
import type { NamedMeasure } from "../../measures/measure-row.ts";
import type { MeasuredValue } from "../../measures/sharpness.ts";
import type { Audit } from "../audit.ts";
import { formulaHtml } from "./formula.ts";
import { type Html, html } from "./html.ts";
import { lowerNumeral, numeral, numeralFromLog, percent, upperNumeral } from "./numerals.ts";
import { type Column, groupedTable, section, table } from "./parts.ts";

interface Fact {
  readonly name: string;
  readonly value: string | Html;
  readonly meaning: string;
  /** That it rests on; 0: it reads the weights alone. */
  readonly examples: number;
}

/** A bar where nothing but weights is read. */
const restsOn = (examples: number | undefined): string => (examples ? numeral(examples) : "–");

const factColumns: readonly Column<Fact>[] = [
  { head: "Quantity", cell: ({ name }) => name, isName: true },
  { head: "value", cell: ({ value }) => value, numeric: true },
  { head: "examples", cell: ({ examples }) => restsOn(examples), numeric: true },
  { head: "meaning", cell: ({ meaning }) => meaning },
];
const aboutExamples = "Examples: on how many a number rests; a bar where it reads the weights alone.";

const noValue = (reason: string): Html => html`<span class="missing">none: ${reason}</span>`;
const orReason = (found: MeasuredValue): string | Html =>
  "reason" in found ? noValue(found.reason) : numeral(found.value);

/** Bounds are rounded to their own side. */
const round: Readonly<Record<string, (value: number) => string>> = {
  lipschitzUpper: upperNumeral,
  lipschitzLower: lowerNumeral,
  lipschitzOnData: lowerNumeral,
};

/** Norms and slopes of the network as one function. */
export function wholeSection({ measures, data }: Audit): Html {
  const { reasons, rademacher } = measures;
  const fact = (name: string, value: number | undefined, key: string, meaning: string): Fact[] => {
    const reason = reasons[key];
    if (value === undefined && reason === undefined) return [];
    const examples = value === undefined ? 0 : (measures.restsOn[key] ?? 0);
    const text = round[key]?.(value ?? 0) ?? numeral(value);
    return [{ name, value: value === undefined ? noValue(reason!) : text, meaning, examples }];
  };
  const facts = [
    ...fact("Norm of all weights", measures.weightNorm, "", "Euclidean, biases included"),
    ...fact("Product of spectral norms", measures.spectralProduct, "", "over the layers"),
    ...fact(
      "Path norm, 1",
      measures.pathNorm1,
      "pathNorm1",
      `sum of products of magnitudes, ${measures.pathConvention}`,
    ),
    ...fact("Path norm, 2", measures.pathNorm2, "pathNorm2", "the same with squares, its root"),
    ...fact(
      "Slope, at most",
      measures.lipschitzUpper,
      "lipschitzUpper",
      "a Lipschitz constant for all inputs",
    ),
    ...fact(
      "Slope, at least",
      measures.lipschitzLower,
      "lipschitzLower",
      "the greatest Jacobian that was found, at these examples and near the steepest",
    ),
    ...fact(
      "Slope at the examples",
      measures.lipschitzOnData,
      "lipschitzOnData",
      `the greatest Jacobian at ${measures.restsOn["lipschitzOnData"] === data.examples ? "an example" : "one of these examples, drawn from all"}`,
    ),
    ...fact(
      "Distance from the start",
      measures.distanceFromInitial,
      "distanceFromInitial",
      "over all weights",
    ),
    ...fact(
      "Rademacher complexity of the last layer",
      rademacher?.value,
      "rademacher",
      rademacher
        ? `on its ${numeral(rademacher.width)} features, radius ${numeral(rademacher.radius)}; at most ${upperNumeral(rademacher.upper)}, standard error ${numeral(rademacher.standardError)}`
        : "on its features",
    ),
    ...fact("Entropy of the answers", measures.outputEntropy, "outputEntropy", "mean, in nats; 0 is certain"),
    ...fact("Training loss", measures.trainLoss, "trainLoss", "mean"),
    ...fact("Test loss", measures.testLoss, "testLoss", "mean, on test examples"),
  ];
  return section(
    "whole",
    "The network as one function",
    html`<p>${aboutExamples}</p>`,
    table("Norms, slopes and losses", factColumns, facts),
  );
}

/** How active its units are; none where that was not measured. */
export function activitySection({ measures: { activity, restsOn: counts } }: Audit): Html | undefined {
  if (activity.length === 0) return undefined;
  const saturates = activity.some((a) => a.saturated !== undefined);
  const columns: readonly Column<UnitActivity>[] = [
    { head: "Activation", cell: ({ name }) => html`<bdi>${name}</bdi>`, isName: true },
    { head: "operator", cell: ({ op }) => op },
    { head: "units", cell: ({ units }) => numeral(units), numeric: true },
    { head: "dead", cell: ({ dead }) => percent(dead), numeric: true },
    { head: "active", cell: ({ active }) => percent(active), numeric: true },
    { head: "mean", cell: ({ mean }) => numeral(mean), numeric: true },
    ...(saturates
      ? [
          {
            head: "saturated",
            cell: ({ saturated }: UnitActivity) => (saturated === undefined ? "–" : percent(saturated)),
            numeric: true,
          },
        ]
      : []),
  ];
  return section(
    "activity",
    "Activity of the units",
    html`<p>Dead: units that are never above 0 on the ${restsOn(counts["activity"])} training examples. Active: the share of activations above 0.${
      saturates ? " Saturated: within 5 percent of an end of the range." : ""
    }</p>`,
    table("Units behind each activation", columns, activity),
  );
}

/** How the loss changes around the weights; none where that was not measured. */
export function sharpnessSection({ measures: { sharpness: s }, data }: Audit): Html | undefined {
  if (!s) return undefined;
  const { task } = data;
  const rise = task === "classification" ? `${percent(s.allowed)} of the examples` : numeral(s.allowed);
  const hessian = (end: SpectrumEnd): string | Html =>
    "reason" in s.hessian ? noValue(s.hessian.reason) : endText(s.hessian, end);
  const residual = (end: SpectrumEnd): string =>
    "reason" in s.hessian
      ? ""
      : `${s.hessian.converged[end] ? "" : `; not found to three digits in ${numeral(s.hessian.steps)} steps`}; an eigenvalue lies within ${upperNumeral(s.hessian.residual[end])} of it`;
  const { sigma } = s.randomRise;
  const facts: readonly Omit<Fact, "examples">[] = [
    { name: "Norm of the gradient", value: orReason(s.gradientNorm), meaning: "of the loss, 0 at a minimum" },
    {
      name: "Greatest curvature",
      value: hessian("greatest"),
      meaning: `of the Hessian of the loss${residual("greatest")}`,
    },
    {
      name: "Least curvature",
      value: hessian("least"),
      meaning: `below 0: the weights are not at a minimum${residual("least")}`,
    },
    {
      name: "Rise under noise",
      value: numeral(s.randomRise.rise),
      meaning: `of the loss, mean over ${numeral(s.randomRise.draws)} draws of normal noise of deviation ${numeral(sigma)} on each weight`,
    },
    {
      name: "Rise under relative noise",
      value: numeral(s.randomRise.riseWithMagnitudes),
      meaning: `the same, in proportion to each weight`,
    },
    {
      name: "Noise it bears",
      value: orReason(s.sigma),
      meaning: `greatest deviation, to 5 percent, at which the error rises by no more than ${rise}`,
    },
    {
      name: "Relative noise it bears",
      value: orReason(s.sigmaMagnitude),
      meaning: "the same, in proportion to each weight",
    },
    {
      name: "Worst change it bears",
      value: orReason(s.alpha),
      meaning: `of each weight, to 5 percent, such that ascent raises the error by no more than ${rise}`,
    },
    {
      name: "Worst relative change it bears",
      value: orReason(s.alphaMagnitude),
      meaning: "the same, in proportion to each weight",
    },
    {
      name: "Noise of the gradients",
      value: orReason(s.gradientNoise),
      meaning: "their variance over examples, from batches of ten",
    },
  ];
  const restOn = (name: string): number => (name === "Noise of the gradients" ? s.noiseExamples : s.examples);
  return section(
    "sharpness",
    "Sharpness",
    table(
      `How the loss changes around the weights, on ${numeral(s.examples)} of ${numeral(data.examples)} training examples`,
      factColumns,
      facts.map((fact) => ({ ...fact, examples: restOn(fact.name) })),
    ),
  );
}

/** Where an end is not found, what is known of it: the greatest is at least this, the least at most. */
function endText(found: Extremes, end: SpectrumEnd): string {
  if (found.converged[end]) return numeral(found[end]);
  return end === "greatest"
    ? `at least ${lowerNumeral(found.greatest)}`
    : `at most ${upperNumeral(found.least)}`;
}

const amount = ({ value, log }: NamedMeasure): string | undefined =>
  value !== undefined ? numeral(value) : log !== undefined ? numeralFromLog(log) : undefined;

const measureColumns: readonly Column<NamedMeasure>[] = [
  { head: "Measure", cell: ({ name }) => name, isName: true },
  { head: "value", cell: (m) => amount(m) ?? "–", numeric: true },
  { head: "examples", cell: (m) => (amount(m) === undefined ? "" : restsOn(m.examples)), numeric: true },
  { head: "strength", cell: (m) => (amount(m) === undefined ? "" : m.strength) },
  {
    head: "formula, or why there is no value",
    cell: (m) =>
      amount(m) === undefined
        ? noValue(m.reason ?? "not measured")
        : html`<span class="formula">${formulaHtml(m.formula)}</span>`,
  },
];

/** All measures by name, family by family. */
export function namedSection({ measures: { named }, data: { task } }: Audit): Html | undefined {
  if (named.length === 0) return undefined;
  const families = [...new Set(named.map((m) => m.family))];
  return section(
    "measures",
    "All measures",
    html`<p>Proved: rounded outward, so that it holds for certain. Checked: computed. Sampled: at drawn points, examples or directions. ${aboutExamples} In formulas L̂ is the mean loss, R̂ the ${task === "classification" ? "share of errors" : "mean squared error, which may rise by a tenth of the variance of the targets"}, d counts layers, m examples, ω weights, and γ is the margin that a tenth do not exceed.</p>`,
    groupedTable(
      "Measures of comparison studies, by family",
      measureColumns,
      families.map((family) => ({ name: headline(family), rows: named.filter((m) => m.family === family) })),
    ),
  );
}

const headline = (text: string): string => `${text[0]!.toUpperCase()}${text.slice(1)}`;
