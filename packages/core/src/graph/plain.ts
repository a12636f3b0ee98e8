// A graph in operators that passes have rules for. What came after opset 20, quantization and ai.onnx.ml are written out
// by their definitions; whole numbers that are read as real ones again stay real on the way.

import { type AnyDefinition, boundedDefinitionOf, definitionOf, rewrite } from "./definitions/index.ts";
import { withQuantizationErrors } from "./dynamic-quantization.ts";
import { GraphError } from "./error.ts";
import type { Graph, Node } from "./graph.ts";
import { inferTypes } from "./infer.ts";
import { attention } from "./operators/attention.ts";
import { learning } from "./operators/learning.ts";
import { quantization } from "./operators/quantization.ts";
import { prune } from "./prune.ts";
import { type DataType, dataTypes } from "./tensor.ts";
import { allNames, FreshNames } from "./upgrade/names.ts";
import { canonical } from "./upgrade.ts";
import { withoutTables } from "./zip-map.ts";

const composite = new Set(
  [attention, quantization, learning].flatMap((family) => Object.keys(family) as readonly string[]),
);
/** Where the sums of trees are left as they are: they have rules of their own. */
const isSumOfTrees = ({ op, attributes }: Node): boolean =>
  op === "TreeEnsembleRegressor" && (attributes.get("post_transform")?.value ?? "NONE") === "NONE";

export interface PlainOptions {
  /** Operators that the reader knows by their definitions only. */
  readonly also?: ReadonlySet<string>;
  /**
   * For bounds: roundings as the number itself and what is added to it, between -1/2 and 1/2, so that bounds follow the
   * number; and limits said that functions keep by themselves.
   */
  readonly bounds?: boolean;
  /** Quantizing stays an operator: for readers that know its steps. */
  readonly steps?: boolean;
}

/** Each retry leaves one more node as it is. */
const mostTries = 64;

/**
 * The canonical graph with composite operators written out, as far as they have a definition; values keep their names.
 * @example plain(net).outputs[0].name // "y"
 */
export function plain(
  original: Graph,
  { also = new Set(), bounds = false, steps = false }: PlainOptions = {},
): Graph {
  const known = canonical(withoutTables(original));
  const graph = bounds ? withQuantizationErrors(known) : known;
  const isComposite = (node: Node): boolean =>
    (composite.has(node.op) &&
      !isSumOfTrees(node) &&
      !(steps && node.op === "QuantizeLinear") &&
      !(bounds && node.op === "DynamicQuantizeLinear")) ||
    (also.has(node.op) && node.domain === "");
  const real = graph.nodes.some(isComposite)
    ? writtenOut(graph, isComposite, bounds ? boundedDefinitionOf : definitionOf)
    : graph;
  return bounds && real.nodes.some(({ op, domain }) => op === "Round" && domain === "")
    ? withSteps(real)
    : real;
}

function writtenOut(
  graph: Graph,
  isComposite: (node: Node) => boolean,
  define: (node: Node) => AnyDefinition | undefined,
): Graph {
  const kept = new Set<string>();
  for (let k = 0; k < mostTries; k++) {
    let open: string | undefined;
    try {
      const result = rewrite(graph, (node) => {
        const definition = isComposite(node) ? define(node) : undefined;
        if (!definition || kept.has(node.outputs.join())) return undefined;
        const marked: AnyDefinition = (inputs, attributes, inner, builder) => {
          const outer = open;
          open ??= node.outputs.join();
          const found = definition(inputs, attributes, inner, builder);
          open = outer;
          return found;
        };
        return marked;
      });
      const whole = new Set(graph.nodes.filter(isComposite).flatMap(({ outputs }) => outputs));
      return prune(keptReal(result, whole));
    } catch (error) {
      if (!(error instanceof GraphError) || open === undefined) return graph;
      kept.add(open);
    }
  }
  return graph;
}

/** What moves elements does so for whole and for real numbers alike. */
const movers = new Set(
  "Identity Reshape Flatten Transpose Squeeze Unsqueeze Slice Gather MaxPool Concat".split(" "),
);
const isReal = (type: DataType | undefined): boolean => /^b?float(16|32|64)$/.test(type ?? "");

/** Numbers that a definition made whole, and in the range of their type, are the same before and after the cast. */
export function keptReal(graph: Graph, whole: ReadonlySet<string>): Graph {
  const names = new FreshNames(allNames(graph));
  const types = inferTypes(graph);
  const realOf = new Map<string, string>();
  const nodes: Node[] = [];
  for (const node of graph.nodes) {
    const [input = "", output = ""] = [node.inputs[0], node.outputs[0]];
    const to = node.attributes.get("to");
    const type = node.op === "Cast" && to?.type === "int" ? dataTypes[Number(to.value)] : undefined;
    const before = realOf.get(input);
    if (type && before !== undefined && isReal(type)) {
      const same = types.get(before)?.type === type;
      nodes.push({
        ...node,
        op: same ? "Identity" : "Cast",
        inputs: [before],
        attributes: same ? new Map() : node.attributes,
      });
      continue;
    }
    nodes.push(node);
    if (type && whole.has(output) && isReal(types.get(input)?.type)) realOf.set(output, input);
    else if (movers.has(node.op) && node.outputs.length === 1 && before !== undefined) {
      const data = node.op === "Concat" ? node.inputs.map((name) => realOf.get(name)) : [before];
      if (data.some((name) => name === undefined)) continue;
      const twin = names.fresh(`${output}/real`);
      const rest = node.op === "Concat" ? [] : node.inputs.slice(1);
      nodes.push({ ...node, name: twin, inputs: [...(data as string[]), ...rest], outputs: [twin] });
      realOf.set(output, twin);
    }
  }
  return { ...graph, nodes };
}

/** round(x) = x + clip(round(x) - x, -1/2, 1/2). */
function withSteps(graph: Graph): Graph {
  const definition: AnyDefinition = ([x]) => {
    const rest = x!.op("Round").sub(x!);
    const half = (side: number) => x!.builder.lift(side / 2, x!.type.type);
    return x!.add(rest.op("Clip", [half(-1), half(1)]));
  };
  return rewrite(graph, (node) => (node.op === "Round" && node.domain === "" ? definition : undefined));
}
