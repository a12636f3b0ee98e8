import {
  type Compiled,
  compile,
  type ErrorMap,
  errorMap,
  explain,
  graphDrawing,
  pointsFor,
  sampledError,
  theoryUnits,
} from "@lemmata/core/compile";
import { regionsSvg } from "@lemmata/core/figure";
import { CompileError, variablesOf } from "@lemmata/core/formula";
import { type NamedInterval, parseIntervals } from "../box.ts";
import { checkOutput, writeAll } from "../files.ts";
import { type CommonOptions, counted, number, print, printJson, table } from "../output.ts";
import { progressBar } from "../progress.ts";
import { UsageError } from "../usage-error.ts";

interface Options extends CommonOptions {
  readonly circuit?: string;
  readonly machine?: string;
  readonly kernel?: string;
  readonly depth?: string;
  readonly steps?: number;
  readonly cells?: number;
  readonly recurrent?: boolean;
  readonly units?: string;
  readonly on?: string;
  readonly eps?: number;
  readonly out?: string;
  readonly certificate?: string;
  readonly dtype: string;
  readonly explain?: boolean;
  readonly svg?: string;
}

interface Side {
  readonly name: string;
  readonly lower: number;
  readonly upper: number;
}

/** `lemmata compile "x^2 + sin(y)" --on "x=-1..1, y=0..6" --eps 1e-4 --out net.onnx`, `lemmata compile --circuit f.blif` */
export default async function compileCommand(formula: string | undefined, options: Options): Promise<void> {
  const { circuit, machine, kernel } = options;
  const given = { formula, "--circuit": circuit, "--machine": machine, "--kernel": kernel };
  const subjects = Object.entries(given).filter(([, value]) => value !== undefined);
  if (subjects.length > 1)
    throw new UsageError(`${subjects.map(([name]) => name).join(" and ")}: one of them, not both`);
  checkForeign(options);
  if (circuit !== undefined) return (await import("./compile-circuit.ts")).compileCircuit(circuit, options);
  if (machine !== undefined) return (await import("./compile-machine.ts")).compileMachine(machine, options);
  if (kernel !== undefined) return (await import("./compile-kernel.ts")).compileKernelFile(kernel, options);
  if (formula === undefined)
    throw new UsageError(
      'say what to compile: a formula such as "x^2", --circuit, --machine or --kernel FILE',
    );
  try {
    await compileFormula(formula, options);
  } catch (error) {
    if (error instanceof CompileError) throw new UsageError(error.message);
    throw error;
  }
}

/** Options that only some subjects have; the others have them all. */
const subjectsOf: Readonly<Record<string, readonly string[]>> = {
  units: ["circuit"],
  steps: ["machine"],
  cells: ["machine"],
  recurrent: ["machine"],
  depth: ["kernel"],
  on: ["formula"],
  svg: ["formula"],
  eps: ["formula", "kernel"],
};

function checkForeign(options: Options): void {
  const subject = (["circuit", "machine", "kernel"] as const).find((name) => options[name] !== undefined);
  for (const [name, subjects] of Object.entries(subjectsOf))
    if (options[name as "on"] !== undefined && !subjects.includes(subject ?? "formula"))
      throw new UsageError(
        `--${name} is for ${subjects.map((s) => (s === "formula" ? "a formula" : `--${s}`)).join(" and ")}`,
      );
}

async function compileFormula(formula: string, options: Options): Promise<void> {
  const { on, eps, dtype } = options;
  if (on === undefined)
    throw new UsageError('say where: --on "x=0..1, y=-1..1", or --on 0..1 for every variable');
  if (eps === undefined) throw new UsageError("say how accurate: --eps 1e-4");
  if (dtype !== "f32" && dtype !== "f64") throw new UsageError(`--dtype is f32 or f64, not ${dtype}`);
  checkOutput("--out", options.out, ".onnx");
  checkOutput("--certificate", options.certificate, ".json");
  checkOutput("--svg", options.svg, ".svg");
  const box = boxOf(formula, parseIntervals(on));
  const start = performance.now();
  const compiled = await compile({ formula, box, eps, dtype });
  const seconds = (performance.now() - start) / 1000;
  const bar = progressBar("sampling", options);
  const units = compiled.sizes.hiddenUnits ?? 0;
  const sampled = await sampledError(compiled.graph, formula, box, units, {
    seed: options.seed,
    dtype,
    points: pointsFor(units, compiled.functionGraph.nodes.length),
    onProgress: (fraction) => bar.update(fraction),
  });
  await bar.done();
  const sampling = (performance.now() - start) / 1000 - seconds;
  writeAll([
    [options.out, compiled.bytes],
    [options.certificate, `${JSON.stringify(compiled.certificate)}\n`],
    [options.svg, options.svg === undefined ? "" : await picture(compiled)],
  ]);
  const summary = summaryOf(compiled, sampled, { seconds, sampling });
  if (options.json) return printJson(summary);
  if (options.explain) print(`${explain(compiled).join("\n")}\n`);
  print(table([formula.length > 60 ? `${formula.slice(0, 57)}...` : formula, ""], rows(summary)));
  const written = [options.out, options.certificate, options.svg].filter((path) => path !== undefined);
  if (written.length > 0 && !options.quiet) print(`\nwritten: ${written.join(", ")}`);
}

