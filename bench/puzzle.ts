// The generalization puzzle (Book, chapter 1, sect. 1.1.3, (i) to (v); C1a-26) on MNIST and on tables, by sweeps of `train`:
// random labels, noise, width, an early end, weight decay. `npm run bench puzzle`; SEEDS=10 EXAMPLES=5000 EPOCHS=300
// SOURCES=mnist,digits,breast_cancer for more.
// The built command is used. Tables are looked for in ../shared/data; their columns are standardized.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readNpz, writeNpz } from "@lemmata/core/data";
import { numbers, type Tensor, tensor } from "@lemmata/core/graph";

const setting = (name: string, usual: number): number => Number(process.env[name] ?? usual);
const [seeds, examples, epochs] = [setting("SEEDS", 3), setting("EXAMPLES", 300), setting("EPOCHS", 100)];
const chosen = (process.env.SOURCES ?? "mnist,wine").split(",");
const bin = fileURLToPath(new URL("../packages/cli/bin/lemmata.js", import.meta.url));
const shared = fileURLToPath(new URL("../../shared/data/", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "lemmata-puzzle-"));

interface Source {
  readonly name: string;
  readonly inputs: number;
  readonly classes: number;
  /** What `train` is told. */
  readonly words: readonly string[];
}

/** Each column less its mean over the training part, over its deviation there. */
function standardized(x: Tensor, by: Tensor): Tensor {
  const [n, d] = by.dims as [number, number];
  const [all, seen] = [numbers(x), numbers(by)];
  const out = new Float32Array(all.length);
  for (let j = 0; j < d; j++) {
    let [sum, squares] = [0, 0];
    for (let i = 0; i < n; i++) sum += seen[i * d + j]! / n;
    for (let i = 0; i < n; i++) squares += (seen[i * d + j]! - sum) ** 2 / n;
    for (let i = 0; i < x.dims[0]!; i++)
      out[i * d + j] = squares > 0 ? (all[i * d + j]! - sum) / Math.sqrt(squares) : 0;
  }
  return tensor(out, { type: "float32", dims: [...x.dims] });
}

function tableSource(name: string, inputs: number, classes: number): Source | undefined {
  const path = join(shared, `${name}.npz`);
  if (!existsSync(path)) return undefined;
  const { x, y, x_test, y_test } = readNpz(readFileSync(path)) as Record<string, Tensor>;
  const out = join(folder, `${name}.npz`);
  writeFileSync(
    out,
    writeNpz({ x: standardized(x!, x!), y: y!, x_test: standardized(x_test!, x!), y_test: y_test! }),
  );
  return { name, inputs, classes, words: ["--data", out] };
}

const sources: readonly Source[] = [
  {
    ...{ name: `mnist, ${examples} examples`, inputs: 784, classes: 10 },
    words: ["--data", "mnist", "--examples", String(examples)],
  },
  tableSource("digits", 64, 10),
  tableSource("breast_cancer", 30, 2),
  tableSource("wine", 13, 3),
  tableSource("iris", 4, 3),
].filter((source) => source !== undefined && chosen.some((name) => source.name.startsWith(name))) as Source[];

interface Cell {
  readonly value: number;
  readonly train: number;
  readonly test: number;
  readonly least: number;
  readonly most: number;
  readonly steps: number;
}

let files = 0;

/** Medians over the seeds of errors in percent; the least and the greatest test error; steps to the end. */
function swept(
  source: Source,
  axis: string,
  values: readonly number[],
  words: readonly string[],
): readonly Cell[] {
  const width = axis === "width" ? "{width}" : "256";
  const column = `"${axis}"`;
  const sql =
    `select ${column} as value, 100 * (1 - median(train_accuracy)) as train, 100 * (1 - median(test_accuracy)) as test, ` +
    "100 * (1 - max(test_accuracy)) as least, 100 * (1 - min(test_accuracy)) as most, median(steps) as steps " +
    `from results group by ${column} order by ${column}`;
  const out = join(folder, `${files++}.csv`);
  const said = execFileSync(process.execPath, [
    ...[bin, "sweep", "train", "--grid", `${axis}=${values.join(",")}`, "--repeat", String(seeds)],
    ...["--out", out, "--sql", sql, "--json", "--"],
    ...[`${source.inputs}-${width}-relu-${source.classes}`, ...source.words, "--batch", "64"],
    ...(axis === "epochs" ? [] : ["--epochs", String(epochs), "--stop-below", "0.002"]),
    ...words,
  ]);
  return (JSON.parse(said.toString("utf8")) as { rows: readonly Cell[] }).rows;
}

const percent = (value: number): string => value.toFixed(1).padStart(6);
function show(title: string, label: string, cells: readonly Cell[]): void {
  console.log(`  ${title}`);
  console.log(`    ${label.padEnd(16)} training %   test %   (from, to)        steps`);
  for (const { value, train, test, least, most, steps } of cells)
    console.log(
      `    ${String(value).padEnd(16)}     ${percent(train)}   ${percent(test)}   (${percent(least)},${percent(most)})   ${steps}`,
    );
}

for (const source of sources) {
  const chance = (100 * (1 - 1 / source.classes)).toFixed(0);
  console.log(
    `\n${source.name}: ${source.inputs}-256-relu-${source.classes}, adam, at most ${epochs} epochs, errors as medians of ${seeds} seeds (guessing: ${chance} %)`,
  );
  const noise = swept(source, "label-noise", [0, 0.2, 0.4, 0.6, 0.8, 1], []);
  show("(i), (iii), (iv) labels thrown anew; seeds differ from each other", "share thrown", noise);
  const decay = swept(source, "weight-decay", [0, 1e-3, 1e-2, 1e-1], ["--optimizer", "adamw"]);
  show("(ii) explicit regularization", "weight decay", decay);
  const early = swept(
    source,
    "epochs",
    [1, 3, 10, 30, 100, 300].filter((count) => count <= epochs),
    ["--label-noise", "0.2"],
  );
  show("an early end, a fifth of the labels thrown", "epochs", early);
  const width = swept(source, "width", [2, 8, 32, 128, 512], ["--label-noise", "0.2"]);
  show("(v) width, a fifth of the labels thrown", "hidden units", width);
}
rmSync(folder, { recursive: true, force: true });
