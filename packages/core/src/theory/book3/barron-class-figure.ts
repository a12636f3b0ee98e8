// The figure of C3-08: L2 errors by the number of units, with the theorem's lines.
import type { SpectralFunction } from "../../approximate/barron/spectral-function.ts";
import type { Figure, Series } from "../../figure/figure.ts";

type Course = readonly (readonly [number, number])[];

interface Courses {
  readonly drawn: Course;
  readonly plain: Course;
  readonly cells: Course;
  readonly relaxed: Course;
  readonly orthogonal: Course;
}

/** The power law with this exponent through the first point. */
const through = (name: string, course: Course, exponent: number): Series => {
  const [n0, e0] = course[0]!;
  return {
    name,
    mark: "line",
    role: "theory",
    points: course.map(([n]) => [n, e0 * (n / n0) ** exponent] as const),
  };
};

export function barronClassFigure(
  f: SpectralFunction,
  sigma: "threshold" | "relu",
  courses: Courses,
): Figure {
  const d = f.dimension;
  const gain = sigma === "relu" ? d : 2 * d;
  const axes = {
    x: { label: "units N", scale: "log" as const },
    y: { label: "L² error", scale: "log" as const },
  };
  const { drawn, plain, cells, relaxed, orthogonal } = courses;
  return {
    title: `${f.formula}, d = ${d}: networks of N ${sigma === "relu" ? "ReLUs" : "thresholds"}`,
    panels: [
      {
        title: "Drawn, and one from each of N cells",
        ...axes,
        series: [
          { name: "N/2 pairs straight from f, root mean square", mark: "dots", points: drawn },
          { name: "independent draws, exact expectation", mark: "dots", points: plain },
          through("theory: N^(-1/2)", plain, -1 / 2),
          { name: "one from each cell, exact expectation", mark: "dots", points: cells },
          through(`theory: N^(-1/2 - 1/${gain})`, cells, -1 / 2 - 1 / gain),
        ],
      },
      {
        title: "Chosen greedily",
        ...axes,
        series: [
          { name: "relaxed greedy", mark: "dots", points: relaxed },
          { name: "orthogonal greedy", mark: "dots", points: orthogonal },
          through("theory: N^(-1/2)", relaxed, -1 / 2),
        ],
      },
    ],
  };
}
