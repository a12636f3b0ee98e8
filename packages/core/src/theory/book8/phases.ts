import type { Figure } from "../../figure/figure.ts";
import type { Random } from "../../numbers/random.ts";
import { battleLemarieBank } from "../../scattering/battle-lemarie.ts";
import { layerModuli, retrievedPhases } from "../../scattering/phase-retrieval.ts";
import { atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";
import { difference, distance, drawnSignal, norm } from "./signals.ts";

export default lemma({
  id: "C8-26",
  covers: ["C8-26"],
  kind: "algorithm",
  title: "One layer is inverted by alternating projections: the phases come back",
  source: "Book, chapter 8, section 8.3.5, after Table 8.1",
  statement: String.raw`\mathcal U z = \{z \star \phi, |z \star \psi_\lambda|\}: \quad x \leftarrow \mathcal W^* \bigl(z \star \phi, |z \star \psi_\lambda| \, e^{i \angle (x \star \psi_\lambda)}\bigr)`,
  parameters: {
    k: integer({ min: 3, max: 6, default: 5, label: "samples, log2" }),
    J: integer({ min: 1, max: 3, default: 2, label: "scale J" }),
    near: real({ min: 0, max: 1, default: 0.3, label: "how far off the start is" }),
    steps: integer({ min: 1, max: 12, default: 8, label: "steps" }),
  },
  claims: {
    "misfit after a step, over the one before, greatest": atMost("1"),
    "a step from the signal itself, how far it moves": equals("0"),
    "misfit from a start, by distances of the layer": equals(String.raw`\text{that of the algorithm}`),
    "moduli of -z, against those of z": equals("0"),
    "misfit of a start, over how far off it is": atMost("1"),
    "Fourier moduli of z turned round, against those of z": equals("0"),
  },
  mutants: {
    "a misfit that grows": { "misfit after a step, over the one before, greatest": () => 0.5 },
    "wavelets counted twice": {
      "misfit from a start, by distances of the layer": (_, { theory }) => Math.SQRT2 * theory,
    },
    "a layer that halves distances": { "misfit of a start, over how far off it is": () => 0.5 },
  },
  run({ k, J, near, steps }, { random, budget }) {
    const n = 2 ** k;
    const bank = battleLemarieBank({ length: n, scale: J });
    const z = drawnSignal(random, n);
    const given = layerModuli(z, bank);
    const start = z.map((v) => v + near * random.normal());
    const { misfits } = retrievedPhases(given, bank, start, steps);
    const still = retrievedPhases(given, bank, z, 1);
    const other = layerModuli(start, bank);
    const apart = Math.hypot(
      distance(other.low, given.low),
      ...other.moduli.map((u, j) => distance(u, given.moduli[j]!)),
    );
    const minus = layerModuli(
      z.map((v) => -v),
      bank,
    );
    const turned = z.map((_, u) => z[(n - u) % n]!);
    const tolerance = 1e-10 * (1 + norm(z));
    const shares = misfits.slice(1).map((after, i) => after / misfits[i]!);
    return {
      ...(budget !== "cheap" && { figure: figure(random.split("figure")) }),
      claims: {
        // Rounding is all there is near a misfit of 0.
        ...(misfits.at(-1)! > 1e-9 && {
          "misfit after a step, over the one before, greatest": checked(Math.max(...shares), 1, {
            tolerance: 1e-9,
          }),
        }),
        "a step from the signal itself, how far it moves": checked(distance(still.x, z), 0, { tolerance }),
        "misfit from a start, by distances of the layer": checked(apart, misfits[0]!, { tolerance }),
        "moduli of -z, against those of z": checked(
          norm(minus.moduli.map((u, j) => norm(difference(u, given.moduli[j]!)))),
          0,
          { tolerance },
        ),
        ...(distance(start, z) > 1e-6 && {
          "misfit of a start, over how far off it is": checked(misfits[0]! / distance(start, z), 1, {
            tolerance: 1e-9,
          }),
        }),
        "Fourier moduli of z turned round, against those of z": checked(
          distance(spectrum(turned), spectrum(z)),
          0,
          { tolerance: 10 * n * tolerance },
        ),
      },
    };
  },
});

function spectrum(x: Float64Array): Float64Array {
  const n = x.length;
  return x.map((_, f) => {
    let [re, im] = [0, 0];
    x.forEach((v, u) => {
      re += v * Math.cos((2 * Math.PI * f * u) / n);
      im += v * Math.sin((2 * Math.PI * f * u) / n);
    });
    return Math.hypot(re, im);
  });
}

function figure(random: Random): Figure {
  const n = 64;
  const z = Float64Array.from({ length: n }, (_, u) => (u < 20 ? 0 : u < 34 ? 1 : u < 40 ? -0.7 : 0.3));
  const line = (J: number) => {
    const bank = battleLemarieBank({ length: n, scale: J });
    const { misfits } = retrievedPhases(layerModuli(z, bank), bank, random.normal(n), 200);
    return {
      ...{ name: `J = ${J}`, mark: "line" as const },
      points: misfits.map((misfit, step) => [step, misfit / norm(z)] as const),
    };
  };
  return {
    title: "Phases that were lost, by alternating projections from noise",
    panels: [
      {
        title: `A signal of steps, ${n} samples`,
        x: { label: "steps" },
        y: { label: "misfit / |z|", scale: "log" },
        series: [1, 2, 3, 4].map(line),
      },
    ],
  };
}
