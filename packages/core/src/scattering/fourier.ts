// The discrete Fourier transform of any length: x^[k] = sum_t x[t] e^(-2 pi i k t / N), and its inverse with 1 / N.

/** Complex numbers as two arrays of the same length. */
export interface Complex {
  readonly re: Float64Array;
  readonly im: Float64Array;
}

/**
 * Zeros, to be filled.
 * @example complexZeros(4).re.length // 4
 */
export const complexZeros = (length: number): Complex => ({
  re: new Float64Array(length),
  im: new Float64Array(length),
});

/**
 * The transform of a signal of any length.
 * @example [...fourier({ re: Float64Array.of(1, 0), im: new Float64Array(2) }).re] // [1, 1]
 */
export function fourier(signal: Complex): Complex {
  return transform(signal, -1);
}

/**
 * The inverse transform, with its factor 1 / N.
 * @example [...inverseFourier({ re: Float64Array.of(2, 0), im: new Float64Array(2) }).re] // [1, 1]
 */
export function inverseFourier(spectrum: Complex): Complex {
  const { re, im } = transform(spectrum, 1);
  const factor = 1 / Math.max(1, re.length);
  return { re: re.map((v) => v * factor), im: im.map((v) => v * factor) };
}

/**
 * The transform of a real signal on a grid of one or two axes, row by row in memory.
 * @example [...gridFourier([2, 2], Float64Array.of(1, 0, 0, 0)).re] // [1, 1, 1, 1]
 */
export function gridFourier(shape: readonly number[], re: Float64Array, im?: Float64Array): Complex {
  return alongAxes(shape, { re, im: im ?? new Float64Array(re.length) }, fourier);
}

/** The inverse on a grid. */
export function inverseGridFourier(shape: readonly number[], spectrum: Complex): Complex {
  return alongAxes(shape, spectrum, inverseFourier);
}

function alongAxes(shape: readonly number[], start: Complex, along: (line: Complex) => Complex): Complex {
  let values = start;
  let inner = 1;
  for (const length of shape.toReversed()) {
    if (length > 1) values = alongAxis(values, length, inner, along);
    inner *= length;
  }
  return values;
}

function alongAxis(
  { re, im }: Complex,
  length: number,
  inner: number,
  along: (line: Complex) => Complex,
): Complex {
  const out = complexZeros(re.length);
  const line = complexZeros(length);
  for (let block = 0; block < re.length; block += length * inner)
    for (let start = block; start < block + inner; start++) {
      for (let k = 0; k < length; k++) {
        line.re[k] = re[start + k * inner]!;
        line.im[k] = im[start + k * inner]!;
      }
      const done = along(line);
      for (let k = 0; k < length; k++) {
        out.re[start + k * inner] = done.re[k]!;
        out.im[start + k * inner] = done.im[k]!;
      }
    }
  return out;
}

/** From here on a prime length goes by a convolution of a power of two. */
const largestDirect = 64;

function transform(signal: Complex, sign: 1 | -1): Complex {
  const n = signal.re.length;
  const radix = smallestFactor(n);
  if (n <= 1) return { re: signal.re.slice(), im: signal.im.slice() };
  if (n === radix) return n <= largestDirect ? direct(signal, sign) : byConvolution(signal, sign);
  if (radix === 2 && (n & (n - 1)) === 0) return powerOfTwo(signal, sign);
  return mixedRadix(signal, radix, sign);
}

function smallestFactor(n: number): number {
  for (let p = 2; p * p <= n; p++) if (n % p === 0) return p;
  return n;
}

/** cos and sin of 2 pi k / n, for k = 0 .. n - 1; kept, since the same lengths come again and again. */
const circles = new Map<number, Complex>();
export function rootsOfUnity(n: number): Complex {
  const known = circles.get(n);
  if (known) return known;
  const roots = complexZeros(n);
  for (let k = 0; k < n; k++) {
    // Quarter turns are exact, and angles stay small: both keep the last digits.
    const turn = (4 * k) / n;
    const quarter = Math.round(turn);
    const angle = ((turn - quarter) * Math.PI) / 2;
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    const [re, im] = [
      [c, s],
      [-s, c],
      [-c, -s],
      [s, -c],
    ][quarter % 4] as [number, number];
    roots.re[k] = re;
    roots.im[k] = im;
  }
  if (circles.size >= 64) circles.clear();
  circles.set(n, roots);
  return roots;
}

