// The landscape beside its peers. The spectrum of a Hessian by Lanczos' iteration, beside the same in PyTorch (products by
// jvp of grad, one thread each, the same start, so the same values to the last digits but some). Certified minima of two-layer
// ReLU networks beside the convex program over all patterns of activation, solved by cvxpy with Clarabel: the value to 1e-8.
import { tensor } from "@lemmata/core/graph";
import { certifiedMinimum, convexLoss, hessianSpectrum, weightObjective } from "@lemmata/core/landscape";
import { createRandom, type Random } from "@lemmata/core/numbers";
import { initialNetwork } from "@lemmata/core/train";
import { handOver, median, normals, received, startPeer, type Taken, taken } from "./kernel-peer.ts";
import { torchPython } from "./kernel-python.ts";
import { pythonWith } from "./python.ts";

const text = ({ clock, processor }: Taken): string =>
  `${clock.toFixed(2)} s, ${processor.toFixed(2)} s of the processor`;
const middle = (all: readonly Taken[]): Taken => ({
  clock: median(all.map(({ clock }) => clock)),
  processor: median(all.map(({ processor }) => processor)),
});

/** A random number generator whose first probe is known: the start that the peer has. */
const startAt = (start: Float64Array): Random => {
  const random = createRandom(1);
  return { ...random, split: () => ({ ...random, sphere: () => start }) as unknown as Random };
};

console.log("the ends of a spectrum, 30 products, float64, one thread");
const torch = await startPeer(torchPython(), "landscape.py", ["spectrum"]);
for (const [spec, examples] of [
  ["64-64-tanh-10", 500],
  ["784-128-tanh-64-tanh-10", 500],
] as const) {
  const width = Number(spec.split("-")[0]);
  const x = normals("x", examples, width);
  const classes = Array.from({ length: examples }, (_, i) => i % 10);
  handOver("y", tensor(Float64Array.from(classes), { dims: [examples] }));
  const net = initialNetwork(spec, { seed: 1, type: "float64" });
  const names = [...net.initializers].map(([name, weight], k) => {
    handOver(`w${k}`, weight as never);
    return { name, file: `w${k}` };
  });
  const target = { type: "int64" as const, dims: [examples], data: BigInt64Array.from(classes, BigInt) };
  const objective = weightObjective(net, { x, target }, { loss: "cross-entropy" });
  const order = objective.names.map((name) => names.find((n) => n.name === name)!.file);
  const start = createRandom("start").sphere(objective.start.length);
  handOver("start", tensor(start, { dims: [start.length] }));
  const value = await objective.value(objective.start);
  const own: Taken[] = [];
  const theirs: Taken[] = [];
  let gap = 0;
  for (let round = 0; round < 3; round++) {
    theirs.push(await torch.ask({ weights: order, steps: 30 }));
    let found: Awaited<ReturnType<typeof hessianSpectrum>> | undefined;
    own.push(
      await taken(async () => {
        found = await hessianSpectrum((v) => objective.curvature(objective.start, v), start.length, {
          ...{ random: startAt(start), probes: 1, steps: 30, rounding: 1e-12, dense: 0 },
        });
      }),
    );
    const values = received("values");
    const [low, high] = [values[0]!, values[values.length - 1]!];
    gap = Math.max(Math.abs(found!.min - low), Math.abs(found!.max - high)) / Math.max(-low, high);
  }
  const [a, b] = [middle(theirs), middle(own)];
  console.log(
    `${spec}, ${objective.start.length} weights, ${examples} examples: PyTorch ${text(a)}; ours ${text(b)}, ours / this ` +
      `${(b.clock / a.clock).toFixed(2)}; ends differ by ${gap.toExponential(1)}, the loss by ` +
      `${Math.abs(value - received("loss")[0]!).toExponential(1)}`,
  );
}
torch.end();

/** Which examples are active in each sector of the plane. */
function patternsOf(x: readonly Float64Array[]): readonly Float64Array[] {
  const kinks = x
    .flatMap(([a, b]) => [Math.atan2(b!, a!) + Math.PI / 2, Math.atan2(b!, a!) - Math.PI / 2])
    .map((t) => (t + 4 * Math.PI) % (2 * Math.PI))
    .sort((a, b) => a - b);
  return kinks.map((from, k) => {
    const middle = (from + (kinks[k + 1] ?? kinks[0]! + 2 * Math.PI)) / 2;
    return Float64Array.from(x, ([a, b]) => (a! * Math.cos(middle) + b! * Math.sin(middle) > 0 ? 1 : 0));
  });
}

console.log("\ncertified minima of two-layer ReLU networks with weight decay, two inputs");
const cvxpy = await startPeer(pythonWith("landscape", ["cvxpy", "numpy"]), "landscape.py", ["certificate"]);
for (const [m, decay] of [
  [5, 0.04],
  [12, 0.1],
  [30, 0.05],
] as const) {
  const random = createRandom(`certificate ${m}`);
  const x = Array.from({ length: m }, () => random.normal(2));
  const y = random.normal(m);
  const patterns = patternsOf(x);
  const flat = (rows: readonly Float64Array[]) =>
    tensor(Float64Array.from(rows.flatMap((row) => [...row])), { dims: [rows.length, rows[0]!.length] });
  handOver("x", flat(x));
  handOver("y", tensor(y, { dims: [m] }));
  handOver("patterns", flat(patterns));
  const theirs = await cvxpy.ask({ decay });
  const value = received("value")[0]!;
  let found: ReturnType<typeof certifiedMinimum> | undefined;
  const own = await taken(async () => {
    const loss = convexLoss("square", { values: [y] });
    found = certifiedMinimum({ neurons: [], hasBias: false }, x, loss, 1, {
      ...{ decay, gapTolerance: 1e-9, tolerance: 1e-11, rounds: 200 },
    });
  });
  const { objective, lowerBound, verdict } = found!.certificate;
  console.log(
    `${m} examples, decay ${decay}, ${patterns.length} patterns: cvxpy ${value.toFixed(12)} in ${text(theirs)}; ours between ` +
      `${lowerBound.toFixed(12)} and ${objective.toFixed(12)} (${verdict}) in ${text(own)}; objectives differ by ` +
      `${Math.abs(objective - value).toExponential(1)}`,
  );
}
cvxpy.end();
