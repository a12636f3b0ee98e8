import { blurred, type Plane, planeOf } from "../../explain/heatmap.ts";
import type { Figure } from "../../figure/figure.ts";
import { atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";

export default lemma({
  id: "C5-30",
  covers: ["C5-30"],
  kind: "algorithm",
  title: "Heatmaps: channels summed, then blurred without a loss",
  source: "Book, chapter 5, section 5.5, methods for explaining VQA",
  statement: String.raw`H = G_\sigma * \Big| \sum_c R_c \Big|, \; \sigma = 0.02 \times \text{size}, \text{ mirrored at the border}: \quad \sum_{p} H_p = \sum_p \Big| \sum_c R_{c,p} \Big|, \quad \max |H| \le \max |R|`,
  parameters: {
    rows: integer({ min: 1, max: 12, default: 10, label: "rows" }),
    columns: integer({ min: 1, max: 12, default: 12, label: "columns" }),
    channels: integer({ min: 1, max: 4, default: 3, label: "channels" }),
    deviation: real({ min: 0.1, max: 6, default: 1, label: "σ in pixels" }),
  },
  claims: {
    "mass behind the blur": equals(String.raw`\text{mass before}`),
    "mass of a pixel in the corner": equals("1"),
    "greatest difference to a sum over the mirrored plane": equals("0"),
    "greatest of the blurred": atMost(String.raw`\text{greatest before}`),
    "channels summed: relevance": equals(String.raw`\text{that of all channels}`),
  },
  mutants: {
    "dark beyond the border": { "mass of a pixel in the corner": () => 0.25 },
    "the channels' mean": { "channels summed: relevance": ({ channels }, { theory }) => theory / channels },
    "a peak that the blur sharpens": { "greatest of the blurred": (_, { theory }) => theory / 2 },
  },
  run({ rows, columns, channels, deviation }, { random }) {
    const relevance = random.normal(channels * rows * columns);
    const summed = planeOf(relevance, [1, channels, rows, columns]);
    const plane: Plane = {
      rows,
      columns,
      values: Float64Array.from(relevance.subarray(0, rows * columns), Math.abs),
    };
    const soft = blurred(plane, deviation);
    const corner = { rows, columns, values: plane.values.map((_, k) => Number(k === 0)) };
    const mass = total(plane.values);
    const rounding = { tolerance: 1e-13 * (1 + mass) };
    return {
      figure: figure(plane, soft),
      claims: {
        "mass behind the blur": checked(total(soft.values), mass, rounding),
        "mass of a pixel in the corner": checked(total(blurred(corner, deviation).values), 1, rounding),
        "greatest difference to a sum over the mirrored plane": checked(
          Math.max(...overMirrored(plane, deviation).map((v, k) => Math.abs(v - soft.values[k]!))),
          0,
          rounding,
        ),
        "greatest of the blurred": checked(Math.max(...soft.values), Math.max(...plane.values), rounding),
        "channels summed: relevance": checked(total(summed.values), total(relevance), rounding),
      },
    };
  },
});

const total = (values: Float64Array): number => values.reduce((s, v) => s + v, 0);

/** Row k of an endless wall of mirror images: back and forth. */
function reflected(k: number, n: number): number {
  let place = k;
  while (place < 0 || place >= n) place = place < 0 ? -1 - place : 2 * n - 1 - place;
  return place;
}

/** Both directions in one sum, from the formula. */
function overMirrored({ rows, columns, values }: Plane, deviation: number): readonly number[] {
  const reach = Math.ceil(4 * deviation);
  const weight = (d: number): number => Math.exp(-(d * d) / (2 * deviation * deviation));
  return Array.from(values, (_, at) => {
    const [r, c] = [Math.floor(at / columns), at % columns];
    let [sum, weights] = [0, 0];
    for (let i = -reach; i <= reach; i++)
      for (let j = -reach; j <= reach; j++) {
        const w = weight(i) * weight(j);
        sum += w * values[reflected(r + i, rows) * columns + reflected(c + j, columns)]!;
        weights += w;
      }
    return sum / weights;
  });
}

function figure(before: Plane, after: Plane): Figure {
  const row = Math.floor(before.rows / 2) * before.columns;
  const over = (name: string, { values, columns }: Plane) => ({
    name,
    mark: "step" as const,
    // A step more, so that the last column has its width.
    points: Array.from(
      { length: columns + 1 },
      (_, c) => [c, values[row + Math.min(c, columns - 1)]!] as const,
    ),
  });
  return {
    title: "A row of a heatmap, before and behind the blur",
    panels: [
      {
        title: "The mass is the same",
        x: { label: "column" },
        y: { label: "relevance" },
        series: [over("before", before), over("blurred", after)],
      },
    ],
  };
}
