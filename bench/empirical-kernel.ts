// The tangent kernel of a drawn network, the mean over its outputs, in float64, beside neural-tangents (structured
// derivatives) and torch.func (vmap(jacrev) and a contraction, in blocks of examples whose Jacobians fit memory): what
// differs at the same weights, and what it takes with one thread and with all cores. They take turns.
import { availableParallelism } from "node:os";
import { cast, numbers, type Tensor, tensor } from "@lemmata/core/graph";
import { empiricalKernel } from "@lemmata/core/kernels";
import { initialNetwork } from "@lemmata/core/train";
import {
  difference,
  handOver,
  median,
  normals,
  received,
  startPeer,
  type Taken,
  taken,
} from "./kernel-peer.ts";
import { neuralTangents, torchPython } from "./kernel-python.ts";

/** Architecture, examples and rounds; for torch.func, whose Jacobians take gigabytes, the first few and a block of these. */
const cases = [
  {
    spec: "784-512-relu-512-relu-10",
    dims: [200, 784],
    rounds: 9,
    torch: { examples: 40, batch: 20, rounds: 1 },
  },
  {
    spec: "3x8x8-conv16k3same-relu-conv16k3same-relu-flatten-10",
    dims: [100, 3, 8, 8],
    rounds: 9,
    torch: { examples: 100, batch: 100, rounds: 3 },
  },
];

const medians = (all: readonly Taken[]): Taken => ({
  clock: median(all.map(({ clock }) => clock)),
  processor: median(all.map(({ processor }) => processor)),
});
const text = ({ clock, processor }: Taken): string =>
  `${clock.toFixed(3)} s, ${processor.toFixed(3)} s of the processor`;
const row = (name: string, theirs: Taken, own: Taken, gap: number): string =>
  `${name.padEnd(20)} ${text(theirs)}; ours / this ${(own.clock / theirs.clock).toFixed(3)}, of the processor ` +
  `${(own.processor / theirs.processor).toFixed(3)}; greatest difference ${gap.toExponential(1)} of the greatest entry`;

const firstExamples = (x: Tensor, count: number): Tensor => {
  const [all, ...rest] = x.dims as [number, ...number[]];
  const data = numbers(x).subarray(0, (x.data.length / all) * count);
  return tensor(data, { dims: [count, ...rest] });
};

for (const threads of [1, availableParallelism()]) {
  console.log(`\nthe kernel of a drawn network, ${threads === 1 ? "one thread" : `${threads} threads`}`);
  const alone = threads === 1 ? "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1" : "";
  const tangents = await startPeer(neuralTangents(), "kernel.py", [], alone ? { XLA_FLAGS: alone } : {});
  const torch = await startPeer(torchPython(), "kernel_torch.py", [`${threads}`]);
  for (const { spec, dims, rounds, torch: few } of cases) {
    const x = normals("timed", ...dims);
    const net = initialNetwork(spec, { seed: 1, type: "float64" });
    const weights = [...net.initializers].map(([name, weight]) => {
      handOver(name, cast(weight as Tensor, "float64"));
      return name;
    });
    const kind = { spec, weights, parameterization: "standard", wStd: 1, bStd: 1, kind: "empirical" };
    const request = { ...kind, batch: 0, x: "timed" };
    const own = await empiricalKernel(net, x, { threads });
    await tangents.ask({ ...request, warm: true, save: true });
    const gap = difference(own.ntk, received("ntk"));
    const [ours, theirs]: [Taken[], Taken[]] = [[], []];
    for (let round = 0; round < rounds; round++) {
      ours.push(await taken(() => empiricalKernel(net, x, { threads })));
      theirs.push(await tangents.ask(request));
    }
    const mine = medians(ours);
    console.log(`n = ${dims[0]} of ${spec}: ${text(mine)}`);
    console.log(`  ${row("neural-tangents", medians(theirs), mine, gap)}`);

    const first = firstExamples(x, few.examples);
    const [fewOurs, fewTheirs]: [Taken[], Taken[]] = [[], []];
    const smaller = await empiricalKernel(net, first, { threads });
    for (let round = 0; round < few.rounds; round++) {
      fewOurs.push(await taken(() => empiricalKernel(net, first, { threads })));
      fewTheirs.push(await torch.ask({ ...request, ...few, save: true }));
    }
    const fewGap = difference(smaller.ntk, received("ntk"));
    console.log(`  ${row(`torch.func n = ${few.examples}`, medians(fewTheirs), medians(fewOurs), fewGap)}`);
  }
  tangents.end();
  torch.end();
}
