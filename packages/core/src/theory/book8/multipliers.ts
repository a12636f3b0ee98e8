import type { Figure } from "../../figure/figure.ts";
import { symmetricEigen } from "../../linear-algebra/symmetric-eigen.ts";
import type { Random } from "../../numbers/random.ts";
import { energy } from "../../scattering/energy.ts";
import type { FilterBank } from "../../scattering/filter-bank.ts";
import { propagate, type Scattered } from "../../scattering/propagate.ts";
import {
  type LaplaceBasis,
  multiplied,
  spectralBank,
  spectralScattering,
} from "../../scattering/spectral-scattering.ts";
import { atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer } from "../parameter.ts";
import { graphNames, reordered, type Weights, weightsOf } from "./graphs.ts";
import { distance, norm } from "./signals.ts";

const rounding = 1e-11;

export default lemma({
  id: "C8-46",
  covers: ["C8-46"],
  kind: "algorithm",
  title: "Scattering with functions of a Laplacian: manifolds, meshes, graphs",
  source: "Book, chapter 8, section 8.5.4, (8.50)",
  statement: String.raw`T_\eta x = \sum_k \eta(\lambda_k) \langle x, \varphi_k \rangle \varphi_k, \quad \eta_j(\lambda)^2 = e^{-2^j \lambda} - e^{-2^{j+1} \lambda}: \qquad \|x\|^2 = \sum_{|p| < m} \|S[p] x\|^2 + \sum_{|p| = m} \|U[p] x\|^2`,
  parameters: {
    n: integer({ min: 4, max: 12, default: 9, label: "vertices" }),
    graph: choice(graphNames, { label: "graph" }),
    J: integer({ min: 0, max: 3, default: 2, label: "scale J" }),
    finest: integer({ min: -3, max: 0, default: -1, label: "finest scale" }),
  },
  claims: {
    "η²(low) + Σ η_j² - 1, greatest": equals("0"),
    "|x|² less the energies of orders 0 and 1 and of what goes on": equals("0"),
    "Δ T_η x, against T_η Δ x": equals("0"),
    "|S x - S y| / |x - y|": atMost("1"),
    "S of the same graph and signal in another order, deviation": equals("0"),
    "S on a ring by another basis of each eigenspace, deviation": equals("0"),
    "S on a ring, against convolutions by the Fourier transform": equals("0"),
    "a map of the ring that commutes with Δ, against its product with a shift the other way": equals(
      "0",
    ).printed({
      where: "sect. 8.5.4",
      printed: String.raw`can be seen as linear operators that diagonalize in the Fourier basis or equivalently that commute with the Laplacian operator.`,
      corrected: String.raw`diagonal operators commute with $\Delta$, but not the other way round: the mirror $x(-u)$ does, and is no convolution, since eigenvalues are multiple`,
    }),
  },
  mutants: {
    "an average at the next scale": {
      "η²(low) + Σ η_j² - 1, greatest": () => 0.1,
    },
    "a wavelet lost": {
      "|x|² less the energies of orders 0 and 1 and of what goes on": () => 0.1,
    },
    "a transform that halves distances": { "|S x - S y| / |x - y|": () => 0.5 },
  },
  run({ n, graph, J, finest }, { random, budget }) {
    const weights = weightsOf(graph, n, random);
    const basis = basisOf(weights);
    const options = { scale: J, finest };
    const { low, wavelets } = spectralBank(basis.values, options);
    const sums = low.map((v, k) => wavelets.reduce((sum, eta) => sum + eta[k]! ** 2, v * v));
    const x = random.normal(n);
    const y = random.integer(0, 1) === 0 ? x.map((v) => v + 1) : random.normal(n);
    const [Sx, Sy] = [spectralScattering(basis, x, options), spectralScattering(basis, y, options)];
    const of = (all: readonly Scattered[], part: "propagated" | "averaged", m: number): number =>
      all.reduce((sum, path) => sum + (path.wavelets.length === m ? energy(path[part]) : 0), 0);
    const rest = energy(x) - of(Sx, "averaged", 0) - of(Sx, "averaged", 1) - of(Sx, "propagated", 2);
    const laplacian = laplacianOf(weights);
    const applied = (z: Float64Array): Float64Array =>
      Float64Array.from(laplacian, (row) => row.reduce((sum, v, j) => sum + v * z[j]!, 0));
    const eta = wavelets.at(-1)!;
    const order = random.permutation(n);
    const moved = spectralScattering(
      basisOf(reordered(weights, order)),
      Float64Array.from(order, (i) => x[i]!),
      options,
    );
    const places = moved.map(({ averaged }, p) =>
      distance(
        averaged,
        Array.from(order, (i) => Sx[p]!.averaged[i]!),
      ),
    );
    const ring = ringBasis(n, 0);
    const [one, turned] = [0, 1 + random.uniform()].map((angle) =>
      spectralScattering(ringBasis(n, angle), x, options),
    );
    const byFourier = propagate(x, ringBank(n, options), { paths: "all" });
    const mirror = (z: Float64Array): Float64Array => z.map((_, u) => z[(n - u) % n]!);
    const shifted = (z: Float64Array): Float64Array => z.map((_, u) => z[(u + 1) % n]!);
    const ringLaplacian = (z: Float64Array): Float64Array => multiplied(ring, ring.values, z);
    const commutes = distance(ringLaplacian(mirror(x)), mirror(ringLaplacian(x))) <= rounding * 4 * norm(x);
    const tolerance = rounding * (1 + norm(x)) ** 2;
    const greatest = (a: readonly Scattered[], b: readonly Scattered[]): number =>
      Math.max(...a.map(({ averaged }, p) => distance(averaged, b[p]!.averaged)));
    return {
      ...(budget !== "cheap" && { figure: figure(random.split("figure")) }),
      claims: {
        "η²(low) + Σ η_j² - 1, greatest": checked(Math.max(...sums.map((v) => Math.abs(v - 1))), 0, {
          tolerance: 1e-14,
        }),
        "|x|² less the energies of orders 0 and 1 and of what goes on": checked(rest, 0, { tolerance }),
        "Δ T_η x, against T_η Δ x": checked(
          distance(applied(multiplied(basis, eta, x)), multiplied(basis, eta, applied(x))),
          0,
          { tolerance: tolerance * 2 * n },
        ),
        "|S x - S y| / |x - y|": checked(
          Math.sqrt(Sx.reduce((sum, { averaged }, p) => sum + distance(averaged, Sy[p]!.averaged) ** 2, 0)) /
            distance(x, y),
          1,
          { tolerance: rounding },
        ),
        "S of the same graph and signal in another order, deviation": checked(Math.max(...places), 0, {
          tolerance,
        }),
        "S on a ring by another basis of each eigenspace, deviation": checked(greatest(one!, turned!), 0, {
          tolerance,
        }),
        "S on a ring, against convolutions by the Fourier transform": checked(greatest(one!, byFourier), 0, {
          tolerance,
        }),
        ...(commutes && {
          "a map of the ring that commutes with Δ, against its product with a shift the other way": checked(
            distance(shifted(mirror(x)), mirror(shifted(x))),
            0,
            { tolerance },
          ),
        }),
      },
    };
  },
});

