import { run } from "../../engine/run.ts";
import type { Figure } from "../../figure/figure.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import { symmetricEigen } from "../../linear-algebra/symmetric-eigen.ts";
import { energy } from "../../scattering/energy.ts";
import type { FilterBank } from "../../scattering/filter-bank.ts";
import { gridFourier } from "../../scattering/fourier.ts";
import { convolved, propagate } from "../../scattering/propagate.ts";
import { scattering } from "../../scattering/transform.ts";
import { translated } from "../../scattering/translation.ts";
import { atLeast, atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer } from "../parameter.ts";
import { bankNames, bankOf, distance, drawnSignal, norm } from "./signals.ts";

/** Three Fourier transforms after each other, of numbers of size 1. */
const rounding = 1e-11;

export default lemma({
  id: "C8-12",
  covers: ["C8-12", "C8-54", "C1b-43"],
  kind: "algorithm",
  title: "The windowed scattering transform: covariant, not expansive, and its kernel",
  source: "Book, chapter 8, Definition 8.2, Proposition 8.3; chapter 1, section 1.7.1",
  statement: String.raw`U[p + \lambda] x = |U[p] x \star \psi_\lambda|, \; S_J[p] x = U[p] x \star \phi_J: \quad \|S_J x - S_J y\| \le \|x - y\|`,
  parameters: {
    n: integer({ min: 8, max: 32, default: 24, label: "samples" }),
    J: integer({ min: 1, max: 3, default: 3, label: "scale J" }),
    bank: choice(bankNames, { label: "filter bank" }),
    pair: choice(["moved by a constant", "drawn"], { label: "the other signal" }),
  },
  claims: {
    "|Sx - Sy| / |x - y|, all paths up to order 3": atMost("1"),
    "|Ux| of a unitary bank": equals(String.raw`\|x\|`),
    "S T_v x - T_v S x, greatest": equals("0"),
    "S[p](cx) - |c| S[p]x, greatest, orders 1 and more": equals("0"),
    "S[p](x + c) - S[p]x, greatest, orders 1 and more": equals("0"),
    "the graph against the definition, greatest": equals("0"),
    "least eigenvalue of the Gram matrix, over the greatest": atLeast("0"),
    "distance by the kernel": equals(String.raw`\|S_J x - S_J y\|`),
    "|Ux - Uy| of a unitary bank": equals(String.raw`\|x - y\|`).printed({
      where: "sect. 8.3.2, before Proposition 8.3",
      printed: String.raw`if the wavelet decomposition is unitary then the propagator  $\mathcal{U}_J$  is also unitary.`,
      corrected: String.raw`it keeps norms, $\|\mathcal U_J x\| = \|x\|$, but not distances: the modulus loses the sign`,
    }),
    "|S[p]x| of order 3 with the bars as printed": equals(String.raw`\|S_J[p] x\|`).printed({
      where: "sect. 1.7.1",
      printed: String.raw`|||u * \psi_{j_1} | * \psi_{j_2} * \cdots | * \psi_{j_\ell} | * \varphi_J`,
      corrected: String.raw`|\cdots ||u * \psi_{j_1}| * \psi_{j_2}| \cdots * \psi_{j_\ell}| * \varphi_J: \text{ a modulus after every wavelet}`,
    }),
  },
  mutants: {
    "half of the distance": { "|Sx - Sy| / |x - y|, all paths up to order 3": () => 0.5 },
    "the low-pass part forgotten": { "|Ux| of a unitary bank": (_, { theory }) => theory * (1 - 1e-6) },
    "a kernel of sums": { "distance by the kernel": (_, { theory }) => 2 * theory },
  },
  async run({ n, J, bank: name, pair }, { random, budget }) {
    const bank = bankOf(name, n, J);
    const x = drawnSignal(random, n);
    const shift = 1 + random.uniform();
    const other = drawnSignal(random.split("other"), n);
    // Of few samples the same signal may be drawn twice.
    const y = pair === "drawn" && distance(x, other) > 0 ? other : x.map((v) => v + shift);
    const options = { order: 3, paths: "all" } as const;
    const features = (z: Float64Array): Float64Array =>
      Float64Array.from(propagate(z, bank, options).flatMap(({ averaged }) => [...averaged]));
    const [Sx, Sy] = [features(x), features(y)];
    const [Ux, Uy] = [propagated(x, bank), propagated(y, bank)];
    const v = random.integer(1, n - 1);
    const factor = -1 - random.uniform();
    const third = random.split("signal").normal(n);
    const gram = [Sx, Sy, features(third)].map((a, _, all) =>
      all.map((b) => a.reduce((sum, value, k) => sum + value * b[k]!, 0)),
    );
    const { values } = symmetricEigen(gram);
    const size = 1 + norm(x);
    const isUnitary = name !== "morlet";
    const bars = [J - 1, 0, J - 1];
    return {
      ...(budget !== "cheap" && { figure: figure(x, bank) }),
      claims: {
        "|Sx - Sy| / |x - y|, all paths up to order 3": checked(distance(Sx, Sy) / distance(x, y), 1, {
          tolerance: rounding,
        }),
        ...(isUnitary && {
          "|Ux| of a unitary bank": checked(norm(Ux), norm(x), { tolerance: rounding * size }),
          "|Ux - Uy| of a unitary bank": checked(distance(Ux, Uy), distance(x, y), {
            tolerance: rounding * size,
          }),
        }),
        "S T_v x - T_v S x, greatest": checked(
          greatest(
            propagate(translated(x, [n], [v]), bank).flatMap(({ averaged }) => [...averaged]),
            propagate(x, bank).flatMap(({ averaged }) => [...translated(averaged, [n], [v])]),
          ),
          0,
          { tolerance: rounding * size },
        ),
        "S[p](cx) - |c| S[p]x, greatest, orders 1 and more": checked(
          greatest(
            features(x.map((value) => factor * value)).subarray(n),
            Sx.subarray(n).map((value) => Math.abs(factor) * value),
          ),
          0,
          { tolerance: rounding * size },
        ),
        "S[p](x + c) - S[p]x, greatest, orders 1 and more": checked(
          greatest(features(x.map((value) => value + shift)).subarray(n), Sx.subarray(n)),
          0,
          { tolerance: rounding * size },
        ),
        "the graph against the definition, greatest": checked(await graphDeviation(x, J), 0, {
          tolerance: rounding * size,
        }),
        "least eigenvalue of the Gram matrix, over the greatest": checked(values[0]! / values.at(-1)!, 0, {
          tolerance: rounding,
        }),
        "distance by the kernel": checked(
          Math.sqrt(Math.max(0, gram[0]![0]! + gram[1]![1]! - 2 * gram[0]![1]!)),
          distance(Sx, Sy),
          // The difference of numbers of size |Sx|^2, under a root.
          { tolerance: 1e-6 * size },
        ),
        "|S[p]x| of order 3 with the bars as printed": checked(
          norm(withPrintedBars(x, bank, bars)),
          norm(propagate(x, bank, options).find(({ wavelets }) => wavelets.join() === bars.join())!.averaged),
          { tolerance: rounding * size },
        ),
      },
    };
  },
});

