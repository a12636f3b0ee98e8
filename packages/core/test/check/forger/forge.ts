// The forger: subjects, edits, persuasion, and the comparison of whatever is accepted with the truth.
import type { BoxSide } from "../../../src/compile/compile.ts";
import { NumberError } from "../../../src/numbers/error.ts";
import { createRandom, type Random } from "../../../src/numbers/random.ts";
import { apprenticed, type Craft, type Forgery } from "./apprentice.ts";
import { certificateEdits } from "./certificate-edits.ts";
import { chosen, type Edit, networkEdits } from "./network-edits.ts";
import { type Checker, persuaded } from "./persuade.ts";
import { falsehood } from "./truth.ts";

const sides = (box: Record<string, readonly [number, number]>): BoxSide[] =>
  Object.entries(box).map(([name, [lower, upper]]) => ({ name, lower, upper }));

const formulas: readonly (readonly [string, Record<string, readonly [number, number]>, Craft])[] = [
  ["x^2", { x: [-1, 1] }, "spline"],
  ["sin(x)^4", { x: [0, 0.5] }, "spline"],
  ["sin(x)^3", { x: [0, 1] }, "spline"],
  ["exp(x)", { x: [0, 1] }, "servants"],
  ["cos(x)", { x: [-1, 1] }, "folded"],
  ["x*y + max(x, y)", { x: [0, 1], y: [-1, 1] }, "spline"],
  ["sqrt(x)*abs(x - 0.5)", { x: [0.01, 1] }, "spline"],
  ["exp(sin(x))", { x: [0, 1] }, "servants"],
  ["exp(sin(x))", { x: [0, 1] }, "spline"],
  ["tanh(x)^2 - min(x, 0.25)", { x: [0, 1] }, "spline"],
  ["1/x", { x: [0.5, 2] }, "pieces"],
  ["max(x, y) - 0.5*y", { x: [-1, 1], y: [0, 1] }, "spline"],
  ["exp(x)^4", { x: [0, 0.5] }, "servants"],
];

/** Small networks with certificates that hold. */
export async function subjects(check: Checker): Promise<readonly Forgery[]> {
  const found: Forgery[] = [];
  for (const [formula, box, craft] of formulas) {
    const { graph, certificate } = apprenticed(formula, sides(box), craft);
    const { result, certificate: raised } = await persuaded(check, graph, certificate, 200);
    if (!result.ok) throw new Error(`${formula} by ${craft}: ${result.node}: ${result.reason}`);
    found.push({ graph, certificate: raised });
  }
  return found;
}

const edits: readonly (readonly [string, Edit])[] = Object.entries({ ...networkEdits, ...certificateEdits });
/** What hides a damage more often than not. */
const disguises: readonly string[] = [
  ...["servants", "servants", "servants", "ranges", "errors", "places", "names", "structure"],
];

function disguise(random: Random): readonly [string, Edit] {
  const name = chosen(disguises, random);
  return [name, certificateEdits[name]!];
}

/** A few edits; every other time the network is damaged first and the certificate edited to hide it. */
function forged(subject: Forgery, random: Random): { forgery: Forgery; by: string[] } {
  const isPlanned = random.uniform() < 0.5;
  const count = random.integer(1, 3);
  let forgery = subject;
  const by: string[] = [];
  for (let k = 0; k < count; k++) {
    const [name, edit] =
      isPlanned && k === 0
        ? (["weight", networkEdits["weight"]!] as const)
        : isPlanned
          ? disguise(random)
          : chosen(edits, random);
    try {
      forgery = edit(forgery, random);
      by.push(name);
    } catch (error) {
      if (!(error instanceof NumberError)) throw error; // a choice of nothing: there is nothing to change
    }
  }
  return { forgery, by };
}

export interface Campaign {
  /** Pairs of a network and a certificate that were shown to the checker. */
  readonly shown: number;
  readonly accepted: number;
  /** Edits that some accepted pair had been through. */
  readonly edits: ReadonlySet<string>;
  /** The first acceptance that is false, in words. */
  readonly found?: string;
}

/** Shows so many forgeries to a checker, or fewer if it accepts a false one. */
export async function campaign(
  check: Checker,
  from: readonly Forgery[],
  shown: number,
  seed: string,
): Promise<Campaign> {
  const count = { shown: 0, accepted: 0 };
  const used = new Set<string>();
  for (let k = 0; count.shown < shown; k++) {
    const random = createRandom(seed).split(k);
    const { forgery, by } = forged(chosen(from, random), random);
    const rounds = Math.min(40, Math.max(1, shown - count.shown));
    const {
      result,
      certificate,
      shown: more,
    } = await persuaded(check, forgery.graph, forgery.certificate, rounds);
    count.shown += more;
    if (!result.ok) continue;
    count.accepted++;
    for (const name of by) used.add(name);
    const { error, realError } = result;
    const found = falsehood({ graph: forgery.graph, certificate, error, realError }, random);
    if (found) return { ...count, edits: used, found: `seed ${seed}, ${k}: ${by.join(", ")}: ${found}` };
  }
  return { ...count, edits: used };
}
