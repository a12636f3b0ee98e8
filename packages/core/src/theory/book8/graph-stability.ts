import type { Figure } from "../../figure/figure.ts";
import { singularDecomposition } from "../../linear-algebra/svd.ts";
import { createRandom } from "../../numbers/random.ts";
import { type Diffusion, diffusionWavelets, lazyDiffusion } from "../../scattering/diffusion.ts";
import { graphCertificate, graphScattering } from "../../scattering/graph-scattering.ts";
import { atMost, checked } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";
import { graphNames, perturbed, reordered, weightsOf } from "./graphs.ts";
import { distance, norm } from "./signals.ts";

const rounding = 1e-11;

export default lemma({
  id: "C8-43",
  covers: ["C8-43", "C8-44"],
  kind: "bound",
  title: "What a change of the graph changes of diffusion scattering",
  source: "Book, chapter 8, Theorem 8.21, Figure 8.14",
  statement: String.raw`\|S_{G,m}(x) - S_{G',m}(\Pi x)\|^2 \le \sum_{k<m} \bigl(\|v - v'\| + k \|\mathcal W - \mathcal W'\|\bigr)^2 \|x\|^2, \qquad \|v - v'\| \le \min\Bigl(\sqrt{\tfrac{2d}{1 - \beta_-}}, \tfrac{\sqrt 2 d}{1 - \beta_-}\Bigr)`,
  parameters: {
    n: integer({ min: 3, max: 10, default: 7, label: "vertices" }),
    graph: choice(graphNames, { label: "graph" }),
    J: integer({ min: 1, max: 4, default: 3, label: "wavelets J" }),
    layers: integer({ min: 1, max: 3, default: 3, label: "layers m" }),
    change: real({ min: 0.05, max: 10, default: 1, label: "change of the weights" }),
  },
  claims: {
    "|S - S'|": atMost(String.raw`\text{by } \|v - v'\| \text{ and } \|\mathcal W - \mathcal W'\|`),
    "|S - S'|, against (8.48) for matching vertices": atMost("(8.48)").looseBy(2),
    "|v - v'|": atMost(String.raw`\sqrt 2 d / (1 - \beta_-)`).looseBy(1.2),
    "|W - W'|, against the sum of its wavelets": atMost(String.raw`\sum_j \|\psi_j - \psi_j'\|`),
    "|S - S'| with vertices in another order": atMost("(8.48)").printed({
      where: "Theorem 8.21, (8.48)",
      printed: String.raw`\|S_{G,m}(\mathbf{x}) - S_{G',m}(\mathbf{x})\|^2`,
      corrected: String.raw`$\|S_{G,m}(x) - S_{G',m}(\Pi x)\|^2$ with the permutation of $d(G, G')$: for $G' = \Pi G$ the right side is 0`,
    }),
    "|W - W'| / d": atMost(String.raw`\sqrt{\beta_+^2 (1 + \beta_+^2) / (1 - \beta_+^2)^3}`).printed({
      where: "(8.48), the factor of k",
      printed: String.raw`k \sqrt{\frac{\beta_+^2(1 + \beta_+^2)}{(1 - \beta_+^2)^3}} d(G, G')`,
      corrected: String.raw`no bound on $\|\mathcal W - \mathcal W'\|$: $\psi_0 - \psi_0' = T' - T$ alone has the norm $d$, and the factor falls below 1 for $\beta_+$ below 0.55`,
    }),
  },
  mutants: {
    "the averages do not change": {
      "|S - S'|": ({ layers }, { theory }) => (layers > 1 ? theory : 0),
    },
    "a certificate for a smaller change": ({ change }) => ({ change: change * 1.5 }),
    "half of what one wavelet changes": {
      "|W - W'|, against the sum of its wavelets": ({ J }, { theory }) => (J === 1 ? theory / 2 : theory),
    },
  },
  async run({ n, graph, J, layers, change }, { random, budget }) {
    const weights = weightsOf(graph, n, random);
    const other = perturbed(weights, change, random);
    const [a, b] = [await lazyDiffusion(weights), await lazyDiffusion(other)];
    const options = { scales: J, layers };
    // The average itself is what moves most, for a signal along v - v'.
    const along = a.stationary.map((v, i) => v - b.stationary[i]!);
    const x = random.integer(0, 1) === 0 && norm(along) > 0 ? along : random.normal(n);
    const certificate = await graphCertificate(a, b, x, options);
    const order = random.permutation(n);
    const moved = await lazyDiffusion(reordered(weights, order));
    const y = random.normal(n);
    const [here, there] = [await graphScattering(a, y, options), await graphScattering(moved, y, options)];
    const { whole, parts } = await waveletChange(a, b, J);
    const d = certificate.distance;
    const [least, most] = [Math.min(a.gap, b.gap), Math.max(a.gap, b.gap) ** 2];
    const size = norm(x);
    return {
      ...(budget !== "cheap" && { figure: await figure(weights, options) }),
      claims: {
        "|S - S'|": checked(certificate.measured, certificate.bound, { tolerance: rounding * size }),
        "|S - S'|, against (8.48) for matching vertices": checked(certificate.measured, certificate.printed, {
          tolerance: rounding * size,
        }),
        "|v - v'|": checked(norm(along), (Math.SQRT2 * d) / (1 - least), { tolerance: rounding }),
        "|W - W'|, against the sum of its wavelets": checked(whole, parts, { tolerance: rounding }),
        "|S - S'| with vertices in another order": checked(
          Math.hypot(...here.map((values, k) => distance(values, there[k]!))),
          0,
          { tolerance: rounding * (1 + norm(y)) },
        ),
        ...(d > 1e-6 && {
          "|W - W'| / d": checked(whole / d, Math.sqrt((most * (1 + most)) / (1 - most) ** 3), {
            tolerance: rounding,
          }),
        }),
      },
    };
  },
});

