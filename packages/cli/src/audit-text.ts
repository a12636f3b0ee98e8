// An audit as a page of text.
import { type Audit, type AuditBound, type AuditComparison, tightestBound } from "@lemmata/core/capacity";
import { number, table } from "./output.ts";

/** Four digits. */
const digits = (value: number | undefined): string =>
  value === undefined ? "-" : number(Number(value.toPrecision(4)));
const percent = (share: number): string => `${number(Number((100 * share).toPrecision(3)))} %`;
/** Bounds are rounded up: what is printed still holds. */
const percentUp = (share: number): string => {
  const shown = Number((100 * share).toPrecision(3));
  return `${number(shown >= 100 * share ? shown : Number((shown * 1.001).toPrecision(4)))} %`;
};
/** A count with its noun. */
const counted = (count: number, noun: string, plural = `${noun}s`): string =>
  `${number(count)} ${count === 1 ? noun : plural}`;
/** The lower end of a range is rounded down. */
const percentDown = (share: number): string => {
  const shown = Number((100 * share).toPrecision(3));
  return `${number(shown <= 100 * share ? shown : Number((shown * 0.999).toPrecision(4)))} %`;
};
const isClasses = (audit: Audit): boolean => audit.data.task === "classification";
const errorText = (audit: Audit, error: number | undefined): string =>
  error === undefined ? "-" : isClasses(audit) ? percent(error) : digits(error);

/** One model. */
export function auditText(audit: Audit, { quiet }: { readonly quiet?: boolean } = {}): string {
  return [
    headText(audit),
    errorsText(audit),
    measuresText(audit),
    boundsText(audit),
    quiet ? "" : timeText(audit),
  ]
    .filter(Boolean)
    .join("\n\n");
}

function headText({ model, data }: Audit): string {
  const operators = Object.entries(model.operators).map(([op, count]) => (count > 1 ? `${count} ${op}` : op));
  const classes = data.classes === undefined ? "" : `, ${counted(data.classes, "class", "classes")}`;
  const examples =
    data.testExamples === undefined
      ? counted(data.examples, "training example")
      : `${number(data.examples)} training and ${counted(data.testExamples, "test example")}`;
  return [
    `${model.name}: ${counted(model.parameters, "parameter")}, [${model.inputDims.join(", ")}] to ${model.outputs}; ${operators.join(", ")}`,
    ...(model.remark ? [model.remark] : []),
    `${data.name ?? "data"}: ${examples}${classes}`,
  ].join("\n");
}

function errorsText(audit: Audit): string {
  const { measures: m, data, errorDecomposition: parts } = audit;
  const name = isClasses(audit) ? "error" : "mean square error";
  const gap = m.testError === undefined ? "" : `, test ${errorText(audit, m.testError)}`;
  const lines = [
    `${name}: training ${errorText(audit, m.trainError)}${gap}; a constant answer ${errorText(audit, data.constantError)}`,
  ];
  if (parts)
    lines.push(
      `true error: ${percentDown(parts.trueError[0])} to ${percentUp(parts.trueError[1])} with probability ${percent(1 - parts.delta)}, by the test examples alone`,
    );
  const { testExamples, sharedExamples } = data;
  if (testExamples !== undefined && sharedExamples === testExamples)
    lines.push("true error: not stated, as every test example is a training example");
  if (m.margins)
    lines.push(
      `margins: least ${digits(m.margins.min)}, a tenth up to ${digits(m.margins.q10)}, half up to ${digits(m.margins.median)}${m.without ? ` (of the scores before ${m.without})` : ""}`,
    );
  return lines.join("\n");
}

const shownLayers = 8;

function measuresText({ measures: m }: Audit): string {
  const rows = m.layers.map((l) => [
    l.name,
    `${l.shape.join(" x ")}${l.kind === "convolution" ? " kernel" : ""}`,
    digits(l.frobenius),
    digits(l.spectral.value),
    digits(l.stableRank),
  ]);
  const cut = rows.length > shownLayers ? rows.slice(0, shownLayers - 1) : rows;
  const left = rows.length - cut.length;
  const slopes =
    m.lipschitzUpper === undefined
      ? `Lipschitz constant: no upper bound (${m.reasons["lipschitzUpper"]})`
      : `Lipschitz constant: ${m.lipschitzLower === undefined ? "" : `from ${digits(m.lipschitzLower)} (seen) `}up to ${digits(m.lipschitzUpper)}`;
  const paths =
    m.pathNorm1 === undefined ? "" : `; path norms: ${digits(m.pathNorm1)} (l1), ${digits(m.pathNorm2)} (l2)`;
  return [
    ...(rows.length > 0
      ? [table(["layer", "shape", "Frobenius", "spectral", "stable rank"], cut, [2, 3, 4])]
      : ["no layers with weights"]),
    ...(left > 0 ? [`(${counted(left, "more layer")}, --json has all)`] : []),
    ...(m.layers.some((l) => l.kind === "convolution")
      ? ["of a convolution: Frobenius of the kernel, spectral of the whole operator"]
      : []),
    ...m.unreadLayers.map(({ name, reason }) => `not read: ${name}: ${reason}`),
    `product of spectral norms: ${digits(m.spectralProduct)}${paths}`,
    slopes,
  ].join("\n");
}

