// How each prior answers, and what is certified of its answer.
import { run } from "@lemmata/core/engine";
import { encode, numbers, view } from "@lemmata/core/graph";
import {
  type Basis,
  type Certificate,
  certificateOf,
  cosineBasis,
  type Generator,
  intermediateRecovery,
  type LatentRecovery,
  latentDescent,
  layerwiseInversion,
  leastSingularValue,
  plugAndPlay,
  rangeIsometry,
  sampledRangeIsometry,
  sparseDeviations,
  sparseIsometry,
  sparseRecovery,
  squaredNormAbove,
  totalVariation,
  untrainedRecovery,
  type WaveletName,
  waveletBasis,
} from "@lemmata/core/inverse";
import { createRandom } from "@lemmata/core/numbers";
import { lipschitzBound } from "@lemmata/core/passes";
import { linearSolver } from "../milp-solver.ts";
import { number } from "../output.ts";
import { UsageError } from "../usage-error.ts";
import { type Found, type Method, type Problem, residualOf } from "./problem.ts";

const noiseWords = ({ options, noise, y }: Problem): string =>
  options.noise
    ? `noise of length at most ${number(Number(noise.toPrecision(4)))} (${y.length} normal numbers of deviation ${options.noise}, but for 1 case in 100)`
    : "no noise";

/** Where measurements determine every signal, no prior is needed; else what the prior knows, or nothing. */
async function certified(
  problem: Problem,
  x: Float64Array,
  ofPrior: () => Promise<Certificate>,
): Promise<Certificate> {
  if (problem.options.modulus) return { kind: "none", assumes: [] };
  const gamma = await leastSingularValue(problem.map);
  if (!(gamma > 0)) return ofPrior();
  const lengths = { residual: residualOf(problem, x), noise: problem.noise, norm: 0 };
  const { perDistance: _, ...certificate } = certificateOf(
    "all-signals",
    { gamma, delta: 0, provenance: "checked", looked: 1 },
    lengths,
    [noiseWords(problem)],
  );
  return certificate;
}

/** x = G(z) + nu: signals near the range, of which nothing is certified but where measurements determine all. */
async function withDeviations(problem: Problem, generator: Generator): Promise<Found> {
  const { map, y, options, tick } = problem;
  const steps = options.steps ?? 500;
  const found = await sparseDeviations(generator, map, y, createRandom(options.seed).split("starts"), {
    ...{ lambda: options.deviations!, restarts: options.restarts, steps, rate: options.rate ?? 0.1 },
    ...{ weight: options.latentWeight, onStep: (step) => tick(step / steps, `step ${step} of ${steps}`) },
  });
  return {
    x: found.x,
    facts: {
      ...{ objective: found.objectives.at(-1), latent: Array.from(found.z), restarts: found.restarts },
      deviations: found.deviation.reduce((count, v) => count + Number(v !== 0), 0),
    },
    certificate: await certified(problem, found.x, nothing),
  };
}

/** What a network makes of one vector. */
async function outputOf({ graph, input, output, type, latentShape }: Generator, z: Float64Array) {
  const found = await run(graph, { [input]: view(type, [1, ...latentShape], encode(z, type)) });
  return Float64Array.from(numbers(found[output]!));
}

/** Back through the layers by linear programs; the misfit of each is what it could not meet. */
async function layerByLayer(problem: Problem, generator: Generator): Promise<Found> {
  const { solve, end } = linearSolver(problem.signal, 120);
  const { z, misfits } = await layerwiseInversion(generator.graph, problem.y, solve).finally(end);
  const x = await outputOf(generator, z);
  return {
    x,
    facts: { latent: Array.from(z), restarts: [], misfits },
    certificate: await certified(problem, x, nothing),
  };
}

