// The figure of P-08: units by leaves, next to what the theorem counts for shallow and for deep networks.
import { deepUnits, shallowUnits } from "../../compile/theory/approximation-degree.ts";
import type { Figure, Panel } from "../../figure/figure.ts";

export interface TreeSizes {
  readonly leaves: number;
  readonly units: number;
  readonly weights: number;
}

const node = { arity: 2, smoothness: 2 };
/** Beyond this the curve of shallow networks would hide all others. */
const mostDrawn = 1e12;

/**
 * With an error of 4^-m (1 + eps)^2 at every node, 1 + e_{h+1} <= (1 + 4^-m (1 + eps)^2) (1 + e_h)^2; hence e <= eps when
 * 2 (n - 1) 4^-m (1 + eps)^2 <= eps. A node takes 2 m units: a product by two squares, or two squares.
 * @example treeUnitBound(2, 0.01) // 8
 */
export const treeUnitBound = (n: number, eps: number): number =>
  2 * (n - 1) * Math.ceil(Math.log((2 * (n - 1) * (1 + eps) ** 2) / eps) / Math.log(4));

export function treeFigure(name: string, eps: number, found: readonly TreeSizes[]): Figure {
  const leaves = found.map((t) => t.leaves);
  const nodes = (n: number) => Array.from({ length: n - 1 }, () => node);
  const dimensions = Array.from({ length: Math.max(...leaves) - 1 }, (_, k) => k + 2);
  const counts: Panel = {
    title: `Units for an error of ${eps}`,
    x: { label: "leaves n", scale: "log" },
    y: { label: "units", scale: "log" },
    series: [
      { name: "compiled, certified", mark: "dots", points: found.map((t) => [t.leaves, t.units]) },
      {
        name: "theory, deep: (n-1) ε^(-2/m), m = 2",
        mark: "line",
        role: "theory",
        points: leaves.map((n) => [n, deepUnits(nodes(n), eps)]),
      },
      {
        name: "theory, shallow: ε^(-n/m)",
        mark: "line",
        role: "theory",
        points: dimensions
          .map((n) => [n, shallowUnits(n, [node], eps)] as const)
          .filter(([, units]) => units <= mostDrawn),
      },
    ],
  };
  const each: Panel = {
    title: "Units at each node",
    x: { label: "leaves n", scale: "log" },
    y: { label: "units / (n - 1)" },
    series: [
      { name: "compiled", mark: "dots", points: found.map((t) => [t.leaves, t.units / (t.leaves - 1)]) },
      {
        name: "2 ⌈log_4(2 (n-1) (1+ε)² / ε)⌉",
        mark: "line",
        role: "theory",
        points: dimensions.map((n) => [n, treeUnitBound(n, eps) / (n - 1)]),
      },
    ],
  };
  return { title: `Binary trees, ${name} at every node`, panels: [counts, each] };
}
