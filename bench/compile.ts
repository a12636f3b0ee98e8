// The compiler against what one would do instead: train an MLP with as many units on random points of the box. The two
// take turns, formula by formula, one thread each: seconds, units, the greatest error seen at the same fresh points, and
// what is guaranteed. The trainer gets inputs scaled to [-1, 1] and targets to mean 0 and deviation 1.
import { type BoxSide, compile } from "@lemmata/core/compile";
import { run } from "@lemmata/core/engine";
import { parseFormula } from "@lemmata/core/formula";
import { type Graph, numbers, type Tensor, tensor } from "@lemmata/core/graph";
import { createRandom, type Random } from "@lemmata/core/numbers";
import { initialNetwork, train } from "@lemmata/core/train";
import { evaluateFormula } from "../packages/core/src/formula/evaluate.ts";

const [steps, batch, examples, fresh] = [10_000, 256, 20_000, 50_000];
/** The better of the two is shown, with its own time. */
const rates = [3e-3, 1e-2];

interface Case {
  readonly formula: string;
  readonly box: Readonly<Record<string, readonly [number, number]>>;
  readonly eps: number;
}

const unit = [-1, 1] as const;
const d1 = "((log(S/K)+(r+s^2/2)*T)/(s*sqrt(T)))";
const d2 = "((log(S/K)+(r-s^2/2)*T)/(s*sqrt(T)))";
const cases: readonly Case[] = [
  { formula: "x^2", box: { x: unit }, eps: 1e-6 },
  { formula: "sin(x)", box: { x: [-10, 10] }, eps: 1e-4 },
  { formula: "exp(-x^2)", box: { x: [-3, 3] }, eps: 1e-4 },
  { formula: "x*y", box: { x: unit, y: unit }, eps: 1e-5 },
  { formula: "sqrt(x^2+y^2)", box: { x: unit, y: unit }, eps: 1e-3 },
  { formula: "sin(3*x)*cos(2*y)", box: { x: unit, y: unit }, eps: 1e-3 },
  { formula: "x*y*z", box: { x: unit, y: unit, z: unit }, eps: 1e-4 },
  { formula: "exp(-(x^2+y^2+z^2))", box: { x: unit, y: unit, z: unit }, eps: 1e-3 },
  { formula: "max(x1*x2,x3*x4)", box: { x1: unit, x2: unit, x3: unit, x4: unit }, eps: 1e-3 },
  {
    formula: `S*(1+erf(${d1}/sqrt(2)))/2-K*exp(-r*T)*(1+erf(${d2}/sqrt(2)))/2`,
    box: { S: [0.8, 1.2], K: [0.9, 1.1], r: [0, 0.05], s: [0.2, 0.4], T: [0.5, 1] },
    eps: 1e-2,
  },
];

interface Points {
  readonly count: number;
  readonly columns: readonly Float64Array[];
  readonly values: Float64Array;
}

interface Found {
  readonly seconds: number;
  readonly error: number;
}

function draw(formula: string, box: readonly BoxSide[], count: number, random: Random): Points {
  const columns = box.map(({ lower, upper }) =>
    random.uniform(count).map((u) => lower + (upper - lower) * u),
  );
  const names = new Map(box.map((side, k) => [side.name, columns[k]!]));
  return { count, columns, values: evaluateFormula(parseFormula(formula), names) };
}

/** Points by rows, each coordinate as `scaled` says. */
function rows(
  { count, columns }: Points,
  type: "float32" | "float64",
  scaled = (x: number, _: number) => x,
): Tensor {
  const d = columns.length;
  const data = new Float64Array(count * d);
  for (const [k, column] of columns.entries())
    for (let i = 0; i < count; i++) data[i * d + k] = scaled(column[i]!, k);
  return tensor(data, { type, dims: [count, d] });
}

