import { sizes } from "@lemmata/core/passes";
import { type Claim, findLemma, type LemmaTable, type Result } from "@lemmata/core/theory";
import { checkOutput, writeNetwork, writeWhole } from "../files.ts";
import { type CommonOptions, number, print, printJson, table } from "../output.ts";
import { interruptSignal, progressBar } from "../progress.ts";
import { UsageError } from "../usage-error.ts";

interface Options extends CommonOptions {
  readonly param?: readonly string[];
  readonly out?: string;
  readonly svg?: string;
}

/** `["i=8"]` as `{ i: "8" }`; the lemma's own types parse the values. */
function parseAssignments(assignments: readonly string[]): Record<string, string> {
  const values: Record<string, string> = {};
  for (const text of assignments) {
    const [, name, value] = /^\s*([^=]+?)\s*=\s*(.*?)\s*$/.exec(text) ?? [];
    if (!name || !value) throw new UsageError(`--param ${text}: write name=value, as in --param i=8`);
    if (Object.hasOwn(values, name)) throw new UsageError(`--param ${text}: ${name} is given twice`);
    values[name] = value;
  }
  return values;
}

/** `lemmata theory run T-27 --param i=8 --out square.onnx --svg square.svg` */
export default async function theoryRun(id: string, options: Options): Promise<void> {
  const lemma = await findLemma(id);
  checkOutput("--out", options.out, ".onnx");
  checkOutput("--svg", options.svg, ".svg");
  const bar = progressBar(lemma.id, options);
  const result = await lemma.run(parseAssignments(options.param ?? []), {
    seed: options.seed,
    budget: options.svg ? "thorough" : "live",
    signal: interruptSignal(),
    onProgress: bar.update,
  });
  bar.done();
  await writeFiles(lemma.id, result, options);
  const claims = result.claims.map(jsonClaim);
  const network = result.graph ? describeNetwork(result.graph, options.out) : null;
  const { parameters, table: numbers } = result;
  if (options.json)
    return printJson({ id: lemma.id, parameters, claims, network, ...(numbers && { table: numbers }) });
  const at = Object.entries(result.parameters).map(([name, value]) => `${name} = ${value}`);
  print(`${lemma.id}  ${lemma.title}${at.length > 0 ? `  (${at.join(", ")})` : ""}\n`);
  print(claimTable(result.claims));
  if (numbers) print(`\n${numbers.title}\n${numberTable(numbers)}`);
  const written = [options.out, options.svg].filter(Boolean);
  if (written.length > 0 && !options.quiet) print(`\nwritten: ${written.join(", ")}`);
}

/** The fields of a claim that --json shows; the last two only where there are such. */
const claimFields = [
  ...(["name", "relation", "theory", "measured", "holds", "strength", "reading"] as const),
  ...(["kind", "says", "interval", "delta"] as const),
];

const jsonClaim = (claim: Claim) =>
  Object.fromEntries(
    claimFields.flatMap((field) => (claim[field] === undefined ? [] : [[field, claim[field]]])),
  );

function describeNetwork(graph: NonNullable<Result["graph"]>, file: string | undefined) {
  return { ...sizes(graph), nodes: graph.nodes.length, file: file ?? null };
}

function claimTable(claims: readonly Claim[]): string {
  const rows = claims.map((c) => [
    c.holds ? "✓" : c.reading === "printed" ? "erratum" : "✗ FAILS",
    c.name,
    number(c.measured),
    c.relation,
    number(c.theory),
    c.strength,
    c.reading,
  ]);
  return table(["", "claim", "measured", "", "theory", "strength", "reading"], rows, [2, 4]);
}

function numberTable({ columns, rows }: LemmaTable): string {
  const cells = rows.map((row) => row.map((cell) => (typeof cell === "number" ? number(cell) : cell)));
  const isNumber = (column: number): boolean => rows.some((row) => typeof row[column] === "number");
  return table(columns, cells, [...columns.keys()].filter(isNumber));
}

async function writeFiles(id: string, { graph, figure }: Result, { out, svg }: Options): Promise<void> {
  if (out && !graph) throw new UsageError(`${id} builds no network, so there is nothing to write to ${out}`);
  if (svg && !figure) throw new UsageError(`${id} has no figure, so there is nothing to draw in ${svg}`);
  if (out && graph) writeNetwork(out, graph);
  if (svg && figure) writeWhole(svg, await (await import("../svg.ts")).figureSvg(figure));
}