function direct({ re, im }: Complex, sign: 1 | -1): Complex {
  const n = re.length;
  const roots = rootsOfUnity(n);
  const out = complexZeros(n);
  for (let k = 0; k < n; k++) {
    let [sumRe, sumIm] = [0, 0];
    for (let t = 0; t < n; t++) {
      const [c, s] = [roots.re[(k * t) % n]!, sign * roots.im[(k * t) % n]!];
      sumRe += re[t]! * c - im[t]! * s;
      sumIm += re[t]! * s + im[t]! * c;
    }
    out.re[k] = sumRe;
    out.im[k] = sumIm;
  }
  return out;
}

/** In place after a bit reversal. */
function powerOfTwo(signal: Complex, sign: 1 | -1): Complex {
  const n = signal.re.length;
  const [re, im] = [new Float64Array(n), new Float64Array(n)];
  for (let k = 0, reversed = 0; k < n; k++) {
    re[reversed] = signal.re[k]!;
    im[reversed] = signal.im[k]!;
    let bit = n >> 1;
    for (; reversed & bit; bit >>= 1) reversed ^= bit;
    reversed |= bit;
  }
  const roots = rootsOfUnity(n);
  for (let half = 1; half < n; half *= 2) {
    const stride = n / (2 * half);
    for (let start = 0; start < n; start += 2 * half)
      for (let k = 0; k < half; k++) {
        const [c, s] = [roots.re[k * stride]!, sign * roots.im[k * stride]!];
        const [a, b] = [start + k, start + k + half];
        const [x, y] = [re[b]! * c - im[b]! * s, re[b]! * s + im[b]! * c];
        re[b] = re[a]! - x;
        im[b] = im[a]! - y;
        re[a]! += x;
        im[a]! += y;
      }
  }
  return { re, im };
}

/** n = p m: p transforms of length m, then sums of p. */
function mixedRadix({ re, im }: Complex, p: number, sign: 1 | -1): Complex {
  const n = re.length;
  const m = n / p;
  const parts = Array.from({ length: p }, (_, r) => {
    const part = complexZeros(m);
    for (let t = 0; t < m; t++) {
      part.re[t] = re[t * p + r]!;
      part.im[t] = im[t * p + r]!;
    }
    return transform(part, sign);
  });
  const roots = rootsOfUnity(n);
  const out = complexZeros(n);
  for (let k = 0; k < n; k++) {
    let [sumRe, sumIm] = [0, 0];
    for (let r = 0; r < p; r++) {
      const [a, b] = [parts[r]!.re[k % m]!, parts[r]!.im[k % m]!];
      const [c, s] = [roots.re[(k * r) % n]!, sign * roots.im[(k * r) % n]!];
      sumRe += a * c - b * s;
      sumIm += a * s + b * c;
    }
    out.re[k] = sumRe;
    out.im[k] = sumIm;
  }
  return out;
}

/** k t = (k^2 + t^2 - (k - t)^2) / 2 makes the sum a convolution with a chirp (Bluestein). */
function byConvolution({ re, im }: Complex, sign: 1 | -1): Complex {
  const n = re.length;
  let size = 1;
  while (size < 2 * n - 1) size *= 2;
  const roots = rootsOfUnity(2 * n);
  const chirp = (k: number): readonly [number, number] => {
    const at = Number((BigInt(k) * BigInt(k)) % BigInt(2 * n));
    return [roots.re[at]!, sign * roots.im[at]!];
  };
  const [a, b] = [complexZeros(size), complexZeros(size)];
  for (let k = 0; k < n; k++) {
    const [c, s] = chirp(k);
    a.re[k] = re[k]! * c - im[k]! * s;
    a.im[k] = re[k]! * s + im[k]! * c;
    b.re[k] = c;
    b.im[k] = -s;
    if (k > 0) {
      b.re[size - k] = c;
      b.im[size - k] = -s;
    }
  }
  const [p, q] = [fourier(a), fourier(b)];
  const product = complexZeros(size);
  for (let k = 0; k < size; k++) {
    product.re[k] = p.re[k]! * q.re[k]! - p.im[k]! * q.im[k]!;
    product.im[k] = p.re[k]! * q.im[k]! + p.im[k]! * q.re[k]!;
  }
  const sums = inverseFourier(product);
  const out = complexZeros(n);
  for (let k = 0; k < n; k++) {
    const [c, s] = chirp(k);
    out.re[k] = sums.re[k]! * c - sums.im[k]! * s;
    out.im[k] = sums.re[k]! * s + sums.im[k]! * c;
  }
  return out;
}
