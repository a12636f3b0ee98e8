import type { Figure } from "../../figure/figure.ts";
import type { Random } from "../../numbers/random.ts";
import { gridFourier, inverseGridFourier } from "../../scattering/fourier.ts";
import {
  atomDensity,
  type Point,
  type SolidHarmonicCoefficient,
  solidHarmonicFilters,
  solidHarmonicScattering,
  solidHarmonics,
} from "../../scattering/solid-harmonics.ts";
import { checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";
import { distance, norm } from "./signals.ts";

/** Odd, so that quarter turns about the origin are exact. */
const n = 13;

export default lemma({
  id: "C8-38",
  covers: ["C8-38"],
  kind: "algorithm",
  title: "Solid harmonic scattering: invariants of a density that is moved and turned in space",
  source: "Book, chapter 8, section 8.5.2, Figure 8.13",
  statement: String.raw`\psi_{\ell, m}(u) = (2 \pi)^{-3/2} e^{-|u|^2 / 2} |u|^\ell Y_\ell^m(u / |u|), \quad U[j, \ell] \rho(u) = \Bigl(\sum_m |\rho \star \psi_{j, \ell, m}(u)|^2\Bigr)^{1/2}, \quad S[j, \ell, q] \rho = \int U[j, \ell] \rho(u)^q du`,
  parameters: {
    l: integer({ min: 0, max: 3, default: 2, label: "degree ℓ" }),
    atoms: integer({ min: 1, max: 4, default: 3, label: "atoms" }),
    width: real({ min: 1, max: 1.2, default: 1, label: "width of an atom" }),
    shift: integer({ min: 0, max: 12, default: 4, label: "shift" }),
  },
  claims: {
    "Σ_m of the squares of the solid harmonics at a point": equals(
      String.raw`(2 \ell + 1) |u|^{2 \ell} / 4 \pi`,
    ),
    "S of a density that is turned by 90° and shifted, relative deviation": equals("0"),
    "Σ U[0, ℓ]² of one atom": equals(
      String.raw`z^2 \frac{2 \ell + 1}{8 \pi^3} \frac{\Gamma(\ell + 3/2)}{2 (1 + w^2)^{\ell + 3/2}}`,
    ),
    "S[0, ℓ, 2] of atoms that are turned by any rotation, relative deviation": equals("0"),
    "values of U[0, ℓ] that a turned density has, by the printed formula, relative deviation": equals(
      "0",
    ).printed({
      where: "Figure 8.13",
      printed: String.raw`Solid harmonic wavelet moduli  $S[j, l, 1](\rho x)(u) = |\rho x \star \psi_j|(u)$  for a molecule`,
      corrected: String.raw`$(\sum_m |\rho \star \psi_{j, \ell, m}|^2)^{1/2}(u)$, of which $S$ is the integral: one $m$ alone does not turn with the molecule`,
    }),
  },
  mutants: {
    "another degree": ({ l }) => ({ l: l === 3 ? 0 : l + 1 }),
    "a hundredth more": { "Σ U[0, ℓ]² of one atom": (_, { theory }) => theory * 1.01 },
    "invariants that see a turn": {
      "S of a density that is turned by 90° and shifted, relative deviation": () => 0.01,
    },
  },
  run({ l, atoms, width, shift }, { random, budget }) {
    const u = [random.normal(), random.normal(), random.normal()] as const;
    const squares = solidHarmonics(l, u).reduce((sum, v) => sum + v * v, 0);
    const size = u[0] ** 2 + u[1] ** 2 + u[2] ** 2;
    const molecule = drawnMolecule(random, atoms);
    const rho = atomDensity(molecule, n, width);
    const turned = quarterTurn(rho, shift);
    const options = { scale: 1, degree: 1 };
    const [S, St] = [rho, turned].map((d) => values(solidHarmonicScattering(d, n, options)));
    const charge = 1 + random.uniform();
    const place = [random.normal(), random.normal(), random.normal()] as const;
    const single = squareOf(atomDensity([{ place, charge }], n, width), l);
    const theory =
      (charge ** 2 * (2 * l + 1) * gammaHalf(l + 1)) /
      (2 * (2 * Math.PI) ** 3 * (1 + width ** 2) ** (l + 1.5));
    const rotation = drawnRotation(random);
    const other = molecule.map((atom) => ({ ...atom, place: rotated(rotation, atom.place) }));
    const [before, after] = [squareOf(rho, l), squareOf(atomDensity(other, n, width), l)];
    // Of the integral over all frequencies the grid leaves out those beyond pi, and its sums are copies of correlations at
    // distances n, for two atoms less than that by what is between them: both are tails of Gaussians, of which the second
    // goes with a Laguerre polynomial of degree l.
    const spread = 1 + width ** 2;
    const tail =
      (20 * Math.exp(-spread * Math.PI ** 2) * (spread * Math.PI ** 2) ** (l + 1)) / gammaHalf(l + 1);
    const copies = (gap: number): number => {
      const t = gap ** 2 / 4 / spread;
      let [sum, term] = [0, 1];
      for (let k = 0; k <= l; k++) {
        sum += term;
        term *= (t * (l - k)) / (k + 1) / (k + 1.5);
      }
      return 8 * Math.exp(-t) * sum;
    };
    const charges = molecule.reduce((sum, atom) => sum + Math.abs(atom.charge), 0) ** 2;
    const one = (d: Float64Array): Float64Array => firstModulus(d, l);
    return {
      ...(budget !== "cheap" && { figure: figure(random.split("figure")) }),
      claims: {
        "Σ_m of the squares of the solid harmonics at a point": checked(
          squares,
          ((2 * l + 1) * size ** l) / (4 * Math.PI),
          { tolerance: 1e-12 * size ** l },
        ),
        "S of a density that is turned by 90° and shifted, relative deviation": checked(
          distance(S!, St!) / norm(S!),
          0,
          // Roots of U where it is nearly 0 keep half of the digits.
          { tolerance: 1e-7 },
        ),
        "Σ U[0, ℓ]² of one atom": checked(single, theory, { tolerance: (tail + copies(n)) * theory }),
        "S[0, ℓ, 2] of atoms that are turned by any rotation, relative deviation": checked(
          (after - before) / before,
          0,
          { tolerance: ((tail + copies(n - 2 * atomReach)) * charges * theory) / charge ** 2 / before },
        ),
        ...(l > 0 && {
          "values of U[0, ℓ] that a turned density has, by the printed formula, relative deviation": checked(
            distance(one(turned), quarterTurn(one(rho), shift)) / norm(one(rho)),
            0,
            { tolerance: 1e-9 },
          ),
        }),
      },
    };
  },
});

/** Atoms lie within this distance of the origin. */
const atomReach = 1.5;

interface Atom {
  readonly place: Point;
  readonly charge: number;
}

const drawnMolecule = (random: Random, atoms: number): readonly Atom[] =>
  Array.from({ length: atoms }, () => {
    const [x, y, z] = random.sphere(3);
    const r = atomReach * random.uniform();
    return { place: [r * x!, r * y!, r * z!], charge: 1 + random.uniform() };
  });

const values = (all: readonly SolidHarmonicCoefficient[]): Float64Array =>
  Float64Array.from(all, ({ value }) => value);

/** sum over u and m of |rho * psi_(0,l,m)(u)|^2, by frequencies. */
function squareOf(density: Float64Array, l: number): number {
  const { re, im } = gridFourier([n, n, n], density);
  return solidHarmonicFilters(n, 0, l).reduce(
    (total, filter) =>
      total + filter.reduce((sum, h, k) => sum + h * h * (re[k]! ** 2 + im[k]! ** 2), 0) / n ** 3,
    0,
  );
}

/** |rho * psi_(0,l,m)| for m = l alone. */
function firstModulus(density: Float64Array, l: number): Float64Array {
  const { re, im } = gridFourier([n, n, n], density);
  const filter = solidHarmonicFilters(n, 0, l).at(-1)!;
  const back = inverseGridFourier([n, n, n], {
    re: re.map((v, k) => v * filter[k]!),
    im: im.map((v, k) => v * filter[k]!),
  });
  return back.re.map((v, k) => Math.hypot(v, back.im[k]!));
}

/** (x, y, z) -> (z, x, y) turned further by 90° about an axis, then shifted along the first. */
const quarterTurn = (d: Float64Array, shift: number): Float64Array =>
  Float64Array.from(d, (_, u) => {
    const [x, y, z] = [Math.floor(u / n / n), Math.floor(u / n) % n, u % n];
    const from = [(z + n - (shift % n)) % n, (n - x) % n, (n - y) % n] as const;
    return d[(from[0] * n + from[1]) * n + from[2]]!;
  });

/** Gamma(k + 1/2). */
function gammaHalf(k: number): number {
  let value = Math.sqrt(Math.PI);
  for (let i = 0; i < k; i++) value *= i + 0.5;
  return value;
}

type Rotation = readonly [a: number, b: number, c: number, d: number];
const drawnRotation = (random: Random): Rotation => [...random.sphere(4)] as unknown as Rotation;

/** By a unit quaternion. */
const rotated = ([a, b, c, d]: Rotation, [x, y, z]: Point): Point => [
  (a * a + b * b - c * c - d * d) * x + 2 * (b * c - a * d) * y + 2 * (b * d + a * c) * z,
  2 * (b * c + a * d) * x + (a * a - b * b + c * c - d * d) * y + 2 * (c * d - a * b) * z,
  2 * (b * d - a * c) * x + 2 * (c * d + a * b) * y + (a * a - b * b - c * c + d * d) * z,
];

/** Two atoms that come apart, and three that are turned. */
function figure(random: Random): Figure {
  const gaps = [0, 0.5, 1, 1.5, 2, 2.5, 3];
  const pair = (gap: number): Float64Array =>
    atomDensity(
      [-1, 1].map((side) => ({ place: [(side * gap) / 2, 0, 0] as const, charge: 1 })),
      n,
      1,
    );
  const molecule = drawnMolecule(random, 3);
  const turns = Array.from({ length: 13 }, (_, k) => (Math.PI * k) / 12);
  const spun = turns.map((angle) =>
    atomDensity(
      molecule.map((atom) => ({
        ...atom,
        place: rotated([Math.cos(angle / 2), 0, Math.sin(angle / 2), 0], atom.place),
      })),
      n,
      1,
    ),
  );
  const degrees = [0, 1, 2, 3];
  const line = (name: string, points: readonly (readonly [number, number])[]) => ({
    ...{ name, mark: "line" as const, points },
  });
  return {
    title: "Invariants Σ U[0, ℓ]² of atoms",
    panels: [
      {
        title: "Two atoms that come apart",
        x: { label: "distance" },
        y: { label: "over that of them in one place" },
        series: degrees.map((l) => {
          const start = squareOf(pair(0), l);
          return line(
            `ℓ = ${l}`,
            gaps.map((gap) => [gap, squareOf(pair(gap), l) / start] as const),
          );
        }),
      },
      {
        title: "Three atoms that are turned",
        x: { label: "angle" },
        y: { label: "relative change", scale: "log" },
        series: degrees.map((l) => {
          const start = squareOf(spun[0]!, l);
          return line(
            `ℓ = ${l}`,
            spun.map((d, k) => [turns[k]!, Math.max(1e-16, Math.abs(squareOf(d, l) / start - 1))] as const),
          );
        }),
      },
    ],
  };
}