/** U x = (x * phi, |x * psi_lambda|), one after the other. */
const propagated = (x: Float64Array, bank: FilterBank): Float64Array =>
  Float64Array.from(
    propagate(x, bank, { order: 1 }).flatMap(({ wavelets, propagated: u, averaged }) =>
      wavelets.length === 0 ? [...averaged] : [...u],
    ),
  );

const greatest = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
  let most = 0;
  for (let k = 0; k < a.length; k++) most = Math.max(most, Math.abs(a[k]! - b[k]!));
  return most;
};

/** The ONNX graph that leaves out no samples, against convolutions one after the other. */
async function graphDeviation(x: Float64Array, J: number): Promise<number> {
  const n = x.length;
  const { graph } = scattering({
    ...{ shape: [n], scale: J, bank: "spline", padding: "none", oversampling: J, type: "float64" },
  });
  const { s } = await run(graph, { x: tensor([...x], { dims: [1, n], type: "float64" }) });
  const plain = propagate(x, bankOf("spline", n, J)).flatMap(({ averaged }) => [...averaged]);
  return greatest(numbers(s), plain);
}

/** ||u * psi_1| * psi_2 * psi_3| * phi. */
function withPrintedBars(x: Float64Array, bank: FilterBank, [a, b, c]: readonly number[]): Float64Array {
  const modulus = ({ re, im }: { re: Float64Array; im: Float64Array }): Float64Array =>
    re.map((v, k) => Math.hypot(v, im[k]!));
  const first = modulus(convolved(bank, gridFourier(bank.shape, x), bank.wavelets[a!]!));
  const second = convolved(bank, gridFourier(bank.shape, first), bank.wavelets[b!]!);
  const third = modulus(convolved(bank, gridFourier(bank.shape, second.re, second.im), bank.wavelets[c!]!));
  return convolved(bank, gridFourier(bank.shape, third), bank.lowPass).re;
}

function figure(x: Float64Array, bank: FilterBank): Figure {
  const scattered = propagate(x, bank);
  return {
    title: "Scattering of a signal: averages of moduli of wavelet coefficients",
    panels: [0, 1, 2].map((order) => ({
      title: `Order ${order}, ${((100 * scattered.filter((p) => p.wavelets.length === order).reduce((sum, p) => sum + energy(p.averaged), 0)) / energy(x)).toPrecision(3)} % of the energy`,
      x: { label: "u" },
      y: { label: order === 0 ? "x and S x" : "S[p] x" },
      series: [
        ...(order === 0
          ? [{ name: "x", mark: "dots" as const, points: Array.from(x, (v, u) => [u, v] as const) }]
          : []),
        ...scattered
          .filter(({ wavelets }) => wavelets.length === order)
          .map(({ wavelets, averaged }) => ({
            name: order === 0 ? "average" : `j = ${wavelets.join(", ")}`,
            mark: "line" as const,
            points: Array.from(averaged, (v, u) => [u, v] as const),
          })),
      ],
    })),
  };
}
