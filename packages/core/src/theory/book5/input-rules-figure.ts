import type { Figure } from "../../figure/figure.ts";
import { byInput, inputAxis } from "./by-input.ts";
import { type DenseLayer, total } from "./dense-relu.ts";
import { flatRule, squareRule } from "./plain-rules.ts";

export interface Shown {
  readonly layer: DenseLayer;
  readonly x: readonly number[];
  /** Relevance of the pixels by the pass, and from counting who sees which. */
  readonly image: { readonly found: readonly number[]; readonly expected: readonly number[] };
  readonly side: number;
}

/** A dense layer input by input, and two rows of an image under a padded convolution. */
export function figure({ layer, x, image, side }: Shown): Figure {
  // A score may hand nothing down to most neurons, and they may all be closed: each has a relevance of 1.
  const above = layer.b.map(() => 1);
  const [flat, square] = [flatRule, squareRule].map((rule) => rule(layer, x, above).inputs);
  const row = (values: readonly number[], k: number): readonly number[] =>
    values.slice(k * side, (k + 1) * side);
  const middle = Math.floor(side / 2);
  const dashed = { mark: "line", role: "theory" } as const;
  return {
    title: "Rules of the first layer that do not look at the input",
    panels: [
      {
        title: "Each input, 1 at each neuron of a dense layer",
        x: inputAxis(x.length),
        y: { label: "relevance" },
        series: [
          byInput("flat", flat!),
          byInput("w²", square!),
          byInput(
            "mean: 1/n₀ of the layer above",
            x.map(() => total(above) / x.length),
            dashed,
          ),
        ],
      },
      {
        title: "Flat under a padded convolution",
        x: { label: "column", names: Array.from({ length: side }, (_, c) => String(c + 1)) },
        y: { label: "relevance of the pixel" },
        series: [
          byInput("first row", row(image.found, 0)),
          byInput("row in the middle", row(image.found, middle)),
          byInput("first row, pixels counted", row(image.expected, 0), dashed),
          byInput("middle, pixels counted", row(image.expected, middle), dashed),
        ],
      },
    ],
  };
}
