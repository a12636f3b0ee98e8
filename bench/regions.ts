// Regions per second of random MLPs 2-n-n-1 on [-1, 1]^2, and how the cost grows with the width; against counting the
// activation patterns at the points of a fine grid, in one ONNX Runtime call and (where it is installed) in PyTorch.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "@lemmata/core/engine";
import { float64, type Graph, graph, numbers, tensor, type Values } from "@lemmata/core/graph";
import { createRandom } from "@lemmata/core/numbers";
import { boxSlice, planeRegions } from "@lemmata/core/passes";

const widths = [32, 64, 128, 256];
const side = 400;
const slice = boxSlice([-1, -1], [1, 1]);

interface Layer {
  readonly W: number[][];
  readonly b: number[];
}

function layersOf(n: number): Layer[] {
  const random = createRandom(`2-${n}-${n}-1`);
  const sizes = [2, n, n, 1];
  return sizes.slice(1).map((rows, l) => ({
    W: Array.from({ length: rows }, () =>
      Array.from(random.normal(sizes[l]!), (w) => w * Math.sqrt(2 / sizes[l]!)),
    ),
    b: Array.from(random.normal(rows), (b) => 0.3 * b),
  }));
}

/** The network, and the same with the hidden layers as its outputs. */
function networks(layers: readonly Layer[]): readonly [Graph, Graph] {
  const build = (hidden: boolean) =>
    graph({ x: float64("N", 2) }, ({ x }): Values => {
      const first = x.affine(layers[0]!.W, layers[0]!.b).relu();
      const second = first.affine(layers[1]!.W, layers[1]!.b).relu();
      return hidden ? { first, second } : { y: second.affine(layers[2]!.W, layers[2]!.b) };
    });
  return [build(false), build(true)];
}

const gridPoints = Float64Array.from({ length: 2 * side * side }, (_, k) => {
  const point = Math.floor(k / 2);
  return ((k % 2 === 0 ? point % side : Math.floor(point / side)) + 0.5) * (2 / side) - 1;
});

/** Distinct activation patterns at the points of the grid: a lower bound on the regions. */
async function sampledCount(net: Graph): Promise<number> {
  const layers = await run(net, { x: tensor(gridPoints, { dims: [side * side, 2] }) }, { threads: 1 });
  const values = Object.values(layers).map((t) => ({ data: numbers(t), width: t.dims[1]! }));
  const patterns = new Set<string>();
  for (let k = 0; k < side * side; k++) {
    let pattern = "";
    for (const { data, width } of values) {
      for (let from = 0; from < width; from += 16) {
        let bits = 0;
        for (let j = from; j < Math.min(width, from + 16); j++)
          bits = 2 * bits + (data[k * width + j]! > 0 ? 1 : 0);
        pattern += String.fromCharCode(bits);
      }
    }
    patterns.add(pattern);
  }
  return patterns.size;
}

const torchCount = `
import json, sys, time, torch
torch.set_num_threads(1); torch.set_default_dtype(torch.float64)
layers = [(torch.tensor(l["W"]), torch.tensor(l["b"])) for l in json.load(open(sys.argv[1]))]
side = int(sys.argv[2])
def count():
    t = (torch.arange(side) + 0.5) * (2 / side) - 1
    h = torch.cartesian_prod(t, t)
    bits = []
    for W, b in layers[:-1]:
        h = torch.relu(h @ W.T + b); bits.append(h > 0)
    return torch.unique(torch.cat(bits, 1), dim=0).shape[0]
times = []
for _ in range(4):
    start = time.process_time(); n = count(); times.append(time.process_time() - start)
print(json.dumps([n, min(times)]))
`;

const hasTorch = spawnSync("python3", ["-c", "import torch"]).status === 0;

function torch(layers: readonly Layer[]): readonly [number, number] | undefined {
  const folder = mkdtempSync(join(tmpdir(), "lemmata-bench-"));
  try {
    const file = join(folder, "layers.json");
    writeFileSync(file, JSON.stringify(layers));
    const { stdout, status } = spawnSync("python3", ["-c", torchCount, file, String(side)], {
      encoding: "utf8",
    });
    return status === 0 ? JSON.parse(stdout) : undefined;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The result, and the least processor time of three runs: other work on the machine does not count. */
async function seconds<T>(work: () => Promise<T>): Promise<readonly [T, number]> {
  let [result, least] = [await work(), Number.POSITIVE_INFINITY];
  for (let round = 0; round < 3; round++) {
    const start = process.cpuUsage();
    result = await work();
    const { user, system } = process.cpuUsage(start);
    least = Math.min(least, (user + system) / 1e6);
  }
  return [result, least];
}

if (!hasTorch) console.log("python3-torch is not installed: its column is left out");
console.log(`processor time; grid: ${side} x ${side} points; a pattern that no point hits is missed\n`);
console.log("network       regions   seconds  regions/s   grid finds   seconds   torch finds   seconds");
const costs: [number, number][] = [];
for (const n of widths) {
  const layers = layersOf(n);
  const [net, hidden] = networks(layers);
  const [{ count }, exact] = await seconds(() => planeRegions(net, slice, { keep: false }));
  const [found, sampling] = await seconds(() => sampledCount(hidden));
  const [torchFound, torchTime] = (hasTorch && torch(layers)) || ["-", Number.NaN];
  costs.push([n, exact / count]);
  const cells = [
    `2-${n}-${n}-1`.padEnd(12),
    String(count).padStart(8),
    exact.toFixed(3).padStart(9),
    String(Math.round(count / exact)).padStart(10),
    String(found).padStart(12),
    sampling.toFixed(3).padStart(9),
    String(torchFound).padStart(13),
    (Number.isNaN(torchTime) ? "-" : torchTime.toFixed(3)).padStart(9),
  ];
  console.log(cells.join(" "));
}
const [[n0, c0], [n1, c1]] = [costs[1]!, costs.at(-1)!];
const exponent = Math.log(c1 / c0) / Math.log(n1 / n0);
console.log(`\ncost of a region grows like width^${exponent.toFixed(2)} from ${n0} to ${n1}`);
