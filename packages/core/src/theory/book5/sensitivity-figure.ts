import type { Figure } from "../../figure/figure.ts";
import { between, curve } from "./by-input.ts";
import { type DrawnLayer, dot, preActivations } from "./drawn.ts";

/** A direction in which the slope was measured. */
export interface Slope {
  /** Of the angle to the gradient. */
  readonly cosine: number;
  readonly slope: number;
}

/** The score on the line along the gradient, and squared slopes by the angle to it. */
export function figure(
  layers: readonly DrawnLayer[],
  x: Float64Array,
  gradient: Float64Array,
  slopes: readonly Slope[],
): Figure {
  const squared = dot(gradient, gradient);
  const size = Math.sqrt(squared);
  const f = (p: ArrayLike<number>): number => preActivations(layers, p).at(-1)![0]!;
  const along = (t: number): Float64Array => x.map((v, i) => v + (size > 0 ? (t * gradient[i]!) / size : 0));
  const line = between(-5, 5, 201);
  const degrees = ({ cosine }: Slope): number =>
    (Math.acos(Math.min(1, Math.max(-1, cosine))) * 180) / Math.PI;
  const stride = Math.ceil(slopes.length / 60);
  const shown = slopes.filter((_, k) => k % stride === 0).map((s) => [degrees(s), s.slope ** 2] as const);
  return {
    title: "Sensitivity: the slope at the input, and nothing further",
    panels: [
      {
        title: "A ReLU network on the line along its gradient",
        x: { label: "distance from x along the gradient" },
        y: { label: "score" },
        series: [
          curve("score f", line, (t) => f(along(t))),
          { name: "at x", mark: "dots", points: [[0, f(x)]] },
          curve("f(x) + t |∇f(x)|: what sensitivity knows", line, (t) => f(x) + t * size, {
            role: "theory",
          }),
        ],
      },
      {
        title: "Squared slope by the angle to the gradient",
        x: { label: "angle, in degrees" },
        y: { label: "squared slope" },
        series: [
          { name: "by differences, directions at random", mark: "dots", points: shown },
          curve("sum of squares Σ (∂f/∂xᵢ)²", [0, 90], () => squared, { role: "theory" }),
          curve("sum of squares times cos²", between(0, 90, 91), (a) => squared * cosine(a) ** 2, {
            role: "theory",
          }),
        ],
      },
    ],
  };
}

const cosine = (degrees: number): number => Math.cos((degrees * Math.PI) / 180);
