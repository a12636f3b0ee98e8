// `lemmata scatter --edges`: scattering of signals on the vertices of a graph.
import { writeNpz } from "@lemmata/core/data";
import { numbers, tensor } from "@lemmata/core/graph";
import { diffusionFrame, graphScattering, lazyDiffusion, scalesOf } from "@lemmata/core/scattering";
import type { ScatterOptions } from "./commands/scatter.ts";
import { readData, writeWhole } from "./files.ts";
import { print, printJson } from "./output.ts";
import type { Signals } from "./scatter-data.ts";
import { UsageError } from "./usage-error.ts";

/** Vertices beyond which dense matrices of a graph are refused. */
const mostVertices = 2000;

/** Symmetric weights from a table of edges: a, b, and a weight if there is a third column. Vertices count from 0. */
export function weightsOfEdges(path: string): readonly Float64Array[] {
  const [table, ...more] = Object.values(readData(path));
  const width = table?.dims[1];
  if (
    !table ||
    more.length > 0 ||
    table.type === "string" ||
    table.dims.length !== 2 ||
    !(width === 2 || width === 3)
  )
    throw new UsageError(
      `${path} must be a table of edges: two vertices, counted from 0, and perhaps a weight`,
    );
  const values = numbers(table);
  const column = (k: number): Float64Array =>
    Float64Array.from({ length: table.dims[0]! }, (_, e) => values[e * width + k]!);
  const [from, to, weights] = [column(0), column(1), width === 3 ? column(2) : undefined];
  let count = 0;
  for (const end of [from, to])
    for (const v of end) {
      if (!(Number.isInteger(v) && v >= 0))
        throw new UsageError(`${path}: a vertex is 0, 1, 2, ..., not ${v}`);
      count = Math.max(count, v + 1);
    }
  if (count > mostVertices)
    throw new UsageError(`${path} has ${count} vertices; up to ${mostVertices} are possible`);
  const matrix = Array.from({ length: count }, () => new Float64Array(count));
  for (let e = 0; e < from.length; e++) {
    const [a, b, weight] = [from[e]!, to[e]!, weights?.[e] ?? 1];
    matrix[a]![b] = weight;
    matrix[b]![a] = weight;
  }
  return matrix;
}

export async function scatterOnGraph(signals: Signals, options: ScatterOptions): Promise<void> {
  if (options.dimension !== 1)
    throw new UsageError("--edges is for signals of --dimension 1: one number a vertex");
  if (options.synthesize || options.graph !== undefined)
    throw new UsageError("--edges goes with --out alone");
  const { x, leading, shape } = signals;
  const diffusion = await lazyDiffusion(weightsOfEdges(options.edges!));
  const vertices = diffusion.stationary.length;
  if (shape[0] !== vertices)
    throw new UsageError(`the graph has ${vertices} vertices, the signals have ${shape[0]} numbers`);
  const [scales, layers] = [options.scale, options.order + 1];
  const rows: Float64Array[] = [];
  const data = x.data as Float64Array;
  for (let k = 0; k < x.dims[0]!; k++) {
    const signal = data.subarray(k * vertices, (k + 1) * vertices);
    const orders = await graphScattering(diffusion, signal, { scales, layers });
    rows.push(Float64Array.from(orders.flatMap((order) => [...order])));
  }
  const paths = rows[0]!.length;
  const s = Float64Array.from(rows.flatMap((row) => [...row]));
  if (options.out !== undefined)
    writeWhole(options.out, writeNpz({ s: tensor(s, { dims: [...leading, paths], type: "float64" }) }));
  const frame = diffusionFrame(diffusion, scales);
  const found = {
    paths,
    shape: [...leading, paths],
    vertices,
    gap: diffusion.gap,
    mixed: scalesOf(diffusion),
    frame,
  };
  if (options.json) return printJson(found);
  print(
    `graph    ${vertices} vertices, largest eigenvalue below 1: ${diffusion.gap.toPrecision(4)} (mixed at scale ${found.mixed})
paths    ${paths}, outputs [${found.shape.join(", ")}]
frame    ${frame.lower.toPrecision(4)} |x|^2 <= |W x|^2 <= ${frame.upper.toPrecision(4)} |x|^2 for x orthogonal to the stationary vector`,
  );
  if (options.out !== undefined && !options.quiet) print(`written: ${options.out}`);
}
