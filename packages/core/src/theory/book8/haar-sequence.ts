import type { Figure } from "../../figure/figure.ts";
import type { Random } from "../../numbers/random.ts";
import {
  graphPairings,
  haarScattering,
  learnedPairings,
  neighbourPairings,
} from "../../scattering/haar-scattering.ts";
import { atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer } from "../parameter.ts";
import { distance, norm } from "./signals.ts";

export default lemma({
  id: "C8-30",
  covers: ["C8-30", "C8-45"],
  kind: "algorithm",
  title: "Orthogonal Haar scattering: pairs become means and differences, over and over",
  source: "Book, chapter 8, (8.26), Theorem 8.15, (8.49)",
  statement: String.raw`S_{j+1} x(i, 2q) = S_j x(a_i, q) + S_j x(b_i, q), \; S_{j+1} x(i, 2q + 1) = |S_j x(a_i, q) - S_j x(b_i, q)|: \quad \|S_J x\| = 2^{J/2} \|x\|`,
  parameters: {
    J: integer({ min: 1, max: 5, default: 3, label: "levels J" }),
    level: integer({ min: 1, max: 5, default: 3, label: "level j" }),
    pair: choice(["moved by a constant", "drawn"], { label: "the other signal" }),
  },
  claims: {
    "|Sx|": equals(String.raw`2^{J/2} \|x\|`),
    "|Sx - Sy|": atMost(String.raw`2^{J/2} \|x - y\|`),
    "with halves: total variance of ±1, J = 1": equals("3/4"),
    "with halves: total variance of ±1 at J = 3": atMost(String.raw`\text{that at } J = 2`).looseBy(1.2),
    "planted pairs that are learned": equals(String.raw`2^{J-1}`),
    "|Sx| by the pairs of a drawn graph, some vertices alone": equals(String.raw`2^{J/2} \|x\|`),
    "pairs of the first level of a drawn graph": equals(
      String.raw`\text{the most disjoint edges, by enumeration}`,
    ),
    "pairs of the first level that are no edges": equals("0"),
    "disjoint edges of a star of 2^J vertices": equals(String.raw`2^{J-1}`).printed({
      where: "sect. 8.5.3, Unsupervised Haar scattering on graphs",
      printed: String.raw`V_{j+1,i} = V_{j,a_i} \sqcup V_{j,b_i}`,
      corrected:
        "where all vertices can be paired along edges: of a star only one pair can, and the rest stays alone",
    }),
    "places that (8.26) fills at level j": equals("2^J").printed({
      where: "(8.26)",
      printed: String.raw`\frac{1}{2}|x^{j-1,2k} - x^{j-1,2k+1}|, \quad 0 < j \leq J, k = 0, \dots, 2^{J-1} - 1`,
      corrected: String.raw`$x^{j, k + 2^{J-1}}$: with the offset $2^{J-j}$ indices collide from $j = 2$ on`,
    }),
    "with halves: |Sx|": equals(String.raw`\|x\|`).printed({
      where: "after (8.26)",
      printed: String.raw`(8.26) defines an orthogonal transformation that preserves energy:  $\|S_J^H \mathbf{x}\| = \|\mathbf{x}\|$`,
      corrected: String.raw`$\|S_J^H x\| = 2^{-J/2} \|x\|$ with the factors 1/2, which (8.27) needs; norms are kept with $1 / \sqrt 2$`,
    }),
    "places that (8.49) fills at level j": equals("2^J").printed({
      where: "(8.49)",
      printed: String.raw`i = 1, \dots, 2^{J-j-1}, q = 2^j.`,
      corrected: String.raw`0 \le q < 2^j`,
    }),
  },
  mutants: {
    "a level lost": ({ J }) => ({ J: J - 1 }),
    "vertices alone are lost": {
      "|Sx| by the pairs of a drawn graph, some vertices alone": (_, { theory }) => theory * (1 - 1e-3),
    },
    "one pair more": { "pairs of the first level of a drawn graph": (_, { theory }) => theory + 1 },
    "norms kept": { "|Sx|": ({ J }, { theory }) => theory / 2 ** (J / 2) },
    "variance of Gaussian noise": { "with halves: total variance of ±1, J = 1": () => 1 - 1 / Math.PI },
  },
  run({ J, level, pair }, { random, budget }) {
    const n = 2 ** J;
    const x = random.normal(n);
    const y = pair === "drawn" ? random.normal(n) : x.map((v) => v + 1);
    const [Sx, Sy] = [x, y].map((z) => haarScattering(z, neighbourPairings(n)));
    const growth = 2 ** (J / 2);
    const tolerance = 1e-12 * growth * (norm(x) + norm(y));
    const j = Math.min(level, J);
    const vertices = random.integer(3, 9);
    const edges = drawnEdges(vertices, random);
    const pairings = graphPairings(edges, J);
    const z = random.normal(vertices);
    const pairs = pairings[0]!.filter(([, b]) => b !== undefined);
    const star = Array.from({ length: n }, (_, a) =>
      Float64Array.from({ length: n }, (__, b) => Number(a * b === 0 && a !== b)),
    );
    return {
      ...(budget !== "cheap" && { figure: figure(random.split("figure").normal(2 ** 10 * 60)) }),
      claims: {
        "|Sx|": checked(norm(Sx!), growth * norm(x), { tolerance }),
        "|Sx - Sy|": checked(distance(Sx!, Sy!), growth * distance(x, y), { tolerance }),
        "with halves: total variance of ±1, J = 1": checked(signVariance(1), 3 / 4),
        "with halves: total variance of ±1 at J = 3": checked(signVariance(3), signVariance(2)),
        "planted pairs that are learned": checked(
          learned(random.permutation(n), random.normal(n * 4)),
          n / 2,
        ),
        "|Sx| by the pairs of a drawn graph, some vertices alone": checked(
          norm(haarScattering(z, pairings)),
          growth * norm(z),
          { tolerance: 1e-12 * growth * norm(z) },
        ),
        "pairs of the first level of a drawn graph": checked(pairs.length, mostDisjoint(edges)),
        "pairs of the first level that are no edges": checked(
          pairs.filter(([a, b]) => edges[a]![b!] === 0).length,
          0,
        ),
        ...(J > 1 && {
          "disjoint edges of a star of 2^J vertices": checked(
            graphPairings(star, 1)[0]!.filter(([, b]) => b !== undefined).length,
            n / 2,
          ),
        }),
        "places that (8.26) fills at level j": checked(
          new Set(Array.from({ length: n }, (_, i) => (i < n / 2 ? i : i - n / 2 + 2 ** (J - j)))).size,
          n,
        ),
        "with halves: |Sx|": checked(norm(Sx!.map((v) => v / n)), norm(x), { tolerance }),
        ...(j < J && { "places that (8.49) fills at level j": checked(2 * 2 ** (J - j - 1), n) }),
      },
    };
  },
});

