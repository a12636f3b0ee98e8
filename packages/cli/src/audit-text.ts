// An audit as a page of text.
import { type Audit, type AuditBound, type AuditComparison, gapOf, testsNothing } from "@lemmata/core/audit";
import { tightestBound } from "@lemmata/core/generalization";
import { confidencePercent, directedNumber, directedPercent } from "@lemmata/core/numbers";
import { counted, number, table } from "./output.ts";

/** Four digits. */
const digits = (value: number | undefined): string =>
  value === undefined ? "-" : number(Number(value.toPrecision(4)));
const percent = (share: number): string => `${number(Number((100 * share).toPrecision(3)))} %`;
/** Bounds are rounded up: what is printed still holds; the lower end of a range is rounded down. */
const percentUp = (share: number): string => `${directedPercent(share, "up")} %`;
const percentDown = (share: number): string => `${directedPercent(share, "down")} %`;
/** What is left when each of these probabilities of failure is taken off. */
const confidence = (...deltas: readonly number[]): string => `${confidencePercent(deltas)} %`;
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
    `${data.name ?? "data"}: ${examples}${classes}${data.remark ? `; ${data.remark}` : ""}`,
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
      `true error: ${percentDown(parts.trueError[0])} to ${percentUp(parts.trueError[1])} with probability at least ${confidence(parts.delta)}, by the test examples alone`,
    );
  if (testsNothing(data)) lines.push("true error: not stated, as every test example is a training example");
  if (m.margins)
    lines.push(
      `margins of ${counted(m.restsOn["margins"] ?? data.examples, "training example")}: least ${digits(m.margins.min)}, a tenth up to ${digits(m.margins.q10)}, half up to ${digits(m.margins.median)}${m.without ? ` (of the scores before ${m.without})` : ""}`,
    );
  return lines.join("\n");
}

const shownLayers = 8;

function measuresText(audit: Audit): string {
  const { measures: m } = audit;
  const rows = m.layers.map((l) => [
    l.name,
    `${l.shape.join(" x ")}${l.kind === "convolution" ? " kernel" : ""}`,
    digits(l.frobenius),
    digits(l.spectral.value),
    digits(l.stableRank),
  ]);
  const cut = rows.length > shownLayers ? rows.slice(0, shownLayers - 1) : rows;
  const left = rows.length - cut.length;
  const paths =
    m.pathNorm1 === undefined ? "" : `; path norms: ${digits(m.pathNorm1)} (l1), ${digits(m.pathNorm2)} (l2)`;
  return [
    ...(rows.length > 0
      ? [table(["layer", "shape", "Frobenius", "spectral", "stable rank"], cut, [2, 3, 4])]
      : ["no layers with weights"]),
    ...(left > 0 ? [`(${counted(left, "more layer")}, --json has all)`] : []),
    ...(m.layers.some((l) => l.kind === "convolution")
      ? ["of a convolution: Frobenius of the kernel; spectral and stable rank of the whole operator"]
      : []),
    ...m.unreadLayers.map(({ name, reason }) => `not read: ${name}: ${reason}`),
    `product of spectral norms: ${digits(m.spectralProduct)}${paths}`,
    ...(paths ? [`path norms are ${m.pathConvention}`] : []),
    slopesText(audit),
  ].join("\n");
}

/** From what was seen, and on how many examples, to what is proved. */
function slopesText({ measures: m, data }: Audit): string {
  const points = m.restsOn["lipschitzLower"];
  const where =
    points === undefined
      ? "seen"
      : `seen at ${points === data.examples ? `all ${number(points)}` : `${number(points)} of ${number(data.examples)}`} training examples and near the steepest`;
  const from =
    m.lipschitzLower === undefined ? "" : `from ${directedNumber(m.lipschitzLower, "down", 4)} (${where}) `;
  const to =
    m.lipschitzUpper === undefined
      ? `no upper bound (${m.reasons["lipschitzUpper"]})`
      : `up to ${directedNumber(m.lipschitzUpper, "up", 4)}`;
  return `Lipschitz constant: ${from}${from && m.lipschitzUpper === undefined ? "on, " : ""}${to}`;
}

function boundsText(audit: Audit): string {
  const stated = audit.bounds.filter((b) => b.value !== undefined);
  const refused = audit.bounds.filter((b) => b.value === undefined);
  const [own, apart] = [stated.filter(isOfTheseWeights), stated.filter((b) => !isOfTheseWeights(b))];
  const what = isClasses(audit) ? "error at most" : "share at most";
  const listed = (title: string, bounds: readonly AuditBound[]): string =>
    table(
      [title, what, "lemma"],
      bounds.map((b) => [b.name, boundValue(b, audit), b.lemma ?? ""]),
      [1],
    );
  const held = `each holds with probability at least ${confidence(audit.delta)} by itself, if the examples are independent and of one law`;
  return [
    own.length > 0
      ? `${listed("bound", own)}\n${held}${chosenText(own)}`
      : "no bound of these weights can be stated",
    ...(apart.length > 0
      ? [
          `${listed("bound of another network", apart)}\nit bounds the error of a network that was trained for it, not of the audited weights, with probability at least ${confidence(...apart.map((b) => b.delta))}`,
        ]
      : []),
    ...stated.flatMap((b) => (b.remark && !b.vacuous ? [remarkText(b)] : [])),
    ...refusals(refused),
  ].join("\n\n");
}

const isOfTheseWeights = ({ network }: AuditBound): boolean => network === "audited";

/** Whoever takes the least of several bounds relies on all of them. */
function chosenText(bounds: readonly AuditBound[]): string {
  const least = tightestBound(bounds);
  return least && !least.vacuous && bounds.length > 1
    ? `\nthe least of all ${bounds.length}, chosen after the fact, with probability at least ${sureness(bounds)}`
    : "";
}

const sureness = (bounds: readonly AuditBound[]): string => confidence(...bounds.map(({ delta }) => delta));

/** Of a posterior that was trained for its bound, also what is assumed: it is nowhere else to be seen. */
function remarkText({ network, name, remark, assumptions }: AuditBound): string {
  const conditions = network !== "audited" ? assumptions.map((text) => `  - ${text}`) : [];
  return [`${name}:`, `  ${remark}`, ...conditions].join("\n");
}

function boundValue({ value, vacuous }: AuditBound, { data }: Audit): string {
  if (value === Number.POSITIVE_INFINITY) return "vacuous (overflow)";
  if (vacuous) return `vacuous (${directedNumber(value!, "up", 3)})`;
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

function leastBound({ bounds }: Audit): string {
  const own = bounds.filter((b) => isOfTheseWeights(b) && b.value !== undefined);
  const best = tightestBound(own);
  if (!best) return "-";
  return best.vacuous ? "vacuous" : `${percentUp(best.value!)} (${best.id}), ${sureness(own)}`;
}
