// The limit kernels against neural-tangents: what differs over activation, depth, convolution, pooling and
// parameterization, and what it takes. The two take turns; the ratio of the medians is what counts.
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { readNpy, writeNpy } from "@lemmata/core/data";
import { numbers, type Tensor, tensor } from "@lemmata/core/graph";
import { empiricalKernel, limitKernel, type Parameterization } from "@lemmata/core/kernels";
import { createRandom } from "@lemmata/core/numbers";
import { initialNetwork } from "@lemmata/core/train";
import { pythonWith } from "./python.ts";

const packages = [
  ...["neural-tangents==0.6.5", "jax==0.4.25", "jaxlib==0.4.25", "numpy<2", "scipy<1.13", "ml_dtypes<0.5"],
];
const python = pythonWith("kernels", packages, ["neural_tangents"]);
const folder = mkdtempSync(join(tmpdir(), "lemmata-kernel-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const peer: ChildProcessWithoutNullStreams = spawn(python, [
  "-I",
  fileURLToPath(new URL("peers/kernel.py", import.meta.url)),
  folder,
]);
peer.stderr.on("data", (text: Buffer) => {
  if (/Error|Traceback/.test(`${text}`) && !/Unable to register/.test(`${text}`)) process.stderr.write(text);
});
const lines = createInterface({ input: peer.stdout })[Symbol.asyncIterator]();
const answer = async (): Promise<string> => {
  const { value, done } = await lines.next();
  if (done) throw new Error("the peer ended");
  return value as string;
};
while ((await answer()) !== "ready");

const random = createRandom("kernels");
function data(name: string, ...dims: number[]): Tensor {
  const count = dims.reduce((n, d) => n * d, 1);
  const x = tensor(
    Float64Array.from({ length: count }, () => random.normal()),
    { dims },
  );
  writeFileSync(join(folder, `${name}.npy`), writeNpy(x));
  return x;
}
const read = (name: string): ArrayLike<number> => numbers(readNpy(readFileSync(join(folder, `${name}.npy`))));
const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!;

interface Case {
  readonly spec: string;
  readonly parameterization: Parameterization;
  readonly wStd: number;
  readonly bStd: number;
}
async function ask(request: Case & Record<string, unknown>): Promise<number> {
  peer.stdin.write(`${JSON.stringify({ batch: 0, kind: "limit", ...request })}\n`);
  return Number(await answer());
}

/** The greatest difference as a part of the greatest entry. */
function difference(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let [gap, most] = [0, 0];
  for (let n = 0; n < b.length; n++) {
    gap = Math.max(gap, Math.abs(a[n]! - b[n]!));
    most = Math.max(most, Math.abs(b[n]!));
  }
  return a.length === b.length ? gap / most : Number.NaN;
}

const closed = [
  "relu",
  "leakyrelu(0.2)",
  "erf",
  "gelu",
  "abs",
  "sin",
  "cos",
  "exp",
  "gaussian",
  "square",
  "cube",
];
const numeric = ["tanh", "sigmoid", "silu", "softplus"];
const dense = (a: string): string[] => [`12-64-${a}-1`, `12-64-${a}-64-${a}-64-${a}-1`];
const images = (a: string): string[] => [
  `3x6x6-conv8k3same-${a}-conv8k3-${a}-flatten-1`,
  `3x6x6-conv8k3same-${a}-conv8k3s2same-${a}-globalavgpool-flatten-1`,
  `3x6x6-conv8k3-${a}-avgpool2-conv8k2nobias-${a}-flatten-1`,
  `3x6x6-conv8k3same-residual(${a}-conv8k3same)-${a}-avgpool2-flatten-8-${a}-1`,
];
const residual = (a: string): string => `12-32-residual(${a}-32)-residual(${a}-32nobias)-${a}-1`;

