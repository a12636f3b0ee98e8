// Sparse codes beside scikit-learn, latent descent beside PyTorch, ML-FISTA beside a NumPy loop: the same numbers, and their time.
// Words: lasso latent multilayer (default: all), turns=5, size=500x2000 (of LASSO; default: that and 1000x10000), quick (small
// problems)
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { setDefaultThreads } from "@lemmata/core/engine";
import { float32, graph, numbers } from "@lemmata/core/graph";
import { denseMap, generatorOf, latentDescent } from "@lemmata/core/inverse";
import { createRandom } from "@lemmata/core/numbers";
import { type Dictionary, lassoCode, lassoPath, multilayerPursuit, safeSteps } from "@lemmata/core/sparse";
import { applyActivation, initialNetwork } from "@lemmata/core/train";
import { pythonWith } from "./python.ts";

const words = process.argv.slice(2);
const wanted = (what: string): boolean =>
  words.includes(what) || !words.some((w) => ["lasso", "latent", "multilayer"].includes(w));
const turns = Number(words.find((w) => w.startsWith("turns="))?.slice(6) ?? 5);
const isQuick = words.includes("quick");
const folder = mkdtempSync(join(tmpdir(), "lemmata-sparse-"));
const random = createRandom("bench sparse");
setDefaultThreads(1);

interface Answer {
  readonly seconds: number;
  readonly cpu: number;
  readonly objectives: readonly number[];
  readonly least: number;
  readonly code: readonly number[];
}

/** A Python that answers, with one thread for all its libraries. */
function peerWith(program: string) {
  const one = { OMP_NUM_THREADS: "1", OPENBLAS_NUM_THREADS: "1", MKL_NUM_THREADS: "1" };
  const child = spawn(program, [fileURLToPath(new URL("peers/sparse.py", import.meta.url))], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, ...one },
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async ask(question: object): Promise<Answer> {
      child.stdin.write(`${JSON.stringify(question)}\n`);
      const { value } = await lines.next();
      return JSON.parse(value as string) as Answer;
    },
    end: () => child.stdin.end(),
  };
}

