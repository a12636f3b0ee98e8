// How the relaxation stays sound in floating point.
//
// A bound of a target is found by substituting activations by lines, layer by layer, until a linear form of the inputs
// is left. Read the floating-point numbers on the way as exact: a coefficient a_k of slot k, times the slope s_k of its
// line, gives g_k = fl(a_k s_k), and adds fl(g_k W_kj) to the coefficient of slot j. What rounding does to the
// coefficient of j in all is at most gamma_N sum_k |g_k W_kj| (Higham 2002, section 3.1: any order of summation), where
// N counts all operations that can meet in one coefficient. The slot is at most M_j in size, so the error of the form
// on the box is at most gamma_N times
//   sum_k |g_k| R_k + sum_k |a_k t_k| + the target's own size,    R_k = sum_j |W_kj| M_j + |b_k|,
// (t_k: the lines' shifts), which is summed up on the way and taken off at the end, twice, since it is rounded itself.
// Weights that the lowering rounded (a reciprocal, the factor of a batch normalization) are off by at most `weightSteps`
// roundings, relatively, which counts as so many more operations. Underflow adds at most 2^-1074 an operation to a
// coefficient, which is times the size of its slot or row.
//
// Where units are held on one side of their bend, factor m of row z (m z <= 0 there) adds fl(m W_kj) to the coefficient of
// slot j and m b_k to the constant: |m| R_k is added to the sum above, and N counts every row twice, since a row then meets
// a coefficient by its unit's line and by its own factor.

import { gamma } from "../../numbers/floating-point.ts";

const weightSteps = 4;
/** Operations beside those that depend on the network's size: products with slopes, shifts, the last sums. */
const otherSteps = 24;

/** gamma_N, doubled, for a network with so many rows, slots and inputs. */
export const formRounding = (rows: number, slots: number): number =>
  2 * gamma(2 * rows + 2 * slots + weightSteps + otherSteps);

/** More than all underflows together can add, relative to the greatest size of all slots and rows (and to 1). */
export const underflow = 2 ** -1000;
