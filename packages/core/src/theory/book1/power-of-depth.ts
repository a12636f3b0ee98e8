import {
  tubeMeasure,
  tubeShare,
  tubeShareBound,
  unitBallVolume,
  unitVolumeRadius,
} from "../../approximate/radial/fourier-tubes.ts";
import {
  energyOutside,
  ridgeDistance,
  ridgeEnergyOutside,
  type TorusRidges,
} from "../../approximate/radial/torus-ridges.ts";
import type { Figure, Series } from "../../figure/figure.ts";
import { dot } from "../../linear-algebra/dot.ts";
import type { Random } from "../../numbers/random.ts";
import { atLeast, atMost, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";

export default lemma({
  id: "C1a-49",
  covers: ["C1a-49"],
  kind: "experiment",
  title: "Power of depth: tubes cover little of a sphere",
  source: "Book, chapter 1, Theorem 1.24, (1.30), (1.31), Figure 1.8",
  statement: String.raw`\operatorname{supp} \widehat{\Phi\varphi} \subset \bigcup_{j=1}^n (\operatorname{span}\{w_j\} + B_r(0)), \qquad \frac{|\text{tube} \cap \rho S^{d-1}|}{|\rho S^{d-1}|} = I_{(r/\rho)^2}\!\Big(\frac{d-1}{2}, \frac12\Big)`,
  parameters: {
    d: integer({ min: 2, max: 40, default: 10, label: "dimension" }),
    ratio: real({ min: 0.05, max: 0.9, default: 0.5, label: "r/ρ" }),
    n: integer({ min: 1, max: 6, default: 4, label: "neurons" }),
    ring: integer({ min: 5, max: 9, default: 8, label: "g's frequency on the grid" }),
    radius: integer({ min: 1, max: 3, default: 2, label: "r on the grid" }),
  },
  claims: {
    "share of a sphere in one tube": equals(String.raw`I_{(r/\rho)^2}((d-1)/2, 1/2)`),
    "share of one tube, at most": atMost(
      String.raw`2 (r/\rho)^{d-1} / \big((d-1) \sqrt{1 - (r/\rho)^2} \int_0^\pi \sin^{d-2}\big)`,
    ),
    "share of n tubes, at points": atMost(
      String.raw`n I_{(r/\rho)^2}((d-1)/2, 1/2) + \sqrt{\ln(1/\delta) / 2M}`,
    ).probable(),
    "mass of μ within R": equals(String.raw`1 - J_0^2 - 2 J_1^2 - \dots - 2 J_{d/2-1}^2 - J_{d/2}^2`),
    "energy of Φφ outside of the tubes, on the grid": equals("0"),
    "least squared distance of Φφ from gφ, on the grid": atLeast(
      String.raw`\text{share of the energy of } \widehat{g\varphi} \text{ outside of the tubes}`,
    ),
  },
  mutants: {
    "half of a tube": { "share of a sphere in one tube": (_, { theory }) => theory / 2 },
    "a dimension less": {
      "share of a sphere in one tube": ({ d, ratio }) => tubeShare(d + 1, ratio),
      "mass of μ within R": ({ d, ratio }) => tubeMeasure(d + 2, 1 / ratio),
    },
    "no cosine at the edge of the cap": {
      "share of one tube, at most": ({ ratio }, { theory }) => theory * Math.sqrt(1 - ratio ** 2),
    },
    "one tube counts for all": {
      "share of n tubes, at points": ({ d, ratio, n }, { theory }) => theory - (n - 1) * tubeShare(d, ratio),
    },
    "all of g is out of reach": { "least squared distance of Φφ from gφ, on the grid": () => 1 },
    "half of Φφ is outside": { "energy of Φφ outside of the tubes, on the grid": () => 0.5 },
  },
  async run({ d, ratio, n, ring, radius }, { random, budget, scale }) {
    const torus: TorusRidges = {
      grid: 32,
      radius,
      ring,
      directions: drawDirections(n, random.split("directions")),
    };
    const [points, delta] = [scale(20_000), 1e-9];
    const weights = random.split("weights").normal(64);
    return {
      ...(budget !== "cheap" && { figure: figure(ratio, n, random.split("figure")) }),
      table: {
        title: `tubes that half of a sphere of radius ${1 / ratio} r needs, at least`,
        columns: ["dimension", "r, for volume 1", "share of one tube", "tubes"],
        rows: [2, 3, 10, 30, 100, 784].map((k) => [
          k,
          unitVolumeRadius(k),
          tubeShare(k, ratio),
          Math.ceil(0.5 / tubeShare(k, ratio)),
        ]),
      },
      claims: {
        "share of a sphere in one tube": checked(shareByAngles(d, ratio), tubeShare(d, ratio), {
          tolerance: 1e-11 * tubeShare(d, ratio),
        }),
        "share of one tube, at most": checked(tubeShare(d, ratio), tubeShareBound(d, ratio)),
        "share of n tubes, at points": sampled(
          sharedPoints(d, ratio, n, points, random.split("sphere")),
          n * tubeShare(d, ratio) + Math.sqrt(Math.log(1 / delta) / (2 * points)),
          { delta },
        ),
        ...(d % 2 === 0 &&
          d <= 8 && {
            "mass of μ within R": checked(massByShells(d, 1 / ratio), tubeMeasure(d, 1 / ratio), {
              tolerance: 1e-9,
            }),
          }),
        "energy of Φφ outside of the tubes, on the grid": checked(ridgeEnergyOutside(torus, weights), 0, {
          // Sums of 1024 terms, each rounded, squared.
          tolerance: (1024 * 2 ** -50) ** 2 * 1024,
        }),
        "least squared distance of Φφ from gφ, on the grid": checked(
          await ridgeDistance(torus),
          energyOutside(torus),
          { tolerance: 1e-9 },
        ),
      },
    };
  },
});

/** Whole directions without a common factor, none the negative of another, in random order. */
function drawDirections(n: number, random: Random): readonly (readonly [number, number])[] {
  const all: (readonly [number, number])[] = [
    ...[
      [1, 0],
      [0, 1],
      [1, 1],
      [1, -1],
      [1, 2],
      [2, 1],
      [1, -2],
      [2, -1],
    ],
    ...[
      [1, 3],
      [3, 1],
      [1, -3],
      [3, -1],
      [2, 3],
      [3, 2],
      [2, -3],
      [3, -2],
    ],
  ].map(([a, b]) => [a!, b!] as const);
  return random.shuffle(all).slice(0, n);
}

/** By Simpson's rule over the angle to the line, in pieces of its own. */
function shareByAngles(d: number, ratio: number): number {
  const edge = Math.asin(ratio);
  const over = (end: number): number => {
    const pieces = 20_000; // (d / pieces)^4 d / 180 of the value is lost: 10^-12
    let sum = 0;
    for (let k = 0; k <= pieces; k++)
      sum += (k === 0 || k === pieces ? 1 : k % 2 === 1 ? 4 : 2) * Math.sin((end * k) / pieces) ** (d - 2);
    return (sum * end) / (3 * pieces);
  };
  return over(edge) / over(Math.PI / 2);
}

function sharedPoints(d: number, ratio: number, n: number, points: number, random: Random): number {
  const lines = Array.from({ length: n }, (_, j) => random.split(`line ${j}`).sphere(d));
  const least = 1 - ratio ** 2;
  let hits = 0;
  for (let k = 0; k < points; k++) {
    const u = random.sphere(d);
    if (lines.some((w) => dot(w, u) ** 2 >= least)) hits++;
  }
  return hits / points;
}

/** phi(s) as the ball's slices across a line, each with its wave; its square over shells. */
function massByShells(d: number, R: number): number {
  const r = unitVolumeRadius(d);
  const slices = Math.ceil(2 * Math.PI * r * R) + d + 60;
  const factor = unitBallVolume(d - 1) * r ** d * (Math.PI / slices);
  const phi = (s: number): number => {
    let sum = 0;
    for (let k = 0; k < slices; k++) {
      const theta = (Math.PI * k) / slices;
      sum += Math.cos(2 * Math.PI * s * r * Math.sin(theta)) * Math.cos(theta) ** d;
    }
    return factor * sum;
  };
  const shells = 2 * Math.ceil(300 * R); // phi^2 has waves of 2 r: (4 pi r / 600)^4 / 180 is 10^-10 of their height
  let sum = 0;
  for (let k = 0; k <= shells; k++) {
    const s = (R * k) / shells;
    sum += (k === 0 || k === shells ? 1 : k % 2 === 1 ? 4 : 2) * phi(s) ** 2 * s ** (d - 1);
  }
  return (d * unitBallVolume(d) * sum * R) / (3 * shells);
}

const circle = (radius: number): readonly (readonly [number, number])[] =>
  Array.from({ length: 121 }, (_, k) => {
    const angle = (2 * Math.PI * k) / 120;
    return [radius * Math.cos(angle), radius * Math.sin(angle)] as const;
  });

function figure(ratio: number, n: number, random: Random): Figure {
  const r = unitVolumeRadius(2);
  const ends = 1.6 * (r / ratio);
  const lines = Array.from({ length: n }, (_, j) => random.split(`${j}`).sphere(2));
  const edges: Series[] = lines.map(([a, b], j) => ({
    name: `tube ${j + 1}`,
    mark: "line",
    points: [
      [r * -b! - ends * a!, r * a! - ends * b!],
      [r * -b! + ends * a!, r * a! + ends * b!],
      [r * b! + ends * a!, -r * a! + ends * b!],
      [r * b! - ends * a!, -r * a! - ends * b!],
      [r * -b! - ends * a!, r * a! - ends * b!],
    ],
  }));
  const dimensions = Array.from({ length: 39 }, (_, k) => k + 2);
  return {
    title: "Two layers reach tubes of frequencies only",
    panels: [
      {
        title: `Figure 1.8: ${n} neurons in the plane`,
        x: { label: "ξ₁" },
        y: { label: "ξ₂" },
        series: [
          ...edges,
          { name: "ball of volume 1", mark: "line", points: circle(r) },
          { name: "frequency ρ", mark: "line", points: circle(r / ratio), role: "theory" },
        ],
      },
      {
        title: "Tubes that half of a sphere needs",
        x: { label: "dimension" },
        y: { label: "tubes", scale: "log" },
        series: [
          {
            name: `ρ = ${Number((1 / ratio).toPrecision(3))} r, at least`,
            mark: "line",
            role: "theory",
            points: dimensions.map((d) => [d, Math.max(1, 0.5 / tubeShare(d, ratio))] as const),
          },
        ],
      },
    ],
  };
}
