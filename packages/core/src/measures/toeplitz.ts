// Norms of a convolution written out as a matrix, each weight once for each place: counted, never written.
import { elementCount } from "../graph/tensor.ts";
import type { ConvolutionShape } from "./convolution-shape.ts";
import type { LinearLayer } from "./linear-layers.ts";

export interface ToeplitzNorms {
  /** sqrt of the sum of squares of all entries. */
  readonly frobenius: number;
  /** The sum of the Euclidean norms of the rows, one for each output. */
  readonly norm21: number;
}

/** Which taps of one axis lie inside of the input, and at how many places of the output that is so. */
interface Pattern {
  readonly inside: readonly boolean[];
  readonly places: number;
}

function patterns(shape: ConvolutionShape, axis: number): readonly Pattern[] {
  const { kernel, strides, dilations, pads, output, input } = shape;
  const counts = new Map<string, { inside: boolean[]; places: number }>();
  for (let p = 0; p < output[axis]!; p++) {
    const inside = Array.from({ length: kernel[axis]! }, (_, t) => {
      const at = p * strides[axis]! + t * dilations[axis]! - pads[axis]!;
      return at >= 0 && at < input[axis + 1]!;
    });
    const known = counts.get(inside.join());
    if (known) known.places++;
    else counts.set(inside.join(), { inside, places: 1 });
  }
  return [...counts.values()];
}

/** One pattern an axis, in all combinations: which taps are inside (row-major), and at how many places. */
function combined(shape: ConvolutionShape): readonly Pattern[] {
  return shape.kernel.reduce<readonly Pattern[]>(
    (all, _, axis) =>
      all.flatMap((before) =>
        patterns(shape, axis).map(({ inside, places }) => ({
          inside: before.inside.flatMap((b) => inside.map((i) => b && i)),
          places: before.places * places,
        })),
      ),
    [{ inside: [true], places: 1 }],
  );
}

/** The norms of the matrix of a convolution, its zero padding and strides counted exactly. */
export function toeplitzNorms({ rows, columns, entries, convolution }: LinearLayer): ToeplitzNorms {
  const shape = convolution!;
  const taps = elementCount(shape.kernel);
  const energy = new Float64Array(rows * taps); // of each output channel and tap, over the channels that it reads
  entries.forEach((w, k) => {
    energy[Math.floor(k / columns) * taps + (k % taps)]! += w * w;
  });
  let [squares, norm21] = [0, 0];
  for (const { inside, places } of combined(shape))
    for (let row = 0; row < rows; row++) {
      const square = inside.reduce((sum, isIn, t) => (isIn ? sum + energy[row * taps + t]! : sum), 0);
      squares += places * square;
      norm21 += places * Math.sqrt(square);
    }
  return { frobenius: Math.sqrt(squares), norm21 };
}
