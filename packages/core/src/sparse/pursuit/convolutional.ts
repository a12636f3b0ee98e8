// Convolutional dictionaries: every filter at every position of a periodic picture is an atom. Nothing is stored but the
// filters, and nothing is transformed: a code has few entries that are not 0.
import { SparseError } from "../error.ts";
import type { CodeOperator } from "./code-operator.ts";
import type { Dictionary } from "./dictionary.ts";

export interface Filters {
  readonly filters: number;
  readonly channels: number;
  readonly height: number;
  readonly width: number;
  /** [filters, channels, height, width], one after the other. */
  readonly entries: Float64Array;
}

export interface ConvolutionalDictionary extends CodeOperator {
  readonly shape: readonly [channels: number, rows: number, columns: number];
  /** [filters, rows, columns] of a code. */
  readonly codeShape: readonly [filters: number, rows: number, columns: number];
}

/** D x = sum_f filter_f * x_f on a torus; an entry of the code at (i, j) puts the filter's first corner there. */
export function convolutionalDictionary(
  filters: Filters,
  rows: number,
  columns: number,
): ConvolutionalDictionary {
  const { channels, height, width, entries } = filters;
  if (entries.length !== filters.filters * channels * height * width)
    throw new SparseError(
      `${entries.length} numbers for ${filters.filters} filters of ${channels} x ${height} x ${width}`,
    );
  if (height > rows || width > columns)
    throw new SparseError(`filters of ${height} x ${width} for pictures of ${rows} x ${columns}`);
  const places = rows * columns;
  /** Calls visit(place of the signal, entry of the filter) for the atom at a place. */
  const visit = (f: number, place: number, each: (at: number, entry: number) => void): void => {
    const [top, left] = [Math.floor(place / columns), place % columns];
    let at = f * channels * height * width;
    for (let c = 0; c < channels; c++)
      for (let i = 0; i < height; i++)
        for (let j = 0; j < width; j++, at++)
          each(c * places + ((top + i) % rows) * columns + ((left + j) % columns), entries[at]!);
  };
  const size = channels * places;
  const count = filters.filters * places;
  return {
    ...{ size, count, shape: [channels, rows, columns], codeShape: [filters.filters, rows, columns] },
    synthesize: (x) => {
      const y = new Float64Array(size);
      x.forEach((v, k) => {
        if (v !== 0)
          visit(Math.floor(k / places), k % places, (at, e) => {
            y[at]! += v * e;
          });
      });
      return y;
    },
    analyze: (r) =>
      Float64Array.from({ length: count }, (_, k) => {
        let sum = 0;
        visit(Math.floor(k / places), k % places, (at, e) => {
          sum += r[at]! * e;
        });
        return sum;
      }),
    squaredNorm: filterNorm(filters),
  };
}

/** |D|^2 is at most the sum over filters and channels of the squares of their l1 norms (Young, then Cauchy and Schwarz). */
function filterNorm({ filters, channels, height, width, entries }: Filters): number {
  const each = height * width;
  let total = 0;
  for (let k = 0; k < filters * channels; k++) {
    let sum = 0;
    for (let i = 0; i < each; i++) sum += Math.abs(entries[k * each + i]!);
    total += sum * sum;
  }
  return total;
}

/** All atoms, for pictures that are small. */
export function explicitDictionary(convolutional: CodeOperator): Dictionary {
  const { size, count } = convolutional;
  if (size * count > 2e7)
    throw new SparseError(`${count} atoms of ${size} numbers are too many to be stored`);
  const atoms = new Float64Array(size * count);
  const code = new Float64Array(count);
  for (let j = 0; j < count; j++) {
    code[j] = 1;
    atoms.set(convolutional.synthesize(code), j * size);
    code[j] = 0;
  }
  return { size, count, atoms };
}

/**
 * |x|_(0, inf): the most entries other than 0 in a stripe, of all filters at the (2 h - 1) x (2 w - 1) places whose atoms touch
 * one patch of a filter's size.
 */
export function densestStripe(
  x: Float64Array,
  [filters, rows, columns]: readonly [number, number, number],
  height: number,
  width: number,
): number {
  const [tall, wide] = [Math.min(rows, 2 * height - 1), Math.min(columns, 2 * width - 1)];
  let densest = 0;
  for (let top = 0; top < rows; top++)
    for (let left = 0; left < columns; left++) {
      let count = 0;
      for (let f = 0; f < filters; f++)
        for (let i = 0; i < tall; i++)
          for (let j = 0; j < wide; j++)
            if (x[(f * rows + ((top + i) % rows)) * columns + ((left + j) % columns)] !== 0) count++;
      densest = Math.max(densest, count);
    }
  return densest;
}

/** mu(D) from the correlations of filters at all shifts, without the atoms: those that do not overlap are orthogonal. */
export function filterCoherence(filters: Filters, rows: number, columns: number): number {
  const { channels, height, width, entries } = filters;
  const each = channels * height * width;
  const lengths = Array.from({ length: filters.filters }, (_, f) =>
    Math.hypot(...entries.subarray(f * each, (f + 1) * each)),
  );
  const zero = lengths.indexOf(0);
  if (zero >= 0) throw new SparseError(`filter ${zero} is zero`);
  let greatest = 0;
  for (let f = 0; f < filters.filters; f++)
    for (let g = f; g < filters.filters; g++)
      for (let down = 1 - height; down < height; down++)
        for (let right = 1 - width; right < width; right++) {
          if (f === g && down === 0 && right === 0) continue;
          let sum = 0;
          // On a small torus a shift comes round: all pairs of entries at the same place count.
          for (let c = 0; c < channels; c++)
            for (let i = 0; i < height; i++)
              for (let j = 0; j < width; j++)
                for (const ii of meeting(i - down, rows, height))
                  for (const jj of meeting(j - right, columns, width))
                    sum +=
                      entries[f * each + (c * height + i) * width + j]! *
                      entries[g * each + (c * height + ii) * width + jj]!;
          if (f === g && down % rows === 0 && right % columns === 0) continue;
          greatest = Math.max(greatest, Math.abs(sum) / (lengths[f]! * lengths[g]!));
        }
  return Math.min(1, greatest);
}

/** Places of a filter that are the same as this one on a torus. */
function meeting(place: number, period: number, length: number): number[] {
  const found: number[] = [];
  for (let k = ((place % period) + period) % period; k < length; k += period) found.push(k);
  return found;
}
