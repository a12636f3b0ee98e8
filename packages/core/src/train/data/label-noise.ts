// Labels thrown anew: what a network that fits them has memorized, for nothing else tells them.
import { numbers, tensor } from "../../graph/tensor.ts";
import { createRandom } from "../../numbers/random.ts";
import { TrainError } from "../error.ts";
import type { Dataset } from "./dataset.ts";

/**
 * Each training label is replaced, with this probability, by one of the classes, all alike. The test labels stay.
 * @example withThrownLabels(drawnDataset("two-moons"), { share: 0 }).train.y.dims // [800]
 */
export function withThrownLabels(
  dataset: Dataset,
  { share, seed = 0 }: { readonly share: number; readonly seed?: number | string },
): Dataset {
  const { classes, name, train } = dataset;
  if (!(share >= 0 && share <= 1)) throw new TrainError(`the label noise ${share} is not between 0 and 1`);
  if (classes === undefined) throw new TrainError(`${name} has no classes whose labels could be thrown`);
  const random = createRandom(seed).split("labels");
  const labels = Array.from(numbers(train.y), (label) => {
    const [isThrown, other] = [random.uniform() < share, random.integer(0, classes - 1)];
    return isThrown ? other : label;
  });
  const y = tensor(labels, { type: "int64", dims: [...train.y.dims] });
  return { ...dataset, train: { x: train.x, y } };
}
