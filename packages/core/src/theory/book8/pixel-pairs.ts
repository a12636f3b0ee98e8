import type { Figure } from "../../figure/figure.ts";
import type { Random } from "../../numbers/random.ts";
import { gridFourier, inverseGridFourier } from "../../scattering/fourier.ts";
import {
  binned,
  type JointLaw,
  jointLaw,
  mutualInformation,
  separableLaw,
  totalVariation,
} from "../../scattering/joint-law.ts";
import { translated } from "../../scattering/translation.ts";
import { atLeast, atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer } from "../parameter.ts";

/** x^k = x^tap + 1 over the field of two elements is primitive: a register of k bits runs through all states but 0. */
const taps: Readonly<Record<number, number>> = { 3: 1, 4: 1, 5: 2, 6: 1, 7: 1 };

export default lemma({
  id: "C8-07",
  covers: ["C8-07"],
  kind: "measure",
  title: "Two samples at an offset: their joint law, and what an offset that grows changes",
  source: "Book, chapter 8, section 8.2.1, (8.2)",
  statement: String.raw`q(z_1, z_2; v) = \operatorname{Prob}(x(u) = z_1, \, x(u + v) = z_2), \qquad \|q(\cdot; v) - q(\cdot; v')\|_{TV} \le \operatorname{Prob}(x(u + v) \ne x(u + v'))`,
  parameters: {
    k: integer({ min: 3, max: 7, default: 5, label: "bits of a shift register" }),
    bins: integer({ min: 2, max: 6, default: 4, label: "values" }),
    side: integer({ min: 4, max: 16, default: 8, label: "side of the picture" }),
    v: integer({ min: 1, max: 6, default: 4, label: "offset v" }),
    more: integer({ min: 1, max: 3, default: 1, label: "v' - v" }),
  },
  claims: {
    "q(·; -v), against q(·; v) with its arguments exchanged, TV": equals("0"),
    "|q(·; v) - q(·; v')|, TV": atMost(String.raw`\operatorname{Prob}(x(u + v) \ne x(u + v'))`),
    "I(x(u); x(u + v))": equals(String.raw`H(x(u)) + H(x(u + v)) - H(x(u), x(u + v))`),
    "I in values that are merged by two": atMost(String.raw`I(x(u); x(u + v))`),
    "I at the offset 0": equals("H(x(u))"),
    "I of a de Bruijn sequence at the offsets below its order": equals("0"),
    "distance of q from a separable law, a shift register at an offset, TV": atLeast(String.raw`> 0`).printed(
      {
        where: "sect. 8.2.1, after (8.2)",
        printed: String.raw`In presence of long-range dependencies, this joint distribution will not be separable for any  $v$ .`,
        corrected: String.raw`it may be: bits of a shift register that starts in any state are independent in pairs, and all follow from $k$ of them`,
      },
    ),
  },
  mutants: {
    "another offset, the other way round": ({ v }) => ({ v: v === 1 ? 2 : v - 1 }),
    "a law that cannot move": { "|q(·; v) - q(·; v')|, TV": () => 0 },
    "entropies in bits": {
      "I at the offset 0": (_, { theory }) => (theory === 0 ? Number.NaN : theory / Math.LN2),
    },
  },
  run({ k, bins, side, v, more }, { random, budget }) {
    const shape = [side, side] as const;
    const smooth = random.normal(side * side).map((z, u) => z + 2 * Math.sin((u / side) * 0.7));
    const x = binned(smooth, bins);
    const at = (offset: number): JointLaw => jointLaw(x, shape, [0, offset], bins);
    const [here, back, there] = [at(v), at(-v), at(v + more)];
    const exchanged = {
      ...back,
      counts: back.counts.map((_, i) => back.counts[(i % bins) * bins + Math.floor(i / bins)]!),
    };
    const [near, far] = [v, v + more].map((offset) => translated(x, shape, [0, -offset]));
    const apart = near!.reduce((sum, z, u) => sum + (z === far![u] ? 0 : 1), 0) / x.length;
    const single = new Float64Array(bins);
    for (const z of x) single[z]! += 1 / x.length;
    // Even values lose nothing when they are merged by two.
    const fine = random.integer(0, 1) === 0 ? x : x.map((z) => z - (z % 2));
    const merged = fine.map((z) => z >> 1);
    const sequence = deBruijn(bins, 3);
    const pairs = [1, 2].map((offset) =>
      mutualInformation(jointLaw(sequence, [sequence.length], [offset], bins)),
    );
    const register = registerLaw(k, v % (2 ** k - 1) || 1);
    const joint = here.counts.map((c) => c / here.total);
    // Sums of at most 36 logarithms, each within a few units of rounding.
    const tolerance = 1e-13;
    return {
      ...(budget !== "cheap" && { figure: figure(random.split("figure")) }),
      claims: {
        "q(·; -v), against q(·; v) with its arguments exchanged, TV": checked(
          totalVariation(exchanged, here),
          0,
        ),
        "|q(·; v) - q(·; v')|, TV": checked(totalVariation(here, there), apart, { tolerance }),
        "I(x(u); x(u + v))": checked(mutualInformation(here), 2 * entropy(single) - entropy(joint), {
          tolerance,
        }),
        "I in values that are merged by two": checked(
          mutualInformation(jointLaw(merged, shape, [0, v], bins)),
          mutualInformation(jointLaw(fine, shape, [0, v], bins)),
          { tolerance },
        ),
        "I at the offset 0": checked(mutualInformation(at(0)), entropy(single), { tolerance }),
        "I of a de Bruijn sequence at the offsets below its order": checked(Math.max(...pairs), 0, {
          tolerance,
        }),
        "distance of q from a separable law, a shift register at an offset, TV": checked(
          totalVariation(register, separableLaw(register)),
          1e-6,
        ),
      },
    };
  },
});

