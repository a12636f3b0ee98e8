// The paths of a scattering transform: which wavelets follow each other, towards coarser scales only.
import type { FilterBank, Wavelet } from "./filter-bank.ts";

export interface Path {
  readonly order: number;
  /** Places in the bank of each order. */
  readonly wavelets: readonly number[];
  readonly scales: readonly number[];
  /** Which angles, in two dimensions. */
  readonly angles?: readonly number[];
  /** Centre frequencies in cycles a sample. */
  readonly frequencies: readonly number[];
}

/**
 * All paths up to an order through these banks, one an order, by order and then by wavelets.
 * @example paths([polarBank({ shape: [8, 8], scale: 2 })], 1).length // 13
 */
export function paths(banks: readonly FilterBank[], order: number): readonly Path[] {
  let layer: readonly Path[] = [{ order: 0, wavelets: [], scales: [], frequencies: [] }];
  const all = [...layer];
  for (let m = 1; m <= order; m++) {
    const { wavelets } = banks[m - 1]!;
    layer = layer.flatMap((path) => continued(path, wavelets));
    all.push(...layer);
  }
  return all;
}

const continued = (path: Path, wavelets: readonly Wavelet[]): readonly Path[] =>
  wavelets.flatMap((wavelet, n) => {
    if (wavelet.j <= (path.scales.at(-1) ?? Number.NEGATIVE_INFINITY)) return [];
    return [
      {
        order: path.order + 1,
        wavelets: [...path.wavelets, n],
        scales: [...path.scales, wavelet.j],
        ...(wavelet.theta === undefined ? {} : { angles: [...(path.angles ?? []), wavelet.theta] }),
        frequencies: [...path.frequencies, wavelet.xi],
      },
    ];
  });
