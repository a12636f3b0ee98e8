// The gradient rule of every operator against central differences, for every case of the operator table.
import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import { families, type OperatorName } from "../../src/graph/operators/index.ts";
import { isFloat, numbers, type Tensor } from "../../src/graph/tensor.ts";
import { gradient, gradientPass } from "../../src/passes/gradient.ts";
import { operatorCases } from "../graph/operators-cases.ts";
import { feedsOf, graphOfCase, type OperatorCase } from "../graph/operators-runtime.ts";
import {
  dimensionsByName,
  gradientAsFunction,
  type SmoothCase,
  smoothCase,
  smoothCaseInFloat32,
  withFloatOutputs,
} from "./gradient-cases.ts";
import { checkGradient } from "./gradient-check.ts";

const covered = [
  "elementwise",
  "activation",
  "comparison",
  "reduction",
  "reshaping",
  "indexing",
  "padding",
  "generation",
] as const;
const names = covered.flatMap((family) => Object.keys(families[family]) as OperatorName[]);

/** Drawn anew in each run, so that no difference means anything. */
const random: readonly OperatorName[] = ["RandomNormalLike", "RandomUniformLike", "Bernoulli", "Multinomial"];

const hasFloats = ({ inputs }: OperatorCase): boolean => inputs.some((t) => t !== "" && isFloat(t.type));
/** Cases in which central differences tell nothing, or without a gradient: see the tests of conventions. */
const isRough = (op: OperatorName, { attributes = {}, inputs, dependsOnData }: OperatorCase): boolean =>
  (op === "Cast" && attributes.to === 10) ||
  (op === "Dropout" && inputs.length === 3) ||
  (op === "ReduceProd" && inputs[1] !== undefined && dependsOnData === true);
/** ONNX Runtime rounds Shrink of float64 to float32: see the tests of conventions. */
const elsewhere: readonly OperatorName[] = ["Resize", "Shrink", ...random];
const smooth = names.filter((op) => !elsewhere.includes(op) && operatorCases[op].some(hasFloats));

/** The largest difference, relative to numbers greater than 1. */
const distance = (a: Tensor, b: Tensor): number =>
  Math.max(
    0,
    ...Array.from(numbers(a), (v, k) => Math.abs(v - numbers(b)[k]!) / Math.max(1, Math.abs(numbers(b)[k]!))),
  );

describe("the gradient of an operator", () => {
  it("has a rule for every operator of these families", () => {
    expect(names.filter((op) => op !== "Resize" && !gradientPass.rules[op])).toEqual([]);
  });
  it.each(smooth)("%s: is that of central differences", async (op) => {
    for (const [k, usage] of operatorCases[op].entries()) {
      if (!hasFloats(usage) || isRough(op, usage)) continue;
      const { graph, inputs } = smoothCase(op, usage, k + 1);
      const { error } = await checkGradient(graph, inputs, { directions: 2 });
      expect(error, `case ${k}`).toBeLessThan(1e-6);
    }
  });
  it.each(random)("%s: nothing comes back", async (op) => {
    for (const usage of operatorCases[op]) {
      const derivative = gradient(withFloatOutputs(graphOfCase(op, usage)), { unitSeeds: true });
      const { grad_x0 } = await run(derivative, Object.fromEntries(feedsOf(usage)), {
        outputs: ["grad_x0"],
        threads: 1,
      });
      expect(numbers(grad_x0!).every((v) => v === 0)).toBe(true);
    }
  });
});

describe("the gradient of the gradient", () => {
  it.each(smooth)("%s: is that of central differences", async (op) => {
    const usable = operatorCases[op].filter((usage) => hasFloats(usage) && !isRough(op, usage));
    const { graph, inputs } = smoothCase(op, usable[1] ?? usable[0]!, 5);
    const second = await gradientAsFunction(graph, inputs);
    const { error } = await checkGradient(second.graph, second.inputs, { directions: 1 });
    expect(error).toBeLessThan(1e-6);
  });
});

/** The gradients at a case by two graphs. */
async function compare(a: SmoothCase, b: SmoothCase, tolerance: number, where: string): Promise<void> {
  const [first, second] = [
    await gradientAsFunction(a.graph, a.inputs),
    await gradientAsFunction(b.graph, b.inputs),
  ];
  const expected = await run(first.graph, first.inputs, { threads: 1 });
  const found = await run(second.graph, second.inputs, { threads: 1 });
  for (const [name, t] of Object.entries(expected)) {
    expect(found[name]!.dims, where).toEqual(t.dims);
    expect(distance(found[name]!, t), where).toBeLessThan(tolerance);
  }
}

describe("the gradient is the same", () => {
  it.each(smooth)("%s: with dimensions that only the run tells, and in float32", async (op) => {
    for (const [k, usage] of operatorCases[op].entries()) {
      if (!hasFloats(usage) || isRough(op, usage)) continue;
      const known = smoothCase(op, usage, k + 1);
      await compare(known, smoothCase(op, usage, k + 1, dimensionsByName), 1e-12, `case ${k}`);
      // 24 bits, less what sums and functions of these arguments lose.
      await compare(known, smoothCaseInFloat32(op, usage, k + 1), 1e-4, `case ${k} in float32`);
    }
  });
});