function boundsText(audit: Audit): string {
  const stated = audit.bounds.filter((b) => b.value !== undefined);
  const refused = audit.bounds.filter((b) => b.value === undefined);
  const what = isClasses(audit) ? "error at most" : "share at most";
  const rows = stated.map((b) => [b.name, boundValue(b, audit), b.lemma ?? ""]);
  const held = `each holds with probability ${percent(1 - audit.delta)} by itself, if the examples are independent and of one law`;
  return [
    rows.length > 0
      ? `${table(["bound", what, "lemma"], rows, [1])}\n${held}${chosenText(audit)}`
      : "no bound can be stated",
    ...stated.flatMap((b) => (b.remark && !b.vacuous ? [remarkText(b)] : [])),
    ...refusals(refused),
  ].join("\n\n");
}

/** Whoever takes the least of several bounds relies on all of them. */
function chosenText({ bounds }: Audit): string {
  const least = tightestBound(bounds);
  const count = bounds.filter((b) => b.value !== undefined).length;
  return least && !least.vacuous && count > 1
    ? `\nthe least of all ${count}, chosen after the fact, with probability ${sureness(least)}`
    : "";
}

const sureness = ({ delta }: { readonly delta: number }): string => percent(Math.max(0, 1 - delta));

/** Of a posterior that was trained for its bound, also what is assumed: it is nowhere else to be seen. */
function remarkText({ id, name, remark, assumptions }: AuditBound): string {
  const conditions = id === "pac-bayes-gaussian" ? assumptions.map((text) => `  - ${text}`) : [];
  return [`${name}:`, `  ${remark}`, ...conditions].join("\n");
}

function boundValue({ value, vacuous }: AuditBound, { data }: Audit): string {
  if (value === Number.POSITIVE_INFINITY) return "vacuous (overflow)";
  if (vacuous)
    return `vacuous (${value! < 1e6 ? number(Number(value!.toPrecision(3))) : value!.toExponential(1)})`;
  const isUseless = data.task === "classification" && value! >= data.constantError;
  return isUseless ? `${percentUp(value!)}, above a constant answer's` : percentUp(value!);
}

/** Bounds that share what is in their way share a line. */
function refusals(bounds: readonly AuditBound[]): readonly string[] {
  if (bounds.length === 0) return [];
  const groups = new Map<string, string[]>();
  for (const { name, unmet, remark } of bounds) {
    const why = `not met: ${unmet.slice(0, 3).join("; ")}${remark ? ` (${remark})` : ""}`;
    groups.set(why, [...(groups.get(why) ?? []), name]);
  }
  const lines = [...groups].map(([why, names]) => `  ${names.join("; ")}\n    ${why}`);
  const asksRadius = bounds.some(({ unmet }) => unmet.some((text) => text.includes("known radius")));
  const hint = asksRadius ? ["  --radius R says that no input can have a greater norm than R"] : [];
  return [["without a value:", ...lines, ...hint].join("\n")];
}

const timeText = ({ seconds }: Audit): string =>
  `${Object.values(seconds)
    .reduce((a, b) => a + b, 0)
    .toFixed(1)} s`;

const shownMeasures = 12;

/** Several models side by side, and which measures order them as their gaps do. */
export function comparisonText({ audits, ranking }: AuditComparison): string {
  const [first] = audits as readonly [Audit, ...Audit[]];
  const columns: readonly (readonly [string, (audit: Audit) => string])[] = [
    ["model", ({ model }) => model.name],
    ["parameters", ({ model }) => number(model.parameters)],
    ["training", (a) => errorText(a, a.measures.trainError)],
    ["test", (a) => errorText(a, a.measures.testError)],
    ["gap", (a) => errorText(a, gapOf(a))],
    ["spectral product", (a) => digits(a.measures.spectralProduct)],
    ["path norm", (a) => digits(a.measures.pathNorm2)],
    ["tenth margin", (a) => digits(a.measures.margins?.q10)],
    ["least bound, probability as chosen", (a) => leastBound(a)],
  ];
  const known = ranking.filter((r) => r.tau !== undefined);
  const shown =
    known.length > shownMeasures
      ? [...known.slice(0, shownMeasures / 2), ...known.slice(-shownMeasures / 2)]
      : known;
  const data = headText(first).split("\n").at(-1)!;
  return [
    data,
    table(
      columns.map(([title]) => title),
      audits.map((a) => columns.map(([, text]) => text(a))),
      columns.map((_, k) => k).slice(1, -1),
    ),
    known.length > 0
      ? table(
          ["measure", "family", "rank correlation with the gap", "models"],
          shown.map((r) => [r.name, r.family, r.tau!.toFixed(2), String(r.count)]),
          [2, 3],
        ) + (known.length > shown.length ? `\n(${known.length - shown.length} between, --json has all)` : "")
      : "no rank correlations: they need test examples and models whose gaps differ",
    ...(audits.length < 10 && known.length > 0
      ? [`Kendall's tau-b; of ${audits.length} models it says little`]
      : []),
  ].join("\n\n");
}

const gapOf = ({ measures: { trainError, testError } }: Audit): number | undefined =>
  trainError === undefined || testError === undefined ? undefined : testError - trainError;

function leastBound({ bounds }: Audit): string {
  const best = tightestBound(bounds.filter(({ id }) => id !== "pac-bayes-gaussian")); // that is of other weights
  return best
    ? best.vacuous
      ? "vacuous"
      : `${percentUp(best.value!)} (${best.id}), ${sureness(best)}`
    : "-";
}
