// What of a training step nobody can leave out: the matrix products or convolutions of a network and of its gradient, as often
// as there are steps, and nothing else. A network without biases and activations has just these.
import { run } from "@lemmata/core/engine";
import { type Graph, tensor } from "@lemmata/core/graph";
import { createRandom } from "@lemmata/core/numbers";
import { gradient } from "@lemmata/core/passes";
import { initialNetwork } from "@lemmata/core/train";
import { Builder } from "../packages/core/src/graph/builder.ts";
import { finish } from "../packages/core/src/graph/finish.ts";
import { loop, seen } from "../packages/core/src/graph/looping.ts";
import type { Types, Value } from "../packages/core/src/graph/value.ts";
import { weightsAsInputs } from "../packages/core/src/train/weights.ts";

/** "784-256-relu-10" without its activations and biases. */
const productsOf = (spec: string): string =>
  spec
    .split("-")
    .filter((part) => part !== "relu")
    .map((part, k) => (k > 0 && part !== "flatten" ? `${part}nobias` : part))
    .join("-");

/** A loop whose every turn makes the products once more; its results are states, so that none is left out. */
function repeated(step: Graph): Graph {
  const types: Types = Object.fromEntries(step.inputs.map(({ name, type }) => [name, type as never]));
  return finish(
    new Builder(),
    { ...types, turns: { type: "int64", shape: [] } },
    (given) => {
      const once = given.turns!.builder.inline(step, given);
      const { states } = loop(given.turns!, once, (turn, _, go) => {
        const inputs = Object.entries(given).map(([name, value]) => [name, seen(value, turn.builder)]);
        const states = turn.builder.inline(step, Object.fromEntries(inputs) as Record<string, Value>);
        return { go: go.op("Identity"), states, traces: {} };
      });
      return Object.fromEntries(Object.entries(states).map(([name, value]) => [`${name}:last`, value]));
    },
    { name: "products", nested: false },
  );
}

/** Makes the products of so many steps on batches of these dimensions. */
export function products(
  spec: string,
  [examples, ...input]: readonly number[],
  threads: number,
): (steps: number) => Promise<void> {
  const model = initialNetwork(productsOf(spec), { seed: 1 });
  const weights = [...model.initializers];
  const step = gradient(weightsAsInputs(model, new Map(weights.map(([name]) => [name, name]))), {
    wrt: weights.map(([name]) => name),
  });
  const graph = repeated(step);
  const random = createRandom("products");
  const normal = (dims: readonly number[]) =>
    tensor(random.normal(dims.reduce((a, b) => a * b, 1)), { type: "float32", dims });
  const outputs = Number(spec.split("-").at(-1));
  const inputs = {
    ...Object.fromEntries(weights.map(([name, { dims }]) => [name, normal(dims)])),
    [step.inputs[0]!.name]: normal([examples!, ...input]),
    [step.inputs.find(({ name }) => name.startsWith("seed_"))!.name]: normal([examples!, outputs]),
  };
  return async (steps) => {
    await run(graph, { ...inputs, turns: tensor(steps - 1, { type: "int64" }) }, { threads });
  };
}
