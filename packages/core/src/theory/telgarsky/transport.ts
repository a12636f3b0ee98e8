import {
  frobeniusDistance,
  type ShallowNetwork,
  shallowGraph,
  shallowTaylor,
} from "../../dynamics/shallow-network.ts";
import { infiniteWidth, type Transport, transported } from "../../dynamics/transport.ts";
import type { Figure } from "../../figure/figure.ts";
import { type ActivationName, activation } from "../../functions/activation.ts";
import { dot } from "../../linear-algebra/dot.ts";
import type { Random } from "../../numbers/random.ts";
import { atMost, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";

/** How often Hoeffding's inequalities may fail together. */
const delta = 1e-3;
const maps = ["all rows", "half of the rows", "wave"] as const;
type MapName = (typeof maps)[number];

const amounts: Readonly<Record<MapName, Pick<Transport, "amount" | "jumps">>> = {
  "all rows": { amount: () => 1, jumps: [] },
  "half of the rows": { amount: (z) => (z >= 0 ? 1 : 0), jumps: [0] },
  wave: { amount: Math.cos, jumps: [] },
};

export default lemma({
  id: "T-17",
  covers: ["T-17"],
  kind: "construction",
  title: "A map that moves weights, and the infinitely wide network that it defines",
  source: "Telgarsky, Theorem 3.14",
  statement: String.raw`v_j = v_{0,j} + \frac{a_j}{\rho_m \sqrt m} \mathcal{T}(v_{0,j}), \quad \rho_m \le \frac{C}{\ln(1 + m)^2}: \qquad \frac{\rho_m}{\sqrt m} F_0(x; V^{(m)}) \to F_\infty(x; \mathcal{T}) = \mathbb{E}_v \langle \mathcal{T}(v), x \sigma'(v^\top x) \rangle`,
  parameters: {
    sigma: choice(["relu", "tanh", "softplus"], { label: "activation" }),
    map: choice(maps, { label: "rows that T moves" }),
    d: integer({ min: 1, max: 6, default: 2, label: "inputs d" }),
    m: integer({ min: 100, max: 50000, default: 20000, label: "units m" }),
    C: real({ min: 0.2, max: 4, default: 1, label: "C" }),
  },
  claims: {
    "F_∞ of a ReLU network, by quadrature": equals(
      String.raw`\langle u, x \rangle \cdot \tfrac12, \; \tfrac{\pi - \theta}{2\pi}, \; \tfrac12 e^{-\|w\|^2 / 2} \text{ for } \mathcal{T}(v) = u, \; u \mathbf{1}[w^\top v \ge 0], \; u \cos(w^\top v)`,
    ),
    "ρ/√m F₀(x; V)": equals(
      String.raw`\tfrac{\rho}{\sqrt m} \textstyle\sum_j a_j \sigma(v_{0,j}^\top x) + \tfrac1m \sum_j \mathcal{T}(v_{0,j})^\top x \sigma'(v_{0,j}^\top x)`,
    ),
    "ρ/√m F₀(x; V), near its limit": equals(
      String.raw`F_\infty(x; \mathcal{T}) \pm \|\mathcal{T}\|_\infty \|x\| \mathrm{Lip}(\sigma) \sqrt{2 \ln(4/\delta) / m} \pm \rho \sqrt{2 \ln(4/\delta) \, \overline{\sigma^2}} \quad (\text{Hoeffding, twice})`,
    ).probable(),
    "distance of V from V₀": atMost(String.raw`\|\mathcal{T}\|_\infty / \rho_m`),
    "ρ/√m F₀(x; V), with the weights of (3.13) as printed": equals(
      String.raw`F_\infty(x; \mathcal{T}), \text{ to the same two terms}`,
    )
      .probable()
      .printed({
        where: "(3.13)",
        printed: String.raw`v_j := v_{0,j} + \frac{a_j \rho}{\sqrt{m}} \mathcal{T}(v_{0,j})`,
        corrected: String.raw`v_j := v_{0,j} + \frac{a_j}{\rho \sqrt{m}} \mathcal{T}(v_{0,j})`,
      }),
  },
  mutants: {
    "σ' forgotten": {
      "F_∞ of a ReLU network, by quadrature": ({ map }, { theory }) =>
        map === "half of the rows" ? Number.NaN : 2 * theory,
    },
    "ρ upside down": {
      "ρ/√m F₀(x; V), near its limit": ({ m, C }, { theory }) => theory * (C / Math.log(1 + m) ** 2) ** 2,
    },
    "√m for m": { "ρ/√m F₀(x; V), near its limit": ({ m }, { theory }) => Math.sqrt(m) * theory },
  },
  async run({ sigma, map, d, m, C }, { random, budget, progress }) {
    const transport = drawTransport(map, d, random.split("map"));
    const x = [...random.split("x").sphere(d)];
    const start = drawRows(sigma, m, d, random.split("start"));
    const rho = C / Math.log(1 + m) ** 2;
    const limit = infiniteWidth(sigma, transport, x);
    const V = transported(start, transport, 1 / (rho * Math.sqrt(m)));
    const asPrinted = transported(start, transport, rho / Math.sqrt(m));
    await progress(0.4);
    const scaled = (rows: readonly Float64Array[]): number =>
      (rho / Math.sqrt(m)) * shallowTaylor(start, rows, x);
    const { noise, signal, meanSquare } = parts(start, transport, x, rho);
    const reach = Math.sqrt(dot(transport.u, transport.u));
    const spread = Math.sqrt(2 * Math.log(4 / delta));
    const tolerance =
      (reach * activation(sigma).lipschitz * spread) / Math.sqrt(m) + rho * spread * Math.sqrt(meanSquare);
    return {
      ...(m <= 5000 && { graph: shallowGraph({ ...start, V }) }),
      ...(budget !== "cheap" && { figure: figure(sigma, transport, d, C, random.split("figure")) }),
      claims: {
        "F_∞ of a ReLU network, by quadrature": checked(
          infiniteWidth("relu", transport, x),
          closedForm(map, transport, x),
          // A panel may end inside of the tail; and a half-space that is nearly that of x is steep.
          { tolerance: 1e-6 * reach },
        ),
        "ρ/√m F₀(x; V)": checked(scaled(V), noise + signal, {
          tolerance: 1e-13 * Math.sqrt(m) * (1 + reach),
        }),
        "ρ/√m F₀(x; V), near its limit": sampled(scaled(V), limit, { delta, tolerance }),
        "distance of V from V₀": checked(frobeniusDistance(V, start.V), reach / rho, {
          tolerance: (1e-10 * reach) / rho,
        }),
        "ρ/√m F₀(x; V), with the weights of (3.13) as printed": sampled(scaled(asPrinted), limit, {
          delta,
          tolerance,
        }),
      },
    };
  },
});

function drawTransport(map: MapName, d: number, random: Random): Transport {
  const u = [...random.sphere(d)].map((v) => 2 * v);
  return { u, w: [...random.sphere(d)], ...amounts[map] };
}

/** a_j = +-1 and v_j ~ N(0, I), of one stream: there are many rows. */
function drawRows(sigma: ActivationName, m: number, d: number, random: Random): ShallowNetwork {
  const flat = random.normal(m * d);
  return {
    sigma,
    a: Array.from(random.uniform(m), (v) => (v < 0.5 ? -1 : 1)),
    V: Array.from({ length: m }, (_, j) => flat.subarray(j * d, (j + 1) * d)),
  };
}

/** Of the scaled expansion, what the start gives and what the map gives; and the mean square of sigma. */
function parts(
  { sigma, a, V }: ShallowNetwork,
  { u, w, amount }: Transport,
  x: readonly number[],
  rho: number,
) {
  const { value, derivative } = activation(sigma);
  let [noise, signal, squares] = [0, 0, 0];
  V.forEach((v, j) => {
    const z = dot(v, x);
    const [unit, slope] = [value(z), z === 0 ? 1 : derivative(1, z)];
    noise += a[j]! * unit;
    squares += unit * unit;
    signal += amount(dot(w, v)) * dot(u, x) * slope;
  });
  const m = V.length;
  return { noise: (rho * noise) / Math.sqrt(m), signal: signal / m, meanSquare: squares / m };
}

/** Of the ReLU, sigma'(z) = 1[z >= 0]: half of all v; both half-spaces; half of E cos, which is even in v. */
function closedForm(map: MapName, { u, w }: Transport, x: readonly number[]): number {
  const cosine = dot(w, x) / Math.sqrt(dot(w, w) * dot(x, x));
  const angle = Math.acos(Math.max(-1, Math.min(1, cosine)));
  const mean = {
    "all rows": 1 / 2,
    "half of the rows": (Math.PI - angle) / (2 * Math.PI),
    wave: Math.exp(-dot(w, w) / 2) / 2,
  }[map];
  return dot(u, x) * mean;
}

/** Widths from 100 to 100,000, three draws each, at the point towards which rows move. */
function figure(sigma: ActivationName, transport: Transport, d: number, C: number, random: Random): Figure {
  const reach = Math.sqrt(dot(transport.u, transport.u));
  const x = transport.u.map((v) => v / reach);
  const limit = infiniteWidth(sigma, transport, x);
  const widths = [100, 300, 1000, 3000, 10000, 30000, 100000];
  const drawn = widths.flatMap((m) =>
    [0, 1, 2].map((n) => {
      const start = drawRows(sigma, m, d, random.split(`${m}/${n}`));
      const rho = C / Math.log(1 + m) ** 2;
      const at = (factor: number): readonly [number, number] => [
        m,
        (rho / Math.sqrt(m)) * shallowTaylor(start, transported(start, transport, factor), x),
      ];
      return { right: at(1 / (rho * Math.sqrt(m))), printed: at(rho / Math.sqrt(m)) };
    }),
  );
  return {
    title: "Moved weights, wider and wider",
    panels: [
      {
        title: "The scaled expansion at one point",
        x: { label: "units m", scale: "log" },
        y: { label: "ρ F₀(x; V) / √m" },
        series: [
          {
            name: "F∞",
            mark: "line",
            role: "theory",
            points: [widths[0]!, widths.at(-1)!].map((m) => [m, limit] as const),
          },
          { name: "T / (ρ √m)", mark: "dots", points: drawn.map(({ right }) => right) },
          { name: "ρ T / √m, as printed", mark: "dots", points: drawn.map(({ printed }) => printed) },
        ],
      },
    ],
  };
}
