// The answer to a query: unsat proved by branch and bound, sat by a point that ONNX Runtime confirms.
import type { Graph } from "../graph/graph.ts";
import type { Target } from "../passes/linear-bounds/back-substitution.ts";
import type { Network } from "../passes/linear-bounds/network.ts";
import { networkOf } from "../passes/linear-bounds.ts";
import { inputShapes } from "../passes/regions/compile.ts";
import { type Decision, decide, type SearchOptions } from "../passes/split.ts";
import { beyondBox, type Case, type CaseOptions, casesOf, unified } from "./cases.ts";
import { type Given, givenNetworks, jointGraph } from "./joint.ts";
import { type Atom, holds } from "./linear.ts";
import type { Query } from "./query.ts";
import { outputsOf, representable } from "./replay.ts";
import { roundedConstant } from "./targets.ts";

export interface VerifyOptions extends SearchOptions, CaseOptions {}

export interface WitnessValue {
  readonly name: string;
  readonly value: number;
}

export interface Verdict {
  readonly verdict: "sat" | "unsat" | "unknown" | "timed-out";
  /** Inputs and, as ONNX Runtime computes them, outputs for which the query holds. */
  readonly witness?: readonly WitnessValue[];
  /** unsat is proved for the real function of the weights; sat was checked on ONNX Runtime. */
  readonly strength?: "proved" | "checked";
  /** Why nothing is known, or why the networks were not even looked at. */
  readonly reason?: string;
  readonly boxes: number;
  readonly seconds: number;
}

/** The query's variables in the joint network. */
class Wiring {
  readonly query: Query;
  readonly networks: readonly Given[];
  readonly root: (index: number) => number;
  /** The variables that stand for all inputs, in the order of the joint network's inputs. */
  readonly inputs: readonly number[];
  readonly network: Network;
  readonly #slot = new Map<number, number>();

  constructor(query: Query, networks: readonly Given[]) {
    this.query = query;
    this.networks = networks;
    this.root = unified(query);
    const ordered = networks.map(({ declared }) => this.variablesOf(declared.name, "input"));
    this.inputs = [...new Set(ordered.flat().map(this.root))];
    const place = new Map(this.inputs.map((index, k) => [index, k]));
    const positions = ordered.map((indices) => indices.map((index) => place.get(this.root(index))!));
    const isAlone = networks.length === 1 && positions[0]!.every((p, k) => p === k);
    this.network = networkOf(
      isAlone ? networks[0]!.graph : jointGraph(networks, positions, this.inputs.length),
    );
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

  /** The witness at a point of the case's box, if ONNX Runtime agrees. */
  async witness(
    point: Float64Array,
    { lower, upper, alternatives }: Case,
  ): Promise<readonly WitnessValue[] | undefined> {
    const type = inputShapes(this.networks[0]!.graph)[0]?.type.type ?? "float32";
    const values = new Map<number, number>();
    this.inputs.forEach((index, k) => {
      values.set(index, representable(point[k]!, type, lower.get(index)!, upper.get(index)!));
    });
    for (const given of this.networks) {
      const { name } = given.declared;
      const x = this.variablesOf(name, "input").map((index) => values.get(this.root(index))!);
      const y = await outputsOf(given, x);
      this.variablesOf(name, "output").forEach((index, k) => {
        values.set(index, y[k]!);
      });
    }
    const value = (index: number): number => values.get(this.root(index))!;
    if (!alternatives.some((atoms) => atoms.every((atom) => holds(atom, value)))) return undefined;
    return this.query.variables.map(({ name }, index) => ({ name, value: value(index) }));
  }
}

const contradictory =
  "trivially: the query's constraints contradict each other, whatever the networks compute";

/** What an undecided search says of the query. */
function undecidedReason({ givenUp, refused }: Decision): string {
  const boxes = `on ${givenUp} small box${givenUp === 1 ? "" : "es"} the query holds or fails by no more than rounding`;
  const points = `${refused} point${refused === 1 ? "" : "s"} at its edge did not satisfy it on ONNX Runtime`;
  return refused > 0 ? `${boxes}; ${points}` : boxes;
}

/**
 * Is there an input for which the query holds? `graphs` has the model of each network by its name ("" for the only one).
 * @example (await verifyQuery(parseVnnlib("(declare-const X_0 Real) (declare-const Y_0 Real) (assert (>= X_0 0)) (assert (<= X_0 1)) (assert (>= Y_0 2))"), new Map([["", net]]))).verdict // "unsat"
 */
export async function verifyQuery(
  query: Query,
  graphs: ReadonlyMap<string, Graph>,
  options: VerifyOptions = {},
): Promise<Verdict> {
  const start = performance.now();
  const wiring = new Wiring(query, givenNetworks(query, graphs));
  const cases = casesOf(query, wiring.inputs, options);
  const seconds = () => (performance.now() - start) / 1000;
  if (cases.length === 0)
    return { verdict: "unsat", strength: "proved", reason: contradictory, boxes: 0, seconds: seconds() };
  let [boxes, reason]: [number, string | undefined] = [0, undefined];
  for (const [n, single] of cases.entries()) {
    let witness: readonly WitnessValue[] | undefined;
    const decision = await decide(
      wiring.network,
      {
        lower: Float64Array.from(wiring.inputs, (index) => single.lower.get(index)!),
        upper: Float64Array.from(wiring.inputs, (index) => single.upper.get(index)!),
      },
      single.alternatives.map((atoms) => beyondBox(atoms, query).map((atom) => wiring.target(atom))),
      {
        ...options,
        seconds: (options.seconds ?? Number.POSITIVE_INFINITY) - seconds(),
        onProgress: (share, count) => options.onProgress?.((n + share) / cases.length, boxes + count),
        confirm: async (point) => {
          witness = await wiring.witness(point, single);
          return witness !== undefined;
        },
      },
    );
    const { verdict: found } = decision;
    boxes += decision.boxes;
    if (found === "found") return { verdict: "sat", witness, strength: "checked", boxes, seconds: seconds() };
    if (found === "timed-out") return { verdict: "timed-out", boxes, seconds: seconds() };
    if (found === "undecided") reason ??= undecidedReason(decision);
  }
  return reason
    ? { verdict: "unknown", reason, boxes, seconds: seconds() }
    : { verdict: "unsat", strength: "proved", boxes, seconds: seconds() };
}
