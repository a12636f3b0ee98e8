import { type Figure, regionsSvg } from "@lemmata/core/figure";
import { elementCount, type Graph, numbers, type Tensor } from "@lemmata/core/graph";
import {
  beforeSmooth,
  boxSlice,
  inputShapes,
  outputsAt,
  type Piece,
  planeRegions,
  planeSlice,
  type Region,
  type RegionBounds,
  type Regions,
  regionBounds,
  type Slice,
  segmentPieces,
} from "@lemmata/core/passes";
import { type InputBox, inputBox } from "../box.ts";
import { loadDataset } from "../datasets.ts";
import { checkOutput, readData, writeWhole } from "../files.ts";
import { loadGraph, settled } from "../model.ts";
import { type CommonOptions, number, print, printJson, table } from "../output.ts";
import { interruptSignal, progressBar } from "../progress.ts";
import { UsageError } from "../usage-error.ts";

interface Options extends CommonOptions {
  readonly on?: string;
  readonly slice?: string;
  readonly through?: string;
  readonly data?: string;
  readonly zoom?: number;
  readonly svg?: string;
  readonly polygons?: boolean;
  readonly output: string;
  readonly shape?: readonly string[];
  readonly maxRegions: number;
}

/** What is looked at, and what its coordinates are called. */
interface View {
  readonly slice: Slice;
  readonly labels: readonly string[];
}

/** `lemmata regions net.onnx --on "x=0..1, y=-1..1" --svg regions.svg` */
export default async function regionsCommand(path: string, asked: Options): Promise<void> {
  checkOutput("--svg", asked.svg, ".svg");
  const loaded = await loadGraph(path);
  const isNumber = /^\d+$/.test(asked.output);
  const whole = settled(loaded, { shape: asked.shape ?? [], output: isNumber ? [] : [asked.output] });
  const { graph, left } = beforeSmooth(whole);
  const options = { ...asked, output: isNumber ? Number(asked.output) : 0 };
  const { slice, labels } = viewOf(graph, options);
  const bar = progressBar("regions", options);
  const found = await planeRegions(graph, slice, {
    adjacency: Boolean(options.polygons),
    keep: Boolean(options.svg || options.polygons || slice.dimension === 1),
    maxRegions: options.maxRegions,
    signal: interruptSignal(),
    onProgress: (fraction) => bar.update(fraction),
  });
  bar.done();
  if (options.output >= found.outputNames.length)
    throw new UsageError(`--output ${options.output}: the model has ${found.outputNames.length} output(s)`);
  const bound = regionBounds(found.program, slice.dimension);
  const pieces = slice.dimension === 1 ? segmentPieces(found) : undefined;
  if (options.svg) writeWhole(options.svg, await picture(path, found, labels, pieces, options));
  if (options.json) return printJson(summary(found, slice, labels, bound, pieces, options));
  print(table([graph.name || path, ""], rows(found, bound, pieces, labels)));
  if (pieces) print(`\n${pieceTable(pieces, options.output)}`);
  if (left.length > 0 && !options.quiet)
    print(`\nof what is read by ${left.join(", ")}, which bends nowhere`);
  if (options.svg && !options.quiet) print(`\nwritten: ${options.svg}`);
}

function viewOf(
  graph: Graph,
  { on, slice, through, data, zoom = 1 }: Pick<Options, "on" | "slice" | "through" | "data" | "zoom">,
): View {
  if (through !== undefined && slice !== undefined)
    throw new UsageError("--slice gives three points and --through three examples: choose");
  if ((through === undefined) !== (data === undefined))
    throw new UsageError('three examples of a file: --data digits.npz --through "0,17,42"');
  if (on === undefined && slice === undefined && through === undefined)
    throw new UsageError('say where to look: --on "x=0..1, y=-1..1", or --slice with three points');
  const box = on === undefined ? undefined : inputBox(graph, on);
  if (!(zoom > 0)) throw new UsageError("--zoom takes a number above 0");
  if (through !== undefined || slice !== undefined) {
    const given = through === undefined ? points(graph, slice!) : examplesOf(graph, data!, through);
    return { slice: planeSlice(zoomed(given, zoom), box), labels: ["u", "v"] };
  }
  if (zoom !== 1) throw new UsageError("--zoom is for --slice and --through; with --on say a smaller box");
  const view = boxSlice(box!.lower, box!.upper);
  return { slice: view, labels: view.free.map((k) => (box as InputBox).names[k]!) };
}

