// C <- C - A B by loops: for what is too small, or too thin, for anything else.
import type { Block } from "./block.ts";

/** A row of the target at a time; four rows of B at once, since the target's row is then read once for four. */
export function subtractPlainly(target: Block, a: Block, b: Block, transposed: boolean): void {
  const [rowStep, innerStep] = transposed ? [1, a.stride] : [a.stride, 1];
  const { columns } = target;
  if (columns === 1) {
    subtractFromVector(target, a, b, transposed);
    return;
  }
  const inner = b.rows;
  const [t, f, g] = [target.entries, a.entries, b.entries];
  for (let i = 0; i < target.rows; i++) {
    const row = target.start + i * target.stride;
    let p = 0;
    for (; p + 4 <= inner; p += 4) {
      const at = a.start + i * rowStep + p * innerStep;
      const f0 = f[at]!;
      const f1 = f[at + innerStep]!;
      const f2 = f[at + 2 * innerStep]!;
      const f3 = f[at + 3 * innerStep]!;
      const b0 = b.start + p * b.stride;
      const b1 = b0 + b.stride;
      const b2 = b1 + b.stride;
      const b3 = b2 + b.stride;
      for (let j = 0; j < columns; j++)
        t[row + j]! -= f0 * g[b0 + j]! + f1 * g[b1 + j]! + f2 * g[b2 + j]! + f3 * g[b3 + j]!;
    }
    for (; p < inner; p++) {
      const factor = f[a.start + i * rowStep + p * innerStep]!;
      const from = b.start + p * b.stride;
      for (let j = 0; j < columns; j++) t[row + j]! -= factor * g[from + j]!;
    }
  }
}

/** One column: A is read along its rows as stored, whichever way round it is meant. */
function subtractFromVector(target: Block, a: Block, b: Block, transposed: boolean): void {
  const [t, f, g] = [target.entries, a.entries, b.entries];
  if (transposed)
    for (let p = 0; p < b.rows; p++) {
      const factor = g[b.start + p * b.stride]!;
      const from = a.start + p * a.stride;
      for (let i = 0; i < target.rows; i++) t[target.start + i * target.stride]! -= f[from + i]! * factor;
    }
  else
    for (let i = 0; i < target.rows; i++) {
      const from = a.start + i * a.stride;
      let sum = 0;
      for (let p = 0; p < b.rows; p++) sum += f[from + p]! * g[b.start + p * b.stride]!;
      t[target.start + i * target.stride]! -= sum;
    }
}