/** |W - W'| and the sum of |psi_j - psi_j'|. */
async function waveletChange(
  a: Diffusion,
  b: Diffusion,
  J: number,
): Promise<{ whole: number; parts: number }> {
  const n = a.operator.rows;
  const [one, other] = [await diffusionWavelets(a, J), await diffusionWavelets(b, J)];
  const changes = one.map(({ entries }, j) => entries.map((v, k) => v - other[j]!.entries[k]!));
  const norms = async (entries: Float64Array): Promise<number> => {
    const { values } = await singularDecomposition({ rows: entries.length / n, columns: n, entries });
    return values[0] ?? 0;
  };
  let parts = 0;
  for (const change of changes) parts += await norms(change);
  return { whole: await norms(Float64Array.from(changes.flatMap((change) => [...change]))), parts };
}

async function figure(
  weights: readonly (readonly number[])[],
  options: { readonly scales: number; readonly layers: number },
): Promise<Figure> {
  const a = await lazyDiffusion(weights);
  const certificates: { d: number; change: number; bound: number; printed: number }[] = [];
  for (let k = 0; k < 40; k++) {
    const random = createRandom(`figure ${k}`);
    const b = await lazyDiffusion(perturbed(weights, 2 ** (k / 8 - 4), random));
    const x = random.normal(weights.length);
    const { measured, distance: d, bound, printed } = await graphCertificate(a, b, x, options);
    certificates.push({ d, change: measured / norm(x), bound: bound / norm(x), printed: printed / norm(x) });
  }
  certificates.sort((p, q) => p.d - q.d);
  const over = (name: string, of: (c: (typeof certificates)[number]) => number, role?: "theory") => ({
    ...{ name, mark: role ? ("line" as const) : ("dots" as const), ...(role && { role }) },
    points: certificates.map((c) => [c.d, of(c)] as const),
  });
  return {
    title: "Figure 8.14 (a): change of the coefficients over the change of the graph",
    panels: [
      {
        title: "Relative to |x|",
        x: { label: "d = |T - T'|", scale: "log" },
        y: { label: "change", scale: "log" },
        series: [
          over("measured", (c) => c.change),
          over("by |v - v'| and |W - W'|", (c) => c.bound, "theory"),
          over("(8.48)", (c) => c.printed, "theory"),
        ],
      },
    ],
  };
}