type Points = readonly [Float64Array, Float64Array, Float64Array];

/** The points drawn towards the first one. */
const zoomed = ([a, b, c]: Points, zoom: number): Points => {
  const near = (p: Float64Array) => (zoom === 1 ? p : p.map((x, k) => a[k]! + (x - a[k]!) / zoom));
  return [a, near(b), near(c)];
};

const inputCount = (graph: Graph): number =>
  inputShapes(graph).reduce((n, { dims }) => n + dims.reduce((p, d) => p * d, 1), 0);

/** Three examples of a data set, by their places in it. */
function examplesOf(
  graph: Graph,
  data: string,
  through: string,
): readonly [Float64Array, Float64Array, Float64Array] {
  const places = through.split(",").map((part) => (/^\s*\d+\s*$/.test(part) ? Number(part) : Number.NaN));
  if (places.length !== 3 || !places.every(Number.isSafeInteger))
    throw new UsageError(`--through takes the places of three examples, such as 0,17,42, not "${through}"`);
  const size = inputCount(graph);
  const all = rowsIn(data, size);
  const [a, b, c] = places.map((place) => {
    const row = all.subarray(place * size, (place + 1) * size);
    if (row.length < size)
      throw new UsageError(`--through ${place}: ${data} has ${all.length / size} examples, from 0 on`);
    return row;
  });
  return [a!, b!, c!];
}

/** The examples of a data set or a file, one after the other, if each has as many numbers as the model reads. */
function rowsIn(data: string, size: number): Float64Array {
  const tensors: readonly Tensor[] = /\.np[yz]$/i.test(data)
    ? Object.values(readData(data))
    : [loadDataset(data).train.x];
  const found = tensors.find((t) => t.dims.length > 1 && elementCount(t.dims.slice(1)) === size);
  if (!found)
    throw new UsageError(
      `--data ${data}: the model reads ${size} numbers an example; there are tensors of shape ${tensors.map((t) => `[${t.dims}]`).join(", ")}`,
    );
  return Float64Array.from(numbers(found));
}

/** Three points: lists of numbers or data files, with semicolons between them. */
function points(graph: Graph, text: string): readonly [Float64Array, Float64Array, Float64Array] {
  const count = inputCount(graph);
  const parts = text.split(";").map((part) => part.trim());
  if (parts.length !== 3)
    throw new UsageError(`--slice takes three points with ";" between them, not ${parts.length}`);
  const [a, b, c] = parts.map((part) => {
    const values = /^[-+\d.eE,\s]+$/.test(part)
      ? Float64Array.from(part.split(","), Number)
      : Float64Array.from(Object.values(readData(part)).flatMap((t) => [...numbers(t)]));
    if (values.length !== count || !values.every(Number.isFinite))
      throw new UsageError(`--slice: the point "${part}" must have ${count} numbers, not ${values.length}`);
    return values;
  });
  return [a!, b!, c!];
}

const polygon = ({ corners, area, map }: Region) => ({
  corners,
  area,
  map: { a: [...map.a], b: [...map.b], c: [...map.c] },
});

