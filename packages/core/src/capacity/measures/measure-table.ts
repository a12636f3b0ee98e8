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
  return measureDefinitions.map(({ value: of, ...definition }) => ({
    ...definition,
    ...resolved(of(input)),
  }));
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
