// Every command that reads a model, with options that keep it short.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeNpy } from "@lemmata/core/data";
import { tensor } from "@lemmata/core/graph";

/** What may be read beside the model. */
export interface Bench {
  readonly query: string;
  readonly certificate: string;
  readonly signal: string;
  readonly out: string;
}

/** Writes what the commands need into a folder. */
export function bench(folder: string): Bench {
  mkdirSync(folder, { recursive: true });
  const [query, certificate] = [join(folder, "query.vnnlib"), join(folder, "c.json")];
  writeFileSync(
    query,
    "(declare-const X_0 Real)(declare-const X_1 Real)(declare-const Y_0 Real)" +
      "(assert (>= X_0 0))(assert (<= X_0 1))(assert (>= X_1 0))(assert (<= X_1 1))(assert (>= Y_0 100))",
  );
  writeFileSync(certificate, "{}");
  const signal = join(folder, "signal.npy");
  writeFileSync(signal, writeNpy(tensor([0.5, -0.25])));
  return { query, certificate, signal, out: join(folder, "out.onnx") };
}

const moons = ["--data", "two-moons", "--count", "20"];

/** By the name of the command; --json on all. */
export const everyCommand = (
  path: string,
  { query, certificate, signal, out }: Bench,
): Readonly<Record<string, string[]>> => ({
  info: ["info", path, "--canonical", "--json"],
  run: ["run", path, "--random", "--json"],
  bound: ["bound", path, "--on", "-1..1", "--time", "1", "--json"],
  "bound --lipschitz": ["bound", path, "--on", "-1..1", "--time", "1", "--lipschitz", "--json"],
  compare: ["compare", path, path, "--timeout", "1", "--json"],
  simplify: ["simplify", path, "--on", "0..1", "--out", out, "--json"],
  gradient: ["gradient", path, "--out", out, "--json"],
  explain: ["explain", path, "--random", "--graph", out, "--json"],
  "explain by samples": ["explain", path, "--random", "--method", "occlusion", "--evaluate", "--json"],
  regions: ["regions", path, "--on", "0..1", "--max-regions", "200", "--json"],
  verify: ["verify", query, "--network", path, "--timeout", "1", "--json"],
  "verify a certificate": ["verify", path, certificate, "--json"],
  align: ["align", path, path, "--json"],
  audit: ["audit", path, ...moons, "--no-pac-bayes", "--json"],
  kernel: ["kernel", path, ...moons, "--json"],
  "kernel of the weights": ["kernel", path, ...moons, "--kind", "empirical", "--json"],
  landscape: ["landscape", path, ...moons, "--steps", "3", "--probes", "1", "--json"],
  "recover by an operator": ["recover", signal, "--measure", "--operator", path, "--prior", "dct", "--json"],
  "recover by a generator": [
    ...["recover", signal, "--operator", "identity", "--generator", path],
    ...["--steps", "3", "--restarts", "2", "--json"],
  ],
  train: ["train", path, ...moons, "--steps", "2", "--out", out, "--json"],
});

/** The limits with which the real command tries what a child did not survive. */
export const shortLimits = (words: readonly string[]): string[] => [
  ...words.filter(
    (word, k) => word !== "--time" && word !== "--timeout" && !/^--time(out)?$/.test(words[k - 1] ?? ""),
  ),
  ...["--max-time", "4", "--memory", "1"],
];