/** The function graph and, for one or two variables, the error over the box below it. */
async function picture(compiled: Compiled): Promise<string> {
  const { svg, width, height } = graphDrawing(compiled);
  const map = await errorMap(compiled);
  if (!map) return svg;
  const below = (map.axes.length === 1 ? await errorCurve(compiled, map) : errorMapSvg(map)).trim();
  const [, errorWidth, errorHeight] = [/^<svg/, /\bwidth="([\d.]+)"/, /\bheight="([\d.]+)"/].map((p) =>
    Number(p.exec(below)?.[1] ?? 0),
  ) as [number, number, number];
  const [w, h] = [Math.max(width, errorWidth), height + errorHeight];
  const placed = below.replace(/^<svg /, `<svg y="${height}" `);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${w}" height="${h}" viewBox="0 0 ${w} ${h}">\n<rect width="${w}" height="${h}" fill="white"/>\n${svg}\n${placed}\n</svg>\n`;
}

/** Columns of the picture. */
const columns = 600;

/** The least and the greatest error in each column, in the order in which they come: no wave is too short to be seen. */
function envelope(values: readonly number[], errors: readonly number[]): [number, number][] {
  const size = Math.ceil(values.length / columns);
  return Array.from({ length: Math.ceil(values.length / size) }, (_, k) => {
    const part = errors.slice(k * size, (k + 1) * size);
    const at = (y: number): number => part.indexOf(y);
    return [...new Set([at(Math.min(...part)), at(Math.max(...part))])]
      .sort((i, j) => i - j)
      .map((i): [number, number] => [values[k * size + i]!, part[i]!]);
  }).flat();
}

async function errorCurve({ certificate }: Compiled, { axes, errors }: ErrorMap): Promise<string> {
  const { figureSvg } = await import("../svg.ts");
  const [{ name, values }] = axes as [ErrorMap["axes"][number]];
  // Ticks like 0.0000002 would not fit: a power of ten goes into the label.
  const power = Math.floor(Math.log10(Math.max(certificate.certifiedError, 1e-300)));
  const unit = Math.abs(power) > 2 ? Number(`1e${power}`) : 1;
  const [left, right, bound] = [values[0]!, values.at(-1)!, certificate.certifiedError / unit];
  const frame: [number, number][] = [
    [left, bound],
    [right, bound],
    [right, -bound],
    [left, -bound],
    [left, bound],
  ];
  return figureSvg({
    title: "Error over the box",
    panels: [
      {
        title: "network - formula",
        x: { label: name },
        y: { label: unit === 1 ? "error" : `error / 1e${power}` },
        series: [
          {
            name: "sampled",
            mark: "line",
            points: envelope(
              values,
              errors.map((e) => e / unit),
            ),
          },
          { name: "proved", mark: "line", points: frame, role: "theory" },
        ],
      },
    ],
  });
}

function errorMapSvg({ axes, errors }: ErrorMap): string {
  const [first, second] = axes as [ErrorMap["axes"][number], ErrorMap["axes"][number]];
  const count = second.values.length;
  const polygons = first.values.slice(1).flatMap((u1, i) =>
    second.values.slice(1).map((v1, j) => {
      const [u0, v0] = [first.values[i]!, second.values[j]!];
      const at = (a: number, b: number): number => Math.abs(errors[a * count + b]!);
      const corners = [[u0, v0] as const, [u1, v0] as const, [u1, v1] as const, [u0, v1] as const];
      return { corners, value: Math.max(at(i, j), at(i + 1, j), at(i, j + 1), at(i + 1, j + 1)) };
    }),
  );
  return regionsSvg({
    title: "|network - formula| over the box (sampled)",
    x: first.name,
    y: second.name,
    value: "error",
    polygons,
  });
}

