// The cases of layers, as graphs in f64 whose first and second derivatives central differences check.
import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import { graph } from "../../src/graph/builder.ts";
import type { Graph, TensorType } from "../../src/graph/graph.ts";
import { inferTypes } from "../../src/graph/infer.ts";
import type { OperatorName } from "../../src/graph/operators/index.ts";
import { numbers, type Tensor, tensor } from "../../src/graph/tensor.ts";
import { gradient } from "../../src/passes/gradient.ts";
import { operatorCases } from "../graph/operators-cases.ts";
import { feedsOf, graphOfCase, type OperatorCase } from "../graph/operators-runtime.ts";
import { checkGradient, randomTensor } from "./gradient-check.ts";

const inFloat64 = (t: Tensor): Tensor =>
  t.type === "float32" ? tensor(Array.from(numbers(t)), { type: "float64", dims: t.dims }) : t;

/** The case with what it feeds in f64; its weights (axes, scales) stay. */
const float64Case = (given: OperatorCase): OperatorCase => ({
  ...given,
  inputs: given.inputs.map((t, k) => (t === "" || given.weights?.includes(k) ? t : inFloat64(t))),
});

/** The first axis of the first input is a batch of any size. */
export const anyBatch = (t: Tensor, k: number): TensorType => ({
  type: t.type,
  shape: k === 0 ? ["N", ...t.dims.slice(1)] : t.dims,
});

/** The largest relative error of the gradient with respect to every floating-point input. */
export async function errorOfCase(
  op: OperatorName,
  given: OperatorCase,
  typeOf?: (t: Tensor, k: number) => TensorType,
): Promise<number> {
  const inputs = float64Case(given);
  const original = graphOfCase(op, inputs, typeOf);
  // The statistics of LayerNormalization are f32 always: too coarse for differences.
  const of = original.outputs
    .map((o) => o.name)
    .filter((name) => inferTypes(original).get(name)?.type === "float64");
  return (await checkGradient(original, Object.fromEntries(feedsOf(inputs)), { of })).error;
}

/** All cases of these operators, with and without a batch of any size. */
export function checkOperators(ops: readonly OperatorName[], batched: readonly OperatorName[] = ops): void {
  for (const op of ops)
    describe(op, () => {
      const cases = operatorCases[op].filter((given) => !given.dependsOnData);
      it.each(cases.map((given, k) => [k, given] as const))("case %i", async (_, given) => {
        expect(await errorOfCase(op, given)).toBeLessThan(1e-6);
      });
      if (batched.includes(op))
        it("with a batch of any size", async () => {
          for (const given of cases) expect(await errorOfCase(op, given, anyBatch)).toBeLessThan(1e-6);
        });
    });
}

/** The gradient as a function of the inputs and of its cotangent, under names that it does not use itself. */
function gradientAsFunction(original: Graph, of: string): Graph {
  const first = gradient(original, { of: [of] });
  const types = Object.fromEntries(
    first.inputs.map(({ name, type }) => [name.replace("seed_", "cotangent_"), type as TensorType]),
  );
  return graph(types, (values) => {
    const inputs = Object.entries(values).map(
      ([name, v]) => [name.replace("cotangent_", "seed_"), v] as const,
    );
    const outputs = Object.values(values)[0]!.builder.inline(first, Object.fromEntries(inputs));
    const named = Object.entries(outputs).filter(([name]) => name.startsWith("grad_"));
    return Object.fromEntries(named.map(([name, v]) => [name.replace("grad_", "slope_"), v]));
  });
}

/** The same for the gradient: second derivatives, by the inputs and by the cotangent. */
export async function errorOfSecondDerivative(op: OperatorName, given: OperatorCase): Promise<number> {
  const inputs = float64Case(given);
  const original = graphOfCase(op, inputs);
  const of = original.outputs[0]!.name;
  const feeds = Object.fromEntries(feedsOf(inputs));
  const value = (await run(original, feeds))[of]!;
  const cotangent = { [`cotangent_${of}`]: randomTensor(value.dims, 17) };
  return (await checkGradient(gradientAsFunction(original, of), { ...feeds, ...cotangent })).error;
}

/** Second derivatives of the first cases of these operators. */
export function checkTwice(ops: readonly OperatorName[], cases = 2): void {
  it.each(ops)("%s, differentiated twice", async (op) => {
    for (const given of operatorCases[op].slice(0, cases))
      expect(await errorOfSecondDerivative(op, given)).toBeLessThan(1e-6);
  });
}
