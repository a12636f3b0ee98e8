// Exact pieces per second along a line, and how the cost grows; against counting slopes on a fine grid, which can only
// miss pieces, in one ONNX Runtime call and (where it is installed) in PyTorch.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "@lemmata/core/engine";
import { type Graph, numbers, tensor } from "@lemmata/core/graph";
import { type Layer, layer, layersOf, network, square, triangle } from "@lemmata/core/networks";
import { createRandom } from "@lemmata/core/numbers";
import { linearPieces } from "@lemmata/core/passes";

const gridSize = 1 << 20;

/** He initialization in f32 with biases, so that breakpoints are true fractions. */
function randomRelu(widths: readonly number[]): Graph {
  const random = createRandom(widths.join("-"));
  const single = (values: Float64Array, scale: number) => Array.from(values, (v) => Math.fround(scale * v));
  const layers = widths.slice(1).map((rows, l): Layer => {
    const scale = Math.sqrt(2 / widths[l]!);
    return layer(
      Array.from({ length: rows }, () => single(random.normal(widths[l]!), scale)),
      single(random.normal(rows), 0.5),
    );
  });
  return network(layers);
}

/** Runs of equal slopes between neighbouring grid points, as a plain sampling count would have it. */
async function sampledPieces(graph: Graph): Promise<number> {
  const x = Float64Array.from({ length: gridSize + 1 }, (_, k) => k / gridSize);
  const { y } = await run(graph, { x: tensor(x, { dims: [x.length, 1] }) }, { threads: 1 });
  const values = numbers(y!);
  let pieces = 1;
  let slope = values[1]! - values[0]!;
  for (let k = 2; k < values.length; k++) {
    const next = values[k]! - values[k - 1]!;
    if (Math.abs(next - slope) > 1e-9 * (1 + Math.abs(slope))) pieces++;
    slope = next;
  }
  return pieces;
}

const script = `
import json, sys, time, torch
torch.set_num_threads(1)
layers = json.load(open(sys.argv[1]))
x = torch.arange(${gridSize} + 1, dtype=torch.float64)[:, None] / ${gridSize}
start = time.perf_counter()
for k, (W, b) in enumerate(layers):
    x = x @ torch.tensor(W, dtype=torch.float64).T + torch.tensor(b, dtype=torch.float64)
    if k + 1 < len(layers): x = torch.relu(x)
slope = x[1:, 0] - x[:-1, 0]
pieces = 1 + int(((slope[1:] - slope[:-1]).abs() > 1e-9 * (1 + slope[:-1].abs())).sum())
print(json.dumps([pieces, time.perf_counter() - start]))
`;

/** The same grid count in PyTorch: pieces and seconds; undefined when it is not installed. */
function torchPieces(graph: Graph): readonly [number, number] | undefined {
  const folder = mkdtempSync(join(tmpdir(), "lemmata-bench-"));
  try {
    const dense = layersOf(graph).layers.map(
      ({ weights: { rows, columns, starts, columnOf, values }, bias }) => {
        const W = Array.from({ length: rows }, () => Array<number>(columns).fill(0));
        for (let r = 0; r < rows; r++)
          for (let k = starts[r]!; k < starts[r + 1]!; k++) W[r]![columnOf[k]!] = values[k]!;
        return [W, [...bias]];
      },
    );
    writeFileSync(join(folder, "net.json"), JSON.stringify(dense));
    writeFileSync(join(folder, "pieces.py"), script);
    // Debian's package is for Debian's own Python.
    const { status, stdout } = spawnSync(
      "/usr/bin/python3",
      [join(folder, "pieces.py"), join(folder, "net.json")],
      { encoding: "utf8" },
    );
    return status === 0 ? JSON.parse(stdout) : undefined;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function seconds(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

const networks: readonly (readonly [string, Graph])[] = [
  ...[8, 12, 16].map((levels) => [`triangle map, ${levels} times`, triangle(levels)] as const),
  ["squaring network, 14 levels", square(14)],
  ...[16, 32, 64].map(
    (n) => [`random 1-${n}-${n}-${n}-1, f32 weights`, randomRelu([1, n, n, n, 1])] as const,
  ),
];

console.log(`\nexact pieces on [0, 1] against slopes on a grid of 2^20 (ratio: exact time / grid time)`);
let hasTorch = true;
for (const [name, graph] of networks) {
  linearPieces(graph, 0, 1); // warms up
  let [pieces, sampled] = [0, 0];
  const exact = await seconds(() => {
    pieces = linearPieces(graph, 0, 1).knots.length - 1;
  });
  await sampledPieces(graph);
  const grid = await seconds(async () => {
    sampled = await sampledPieces(graph);
  });
  const torch: readonly [number, number] | undefined = hasTorch ? torchPieces(graph) : undefined;
  hasTorch &&= torch !== undefined;
  const beside = torch
    ? `, PyTorch ${torch[0]} in ${torch[1].toFixed(2)} s, ratio ${(exact / torch[1]).toFixed(3)}`
    : "";
  const rate = Math.round(pieces / exact).toLocaleString("en-US");
  console.log(
    `  ${name.padEnd(34)} ${pieces} pieces in ${exact.toFixed(3)} s (${rate}/s); ` +
      `grid ${sampled} in ${grid.toFixed(2)} s, ratio ${(exact / grid).toFixed(3)}${beside}`,
  );
}
if (!hasTorch) console.log("  left out: PyTorch (Debian's package python3-torch) is not installed");
