// The query's variables in the joint network of all networks that it speaks of.
import type { Graph } from "../../graph/graph.ts";
import { elementCount } from "../../graph/tensor.ts";
import { inputShapes } from "../../passes/affine/compile.ts";
import type { Target } from "../linear/back-substitution.ts";
import { networkOf } from "../linear.ts";
import { tensorNetworkOf } from "../tensor/bounds.ts";
import type { AnyNetwork } from "../tensor/operator.ts";
import { isTooLargeToWrite } from "../tensor/size.ts";
import { unified } from "./cases.ts";
import { type Given, jointGraph } from "./joint.ts";
import type { Atom } from "./linear.ts";
import type { Query } from "./query.ts";
import { outputsOf } from "./replay.ts";
import { roundedConstant } from "./targets.ts";

export class Wiring {
  readonly query: Query;
  readonly networks: readonly Given[];
  readonly root: (index: number) => number;
  /** The variables that stand for all inputs, in the order of the joint network's inputs. */
  readonly inputs: readonly number[];
  /** Their element types. */
  readonly types: readonly string[];
  /** The network, or all of them on the shared inputs. */
  readonly graph: Graph;
  readonly network: AnyNetwork;
  readonly #slot = new Map<number, number>();

  /** A `TimeOver` if there is no time to read the networks. */
  constructor(query: Query, networks: readonly Given[], isOver?: () => boolean) {
    this.query = query;
    this.networks = networks;
    this.root = unified(query);
    const ordered = networks.map(({ declared }) => this.variablesOf(declared.name, "input"));
    this.inputs = [...new Set(ordered.flat().map(this.root))];
    const place = new Map(this.inputs.map((index, k) => [index, k]));
    const positions = ordered.map((indices) => indices.map((index) => place.get(this.root(index))!));
    const types: string[] = [];
    networks.forEach(({ graph }, n) => {
      elementTypes(graph).forEach((type, k) => {
        types[positions[n]![k]!] ??= type;
      });
    });
    this.types = types;
    const isAlone = networks.length === 1 && positions[0]!.every((p, k) => p === k);
    this.graph = isAlone ? networks[0]!.graph : jointGraph(networks, positions, this.inputs.length);
    const layersOf = isTooLargeToWrite(this.graph) ? tensorNetworkOf : networkOf;
    this.network = layersOf(this.graph, isOver);
    for (const [index, k] of place) this.#slot.set(index, k);
    let next = this.network.firstOutput;
    for (const { declared } of networks)
      for (const index of this.variablesOf(declared.name, "output")) this.#slot.set(index, next++);
  }

  /** In the order of their positions. */
  variablesOf(network: string, side: "input" | "output"): readonly number[] {
    return this.query.variables
      .map((v, index) => ({ ...v, index }))
      .filter((v) => v.network === network && v.side === side)
      .sort((p, q) => p.position - q.position)
      .map(({ index }) => index);
  }

  target({ linear, strict }: Atom): Target {
    const { factors, constant, isExact } = roundedConstant(linear);
    return {
      slots: [...linear.coefficients.keys()].map((i) => this.#slot.get(i)!),
      weights: factors,
      constant,
      strict: strict && isExact,
    };
  }

  /** What each variable is for these numbers of all inputs, the outputs as ONNX Runtime computes them. */
  async valuesAt(point: ArrayLike<number>): Promise<(index: number) => number> {
    const values = new Map(this.inputs.map((index, k) => [index, point[k]!]));
    for (const given of this.networks) {
      const { name } = given.declared;
      const x = this.variablesOf(name, "input").map((index) => values.get(this.root(index))!);
      const y = await outputsOf(given, x);
      this.variablesOf(name, "output").forEach((index, k) => {
        values.set(index, y[k]!);
      });
    }
    return (index) => values.get(this.root(index))!;
  }
}

const elementTypes = (graph: Given["graph"]): readonly string[] =>
  inputShapes(graph).flatMap(({ type, dims }) => new Array<string>(elementCount(dims)).fill(type.type));
