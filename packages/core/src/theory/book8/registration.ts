import type { Figure } from "../../figure/figure.ts";
import { fourier } from "../../scattering/fourier.ts";
import { translated } from "../../scattering/translation.ts";
import { atLeast, checked, equals, sampled } from "../claim.ts";
import { HypothesisError, lemma } from "../lemma.ts";
import { choice, integer } from "../parameter.ts";
import { distance } from "./signals.ts";

export default lemma({
  id: "C8-06",
  covers: ["C8-06"],
  kind: "algorithm",
  title: "Registration: a signal moved to where its filtered maximum is the origin",
  source: "Book, chapter 8, section 8.2.4",
  statement: String.raw`\Phi x(u) = x(u + a(x)), \; a(x) = \arg\max_u |x \star h(u)|: \quad \Phi x_c = \Phi x, \qquad \|\Phi x - \Phi y\| \ge (2 \pi)^{-d/2} \| |\hat x| - |\hat y| \|`,
  parameters: {
    n: integer({ min: 4, max: 32, default: 16, label: "samples" }),
    c: integer({ min: 1, max: 3, default: 2, label: "translation" }),
    d: integer({ min: 1, max: 3, default: 3, label: "dimension d of Plancherel's formula" }),
    pair: choice(["a multiple", "drawn"], { label: "the other signal" }),
  },
  claims: {
    "|Φx_c - Φx|": equals("0"),
    "|Φx - Φy|": atLeast(String.raw`\| |\hat x| - |\hat y| \|, \text{ unitary}`),
    "|f| over |f̂| in d dimensions": equals(String.raw`(2 \pi)^{-d/2}`),
    "|Φx_c - Φx|, moved as printed": equals("0").printed({
      where: "sect. 8.2.4, canonical invariant",
      printed: String.raw`\Phi(\mathbf{x}) = \mathbf{x}(u - a(\mathbf{x}))`,
      corrected: String.raw`$\Phi(x) = x(u + a(x))$, with $a(x_c) = a(x) + c$`,
    }),
    "|Φx - Φy| over | |x̂| - |ŷ| |, y = 2x, in d dimensions": atLeast(String.raw`(2 \pi)^{-1}`).printed({
      where: "sect. 8.2.4, canonical invariant",
      printed: String.raw`\|\mathbf{x}(u - a(\mathbf{x})) - \mathbf{x}'(u - a(\mathbf{x}'))\| \geq (2\pi)^{-1} \||\hat{\mathbf{x}}(\omega)| - |\hat{\mathbf{x}}'(\omega)|\| .`,
      corrected: String.raw`$(2 \pi)^{-d/2}$: the printed one is too small for $d = 1$ and false from $d = 3$ on`,
    }),
  },
  mutants: {
    "another dimension": ({ d }) => ({ d: d === 1 ? 2 : 1 }),
    "twice the distance of the moduli": { "|Φx - Φy|": (_, { theory }) => 2 * theory },
  },
  run({ n, c, d, pair }, { random, budget }) {
    const x = random.normal(n);
    const filter = random.normal(n);
    const y = pair === "drawn" ? random.normal(n) : x.map((v) => 2 * v);
    const [a, b] = [anchor(x, filter), anchor(y, filter)];
    const moved = translated(x, [n], [c]);
    const registered = (z: Float64Array, by: number): Float64Array => translated(z, [n], [by]);
    const ratio = gaussianRatio() ** d;
    if (anchor(moved, filter) !== (a + c) % n)
      throw new HypothesisError("the filtered maximum must be at one place");
    return {
      ...(budget !== "cheap" && { figure: figure(x, filter) }),
      claims: {
        "|Φx_c - Φx|": checked(distance(registered(moved, -(a + c)), registered(x, -a)), 0),
        "|Φx - Φy|": checked(
          distance(registered(x, -a), registered(y, -b)),
          distance(modulus(x), modulus(y)),
          {
            tolerance: 1e-12 * n,
          },
        ),
        "|f| over |f̂| in d dimensions": sampled(ratio, (2 * Math.PI) ** (-d / 2), { tolerance: 1e-10 }),
        "|Φx_c - Φx|, moved as printed": checked(distance(registered(moved, a + c), registered(x, a)), 0),
        "|Φx - Φy| over | |x̂| - |ŷ| |, y = 2x, in d dimensions": sampled(ratio, 1 / (2 * Math.PI), {
          tolerance: 1e-10,
        }),
      },
    };
  },
});

/** Where |x * h| is greatest. */
function anchor(x: Float64Array, h: Float64Array): number {
  const n = x.length;
  let [best, most] = [0, -1];
  for (let u = 0; u < n; u++) {
    let sum = 0;
    for (let v = 0; v < n; v++) sum += x[v]! * h[(u - v + n) % n]!;
    if (Math.abs(sum) > most) [best, most] = [u, Math.abs(sum)];
  }
  return best;
}

const modulus = (x: Float64Array): Float64Array => {
  const { re, im } = fourier({ re: x, im: new Float64Array(x.length) });
  return re.map((v, k) => Math.hypot(v, im[k]!) / Math.sqrt(x.length));
};

/** |f| / |f^| of a Gaussian of one variable, both by sums: f^(omega) = int f(u) cos(omega u) du. */
function gaussianRatio(): number {
  const places = Array.from({ length: 121 }, (_, k) => (k - 60) / 6);
  const f = (u: number): number => Math.exp(-u * u);
  const transform = (omega: number): number =>
    places.reduce((sum, u) => sum + f(u) * Math.cos(omega * u), 0) / 6;
  const squares = (of: (t: number) => number): number => places.reduce((sum, t) => sum + of(t) ** 2, 0) / 6;
  return Math.sqrt(squares(f) / squares(transform));
}

function figure(x: Float64Array, filter: Float64Array): Figure {
  const n = x.length;
  const line = (name: string, z: Float64Array) => ({
    ...{ name, mark: "line" as const },
    points: Array.from(z, (v, u) => [u, v] as const),
  });
  return {
    title: "A signal, its translates, and where registration puts them",
    panels: [
      {
        title: "As they are",
        x: { label: "u" },
        y: { label: "x" },
        series: [0, 2, 4].map((c) => line(`moved by ${c}`, translated(x, [n], [c]))),
      },
      {
        title: "Registered",
        x: { label: "u" },
        y: { label: "Φx" },
        series: [0, 2, 4].map((c) => {
          const z = translated(x, [n], [c]);
          return line(`moved by ${c}`, translated(z, [n], [-anchor(z, filter)]));
        }),
      },
    ],
  };
}
