// IEEE 754 binary16 <-> number. Node 20 has no Float16Array.
const float32 = new Float32Array(1);
const bits32 = new Uint32Array(float32.buffer);

/** The number that 16 bits stand for. `float16ToNumber(0x3c00)` is 1. */
export function float16ToNumber(half: number): number {
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >>> 10) & 0x1f;
  const fraction = half & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** The nearest half, ties to even, straight from f64 (rounding twice through f32 can be off by one). */
export function numberToFloat16(value: number): number {
  float32[0] = value;
  const sign = (bits32[0]! >>> 16) & 0x8000;
  const magnitude = Math.abs(value);
  if (Number.isNaN(value)) return 0x7e00;
  if (magnitude >= 65520) return sign | 0x7c00;
  const exponent = Math.max(-14, magnitude < 2 ** -14 ? -14 : Math.floor(Math.log2(magnitude)));
  const unit = 2 ** (exponent - 10);
  const steps = roundHalfEven(magnitude / unit); // 0..2048; exact: a division by a power of two
  if (steps < 1024) return sign | steps;
  return sign | (((exponent + 15) << 10) + (steps - 1024));
}

function roundHalfEven(x: number): number {
  const floor = Math.floor(x);
  const rest = x - floor;
  return rest > 0.5 || (rest === 0.5 && floor % 2 === 1) ? floor + 1 : floor;
}
