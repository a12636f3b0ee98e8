import { run } from "../../engine/run.ts";
import type { Figure } from "../../figure/figure.ts";
import { numbers, view } from "../../graph/tensor.ts";
import { type Generator, generatorOf } from "../../inverse/generator.ts";
import { latentDescent, latentObjective } from "../../inverse/latent-descent.ts";
import type { LinearMap } from "../../inverse/linear-map.ts";
import { gaussianOperator } from "../../inverse/operators.ts";
import type { Random } from "../../numbers/random.ts";
import { gradient } from "../../passes/gradient.ts";
import { initialNetwork } from "../../train/network.ts";
import { atLeast, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer } from "../parameter.ts";

const size = 16;

export default lemma({
  id: "C9-12",
  covers: ["C9-12"],
  kind: "algorithm",
  title:
    "Phase retrieval with a generator: sizes of measurements are enough where signals have no negative entries",
  source: "Book, chapter 9, section 9.3.4; Hand, Leong and Voroninski 2018",
  statement: String.raw`\min_z \bigl\| |B G(z)| - y \bigr\|^2, \quad \nabla = 2 J^T B^T \bigl((|B G| - y) \operatorname{sgn}(B G)\bigr); \qquad G \ge 0 \;\Rightarrow\; \|G(z) + x^*\| \ge \|x^*\|`,
  parameters: {
    k: integer({ min: 1, max: 3, default: 2, label: "latent numbers" }),
    m: integer({ min: 6, max: 14, default: 10, label: "measurements" }),
    draw: integer({ min: 0, max: 1e6, default: 1, label: "which random network" }),
  },
  claims: {
    "slope of the objective, less differences": equals("0"),
    "slope of the objective, less its formula": equals("0"),
    "linear generator: objective at z, less that at -z": equals("0"),
    "least |G(z) + x*| on a grid, G ending in a ReLU": atLeast("|x*|"),
    "objective at the truth": equals("0"),
    "m = 6 k measurements: error of descent, of |x*|": equals("0").probable(),
    "slope of |t| at 0, from the right less from the left: descent follows a subgradient": equals("2"),
  },
  mutants: {
    "a slope without its factor 2": { "slope of the objective, less its formula": () => 0.5 },
    "a truth of twice the length": {
      "least |G(z) + x*| on a grid, G ending in a ReLU": (_, { theory }) => 2 * theory + 0.5,
    },
    "a descent that ends elsewhere": { "m = 6 k measurements: error of descent, of |x*|": () => 1 },
    "signs that are known": { "linear generator: objective at z, less that at -z": () => 1 },
  },
  async run({ k, m, draw }, { random, budget }) {
    const draws = random.split(`draw ${draw}`);
    const generator = generatorOf(
      initialNetwork(`${k}-10-relu-${size}-relu`, { seed: draw, type: "float64" }),
    );
    const map = gaussianOperator(m, size, draws.split("B"));
    const z = draws.split("z").normal(k);
    const truth = await made(generator, z);
    const y = map.apply(truth).map(Math.abs);
    const at = draws.split("at").normal(k);
    const slopes = await slopesAt(generator, map, y, at);
    const linear = generatorOf(initialNetwork(`${k}-${size}`, { seed: draw, type: "float64" }));
    const length = Math.hypot(...truth);
    const many = gaussianOperator(6 * k, size, draws.split("many"));
    const found =
      length > 0.1
        ? await latentDescent(generator, many, many.apply(truth).map(Math.abs), draws.split("starts"), {
            ...{ measured: "modulus", restarts: 20, steps: 120, polish: 80 },
          })
        : undefined;
    return {
      graph: latentObjective(generator, map, { measured: "modulus" }),
      ...(budget !== "cheap" && { figure: await successFigure(draws) }),
      claims: {
        ...(slopes.isSmooth && {
          "slope of the objective, less differences": checked(slopes.awayFromDifferences, 0, {
            tolerance: 1e-5,
          }),
        }),
        "slope of the objective, less its formula": checked(slopes.awayFromFormula, 0, { tolerance: 1e-10 }),
        "linear generator: objective at z, less that at -z": checked(
          Math.abs(
            (await objectiveAt(linear, map, y, at)) -
              (await objectiveAt(
                linear,
                map,
                y,
                at.map((v) => -v),
              )),
          ),
          0,
          { tolerance: 1e-12 * (1 + y.reduce((s, v) => s + v * v, 0)) },
        ),
        "least |G(z) + x*| on a grid, G ending in a ReLU": checked(
          await leastToOpposite(generator, truth),
          length,
          {
            tolerance: 1e-12,
          },
        ),
        "objective at the truth": checked(await objectiveAt(generator, map, y, z), 0, { tolerance: 1e-20 }),
        ...(found && {
          "m = 6 k measurements: error of descent, of |x*|": sampled(distance(found.x, truth) / length, 0, {
            tolerance: 0.01,
            delta: 0.1,
          }),
        }),
        "slope of |t| at 0, from the right less from the left: descent follows a subgradient": checked(
          kinkOfModulus(),
          2,
        ),
      },
    };
  },
});

const distance = (a: Float64Array, b: Float64Array): number => Math.hypot(...a.map((v, i) => v - b[i]!));

async function made(generator: Generator, z: Float64Array): Promise<Float64Array> {
  const found = await run(generator.graph, { [generator.input]: view("float64", [1, z.length], z) });
  return Float64Array.from(numbers(found[generator.output]!));
}

const inputsOf = (y: Float64Array, z: Float64Array) => ({
  z: view("float64", [1, z.length], z),
  y: view("float64", [1, y.length], y),
});

