// BatchNormalization before opset 14: having further outputs means to train; opset 7 can normalize each position.
import { GraphError } from "../error.ts";
import { describe } from "../graph.ts";
import type { NumericType } from "../tensor.ts";
import { beside, floatOf, int, intOf, type Rewrite, scalar, without } from "./rewriting.ts";

export const batchNormalization: Rewrite = (node, at) => {
  const attributes = without(node, "spatial", "is_test");
  const [output, ...statistics] = node.outputs;
  if (statistics.every((name) => name === "")) {
    const inference = { ...node, outputs: [output!], attributes };
    return at.opset < 9 && intOf(node, "spatial") === 0 ? perPosition(inference, at) : [inference];
  }
  if (statistics.slice(2).some((name) => name !== "" && at.isUsed(name)))
    throw new GraphError(
      `${describe(node)}: the saved mean and variance of opset ${at.opset} have no form in opset 20`,
    );
  return [
    {
      ...node,
      outputs: node.outputs.slice(0, 3),
      attributes: new Map([...attributes, ["training_mode", int(1)]]),
    },
  ];
};

/** scale (x - mean) / sqrt(variance + epsilon) + bias, with parameters of shape [channels, ...sizes]. */
const perPosition: Rewrite = (node, at) => {
  const [x, scale, bias, mean, variance] = node.inputs as [string, string, string, string, string];
  const type = (at.typeOf(variance)?.type ?? "float32") as NumericType;
  const epsilon = at.weight(node, "epsilon", scalar(floatOf(node, "epsilon") ?? Math.fround(1e-5), type));
  const part = (name: string) => at.fresh(node, name);
  const [centred, shifted, deviation, normal, scaled] = [
    "centred",
    "shifted",
    "deviation",
    "normal",
    "scaled",
  ].map(part) as [string, string, string, string, string];
  return [
    beside("Sub", [x, mean], centred),
    beside("Add", [variance, epsilon], shifted),
    beside("Sqrt", [shifted], deviation),
    beside("Div", [centred, deviation], normal),
    beside("Mul", [normal, scale], scaled),
    { ...node, op: "Add", inputs: [scaled, bias], attributes: new Map() },
  ];
};
