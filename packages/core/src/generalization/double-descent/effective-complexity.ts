// Effective model complexity (Nakkiran et al. 2020): how many examples a training procedure fits.

/**
 * max{m: E R_S(A(S)) <= eps} among 1 .. greatest, for a training error that does not fall as m grows; 0 if there is none.
 * @example await effectiveComplexity((m) => Math.max(0, 1 - 5 / m), { eps: 0.25, greatest: 100 }) // 6
 */
export async function effectiveComplexity(
  trainingError: (m: number) => number | Promise<number>,
  { eps, greatest }: { readonly eps: number; readonly greatest: number },
): Promise<number> {
  let [fits, fails] = [0, greatest + 1];
  while (fails - fits > 1) {
    const m = Math.floor((fits + fails) / 2);
    if ((await trainingError(m)) <= eps) fits = m;
    else fails = m;
  }
  return fits;
}

/**
 * That of least squares with n independent features on labels that are noise: E R_S = E[nu^2] max(1 - n/m, 0), so that the
 * complexity is n / (1 - eps / E[nu^2]), rounded down; infinite if eps is no less than the noise.
 * @example linearComplexity(5, 0.25, 1) // 6
 */
export const linearComplexity = (n: number, eps: number, noise: number): number =>
  eps < noise ? Math.floor(n / (1 - eps / noise) + 1e-9) : Infinity;
