// One mutated file from a base model and a seed: bytes, structure, or several of these in a row.
import { createRandom, type Random } from "@lemmata/core/numbers";
import { additions } from "./additions.ts";
import { attributeMutations } from "./attributes.ts";
import { byteMutations } from "./bytes.ts";
import type { BaseModel } from "./models.ts";
import { decodeModel, encodeModel, type Model, pick } from "./proto.ts";
import { sizeMutations } from "./sizes.ts";
import { wiringMutations } from "./wiring.ts";

/** Changes a decoded model in place; leaves it as it is where there is nothing to change. */
export type StructuralMutation = (model: Model, random: Random) => void;

export interface MutatedFile {
  readonly base: string;
  /** What was done, in order: `cycle+flipBits`. */
  readonly mutation: string;
  readonly seed: number;
  readonly bytes: Uint8Array;
}

const structural: Readonly<Record<string, StructuralMutation>> = {
  ...sizeMutations,
  ...wiringMutations,
  ...attributeMutations,
  ...additions,
};

/** The file that belongs to a seed. */
export function mutatedFile(bases: readonly BaseModel[], seed: number): MutatedFile {
  const random = createRandom(`fuzz/${seed}`);
  const base = pick(random, bases)!;
  const donor = pick(random, bases)!;
  const fraction = random.uniform();
  const names: string[] = [];
  let bytes = base.bytes;
  if (fraction > 0.35) {
    const model = decodeModel(bytes);
    for (let k = fraction > 0.85 ? 3 : 1; k > 0; k--) {
      const name = pick(random, Object.keys(structural))!;
      structural[name]!(model, random);
      names.push(name);
    }
    bytes = encodeModel(model);
  }
  if (fraction < 0.4) {
    const name = pick(random, Object.keys(byteMutations))!;
    bytes = byteMutations[name]!(bytes, random, donor.bytes);
    names.push(name);
  }
  return { base: base.name, mutation: names.join("+"), seed, bytes };
}
