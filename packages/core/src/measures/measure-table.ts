// The measures that comparison studies of generalization use, as one table.
import type { Amount, MeasureDefinition, MeasureInput, NamedMeasure } from "./measure-row.ts";
import { normMeasures } from "./norm-measures.ts";
import { sharpnessMeasures } from "./sharpness-measures.ts";

/** The table: one row a measure. */
export const measureDefinitions: readonly MeasureDefinition[] = [...normMeasures, ...sharpnessMeasures].map(
  ([id, name, family, needs, formula, strength, of]) => ({
    id,
    name,
    family,
    needs,
    formula,
    strength,
    value: of,
  }),
);

/** The measures of a model; what cannot be computed has a reason in place of a value. */
export function namedMeasures(input: MeasureInput): readonly NamedMeasure[] {
  return measureDefinitions.map(({ value: of, ...definition }) => {
    const found = resolved(of(input));
    if (found.value === undefined && found.log === undefined) return { ...definition, ...found };
    const examples = restsOn(definition, input);
    const isPart = examples !== undefined && examples > 0 && examples < (input.examples ?? 0);
    return {
      ...definition,
      // What is computed on some of the examples only is sampled, however it is computed.
      ...(isPart && definition.strength === "checked" ? { strength: "sampled" as const } : {}),
      ...found,
      ...(examples === undefined ? {} : { examples }),
    };
  });
}

/** How many examples a measure looks at; 0 where it reads the weights alone. */
function restsOn(
  { id, needs }: Omit<MeasureDefinition, "value">,
  { examples, sharpness, radialSquare, history }: MeasureInput,
): number | undefined {
  if (id === "fisher-rao") return radialSquare?.examples;
  if (id === "grad-noise-final") return sharpness?.noiseExamples;
  if (id === "grad-noise-epoch-1") return history?.noiseExamples;
  if (needs.includes("training history")) return undefined;
  if (needs.includes("sharpness")) return sharpness?.examples;
  return needs.includes("data") || needs.includes("margins") ? examples : 0;
}

function resolved(amount: Amount): Pick<NamedMeasure, "value" | "log" | "reason"> {
  if ("reason" in amount) return amount;
  if ("value" in amount) return amount.value > 0 ? { ...amount, log: Math.log(amount.value) } : amount;
  if (Number.isNaN(amount.log) || amount.log === Number.POSITIVE_INFINITY)
    return { reason: "a norm is not finite" };
  const natural = Math.exp(amount.log);
  return Number.isFinite(natural)
    ? { value: natural, ...(amount.log > Number.NEGATIVE_INFINITY ? { log: amount.log } : {}) }
    : { log: amount.log, reason: "it is beyond the range of doubles; its logarithm is given" };
}
