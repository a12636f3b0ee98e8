// What was measured of the whole network: slopes and norms, activity, sharpness, and the measures of comparison studies.
import type { Audit } from "../capacity/audit/audit.ts";
import type { UnitActivity } from "../capacity/measures/activity.ts";
import type { NamedMeasure } from "../capacity/measures/measure-row.ts";
import type { MeasuredValue } from "../capacity/measures/sharpness.ts";
import { formulaHtml } from "./formula.ts";
import { type Html, html } from "./html.ts";
import { numeral, numeralFromLog, percent } from "./numerals.ts";
import { type Column, groupedTable, section, table } from "./parts.ts";

interface Fact {
  readonly name: string;
  readonly value: string | Html;
  readonly meaning: string;
}

const factColumns: readonly Column<Fact>[] = [
  { head: "Quantity", cell: ({ name }) => name, isName: true },
  { head: "value", cell: ({ value }) => value, numeric: true },
  { head: "meaning", cell: ({ meaning }) => meaning },
];

const noValue = (reason: string): Html => html`<span class="missing">none: ${reason}</span>`;
const orReason = (found: MeasuredValue): string | Html =>
  "reason" in found ? noValue(found.reason) : numeral(found.value);

/** Norms and slopes of the network as one function. */
export function wholeSection({ measures }: Audit): Html {
  const { reasons, rademacher } = measures;
  const fact = (name: string, value: number | undefined, key: string, meaning: string): Fact[] => {
    const reason = reasons[key];
    if (value === undefined && reason === undefined) return [];
    return [{ name, value: value === undefined ? noValue(reason!) : numeral(value), meaning }];
  };
  const facts = [
    ...fact("Norm of all weights", measures.weightNorm, "", "Euclidean, biases included"),
    ...fact("Product of spectral norms", measures.spectralProduct, "", "over the layers"),
    ...fact("Path norm, 1", measures.pathNorm1, "pathNorm1", "sum over all paths of products of magnitudes"),
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
      "the greatest Jacobian that was found",
    ),
    ...fact("Slope at the examples", measures.lipschitzOnData, "", "the greatest Jacobian at an example"),
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
        ? `on its ${numeral(rademacher.width)} features, radius ${numeral(rademacher.radius)}; at most ${numeral(rademacher.upper)}, standard error ${numeral(rademacher.standardError)}`
        : "on its features",
    ),
    ...fact("Entropy of the answers", measures.outputEntropy, "", "mean, in nats; 0 is certain"),
    ...fact("Training loss", measures.trainLoss, "", "mean"),
    ...fact("Test loss", measures.testLoss, "", "mean"),
  ];
  return section(
    "whole",
    "The network as one function",
    table("Norms, slopes and losses", factColumns, facts),
  );
}

/** How active its units are; none where that was not measured. */
export function activitySection({ measures: { activity } }: Audit): Html | undefined {
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
    html`<p>Dead: units that are never above 0 on the training examples. Active: the share of activations above 0.${
      saturates ? " Saturated: within 5 percent of an end of the range." : ""
    }</p>`,
    table("Units behind each activation", columns, activity),
  );
}

/** How the loss changes around the weights; none where that was not measured. */
export function sharpnessSection({ measures: { sharpness: s }, data: { task } }: Audit): Html | undefined {
  if (!s) return undefined;
  const rise = task === "classification" ? percent(s.allowed) : numeral(s.allowed);
  const hessian = (end: "greatest" | "least"): string | Html =>
    "reason" in s.hessian ? noValue(s.hessian.reason) : numeral(s.hessian[end]);
  const residual =
    "reason" in s.hessian ? "" : `; an eigenvalue lies within ${numeral(s.hessian.residual)} of it`;
  const { sigma } = s.randomRise;
  const facts: readonly Fact[] = [
    { name: "Norm of the gradient", value: orReason(s.gradientNorm), meaning: "of the loss, 0 at a minimum" },
    {
      name: "Greatest curvature",
      value: hessian("greatest"),
      meaning: `of the Hessian of the loss${residual}`,
    },
    {
      name: "Least curvature",
      value: hessian("least"),
      meaning: "below 0: the weights are not at a minimum",
    },
    {
      name: "Rise under noise",
      value: numeral(s.randomRise.rise),
      meaning: `of the loss, mean over normal noise of deviation ${numeral(sigma)} on each weight`,
    },
    {
      name: "Rise under relative noise",
      value: numeral(s.randomRise.riseWithMagnitudes),
      meaning: `the same, in proportion to each weight`,
    },
    {
      name: "Noise it bears",
      value: orReason(s.sigma),
      meaning: `deviation at which the error rises by ${rise}`,
    },
    {
      name: "Relative noise it bears",
      value: orReason(s.sigmaMagnitude),
      meaning: "the same, in proportion to each weight",
    },
    {
      name: "Worst change it bears",
      value: orReason(s.alpha),
      meaning: `of each weight, such that ascent raises the error by no more than ${rise}`,
    },
    {
      name: "Worst relative change it bears",
      value: orReason(s.alphaMagnitude),
      meaning: "the same, in proportion to each weight",
    },
    {
      name: "Noise of the gradients",
      value: orReason(s.gradientNoise),
      meaning: "their variance over examples",
    },
  ];
  return section(
    "sharpness",
    "Sharpness",
    table(
      `How the loss changes around the weights, on ${numeral(s.examples)} training examples`,
      factColumns,
      facts,
    ),
  );
}

const amount = ({ value, log }: NamedMeasure): string | undefined =>
  value !== undefined ? numeral(value) : log !== undefined ? numeralFromLog(log) : undefined;

const measureColumns: readonly Column<NamedMeasure>[] = [
  { head: "Measure", cell: ({ name }) => name, isName: true },
  { head: "value", cell: (m) => amount(m) ?? "–", numeric: true },
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
export function namedSection({ measures: { named } }: Audit): Html | undefined {
  if (named.length === 0) return undefined;
  const families = [...new Set(named.map((m) => m.family))];
  return section(
    "measures",
    "All measures",
    html`<p>Proved: rounded outward, so that it holds for certain. Checked: computed. Sampled: at drawn points or directions.</p>`,
    groupedTable(
      "Measures of comparison studies, by family",
      measureColumns,
      families.map((family) => ({ name: headline(family), rows: named.filter((m) => m.family === family) })),
    ),
  );
}

const headline = (text: string): string => `${text[0]!.toUpperCase()}${text.slice(1)}`;
