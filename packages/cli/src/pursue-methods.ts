// The pursuits of `lemmata pursue`: what each needs, and what it finds.
import {
  acceleratedCode,
  type Dictionary,
  effectiveDictionary,
  generalizedObjective,
  hardThresholding,
  holisticPursuit,
  lassoCode,
  layeredBasisPursuit,
  layeredThresholding,
  multilayerBasisPursuit,
  multilayerObjective,
  multilayerPursuit,
  orthogonalMatching,
  projectionPursuit,
  subspacePursuit,
} from "@lemmata/core/sparse";
import type { PursueDictionary } from "./pursue-data.ts";
import { UsageError } from "./usage-error.ts";

export const methods: readonly string[] = [
  ...["lasso", "omp", "iht", "subspace", "forward", "layered"],
  ...["ml-ista", "ml-fista", "ml-bp", "holistic", "projection"],
];
export type Method = string;

const bySparsity = ["omp", "iht", "subspace"];
const bySparsities = ["holistic", "projection"];
const oneLayer = ["lasso", ...bySparsity];

export interface PursuitOptions {
  readonly method?: string;
  readonly lambda?: readonly number[];
  readonly sparsity?: readonly number[];
  readonly iterations?: number;
  readonly nonnegative?: boolean;
}

/** What a pursuit is to do, checked. */
export interface Pursuit {
  readonly method: Method;
  /** A weight for each layer; undefined: by the signal. */
  readonly lambdas?: readonly number[];
  readonly sparsities: readonly number[];
  readonly iterations?: number;
  readonly nonnegative: boolean;
}

export interface Found {
  readonly codes: readonly Float64Array[];
  readonly objective: number;
  readonly dualityGap?: number;
  readonly iterations: number;
  readonly lambdas?: readonly number[];
}

export function pursuitOf(options: PursuitOptions, layers: readonly PursueDictionary[]): Pursuit {
  const { lambda, sparsity, iterations, nonnegative = false } = options;
  const usual = layers.length > 1 ? "ml-fista" : sparsity === undefined ? "lasso" : "omp";
  const method = options.method ?? usual;
  if (!methods.includes(method))
    throw new UsageError(`--method is one of ${methods.join(", ")}, not ${method}`);
  if (oneLayer.includes(method) && layers.length > 1)
    throw new UsageError(`--method ${method} takes one dictionary, not ${layers.length}`);
  if (bySparsities.includes(method) && layers.length < 2)
    throw new UsageError(`--method ${method} takes two dictionaries or more`);
  if (method !== "lasso" && layers.some(({ atoms }) => !atoms))
    throw new UsageError(
      `the atoms are too many to be stored: only --method lasso does without, not ${method}`,
    );
  if (nonnegative && (bySparsity.includes(method) || bySparsities.includes(method)))
    throw new UsageError(`--nonnegative is not there for --method ${method}`);
  const more = { ...(iterations !== undefined && { iterations }), nonnegative, method };
  if (bySparsity.includes(method) || bySparsities.includes(method)) {
    const wanted = bySparsities.includes(method) ? layers.length : 1;
    if (sparsity === undefined) throw new UsageError(`--method ${method} needs --sparsity`);
    if (sparsity.length !== wanted)
      throw new UsageError(`--sparsity has ${sparsity.length} numbers for ${wanted} dictionaries`);
    const bad = sparsity.find((k) => !(Number.isSafeInteger(k) && k >= 1));
    if (bad !== undefined) throw new UsageError(`--sparsity is a whole number from 1 up, not ${bad}`);
    if (lambda !== undefined && method !== "holistic")
      throw new UsageError(`--lambda is not there for --method ${method}`);
    return { ...more, sparsities: sparsity, ...(lambda && { lambdas: weights(lambda, layers.length) }) };
  }
  if (sparsity !== undefined) throw new UsageError(`--sparsity is not there for --method ${method}`);
  return { ...more, sparsities: [], ...(lambda && { lambdas: weights(lambda, layers.length) }) };
}

/** A lambda for each layer; one is for all of them. */
function weights(lambda: readonly number[], layers: number): readonly number[] {
  if (lambda.length !== 1 && lambda.length !== layers)
    throw new UsageError(`--lambda has ${lambda.length} numbers for ${layers} dictionaries`);
  const bad = lambda.find((l) => !(l > 0));
  if (bad !== undefined) throw new UsageError(`--lambda is a positive number, not ${bad}`);
  return Array.from({ length: layers }, (_, k) => lambda[k] ?? lambda[0]!);
}

/** A tenth of the least weight with which the code of a signal is 0, the same for all layers. */
export function usualLambdas(layers: readonly PursueDictionary[], y: Float64Array): readonly number[] {
  let seen = y;
  for (const { operator } of layers) seen = operator.analyze(seen);
  const greatest = seen.reduce((m, v) => Math.max(m, Math.abs(v)), 0);
  if (greatest === 0) throw new UsageError("no atom correlates with the signal: say --lambda");
  return layers.map(() => greatest / 10);
}

