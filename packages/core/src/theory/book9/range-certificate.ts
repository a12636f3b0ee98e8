import { run } from "../../engine/run.ts";
import { numbers, view } from "../../graph/tensor.ts";
import { enoughMeasurements, rangeIsometry, squaredNormAbove } from "../../inverse/certificate.ts";
import { type Generator, generatorOf } from "../../inverse/generator.ts";
import { lengthOf } from "../../inverse/linear-map.ts";
import { gaussianOperator } from "../../inverse/operators.ts";
import { createRandom, type Random } from "../../numbers/random.ts";
import { lipschitzBound } from "../../passes/lipschitz.ts";
import { boxSlice, planeRegions } from "../../passes/regions/index.ts";
import { initialNetwork } from "../../train/network.ts";
import { atLeast, atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";

/** Latent numbers, numbers of a signal, and half of the side of the box of latent vectors. */
const [k, n, radius] = [2, 12, 2];

export default lemma({
  id: "C9-05",
  covers: ["C9-03", "C9-04", "C9-05"],
  kind: "bound",
  title:
    "How far a recovered signal is from the true one: restricted eigenvalues on the range of a generator",
  source: "Book, chapter 9, section 9.3.2; Bora et al. 2017, Lemma 4.3",
  statement: String.raw`\|A (x - x')\| \ge \gamma \|x - x'\| - \delta \text{ on } G([-r, r]^k), \; \|A (G(\bar z) - x^*)\| \le 2 \|G(\bar z) - x^*\| \;\Rightarrow\; \|G(\hat z) - x^*\| \le (1 + \tfrac4\gamma) \min_z \|G(z) - x^*\| + \tfrac{2 \|e\| + \delta}{\gamma}`,
  parameters: {
    hidden: integer({ min: 1, max: 5, default: 3, label: "hidden units" }),
    m: integer({ min: 6, max: 12, default: 10, label: "measurements" }),
    noise: real({ min: 0, max: 0.5, default: 0.05, label: "length of the noise" }),
    away: real({ min: 0, max: 1, default: 0.1, label: "distance of the truth from the range, at most" }),
    network: integer({ min: 0, max: 1e6, default: 1, label: "which random network" }),
  },
  claims: {
    "error of the best fit on a grid": atMost(
      String.raw`(1 + 4/\gamma) \min_z \|G(z) - x^*\| + (2 \|e\| + \delta) / \gamma`,
    ).looseBy(1.2),
    "error of any point of the range": atMost(
      String.raw`d + (\|A x - y\| + \|e\| + \|A\| d + \delta) / \gamma`,
    ),
    "least |A (x - x')| / |x - x'| of pairs of a grid": atLeast(String.raw`\gamma`),
    "one piece: least |A v| / |v|": equals(String.raw`\gamma`),
    "steepest piece": atMost("L"),
    L: atMost(String.raw`(a \, w_{\max})^d`).looseBy(10),
    "measurements with which γ > 0, of G(z / L)": atMost(String.raw`C k \log L = 0`).printed({
      where: "section 9.3.2",
      printed: "if the number of measurements scales as  $O(k \\log L)$",
      corrected:
        "$O(k \\log(L r / \\delta))$ for $\\|z\\| \\le r$: $G(z / L)$ has the same range and Lipschitz constant 1, and $C k \\log 1$ is 0 measurements",
    }),
    "k log(L r / δ) of G(z / L), less that of G": equals("0"),
    "measurements that suffice for k = 20, widths 500 and 784, γ = 4/5": equals("26141"),
  },
  mutants: {
    "γ of all pieces doubled": {
      "one piece: least |A v| / |v|": (_, { theory }) => 2 * theory,
    },
    "a bound without the noise": {
      "error of any point of the range": (_, { theory }) => theory / 4,
    },
    "the last layer forgotten": { "steepest piece": (_, { theory }) => theory / 3 },
  },
  async run({ hidden, m, noise, away, network: seed }, { random }) {
    const generator = generatorOf(
      initialNetwork(`${k}-${hidden}-relu-${n}`, { seed, type: "float64", initialization: "he-normal" }),
    );
    const map = gaussianOperator(m, n, random.split("A"));
    const isometry = (await rangeIsometry(generator, map, radius))!;
    const { gamma, delta } = isometry;
    const x = await onGrid(generator, 13);
    const truth = x[random.integer(0, x.length - 1)]!.slice();
    const off = random.split("off").sphere(n);
    for (let j = 0; j < n; j++) truth[j]! += away * off[j]!;
    const e = random.split("noise").sphere(m);
    const y = map.apply(truth).map((v, i) => v + noise * e[i]!);
    const seen = x.map((each) => map.apply(each));
    const misfits = seen.map((each) => distance(each, y));
    const errors = x.map((each) => distance(each, truth));
    const best = misfits.indexOf(Math.min(...misfits));
    const nearest = errors.indexOf(Math.min(...errors));
    const stretched = distance(seen[nearest]!, map.apply(truth));
    const norm = Math.sqrt(squaredNormAbove(map));
    // The point whose error is the greatest part of what is said of it.
    const said = misfits.map((misfit) => away + (misfit + noise + norm * away + delta) / gamma);
    const worst = errors.reduce((w, error, i) => (error / said[i]! > errors[w]! / said[w]! ? i : w), 0);
    const { regions } = await planeRegions(
      generator.graph,
      boxSlice(new Float64Array(k).fill(-radius), new Float64Array(k).fill(radius)),
    );
    const steepest = Math.max(...regions.map(({ map: { a, b } }) => steepness(a, b)));
    const L = lipschitzBound(generator.graph, 2);
    const line = generatorOf(initialNetwork(`1-${n}`, { seed, type: "float64" }));
    const w = Float64Array.from(numbers(line.graph.initializers.get("layer1.weight") as never));
    const logarithm = (lipschitz: number, r: number): number => k * Math.log((lipschitz * r) / 0.01);
    return {
      claims: {
        "error of the best fit on a grid": checked(
          errors[best]!,
          // The theorem's event |A d| <= 2 |d|; where it fails, with what |A d| / |d| is.
          (1 + (2 * Math.max(2, stretched / Math.max(errors[nearest]!, 1e-300))) / gamma) * errors[nearest]! +
            (2 * noise + delta) / gamma,
          { tolerance: 1e-9 },
        ),
        "error of any point of the range": checked(errors[worst]!, said[worst]!, { tolerance: 1e-9 }),
        "least |A (x - x')| / |x - x'| of pairs of a grid": checked(leastRatio(x, seen), gamma, {
          tolerance: 1e-9,
        }),
        "one piece: least |A v| / |v|": checked(
          lengthOf(map.apply(w)) / lengthOf(w),
          (await rangeIsometry(line, map, radius))!.gamma,
          { tolerance: 1e-7 },
        ),
        "steepest piece": checked(steepest, L),
        L: checked(L, (Math.max(k, hidden, n) * greatestWeight(generator)) ** 2),
        "measurements with which γ > 0, of G(z / L)": checked(await leastMeasurements(generator, seed), 0),
        "k log(L r / δ) of G(z / L), less that of G": checked(
          logarithm(1, L * radius) - logarithm(L, radius),
          0,
          {
            tolerance: 1e-12,
          },
        ),
        "measurements that suffice for k = 20, widths 500 and 784, γ = 4/5": checked(
          enoughMeasurements(20, [500, 784], 0.8, 0.01),
          26141,
        ),
      },
      table: {
        title: "What the certificate is made of",
        columns: ["gamma", "delta", "linear pieces", "pairs"],
        rows: [[gamma, delta, regions.length, isometry.looked]],
      },
    };
  },
});

const distance = (a: Float64Array, b: Float64Array): number => lengthOf(a.map((v, i) => v - b[i]!));

/** G on a grid of the box of latent vectors. */
async function onGrid(generator: Generator, side: number): Promise<Float64Array[]> {
  const z = new Float64Array(side * side * k);
  for (let i = 0; i < side * side; i++) {
    z[2 * i] = radius * ((2 * Math.floor(i / side)) / (side - 1) - 1);
    z[2 * i + 1] = radius * ((2 * (i % side)) / (side - 1) - 1);
  }
  const found = await run(generator.graph, { [generator.input]: view("float64", [side * side, k], z) });
  const x = Float64Array.from(numbers(found[generator.output]!));
  return Array.from({ length: side * side }, (_, i) => x.slice(i * n, (i + 1) * n));
}

function leastRatio(x: readonly Float64Array[], seen: readonly Float64Array[]): number {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < x.length; i++)
    for (let j = 0; j < i; j++) {
      const length = distance(x[i]!, x[j]!);
      if (length > 1e-6) least = Math.min(least, distance(seen[i]!, seen[j]!) / length);
    }
  return least;
}

/** The norm of the matrix with columns a and b. */
function steepness(a: Float64Array, b: Float64Array): number {
  const [aa, bb, ab] = [lengthOf(a) ** 2, lengthOf(b) ** 2, a.reduce((sum, v, i) => sum + v * b[i]!, 0)];
  return Math.sqrt((aa + bb + Math.hypot(aa - bb, 2 * ab)) / 2);
}

const greatestWeight = ({ graph }: Generator): number =>
  ["layer1.weight", "layer2.weight"].reduce(
    (most, name) =>
      Math.max(most, ...Array.from(numbers(graph.initializers.get(name) as never), (v) => Math.abs(v))),
    0,
  );

/** The fewest Gaussian measurements with which all pairs of pieces are told apart; scaling z changes no piece. */
async function leastMeasurements(generator: Generator, seed: number): Promise<number> {
  const random: Random = createRandom(seed).split("fewest");
  for (let m = 1; m < 2 * k + 1; m++) {
    const isometry = await rangeIsometry(generator, gaussianOperator(m, n, random), radius);
    if (isometry && isometry.gamma > 1e-4) return m;
  }
  return 2 * k + 1;
}
