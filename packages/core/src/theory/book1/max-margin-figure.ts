// What the flow of the smoothed margin looks like in the plane.

import type { HardMargin } from "../../dynamics/hard-margin.ts";
import { marginOf } from "../../dynamics/max-margin.ts";
import type { FlowState } from "../../dynamics/runge-kutta.ts";
import type { Figure, Panel, Series } from "../../figure/figure.ts";

type Points = readonly (readonly number[])[];
type Segment = readonly (readonly [number, number])[];

const length = (v: ArrayLike<number>): number => Math.hypot(v[0]!, v[1]!);

/** The line through 0 that a vector separates by, and its parallels at a distance, within a radius. */
function boundary(normal: ArrayLike<number>, radius: number, offset = 0): Segment {
  const [a, b] = [normal[0]! / length(normal), normal[1]! / length(normal)];
  const reach = Math.sqrt(Math.max(0, radius ** 2 - offset ** 2));
  return [-reach, reach].map((s) => [offset * a - s * b, offset * b + s * a] as const);
}

/** Data and boundaries, the margin over time, and the angle over time. */
export function marginFigure(points: Points, best: HardMargin, path: readonly FlowState[]): Figure {
  return {
    title: `Gradient flow finds the greatest margin, ${best.margin.toPrecision(3)}`,
    panels: [data(points, best, path), margins(points, best, path), angles(points, best, path)],
  };
}

function data(points: Points, best: HardMargin, path: readonly FlowState[]): Panel {
  const radius = 1.1 * Math.max(...points.map(length));
  // Every other example is of class -1: y_i x_i = z_i.
  const signed = points.map((z, i) => ({ sign: i % 2 === 0 ? 1 : -1, z }));
  const ofClass = (sign: number): Series => ({
    name: `class ${sign > 0 ? "+1" : "-1"}`,
    mark: "dots",
    points: signed.filter((p) => p.sign === sign).map(({ z }) => [sign * z[0]!, sign * z[1]!]),
  });
  const early = path[1]!;
  return {
    title: "Boundaries",
    x: { label: "x₁" },
    y: { label: "x₂" },
    series: [
      ofClass(1),
      ofClass(-1),
      {
        name: "flow at its start: the mean of y x",
        mark: "line",
        points: boundary(early.state, radius),
      },
      {
        name: `flow, t = ${path.at(-1)!.t}`,
        mark: "line",
        points: boundary(path.at(-1)!.state, radius),
      },
      {
        name: "support vector machine",
        mark: "line",
        role: "theory",
        points: boundary(best.direction, radius),
      },
      ...[1, -1].map(
        (sign): Series => ({
          name: `its margin, side ${sign > 0 ? "+1" : "-1"}`,
          mark: "line",
          role: "theory",
          points: boundary(best.direction, radius, sign * best.margin),
        }),
      ),
    ],
  };
}

const later = (path: readonly FlowState[]): readonly FlowState[] => path.filter(({ t }) => t > 0.05);

function margins(points: Points, best: HardMargin, path: readonly FlowState[]): Panel {
  const states = later(path);
  const lower = ({ t, state }: FlowState) =>
    [t, best.margin - Math.log(points.length) / length(state)] as const;
  return {
    title: "Margin of θ/|θ|",
    x: { label: "time t", scale: "log" },
    y: { label: "margin" },
    series: [
      {
        name: "gradient flow",
        mark: "line",
        points: states.map(({ t, state }) => [t, marginOf(points, state) / length(state)]),
      },
      {
        name: "greatest margin",
        mark: "line",
        role: "theory",
        points: states.map(({ t }) => [t, best.margin]),
      },
      {
        name: "less ln(m)/|θ|: proved lower bound",
        mark: "line",
        role: "theory",
        points: states.map(lower).filter(([, v]) => v > -best.margin),
      },
    ],
  };
}

function angles(points: Points, best: HardMargin, path: readonly FlowState[]): Panel {
  const [a, b] = best.direction as [number, number];
  const angle = ({ t, state }: FlowState) =>
    [t, Math.abs(Math.atan2(a * state[1]! - b * state[0]!, a * state[0]! + b * state[1]!))] as const;
  const states = later(path);
  return {
    title: "Angle to the support vector machine",
    x: { label: "time t, about the logarithm of plain gradient flow's", scale: "log" },
    y: { label: "angle", scale: "log" },
    series: [
      { name: "gradient flow", mark: "line", points: states.map(angle).filter(([, v]) => v > 1e-12) },
      {
        name: "at most: cos ≥ 1 - ln(m)/(γ*|θ|)",
        mark: "line",
        role: "theory",
        points: states.flatMap(({ t, state }) => {
          const cosine = 1 - Math.log(points.length) / (best.margin * length(state));
          return cosine > -1 ? [[t, Math.acos(cosine)] as const] : [];
        }),
      },
    ],
  };
}
