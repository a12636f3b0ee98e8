import {
  drawShallow,
  frobeniusDistance,
  type ShallowNetwork,
  shallowGraph,
  shallowTaylor,
  shallowValue,
} from "../../dynamics/shallow-network.ts";
import { greatestCurvature } from "../../dynamics/taylor-gap.ts";
import { run } from "../../engine/run.ts";
import type { Figure } from "../../figure/figure.ts";
import { activation } from "../../functions/activation.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import { dot } from "../../linear-algebra/dot.ts";
import type { Random } from "../../numbers/random.ts";
import { jacobianVectorProduct } from "../../passes/tangent.ts";
import { atMost, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";

type Rows = readonly Float64Array[];

export default lemma({
  id: "T-13",
  covers: ["T-12", "T-13"],
  kind: "bound",
  title: "Smooth networks stay near their Taylor expansion, whatever their width",
  source: "Telgarsky, Definition 3.1 and Proposition 3.4",
  statement: String.raw`F_0(x; V) = F(x; V_0) + \langle \partial F(x; V_0), V - V_0 \rangle, \qquad |F(x; V) - F_0(x; V)| \le \frac{\beta \|a\|_\infty}{2} \|V - V_0\|_F^2 \quad (\|x\| \le 1)`,
  parameters: {
    sigma: choice(["tanh", "logistic", "softplus"], { label: "activation" }),
    d: integer({ min: 1, max: 8, default: 3, label: "variables d" }),
    m: integer({ min: 1, max: 400, default: 100, label: "units m" }),
    B: real({ min: 0.01, max: 3, default: 1, label: "distance B from the start" }),
  },
  claims: {
    "greatest curvature of the activation": equals(String.raw`\beta = 4/(3\sqrt3), \; 1/(6\sqrt3), \; 1/4`),
    "Taylor expansion: Jacobian-vector product on ONNX Runtime, difference to the sum": equals("0"),
    "gap over the bound: random weights, random rows, rows where the slope changes fastest": atMost("1"),
    "gap, one row moved by 0.01 from where the slope changes fastest, over the bound": equals("1"),
    "gap, all rows moved along x from there by B / 100 together, over the bound": equals("1"),
    "gap as printed, to the expansion at the start": atMost(
      String.raw`\tfrac12 \beta \|a\|_\infty \|V - V_0\|_F^2`,
    ).printed({
      where: "Proposition 3.4",
      printed: String.raw`$|F(x; (a_0, V)) - F_0(x; (a_0, V_0))| \leq \frac{\beta \|a\|_\infty}{2} \|V - V_0\|_F^2$`,
      corrected:
        "$|F(x; (a_0, V)) - F_0(x; (a_0, V))|$ on the left: $F_0(x; (a_0, V_0))$ is $F(x; (a_0, V_0))$, from which $F$ moves away linearly",
    }),
  },
  mutants: {
    "half of the curvature": {
      "greatest curvature of the activation": (_, { theory }) => theory / 2,
      "gap, one row moved by 0.01 from where the slope changes fastest, over the bound": () => 0.5,
    },
    "no half in the bound": {
      "gap, all rows moved along x from there by B / 100 together, over the bound": () => 0.5,
    },
  },
  async run({ sigma, d, m, B }, { random, progress }) {
    const { at, beta } = greatestCurvature[sigma];
    const start = drawShallow(sigma, m, d, random.split("start"));
    const x = random.split("x").sphere(d);
    const V = moved(start.V as Rows, B, random.split("move"));
    const bound = 0.5 * beta * frobeniusDistance(V, start.V) ** 2;
    const expansion = await onRuntime(start, V, x);
    await progress(0.5);
    const bent = (count: number): ShallowNetwork => ({
      sigma,
      a: new Array<number>(count).fill(1),
      V: Array.from({ length: count }, () => x.map((v) => v * at)),
    });
    const gap = Math.abs(shallowValue({ ...start, V }, x) - shallowTaylor(start, V, x));
    const size = m * 3 + Math.abs(shallowTaylor(start, V, x));
    return {
      graph: shallowGraph(start),
      figure: figure(start, beta, x, random.split("figure")),
      claims: {
        "greatest curvature of the activation": checked(curvature(sigma), beta, { tolerance: 1e-9 * beta }), // a maximum of a fine search
        "Taylor expansion: Jacobian-vector product on ONNX Runtime, difference to the sum": checked(
          Math.abs(expansion - shallowTaylor(start, V, x)),
          0,
          { tolerance: 1e-13 * size },
        ),
        "gap over the bound: random weights, random rows, rows where the slope changes fastest": sampled(
          Math.max(gap / bound, rowByRow(start, V, x, beta), along(bent(m), x, B / Math.sqrt(m), beta)),
          1,
          { tolerance: (1e-15 * size) / bound },
        ),
        "gap, one row moved by 0.01 from where the slope changes fastest, over the bound": checked(
          along(bent(1), x, 0.01, beta),
          1,
          { tolerance: 1e-4 }, // the third derivative is 0 there: what is left is of order 0.01^2
        ),
        "gap, all rows moved along x from there by B / 100 together, over the bound": checked(
          along(bent(m), x, B / 100 / Math.sqrt(m), beta),
          1,
          { tolerance: 1e-3 * B ** 2 + (1e-15 * m * 3 * m) / (B / 100) ** 2 }, // the next order, and cancellation
        ),
        "gap as printed, to the expansion at the start": sampled(
          Math.abs(shallowValue({ ...start, V }, x) - shallowValue(start, x)),
          bound,
        ),
      },
    };
  },
});

/** V with |V - V_0| = B, in a direction that is drawn. */
function moved(start: Rows, B: number, random: Random): Rows {
  const [m, d] = [start.length, start[0]!.length];
  const direction = random.sphere(m * d);
  return start.map((v, j) => v.map((value, k) => value + B * direction[j * d + k]!));
}

/** F_0(x; V) as a graph computes it: the value, and how it moves with the inner weights. */
async function onRuntime(start: ShallowNetwork, V: Rows, x: Float64Array): Promise<number> {
  const tangent = jacobianVectorProduct(shallowGraph(start), { wrt: ["W1"] });
  const move = V.map((v, j) => Array.from(v, (value, k) => value - start.V[j]![k]!));
  const { y, tangent_y: slope } = await run(tangent, { x: tensor([[...x]]), tangent_W1: tensor(move) });
  return numbers(y!)[0]! + numbers(slope!)[0]!;
}

/** The gap over the bound where every row moves by this step along x. */
function along(start: ShallowNetwork, x: Float64Array, step: number, beta: number): number {
  const V = start.V.map((v) => Float64Array.from(v, (value, k) => value + step * x[k]!));
  const gap = Math.abs(shallowValue({ ...start, V }, x) - shallowTaylor(start, V, x));
  return gap / (0.5 * beta * frobeniusDistance(V, start.V) ** 2);
}

/** The same for the networks of one row that moves by 0.01 at least, the greatest. */
const rowByRow = (start: ShallowNetwork, V: Rows, x: Float64Array, beta: number): number =>
  start.V.reduce((most, v, j) => {
    const step = dot(V[j]!, x) - dot(v, x);
    return Math.abs(step) < 0.01 ? most : Math.max(most, along({ ...start, a: [1], V: [v] }, x, step, beta));
  }, 0);

/** max |sigma''|, by search: a grid, then a finer one around its best point. */
function curvature(sigma: keyof typeof greatestCurvature): number {
  const second = (z: number): number => Math.abs(activation(sigma).derivative(2, z));
  let [centre, width] = [0, 8];
  for (let round = 0; round < 12; round++) {
    const grid = Array.from({ length: 41 }, (_, k) => centre + (width * (k - 20)) / 20);
    centre = grid.reduce((best, z) => (second(z) > second(best) ? z : best));
    width /= 8;
  }
  return second(centre);
}

function figure(start: ShallowNetwork, beta: number, x: Float64Array, random: Random): Figure {
  const radii = Array.from({ length: 25 }, (_, k) => 10 ** (-2 + k / 8));
  const direction = moved(start.V as Rows, 1, random);
  const far = (B: number): Rows =>
    start.V.map((v, j) => Float64Array.from(v, (value, k) => value + B * (direction[j]![k]! - value)));
  const aligned = (B: number): Rows =>
    start.V.map((v, j) =>
      Float64Array.from(v, (value, k) => value + (start.a[j]! * B * x[k]!) / Math.sqrt(start.V.length)),
    );
  const gap = (V: Rows): number =>
    Math.abs(shallowValue({ ...start, V }, x) - shallowTaylor(start, V, x)) + 1e-17;
  const line = (name: string, f: (B: number) => number) => ({
    name,
    mark: "line" as const,
    points: radii.map((B) => [B, f(B)] as const),
  });
  return {
    title: "A network and its Taylor expansion at the start",
    panels: [
      {
        title: "The gap grows with the square of the distance",
        x: { label: "‖V - V₀‖", scale: "log" },
        y: { label: "|F - F₀|", scale: "log" },
        series: [
          { ...line("bound", (B) => 0.5 * beta * B * B), role: "theory" },
          line("rows moved along x", (B) => gap(aligned(B))),
          line("a random direction", (B) => gap(far(B))),
          line("|F(V) - F(V₀)|, random direction", (B) =>
            Math.abs(shallowValue({ ...start, V: far(B) }, x) - shallowValue(start, x)),
          ),
        ],
      },
    ],
  };
}
