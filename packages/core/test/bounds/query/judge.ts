// Judges verdicts on queries whose truth is known.

import type { verifyQuery } from "../../../src/bounds/query/verify.ts";
import type { parseVnnlib } from "../../../src/bounds/query/vnnlib.ts";
import { createRandom } from "../../../src/numbers/random.ts";
import {
  type Alternative,
  exactValue,
  type Forged,
  forgedAlternative,
  forgedNetwork,
  pick,
  queryText,
  truthOf,
} from "./forger.ts";
import { approximately, minus, ofDecimal, ofDouble, order, type Rational } from "./rational.ts";

/** The part of the library that is tried: mutants have another one. */
export interface Tried {
  readonly verifyQuery: typeof verifyQuery;
  readonly parseVnnlib: typeof parseVnnlib;
}

export interface Judgement {
  readonly queries: number;
  readonly verdicts: Readonly<Record<string, number>>;
  /** Queries that leave room for rounding, and were not decided. */
  readonly undecided: number;
  /** What was wrong, with the query. */
  readonly wrong: readonly string[];
}

/** More than a run of such a network can be off by. */
const runRounding = { float32: 1e-4, float64: 1e-12 } as const;

const size = (x: Rational): number => Math.abs(approximately(x));

/** What is wrong with a witness: it leaves its bounds, or its outputs are not the network's, or do not satisfy the query. */
function faultOf(
  values: ReadonlyMap<string, number>,
  alternatives: readonly Alternative[],
  forged: Forged,
): string | undefined {
  const at = (name: string): Rational => ofDouble(values.get(name)!);
  const isWithin = ({ sides, comparisons }: Alternative): boolean =>
    sides.every(
      ({ lower, upper }, i) =>
        order(at(`X_${i}`), ofDecimal(lower)) >= 0 && order(at(`X_${i}`), ofDecimal(upper)) <= 0,
    ) &&
    comparisons.every(({ output, relation, text }) => {
      const side = order(at(`Y_${output}`), ofDecimal(text));
      return (
        (side < 0 && relation[0] === "<") ||
        (side > 0 && relation[0] === ">") ||
        (side === 0 && relation[1] === "=")
      );
    });
  if (!alternatives.some(isWithin)) return "the witness does not satisfy the query";
  let first = 0;
  for (const [k, block] of forged.blocks.entries()) {
    const own = block.inputs.map(() => values.get(`X_${first++}`)!);
    const off = size(minus(exactValue(block, own), at(`Y_${k}`)));
    if (off > runRounding[forged.type]) return `Y_${k} of the witness is off by ${off}`;
  }
  return undefined;
}

/** So many queries from a seed, and what is wrong with their verdicts; ends after `enough` wrong ones. */
export async function judged(
  { verifyQuery: verify, parseVnnlib: parse }: Tried,
  count: number,
  seed: number,
  enough = Number.POSITIVE_INFINITY,
): Promise<Judgement> {
  const random = createRandom(`forged queries ${seed}`);
  const wrong: string[] = [];
  const verdicts: Record<string, number> = {};
  let [queries, undecided] = [0, 0];
  let forged = forgedNetwork(random);
  for (; queries < count && wrong.length < enough; queries++) {
    if (queries % 12 === 11) forged = forgedNetwork(random);
    const alternatives = [forgedAlternative(random, forged)];
    for (let more = pick(random, [0, 0, 1, 2]); more > 0; more--)
      alternatives.push(forgedAlternative(random, forged, alternatives[0]!.sides));
    const text = queryText(alternatives, forged);
    const { verdict, witness } = await verify(parse(text), new Map([["", forged.graph]]), { seconds: 2 });
    verdicts[verdict] = (verdicts[verdict] ?? 0) + 1;
    const truths = alternatives.map((alternative) => truthOf(alternative, forged));
    const isSat = truths.some(({ holds }) => holds);
    const gap = Math.min(...truths.map((truth) => size(truth.gap)));
    const say = (what: string): void =>
      void wrong.push(`${what}; query ${queries} of seed ${seed}:\n${text}`);
    if (verdict === "unsat" && isSat) say("unsat, but it holds");
    if (verdict === "sat" && !isSat && gap > runRounding[forged.type]) say(`sat, but it misses by ${gap}`);
    const fault = witness && faultOf(new Map(witness.map((w) => [w.name, w.value])), alternatives, forged);
    if (fault) say(fault);
    if (verdict === "unknown" && !isSat && gap > 1e-3) undecided++;
  }
  return { queries, verdicts, undecided, wrong };
}
