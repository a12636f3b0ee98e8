// The bounds of an audit once more, written from their theorems: sums and searches in the plainest way.

export const kl = (q: number, p: number): number =>
  (q > 0 ? q * Math.log(q / p) : 0) + (q < 1 ? (1 - q) * Math.log((1 - q) / (1 - p)) : 0);

/** The greatest p with kl(q, p) <= c. */
export function greatestRisk(q: number, c: number): number {
  let [low, high] = [q, 1];
  for (let k = 0; k < 100; k++) {
    const p = (low + high) / 2;
    if (kl(q, p) <= c) low = p;
    else high = p;
  }
  return (low + high) / 2;
}

/** P(X <= k), X binomial, term by term. */
export function atMost(n: number, p: number, k: number): number {
  let total = 0;
  let log = n * Math.log1p(-p);
  for (let j = 0; j <= k; j++) {
    total += Math.exp(log);
    log += Math.log((n - j) / (j + 1)) + Math.log(p / (1 - p));
  }
  return total;
}

/** The p under which at most k errors in n have the probability `level`. */
export function clopperPearson(n: number, k: number, level: number): number {
  let [low, high] = [k / n, 1];
  for (let step = 0; step < 100; step++) {
    const p = (low + high) / 2;
    if (atMost(n, p, k) > level) low = p;
    else high = p;
  }
  return (low + high) / 2;
}

/** The levels 1.1^k: the least that is not below the value, found by walking, and what its place costs. */
export function levelFor(
  value: number,
  from: "all" | "one",
): { readonly level: number; readonly cost: number } {
  let k = from === "one" ? 0 : -400;
  while (1.1 ** k < value) k++;
  const size = Math.abs(k);
  return { level: 1.1 ** k, cost: (from === "one" ? 1 : 1.5) * (size + 1) * (size + 2) };
}

export const mcDiarmid = (n: number, delta: number): number => Math.sqrt(Math.log(1 / delta) / 2 / n);
/** The deviation and the complexity on the sample, both at delta / 2: one and two of the same root. */
export const twiceMcDiarmid = (n: number, delta: number): number => 3 * mcDiarmid(n, delta / 2);

/** The sum over weights of what a normal posterior and a normal prior of variance lambda differ by. */
export const normalDivergence = (
  mean: readonly number[],
  deviation: readonly number[],
  centre: readonly number[],
  lambda: number,
): number =>
  mean.reduce(
    (total, w, k) =>
      total +
      (deviation[k]! ** 2 / lambda +
        (w - centre[k]!) ** 2 / lambda -
        1 -
        Math.log(deviation[k]! ** 2 / lambda)) /
        2,
    0,
  );

/** The least divergence plus cost over a range of the grid that surely holds it. */
export const leastOnGrid = (total: (j: number) => number, from: number, to: number): number => {
  let best = Number.POSITIVE_INFINITY;
  for (let j = from; j <= to; j++) best = Math.min(best, total(j));
  return best;
};
