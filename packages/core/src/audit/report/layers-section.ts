// Norms, ranks and spectra of the layers.
import * as Plot from "@observablehq/plot";
import type { LayerMeasures } from "../../measures/layer-values.ts";
import type { Audit } from "../audit.ts";
import { chart, logScale, orderedColour, seriesColour } from "./charts.ts";
import { type Html, html } from "./html.ts";
import { lowerNumeral, numeral, upperNumeral } from "./numerals.ts";
import { type Column, figure, legend, section, table } from "./parts.ts";

/** Below this share of the greatest one, a singular value is rounding. */
const rounding = 1e-8;
const named = 6;

const number = (head: string, of: (layer: LayerMeasures) => number | undefined): Column<LayerMeasures> => ({
  head,
  cell: (layer) => numeral(of(layer)),
  numeric: true,
});

/** The true norm, or the range that it lies in. */
const spectralText = ({ spectral: { value, upper, converged } }: LayerMeasures): string =>
  converged || upper <= value * (1 + 1e-4)
    ? numeral(value)
    : `${lowerNumeral(value)} to ${upperNumeral(upper)}`;

const columns: readonly Column<LayerMeasures>[] = [
  { head: "Layer", cell: ({ name }) => html`<bdi>${name}</bdi>`, isName: true },
  { head: "operator", cell: ({ op }) => op },
  { head: "outputs × inputs", cell: ({ shape }) => shape.map((s) => numeral(s)).join(" × "), numeric: true },
  number("weights", (l) => l.parameters),
  number("Frobenius", (l) => l.frobenius),
  { head: "spectral", cell: spectralText, numeric: true },
  number("(2,1)", (l) => l.norm21),
  number("stable rank", (l) => l.stableRank),
  number("effective rank", (l) => l.effectiveRank),
];
const distances: readonly Column<LayerMeasures>[] = [
  number("from start, Frobenius", (l) => l.fromInitial?.frobenius),
  number("from start, spectral", (l) => l.fromInitial?.spectral),
];

const convolutionColumns: readonly Column<LayerMeasures>[] = [
  columns[0]!,
  number("kernel, spectral", (l) => l.spectral.kernel),
  number("operator, spectral", (l) => l.spectral.value),
  number("wrapped around", (l) => l.spectral.circular),
  number("kernel, Frobenius", (l) => l.frobenius),
  number("operator, Frobenius", (l) => l.toeplitz?.frobenius),
  number("kernel, (2,1)", (l) => l.norm21),
  number("operator, (2,1)", (l) => l.toeplitz?.norm21),
];

const terms: readonly (readonly [string, string])[] = [
  ["Frobenius", "root of the sum of squares of all weights; of a convolution, each weight once."],
  ["spectral", "the greatest factor by which the layer stretches a vector: its greatest singular value."],
  ["(2,1)", "sum over the outputs of the Euclidean norms of their weights."],
  [
    "stable rank",
    "square of Frobenius over spectral, of a convolution both of its operator: how many directions share the norm.",
  ],
  ["effective rank", "exp of the entropy of the singular values, made to sum to 1."],
];
const glossary = html`<div><h3>Words of the table</h3><dl class="terms">${terms.map(
  ([term, meaning]) => html`<dt>${term}</dt><dd>${meaning}</dd>`,
)}</dl></div>`;

function spectraFigure(layers: readonly LayerMeasures[], document: Document): Html | undefined {
  const spectra = layers.flatMap(({ name, singularValues = [] }) => {
    const points = singularValues
      .filter((s) => s > rounding * singularValues[0]!)
      .map((s, k) => [k + 1, s] as [number, number]);
    return points.length > 0 ? [{ name, points }] : [];
  });
  if (spectra.length === 0) return undefined;
  const few = spectra.length <= named;
  const colour = (k: number): string => (few ? seriesColour(k) : orderedColour(k, spectra.length));
  const at = { x: (p: [number, number]) => p[0], y: (p: [number, number]) => p[1] };
  const marks = spectra.flatMap(({ points }, k) => [
    Plot.line(points, { ...at, stroke: colour(k), strokeWidth: 1.8 }),
    ...(points.length <= 32 ? [Plot.dot(points, { ...at, fill: colour(k), r: 2.6 })] : []),
  ]);
  const all = spectra.flatMap(({ points }) => points);
  const picture = chart(
    { document, title: "Singular values of the layers" },
    logScale(
      all.map(([k]) => k),
      "number of the singular value",
      { whole: true },
    ),
    logScale(
      all.map(([, s]) => s),
      "singular value",
    ),
    marks,
  );
  const shown = few
    ? spectra.map((_, k) => k)
    : [0, Math.floor((spectra.length - 1) / 2), spectra.length - 1];
  const samples = legend(shown.map((k) => ({ colour: colour(k), name: spectra[k]!.name })));
  return figure(
    html`${samples}${picture}`,
    `Singular values of each layer, the greatest first, both axes logarithmic${few ? "" : "; colours go from the first layer to the last"}. Of a convolution, those of its kernel as a matrix.`,
  );
}

/** The section: tables and spectra. */
export function layersSection({ measures: { layers, unreadLayers } }: Audit, document: Document): Html {
  const convolutions = layers.filter((l) => l.toeplitz);
  const withStart = layers.some((l) => l.fromInitial);
  const unread =
    unreadLayers.length > 0
      ? html`<p>Not read:</p><ul>${unreadLayers.map(({ name, reason }) => html`<li><bdi>${name}</bdi>: ${reason}</li>`)}</ul>`
      : undefined;
  if (layers.length === 0)
    return section(
      "layers",
      "Layers",
      html`<p>The network has no layer with weights that can be read.</p>`,
      unread,
    );
  return section(
    "layers",
    "Layers",
    html`<div class="charts">${spectraFigure(layers, document)}${glossary}</div>`,
    table("Norms and ranks of the layers", withStart ? [...columns, ...distances] : columns, layers),
    convolutions.length > 0
      ? table(
          "Convolutions: the kernel as a matrix against the operator with its padding and strides",
          convolutionColumns,
          convolutions,
        )
      : undefined,
    unread,
  );
}
