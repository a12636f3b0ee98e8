// The constants and attributes of an operator, as far as compiled networks have them.
import { type Attribute, describe, type Graph, isSparse, type Node } from "../graph/graph.ts";
import { numbers, type Tensor } from "../graph/tensor.ts";
import { Refutation } from "./error.ts";

export interface Weights {
  readonly dims: readonly number[];
  readonly data: ArrayLike<number>;
}

export const refuse = (node: Node, reason: string): Refutation => new Refutation(describe(node), reason);

/** Reads what an operator of a graph has besides computed values. */
export class Operands {
  readonly #graph: Graph;
  readonly #type: string;

  constructor(graph: Graph, type: string) {
    [this.#graph, this.#type] = [graph, type];
  }

  isConstant(node: Node, k: number): boolean {
    return this.#graph.initializers.has(node.inputs[k]!);
  }

  #constant(node: Node, k: number): Tensor | undefined {
    const found = this.#graph.initializers.get(node.inputs[k] ?? "");
    if (found && isSparse(found)) throw refuse(node, "its weights are stored in the sparse format of ONNX");
    return found;
  }

  /** Weights, of the network's own type; every one must be a number. */
  weights(node: Node, k: number): Weights {
    const found = this.#constant(node, k);
    if (!found || found.type !== this.#type)
      throw refuse(node, `input ${k} is no constant of type ${this.#type}`);
    const data = numbers(found);
    if (!data.every(Number.isFinite)) throw refuse(node, "a weight is not finite");
    return { dims: found.dims, data };
  }

  /**
   * The constant of an elementwise operator. ONNX Runtime leaves out an operator whose only weight is, rounded to
   * float32, the one that changes nothing: then the run is not what the file says.
   */
  operand(node: Node, neutral: 0 | 1): Weights {
    const found = this.weights(node, 1);
    const only = found.data[0]!;
    if (found.data.length === 1 && only !== neutral && Math.fround(only) === neutral)
      throw refuse(node, `its constant ${only} is ${neutral} in float32, so ONNX Runtime leaves it out`);
    return found;
  }

  integers(node: Node, k: number): { readonly dims: readonly number[]; readonly data: number[] } {
    const found = this.#constant(node, k);
    if (!found || !/^int(32|64)$/.test(found.type))
      throw refuse(node, `input ${k} is no constant of integers`);
    return { dims: found.dims, data: [...numbers(found)] };
  }

  attribute(node: Node, name: string, otherwise: number): number {
    const found = node.attributes.get(name) as Attribute | undefined;
    if (!found) return otherwise;
    if (found.type !== "int" && found.type !== "float")
      throw refuse(node, `its attribute ${name} is no number`);
    return Number(found.value);
  }
}
