import { run } from "../../engine/run.ts";
import { numbers, view } from "../../graph/tensor.ts";
import { generatorOf } from "../../inverse/generator.ts";
import { latentDescent } from "../../inverse/latent-descent.ts";
import { lengthOf } from "../../inverse/linear-map.ts";
import { gaussianOperator } from "../../inverse/operators.ts";
import { leastSquares } from "../../linear-algebra/least-squares.ts";
import type { Matrix } from "../../linear-algebra/matrix-norm.ts";
import type { Random } from "../../numbers/random.ts";
import { initialNetwork } from "../../train/network.ts";
import { atMost, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer } from "../parameter.ts";

export default lemma({
  id: "C9-06",
  covers: ["C9-06", "C9-07"],
  kind: "algorithm",
  title: "Descent in latent space, and the one other place that it may end in",
  source: "Book, chapter 9, (9.1); Bora et al. 2017; Hand and Voroninski 2017",
  statement: String.raw`\hat z = \arg\min_z \|A G(z) - y\|^2; \qquad \theta_0 = \pi, \; \theta_{i+1} = \arccos \frac{(\pi - \theta_i) \cos \theta_i + \sin \theta_i}{\pi}, \quad \rho_d = \sum_{i < d} \frac{\sin \theta_i}{\pi} \prod_{i < j < d} \frac{\pi - \theta_j}{\pi} = \cos \theta_d`,
  parameters: {
    k: integer({ min: 1, max: 3, default: 2, label: "latent numbers" }),
    m: integer({ min: 4, max: 10, default: 8, label: "measurements" }),
    depth: integer({ min: 1, max: 8, default: 3, label: "layers d" }),
    wide: integer({ min: 1, max: 2, default: 2, label: "layers of the wide network" }),
  },
  claims: {
    "linear generator: misfit of descent, less that of least squares": equals("0"),
    "objective returned, of the least of all starts": atMost("1"),
    "ρ_d by its sum": equals(String.raw`\cos \theta_d`),
    ρ_2: equals(String.raw`1/\pi`),
    "wide random network: cosine of the angle of G(z) and G(-z)": equals(String.raw`\cos \theta_d`),
    "mean loss along the line through z*: the other place where its slope is 0": equals(String.raw`-\rho_d`),
  },
  mutants: {
    "angles of one layer less": ({ depth, wide, ...rest }) => ({ ...rest, depth: depth + 1, wide }),
    "ρ without its products": { "ρ_d by its sum": (_, { theory }) => theory + 0.1 },
    "z* once more": {
      "mean loss along the line through z*: the other place where its slope is 0": () => 1,
    },
  },
  async run({ k, m, depth, wide }, { random }) {
    const n = 14;
    const generator = generatorOf(
      initialNetwork(`${k}-${n}`, { seed: random.integer(0, 1e6), type: "float64" }),
    );
    const W = numbers(generator.graph.initializers.get("layer1.weight") as never);
    const map = gaussianOperator(m, n, random.split("A"));
    const y = random.split("y").normal(m);
    const found = await latentDescent(generator, map, y, random.split("starts"), { steps: 20, restarts: 3 });
    const columns = Array.from({ length: k }, (_, j) =>
      map.apply(Float64Array.from(W.slice(j * n, (j + 1) * n))),
    );
    const seen: Matrix = {
      ...{ rows: m, columns: k },
      entries: Float64Array.from({ length: m * k }, (_, at) => columns[at % k]![Math.floor(at / k)]!),
    };
    const { residuals } = await leastSquares(seen, { rows: m, columns: 1, entries: y });
    const angles = anglesOf(depth);
    const rho = rhoOf(depth);
    return {
      claims: {
        "linear generator: misfit of descent, less that of least squares": checked(
          (Math.sqrt(found.objective) - residuals[0]!) / lengthOf(y),
          0,
          { tolerance: 1e-9 },
        ),
        "objective returned, of the least of all starts": checked(
          found.objective / Math.min(...found.restarts),
          1,
          {
            tolerance: 1e-12,
          },
        ),
        "ρ_d by its sum": checked(rho, Math.cos(angles.at(-1)!), { tolerance: 1e-13 }),
        ρ_2: checked(rhoOf(2), 1 / Math.PI, { tolerance: 1e-15 }),
        "wide random network: cosine of the angle of G(z) and G(-z)": sampled(
          await mirrored(wide, random.split("wide")),
          Math.cos(anglesOf(wide).at(-1)!),
          // Means of 400 products, each of deviation below 1.6: five deviations.
          { tolerance: 0.4 },
        ),
        "mean loss along the line through z*: the other place where its slope is 0": checked(
          leastBelow((t) => t * t + 2 * t * Math.cos(angles.at(-1)!) + 1),
          -rho,
          { tolerance: 1e-7 },
        ),
      },
    };
  },
});

/** theta_0 to theta_d. */
function anglesOf(depth: number): number[] {
  const angles = [Math.PI];
  for (let i = 0; i < depth; i++) {
    const theta = angles[i]!;
    angles.push(Math.acos(((Math.PI - theta) * Math.cos(theta) + Math.sin(theta)) / Math.PI));
  }
  return angles;
}

function rhoOf(depth: number): number {
  const angles = anglesOf(depth);
  let rho = 0;
  for (let i = 0; i < depth; i++) {
    let term = Math.sin(angles[i]!) / Math.PI;
    for (let j = i + 1; j < depth; j++) term *= (Math.PI - angles[j]!) / Math.PI;
    rho += term;
  }
  return rho;
}

/** The cosine of the angle between G(z) and G(-z), G of so many random ReLU layers. */
async function mirrored(layers: number, random: Random): Promise<number> {
  const width = 400;
  const spec = ["3", ...Array.from({ length: layers }, () => `${width}-relu`)].join("-");
  const net = initialNetwork(spec, { seed: random.integer(0, 1e6), type: "float64" });
  const z = random.normal(3);
  const both = Float64Array.of(...z, ...z.map((v) => -v));
  const y = numbers((await run(net, { x: view("float64", [2, 3], both) }))["y"]!);
  const [a, b] = [Float64Array.from(y.subarray(0, width)), Float64Array.from(y.subarray(width))];
  return a.reduce((sum, v, j) => sum + v * b[j]!, 0) / (lengthOf(a) * lengthOf(b));
}

/** Where a convex function is least below 0, by a golden section. */
function leastBelow(f: (t: number) => number): number {
  let [a, b] = [-2, 0];
  const golden = (Math.sqrt(5) - 1) / 2;
  for (let step = 0; step < 60; step++) {
    const [p, q] = [b - golden * (b - a), a + golden * (b - a)];
    if (f(p) < f(q)) b = q;
    else a = p;
  }
  return (a + b) / 2;
}
