// Integrals over frequencies in one, two or three variables, in polar coordinates.
import { integral } from "../../networks/spline/quadrature.ts";
import { BarronError } from "./error.ts";
import { sphereArea } from "./radius-laws.ts";
import {
  euclideanLength,
  type MomentOrder,
  type SpectralFunction,
  type WeightedWave,
} from "./spectral-function.ts";

/** How fine: panels of eight nodes along the radius, and directions around a circle. */
export interface SpectralResolution {
  readonly panels?: number;
  readonly directions?: number;
}

interface Node {
  readonly at: number;
  readonly weight: number;
}

/** Gauss nodes on [from, to]; the rule tells its nodes by being applied. */
function gaussNodes(from: number, to: number, panels: number): readonly Node[] {
  const step = (to - from) / panels;
  return Array.from({ length: panels }, (_, p) => {
    const nodes: { at: number; weight: number }[] = [];
    const [left, right] = [from + p * step, from + (p + 1) * step];
    integral((x) => nodes.push({ at: x, weight: 0 }), left, right);
    nodes.forEach((node, k) => {
      let called = 0;
      node.weight = integral(() => (called++ === k ? 1 : 0), left, right);
    });
    return nodes;
  }).flat();
}

/** Half of the sphere, for functions that are even on it: the weights add up to half of its area. */
function halfSphere(
  d: number,
  count: number,
): readonly { readonly e: Float64Array; readonly weight: number }[] {
  if (d === 1) return [{ e: Float64Array.of(1), weight: 1 }];
  const circle = Array.from({ length: count }, (_, k) => (Math.PI * (2 * k + 1)) / count);
  if (d === 2) {
    return circle
      .slice(0, count / 2)
      .map((phi) => ({ e: Float64Array.of(Math.cos(phi), Math.sin(phi)), weight: (2 * Math.PI) / count }));
  }
  return gaussNodes(0, 1, Math.max(1, Math.round(count / 16))).flatMap(({ at: z, weight }) =>
    circle.map((phi) => {
      const r = Math.sqrt(1 - z * z);
      return {
        e: Float64Array.of(r * Math.cos(phi), r * Math.sin(phi), z),
        weight: (weight * 2 * Math.PI) / count,
      };
    }),
  );
}

/**
 * Waves whose weighted sum is f, up to the error of the quadrature; the atoms themselves where there are finitely many.
 * The radius is r = bandwidth v / (1 - v), v in [0, 1], so that slow decay is seen too.
 */
export function spectralNodes(
  f: SpectralFunction,
  { panels = 12, directions = 32 }: SpectralResolution = {},
): readonly WeightedWave[] {
  if (f.atoms) return f.atoms;
  const { dimension: d, transform, bandwidth } = f;
  if (!transform || d > 3)
    throw new BarronError(
      `a quadrature needs a transform with a density in at most 3 variables: ${f.formula}, d = ${d}`,
    );
  const radii = gaussNodes(0, 1, panels).map(({ at: v, weight }) => {
    const r = (bandwidth * v) / (1 - v);
    return { r, weight: (weight * bandwidth * r ** (d - 1)) / (1 - v) ** 2 };
  });
  return halfSphere(d, directions).flatMap(({ e, weight: area }) =>
    radii.flatMap(({ r, weight }) => {
      const omega = e.map((x) => r * x);
      const [re, im] = transform(omega);
      const size = Math.hypot(re, im);
      // f^(-omega) is the conjugate of f^(omega): both halves give the same wave.
      return size > 0 ? [{ omega, phase: Math.atan2(im, re), weight: 2 * area * weight * size }] : [];
    }),
  );
}

/** int |omega|^order |f^| by quadrature: a second way to the closed forms. */
export const numericMoment = (
  f: SpectralFunction,
  order: MomentOrder,
  resolution?: SpectralResolution,
): number =>
  spectralNodes(f, resolution).reduce(
    (sum, { omega, weight }) => sum + weight * euclideanLength(omega) ** order,
    0,
  );

/** The same for radial f^ in any number of variables: the area of the sphere times an integral along one axis. */
export function radialMoment(f: SpectralFunction, order: MomentOrder, panels = 12): number {
  const { dimension: d, transform, bandwidth } = f;
  if (!transform) throw new BarronError(`a quadrature needs a transform with a density: ${f.formula}`);
  return gaussNodes(0, 1, panels).reduce((sum, { at: v, weight }) => {
    const r = (bandwidth * v) / (1 - v);
    const size = Math.abs(transform(Float64Array.from({ length: d }, (_, i) => (i === 0 ? r : 0)))[0]);
    return sum + (sphereArea(d) * weight * bandwidth * size * r ** (d - 1 + order)) / (1 - v) ** 2;
  }, 0);
}
