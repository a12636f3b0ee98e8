// How far the right class is ahead of the others: the distribution of margins, on training and test examples.
import * as Plot from "@observablehq/plot";
import type { MarginSummary } from "../../measures/predictions.ts";
import type { Audit } from "../audit.ts";
import { chart, linearScale, seriesColour } from "./charts.ts";
import { type Html, html } from "./html.ts";
import { numeral, percent } from "./numerals.ts";
import { figure, legend, section, table } from "./parts.ts";

const bins = 36;

interface Margins {
  readonly name: string;
  readonly of: MarginSummary;
}

/** The share of examples in each of equal bins: [left end, share]. */
export function binned(
  sorted: ArrayLike<number>,
  [low, high]: readonly [number, number],
  count = bins,
): readonly (readonly [number, number])[] {
  const shares = new Float64Array(count);
  for (let k = 0; k < sorted.length; k++) {
    const bin = Math.floor(((sorted[k]! - low) / (high - low)) * count);
    shares[Math.min(count - 1, Math.max(0, bin))]! += 1 / sorted.length;
  }
  return Array.from(shares, (share, k) => [low + ((high - low) * k) / count, share] as const);
}

/** The section; none where there are no margins. */
export function marginsSection({ measures }: Audit, document: Document): Html | undefined {
  const lists: Margins[] = [
    ...(measures.margins ? [{ name: "training", of: measures.margins }] : []),
    ...(measures.testMargins ? [{ name: "test", of: measures.testMargins }] : []),
  ].filter(({ of }) => of.sorted.length > 0);
  if (lists.length === 0) return undefined;
  const ends = lists.flatMap(({ of }) => [of.sorted[0]!, of.sorted.at(-1)!]);
  const [least, greatest] = [Math.min(0, ...ends), Math.max(0, ...ends)];
  const range = [least, greatest > least ? greatest : least + 1] as const;
  // A last point, so that the step of the last bin is drawn.
  const steps = lists.map(({ of }) => {
    const points = binned(of.sorted, range);
    return [...points, [range[1], points.at(-1)![1]] as const] as [number, number][];
  });
  const options = {
    x: (p: [number, number]) => p[0],
    y: (p: [number, number]) => p[1],
    curve: "step-after",
  } as const;
  const marks = [
    ...steps.flatMap((points, k) => [
      Plot.areaY(points, { ...options, fill: seriesColour(k), fillOpacity: k === 0 ? 0.25 : 0.08 }),
      Plot.lineY(points, { ...options, stroke: seriesColour(k), strokeWidth: 2 }),
    ]),
    Plot.ruleX([0], { stroke: "currentColor", strokeOpacity: 0.8 }),
    Plot.ruleY([0], { stroke: "currentColor", strokeOpacity: 0.5 }),
  ];
  const picture = chart(
    { document, title: "Distribution of margins" },
    linearScale("margin"),
    { ...linearScale("share of examples"), tickFormat: (v: number) => percent(v) },
    marks,
  );
  const summary = table(
    "Margins in numbers",
    [
      { head: "Examples", cell: ({ name }: Margins) => name, isName: true },
      { head: "number", cell: ({ of }) => numeral(of.sorted.length), numeric: true },
      { head: "least", cell: ({ of }) => numeral(of.min), numeric: true },
      { head: "tenth", cell: ({ of }) => numeral(of.q10), numeric: true },
      { head: "median", cell: ({ of }) => numeral(of.median), numeric: true },
      { head: "mean", cell: ({ of }) => numeral(of.mean), numeric: true },
    ],
    lists,
  );
  const samples = legend(lists.map(({ name }, k) => ({ colour: seriesColour(k), name })));
  return section(
    "margins",
    "Margins",
    html`<p>The margin of an example is the score of its class less the greatest of the others; at or below 0 the answer is wrong. A tenth of the examples have at most the margin called tenth.${
      measures.without ? ` Scores are those before ${measures.without}.` : ""
    }</p>`,
    html`<div class="charts">${figure(
      html`${samples}${picture}`,
      "How many examples have which margin. Left of the line at 0 the answer is wrong.",
    )}${summary}</div>`,
  );
}