async function fromGenerator(problem: Problem, generator: Generator): Promise<Found> {
  const { map, y, options, tick } = problem;
  if (options.layerwise) return layerByLayer(problem, generator);
  if (options.deviations !== undefined) return withDeviations(problem, generator);
  if (options.intermediate !== undefined) return throughLayers(problem, generator);
  if (options.posterior) return mostProbable(problem, generator);
  const random = createRandom(options.seed);
  const steps = options.steps ?? 500;
  const found: LatentRecovery = await latentDescent(generator, map, y, random.split("starts"), {
    ...{ restarts: options.restarts, steps, rate: options.rate ?? 0.1, weight: options.latentWeight },
    ...(options.negation === undefined ? {} : { negation: options.negation }),
    ...(options.modulus ? { measured: "modulus" as const } : {}),
    ...(generator.logdet === undefined ? {} : { start: new Float64Array(generator.latent) }),
    onStep: (step, least) => tick(step / steps, `step ${step} of ${steps}, ${least.toPrecision(3)}`),
  });
  const certificate = await certified(problem, found.x, async () => {
    const exact = await rangeIsometry(generator, map, options.radius);
    const isometry = exact ?? (await sampledRangeIsometry(generator, map, found.z, random.split("pairs")));
    return certificateOf(
      "generator-range",
      isometry,
      {
        residual: residualOf(problem, found.x),
        noise: problem.noise,
        norm: Math.sqrt(squaredNormAbove(map)),
      },
      [
        exact
          ? `the truth is G(z) with |z_j| <= ${options.radius}`
          : "the truth is in the range of the generator",
        noiseWords(problem),
        exact
          ? `gamma is the least over all ${isometry.looked} pairs of linear pieces`
          : `gamma is the least that ${isometry.looked} pairs showed: the true one may be smaller`,
      ],
    );
  });
  return {
    x: found.x,
    facts: {
      ...{ objective: found.objective, latent: Array.from(found.z), restarts: found.restarts },
      lipschitz: lipschitzOf(generator),
    },
    certificate,
  };
}

/** The bound of our own pass; networks that it cannot read have none. */
function lipschitzOf({ graph }: Generator): number | undefined {
  try {
    return lipschitzBound(graph, 2);
  } catch {
    return undefined;
  }
}

/** The answer of a method; the model is the network that an option names. */
export function solve(problem: Problem, method: Method, model: Generator | undefined): Promise<Found> {
  switch (method) {
    case "generator":
      return fromGenerator(problem, model!);
    case "network":
      return byNetwork(problem, model!);
    case "denoiser":
      return byDenoiser(problem, model!);
    case "tv":
      return smooth(problem);
    case "dct":
    case "wavelet":
      return sparse(problem, method);
    default:
      return untrained(problem, method);
  }
}

const nothing = async (): Promise<Certificate> => ({ kind: "none", assumes: [] });

/** What a network made of the measurements. */
async function byNetwork(problem: Problem, network: Generator): Promise<Found> {
  const { map, y } = problem;
  if (network.latent !== map.outputs || network.size !== map.inputs)
    throw new UsageError(
      `a --network from ${map.outputs} measurements to ${map.inputs} numbers is wanted: this one takes ${network.latent} and makes ${network.size}`,
    );
  const x = await outputOf(network, y);
  return { x, facts: {}, certificate: await certified(problem, x, nothing) };
}

async function byDenoiser(problem: Problem, denoiser: Generator): Promise<Found> {
  const { map, y, options, tick } = problem;
  const steps = options.steps ?? 200;
  const { x, ...facts } = await plugAndPlay(denoiser, map, y, {
    ...{ steps, ...(options.lambda === undefined ? {} : { lambda: options.lambda }) },
    onStep: (step, change) =>
      tick(step / steps, `step ${step} of at most ${steps}, ${change.toPrecision(2)}`),
  });
  return {
    x,
    facts: { ...facts, lipschitz: lipschitzOf(denoiser) },
    certificate: await certified(problem, x, nothing),
  };
}

/** z, then the values of later layers; of what leaves the range nothing is certified. */
async function throughLayers(problem: Problem, generator: Generator): Promise<Found> {
  const { map, y, options, tick } = problem;
  const steps = options.steps ?? 500;
  const { x, latent, objectives, moved } = await intermediateRecovery(
    generator,
    map,
    y,
    createRandom(options.seed).split("starts"),
    {
      ...{ restarts: options.restarts, steps, rate: options.rate ?? 0.1, weight: options.latentWeight },
      ...{ layers: options.intermediate!, share: options.nearness },
      ...(options.negation === undefined ? {} : { negation: options.negation }),
      ...(options.modulus ? { measured: "modulus" as const } : {}),
      onStep: (step, least) => tick(step / steps, `step ${step} of ${steps}, ${least.toPrecision(3)}`),
    },
  );
  return {
    x,
    facts: {
      ...{ objective: objectives.at(-1), objectives, moved },
      ...{ latent: Array.from(latent.z), restarts: latent.restarts },
    },
    certificate: await certified(problem, x, nothing),
  };
}

