import type { Figure, Panel } from "../../figure/figure.ts";

const [x, y] = [1.5, 2];
const parts = Array.from({ length: 101 }, (_, k) => k / 100);

/** The terms of x y at references (a(t), b(t)). */
function panel(title: string, at: (t: number) => readonly [number, number]): Panel {
  const curve = (value: (a: number, b: number) => number) =>
    parts.map((t): [number, number] => [t, value(...at(t))]);
  return {
    title,
    x: { label: "t" },
    y: { label: "part of x · y" },
    series: [
      { name: "relevance of x", mark: "line", points: curve((a, b) => (x - a) * b) },
      { name: "relevance of y", mark: "line", points: curve((a, b) => (y - b) * a) },
      { name: "zeroth order", mark: "line", points: curve((a, b) => a * b) },
      { name: "remainder", mark: "line", points: curve((a, b) => (x - a) * (y - b)) },
      { name: "x · y", mark: "line", role: "theory", points: curve(() => x * y) },
    ],
  };
}

/** f(x, y) = x y has no reference that shares it fairly and leaves nothing over. */
export const figure = (): Figure => ({
  title: `x · y = ${x * y} by references on three ways`,
  panels: [
    panel("reference t (x, y)", (t) => [t * x, t * y]),
    panel("roots (0, t y)", (t) => [0, t * y]),
    panel("roots (t x, 0)", (t) => [t * x, 0]),
  ],
});
