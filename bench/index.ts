// `npm run bench [name ...]`: side-by-side benchmarks; ratios are what counts, times depend on the machine.
import { readdirSync } from "node:fs";

const notBenchmarks = [
  "index.ts",
  "kernel-peer.ts",
  "kernel-python.ts",
  "measure.ts",
  "models.ts",
  "python.ts",
  "train-products.ts",
];
const all = readdirSync(new URL(".", import.meta.url))
  .filter((file) => file.endsWith(".ts") && !notBenchmarks.includes(file))
  .map((file) => file.replace(/\.ts$/, ""));
// Words with a sign of equality are settings, for the benchmarks to read.
const asked = process.argv.slice(2).filter((word) => !word.includes("="));
const unknown = asked.find((name) => !all.includes(name));
if (unknown) {
  console.error(`no benchmark "${unknown}"; there are ${all.join(", ")}`);
  process.exit(2);
}
for (const name of asked.length > 0 ? asked : all) {
  console.log(`\n── ${name}`);
  await import(`./${name}.ts`);
}
