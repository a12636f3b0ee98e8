// Charts of a report: of the page's own colours, small enough to be read on a phone.
import * as Plot from "@observablehq/plot";
import { okabeIto, systemFont, withoutPartLabels } from "../../figure/svg/element.ts";
import { drawn, type Html } from "./html.ts";
import { numeral } from "./numerals.ts";

export interface ChartOptions {
  readonly document: Document;
  /** What it shows, for those who cannot see it. */
  readonly title: string;
  readonly width?: number;
  readonly height?: number;
}

/** Colours of series; a page in the dark has lighter ones. */
export const seriesColour = (k: number): string => `var(--lemmata-series-${(k % 6) + 1}, ${okabeIto[k % 6]})`;

/** From the first colour to the second, for series in an order. */
export function orderedColour(k: number, count: number): string {
  const [from, to] = [
    [86, 180, 233],
    [213, 94, 0],
  ] as const;
  const share = count > 1 ? k / (count - 1) : 0;
  return `rgb(${from.map((c, i) => Math.round(c + share * (to[i]! - c))).join(", ")})`;
}

const logTick = (value: number): string => {
  const exponent = Math.log10(value);
  return Math.abs(exponent - Math.round(exponent)) < 1e-9 ? numeral(value) : "";
};

/** Which digits of a decade get a tick: the more, the less the axis spans. */
function mantissasFor(span: number): readonly number[] {
  if (span <= 3) return [1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9];
  if (span <= 12) return [1, 2, 3, 4, 5, 6, 8];
  return span <= 300 ? [1, 2, 5] : [1];
}

/** Decades in steps that leave at most about seven of them; where there are few, numbers between them too. */
function logTicks([low, high]: readonly [number, number]): readonly number[] {
  const [from, to] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))];
  const step = Math.max(1, Math.ceil((to - from) / 7));
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, k) => 10 ** (from + k * step))
    .flatMap((decade) => mantissasFor(high / low).map((m) => Number((m * decade).toPrecision(3))))
    .filter((v) => v >= low * 0.999 && v <= high * 1.001);
}

/** An axis with a range; a logarithmic one spans more than a point. */
export function logScale(
  values: readonly number[],
  label: string,
  { whole = false }: { readonly whole?: boolean } = {},
): Plot.ScaleOptions {
  let [low, high] = [Math.min(...values), Math.max(...values)];
  if (!(high / low > 1.5)) [low, high] = [low / 2, high * 2];
  // A little more, so that no dot is cut.
  const room = (high / low) ** 0.03;
  [low, high] = [low / room, high * room];
  const ticks = logTicks([low, high]).filter((t) => !whole || Number.isInteger(t));
  const tickFormat = high / low > 1000 ? logTick : (v: number) => numeral(v);
  return { type: "log", domain: [low, high], ticks: [...ticks], tickFormat, label, grid: true };
}

export const linearScale = (label: string): Plot.ScaleOptions => ({
  type: "linear",
  label,
  grid: true,
  nice: true,
  ticks: 6,
  tickFormat: (v: number) => numeral(v),
});

/** A linear axis with room beside the first and the last point. */
export function pointScale(values: readonly number[], label: string): Plot.ScaleOptions {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const room = high > low ? 0.1 * (high - low) : Math.abs(low) || 1;
  return { ...linearScale(label), nice: false, ticks: 5, domain: [low - room, high + room] };
}

/** The chart of some marks. */
export function chart(
  { document, title, width = 520, height = 320 }: ChartOptions,
  x: Plot.ScaleOptions,
  y: Plot.ScaleOptions,
  marks: readonly Plot.Markish[],
): Html {
  const plot = Plot.plot({
    document,
    width,
    height,
    marginLeft: 58,
    marginRight: 18,
    marginTop: 30,
    marginBottom: 44,
    style: { fontSize: "13px", fontFamily: systemFont, background: "none" },
    x: { ...x, labelAnchor: "center", labelArrow: "none", labelOffset: 40 },
    y: { ...y, labelArrow: "none" },
    marks: [...marks],
  });
  plot.setAttribute("role", "img");
  plot.setAttribute("aria-label", title);
  return drawn(withoutPartLabels(plot));
}
