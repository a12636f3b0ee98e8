// Cholesky factors, eigenpairs and singular values against LAPACK (NumPy with OpenBLAS), with one thread, with all
// cores, and in Chromium. The two take turns; the ratio of the medians is what counts, on a busy machine that of processor time.
import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { eigenQuality, spectralDecomposition } from "../packages/core/src/linear-algebra/index.ts";
import { productThreads } from "../packages/core/src/linear-algebra/product.ts";
import { findChromium } from "../scripts/chromium.ts";
import { openPage } from "../scripts/page-in-chromium.ts";
import { decompositions } from "./pages/linear-algebra.ts";
import { pythonWith } from "./python.ts";

/** `LEMMATA_SIZES=200,600 LEMMATA_THREADS=1` measures less. */
const numbersIn = (name: string): number[] | undefined => process.env[name]?.split(",").map(Number);
const sizes = numbersIn("LEMMATA_SIZES") ?? [200, 600, 1000, 2000];
const threadCounts = numbersIn("LEMMATA_THREADS") ?? [1, availableParallelism()];
const python = pythonWith("numpy", ["numpy"]);
const script = fileURLToPath(new URL("peers/numpy_linalg.py", import.meta.url));

/** Seconds on the clock and of the processor. */
interface Taken {
  readonly clock: number;
  readonly processor: number;
}

async function peerWith(threads: number) {
  // Isolated: what lies beside the script is not to be imported.
  const peer = spawn(python, ["-I", script], {
    env: { ...process.env, OPENBLAS_NUM_THREADS: String(threads) },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: peer.stdout })[Symbol.asyncIterator]();
  await lines.next();
  return {
    async time(task: string, size: number): Promise<Taken> {
      peer.stdin.write(`${task} ${size}\n`);
      const [clock, processor] = String((await lines.next()).value)
        .split(" ")
        .map(Number);
      return { clock: clock!, processor: processor! };
    },
    end: () => peer.stdin.end(),
  };
}

async function timed(task: () => Promise<unknown>): Promise<Taken> {
  const [start, before] = [performance.now(), process.cpuUsage()];
  await task();
  const { user, system } = process.cpuUsage(before);
  return { clock: (performance.now() - start) / 1e3, processor: (user + system) / 1e6 };
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!;

/** Rounds that are not counted: the engine compiles loops that have run for some milliseconds, small matrices need more. */
const warmUp = (n: number): number => (n <= 200 ? 20 : n <= 1000 ? 5 : 2);
const roundsFor = (n: number): number => (n <= 200 ? 31 : n <= 1000 ? 11 : 3);
const milliseconds = (seconds: number): string => (1e3 * seconds).toFixed(1).padStart(9);

for (const threads of threadCounts) {
  productThreads(threads === 1 ? 1 : undefined);
  const peer = await peerWith(threads);
  console.log(
    `\n${threads === 1 ? "one thread" : `${threads} threads`}: milliseconds on the clock and of the processor, ours / LAPACK's`,
  );
  for (const n of sizes) {
    const { symmetric, tasks } = await decompositions(n);
    for (const [name, task] of Object.entries(tasks)) {
      const rounds = roundsFor(n);
      const [ours, theirs]: [Taken[], Taken[]] = [[], []];
      for (let round = -warmUp(n); round < rounds; round++) {
        const [own, other] = [await timed(task), await peer.time(name, n)];
        if (round < 0) continue;
        ours.push(own);
        theirs.push(other);
      }
      const of = (taken: readonly Taken[], key: keyof Taken): number => median(taken.map((t) => t[key]));
      const part = (key: keyof Taken): string => {
        const [own, other] = [of(ours, key), of(theirs, key)];
        return `${milliseconds(own)} /${milliseconds(other)}  ratio ${(own / other).toFixed(2).padStart(5)}`;
      };
      console.log(`  ${name.padEnd(9)} n = ${String(n).padEnd(5)} ${part("clock")}   ${part("processor")}`);
    }
    if (threads === 1) {
      const { residual, orthogonality } = await eigenQuality(
        symmetric,
        await spectralDecomposition(symmetric),
      );
      const small = (x: number): string => x.toExponential(1);
      console.log(
        `            eigenpairs: residual ${small(residual)}, orthogonality ${small(orthogonality)}`,
      );
    }
  }
  peer.end();
}
productThreads(undefined);

const executablePath = findChromium();
if (executablePath) {
  const page = await openPage(new URL("pages/linear-algebra.ts", import.meta.url), executablePath);
  const peer = await peerWith(1);
  console.log("\nin Chromium, one thread: milliseconds on the clock, ours / LAPACK's");
  for (const n of sizes)
    for (const name of ["cholesky", "eigh", "svd"]) {
      const [ours, theirs]: [number[], number[]] = [[], []];
      for (let round = -warmUp(n); round < roundsFor(n); round++) {
        const [own, other] = [await page.call<number>("timed", name, n), await peer.time(name, n)];
        if (round < 0) continue;
        ours.push(own);
        theirs.push(other.clock);
      }
      const [own, other] = [median(ours), median(theirs)];
      console.log(
        `  ${name.padEnd(9)} n = ${String(n).padEnd(5)} ${milliseconds(own)} /${milliseconds(other)}  ratio ${(own / other).toFixed(2).padStart(5)}`,
      );
    }
  peer.end();
  await page.close();
}