function summary(
  found: Regions,
  { plane, dimension }: Slice,
  labels: readonly string[],
  bound: RegionBounds,
  pieces: readonly Piece[] | undefined,
  { polygons }: Pick<Options, "polygons">,
) {
  const coordinates = { origin: [...plane.origin], first: [...plane.first], second: [...plane.second] };
  return {
    regions: found.count,
    bound,
    outputs: found.outputNames,
    axes: labels,
    area: dimension === 2 ? { regions: found.area, domain: found.domainArea } : undefined,
    exactForms: found.exactForms,
    ...(pieces
      ? {
          pieces: pieces.map((p) => ({
            from: p.from,
            to: p.to,
            slopes: [...p.slopes],
            values: [...p.values],
          })),
          breakpoints: pieces.slice(1).map((p) => p.from),
        }
      : {}),
    ...(polygons
      ? {
          plane: coordinates,
          linearRegions: found.linearRegions,
          polygons: found.regions.map(polygon),
          adjacency: found.neighbours,
        }
      : {}),
  };
}

const count = (value: bigint | undefined): string =>
  value === undefined ? "does not apply" : number(Number(value));

function rows(
  found: Regions,
  bound: RegionBounds,
  pieces: readonly Piece[] | undefined,
  labels: readonly string[],
): string[][] {
  return [
    ["regions", `${number(found.count)}  (activation patterns on ${labels.join(", ")}; exact)`],
    ...(found.linearRegions === undefined ? [] : [["linear regions", number(found.linearRegions)]]),
    ...(pieces ? [["linear pieces", number(pieces.length)]] : []),
    ["at most", `${count(bound.upper)}  (proved, from the widths)`],
    ["  Serra et al. 2018", count(bound.serra)],
    ["  layer by layer", count(bound.product)],
    ["some weights reach", ""],
    ["  Montúfar et al. 2014", count(bound.montufarLower)],
    ["  Serra et al. 2018", count(bound.serraLower)],
  ];
}

const shownPieces = 20;

function pieceTable(pieces: readonly Piece[], output: number): string {
  const body = pieces
    .slice(0, shownPieces)
    .map((p) => [p.from, p.to, p.slopes[output]!, p.values[output]!].map(number));
  const rest =
    pieces.length > shownPieces ? `\n... and ${pieces.length - shownPieces} more (--json has all)` : "";
  return table(["from", "to", "slope", "value at from"], body, [0, 1, 2, 3]) + rest;
}

async function picture(
  path: string,
  found: Regions,
  labels: readonly string[],
  pieces: readonly Piece[] | undefined,
  { output }: { readonly output: number },
): Promise<string> {
  const name = found.outputNames[output]!;
  if (pieces) {
    const { figureSvg } = await import("../svg.ts");
    return figureSvg(pieceFigure(path, pieces, labels[0]!, name, output));
  }
  return regionsSvg({
    title: `${number(found.count)} linear regions`,
    subtitle: path.split("/").at(-1)!,
    x: labels[0]!,
    y: labels[1]!,
    value: name,
    polygons: found.regions.map((region) => ({
      corners: region.corners,
      value: outputsAt(region, ...middle(region))[output]!,
    })),
  });
}

/** A point inside: the mean of the corners. */
function middle({ corners }: Region): [number, number] {
  const mean = (k: 0 | 1) => corners.reduce((sum, corner) => sum + corner[k], 0) / corners.length;
  return [mean(0), mean(1)];
}

function pieceFigure(path: string, pieces: readonly Piece[], x: string, y: string, output: number): Figure {
  const last = pieces.at(-1)!;
  const end = last.values[output]! + last.slopes[output]! * (last.to - last.from);
  const points = [...pieces.map((p) => [p.from, p.values[output]!] as const), [last.to, end] as const];
  return {
    title: `${number(pieces.length)} linear pieces`,
    panels: [
      {
        title: path.split("/").at(-1)!,
        x: { label: x },
        y: { label: y },
        series: [
          { name: y, mark: "line", points },
          { name: "breakpoints", mark: "dots", points: points.slice(1, -1) },
        ],
      },
    ],
  };
}