const stored = (name: string, data: Float64Array | Float32Array): string => {
  const path = join(folder, name);
  writeFileSync(path, new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  return path;
};
const median = (list: readonly number[]): number => list.toSorted((a, b) => a - b)[list.length >> 1]!;

interface Time {
  readonly seconds: number;
  readonly cpu: number;
}

async function timed(work: () => unknown): Promise<Time> {
  const [began, used] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(used);
  return { seconds: (performance.now() - began) / 1000, cpu: (user + system) / 1e6 };
}

/** Medians of both, and their ratio by processor time, which others disturb less. */
function line(what: string, ours: readonly Time[], theirs: readonly Time[], same: string): void {
  const [a, b] = [median(ours.map((t) => t.cpu)), median(theirs.map((t) => t.cpu))];
  const clock = median(ours.map((t) => t.seconds)) / median(theirs.map((t) => t.seconds));
  console.log(
    `${what.padEnd(34)} ${a.toFixed(3).padStart(8)} s ${b.toFixed(3).padStart(8)} s   ${(a / b).toFixed(2).padStart(5)} (clock ${clock.toFixed(2)})   ${same}`,
  );
}

/** Rows for Python of atoms one after the other. */
function rowsOf({ size, count, atoms }: Dictionary): Float64Array {
  const rows = new Float64Array(atoms.length);
  for (let j = 0; j < count; j++) for (let i = 0; i < size; i++) rows[i * count + j] = atoms[j * size + i]!;
  return rows;
}

async function lassoBench(): Promise<void> {
  const peer = peerWith(pythonWith("sparse", ["numpy", "scikit-learn"], ["numpy", "sklearn"]));
  const gap = 1e-10;
  const size = words.find((w) => w.startsWith("size="))?.slice(5);
  const sizes = size
    ? [size.split("x").map(Number)]
    : isQuick
      ? [[100, 400]]
      : [
          [500, 2000],
          [1000, 10_000],
        ];
  for (const [n, m] of sizes as [number, number][]) {
    const atoms = random
      .split(`atoms ${n}`)
      .normal(n * m)
      .map((v) => v / Math.sqrt(n));
    const dictionary: Dictionary = { size: n, count: m, atoms };
    const y = new Float64Array(n);
    const draws = random.split(`signal ${n}`);
    for (let k = 0; k < n / 20; k++) {
      const [j, v] = [draws.integer(0, m - 1), draws.normal()];
      for (let i = 0; i < n; i++) y[i]! += v * atoms[j * n + i]!;
    }
    for (let i = 0; i < n; i++) y[i]! += 0.05 * draws.normal();
    const files = { D: stored(`D${n}`, rowsOf(dictionary)), y: stored(`y${n}`, y) };
    const greatest = lassoPath(dictionary, y, { count: 1 })[0]!.lambda;
    for (const [count, least] of [
      [1, 0.1],
      [50, 0.01],
    ] as const) {
      const lambdas = Array.from(
        { length: count },
        (_, k) => greatest * least ** (count > 1 ? k / (count - 1) : 1),
      );
      const question = { what: "lasso", n, m, ...files, count, lambdas, tol: gap / 2 };
      const [ours, theirs]: [Time[], Time[]] = [[], []];
      let [mine, other]: [readonly number[], readonly number[]] = [[], []];
      for (let turn = 0; turn < turns; turn++) {
        ours.push(
          await timed(() => {
            mine =
              count === 1
                ? [lassoCode(dictionary, y, lambdas[0]!, { gap }).objective]
                : lassoPath(dictionary, y, { count, least, gap }).map(({ objective }) => objective);
          }),
        );
        const answer = await peer.ask(question);
        theirs.push(answer);
        other = answer.objectives;
      }
      const size = y.reduce((s, v) => s + v * v, 0) / 2;
      const away = Math.max(...mine.map((v, k) => Math.abs(v - other[k]!))) / size;
      const what = count === 1 ? `LASSO ${n} x ${m}` : `  path of ${count}`;
      line(what, ours, theirs, `objectives within ${away.toExponential(1)} of |y|^2 / 2`);
    }
  }
  peer.end();
}

async function latentBench(): Promise<void> {
  const peer = peerWith(pythonWith("torch", ["torch", "numpy"]));
  const [sizes, measurements, restarts, steps, rate] = [
    [20, 500, 500, 784],
    100,
    10,
    isQuick ? 50 : 500,
    0.05,
  ];
  const body = initialNetwork("20-500-relu-500-relu-784", { seed: 1 });
  const network = graph({ z: float32("N", 20) }, ({ z }) => ({
    x: applyActivation("sigmoid" as never, z.builder.inline(body, { x: z })["y"]!),
  }));
  const generator = generatorOf(network);
  const draws = random.split("latent");
  const A = Float32Array.from(draws.normal(784 * measurements), (v) => v / Math.sqrt(measurements));
  const map = denseMap({
    rows: measurements,
    columns: 784,
    entries: Float64Array.from(
      { length: A.length },
      (_, k) => A[(k % 784) * measurements + Math.floor(k / 784)]!,
    ),
  });
  const y = draws.normal(measurements);
  const flat = [1, 2, 3].flatMap((l) =>
    ["weight", "bias"].map((part) =>
      Float32Array.from(numbers(body.initializers.get(`layer${l}.${part}`) as never)),
    ),
  );
  const all = new Float32Array(flat.reduce((s, v) => s + v.length, 0));
  let at = 0;
  for (const v of flat) {
    all.set(v, at);
    at += v.length;
  }
  // The starts are those that the library draws.
  const start = Float32Array.from(createRandom("starts").normal(restarts * 20));
  const question = {
    ...{ what: "latent", sizes, measurements, steps, rate, threads: 1 },
    ...{
      weights: stored("w", all),
      A: stored("A", A),
      y: stored("y", Float32Array.from(y)),
      start: stored("z", start),
    },
  };
  const [ours, theirs]: [Time[], Time[]] = [[], []];
  let [mine, other] = [0, 0];
  for (let turn = 0; turn < turns; turn++) {
    ours.push(
      await timed(async () => {
        const found = await latentDescent(generator, map, y, createRandom("starts"), {
          ...{ restarts, steps, rate, polish: 0, threads: 1 },
        });
        mine = Math.min(...found.restarts);
      }),
    );
    const answer = await peer.ask(question);
    theirs.push(answer);
    other = answer.least;
  }
  line(
    `latent descent, ${restarts} starts, ${steps} steps`,
    ours,
    theirs,
    `least objectives ${mine.toPrecision(6)}, ${other.toPrecision(6)}`,
  );
  peer.end();
}

async function multilayerBench(): Promise<void> {
  const peer = peerWith(pythonWith("sparse", ["numpy", "scikit-learn"], ["numpy", "sklearn"]));
  const shapes = isQuick
    ? [
        [50, 80],
        [80, 100],
      ]
    : [
        [400, 600],
        [600, 800],
        [800, 1000],
      ];
  const layers = (shapes as [number, number][]).map(([n, m], k) => ({
    ...{ size: n, count: m },
    atoms: random
      .split(`layer ${k}`)
      .normal(n * m)
      .map((v) => v / Math.sqrt(n)),
  }));
  const y = random.split("multilayer").normal(layers[0]!.size);
  const lambdas = layers.map(() => 0.05);
  const steps = safeSteps(layers);
  const iterations = isQuick ? 50 : 200;
  const question = {
    ...{ what: "multilayer", lambdas, steps, iterations, y: stored("my", y) },
    layers: layers.map((layer, k) => [stored(`L${k}`, rowsOf(layer)), layer.size, layer.count]),
  };
  const [ours, theirs]: [Time[], Time[]] = [[], []];
  let away = 0;
  for (let turn = 0; turn < turns; turn++) {
    let code = new Float64Array(0) as Float64Array;
    ours.push(
      await timed(() => {
        code = multilayerPursuit(layers, y, lambdas, { iterations, accelerated: true, steps }).codes.at(-1)!;
      }),
    );
    const answer = await peer.ask(question);
    theirs.push(answer);
    away = Math.max(...answer.code.map((v, j) => Math.abs(v - code[j]!)));
  }
  line(
    `ML-FISTA ${layers.map((l) => l.size).join("-")}-${layers.at(-1)!.count}, ${iterations}`,
    ours,
    theirs,
    `codes within ${away.toExponential(1)}`,
  );
  peer.end();
}

console.log("one thread; processor time, medians   ours     peer   ratio");
try {
  if (wanted("lasso")) await lassoBench();
  if (wanted("latent")) await latentBench();
  if (wanted("multilayer")) await multilayerBench();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