/** Edges of which a third to two thirds are there. */
function drawnEdges(count: number, random: Random): readonly Float64Array[] {
  const rows = Array.from({ length: count }, () => new Float64Array(count));
  const share = (1 + random.uniform()) / 3;
  for (let a = 0; a < count; a++)
    for (let b = 0; b < a; b++) if (random.uniform() < share) rows[a]![b] = rows[b]![a] = 1;
  return rows;
}

/** The most edges without a common end: the first vertex stays alone, or takes each of its neighbours. */
function mostDisjoint(edges: readonly Float64Array[], left = edges.map((_, v) => v)): number {
  const [first, ...rest] = left;
  if (first === undefined) return 0;
  return rest
    .filter((v) => edges[first]![v]! > 0)
    .reduce(
      (most, v) =>
        Math.max(
          most,
          1 +
            mostDisjoint(
              edges,
              rest.filter((w) => w !== v),
            ),
        ),
      mostDisjoint(edges, rest),
    );
}

/** E |S - E S|^2 over all 2^(2^J) sequences of signs, with means for sums and half differences. */
function signVariance(J: number): number {
  const n = 2 ** J;
  const [sums, squares] = [new Float64Array(n), new Float64Array(n)];
  for (let code = 0; code < 2 ** n; code++) {
    const signs = Array.from({ length: n }, (_, k) => ((code >> k) & 1 ? 1 : -1));
    haarScattering(signs, neighbourPairings(n)).forEach((v, k) => {
      sums[k]! += v / n;
      squares[k]! += (v / n) ** 2;
    });
  }
  return sums.reduce((total, sum, k) => total + squares[k]! / 2 ** n - (sum / 2 ** n) ** 2, 0);
}

/** Data in which vertices order[2i] and order[2i + 1] always agree: how many of these pairs are found. */
function learned(order: Int32Array, values: Float64Array): number {
  const n = order.length;
  const data = Array.from({ length: 4 }, (_, k) => {
    const x = new Float64Array(n);
    order.forEach((vertex, at) => {
      x[vertex] = values[k * n + (at >> 1)]!;
    });
    return x;
  });
  const partner = new Map(Array.from(order, (vertex, at) => [vertex, order[at ^ 1]!] as const));
  return learnedPairings(data, 1)[0]!.filter(([a, b]) => partner.get(a) === b).length;
}

/** Total variance, with halves, of Gaussian noise. */
function figure(noise: Float64Array): Figure {
  const levels = [1, 2, 3, 4, 5, 6, 7, 8];
  const variance = (J: number): number => {
    const n = 2 ** J;
    const count = Math.min(2000, Math.floor(noise.length / n));
    const [sums, squares] = [new Float64Array(n), new Float64Array(n)];
    for (let k = 0; k < count; k++)
      haarScattering(noise.subarray(k * n, (k + 1) * n), neighbourPairings(n)).forEach((v, i) => {
        sums[i]! += v / n;
        squares[i]! += (v / n) ** 2;
      });
    return sums.reduce((total, sum, i) => total + (squares[i]! - sum ** 2 / count) / (count - 1), 0);
  };
  return {
    title: "Total variance of Haar scattering falls by a factor a level",
    panels: [
      {
        title: "Gaussian white noise",
        x: { label: "J" },
        y: { label: "variance / E X²", scale: "log" },
        series: [
          { name: "measured", mark: "dots", points: levels.map((J) => [J, variance(J)] as const) },
          {
            ...{ name: "1 - 1/π at J = 1", mark: "line", role: "theory" },
            points: levels.map((J) => [J, 1 - 1 / Math.PI] as const),
          },
        ],
      },
    ],
  };
}
