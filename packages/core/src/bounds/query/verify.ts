// The answer to a query: unsat proved by branch and bound, sat by a point that ONNX Runtime confirms.
import { TimeOver } from "../../engine/time-over.ts";
import type { Graph } from "../../graph/graph.ts";
import type { Box } from "../linear/row-bounds.ts";
import type { Alternative, Candidate } from "../split/attack.ts";
import { middle } from "../split/bisect.ts";
import type { Elsewhere, PartLeft } from "../split/decide.ts";
import { decide, type SearchOptions } from "../split.ts";
import { decideWhole } from "../tensor/decide.ts";
import { productsOf } from "../tensor/operator.ts";
import { beyondBox, type Case, type CaseOptions, casesOf } from "./cases.ts";
import { Descent, workOfRound } from "./descent.ts";
import { givenNetworks } from "./joint.ts";
import type { Query } from "./query.ts";
import { missingReason, undecidedReason } from "./reasons.ts";
import type { OpenPart } from "./share.ts";
import { Wiring } from "./wiring.ts";
import { Witnesses, type WitnessValue } from "./witness.ts";

export type { WitnessValue } from "./witness.ts";

export interface VerifyOptions extends SearchOptions, CaseOptions {
  /**
   * How far beyond its bounds an input of a witness may lie; default 0. Used only for inputs between whose bounds there is
   * no number of their type. Comparisons of outputs stay as they are, and `unsat` speaks of the query's own box.
   */
  readonly tolerance?: number;
  /** Only what another run left open: the query holds nowhere if it holds in none of these parts. */
  readonly parts?: readonly OpenPart[] | undefined;
  /** Told at once: what the query asks that no run can do. */
  readonly onRemark?: (text: string) => void;
}

export interface Verdict {
  readonly verdict: "sat" | "unsat" | "unknown" | "timed-out";
  /** Inputs and, as ONNX Runtime computes them, outputs for which the query holds. */
  readonly witness?: readonly WitnessValue[];
  /** How far the witness lies outside of the query's box, where a tolerance allowed it. */
  readonly outside?: number;
  /** unsat is proved for the real function of the weights; sat was checked on ONNX Runtime. */
  readonly strength?: "proved" | "checked";
  /** Why nothing is known, or why the networks were not even looked at. */
  readonly reason?: string;
  readonly boxes: number;
  readonly seconds: number;
  /** When the time was over: all that was open, where parts of the box say so and nothing else was undecided. */
  readonly left?: readonly OpenPart[];
}

const contradictory =
  "trivially: the query's constraints contradict each other, whatever the networks compute";

const unread = "the time was over before the networks were read";

/** undefined: the time was over before. */
function wiredInTime(
  query: Query,
  graphs: ReadonlyMap<string, Graph>,
  isOver: () => boolean,
): Wiring | undefined {
  try {
    return new Wiring(query, givenNetworks(query, graphs), isOver);
  } catch (error) {
    if (error instanceof TimeOver) return undefined;
    throw error;
  }
}

