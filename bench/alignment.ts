// Linear assignment against SciPy's (where it is installed), and the alignment of two networks 784-512-512-512-10.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { alignByWeights, linearAssignment } from "@lemmata/core/equivalence";
import { createRandom, type Random } from "@lemmata/core/numbers";
import { initialNetwork } from "@lemmata/core/train";

const script = `
import json, sys, time, numpy
from scipy.optimize import linear_sum_assignment
n = int(sys.argv[2])
costs = numpy.fromfile(sys.argv[1]).reshape(n, n)
best = min((lambda t: (linear_sum_assignment(costs), time.perf_counter() - t)[1])(time.perf_counter()) for _ in range(5))
rows, columns = linear_sum_assignment(costs)
print(json.dumps([float(costs[rows, columns].sum()), best]))
`;

/** Cost and seconds; undefined without SciPy. */
function scipy(costs: Float64Array, n: number): readonly [number, number] | undefined {
  const folder = mkdtempSync(join(tmpdir(), "lemmata-bench-"));
  try {
    const file = join(folder, "costs");
    writeFileSync(file, new Uint8Array(costs.buffer));
    const { status, stdout } = spawnSync("/usr/bin/python3", ["-c", script, file, String(n)], {
      encoding: "utf8",
    });
    return status === 0 ? JSON.parse(stdout) : undefined;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Minus the inner products of the rows of two Gaussian matrices: what alignment solves. */
function similarityCosts(n: number, random: Random): Float64Array {
  const [a, b] = [random.normal(n * 64), random.normal(n * 64)];
  return Float64Array.from({ length: n * n }, (_, k) => {
    let sum = 0;
    for (let f = 0; f < 64; f++) sum -= a[Math.floor(k / n) * 64 + f]! * b[(k % n) * 64 + f]!;
    return sum;
  });
}

const kinds: Readonly<Record<string, (n: number, random: Random) => Float64Array>> = {
  "inner products": similarityCosts,
  uniform: (n, random) => random.uniform(n * n),
};

console.log("costs           n     ours s   SciPy s  ratio  costs agree");
for (const [name, costsOf] of Object.entries(kinds)) {
  for (const n of [128, 512, 1024]) {
    const costs = costsOf(n, createRandom(`${name}/${n}`));
    let seconds = Number.POSITIVE_INFINITY;
    let cost = 0;
    for (let k = 0; k < 5; k++) {
      const start = performance.now();
      ({ cost } = linearAssignment(costs, n));
      seconds = Math.min(seconds, (performance.now() - start) / 1000);
    }
    const peer = scipy(costs, n);
    const rest = peer
      ? `${peer[1].toFixed(4).padStart(8)}  ${(seconds / peer[1]).toFixed(2).padStart(5)}  ${Math.abs(cost - peer[0]) < 1e-6 * n}`
      : "not installed";
    console.log(`${name.padEnd(15)} ${String(n).padStart(4)}  ${seconds.toFixed(4).padStart(8)}  ${rest}`);
  }
}

const spec = "784-512-relu-512-relu-512-relu-10";
const [a, b] = [initialNetwork(spec, { seed: 1 }), initialNetwork(spec, { seed: 2 })];
const start = performance.now();
const { distance, assignments } = await alignByWeights(a, b, { random: createRandom(1) });
const seconds = (performance.now() - start) / 1000;
console.log(
  `\n${spec}: aligned in ${seconds.toFixed(2)} s with ${assignments} assignments, distance ${distance.before.toFixed(2)} -> ${distance.after.toFixed(2)}`,
);