const laplacianOf = (weights: Weights): readonly (readonly number[])[] =>
  weights.map((row, i) =>
    row.map((w, j) => (i === j ? row.reduce((sum, v, k) => sum + (k === i ? 0 : v), 0) : -w)),
  );

function basisOf(weights: Weights): LaplaceBasis {
  const { values, vectors } = symmetricEigen(laplacianOf(weights));
  // 0 is an eigenvalue, of which rounding leaves a little: roots of it would be 1e-8.
  const least = weights.length * 2 ** -50 * Math.max(...values);
  return { values: Array.from(values, (v) => (v <= least ? 0 : v)), vectors };
}

/** Cosines and sines of a ring, each pair turned by an angle: lambda = 2 - 2 cos w. */
function ringBasis(n: number, angle: number): LaplaceBasis {
  const [values, vectors] = [[] as number[], [] as Float64Array[]];
  for (let f = 0; 2 * f <= n; f++) {
    const w = (2 * Math.PI * f) / n;
    const isSingle = f === 0 || 2 * f === n;
    for (const phase of isSingle ? [0] : [angle, angle + Math.PI / 2]) {
      values.push(2 - 2 * Math.cos(w));
      vectors.push(
        Float64Array.from(
          { length: n },
          (_, u) => Math.cos(w * u + phase) * Math.sqrt((isSingle ? 1 : 2) / n),
        ),
      );
    }
  }
  return { values, vectors };
}

/** The same multipliers as filters of the ring. */
function ringBank(n: number, options: { readonly scale: number; readonly finest: number }): FilterBank {
  const { low, wavelets } = spectralBank(
    Array.from({ length: n }, (_, k) => 2 - 2 * Math.cos((2 * Math.PI * k) / n)),
    options,
  );
  return {
    ...{ kind: "battle-lemarie", shape: [n], scale: options.scale, average: 2 ** options.scale },
    lowPass: { re: low },
    wavelets: wavelets.map((re, j) => ({ re, j, xi: 0 })),
  };
}

/** Multipliers over the spectrum of a torus, and where the energy of a signal on it goes. */
function figure(random: Random): Figure {
  const values = Array.from({ length: 121 }, (_, k) => k / 15);
  const { low, wavelets } = spectralBank(values, { scale: 3, finest: -1 });
  const side = 8;
  const weights = Array.from({ length: side * side }, (_, u) =>
    Array.from({ length: side * side }, (__, v) => {
      const gaps = [Math.floor(u / side) - Math.floor(v / side), (u % side) - (v % side)].map((d) => {
        const wrapped = ((d % side) + side) % side;
        return Math.min(wrapped, side - wrapped);
      });
      return gaps[0]! + gaps[1]! === 1 ? 1 : 0;
    }),
  );
  const basis = basisOf(weights);
  const signals = [
    { name: "noise", x: random.normal(side * side) },
    { name: "one vertex", x: Float64Array.from({ length: side * side }, (_, u) => (u === 9 ? 1 : 0)) },
    {
      name: "half of the torus",
      x: Float64Array.from({ length: side * side }, (_, u) => (u % side < side / 2 ? 1 : -1)),
    },
  ];
  return {
    title: "Functions of a Laplacian",
    panels: [
      {
        title: "Multipliers: their squares sum to 1",
        x: { label: "λ" },
        y: { label: "η²" },
        series: [low, ...wavelets].map((eta, j) => ({
          ...{ name: j === 0 ? "low" : `η ${j - 1}`, mark: "line" as const },
          points: values.map((v, k) => [v, eta[k]! ** 2] as const),
        })),
      },
      {
        title: "Energy that goes on, torus of 8 x 8",
        x: { label: "order m" },
        y: { label: "share of |x|²" },
        series: signals.map(({ name, x }) => {
          const all = spectralScattering(basis, x, { scale: 2, finest: -1 });
          return {
            ...{ name, mark: "line" as const },
            points: [0, 1, 2].map((m) => {
              const on = all.reduce(
                (sum, { wavelets: path, propagated }) => sum + (path.length === m ? energy(propagated) : 0),
                0,
              );
              return [m, on / energy(x)] as const;
            }),
          };
        }),
      },
    ],
  };
}
