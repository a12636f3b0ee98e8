// The scattering transform beside Kymatio's numpy and torch back ends: the same coefficients, and the time they take.
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { sessionOf } from "@lemmata/core/engine";
import { type Tensor, tensor } from "@lemmata/core/graph";
import { createRandom } from "@lemmata/core/numbers";
import { scattering, type TransformOptions } from "@lemmata/core/scattering";
import { pythonWith } from "./python.ts";

const python = pythonWith(
  "kymatio",
  ["kymatio", "scipy<1.13", "numpy<2", "torch", "packaging"],
  ["kymatio", "torch"],
);
const folder = mkdtempSync(join(tmpdir(), "lemmata-scattering-"));
const [input, output] = [join(folder, "x.f32"), join(folder, "s.f64")];
const threads = availableParallelism();
type Backend = "numpy" | "torch";

interface Answer {
  readonly seconds: number;
  readonly cpu: number;
  readonly shape: readonly number[];
}

class Peer {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;

  constructor() {
    this.#child = spawn(python, [fileURLToPath(new URL("peers/scattering.py", import.meta.url))]);
    this.#child.stderr.pipe(process.stderr);
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  async ask(job: object): Promise<Answer> {
    this.#child.stdin.write(`${JSON.stringify(job)}\n`);
    const { value, done } = await this.#lines.next();
    if (done) throw new Error("Kymatio ended");
    return JSON.parse(value) as Answer;
  }

  end(): void {
    this.#child.stdin.end();
  }
}

const random = createRandom("bench scattering");
const drawn = (count: number, shape: readonly number[]): Tensor =>
  tensor(random.normal(count * shape.reduce((a, b) => a * b, 1)), {
    type: "float32",
    dims: [count, ...shape],
  });
const peer = new Peer();
const job = (backend: Backend, options: TransformOptions, dims: readonly number[]): object => ({
  ...{ backend, options, dims, threads, input, output },
});

/** |a - b| / |b|, order by order. */
function differences(
  a: Float32Array,
  b: Float64Array,
  orders: readonly number[],
  size: number,
): readonly number[] {
  const sums = [0, 1, 2].map(() => ({ off: 0, all: 0 }));
  a.forEach((v, k) => {
    const sum = sums[orders[Math.floor(k / size) % orders.length]!]!;
    sum.off += (v - b[k]!) ** 2;
    sum.all += b[k]! ** 2;
  });
  return sums.map(({ off, all }) => Math.sqrt(off / all));
}

/** What a coefficient may be off by, relatively and order by order; the bench ends where it is more. */
const agreed = 1e-5;
console.log("\nrelative differences in single precision, by order");
const agreements: readonly TransformOptions[] = [
  { shape: [4096], scale: 6, quality: 16 },
  { shape: [4096], scale: 8, quality: 1 },
  ...[2, 3, 4].map((scale) => ({ shape: [64, 64], scale, angles: 8 })),
];
for (const options of agreements) {
  const x = drawn(4, options.shape);
  writeFileSync(input, x.data as Float32Array);
  const { graph, paths, geometry } = scattering(options);
  const { s } = await (await sessionOf(graph)).run({ x });
  for (const backend of ["numpy", "torch"] as const) {
    const { shape } = await peer.ask(job(backend, options, x.dims));
    if (shape.join() !== s!.dims.join()) throw new Error(`${shape} is not ${s!.dims}`);
    const bytes = readFileSync(output);
    const theirs = new Float64Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 8);
    const size = geometry.output.reduce((a, b) => a * b, 1);
    const found = differences(
      s!.data as Float32Array,
      theirs,
      paths.map((p) => p.order),
      size,
    );
    console.log(
      `  ${JSON.stringify(options)} ${backend}: ${found.map((v) => v.toExponential(1)).join(", ")}`,
    );
    if (!found.every((v) => v <= agreed))
      throw new Error(
        `${JSON.stringify(options)}: coefficients differ from Kymatio's (${backend}) by more than ${agreed}`,
      );
  }
}

// On a machine that does other things too the least of many is nearest to what the work takes.
const least = (values: readonly number[]): number => values.reduce((a, b) => Math.min(a, b));
const rounds = Number(process.env.ROUNDS ?? 15);
const timings: readonly [TransformOptions, number][] = [
  [{ shape: [4096], scale: 8, quality: 8 }, 64],
  [{ shape: [32, 32], scale: 3, angles: 8 }, 64],
  [{ shape: [256, 256], scale: 4, angles: 8 }, 8],
];
console.log(`\nleast of ${rounds} in milliseconds, ${threads} threads: clock / processor`);
for (const [options, count] of timings) {
  const x = drawn(count, options.shape);
  writeFileSync(input, x.data as Float32Array);
  const session = await sessionOf(scattering(options).graph, { threads });
  const times: Record<string, [number[], number[]]> = { lemmata: [[], []], numpy: [[], []], torch: [[], []] };
  for (let round = 0; round <= rounds; round++) {
    const [start, cpu] = [performance.now(), process.cpuUsage()];
    await session.run({ x });
    const { user, system } = process.cpuUsage(cpu);
    const own = [performance.now() - start, (user + system) / 1000] as const;
    const theirs = [];
    for (const backend of ["numpy", "torch"] as const) {
      const { seconds, cpu: processor } = await peer.ask(job(backend, options, x.dims));
      theirs.push([backend, [1000 * seconds, 1000 * processor]] as const);
    }
    if (round === 0) continue;
    for (const [name, [clock, processor]] of [["lemmata", own] as const, ...theirs]) {
      times[name]![0].push(clock!);
      times[name]![1].push(processor!);
    }
  }
  const said = Object.entries(times).map(
    ([name, [clock, processor]]) => `${name} ${least(clock).toFixed(0)} / ${least(processor).toFixed(0)}`,
  );
  console.log(`  ${count} x ${options.shape.join(" x ")}, J ${options.scale}: ${said.join(", ")}`);
}
peer.end();
