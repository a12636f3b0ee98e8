// Jacobians example by example: the derivative of each output of each example, in one run of a graph.
import { Builder } from "../graph/builder.ts";
import { GraphError } from "../graph/error.ts";
import { finish } from "../graph/finish.ts";
import { type Graph, isTensorType, requiredInputs, type TensorType } from "../graph/graph.ts";
import { loop, seen } from "../graph/looping.ts";
import { prune } from "../graph/prune.ts";
import { tensor } from "../graph/tensor.ts";
import { canonical } from "../graph/upgrade.ts";
import type { Value, Values } from "../graph/value.ts";
import { expand } from "./gradient/expand.ts";
import { reshapeLike, zerosLike } from "./gradient/shapes.ts";
import { type GradientOptions, gradientPass, wantedNames } from "./gradient.ts";

/**
 * For a graph that maps each example (a row of its inputs) by itself to the output [N, K]: an output `jacobian_<name>`
 * of shape [N, K, ...] for each weight asked for, and for each input of shape [N, ...] likewise. The forward pass runs
 * once an example, the backward pass once an output, in loops inside of the graph.
 * @example perExampleJacobian(net, { wrt: "weights" }).outputs[0].name // "y"
 */
export function perExampleJacobian(
  original: Graph,
  { wrt = "weights" }: Pick<GradientOptions, "wrt"> = {},
): Graph {
  const plain = canonical(original);
  const wanted = wantedNames(original, plain, wrt);
  const [output, another] = plain.outputs;
  if (!output || another)
    throw new GraphError(`a Jacobian is of a graph with one output, not ${plain.outputs.length}`);
  const graph = expand(plain, [output.name], new Set(wanted));
  const inputs = requiredInputs(graph);
  const types = Object.fromEntries(
    inputs.map(({ name, type }) => {
      if (!isTensorType(type) || !type.shape?.length)
        throw new GraphError(`input "${name}" must hold examples along its first axis`);
      return [name, { type: type.type, shape: ["N", ...type.shape.slice(1)] }] as [string, TensorType];
    }),
  );
  const builder = new Builder();
  const body = (given: Values): Values => {
    const [first] = Object.values(given);
    const count = first!.op("Shape", [], { start: 0, end: 1 }).reshape([]);
    const { traces } = loop(count, {}, (example, _states, go) => {
      const here = rowsOf(given, example);
      const values = example.builder.trace(graph, here);
      const y = values.get(output.name)!.reshape([-1]);
      return {
        go,
        states: {},
        traces: { [output.name]: y, ...rowGradients(graph, values, y, output.name, wanted) },
      };
    });
    return traces;
  };
  const result = finish(builder, types, body, { name: `${graph.name}_jacobian`, nested: false });
  return prune({ ...result, opsets: graph.opsets, functions: graph.functions });
}

/** One example of each input, as a batch of one. */
function rowsOf(given: Values, example: Value): Values {
  const at = example.reshape([1]);
  return Object.fromEntries(
    Object.entries(given).map(([name, x]) => [name, at.builder.apply("Gather", [x, at], { axis: 0 })[0]!]),
  );
}

/** The gradients of the outputs of one example, one after the other. */
function rowGradients(
  graph: Graph,
  values: ReadonlyMap<string, Value>,
  y: Value,
  output: string,
  wanted: readonly string[],
): Values {
  const inputNames = new Set(requiredInputs(graph).map((i) => i.name));
  const outputs = y.op("Shape", [], { start: 0, end: 1 });
  const zeros = zerosLike(y);
  const { traces } = loop(outputs.reshape([]), {}, (k, _states, go) => {
    const { builder } = k;
    const one = builder.weight(tensor([1], { type: y.type.type as "float32" }), "one");
    const [unit] = builder.apply("ScatterElements", [zeros, k.reshape([1]), one], { axis: 0 });
    const around = new Map([...values].map(([name, value]) => [name, seen(value, builder)]));
    const seed = reshapeLike(unit!, around.get(output)!);
    const found = gradientPass(graph, around, new Map([[output, seed]]), new Set(wanted));
    const rows = wanted.map((name) => {
      const [x, g] = [around.get(name)!, found.get(name)];
      const whole = g ? reshapeLike(g, x) : zerosLike(x);
      const row = inputNames.has(name) ? whole.op("Squeeze", [tensor([0], { type: "int64" })]) : whole;
      return [`jacobian_${name}`, row] as const;
    });
    return { go, states: {}, traces: Object.fromEntries(rows) };
  });
  return traces;
}
