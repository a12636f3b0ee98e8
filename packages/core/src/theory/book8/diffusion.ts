import type { Figure } from "../../figure/figure.ts";
import { type Diffusion, lazyDiffusion } from "../../scattering/diffusion.ts";
import { diffusionDistance } from "../../scattering/diffusion-distance.ts";
import { atLeast, atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";
import { graphNames, perturbed, reordered, weightsOf } from "./graphs.ts";
import { distance, norm } from "./signals.ts";

const rounding = 1e-11;
/** Square roots of differences that are rounding. */
const roundingOfRoots = 1e-6;

export default lemma({
  id: "C8-39",
  covers: ["C8-39", "C8-40"],
  kind: "measure",
  title: "Lazy diffusion on a graph: its gap, and distances between graphs",
  source: "Book, chapter 8, section 8.5.3, (8.39), (8.40)",
  statement: String.raw`T = \tfrac12 (I + D^{-1/2} W D^{-1/2}), \; T v = v = (d / \|d\|_1)^{1/2}; \quad \max_i |\lambda_i^{2s} - \lambda_i'^{2s}| \le d^s(G, G') = \min_\Pi \|T^{2s} - \Pi^\top T'^{2s} \Pi\|, \quad d^s_{GH} \le \sqrt{2 d^s}`,
  parameters: {
    n: integer({ min: 3, max: 5, default: 4, label: "vertices" }),
    graph: choice(graphNames, { label: "graph" }),
    s: real({ min: 0.25, max: 2, default: 0.5, label: "time s" }),
    change: real({ min: 0.01, max: 2, default: 0.5, label: "change of the weights" }),
  },
  claims: {
    "|Tv - v|": equals("0"),
    "least eigenvalue of T": atLeast("0"),
    "β of the complete graph": equals(String.raw`\tfrac12 (1 - \tfrac1{n-1})`),
    "β of the cycle": equals(String.raw`\tfrac12 (1 + \cos(2 \pi / n))`),
    "T^t x - <v, x> v for large t": equals("0"),
    "distance to the same graph in another order": equals("0"),
    "distance, against the eigenvalues": atLeast(String.raw`\max_i |\lambda_i^{2s} - \lambda_i'^{2s}|`),
    "distance of Gromov and Hausdorff": atMost(String.raw`\sqrt{2 d^s}`).looseBy(1.2),
    "distance over a third graph": atMost(String.raw`d(G, H) + d(H, G')`),
    "|d^{1/2} / |d^{1/2}|₂ - d / |d|₁|": equals("0").printed({
      where: "sect. 8.5.3, Diffusion wavelets",
      printed: String.raw`the normalized square-root degree vector  $\mathbf{v} = \mathbf{d}^{1/2}/\|\mathbf{d}^{1/2}\|_2 = \mathbf{d}/\|\mathbf{d}\|_1$`,
      corrected: String.raw`v = \mathbf d^{1/2} / \|\mathbf d^{1/2}\|_2 = (\mathbf d / \|\mathbf d\|_1)^{1/2}`,
    }),
    "least eigenvalue of T on a bipartite graph": equals("-1").printed({
      where: "sect. 8.5.3, Diffusion wavelets",
      printed: String.raw`note that  $\lambda_{n-1} = -1$  if and only if  $G$  has a connected component that is non-trivial and bipartite`,
      corrected: String.raw`that is $\overline W$; the operator $T$ of the wavelets has the eigenvalue 0 there`,
    }),
    "|Tx - Δx|, a diffusion step": equals("0").printed({
      where: "after (8.42)",
      printed: String.raw`each diffusion step (each multiplication by  $\Delta$ )`,
      corrected: String.raw`each multiplication by $T = I - \tfrac12 \Delta$`,
    }),
    "T^t x - <v, x> at each vertex, for large t": equals("0").printed({
      where: "before (8.45)",
      printed: String.raw`A\mathbf{x} = \lim_{t \rightarrow \infty} T^t \mathbf{x} = \langle \mathbf{v}, \mathbf{x} \rangle`,
      corrected: String.raw`$\lim T^t x = \langle v, x \rangle v$, of which $A$ keeps the number $\langle v, x \rangle$`,
    }),
  },
  mutants: {
    "a walk that is not lazy": { "β of the cycle": ({ n }) => Math.cos((2 * Math.PI) / n) },
    "a larger change of the graph": ({ change }) => ({ change: change + 0.5 }),
    "the gap of n + 1 vertices": { "β of the complete graph": ({ n }) => (1 - 1 / n) / 2 },
  },
  async run({ n, graph, s, change }, { random, budget }) {
    const weights = weightsOf(graph, n, random);
    const diffusion = await lazyDiffusion(weights);
    const order = random.permutation(n);
    const [same, near, far] = await Promise.all(
      [
        reordered(weights, order),
        perturbed(weights, change, random),
        perturbed(weights, change, random.split("third")),
      ].map((other) => lazyDiffusion(other)),
    );
    const { distance: d, lower, gromovHausdorff } = diffusionDistance(diffusion, near!, s);
    const detour =
      diffusionDistance(diffusion, far!, s).distance + diffusionDistance(far!, near!, s).distance;
    const x = random.normal(n);
    const { stationary: v, gap, eigenvalues } = diffusion;
    const product = x.reduce((sum, value, i) => sum + value * v[i]!, 0);
    const limit = longDiffused(diffusion, x);
    const step = applied(diffusion, x);
    const degrees = weights.map((row) => row.reduce((a, b) => a + b, 0));
    const total = degrees.reduce((a, b) => a + b, 0);
    const isBipartite = graph === "path" || (graph === "cycle" && n % 2 === 0);
    return {
      ...(budget !== "cheap" && { figure: await figure(weights) }),
      claims: {
        "|Tv - v|": checked(distance(applied(diffusion, v), v), 0, { tolerance: rounding }),
        "least eigenvalue of T": checked(eigenvalues[0]!, 0, { tolerance: rounding }),
        ...(graph === "complete" && {
          "β of the complete graph": checked(gap, (1 - 1 / (n - 1)) / 2, { tolerance: rounding }),
        }),
        ...(graph === "cycle" && {
          "β of the cycle": checked(gap, (1 + Math.cos((2 * Math.PI) / n)) / 2, { tolerance: rounding }),
        }),
        "T^t x - <v, x> v for large t": checked(
          distance(
            limit,
            v.map((value) => product * value),
          ),
          0,
          {
            tolerance: rounding * (1 + norm(x)),
          },
        ),
        "distance to the same graph in another order": checked(
          diffusionDistance(diffusion, same!, s).distance,
          0,
          { tolerance: roundingOfRoots },
        ),
        "distance, against the eigenvalues": checked(d, lower, { tolerance: roundingOfRoots }),
        "distance of Gromov and Hausdorff": checked(gromovHausdorff, Math.sqrt(2 * d), {
          tolerance: roundingOfRoots,
        }),
        "distance over a third graph": checked(d, detour, { tolerance: roundingOfRoots }),
        "|d^{1/2} / |d^{1/2}|₂ - d / |d|₁|": checked(
          distance(
            v,
            degrees.map((degree) => degree / total),
          ),
          0,
          { tolerance: rounding },
        ),
        ...(isBipartite && {
          "least eigenvalue of T on a bipartite graph": checked(eigenvalues[0]!, -1, { tolerance: rounding }),
        }),
        "|Tx - Δx|, a diffusion step": checked(
          distance(
            step,
            x.map((value, i) => 2 * (value - step[i]!)),
          ),
          0,
          { tolerance: rounding },
        ),
        "T^t x - <v, x> at each vertex, for large t": checked(
          distance(
            limit,
            x.map(() => product),
          ),
          0,
          { tolerance: rounding },
        ),
      },
    };
  },
});

function applied({ operator: { rows: n, entries } }: Diffusion, x: ArrayLike<number>): Float64Array {
  return Float64Array.from({ length: n }, (_, i) => {
    let sum = 0;
    for (let j = 0; j < n; j++) sum += entries[i * n + j]! * x[j]!;
    return sum;
  });
}

/** T^t x with beta^t below 1e-14. */
function longDiffused(diffusion: Diffusion, x: Float64Array): Float64Array {
  const steps = diffusion.gap <= 0 ? 2 : Math.ceil(Math.log(1e-14) / Math.log(diffusion.gap));
  let value = x;
  for (let k = 0; k < steps; k++) value = applied(diffusion, value);
  return value;
}

async function figure(weights: readonly (readonly number[])[]): Promise<Figure> {
  const diffusion = await lazyDiffusion(weights);
  const times = Array.from({ length: 12 }, (_, k) => 2 ** (k / 2 - 2));
  const without = weights.map((row, i) =>
    row.map((w, j) => (Math.min(i, j) === 0 && Math.max(i, j) === 1 ? 3 * w : w)),
  );
  const other = await lazyDiffusion(without);
  const distances = times.map((s) => diffusionDistance(diffusion, other, s));
  return {
    title: "Distances between a graph and itself with an edge three times as heavy",
    panels: [
      {
        title: "Over the time of diffusion",
        x: { label: "s", scale: "log" },
        y: { label: "distance" },
        series: [
          {
            ...{ name: "diffusion distance", mark: "line" },
            points: distances.map(({ distance: d }, k) => [times[k]!, d] as const),
          },
          {
            ...{ name: "by eigenvalues", mark: "line", role: "theory" },
            points: distances.map(({ lower }, k) => [times[k]!, lower] as const),
          },
          {
            ...{ name: "Gromov-Hausdorff", mark: "line" },
            points: distances.map(({ gromovHausdorff }, k) => [times[k]!, gromovHausdorff] as const),
          },
        ],
      },
    ],
  };
}
