// A drawn digit as MNIST has its own: in a box of 20 x 20, with the centre of mass in the middle of 28 x 28, as far as the box stays inside.
export const digitSide = 28;
const boxSide = 20;

export interface Drawing {
  readonly width: number;
  readonly height: number;
  /** Ink, 0 to 1, row by row. */
  readonly ink: Float32Array;
}

interface Frame {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The least rectangle with all ink, if there is any. */
function inkFrame({ width, height, ink }: Drawing): Frame | undefined {
  let [left, top, right, bottom] = [width, height, 0, 0];
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      if (ink[y * width + x]! < 0.05) continue;
      [left, right] = [Math.min(left, x), Math.max(right, x + 1)];
      [top, bottom] = [Math.min(top, y), Math.max(bottom, y + 1)];
    }
  return right > left ? { left, top, right, bottom } : undefined;
}

/** The mean of the ink over a rectangle with sides anywhere. */
function meanInk({ width, height, ink }: Drawing, { left, top, right, bottom }: Frame): number {
  const overlap = (k: number, from: number, to: number): number =>
    Math.max(0, Math.min(k + 1, to) - Math.max(k, from));
  let sum = 0;
  for (let y = Math.max(0, Math.floor(top)); y < Math.min(height, bottom); y++)
    for (let x = Math.max(0, Math.floor(left)); x < Math.min(width, right); x++)
      sum += ink[y * width + x]! * overlap(x, left, right) * overlap(y, top, bottom);
  return sum / ((right - left) * (bottom - top));
}

/** 784 numbers from 0 to 1, or nothing for an empty drawing. */
export function normalizedDigit(drawing: Drawing): Float32Array | undefined {
  const frame = inkFrame(drawing);
  if (!frame) return undefined;
  const [across, down] = [frame.right - frame.left, frame.bottom - frame.top];
  const scale = boxSide / Math.max(across, down);
  const [columns, rows] = [across, down].map((n) => Math.max(1, Math.round(n * scale))) as [number, number];
  const small = new Float32Array(columns * rows);
  let [mass, momentX, momentY] = [0, 0, 0];
  for (let y = 0; y < rows; y++)
    for (let x = 0; x < columns; x++) {
      const value = meanInk(drawing, {
        left: frame.left + (x * across) / columns,
        right: frame.left + ((x + 1) * across) / columns,
        top: frame.top + (y * down) / rows,
        bottom: frame.top + ((y + 1) * down) / rows,
      });
      small[y * columns + x] = value;
      mass += value;
      momentX += value * (x + 0.5);
      momentY += value * (y + 0.5);
    }
  const shift = (moment: number, size: number): number =>
    Math.min(digitSide - size, Math.max(0, Math.round(digitSide / 2 - moment / mass)));
  const [left, top] = [shift(momentX, columns), shift(momentY, rows)];
  const digit = new Float32Array(digitSide ** 2);
  for (let y = 0; y < rows; y++)
    digit.set(small.subarray(y * columns, (y + 1) * columns), (y + top) * digitSide + left);
  return digit;
}
