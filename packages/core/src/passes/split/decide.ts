// Is there a point of a box where all targets of one of several alternatives are <= 0? Branch and bound on the inputs.
import { createRandom } from "../../engine/random.ts";
import { type Box, BoxBounder, type BoxBounds, type LowerForm } from "../linear-bounds/box-bounds.ts";
import { Evaluation } from "../linear-bounds/evaluate.ts";
import type { Network } from "../linear-bounds/network.ts";
import type { Steps } from "../linear-bounds/steps.ts";
import { type Alternative, attack, descend } from "./attack.ts";
import { boundingOf, halves, inputToHalve, middle, type Part } from "./bisect.ts";
import { Clock, type SearchOptions } from "./clock.ts";
import { contracted, greatestCombination } from "./half-spaces.ts";

export interface DecideOptions extends SearchOptions {
  /** Is a point that floating point found really one? Default: yes. */
  readonly confirm?: (point: Float64Array) => boolean | Promise<boolean>;
}

/**
 * none: proved that no point satisfies any alternative. found: a point does. undecided: what is left is too small to
 * split, or points were found that `confirm` refused.
 */
export interface Decision {
  readonly verdict: "none" | "found" | "undecided" | "timed-out";
  readonly point?: Float64Array;
  readonly boxes: number;
  readonly seconds: number;
}

interface OpenPart extends Part {
  /** The alternatives that are not refuted yet. */
  readonly open: readonly Alternative[];
}

/** An alternative that the bounds did not refute; its forms begin at number `first` of the last substitution. */
interface Remaining {
  readonly targets: Alternative;
  readonly first: number;
  readonly forms: readonly LowerForm[];
  readonly best: LowerForm;
}

/** Points that `confirm` refuses are on the edge; after this many the search for them is not worth its time. */
const mostRefusals = 50;
const localSteps = 4;

class Search {
  readonly #bounder: BoxBounder;
  readonly #evaluation: Evaluation;
  readonly #stack: OpenPart[];
  boxes = 0;
  done = 0;
  /** A part was too small to split. */
  undecided = false;
  /** The time was over before a part was bounded. */
  isOver = false;

  constructor(network: Network, box: Box, alternatives: readonly Alternative[]) {
    this.#bounder = new BoxBounder(network);
    this.#evaluation = new Evaluation(network);
    this.#stack = [{ box, around: undefined, share: 1, open: alternatives }];
  }

  get isDone(): boolean {
    return this.#stack.length === 0;
  }

  /** A search for points on all of what the first step left. */
  attack(seed: number, isOver: () => boolean): Float64Array | undefined {
    const [part] = this.#stack;
    if (!part) return undefined;
    const { box } = part.around!;
    return attack(this.#evaluation, part.open, box, createRandom(seed), isOver);
  }

  /** Looks at one box: it is refuted, gives a point to confirm, or is split. */
  async step(clock: Clock): Promise<Float64Array | undefined> {
    const part = this.#stack.pop()!;
    const looked = await clock.finish(this.#looking(part));
    if (!looked) {
      this.isOver = true;
      return undefined;
    }
    this.boxes++;
    const { known, left } = looked;
    const [only] = left;
    // The best combination first: it takes off most. With several alternatives left each would have its own box.
    const shapes = left.length === 1 ? [only!.best, ...only!.forms] : [];
    const box = shapes.reduce<Box | undefined>((inner, form) => inner && contracted(form, inner), part.box);
    if (left.length === 0 || !box) {
      this.done += part.share;
      return undefined;
    }
    this.#split(part, box, known, left);
    const { targets } = left.reduce((p, q) => (q.best.least < p.best.least ? q : p));
    return descend(this.#evaluation, targets, box, middle(box), localSteps);
  }

  /** Bounds on a part, and the alternatives that they do not refute. */
  *#looking(part: OpenPart): Steps<{ known: BoxBounds; left: readonly Remaining[] }> {
    const { open, box } = part;
    const known = yield* boundingOf(this.#bounder, part);
    const all = yield* this.#bounder.forming(open.flat(), known);
    let first = 0;
    const left = open.flatMap((targets) => {
      const forms = all.slice(first, first + targets.length);
      const best = greatestCombination(forms, box);
      first += targets.length;
      return best.least > 0 ? [] : [{ targets, first: first - targets.length, forms, best }];
    });
    return { known, left };
  }

  #split(part: OpenPart, box: Box, known: BoxBounds, left: readonly Remaining[]): void {
    const scores = new Float64Array(box.lower.length);
    for (const { first, forms } of left)
      forms.forEach((_, k) => {
        this.#bounder.addInfluence(first + k, known, scores);
      });
    const forms = left.flatMap((remaining) => remaining.forms);
    const input = inputToHalve(scores, known.box, forms, box);
    if (input === undefined) {
      this.undecided = true;
      return;
    }
    const open = left.map(({ targets }) => targets);
    const [low, high] = halves(box, input, known, part.share);
    // The half where the forms are lower is more likely to hold a point: it is looked at first.
    const slope = forms.reduce((sum, { slopes }) => sum + slopes[input]!, 0);
    for (const half of slope > 0 ? [high, low] : [low, high]) this.#stack.push({ ...half, open });
  }
}

/** Decides by branch and bound; gives up when the time is over. */
export async function decide(
  network: Network,
  box: Box,
  alternatives: readonly Alternative[],
  options: DecideOptions = {},
): Promise<Decision> {
  const { confirm = () => true, onProgress, seed = 1 } = options;
  const clock = new Clock(options);
  const search = new Search(network, box, alternatives);
  let refusals = 0;
  const isPoint = async (point: Float64Array | undefined): Promise<boolean> => {
    if (!point || refusals >= mostRefusals) return false;
    if (await confirm(point)) return true;
    refusals++;
    return false;
  };
  const end = (verdict: Decision["verdict"], point?: Float64Array): Decision => ({
    verdict,
    ...(point ? { point } : {}),
    boxes: search.boxes,
    seconds: clock.seconds,
  });
  while (!search.isDone) {
    const points = [await search.step(clock)];
    if (search.isOver) return end("timed-out");
    if (search.boxes === 1) points.push(search.attack(seed, () => clock.isOver));
    for (const point of points) if (await isPoint(point)) return end("found", point);
    if (!clock.isTired) continue;
    onProgress?.(search.done, search.boxes);
    await clock.rest();
    if (clock.isOver) return end("timed-out");
  }
  return end(search.undecided ? "undecided" : "none");
}
