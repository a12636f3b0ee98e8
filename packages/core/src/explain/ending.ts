// A network that ends in probabilities is explained by the scores before them, whoever wrote the softmax, and however.
import type { Graph, Node } from "../graph/graph.ts";

export interface Ending {
  /** The value with the scores. */
  readonly of: string;
  /** What makes probabilities of them, if anything does. */
  readonly name?: string;
}

const endings = new Set(["Softmax", "LogSoftmax", "Sigmoid"]);
/** What may come behind it and says the same. */
const movers = new Set(["Identity", "Cast", "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Log"]);

type Maker = (name: string) => Node | undefined;

/** The scores of a softmax written out: exp(x) / sum(exp(x)), or of x less its greatest. */
function scoresOfQuotient({ op, inputs }: Node, maker: Maker): string | undefined {
  if (op !== "Div") return undefined;
  const [exponential, sum] = [maker(inputs[0]!), maker(inputs[1]!)];
  if (exponential?.op !== "Exp" || sum?.op !== "ReduceSum" || sum.inputs[0] !== inputs[0]) return undefined;
  const exponent = exponential.inputs[0]!;
  const shift = maker(exponent);
  if (shift?.op !== "Sub") return exponent;
  const greatest = maker(shift.inputs[1]!);
  return greatest?.op === "ReduceMax" && greatest.inputs[0] === shift.inputs[0] ? shift.inputs[0]! : exponent;
}

/** The value before a softmax at the end, if there is one. */
export function beforeEnding(graph: Graph, output: string): Ending {
  const makers = new Map<string, Node>(graph.nodes.flatMap((n) => n.outputs.map((o) => [o, n] as const)));
  const maker: Maker = (name) => makers.get(name);
  for (let name = output; ; ) {
    const node = maker(name);
    if (!node) return { of: output };
    if (endings.has(node.op)) return { of: node.inputs[0]!, name: node.op };
    const scores = scoresOfQuotient(node, maker);
    if (scores !== undefined) return { of: scores, name: "a softmax written out" };
    if (!movers.has(node.op)) return { of: output };
    name = node.inputs[0]!;
  }
}
