// Units that say nothing: dead ones, constants, and those that nobody reads.
import { activation as activationOf } from "../../functions/activation.ts";
import type { RemovedUnit } from "./removal.ts";
import { eachEntry } from "./sparse-parts.ts";
import type { ChainStep } from "./step.ts";
import { rewriteUnits, type UnitChain } from "./unit-chain.ts";

/** Values of an activation that are doubles as they are. */
const isExactAt = (name: string, b: number): boolean => name === "relu" || (name === "tanh" && b === 0);

/** The units of a hidden layer that are constant on the box, with the constant, and those without a reader. */
function idleUnits(chain: UnitChain, l: number) {
  const layer = chain.layers[l]!;
  const { weights, bias, lower, upper } = layer;
  const read = new Uint8Array(weights.rows);
  eachEntry(chain.layers[l + 1]!.weights, (_, unit) => {
    read[unit] = 1;
  });
  const sigma = activationOf(chain.activation);
  const isRelu = chain.activation === "relu";
  const idle: (RemovedUnit & { readonly value: number; readonly exact: boolean; readonly unit: number })[] =
    [];
  for (let unit = 0; unit < weights.rows; unit++) {
    const at = { layer: `layer ${layer.number}`, unit };
    const isFixed = weights.starts[unit] === weights.starts[unit + 1];
    const [low, high] = isFixed ? [bias[unit]!, bias[unit]!] : [lower[unit]!, upper[unit]!];
    const bounds = Number.isFinite(low) ? ([low, high] as const) : undefined;
    const shown = { ...at, ...(bounds && { bounds }) };
    if (!read[unit]) idle.push({ ...at, reason: "unused", value: 0, exact: true });
    else if (isFixed || low === high) {
      const value = sigma.value(low);
      const reason = isRelu && value === 0 ? "dead" : "constant";
      idle.push({ ...shown, reason, value, exact: isExactAt(chain.activation, low) });
    } else if (isRelu && high <= 0) idle.push({ ...shown, reason: "dead", value: 0, exact: true });
  }
  return idle;
}

/** Removes them; their constants go into the next bias. */
export const dropIdle: ChainStep = (chain, l, { exactOnly }) => {
  const idle = idleUnits(chain, l);
  const without = (some: typeof idle) => {
    const gone = new Set(some.map(({ unit }) => unit));
    const { places } = chain.layers[l]!;
    const constants = new Float64Array(places.length);
    for (const { unit, value } of some) constants[unit] = value;
    const kept = [...places.keys()].filter((k) => !gone.has(k));
    const after = rewriteUnits(chain, l, { kept, entries: [], constants });
    const removed = some.map(({ value: _, exact: __, unit, ...rest }) => ({ ...rest, unit: places[unit]! }));
    return { chain: { ...after, exact: after.exact && some.every(({ exact }) => exact) }, removed };
  };
  if (idle.length === 0) return undefined;
  const all = without(idle);
  if (!exactOnly || all.chain.exact === chain.exact) return all;
  const silent = idle.filter(({ value }) => value === 0);
  return silent.length > 0 ? without(silent) : undefined;
};