const entropy = (p: Float64Array): number => p.reduce((sum, v) => sum - (v === 0 ? 0 : v * Math.log(v)), 0);

/** A cyclic sequence in which each word of a length stands once: Lyndon words whose lengths divide it, in order. */
function deBruijn(letters: number, order: number): Int32Array {
  const sequence: number[] = [];
  const word = new Array<number>(order + 1).fill(0);
  const write = (t: number, p: number): void => {
    if (t > order) {
      if (order % p === 0) sequence.push(...word.slice(1, p + 1));
      return;
    }
    word[t] = word[t - p]!;
    write(t + 1, p);
    for (let letter = word[t - p]! + 1; letter < letters; letter++) {
      word[t] = letter;
      write(t + 1, t);
    }
  };
  write(1, 1);
  return Int32Array.from(sequence);
}

/** The law of two bits of a register whose start is uniform: all positions of its cycle, and the state 0 once. */
function registerLaw(k: number, v: number): JointLaw {
  const period = 2 ** k - 1;
  const bits = new Int32Array(period).fill(1);
  for (let u = 0; u + k < period; u++) bits[u + k] = bits[u + taps[k]!]! ^ bits[u]!;
  const { counts } = jointLaw(bits, [period], [v], 2);
  return { bins: 2, counts: counts.map((c, i) => (i === 0 ? c + 1 : c)), total: period + 1 };
}

/** What an offset that is a quarter longer changes, for pictures of three kinds. */
function figure(random: Random): Figure {
  const [n, bins] = [128, 6];
  const noise = random.normal(n * n);
  const { re, im } = gridFourier([n, n], noise);
  const gain = (u: number): number => {
    const [p, q] = [Math.floor(u / n), u % n].map((f) => Math.min(f, n - f)) as [number, number];
    return 1 / Math.max(1, Math.hypot(p, q)) ** 1.5;
  };
  const scaleFree = inverseGridFourier([n, n], {
    re: re.map((z, u) => z * gain(u)),
    im: im.map((z, u) => z * gain(u)),
  }).re;
  const grating = Float64Array.from({ length: n * n }, (_, u) => Math.sin((2 * Math.PI * 12 * (u % n)) / n));
  const offsets = [4, 8, 12, 16, 24, 32];
  const pictures = [
    { name: "1/f", x: scaleFree },
    { name: "grating", x: grating },
    { name: "white noise", x: noise },
  ].map(({ name, x }) => ({ name, x: binned(x, bins) }));
  const series = (of: (x: Int32Array, v: number) => number) =>
    pictures.map(({ name, x }) => ({
      ...{ name, mark: "line" as const },
      points: offsets.map((v) => [v, of(x, v)] as const),
    }));
  const law = (x: Int32Array, v: number): JointLaw => jointLaw(x, [n, n], [0, v], bins);
  return {
    title: "Pairs of samples of a picture",
    panels: [
      {
        title: "An offset a quarter longer",
        x: { label: "|v|" },
        y: { label: "total variation" },
        series: series((x, v) => totalVariation(law(x, v), law(x, (5 * v) / 4))),
      },
      {
        title: "What one says of the other",
        x: { label: "|v|" },
        y: { label: "nats" },
        series: series((x, v) => mutualInformation(law(x, v))),
      },
    ],
  };
}
