// A peer in Python that answers one line for each request, and files that the two hand to each other.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { readNpy, writeNpy } from "@lemmata/core/data";
import { numbers, type Tensor, tensor } from "@lemmata/core/graph";
import { createRandom } from "@lemmata/core/numbers";

const folder = mkdtempSync(join(tmpdir(), "lemmata-kernel-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const random = createRandom("kernels");

/** Seconds on the clock and of the processor. */
export interface Taken {
  readonly clock: number;
  readonly processor: number;
}

export interface Peer {
  ask(request: object): Promise<Taken>;
  end(): void;
}

/** Starts a script of `peers/`, which says "ready" first. */
export async function startPeer(
  python: string,
  script: string,
  words: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Promise<Peer> {
  const path = fileURLToPath(new URL(`peers/${script}`, import.meta.url));
  const peer = spawn(python, ["-I", path, folder, ...words], { env: { ...process.env, ...environment } });
  peer.stderr.on("data", (text: Buffer) => {
    if (/Error|Traceback/.test(`${text}`) && !/Unable to register/.test(`${text}`))
      process.stderr.write(text);
  });
  const lines = createInterface({ input: peer.stdout })[Symbol.asyncIterator]();
  const answer = async (): Promise<string> => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`${script} ended`);
    return value as string;
  };
  while ((await answer()) !== "ready");
  return {
    async ask(request) {
      peer.stdin.write(`${JSON.stringify(request)}\n`);
      const [clock, processor] = (await answer()).split(" ").map(Number);
      return { clock: clock!, processor: processor! };
    },
    end: () => peer.stdin.end(),
  };
}

export function handOver(name: string, x: Tensor): Tensor {
  writeFileSync(join(folder, `${name}.npy`), writeNpy(x));
  return x;
}

/** Normal numbers, handed over. */
export function normals(name: string, ...dims: number[]): Tensor {
  const count = dims.reduce((n, d) => n * d, 1);
  const data = Float64Array.from({ length: count }, () => random.normal());
  return handOver(name, tensor(data, { dims }));
}

export const received = (name: string): ArrayLike<number> =>
  numbers(readNpy(readFileSync(join(folder, `${name}.npy`))));

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1]!;

/** The greatest difference as a part of the greatest entry. */
export function difference(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let [gap, most] = [0, 0];
  for (let n = 0; n < b.length; n++) {
    gap = Math.max(gap, Math.abs(a[n]! - b[n]!));
    most = Math.max(most, Math.abs(b[n]!));
  }
  return a.length === b.length ? gap / most : Number.NaN;
}

export async function taken(task: () => Promise<unknown>): Promise<Taken> {
  const [start, before] = [performance.now(), process.cpuUsage()];
  await task();
  const { user, system } = process.cpuUsage(before);
  return { clock: (performance.now() - start) / 1e3, processor: (user + system) / 1e6 };
}
