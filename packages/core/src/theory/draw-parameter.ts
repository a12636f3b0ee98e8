// How the falsifier draws the parameters of a lemma; boundaries come often, and counterexamples shrink towards the simplest.
import fc from "fast-check";
import { drawReal } from "./draw-real.ts";
import type { ParameterRecord, Parameters } from "./parameter.ts";

export { fc };

type Value = number | string | boolean;

function drawParameter({ kind, range, options, default: value }: Parameters[string]): fc.Arbitrary<Value> {
  if (kind === "choice") return fc.constantFrom(...(options as readonly Value[]));
  const [min, max] = range!;
  return kind === "integer" ? fc.integer({ min, max }) : drawReal({ min, max, default: value as number });
}

/** A value for every parameter. */
export const drawParameters = (parameters: Parameters): fc.Arbitrary<ParameterRecord> =>
  fc.record(
    Object.fromEntries(Object.entries(parameters).map(([name, p]) => [name, drawParameter(p)] as const)),
  );

/** What a trial draws: its parameters and its seed, of which none is simpler than another. */
export const trialArbitraries = (
  parameters: Parameters,
): [parameters: fc.Arbitrary<ParameterRecord>, seed: fc.Arbitrary<number>] => [
  drawParameters(parameters),
  fc.noShrink(fc.noBias(fc.nat())),
];
