// Units whose loss an error budget pays for: the least effect first, as many as the certificate allows.
import { activation as activationOf } from "../../functions/activation.ts";
import { createRandom } from "../../numbers/random.ts";
import type { CertifiedChange } from "./certified-change.ts";
import { type ReducedChain, reduceChain } from "./reduce-chain.ts";
import type { RemovedUnit } from "./removal.ts";
import { eachEntry } from "./sparse-parts.ts";
import { rewriteUnits, type UnitChain } from "./unit-chain.ts";

/** A unit to be replaced by a constant, or taken to be active. */
interface Candidate {
  readonly layer: number;
  readonly place: number;
  readonly kind: "constant" | "active";
  readonly effect: number;
}

const samples = 24;

/** For each layer and unit, the greatest |derivative| of an output by the unit's value that was seen on the box. */
function sensitivities({ layers, activation, box }: UnitChain): readonly Float64Array[] {
  const sigma = activationOf(activation);
  const random = createRandom("budget");
  const hidden = layers.slice(0, -1);
  const greatest = hidden.map(({ weights }) => new Float64Array(weights.rows));
  const outputs = layers.at(-1)!.weights.rows;
  for (let n = 0; n < samples; n++) {
    let x = box!.lower.map((l, i) => l + random.uniform() * (box!.upper[i]! - l));
    const slopes = hidden.map(({ weights, bias }) => {
      const z = bias.slice();
      eachEntry(weights, (r, c, w) => {
        z[r]! += w * x[c]!;
      });
      x = z.map((v) => sigma.value(v));
      return z.map((v) => (v === 0 ? 0 : sigma.derivative(1, v)));
    });
    for (let output = 0; output < Math.min(outputs, 16); output++) {
      let back = new Float64Array(outputs);
      back[output] = 1;
      for (let l = hidden.length - 1; l >= 0; l--) {
        const before = new Float64Array(hidden[l]!.weights.rows);
        eachEntry(layers[l + 1]!.weights, (r, c, w) => {
          before[c]! += w * back[r]!;
        });
        before.forEach((g, k) => {
          greatest[l]![k] = Math.max(greatest[l]![k]!, Math.abs(g));
        });
        back = before.map((g, k) => g * slopes[l]![k]!);
      }
    }
  }
  return greatest;
}

/** A unit that no sample saw at work may still matter: half of what is usual in its layer. */
const usual = (gains: Float64Array): number => gains.reduce((s, g) => s + g, 0) / (2 * gains.length);

/** What may go, the least effect first: half a unit's range if it becomes a constant, what is cut off if it becomes linear. */
function candidates(chain: UnitChain): readonly Candidate[] {
  const sigma = activationOf(chain.activation);
  const found = sensitivities(chain);
  const isMonotone = ["relu", "tanh", "logistic", "arctan", "softsign"].includes(chain.activation);
  if (!isMonotone) return [];
  return chain.layers
    .slice(0, -1)
    .flatMap(({ lower, upper }, layer) =>
      [...lower.keys()].map((place): Candidate => {
        const range = sigma.value(upper[place]!) - sigma.value(lower[place]!);
        const gain = Math.max(found[layer]![place]!, usual(found[layer]!));
        const below =
          chain.activation === "relu" && lower[place]! < 0 ? -lower[place]! : Number.POSITIVE_INFINITY;
        return below < range / 2
          ? { layer, place, kind: "active", effect: gain * below }
          : { layer, place, kind: "constant", effect: (gain * range) / 2 };
      }),
    )
    .filter(({ effect }) => Number.isFinite(effect))
    .sort((a, b) => a.effect - b.effect);
}

/** The chain after some replacements, reduced again. */
function approximated({ chain, removed }: ReducedChain, chosen: readonly Candidate[]): ReducedChain {
  const sigma = activationOf(chain.activation);
  const gone: RemovedUnit[] = [];
  let after = chain;
  chain.layers.slice(0, -1).forEach((layer, l) => {
    const own = chosen.filter((c) => c.layer === l);
    if (own.length === 0) return;
    const { places, upper, number } = layer;
    const lower = layer.lower.slice();
    const constants = new Float64Array(places.length);
    const leaving = new Set<number>();
    for (const { place, kind } of own) {
      if (kind === "active") {
        lower[place] = 0;
        continue;
      }
      leaving.add(place);
      constants[place] = (sigma.value(lower[place]!) + sigma.value(upper[place]!)) / 2;
      if (places[place]! >= 0)
        gone.push({
          layer: `layer ${number}`,
          unit: places[place]!,
          reason: "approximated",
          bounds: [lower[place]!, upper[place]!],
        });
    }
    const marked = { ...after, layers: after.layers.with(l, { ...after.layers[l]!, lower }) };
    const kept = [...places.keys()].filter((k) => !leaving.has(k));
    after = { ...rewriteUnits(marked, l, { kept, entries: [], constants }), exact: false };
  });
  const again = reduceChain(after, { exactOnly: false });
  return { chain: again.chain, removed: [...removed, ...gone, ...again.removed] };
}

/** Certificates to try for at most. */
const mostAttempts = 40;

/**
 * Replacements, tried in their order, as long as the proved change stays within the budget: many at once while that goes
 * well, fewer where it does not; one that does not fit is left out.
 */
export async function mostWithin<C, T>(
  order: readonly C[],
  within: number,
  reduced: (chosen: readonly C[]) => T,
  certify: (reduced: T, below: number) => Promise<CertifiedChange | undefined>,
  onProgress?: (share: number) => void,
): Promise<{ readonly reduced: T; readonly change: CertifiedChange } | undefined> {
  let best: { readonly reduced: T; readonly change: CertifiedChange } | undefined;
  let chosen: readonly C[] = [];
  let [at, size] = [0, Math.max(1, Math.ceil(order.length / 4))];
  for (let n = 0; n < mostAttempts && at < order.length; n++) {
    const more = [...chosen, ...order.slice(at, at + size)];
    const candidate = reduced(more);
    const change = await certify(candidate, within);
    if (change && change.upper <= within) {
      best = { reduced: candidate, change };
      chosen = more;
      at += size;
      size *= 2;
    } else if (size > 1) size = Math.ceil(size / 4);
    else at++;
    onProgress?.(0.6 + (0.35 * n) / mostAttempts);
  }
  return best;
}

/** The chain with as few units as the budget allows; undefined if it does not pay for any. */
export function spendBudget(
  start: ReducedChain,
  within: number,
  certify: (reduced: ReducedChain, below: number) => Promise<CertifiedChange | undefined>,
  onProgress?: (share: number) => void,
): Promise<{ readonly reduced: ReducedChain; readonly change: CertifiedChange } | undefined> {
  const order = candidates(start.chain);
  return mostWithin(order, within, (chosen) => approximated(start, chosen), certify, onProgress);
}
