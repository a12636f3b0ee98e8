// The same question about many inputs: relevance propagation is written and loaded once, which is most of its work.
import type { Graph } from "../graph/graph.ts";
import type { Tensor } from "../graph/tensor.ts";
import { chosenComposite, type ExplainOptions, explain, inDouble } from "./explain.ts";
import type { Explanation } from "./explanation.ts";
import { prepare } from "./prepare.ts";
import { propagation } from "./propagate.ts";

export interface Explainer {
  /** Explains inputs of the shapes that it was made for. */
  explain(inputs: Readonly<Record<string, Tensor>>): Promise<Explanation>;
  /** Frees what the runtime holds of it. */
  release(): Promise<void>;
}

/**
 * Explanations of many inputs with the shapes of these.
 * @example (await (await explainer(net, { x: tensor([[0]]) })).explain({ x: tensor([[0.5]]) })).scores // [0.25]
 */
export async function explainer(
  graph: Graph,
  like: Readonly<Record<string, Tensor>>,
  options: ExplainOptions = {},
): Promise<Explainer> {
  const anew: Explainer = {
    explain: (inputs) => explain(graph, inputs, options),
    release: async () => {},
  };
  if ((options.method ?? "lrp") !== "lrp") return anew;
  const prepared = await prepare(graph, like, inDouble(options));
  const { chosen, seen } = chosenComposite(prepared, options);
  // A box that is seen, and rows that are looked up, are other ones for other inputs.
  if (seen || prepared.wrt.some((name) => !Object.hasOwn(like, name))) return anew;
  const target = options.target ?? { kind: "predicted" };
  const written = propagation(prepared, chosen, target);
  return { explain: (inputs) => written.run(inputs), release: () => written.release() };
}
