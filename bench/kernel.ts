// The limit kernels against neural-tangents: what differs over activation, depth, convolution, pooling and
// parameterization, and what it takes. The two take turns; the ratio of the medians is what counts.
import { limitKernel, type Parameterization } from "@lemmata/core/kernels";
import {
  normals as data,
  difference,
  median,
  received as read,
  startPeer,
  type Taken,
  taken,
} from "./kernel-peer.ts";
import { neuralTangents } from "./kernel-python.ts";

const peer = await startPeer(neuralTangents(), "kernel.py");

interface Case {
  readonly spec: string;
  readonly parameterization: Parameterization;
  readonly wStd: number;
  readonly bStd: number;
}
const ask = (request: Case & Record<string, unknown>): Promise<Taken> =>
  peer.ask({ batch: 0, kind: "limit", ...request });

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
/** `LEMMATA_TIMES=only` leaves the differences out. */
const isTimesOnly = process.env.LEMMATA_TIMES === "only";
for (const a of isTimesOnly ? [] : [...closed, ...numeric]) {
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

/** Medians of both, taking turns, after one round each that does not count; of short ones twenty, in which the engine compiles. */
async function race(
  own: () => Promise<unknown>,
  request: Case & Record<string, unknown>,
  rounds: number,
): Promise<string> {
  const [ours, theirs]: [Taken[], Taken[]] = [[], []];
  if (rounds >= 10) for (let round = 0; round < 20; round++) await own();
  for (let round = 0; round <= rounds; round++) {
    const passed = await taken(own);
    const other = await ask({ ...request, x: "timed", warm: round === 0 });
    if (round > 0) {
      ours.push(passed);
      theirs.push(other);
    }
  }
  const row = (of: keyof Taken): string => {
    const [a, b] = [ours, theirs].map((all) => all.map((each) => each[of])) as [number[], number[]];
    const least = Math.min(...a) / Math.min(...b);
    return `${median(a).toFixed(3).padStart(8)} ${median(b).toFixed(3).padStart(8)}   ${(median(a) / median(b)).toFixed(2)} (least times ${least.toFixed(2)})`;
  };
  return `${row("clock")};  of the processor ${row("processor")}`;
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

peer.end();
if (!isTimesOnly) await import("./empirical-kernel.ts");
