import { sizeOnBallBound } from "../../dynamics/initial-size.ts";
import {
  capShare,
  plant,
  plantedShare,
  plantingWidth,
  type ReferenceNetwork,
  referenceValue,
} from "../../dynamics/planting.ts";
import {
  frobeniusDistance,
  type ShallowNetwork,
  shallowGraph,
  shallowTaylor,
  shallowValue,
} from "../../dynamics/shallow-network.ts";
import type { Figure } from "../../figure/figure.ts";
import { dot } from "../../linear-algebra/dot.ts";
import type { Random } from "../../numbers/random.ts";
import { atLeast, atMost, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";

export default lemma({
  id: "T-16",
  covers: ["T-16"],
  kind: "construction",
  title: "Any small network near the initialization of a wide one",
  source: "Telgarsky, Theorem 3.10",
  statement: String.raw`m \ge \frac{4^{d+2} \ln(k/\delta)}{\tau^{2d-2}}: \quad F(x; V) = F_0(x; V), \quad \left| F(x; V) - \frac{\sqrt m}{\tau} g(x) \right| \le \sqrt m \left( 32 d \ln \frac m \delta + \|\alpha\|_1 \right), \quad \max_j \|v_j - v_{0,j}\| \le \frac{2^{d+2} \|\alpha\|_\infty}{\tau^d \sqrt m}, \quad \|V - V_0\| \le \frac{2^{(d+2)/2} \|\alpha\|_2}{\tau^{(d+1)/2}}`,
  parameters: {
    d: integer({ min: 1, max: 3, default: 2, label: "inputs d" }),
    k: integer({ min: 1, max: 3, default: 3, label: "units of g (two at most for d = 1)" }),
    tau: real({ min: 0.45, max: 0.8, default: 0.5, label: "nearness τ" }),
    size: real({ min: 0.1, max: 2000, default: 1, label: "size of the weights of g" }),
    delta: real({ min: 0.01, max: 0.3, default: 0.1, label: "δ" }),
  },
  claims: {
    "part of the sphere within τ of a point": atLeast(String.raw`(\tau / 2)^{d-1} / 2`),
    "part of the rows near a direction": equals(
      String.raw`\text{half of that part} \pm \sqrt{\ln(2 / \delta) / 2m}`,
    ).probable(),
    "rows near a direction, fewest": atLeast(String.raw`m \tau_d, \; \tau_d = \tau^{d-1} / 2^{d+2}`)
      .probable()
      .looseBy(1.1),
    "F(x; V) - F₀(x; V), greatest": equals("0"),
    "longest step of a row": atMost(String.raw`2^{d+2} \|\alpha\|_\infty / (\tau^d \sqrt m)`),
    "distance of V from V₀": atMost(String.raw`2^{(d+2)/2} \|\alpha\|_2 / \tau^{(d+1)/2}`),
    "F(x; V) - F(x; V₀) less √m/τ g(x), greatest": atMost(String.raw`\sqrt m \|\alpha\|_1`).looseBy(1.5),
    "F(x; V) less √m/τ g(x), greatest": atMost(String.raw`\sqrt m (32 d \ln(m / \delta) + \|\alpha\|_1)`)
      .probable()
      .looseBy(1.5),
    "longest step of a row, as printed": atMost(
      String.raw`2^{d+1} \|\alpha\|_\infty / (\tau^{d-1} \sqrt m)`,
    ).printed({
      where: "Theorem 3.10",
      printed: String.raw`\max_j \|v_j - v_{0,j}\| \leq \frac{2^{d+1} \|\alpha\|_\infty}{\tau^{d-1} \sqrt{m}}`,
      corrected: String.raw`\max_j \|v_j - v_{0,j}\| \leq \frac{2^{d+2} \|\alpha\|_\infty}{\tau^d \sqrt{m}}`,
    }),
    "error at β of one unit, least for all V within the printed distance": atMost(
      String.raw`\sqrt m (16 d \ln(m / \delta) + \|\alpha\|_1)`,
    ).printed({
      where: "Theorem 3.10",
      printed: String.raw`there exists a choice of parameters $V \in \mathbb{R}^{m \times d}$ satisfying [...] $\|V - V_0\| \leq \frac{2^{d+1} \|\alpha\|_2}{\tau^{d-1}}$, so that for any $\|x\| \leq 1$, then $F(x; V) = F_0(x; V)$ and $\left| F(x; V) - \frac{2^{d+1} \sqrt{m}}{\tau^{d-1}} g(x) \right| \leq \sqrt{m} (16d \ln(m/\delta) + \|\alpha\|_1)$`,
      corrected: String.raw`$\left| F(x; V) - \frac{\sqrt{m}}{\tau} g(x) \right| \leq \sqrt{m} (32 d \ln(m/\delta) + \|\alpha\|_1)$ with $\|V - V_0\| \leq 2^{(d+2)/2} \|\alpha\|_2 / \tau^{(d+1)/2}$, and $\rho = \tau$ behind it: with the printed scale no $V$ at the printed distance will do for a large $\alpha$`,
    }),
    "F(x; V) - F₀(x; V₀), greatest": equals("0").printed({
      where: "the last line of the proof of Theorem 3.10",
      printed: "and therefore $F(x; V) = F_0(x; V_0)$",
      corrected: "$F(x; V) = F_0(x; V)$",
    }),
  },
  mutants: {
    "signs forgotten": { "part of the rows near a direction": (_, { theory }) => 2 * theory },
    "a chord for an angle": {
      "part of the rows near a direction": ({ d, tau }) => (d === 2 ? tau / Math.PI / 4 : Number.NaN),
    },
    "a power of τ lost": { "longest step of a row": ({ tau }, { theory }) => tau * theory },
  },
  async run({ d, k, tau, size, delta }, { random, budget, progress }) {
    const g = reference(d, d === 1 ? Math.min(k, 2) : k, size, random.split("g"));
    const units = g.alpha.length;
    const m = plantingWidth(d, units, tau, delta);
    const start = drawRows(m, d, random.split("start"));
    await progress(0.2);
    const cap = capShare(d, tau);
    const planted = plant(start, g, tau);
    const share = plantedShare(d, tau);
    const shares = g.beta.map((beta, i) => nearShare(start, beta, g.alpha[i]!, tau));
    const [l1, l2] = [g.alpha.reduce((s, a) => s + Math.abs(a), 0), Math.hypot(...g.alpha)];
    const largest = Math.max(...g.alpha.map(Math.abs));
    const bySphere = {
      "part of the sphere within τ of a point": checked(cap, (tau / 2) ** (d - 1) / 2, {
        tolerance: 2 ** -50,
      }),
      "part of the rows near a direction": sampled(shares[0]!, cap / 2, {
        delta,
        tolerance: Math.sqrt(Math.log(2 / delta) / (2 * m)),
      }),
      "rows near a direction, fewest": sampled(Math.min(...shares) * m, m * share, { delta }),
      "error at β of one unit, least for all V within the printed distance": checked(
        printedShortfall(start, g.beta[0]!, size, tau),
        Math.sqrt(m) * (16 * d * Math.log(m / delta) + size),
      ),
    };
    if (!planted) return { claims: bySphere };
    await progress(0.5);
    const points = [...g.beta.map((b) => Float64Array.from(b)), ...spread(d, 24, random.split("x"))];
    const at = points.map((x) => ({
      before: shallowValue(start, x),
      after: shallowValue({ ...start, V: planted.V }, x),
      linear: shallowTaylor(start, planted.V, x),
      wanted: planted.scale * referenceValue(g, x),
    }));
    const greatest = (f: (p: (typeof at)[number]) => number): number =>
      Math.max(...at.map((p) => Math.abs(f(p))));
    const longest = planted.V.reduce(
      (most, v, j) => Math.max(most, Math.sqrt(v.reduce((s, x, i) => s + (x - start.V[j]![i]!) ** 2, 0))),
      0,
    );
    // Sums of m numbers as large as rows, the stretched ones too.
    const rounding = 1e-15 * m * (4 + planted.stretch * largest);
    return {
      ...(m <= 20000 && { graph: shallowGraph({ ...start, V: planted.V }) }),
      ...(budget !== "cheap" && { figure: await figure(random.split("figure"), delta, progress) }),
      claims: {
        ...bySphere,
        "F(x; V) - F₀(x; V), greatest": checked(
          greatest(({ after, linear }) => after - linear),
          0,
          { tolerance: rounding },
        ),
        "longest step of a row": checked(longest, (2 ** (d + 2) * largest) / (tau ** d * Math.sqrt(m)), {
          tolerance: 1e-12 * longest,
        }),
        "distance of V from V₀": checked(
          frobeniusDistance(planted.V, start.V),
          (2 ** (d / 2 + 1) * l2) / tau ** ((d + 1) / 2),
          { tolerance: 1e-12 * (1 + l2) },
        ),
        "F(x; V) - F(x; V₀) less √m/τ g(x), greatest": sampled(
          greatest(({ before, after, wanted }) => after - before - wanted),
          Math.sqrt(m) * l1,
          { tolerance: rounding },
        ),
        "F(x; V) less √m/τ g(x), greatest": sampled(
          greatest(({ after, wanted }) => after - wanted),
          sizeOnBallBound(d, m, delta) + Math.sqrt(m) * l1,
          { delta: 3 * delta },
        ),
        "longest step of a row, as printed": checked(
          longest,
          (2 ** (d + 1) * largest) / (tau ** (d - 1) * Math.sqrt(m)),
        ),
        "F(x; V) - F₀(x; V₀), greatest": checked(
          greatest(({ before, after }) => after - before),
          0,
          { tolerance: rounding },
        ),
      },
    };
  },
});

/** a_j = +-1 and v_j ~ N(0, I), of one stream: there are many rows. */
function drawRows(m: number, d: number, random: Random): ShallowNetwork {
  const flat = random.normal(m * d);
  return {
    sigma: "relu",
    a: Array.from(random.uniform(m), (u) => (u < 0.5 ? -1 : 1)),
    V: Array.from({ length: m }, (_, j) => flat.subarray(j * d, (j + 1) * d)),
  };
}

/** k directions, as far from each other as they can be on a circle; signs change, and sizes from 1/2 to 1. */
function reference(d: number, k: number, size: number, random: Random): ReferenceNetwork {
  const turn = 2 * Math.PI * random.uniform();
  const alpha = Array.from({ length: k }, (_, i) =>
    i === 0 ? size : ((i % 2 === 0 ? 1 : -1) * size * (1 + random.uniform())) / 2,
  );
  const beta = Array.from({ length: k }, (_, i) => {
    const angle = turn + (2 * Math.PI * i) / k;
    return d === 1 ? [i === 0 ? 1 : -1] : [Math.cos(angle), Math.sin(angle), ...Array<number>(d - 2).fill(0)];
  });
  return { alpha, beta };
}

/** The part of all rows that is within tau of beta and has the sign of alpha. */
const nearShare = ({ a, V }: ShallowNetwork, beta: ArrayLike<number>, alpha: number, tau: number): number =>
  V.filter((v, j) => {
    const length = Math.sqrt(dot(v, v));
    const distance = Math.sqrt(Math.max(0, 2 - (2 * dot(v, beta)) / length));
    return a[j]! * alpha > 0 && distance <= tau;
  }).length / V.length;

/** Points of the ball: on the sphere, and inside of it. */
const spread = (d: number, count: number, random: Random): readonly Float64Array[] =>
  Array.from({ length: count }, (_, n) =>
    random.sphere(d).map((v) => (n % 4 === 3 ? random.uniform() * v : v)),
  );

/**
 * The printed scale times alpha, less all that F(beta; V) can be within the printed distance B of V_0: rows of sign + have
 * at most sum relu(<v_0j, beta>) + sqrt(count) B, and the others at most 0.
 */
function printedShortfall(
  { a, V }: ShallowNetwork,
  beta: ArrayLike<number>,
  alpha: number,
  tau: number,
): number {
  const [m, d] = [V.length, beta.length];
  const factor = 2 ** (d + 1) / tau ** (d - 1);
  const plus = V.filter((_, j) => a[j] === 1);
  const before = plus.reduce((sum, v) => sum + Math.max(0, dot(v, beta)), 0);
  return factor * alpha * (Math.sqrt(m) - Math.sqrt(plus.length)) - before;
}

/** F(x; V) of two inputs, in a loop that bears half a million rows. */
function inPlane(a: readonly number[], V: readonly Float64Array[], x: readonly number[]): number {
  const [p, q] = [x[0]!, x[1]!];
  let sum = 0;
  for (let j = 0; j < V.length; j++) sum += a[j]! * Math.max(0, V[j]![0]! * p + V[j]![1]! * q);
  return sum;
}

/** tau F / sqrt(m) along the circle for smaller and smaller tau. */
async function figure(
  random: Random,
  delta: number,
  progress: (part: number) => Promise<void>,
): Promise<Figure> {
  const g = { alpha: [1, -0.7, 0.5], beta: [0.4, 2.5, 4.6].map((t) => [Math.cos(t), Math.sin(t)]) };
  const angles = Array.from({ length: 121 }, (_, n) => (2 * Math.PI * n) / 120);
  const circle = angles.map((t) => [Math.cos(t), Math.sin(t)]);
  const series = [];
  for (const tau of [0.3, 0.1, 0.05]) {
    const m = plantingWidth(2, 3, tau, delta);
    const start = drawRows(m, 2, random.split(tau));
    const planted = plant(start, g, tau)!;
    await progress(0.6);
    series.push({
      name: `τ = ${tau}, ${m.toLocaleString("en")} units`,
      mark: "line" as const,
      points: circle.map((x, n) => [angles[n]!, inPlane(start.a, planted.V, x) / planted.scale] as const),
    });
    await progress(0.9);
  }
  return {
    title: "A network of three units, planted in wide random ones",
    panels: [
      {
        title: "τ F / √m along the circle",
        x: { label: "angle" },
        y: { label: "value" },
        series: [
          ...series,
          {
            name: "g",
            mark: "line",
            role: "theory",
            points: circle.map((x, n) => [angles[n]!, referenceValue(g, x)] as const),
          },
        ],
      },
    ],
  };
}
