// Softmax, LogSoftmax and Hardmax before opset 13 saw a matrix: the axes from `axis` on were one.
import { beside, int, intOf, type Rewrite, withAttributes } from "./rewriting.ts";

/** One axis when all after it have size 1; else flatten to a matrix, and back. */
export const flattenedSoftmax: Rewrite = (node, at) => {
  const input = node.inputs[0]!;
  const axis = intOf(node, "axis") ?? 1;
  const shape = at.typeOf(input)?.shape;
  const single =
    axis === -1 || shape?.slice(axis < 0 ? shape.length + axis : axis).every((d, k) => k === 0 || d === 1);
  if (single) return [{ ...node, attributes: withAttributes(node, { axis: int(axis) }) }];
  const [flat, soft, dims] = ["flat", "soft", "shape"].map((part) => at.fresh(node, part)) as [
    string,
    string,
    string,
  ];
  return [
    beside("Flatten", [input], flat, { axis: int(axis) }),
    { ...node, inputs: [flat], outputs: [soft], attributes: withAttributes(node, { axis: int(-1) }) },
    beside("Shape", [input], dims),
    beside("Reshape", [soft, dims], node.outputs[0]!),
  ];
};