async function objectiveAt(
  generator: Generator,
  map: LinearMap,
  y: Float64Array,
  z: Float64Array,
): Promise<number> {
  const found = await run(latentObjective(generator, map, { measured: "modulus" }), inputsOf(y, z));
  return Number(numbers(found["each"]!)[0]);
}

/** The slope by the gradient pass, by differences, and by the formula with a Jacobian of differences of the layers by hand. */
async function slopesAt(generator: Generator, map: LinearMap, y: Float64Array, z: Float64Array) {
  const objective = latentObjective(generator, map, { measured: "modulus" });
  const slope = gradient(objective, { wrt: ["z"], of: ["total"], unitSeeds: true });
  const found = numbers((await run(slope, inputsOf(y, z)))["grad_z"]!);
  const h = 1e-6;
  const moved = (j: number, by: number): Float64Array => z.map((v, i) => (i === j ? v + by : v));
  let away = 0;
  for (let j = 0; j < z.length; j++) {
    const difference =
      ((await objectiveAt(generator, map, y, moved(j, h))) -
        (await objectiveAt(generator, map, y, moved(j, -h)))) /
      (2 * h);
    away = Math.max(away, Math.abs(Number(found[j]) - difference) / (1 + Math.abs(difference)));
  }
  // Forward with the derivative of each latent number beside: J by hand.
  const weight = (l: number): ArrayLike<number> =>
    numbers(generator.graph.initializers.get(`layer${l}.weight`) as never);
  let [x, J, nearest] = [Array.from(z), z.length, 1];
  let columns: number[][] = Array.from({ length: J }, (_, j) =>
    Array.from({ length: J }, (__, i) => Number(i === j)),
  );
  for (const [l, width] of [10, size].entries()) {
    const W = weight(l + 1);
    const times = (v: readonly number[]): number[] =>
      Array.from({ length: width }, (_, i) => v.reduce((sum, e, k) => sum + e * W[k * width + i]!, 0));
    const values = times(x);
    columns = columns.map((c) => times(c).map((v, i) => (values[i]! > 0 ? v : 0)));
    nearest = Math.min(nearest, ...values.map(Math.abs));
    x = values.map((v) => Math.max(0, v));
  }
  const seen = map.apply(Float64Array.from(x));
  const back = map.transpose(seen.map((v, i) => 2 * (Math.abs(v) - y[i]!) * Math.sign(v)));
  J = columns.length;
  const formula = columns.map((c) => c.reduce((sum, v, i) => sum + v * back[i]!, 0));
  return {
    awayFromDifferences: away,
    awayFromFormula: Math.max(...formula.map((v, j) => Math.abs(v - Number(found[j])) / (1 + Math.abs(v)))),
    // A kink within reach of the differences: nothing is compared.
    isSmooth: nearest > 1e-4 && Math.min(...seen.map(Math.abs)) > 1e-4,
  };
}

async function leastToOpposite(generator: Generator, truth: Float64Array): Promise<number> {
  const { latent } = generator;
  const side = latent === 1 ? 41 : latent === 2 ? 13 : 7;
  const points = side ** latent;
  const z = Float64Array.from(
    { length: points * latent },
    (_, i) => (6 * (Math.floor(Math.floor(i / latent) / side ** (i % latent)) % side)) / (side - 1) - 3,
  );
  const found = await run(generator.graph, { [generator.input]: view("float64", [points, latent], z) });
  const x = Float64Array.from(numbers(found[generator.output]!));
  let least = Number.POSITIVE_INFINITY;
  for (let p = 0; p < points; p++)
    least = Math.min(least, Math.hypot(...truth.map((v, i) => v + x[p * size + i]!)));
  return least;
}

/** Of |b x| along x = t b: exact in doubles. */
function kinkOfModulus(): number {
  const [h, at] = [2 ** -20, (t: number): number => Math.abs(t)];
  return (at(h) - at(0)) / h - (at(0) - at(-h)) / h;
}

/** The share of signals that come back, against measurements: sizes alone, and with their signs. */
async function successFigure(random: Random): Promise<Figure> {
  const [k, trials] = [3, 10];
  const ms = [2, 4, 6, 8, 12, 16, 20];
  const shares = async (measured: "modulus" | "linear") => {
    const points: (readonly [number, number])[] = [];
    for (const m of ms) {
      let good = 0;
      for (let t = 0; t < trials; t++) {
        const stream = random.split(`figure ${m} ${t}`);
        const generator = generatorOf(
          initialNetwork(`${k}-10-relu-${size}-relu`, { seed: t, type: "float64" }),
        );
        const map = gaussianOperator(m, size, stream.split("B"));
        const truth = await made(generator, stream.split("z").normal(k));
        const seen = map.apply(truth);
        const y = measured === "modulus" ? seen.map(Math.abs) : seen;
        const { x } = await latentDescent(generator, map, y, stream.split("s"), {
          ...{ measured, restarts: 20, steps: 150, polish: 80 },
        });
        if (distance(x, truth) <= 0.01 * Math.hypot(...truth)) good++;
      }
      points.push([m, good / trials]);
    }
    return points;
  };
  return {
    title: "Signals that come back to one part in a hundred",
    panels: [
      {
        ...{ title: `${k} latent numbers, ${trials} networks`, x: { label: "measurements" } },
        y: { label: "share", domain: [0, 1] },
        series: [
          { name: "with signs", mark: "line", points: await shares("linear") },
          { name: "sizes alone", mark: "line", points: await shares("modulus") },
        ],
      },
    ],
  };
}
