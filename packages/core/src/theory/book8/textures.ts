import type { Figure } from "../../figure/figure.ts";
import type { Random } from "../../numbers/random.ts";
import { discrimination } from "../../scattering/discrimination.ts";
import { gridFourier } from "../../scattering/fourier.ts";
import { gaussianField } from "../../scattering/gaussian-field.ts";
import { harmonicCount, harmonicPairs } from "../../scattering/phase-harmonics.ts";
import { scatteringPlan } from "../../scattering/plan.ts";
import { convolved } from "../../scattering/propagate.ts";
import { measuring, type SynthesisOptions, statistics, synthesize } from "../../scattering/synthesis.ts";
import { bandKurtoses } from "../../scattering/texture-distance.ts";
import { translated } from "../../scattering/translation.ts";
import { atLeast, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer } from "../parameter.ts";
import { distance, mean, norm } from "./signals.ts";

/** Maps of the layers conv1_1 and pool1 to pool4 of VGG, whose products Gatys, Ecker and Bethge take. */
const vggMaps = [64, 64, 128, 256, 512];

export default lemma({
  id: "C8-32",
  covers: ["C8-32", "C8-52", "C8-53"],
  kind: "experiment",
  title: "Textures: what a spectrum misses, and syntheses by spectrum, scattering and phase harmonics",
  source: "Book, chapter 8, sections 8.4.2 and 8.6.5, Figures 8.9 and 8.16",
  statement: String.raw`\rho(m) = \frac{\|S X_1[\Lambda^m] - \mathbb E S X_2[\Lambda^m]\|^2}{\mathbb E \|S X_2[\Lambda^m] - \mathbb E S X_2[\Lambda^m]\|^2}, \qquad C = \operatorname{Cov}\bigl([x \star \psi_\lambda]^k, [x \star \psi_{\lambda'}]^{k'}\bigr), \; [z]^k = |z| e^{i k \angle z}`,
  parameters: {
    k: integer({ min: 4, max: 5, default: 5, label: "samples, log2" }),
    J: integer({ min: 2, max: 3, default: 3, label: "scale J" }),
    shift: integer({ min: 1, max: 9, default: 3, label: "shift" }),
    angles: integer({ min: 4, max: 12, default: 8, label: "angles K of a picture" }),
    scales: integer({ min: 4, max: 6, default: 5, label: "scales J of a picture" }),
  },
  claims: {
    "covariances of phase harmonics, against sums over samples, greatest": equals("0"),
    "phase harmonics of a shifted signal, against those of the signal": equals("0"),
    "averages of order 2, a picture with K angles and J scales": equals(String.raw`K^2 \tbinom J 2`),
    "numbers of a model by VGG over those of order 2, K = 8, J = 5": atLeast("100").looseBy(2),
    "mean power of Gaussian fields, over that of the signal": equals("1"),
    "kurtosis of a Gaussian field in the finest band": equals("2"),
    "ρ(1) and ρ(2) of a signal with a single point, the lesser": atLeast("1").looseBy(1.05),
  },
  mutants: {
    "phases turned the wrong way": {
      "covariances of phase harmonics, against sums over samples, greatest": () => 0.01,
    },
    "paths that may stay on a scale": {
      "averages of order 2, a picture with K angles and J scales": ({ angles, scales }) =>
        (angles ** 2 * scales * (scales + 1)) / 2,
    },
    "a field with twice the spectrum": { "mean power of Gaussian fields, over that of the signal": () => 2 },
  },
  async run({ k, J, shift, angles, scales }, { random, budget }) {
    const n = 2 ** k;
    const shape = [n] as const;
    const options: SynthesisOptions = {
      ...{ shape, scale: J, padding: "none", type: "float64", model: "harmonics", order: 1 },
    };
    const plan = scatteringPlan(options);
    const x = random.normal(n).map((v, u) => v + (u % 7 === 0 ? 3 : 0));
    const measure = measuring(options);
    const found = await measure.of(x);
    const wanted = directly(x, plan);
    const moved = await measure.of(translated(x, shape, [shift]));
    await measure.release();
    const picture: SynthesisOptions = {
      shape: [2 ** scales, 2 ** scales],
      scale: scales,
      angles,
      padding: "none",
    };
    const counted = scatteringPlan(picture);
    const seconds = counted.paths.filter(({ order }) => order === 2).length;
    const phases = harmonicCount(scatteringPlan({ ...picture, order: 1 }));
    const rows = [
      ["order 1", 1 + angles * scales],
      ["orders 1 and 2", counted.paths.length],
      ["phase harmonics", phases],
    ] as const;
    const gatys = vggMaps.reduce((sum, maps) => sum + (maps * (maps + 1)) / 2, 0);
    const powers = Array.from({ length: 100 }, () => {
      const field = gaussianField(x, shape, random);
      return (
        distance(
          field,
          field.map(() => mean(x)),
        ) ** 2
      );
    });
    const centred = x.map((v) => v - mean(x));
    const long = gaussianField(random.normal(2 ** 10), [2 ** 10], random);
    const point = Float64Array.from({ length: 64 }, (_, u) => (u === 0 ? 1 : 0));
    const spike: SynthesisOptions = {
      shape: [64],
      scale: 4,
      padding: "none",
      bank: "spline",
      type: "float64",
    };
    const { index } = await discrimination(point, spike, { draws: 40, random: random.split("draws") });
    const tolerance = 1e-10 * (1 + norm(x)) ** 2;
    return {
      ...(budget !== "cheap" && { figure: await figure(random.split("figure")) }),
      table: { title: "Numbers of a model of a picture", columns: ["statistics", "numbers"], rows },
      claims: {
        "covariances of phase harmonics, against sums over samples, greatest": checked(
          Math.max(...found.map((v, i) => Math.abs(v - wanted[i]!))),
          0,
          { tolerance },
        ),
        "phase harmonics of a shifted signal, against those of the signal": checked(
          distance(moved, found),
          0,
          {
            tolerance: 100 * tolerance,
          },
        ),
        "averages of order 2, a picture with K angles and J scales": checked(
          seconds,
          (angles ** 2 * scales * (scales - 1)) / 2,
        ),
        "numbers of a model by VGG over those of order 2, K = 8, J = 5": checked(gatys / (1 + 40 + 640), 100),
        // The power of a field is a weighted sum of squares: six standard errors, if one frequency has it all.
        "mean power of Gaussian fields, over that of the signal": sampled(
          mean(Float64Array.from(powers)) / norm(centred) ** 2,
          1,
          {
            tolerance: 6 * Math.sqrt(2 / 100),
          },
        ),
        // |z|^2 of a Gaussian band is exponential: its square varies by 20 times its mean squared, a half of the samples counts.
        "kurtosis of a Gaussian field in the finest band": sampled(
          bandKurtoses(long, { shape: [2 ** 10], scale: 2 })[0]!,
          2,
          { tolerance: 6 * Math.sqrt(20 / 2 ** 8) },
        ),
        "ρ(1) and ρ(2) of a signal with a single point, the lesser": sampled(
          Math.min(index[1]!, index[2]!),
          1,
        ),
      },
    };
  },
});

