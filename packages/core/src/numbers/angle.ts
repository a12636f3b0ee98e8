// The angle of a point in the right half plane, several times as fast as Math.atan2.

const eighth = Math.tan(Math.PI / 8);

/**
 * atan2(y, x) for x >= 0, both below 1e307: from -pi/2 to pi/2, and 0 at the origin. After a turn by pi/4 or pi/2 the rest z is small, and
 * arctan z = z + z^3 P(z^2) / Q(z^2) to the last bit or two (Cephes).
 * @example angle(1, 1) // 0.785398163397
 */
export function angle(y: number, x: number): number {
  const t = y < 0 ? -y : y;
  let base = 0;
  let z = 0;
  if (t > eighth * x) {
    const isMiddle = eighth * t < x;
    base = isMiddle ? Math.PI / 4 : Math.PI / 2;
    z = isMiddle ? (t - x) / (t + x) : -x / t;
  } else if (x > 0) z = t / x;
  const s = z * z;
  const p =
    (((-0.8750608600031904 * s - 16.15753718733365) * s - 75.00855792314705) * s - 122.88666844901361) * s -
    64.85021904942025;
  const q =
    ((((s + 24.858464901423062) * s + 165.02700983169885) * s + 432.88106049129027) * s + 485.3903996359137) *
      s +
    194.5506571482614;
  const found = base + (z + (z * s * p) / q);
  return y < 0 ? -found : found;
}
