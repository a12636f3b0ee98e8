import type { Figure } from "../../figure/figure.ts";
import { symmetricEigen } from "../../linear-algebra/symmetric-eigen.ts";
import {
  diffusionFrame,
  diffusionSymbol,
  diffusionWavelets,
  lazyDiffusion,
  scalesOf,
} from "../../scattering/diffusion.ts";
import { energy } from "../../scattering/energy.ts";
import { graphScattering } from "../../scattering/graph-scattering.ts";
import { atLeast, atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer } from "../parameter.ts";
import { graphNames, reordered, weightsOf } from "./graphs.ts";
import { distance, norm } from "./signals.ts";

const rounding = 1e-11;

export default lemma({
  id: "C8-41",
  covers: ["C8-41", "C8-42"],
  kind: "construction",
  title: "Diffusion wavelets on a graph, their frame bounds, and scattering with them",
  source: "Book, chapter 8, (8.42)-(8.47), Proposition 8.20",
  statement: String.raw`\psi_0 = I - T, \; \psi_j = T^{2^{j-1}} - T^{2^j}: \quad \min_{t \in [0, \beta]} Q_J(t) \|x\|^2 \le \sum_{j < J} \|\psi_j x\|^2 \le \|x\|^2 \text{ for } x \perp v, \quad Q_J(t) = (1 - t)^2 + \sum_{0 < j < J} (t^{2^{j-1}} - t^{2^j})^2`,
  parameters: {
    n: integer({ min: 3, max: 10, default: 6, label: "vertices" }),
    graph: choice(graphNames, { label: "graph" }),
    J: integer({ min: 1, max: 5, default: 3, label: "wavelets J" }),
    layers: integer({ min: 1, max: 3, default: 3, label: "layers m" }),
  },
  claims: {
    "Σψ_j - (I - T^{2^{J-1}}), greatest": equals("0"),
    "Σ|ψ_j x|² / |x|² of the eigenvector that has least": equals(String.raw`\min_{i} Q_J(\lambda_i)`),
    "Σ|ψ_j x|² / |x|², x ⟂ v, from above": atMost(String.raw`\max_i Q_J(\lambda_i)`),
    "Σ|ψ_j x|² / |x|², x ⟂ v, from below": atLeast(String.raw`\min_{t \in [0, \beta]} Q_J(t)`),
    "greatest gain of the wavelets": atMost("1"),
    "S of the same graph and signal in another order, deviation": equals("0"),
    "|S[order k]x - S[order k]y| / |x - y|, greatest": atMost("1"),
    "S[order k]v, orders 1 and more": equals("0"),
    "J by the printed formula": atLeast("1").printed({
      where: "after Proposition 8.20",
      printed: String.raw`J = \lceil 1 + \log_2 r_* \rceil = 1 + \left\lceil \log_2 \left( \frac{-1}{\log_2 \beta} \right) \right\rceil.`,
      corrected: String.raw`that, and at least 1: for $\beta \le 1/4$ it is not positive`,
    }),
    "numbers in S with m layers": equals(String.raw`\sum_{k=0}^m J^k`).printed({
      where: "(8.47)",
      printed: String.raw`S_{G,m}(\mathbf{x}) = \{A\mathbf{x}, S_G[\Lambda_1](\mathbf{x}), \dots, S_G[\Lambda_m](\mathbf{x})\} = \{A(\rho\mathcal{W})^k\mathbf{x}; k = 0, \dots, m - 1\}.`,
      corrected: String.raw`the list ends with $S_G[\Lambda_{m-1}](x)$: as (8.48) has it, $k < m$`,
    }),
  },
  mutants: {
    "ψ_0 applied twice": {
      "Σ|ψ_j x|² / |x|² of the eigenvector that has least": ({ J }, { theory }) =>
        J > 1 ? theory : theory ** 2,
    },
    "a wavelet more": ({ J }) => ({ J: J + 1 }),
    "gain at most a half": { "greatest gain of the wavelets": () => 0.5 },
  },
  async run({ n, graph, J, layers }, { random, budget }) {
    const weights = weightsOf(graph, n, random);
    const diffusion = await lazyDiffusion(weights);
    const { operator, stationary: v, gap } = diffusion;
    const wavelets = await diffusionWavelets(diffusion, J);
    const indices = Array.from({ length: n }, (_, i) => i);
    const rows = indices.map((i) => indices.map((j) => operator.entries[i * n + j]!));
    const { values, vectors } = symmetricEigen(rows);
    const gain = (x: ArrayLike<number>): number =>
      wavelets.reduce((sum, psi) => sum + energy(product(psi.entries, x)), 0) / energy(x);
    const gains = vectors.slice(0, -1).map(gain);
    const frame = diffusionFrame(diffusion, J);
    const drawn = random.normal(n);
    const along = drawn.reduce((sum, value, i) => sum + value * v[i]!, 0);
    const x = drawn.map((value, i) => value - along * v[i]!);
    const least = Array.from({ length: 400 }, (_, k) => diffusionSymbol((gap * k) / 399, J));
    const order = random.permutation(n);
    const moved = await lazyDiffusion(reordered(weights, order));
    const options = { scales: J, layers };
    const y = drawn.map((value, i) => (random.integer(0, 1) === 0 ? value + v[i]! : random.normal()));
    const z = random.integer(0, 1) === 0 ? drawn.map((value, i) => value + v[i]!) : y;
    const [Sx, Sz, Sv, there] = [
      await graphScattering(diffusion, drawn, options),
      await graphScattering(diffusion, z, options),
      await graphScattering(diffusion, v, options),
      await graphScattering(
        moved,
        Float64Array.from(order, (i) => drawn[i]!),
        options,
      ),
    ];
    const last = values.map((t) => t ** (2 ** (J - 1)));
    const sums = rows.map((row, i) =>
      row.map((_, j) => {
        const whole = wavelets.reduce((sum, { entries }) => sum + entries[i * n + j]!, 0);
        const rest = last.reduce((sum, p, k) => sum + p * vectors[k]![i]! * vectors[k]![j]!, 0);
        return Math.abs(whole + rest - (i === j ? 1 : 0));
      }),
    );
    const printedScales = 1 + Math.ceil(Math.log2(-1 / Math.log2(gap)));
    return {
      ...(budget !== "cheap" && { figure: figure(J) }),
      table: {
        title: "The graph",
        columns: ["β", "J to choose", "least gain", "greatest gain"],
        rows: [[gap, scalesOf(diffusion), frame.lower, frame.upper]],
      },
      claims: {
        "Σψ_j - (I - T^{2^{J-1}}), greatest": checked(Math.max(...sums.flat()), 0, { tolerance: rounding }),
        "Σ|ψ_j x|² / |x|² of the eigenvector that has least": checked(Math.min(...gains), frame.lower, {
          tolerance: rounding,
        }),
        "Σ|ψ_j x|² / |x|², x ⟂ v, from above": checked(gain(x), frame.upper, { tolerance: rounding }),
        // The grid may miss the least by the square of its step.
        "Σ|ψ_j x|² / |x|², x ⟂ v, from below": checked(
          random.integer(0, 1) === 0 ? Math.min(...gains) : gain(x),
          Math.min(...least),
          { tolerance: 1e-4 },
        ),
        "greatest gain of the wavelets": checked(Math.max(...gains), 1, { tolerance: rounding }),
        "S of the same graph and signal in another order, deviation": checked(
          Math.max(...Sx!.map((values_, k) => distance(values_, there![k]!))),
          0,
          { tolerance: rounding * (1 + norm(drawn)) },
        ),
        "|S[order k]x - S[order k]y| / |x - y|, greatest": checked(
          Math.max(...Sx!.map((values_, k) => distance(values_, Sz![k]!))) / distance(drawn, z),
          1,
          { tolerance: rounding },
        ),
        ...(layers > 1 && {
          "S[order k]v, orders 1 and more": checked(Math.max(...Sv!.slice(1).map(norm)), 0, {
            tolerance: rounding,
          }),
        }),
        ...(gap > 0 && { "J by the printed formula": checked(printedScales, 1) }),
        "numbers in S with m layers": checked(
          Sx!.reduce((sum, values_) => sum + values_.length, 0),
          Array.from({ length: layers + 1 }, (_, k) => J ** k).reduce((a, b) => a + b, 0),
        ),
      },
    };
  },
});

function product(entries: Float64Array, x: ArrayLike<number>): Float64Array {
  const n = x.length;
  return Float64Array.from({ length: n }, (_, i) => {
    let sum = 0;
    for (let j = 0; j < n; j++) sum += entries[i * n + j]! * x[j]!;
    return sum;
  });
}

function figure(J: number): Figure {
  const points = Array.from({ length: 201 }, (_, k) => k / 200);
  return {
    title: "Gains of diffusion wavelets by the eigenvalue",
    panels: [
      {
        title: `Q_J up to J = ${J}`,
        x: { label: "eigenvalue t" },
        y: { label: "Q_J(t)" },
        series: Array.from({ length: J }, (_, k) => ({
          ...{ name: `J = ${k + 1}`, mark: "line" as const },
          points: points.map((t) => [t, diffusionSymbol(t, k + 1)] as const),
        })),
      },
    ],
  };
}