async function greatestError(
  network: Graph,
  x: Tensor,
  values: Float64Array,
  [scale, shift]: readonly [number, number] = [1, 0],
): Promise<number> {
  const output = Object.values(await run(network, { [network.inputs[0]!.name]: x }, { threads: 1 }))[0]!;
  let most = 0;
  numbers(output).forEach((v, i) => {
    most = Math.max(most, Math.abs(Number(v) * scale + shift - values[i]!));
  });
  return most;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (values.length - 1) / 2;
  return (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2;
}

async function byCompiler(formula: string, box: readonly BoxSide[], eps: number, test: Points) {
  const times: number[] = [];
  let compiled = await compile({ formula, box, eps }); // warms up
  for (let round = 0; round < 3; round++) {
    const start = performance.now();
    compiled = await compile({ formula, box, eps });
    times.push((performance.now() - start) / 1000);
  }
  const { sizes, certificate, graph } = compiled;
  const error = await greatestError(graph, rows(test, "float64"), test.values);
  return { seconds: median(times), units: sizes.hiddenUnits!, error, certified: certificate.certifiedError };
}

async function byTraining(
  formula: string,
  box: readonly BoxSide[],
  units: number,
  test: Points,
): Promise<Found> {
  const start = performance.now();
  const data = draw(formula, box, examples, createRandom("train"));
  const mean = data.values.reduce((a, b) => a + b, 0) / examples;
  const deviation = Math.sqrt(data.values.reduce((sum, v) => sum + (v - mean) ** 2, 0) / examples);
  const toUnit = (x: number, k: number): number =>
    (2 * (x - box[k]!.lower)) / (box[k]!.upper - box[k]!.lower) - 1;
  const spec = `${box.length}-${Math.ceil(units / 2)}-relu-${Math.max(1, Math.floor(units / 2))}-relu-1`;
  const target = tensor(
    data.values.map((v) => (v - mean) / deviation),
    { type: "float32", dims: [examples, 1] },
  );
  const x = rows(data, "float32", toUnit);
  const drawn = (performance.now() - start) / 1000;
  const runs: Found[] = [];
  for (const rate of rates) {
    const { model, seconds } = await train(
      initialNetwork(spec, { seed: 1 }),
      { x, target },
      { loss: "square", optimizer: "adam", rate, schedule: "cosine", steps, batch, seed: 1, threads: 1 },
    );
    const fromUnit = [deviation, mean] as const;
    const error = await greatestError(model, rows(test, "float32", toUnit), test.values, fromUnit);
    runs.push({ seconds: drawn + seconds, error });
  }
  return runs.reduce((best, found) => (found.error < best.error ? found : best));
}

const small = (x: number): string => x.toExponential(1).padStart(8);
const time = (s: number): string => `${s.toFixed(3)} s`.padStart(9);
const ratio = (r: number): string => (r < 10 ? r.toFixed(1) : r.toFixed(0)).padStart(8);
console.log(`
compiler (f64, warm) against training an MLP of two hidden layers with as many units (f32, Adam, ${steps} steps of
${batch}, the better of the rates ${rates.join(" and ")}); seen: the greatest error at ${fresh} fresh points
${"".padEnd(30)}       |     compiled                     |     trained                      |    error
${"".padEnd(30)} units |      time       seen      proved |      time       seen      proved |    ratio`);
const ratios: number[] = [];
for (const { formula, box: sides, eps } of cases.filter((c) =>
  c.formula.includes(process.env.LEMMATA_BENCH ?? ""),
)) {
  const box = Object.entries(sides).map(([name, [lower, upper]]) => ({ name, lower, upper }));
  const test = draw(formula, box, fresh, createRandom("test"));
  const ours = await byCompiler(formula, box, eps, test);
  const theirs = await byTraining(formula, box, ours.units, test);
  ratios.push(theirs.error / ours.error);
  const name = formula.includes("erf") ? "Black-Scholes call, 5 variables" : formula;
  const left = `${time(ours.seconds)}   ${small(ours.error)}    ${small(ours.certified)}`;
  const right = `${time(theirs.seconds)}   ${small(theirs.error)}        none`;
  console.log(
    `${name.padEnd(31)} ${String(ours.units).padStart(4)} | ${left} | ${right} | ${ratio(ratios.at(-1)!)}`,
  );
}
console.log(`\nmedian ratio of the errors seen, trained / compiled: ${ratio(median(ratios)).trim()}`);