/** The same statistics from z = x * psi on the grid, by the angles themselves. */
function directly(x: Float64Array, plan: ReturnType<typeof scatteringPlan>): Float64Array {
  const [bank] = plan.banks;
  const spectrum = gridFourier(bank!.shape, x);
  const bands = [...bank!.wavelets, bank!.lowPass].map((filter) => {
    const { re, im } = convolved(bank!, spectrum, filter);
    const size = re.map((v, u) => Math.hypot(v, im[u]!));
    const angle = re.map((v, u) => Math.atan2(im[u]!, v));
    return { size, angle, mean: mean(size) };
  });
  const covariances = harmonicPairs(plan).map(({ a, b, harmonics: [p, q], part }) => {
    const [z, w] = [bands[a]!, bands[b]!];
    const products = x.map((_, u) => {
      const product = (z.size[u]! - (p === 0 ? z.mean : 0)) * (w.size[u]! - (q === 0 ? w.mean : 0));
      const turn = p * z.angle[u]! - q * w.angle[u]!;
      // A modulus goes with the wavelet itself, all others with the conjugate.
      return product * (part === "real" ? Math.cos(turn) : p === 0 ? -Math.sin(turn) : Math.sin(turn));
    });
    return mean(products);
  });
  return Float64Array.from([mean(x), ...bands.map(({ mean: m }) => m), ...covariances]);
}

/** A signal of steps and points, and three imitations. */
async function figure(random: Random): Promise<Figure> {
  const n = 256;
  let level = 0;
  const x = Float64Array.from({ length: n }, () => {
    if (random.uniform() < 0.06) level = random.normal();
    return level;
  });
  const centred = x.map((v) => v - mean(x));
  const common: SynthesisOptions = {
    shape: [n],
    scale: 6,
    padding: "none",
    type: "float64",
    iterations: 150,
  };
  const start = random.normal(n);
  const made: [string, Float64Array][] = [
    ["the signal", centred],
    ["Gaussian, the same spectrum", gaussianField(centred, [n], random)],
  ];
  for (const [name, options] of [
    ["scattering, order 1", { ...common, order: 1 }],
    ["scattering, order 2", { ...common, order: 2 }],
    ["phase harmonics", { ...common, order: 1, model: "harmonics" as const }],
  ] as const)
    made.push([name, (await synthesize(await statistics(centred, options), start, options)).x]);
  return {
    title: "A signal of steps and what is made of its statistics",
    panels: made.map(([title, values]) => ({
      ...{ title, x: { label: "u" }, y: { label: "x" } },
      series: [{ name: title, mark: "line", points: Array.from(values, (v, u) => [u, v] as const) }],
    })),
  };
}
