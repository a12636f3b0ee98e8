// Interpolation of m points in 20 dimensions by m units and along a line, and the linear systems behind it: against
// elimination in plain loops, and against LAPACK (PyTorch with OpenBLAS) where there is one. Two threads each.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createRandom } from "@lemmata/core/numbers";
import {
  interpolateAlongLine,
  interpolatePoints,
} from "../packages/core/src/approximate/interpolation/index.ts";
import { luFactor, luSolve, type Matrix } from "../packages/core/src/linear-algebra/index.ts";
import { report } from "./measure.ts";

const random = createRandom("interpolation");
const gaussian = (rows: number, columns: number): Matrix => ({
  rows,
  columns,
  entries: random.normal(rows * columns),
});

/** Gaussian elimination with row exchanges, as one would write it down. */
function eliminatePlainly({ rows: n, entries }: Matrix): void {
  const a = entries.slice();
  for (let j = 0; j < n; j++) {
    let best = j;
    for (let i = j + 1; i < n; i++) if (Math.abs(a[i * n + j]!) > Math.abs(a[best * n + j]!)) best = i;
    const row = a.slice(best * n, (best + 1) * n);
    a.copyWithin(best * n, j * n, (j + 1) * n);
    a.set(row, j * n);
    for (let i = j + 1; i < n; i++) {
      const factor = a[i * n + j]! / row[j]!;
      for (let c = j; c < n; c++) a[i * n + c]! -= factor * row[c]!;
    }
  }
}

const matrix = gaussian(1000, 1000);
await report(
  "LU factors of a 1000 x 1000 matrix",
  [
    {
      name: "lemmata luFactor()",
      async run() {
        await luFactor(matrix);
      },
    },
    { name: "plain loops", run: () => eliminatePlainly(matrix) },
  ],
  5,
);

const libraries = "/usr/lib/x86_64-linux-gnu/openblas-pthread";
const python = ["python3", "/usr/bin/python3"].find(
  (command) => spawnSync(command, ["-c", "import torch"]).status === 0,
);
const lapack = fileURLToPath(new URL("peers/lapack.py", import.meta.url));

/** Seconds of LAPACK for systems of these sizes; none where there is no PyTorch. */
function byLapack(sizes: readonly number[]): readonly number[] {
  if (!python || !existsSync(libraries)) return [];
  const { stdout } = spawnSync(python, [lapack], {
    input: sizes.join("\n"),
    encoding: "utf8",
    env: { ...process.env, LD_LIBRARY_PATH: libraries, OMP_NUM_THREADS: "2" },
  });
  return stdout.trim().split("\n").map(Number);
}

const sizes = [1000, 2000, 5000];
const peer = byLapack([1000, ...sizes]).slice(1); // the first warms up
console.log("\na system with three right-hand sides in float64");
for (const [k, n] of sizes.entries()) {
  const [a, b] = [gaussian(n, n), gaussian(n, 3)];
  const start = performance.now();
  await luSolve(await luFactor(a, { overwrite: true }), b);
  const seconds = (performance.now() - start) / 1000;
  const other =
    peer[k] === undefined
      ? ""
      : `   LAPACK ${peer[k]!.toFixed(2)} s   ratio ${(seconds / peer[k]!).toFixed(2)}`;
  const rate = ((2 / 3) * n ** 3) / seconds / 1e9;
  console.log(
    `  n = ${String(n).padEnd(6)} ${seconds.toFixed(2).padStart(6)} s ${rate.toFixed(0).padStart(4)} GFLOP/s${other}`,
  );
}

console.log("\nm points in 20 dimensions, one value each");
for (const m of [500, 1000, 2000, 5000]) {
  const [points, values] = [gaussian(m, 20), gaussian(m, 1)];
  const start = performance.now();
  const fit = await interpolatePoints(points, values);
  const between = performance.now();
  const line = await interpolateAlongLine(points, values);
  const small = (x: number) => x.toExponential(0);
  console.log(
    `  m = ${String(m).padEnd(5)} m units: ${((between - start) / 1000).toFixed(2)} s, condition ${small(fit.condition)}, ` +
      `residual ${small(fit.residual)}, in float32 ${small(fit.float32.residual)}; ` +
      `along a line: ${((performance.now() - between) / 1000).toFixed(2)} s, gap ${small(line.projection.gap)}, residual ${small(line.residual)}`,
  );
}