const satVerdict = (witnesses: Witnesses) => {
  const { found, outside } = witnesses;
  return {
    verdict: "sat",
    witness: found!,
    ...(outside > 0 && { outside }),
    strength: "checked",
  } as const;
};

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
  const seconds = () => (performance.now() - start) / 1000;
  const wiring = wiredInTime(query, graphs, () => seconds() > (options.seconds ?? Number.POSITIVE_INFINITY));
  if (!wiring) return { verdict: "timed-out", reason: unread, boxes: 0, seconds: seconds() };
  const cases = casesOf(query, wiring.inputs, options);
  if (cases.length === 0)
    return { verdict: "unsat", strength: "proved", reason: contradictory, boxes: 0, seconds: seconds() };
  const witnessesOf = cases.map((single) => new Witnesses(wiring, single, options.tolerance ?? 0));
  const remark = witnessesOf.map(missingReason).find((text) => text !== undefined);
  if (remark) options.onRemark?.(remark);
  let [boxes, reason]: [number, string | undefined] = [0, undefined];
  /** What is open when the time is over in case n: some of it, and all cases after it that were to be looked at. */
  const leftAfter = (n: number, own: readonly PartLeft[]): readonly OpenPart[] => [
    ...own.map((part) => ({ ...part, case: n })),
    ...(options.parts?.filter((part) => part.case > n) ??
      cases.slice(n + 1).map((later, k) => ({
        ...{ case: n + 1 + k, box: boxOf(wiring, later), share: 1 },
        alternatives: [...later.alternatives.keys()],
      }))),
  ];
  for (const [n, single] of cases.entries()) {
    const witnesses = witnessesOf[n]!;
    const all = single.alternatives.map((atoms) =>
      beyondBox(atoms, query).map((atom) => wiring.target(atom)),
    );
    const [box, alternatives] = [boxOf(wiring, single), all];
    const parts = options.parts?.filter((part) => part.case === n);
    if (parts?.length === 0) continue;
    const elsewhere = await attacked(wiring, box, alternatives, witnesses, options, seconds);
    if (witnesses.found) return { ...satVerdict(witnesses), boxes, seconds: seconds() };
    const given = {
      ...options,
      parts,
      graph: wiring.graph,
      elsewhere,
      seconds: (options.seconds ?? Number.POSITIVE_INFINITY) - seconds(),
      onProgress: (share: number, count: number) =>
        options.onProgress?.((n + share) / cases.length, boxes + count),
      confirm: (point: Float64Array) => witnesses.confirm(point),
    };
    const { network } = wiring;
    const decision = network.isWritten
      ? await decide(network, box, alternatives, given)
      : await decideWhole(network, box, alternatives, given);
    const { verdict: ended } = decision;
    boxes += decision.boxes;
    if (witnesses.found) return { ...satVerdict(witnesses), boxes, seconds: seconds() };
    if (ended === "timed-out")
      return {
        verdict: "timed-out",
        reason: undecidedReason(decision, witnesses),
        boxes,
        seconds: seconds(),
        ...(reason === undefined &&
          decision.givenUp === 0 &&
          decision.left && { left: leftAfter(n, decision.left) }),
      };
    if (ended !== "none") reason ??= undecidedReason(decision, witnesses);
  }
  return reason
    ? { verdict: "unknown", reason, boxes, seconds: seconds() }
    : { verdict: "unsat", strength: "proved", boxes, seconds: seconds() };
}

/** The case's box, rounded outward, in the order of the joint network's inputs. */
const boxOf = ({ inputs }: Wiring, { lower, upper }: Case) => ({
  lower: Float64Array.from(inputs, (index) => lower.get(index)!),
  upper: Float64Array.from(inputs, (index) => upper.get(index)!),
});

/** Points that the attack has confirmed on the runtime in vain are on the edge; the search knows better when to go on. */
const mostRefusals = 32;

/** Of a network with fewer weights than this the search is done before a descent is written and loaded. */
const leastProducts = 4000;

/**
 * Descent from many points before any bound; gives what goes on with it during the search. undefined where the networks
 * cannot be run at many points at a time.
 */
async function attacked(
  wiring: Wiring,
  box: Box,
  alternatives: readonly Alternative[],
  witnesses: Witnesses,
  { seconds: limit = Number.POSITIVE_INFINITY, seed = 1, parts, signal }: VerifyOptions,
  seconds: () => number,
): Promise<Elsewhere | undefined> {
  if (alternatives.some((targets) => targets.length === 0)) return undefined;
  const products = productsOf(wiring.network);
  let made: Descent | undefined | "not yet" = "not yet";
  const descent = async (): Promise<Descent | undefined> => {
    if (made === "not yet") made = await Descent.of(wiring.graph, wiring.network, alternatives, seed);
    return made;
  };
  let refused = 0;
  const confirm = async ({ x }: Candidate): Promise<boolean> => {
    signal?.throwIfAborted();
    if (refused >= mostRefusals) return false;
    const isFound = await witnesses.confirm(x);
    if (!isFound) refused++;
    return isFound;
  };
  // Of a large network one run is quick where writing its descent is not.
  if (!wiring.network.isWritten && (await confirm({ x: middle(box), value: 0 }))) return undefined;
  // Who left parts open has attacked the whole.
  if (products >= leastProducts && !parts)
    await (await descent())?.whileItGains(box, confirm, () => {
      signal?.throwIfAborted();
      return seconds() > limit || refused >= mostRefusals || witnesses.holdsBeside;
    });
  return {
    work: workOfRound(wiring.network),
    look: async (part, open, isOver) => (await descent())?.round(part, open, confirm, isOver),
  };
}
