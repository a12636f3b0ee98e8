import type { Figure } from "../../figure/figure.ts";

/** Numbers of the network as it is, and of the folded one at the same places. */
export interface Folded {
  readonly wanted: readonly number[];
  readonly found: readonly number[];
}

/** On the diagonal the fold is exact: everywhere without padding, inside of the image with it. */
export function figure(unpadded: Folded, padded: Folded, isInside: (k: number) => boolean): Figure {
  const dots = (name: string, { wanted, found }: Folded, isMine: (k: number) => boolean = () => true) => ({
    ...{ name, mark: "dots" as const },
    points: wanted.flatMap((v, k) => (isMine(k) ? [[v, found[k]!] as const] : [])),
  });
  const diagonal = ({ wanted }: Folded) => ({
    ...{ name: "the same number", mark: "line" as const, role: "theory" as const },
    points: [Math.min(...wanted), Math.max(...wanted)].map((v) => [v, v] as const),
  });
  const axes = { x: { label: "pixel of the network" }, y: { label: "pixel of the folded network" } };
  return {
    title: "Batch normalization folded into the convolution behind it",
    panels: [
      {
        title: "No padding: exact",
        ...axes,
        series: [dots("all pixels", unpadded), diagonal(unpadded)],
      },
      {
        title: "A border of zeros: exact inside only",
        ...axes,
        series: [
          dots("inside", padded, isInside),
          dots("at the border", padded, (k) => !isInside(k)),
          diagonal(padded),
        ],
      },
    ],
  };
}
