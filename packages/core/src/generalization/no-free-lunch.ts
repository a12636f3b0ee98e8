// No free lunch on a finite domain: every learning rule against all labellings, by counting.

/** Labels 0 and 1 of the points of the domain. */
export type Labelling = readonly number[];

/** A learning rule: from points that were seen, with their labels, to a label for every point of 0 .. domain - 1. */
export type LearningRule = (seen: ReadonlyMap<number, number>, domain: number) => Labelling;

/** All functions from 0 .. length - 1 to 0 .. values - 1, one after the other. */
function* tuples(length: number, values: number): Generator<readonly number[]> {
  const digits = new Array<number>(length).fill(0);
  for (;;) {
    yield digits;
    let k = 0;
    while (k < length && digits[k] === values - 1) digits[k++] = 0;
    if (k === length) return;
    digits[k]!++;
  }
}

/**
 * E R(A(S)) for m uniform examples of this labelling: the mean over all samples, whose Bayes risk is 0.
 * @example expectedRisk((seen, n) => Array.from({ length: n }, (_, x) => seen.get(x) ?? 0), [1, 1], 1) // 0.5
 */
export function expectedRisk(rule: LearningRule, labels: Labelling, m: number): number {
  const domain = labels.length;
  let wrong = 0;
  for (const sample of tuples(m, domain)) {
    const learned = rule(new Map(sample.map((x) => [x, labels[x]!])), domain);
    for (let x = 0; x < domain; x++) wrong += Number(learned[x] !== labels[x]);
  }
  return wrong / domain ** (m + 1);
}

export interface FreeLunch {
  /** Over all labellings. */
  readonly mean: number;
  readonly worst: number;
  readonly worstLabels: Labelling;
}

/**
 * The expected risk of a rule over all labellings of a domain.
 * @example freeLunch((_, n) => new Array(n).fill(0), 3, 1).worst // 1
 */
export function freeLunch(rule: LearningRule, domain: number, m: number): FreeLunch {
  let [mean, worst, worstLabels]: [number, number, Labelling] = [0, -1, []];
  for (const labels of tuples(domain, 2)) {
    const risk = expectedRisk(rule, labels, m);
    mean += risk / 2 ** domain;
    if (risk > worst) [worst, worstLabels] = [risk, [...labels]];
  }
  return { mean, worst, worstLabels };
}

/**
 * What no rule can beat on average: a point that was not seen, with probability (1 - 1/domain)^m, has either label.
 * @example unseenRisk(4, 2) // 0.28125
 */
export const unseenRisk = (domain: number, m: number): number => (1 - 1 / domain) ** m / 2;