/** Named variables in the order of the box, then those that the default is for, in the order of the formula. */
function boxOf(formula: string, intervals: readonly NamedInterval[]): readonly Side[] {
  const named = intervals.flatMap(({ name, lower, upper }) =>
    name === undefined ? [] : [{ name, lower, upper }],
  );
  const rest = intervals.find((entry) => entry.name === undefined);
  const names = named.map((side) => side.name);
  const bad = names.find((name) => !/^\p{L}[\p{L}\p{N}_]*$/u.test(name));
  if (bad !== undefined) throw new UsageError(`--on: "${bad}" is not a name of a variable`);
  if (!rest) return named;
  const others = variablesOf(formula, names).filter((name) => !names.includes(name));
  return [...named, ...others.map((name) => ({ name, lower: rest.lower, upper: rest.upper }))];
}

/** Each node with the units of those that serve it. */
function budgetByNode({ budget, program }: Compiled) {
  const serving = new Map<number, number>();
  for (const { id, units } of budget) {
    const served = program.serves.get(id);
    if (served !== undefined) serving.set(served, (serving.get(served) ?? 0) + units);
  }
  return budget
    .filter(({ id }) => !program.serves.has(id))
    .map(({ id, node, localError, lipschitz, units, method }) => {
      return { node, localError, lipschitz, units: units + (serving.get(id) ?? 0), method };
    });
}

interface Times {
  readonly seconds: number;
  readonly sampling: number;
}

function summaryOf(compiled: Compiled, sampled: number, { seconds, sampling }: Times) {
  const { certificate, sizes, report, functionGraph } = compiled;
  const { formula, box, eps, certifiedError, realError, dtype } = certificate;
  return {
    formula,
    box,
    eps,
    dtype,
    certifiedError,
    realError,
    sampledError: sampled,
    units: sizes.hiddenUnits ?? 0,
    depth: sizes.depth,
    nonzeros: sizes.nonzeros,
    parameters: sizes.parameters,
    functionGraph: report,
    budget: budgetByNode(compiled),
    theory: theoryUnits(functionGraph, eps),
    seconds,
    samplingSeconds: sampling,
    strength: {
      certifiedError: "proved",
      realError: "proved",
      sampledError: "sampled",
      units: "checked",
      depth: "checked",
      nonzeros: "checked",
      parameters: "checked",
      functionGraph: "checked",
      budget: { localError: "proved", lipschitz: "checked", units: "checked" },
      theory: "checked",
    },
  };
}

const seconds = (s: number): string => `${number(Number(s.toPrecision(3)))} s`;

function rows(s: ReturnType<typeof summaryOf>): string[][] {
  const most = [...s.budget].sort((a, b) => b.units - a.units).slice(0, 8);
  return [
    [
      "error at most",
      `${number(s.certifiedError)}  (proved, for a run in ${s.dtype}; asked: ${number(s.eps)})`,
    ],
    ["  of the real function", `${number(s.realError)}  (proved)`],
    ["error seen", `${number(s.sampledError)}  (sampled, in ONNX Runtime)`],
    ["units", `${number(s.units)}  (checked)`],
    ["depth", `${number(s.depth)} hidden layers  (checked)`],
    ["weights", `${number(s.parameters)}, of which ${number(s.nonzeros)} are not zero  (checked)`],
    [
      "function graph",
      `${counted(s.functionGraph.nodes, "node")} of at most ${counted(s.functionGraph.maxArity, "variable")}, depth ${s.functionGraph.depth}  (checked)`,
    ],
    [
      "theory, deep",
      `${number(s.theory.deepUnits)} units  (checked: sum over nodes of eps^(-d/2), constants 1)`,
    ],
    ["theory, shallow", `${number(s.theory.shallowUnits)} units  (checked: eps^(-n/2), constant 1)`],
    ["compiled in", `${seconds(s.seconds)}, sampled in ${seconds(s.samplingSeconds)}`],
    ...most.map((b, k) => [k === 0 ? "most units at" : "", `${b.node}: ${b.units}  (checked), ${b.method}`]),
  ];
}