/** The most probable signal under a flow. */
async function mostProbable(problem: Problem, flow: Generator): Promise<Found> {
  const { map, y, options, tick } = problem;
  if (flow.logdet === undefined)
    throw new UsageError('--posterior is there for a flow: a generator with an output "logdet"');
  const steps = options.steps ?? 500;
  const found = await latentDescent(flow, map, y, createRandom(options.seed).split("starts"), {
    ...{ restarts: options.restarts, steps, rate: options.rate ?? 0.1, posterior: options.noise! },
    start: new Float64Array(flow.latent),
    onStep: (step, least) => tick(step / steps, `step ${step} of ${steps}, ${least.toPrecision(3)}`),
  });
  const squared = residualOf(problem, found.x) ** 2;
  return {
    x: found.x,
    facts: {
      ...{ objective: found.objective, restarts: found.restarts, latent: Array.from(found.z) },
      // |A x - y|^2 - 2 s^2 ln p(x) was minimized, but for the constant of a normal density.
      logDensity:
        (squared - found.objective) / (2 * options.noise! ** 2) - (flow.size / 2) * Math.log(2 * Math.PI),
    },
    certificate: await certified(problem, found.x, nothing),
  };
}

async function sparse(problem: Problem, prior: "dct" | "wavelet"): Promise<Found> {
  const { map, y, shape, options, tick } = problem;
  const basis: Basis =
    prior === "dct" ? cosineBasis(shape) : waveletBasis(shape, options.wavelet as WaveletName);
  const steps = options.steps ?? 2000;
  const { x, code, ...facts } = await sparseRecovery(map, y, basis, {
    ...(options.lambda === undefined ? {} : { lambda: options.lambda }),
    iterations: steps,
    onStep: (step) => tick(step / steps, `step ${step} of at most ${steps}`),
  });
  const nonzeros = code.reduce((count, v) => count + Number(v !== 0), 0);
  const certificate = await certified(problem, x, async () => {
    const isometry = sparseIsometry(map, basis, code, createRandom(options.seed).split("sets"));
    if (!isometry) return { kind: "none", assumes: [] };
    return certificateOf(
      "sparse-codes",
      isometry,
      { residual: residualOf(problem, x), noise: problem.noise, norm: Math.sqrt(squaredNormAbove(map)) },
      [
        `the truth has at most ${nonzeros} nonzero coefficients, as the answer has`,
        noiseWords(problem),
        isometry.provenance === "checked"
          ? "gamma by the correlations of all pairs of elements"
          : isometry.looked > 0
            ? `gamma is the least of ${isometry.looked} sets of ${2 * nonzeros} elements: the true one may be smaller`
            : `${2 * nonzeros} elements are too many for ${map.outputs} measurements to tell apart`,
      ],
    );
  });
  return { x, facts: { ...facts, nonzeros }, certificate };
}

async function smooth(problem: Problem): Promise<Found> {
  const { map, y, shape, options, range, tick } = problem;
  const steps = options.steps ?? 3000;
  const { x, ...facts } = await totalVariation(map, y, shape, {
    ...(options.lambda === undefined ? {} : { lambda: options.lambda }),
    ...(range ? { range } : {}),
    iterations: steps,
    onStep: (step) => tick(step / steps, `step ${step} of at most ${steps}`),
  });
  return { x, facts, certificate: await certified(problem, x, nothing) };
}

async function untrained(problem: Problem, prior: "dip" | "deep-decoder"): Promise<Found> {
  const { map, y, shape, options, range, tick, signal } = problem;
  const steps = options.steps ?? 1000;
  const { x, losses, ...facts } = await untrainedRecovery(prior, map, y, shape, createRandom(options.seed), {
    ...{ steps, rate: options.rate ?? 0.01, width: options.width, variation: options.variation, signal },
    ...(range ? { range } : {}),
    ...(options.noise ? { discrepancy: y.length * options.noise ** 2 } : {}),
    onStep: (step, loss) => tick(step / steps, `step ${step} of ${steps}, ${loss.toPrecision(3)}`),
  });
  signal.throwIfAborted();
  const certificate = await certified(problem, x, nothing);
  return { x, facts: { ...facts, objective: losses.at(-1) }, certificate };
}
