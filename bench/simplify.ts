// Nodes that are left of each model of ../shared/models: by simplify, and by onnxsim (PyPI, in an environment of its own);
// where we are behind is said, and what the runtime computes of both is compared with what it computes of the original.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "@lemmata/core/engine";
import { simplify } from "@lemmata/core/equivalence";
import {
  type Graph,
  isTensorType,
  loadModel,
  numbers,
  requiredInputs,
  subgraphs,
  type Tensor,
  tensor,
  writeModel,
} from "@lemmata/core/graph";
import { createRandom } from "@lemmata/core/numbers";
import { pythonWith } from "./python.ts";

const folder =
  process.env["LEMMATA_MODELS"] ?? fileURLToPath(new URL("../../../shared/models/", import.meta.url));
const files = existsSync(folder)
  ? readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".onnx"))
  : [];
const python = pythonWith("onnxsim", ["onnx", "onnxsim", "onnxruntime"]);
const work = mkdtempSync(join(tmpdir(), "lemmata-simplify-"));

const peer = `
import sys, onnx, onnxsim
model, check = onnxsim.simplify(sys.argv[1])
onnx.save(model, sys.argv[2])
`;

type Counts = ReadonlyMap<string, number>;

function countsOf(graph: Graph, counts = new Map<string, number>()): Counts {
  for (const node of graph.nodes) {
    if (node.op === "Constant") continue; // a weight that is written as a node
    counts.set(node.op, (counts.get(node.op) ?? 0) + 1);
    for (const inner of subgraphs(node)) countsOf(inner, counts);
  }
  return counts;
}

const total = (counts: Counts): number => [...counts.values()].reduce((sum, n) => sum + n, 0);

/** By onnxsim; undefined where it fails. */
async function byPeer(path: string): Promise<Graph | string> {
  const target = join(work, basename(path));
  const { status, stderr } = spawnSync(python, ["-c", peer, path, target], {
    encoding: "utf8",
    timeout: 120_000,
  });
  if (status !== 0) return stderr.trim().split("\n").at(-1) ?? "failed";
  return loadModel(target);
}

function inputsOf(graph: Graph): Readonly<Record<string, Tensor>> | undefined {
  const random = createRandom("simplify");
  const entries = requiredInputs(graph).map(({ name, type }) => {
    if (!isTensorType(type) || !type.shape || !/^(float|int|bool)/.test(type.type)) return undefined;
    const dims = type.shape.map((d) => (typeof d === "number" ? d : 2));
    const count = dims.reduce((n, d) => n * d, 1);
    const values = Array.from({ length: count }, () =>
      type.type.startsWith("float") ? random.uniform() : 1,
    );
    return [name, tensor(values, { type: type.type as "float32", dims })] as const;
  });
  return entries.every((e) => e !== undefined) ? Object.fromEntries(entries) : undefined;
}

/** The largest difference between what two graphs give, relative to the largest number. */
async function difference(a: Graph, b: Graph): Promise<string> {
  const inputs = inputsOf(a);
  if (!inputs) return "-";
  try {
    const [x, y] = [await run(a, inputs, { threads: 1 }), await run(b, inputs, { threads: 1 })];
    let [worst, size] = [0, 1e-30];
    for (const { name } of a.outputs) {
      const [u, v] = [numbers(x[name]!), numbers(y[name]!)];
      u.forEach((value, k) => {
        size = Math.max(size, Math.abs(Number(value)));
        worst = Math.max(worst, Math.abs(Number(value) - Number(v[k])));
      });
    }
    return (worst / size).toExponential(1);
  } catch (error) {
    return `no run: ${(error as Error).message.slice(0, 30)}`;
  }
}

const listed = (mine: Counts, theirs: Counts): string =>
  [...new Set([...mine.keys(), ...theirs.keys()])]
    .filter((op) => (mine.get(op) ?? 0) !== (theirs.get(op) ?? 0))
    .toSorted()
    .map((op) => `${op} ${mine.get(op) ?? 0}:${theirs.get(op) ?? 0}`)
    .join(", ");

try {
  console.log("nodes without Constant; difference: of our result from the original in the runtime\n");
  console.log(
    "model                            before    ours  onnxsim  difference  operators where we differ, ours:theirs",
  );
  const behind: string[] = [];
  for (const file of files.toSorted()) {
    const path = join(folder, file);
    let cells: string[];
    try {
      const graph = await loadModel(path);
      const ours = (await simplify(graph)).graph;
      const theirs = await byPeer(path);
      const [before, mine] = [countsOf(graph), countsOf(ours)];
      const their = typeof theirs === "string" ? undefined : countsOf(theirs);
      if (their && total(mine) > total(their)) behind.push(file);
      cells = [
        String(total(before)).padStart(6),
        String(total(mine)).padStart(7),
        (their ? String(total(their)) : "fails").padStart(8),
        (await difference(graph, ours)).padStart(11),
        ` ${their ? listed(mine, their) : (theirs as string).slice(0, 60)}`,
      ];
      writeFileSync(join(work, "last.onnx"), writeModel(ours));
    } catch (error) {
      cells = [` ${(error as Error).message.slice(0, 90)}`];
    }
    console.log([file.replace(/\.onnx$/, "").padEnd(32), ...cells].join(" "));
  }
  console.log(
    behind.length === 0 ? "\nnowhere behind" : `\nbehind on ${behind.length}: ${behind.join(", ")}`,
  );
} finally {
  rmSync(work, { recursive: true });
}