export async function pursued(
  pursuit: Pursuit,
  layers: readonly PursueDictionary[],
  y: Float64Array,
): Promise<Found> {
  const { method, sparsities, iterations, nonnegative } = pursuit;
  if (bySparsity.includes(method)) return greedy(pursuit, layers[0]!.atoms!, y);
  const lambdas = pursuit.lambdas ?? usualLambdas(layers, y);
  if (method === "lasso") return basisPursuit(pursuit, layers[0]!, y, lambdas[0]!);
  const atoms = layers.map((layer) => layer.atoms!);
  const most = iterations === undefined ? {} : { iterations };
  switch (method) {
    case "forward":
    case "layered": {
      const run = method === "forward" ? layeredThresholding : layeredBasisPursuit;
      const codes = run(atoms, y, lambdas, { nonnegative });
      const objective = multilayerObjective(atoms, y, lambdas, codes.at(-1)!);
      return { codes, objective, iterations: atoms.length, lambdas };
    }
    case "holistic":
    case "projection": {
      const found =
        method === "projection"
          ? projectionPursuit(atoms, y, sparsities)
          : await holisticPursuit(atoms, y, sparsities, {
              ...most,
              ...(pursuit.lambdas && { lambda: pursuit.lambdas.at(-1)! }),
            });
      return { codes: found.codes, objective: halfSquare(found.residual), iterations: found.iterations };
    }
    default:
      return multilayer(pursuit, atoms, y, lambdas);
  }
}

const halfSquare = (v: Float64Array): number => v.reduce((s, e) => s + e * e, 0) / 2;

function greedy({ method, sparsities, iterations }: Pursuit, dictionary: Dictionary, y: Float64Array): Found {
  const most = iterations === undefined ? {} : { iterations };
  const run = { omp: orthogonalMatching, iht: hardThresholding, subspace: subspacePursuit }[
    method as "omp" | "iht" | "subspace"
  ];
  const { x, residual, iterations: done } = run(dictionary, y, sparsities[0]!, most);
  return { codes: [x], objective: halfSquare(residual), iterations: done };
}

function basisPursuit(
  { iterations, nonnegative }: Pursuit,
  { atoms, operator }: PursueDictionary,
  y: Float64Array,
  lambda: number,
): Found {
  if (atoms) {
    const options = { nonnegative, ...(iterations !== undefined && { sweeps: iterations }) };
    const { x, objective, dualityGap, sweeps } = lassoCode(atoms, y, lambda, options);
    return { codes: [x], objective, dualityGap, iterations: sweeps, lambdas: [lambda] };
  }
  const options = { nonnegative, ...(iterations !== undefined && { iterations }) };
  const { x, objective, dualityGap, iterations: done } = acceleratedCode(operator, y, lambda, options);
  return { codes: [x], objective, dualityGap, iterations: done, lambdas: [lambda] };
}

/** Unknowns of the problem whose dual value is looked for, to say how far iterations are from the least objective. */
const mostCertified = 1500;

async function multilayer(
  { method, iterations, nonnegative }: Pursuit,
  atoms: readonly Dictionary[],
  y: Float64Array,
  lambdas: readonly number[],
): Promise<Found> {
  const most = iterations === undefined ? {} : { iterations };
  const effective = atoms.map((_, i) => effectiveDictionary(atoms, i + 1));
  const best = (limit: { iterations?: number }) =>
    multilayerBasisPursuit(effective, y, lambdas, { ...limit, nonnegative, gap: 1e-9 });
  if (method === "ml-bp") {
    if (atoms.at(-1)!.count > 4 * mostCertified)
      throw new UsageError(`--method ml-bp solves for at most ${4 * mostCertified} unknowns`);
    const { x, objective, dualityGap, iterations: done } = await best(most);
    return { codes: innerCodes(effective, x), objective, dualityGap, iterations: done, lambdas };
  }
  const run = multilayerPursuit(atoms, y, lambdas, {
    ...most,
    ...{ nonnegative, accelerated: method === "ml-fista" },
  });
  const x = run.codes.at(-1)!;
  const penalties = [
    ...effective.slice(1).map((of, i) => ({ weight: lambdas[i]!, of })),
    { weight: lambdas.at(-1)! },
  ];
  const objective = generalizedObjective(effective[0], y, penalties, x);
  const certified = x.length <= mostCertified ? await best({ iterations: 2000 }) : undefined;
  return {
    ...{ codes: run.codes, objective, iterations: run.iterations, lambdas },
    ...(certified && { dualityGap: Math.max(0, objective - certified.dual) }),
  };
}

const innerCodes = (effective: readonly Dictionary[], x: Float64Array): readonly Float64Array[] => [
  ...effective.slice(1).map(({ size, count, atoms }) => {
    const code = new Float64Array(size);
    for (let j = 0; j < count; j++)
      if (x[j] !== 0) for (let i = 0; i < size; i++) code[i]! += x[j]! * atoms[j * size + i]!;
    return code;
  }),
  x,
];
