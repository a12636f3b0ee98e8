// Two scenes of the same two shapes, one left of the other and the other way round, and what a relation network says of
// them.
import { run } from "../../engine/run.ts";
import { numbers, type Tensor, tensor } from "../../graph/tensor.ts";
import {
  drawRelationNetwork,
  type RelationNetworkOptions,
  relationNetwork,
} from "../../networks/relation-network.ts";
import type { Random } from "../../numbers/random.ts";

const [side, patch] = [128, 8];
/** Words of the question. */
const asked = 6;
/** Four convolutions of stride 2 make steps of 16 pixels, and a cell sees 31: these two see no shape together. */
const [step, cells] = [16, { left: 1, right: 5, row: 3 }];
/** From a cell's number to the first pixel of a shape in its middle. */
const corner = (cell: number): number => step * cell + 15 - patch / 2;

type Shape = Float64Array;

/** Grey, with one shape in the left cell and one in the right cell of a row. */
function scene(left: Shape, right: Shape): Float64Array {
  const image = new Float64Array(3 * side * side).fill(0.5);
  for (const [shape, cell] of [
    [left, cells.left],
    [right, cells.right],
  ] as const)
    shape.forEach((v, k) => {
      const [channel, place] = [Math.floor(k / patch ** 2), k % patch ** 2];
      const row = corner(cells.row) + Math.floor(place / patch);
      image[(channel * side + row) * side + corner(cell) + (place % patch)] = v;
    });
  return image;
}

export interface Answered {
  /** The scores of all answers for the one scene and for the other. */
  readonly before: readonly number[];
  readonly after: readonly number[];
}

/** One network and one question for two scenes, the weights drawn. */
export async function answersForSwapped(options: RelationNetworkOptions, random: Random): Promise<Answered> {
  const weights = drawRelationNetwork({ ...options, side }, random.split("weights"), "float64");
  const network = relationNetwork({ ...options, side }, weights, { steps: asked });
  const [one, other] = [random.uniform(3 * patch ** 2), random.uniform(3 * patch ** 2)];
  const words = Array.from({ length: asked }, () => random.integer(0, options.vocabulary - 1));
  const images: Tensor = tensor([...scene(one, other), ...scene(other, one)], {
    type: "float64",
    dims: [2, 3, side, side],
  });
  const question = tensor([words, words], { type: "int64" });
  const scores = Array.from(
    numbers((await run(network, { image: images, question }, { threads: 1 })).scores),
  );
  return { before: scores.slice(0, options.answers), after: scores.slice(options.answers) };
}

/** How many answers the two scenes have other scores for, beyond rounding. */
export function changedAnswers({ before, after }: Answered): number {
  const size = Math.max(...before.map(Math.abs));
  return before.filter((v, k) => Math.abs(v - after[k]!) > 1e-9 * size).length;
}
