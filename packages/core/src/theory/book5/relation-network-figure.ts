// Figure and table of the relation network: what each part of it weighs, and what it can tell of places.
import type { Figure, Series } from "../../figure/figure.ts";
import { elementCount } from "../../graph/tensor.ts";
import { networkShapes, type RelationNetworkOptions } from "../../networks/relation-network.ts";
import { createRandom } from "../../numbers/random.ts";
import type { LemmaTable } from "../lemma.ts";
import { type Answered, answersForSwapped } from "./swapped-shapes.ts";

const parts = [
  ["convolutions", /^(conv|norm\d+\.(scale|shift))/],
  ["words", /^words/],
  ["LSTM", /^lstm/],
  ["g", /^pair/],
  ["f", /^(answer|scores)/],
] as const;

/** As the text has it, and as the paper that it cites has it: places told, two hidden layers of f. */
export function relationTable(options: RelationNetworkOptions): LemmaTable {
  const cited = { ...options, coordinates: true, answerLayers: 2 };
  const counts = [options, cited].map((o) => {
    const sizes = networkShapes(o).map(([name, { dims }]) => [name, elementCount(dims)] as const);
    return parts.map(([, own]) => sizes.reduce((s, [name, size]) => s + (own.test(name) ? size : 0), 0));
  });
  const total = counts.map((all) => all.reduce((s, v) => s + v, 0));
  return {
    title: "Numbers that training changes",
    columns: ["part", "these parameters", "places told, two hidden layers of f (Santoro et al.)"],
    rows: [
      ...parts.map(([name], k) => [name, counts[0]![k]!, counts[1]![k]!]),
      ["all", total[0]!, total[1]!],
    ],
  };
}

/** Feature maps of a side, then of that of the next layer. */
const sides = (side: number): readonly (readonly [number, number])[] =>
  [0, 1, 2, 3, 4].map((l) => [l, Math.floor((side + 1) / 2 ** l) - 1]);

/** A cell behind l layers sees 2^(l+1) - 1 pixels. */
const seen = [0, 1, 2, 3, 4].map((l) => [l, 2 ** (l + 1) - 1] as const);

/** How much each score changes, of the greatest score; no change at all is drawn at the rounding of a double. */
const changes = (name: string, { before, after }: Answered): Series => {
  const size = Math.max(...before.map(Math.abs));
  const change = (v: number, k: number): number => Math.max(2 ** -53, Math.abs(v - after[k]!) / size);
  return { name, mark: "dots", points: before.map((v, k) => [k + 1, change(v, k)]) };
};

/** Two networks with the same seed, one of which is told the places of its objects. */
export async function relationFigure(
  { side }: RelationNetworkOptions,
  small: RelationNetworkOptions,
): Promise<Figure> {
  const scores = (coordinates: boolean): Promise<Answered> =>
    answersForSwapped({ ...small, coordinates }, createRandom("two scenes"));
  return {
    title: "A relation network: what it sees, and why its objects must be told their places",
    panels: [
      {
        title: "Sides of the feature maps",
        x: { label: "layer" },
        y: { label: "pixels", scale: "log" },
        series: [
          { name: "side of the maps", mark: "line", points: sides(side) },
          { name: "side of what a cell sees", mark: "line", points: seen },
        ],
      },
      {
        title: "Two shapes swap places: change of scores",
        x: { label: "answer" },
        y: { label: "of the greatest score", scale: "log" },
        series: [
          changes("places untold: rounding", await scores(false)),
          changes("places told", await scores(true)),
        ],
      },
    ],
  };
}