const x = { dense: data("dense", 7, 12), images: data("images", 5, 3, 6, 6) };
let [worst, count] = [0, 0];
console.log("greatest difference from neural-tangents, as a part of the greatest entry");
for (const a of [...closed, ...numeric]) {
  const row: string[] = [];
  // Some grow beyond all numbers when they are applied to themselves; the peer's quadrature is good for small variances.
  const wStd = /exp|square|cube/.test(a) || numeric.includes(a) ? 0.6 : 1.4;
  for (const parameterization of ["ntk", "standard"] as const)
    for (const [kind, specs] of [
      ["dense", [...dense(a), residual(a)]],
      ["images", images(a)],
    ] as const) {
      let most = 0;
      for (const spec of specs) {
        const each = { spec, parameterization, wStd, bStd: 0.3 };
        await ask({ ...each, x: kind, save: true });
        const own = await limitKernel(spec, x[kind], each);
        most = Math.max(most, difference(own.nngp, read("nngp")), difference(own.ntk, read("ntk")));
        count++;
      }
      worst = Math.max(worst, most);
      row.push(`${kind} ${parameterization} ${most.toExponential(1)}`);
    }
  console.log([a.padEnd(16), ...row].join("  "));
}
console.log(`${count} architectures, greatest difference ${worst.toExponential(1)}`);

/** Medians of both, taking turns, after one round each that does not count. */
async function race(
  own: () => Promise<unknown>,
  request: Case & Record<string, unknown>,
  rounds: number,
): Promise<string> {
  const [ours, theirs]: [number[], number[]] = [[], []];
  for (let round = 0; round <= rounds; round++) {
    const began = performance.now();
    await own();
    const passed = (performance.now() - began) / 1000;
    const seconds = await ask({ ...request, x: "timed", warm: round === 0 });
    if (round > 0) {
      ours.push(passed);
      theirs.push(seconds);
    }
  }
  const [a, b] = [median(ours), median(theirs)];
  const least = Math.min(...ours) / Math.min(...theirs);
  return `${a.toFixed(3).padStart(8)} ${b.toFixed(3).padStart(8)}   ${(a / b).toFixed(2)} (least times ${least.toFixed(2)})`;
}

const timed = [
  ["784-512-relu-512-relu-512-relu-1", [500, 784], 0, 15],
  ["784-512-erf-512-erf-512-erf-1", [500, 784], 0, 15],
  ["784-512-gelu-512-gelu-512-gelu-1", [500, 784], 0, 15],
  ["3x8x8-conv64k3same-relu-conv64k3same-relu-flatten-1", [500, 3, 8, 8], 0, 5],
  ["3x8x8-conv64k3same-relu-conv64k3same-relu-globalavgpool-flatten-1", [100, 3, 8, 8], 20, 3],
] as const;
console.log("\nseconds for both limit kernels: ours, neural-tangents', ratio");
for (const [spec, dims, batch, rounds] of timed) {
  const each = { spec, parameterization: "ntk", wStd: 1.4, bStd: 0.1 } as const;
  const given = data("timed", ...dims);
  const row = await race(() => limitKernel(spec, given, each), { ...each, batch }, rounds);
  console.log(`n = ${String(dims[0]).padEnd(5)} ${spec.padEnd(68)} ${row}`);
}

console.log("\nseconds for the kernel of a drawn network, the mean over its outputs, in float64");
for (const [spec, dims, batch, rounds] of [
  ["784-512-relu-512-relu-10", [200, 784], 0, 5],
  ["3x8x8-conv16k3same-relu-conv16k3same-relu-flatten-10", [100, 3, 8, 8], 0, 5],
] as const) {
  const each = { spec, parameterization: "standard", wStd: 1.4, bStd: 0.1, kind: "empirical" } as const;
  const given = data("timed", ...dims);
  const net = initialNetwork(spec, { seed: 1 });
  const row = await race(() => empiricalKernel(net, given), { ...each, batch }, rounds);
  console.log(`n = ${String(dims[0]).padEnd(5)} ${spec.padEnd(68)} ${row}`);
}
peer.stdin.end();
