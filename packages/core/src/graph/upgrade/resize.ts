// Upsample (opset 7, 9) and Resize (10) take the pixel at floor(i / scale), or at ceil where an axis shrinks;
// since opset 11 how pixels are found is written out, in one way for all axes.
import type { Node } from "../graph.ts";
import { numbersOf } from "../operators/constant.ts";
import { tensor } from "../tensor.ts";
import { beside, type Rewrite, type Rewriting, scalar, text, without } from "./rewriting.ts";

const isLinear = (node: Node): boolean => {
  const mode = node.attributes.get("mode");
  return mode?.type === "string" && mode.value !== "nearest";
};

const placed = (node: Node, inputs: readonly string[], nearest: string): Node => ({
  ...node,
  op: "Resize",
  inputs: [inputs[0]!, "", inputs[1]!],
  attributes: new Map([
    ...without(node, "scales"),
    ["coordinate_transformation_mode", text("asymmetric")] as const,
    ...(isLinear(node) ? [] : [["nearest_mode", text(nearest)] as const]),
  ]),
});

export const upsample: Rewrite = (node, at) => {
  const scales = node.attributes.get("scales");
  if (scales?.type !== "floats") return [placed(node, node.inputs, "floor")];
  const weight = at.weight(node, "scales", tensor(scales.value, { type: "float32" }));
  return [placed(node, [node.inputs[0]!, weight], "floor")];
};

export const resize: Rewrite = (node, at) => {
  if (at.opset >= 11) return [withoutEmptyScales(node, at)];
  const scales = numbersOf(at.typeOf(node.inputs[1]!));
  if (isLinear(node) || scales?.every((s) => s >= 1)) return [placed(node, node.inputs, "floor")];
  if (scales?.every((s) => s <= 1)) return [placed(node, node.inputs, "ceil")];
  // First the axes that grow, then those that shrink.
  const one = at.weight(node, "one", scalar(1, "float32"));
  const [growth, shrinkage, grown] = ["growth", "shrinkage", "grown"].map((part) => at.fresh(node, part)) as [
    string,
    string,
    string,
  ];
  return [
    beside("Max", [node.inputs[1]!, one], growth),
    beside("Min", [node.inputs[1]!, one], shrinkage),
    { ...placed(node, [node.inputs[0]!, growth], "floor"), name: grown, outputs: [grown] },
    placed(node, [grown, shrinkage], "ceil"),
  ];
};

/** Before opset 13 what is left out was given as an empty tensor. */
function withoutEmptyScales(node: Node, at: Rewriting): Node {
  const inputs = node.inputs.map((name, k) =>
    k > 0 && name && at.typeOf(name)?.shape?.[0] === 0 ? "" : name,
  );
  while (inputs.at(-1) === "") inputs.pop();
  return { ...node, inputs };
}
