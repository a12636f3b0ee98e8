// A step in other words gives the same numbers; what only looks like a gate or a sum of columns stays.
import { expect, it } from "vitest";
import { run } from "../../src/engine/index.ts";
import { float64, graph } from "../../src/graph/builder.ts";
import { elementCount, numbers, type Tensor, tensor } from "../../src/graph/tensor.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { gradient } from "../../src/passes/gradient.ts";
import { initialNetwork } from "../../src/train/network.ts";
import { shortened } from "../../src/train/shortcuts.ts";
import { weightsAsInputs } from "../../src/train/weights.ts";

const operators = (of: ReturnType<typeof shortened>): readonly string[] => of.nodes.map(({ op }) => op);

it.each([
  ["5-70-relu-40-relu-3", [17, 5], 1],
  ["2x6x6-conv4k3-relu-flatten-30-relu-2", [9, 2, 6, 6], 1],
])("%s has the gradient that it had", async (spec, dims, sums) => {
  const model = initialNetwork(spec, { seed: 3 });
  const names = [...model.initializers.keys()];
  const step = gradient(weightsAsInputs(model, new Map(names.map((name) => [name, name]))), { wrt: names });
  const short = shortened(step);
  expect(operators(short).filter((op) => op === "Where")).toEqual([]);
  expect(operators(step).filter((op) => op === "Where")).not.toEqual([]);
  // One row of ones for all sums of columns with as many rows.
  expect(operators(short).filter((op) => op === "ConstantOfShape")).toHaveLength(sums);
  const random = createRandom(spec);
  const drawn = (shape: readonly number[]): Tensor =>
    tensor(random.normal(elementCount(shape)), { type: "float32", dims: shape });
  const weights = names.map((name) => [name, model.initializers.get(name) as Tensor] as const);
  const seed = step.inputs.find(({ name }) => name.startsWith("seed_"))!.name;
  const outputs = Number(spec.split("-").at(-1));
  const inputs = {
    ...Object.fromEntries(weights),
    [step.inputs[0]!.name]: drawn(dims),
    [seed]: drawn([dims[0]!, outputs]),
  };
  const [was, is] = [await run(step, inputs), await run(short, inputs)];
  for (const name in was) {
    const [before, after] = [numbers(was[name]!), numbers(is[name]!)];
    expect(is[name]!.dims).toEqual(was[name]!.dims);
    before.forEach((x, k) => {
      expect(after[k]).toBeCloseTo(x, 4);
    });
  }
});

it("leaves choices that guard a quotient, and sums along other axes", async () => {
  const guarded = graph({ x: float64("N", 3) }, ({ x }) => {
    const isPositive = x.op("Greater", [0]);
    const chosen = isPositive.op("Where", [
      x.builder.lift(1, "float64").div(x),
      x.builder.lift(0, "float64"),
    ]);
    const axes = x.builder.lift(tensor([1], { type: "int64" }), "int64");
    return { y: chosen, rows: chosen.op("ReduceSum", [axes], { keepdims: 0 }) };
  });
  const short = shortened(guarded);
  expect(operators(short)).toEqual(operators(guarded));
  const { y } = await run(short, { x: tensor([[0, 2, -1]]) });
  expect([...numbers(y!)]).toEqual([0, 0.5, 0]);
});
