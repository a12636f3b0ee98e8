// Runs in a process of its own, since ONNX Runtime may end it: commands come in, what they did goes out.
import type { Finding, Outcome } from "./judge.ts";

const built = new URL("../../dist/main.js", import.meta.url).href;
const { main } = (await import(built)) as { main: (argv: readonly string[]) => Promise<void> };
// main() listens to stdout each time; here it is called hundreds of times in one process.
for (const emitter of [process, process.stdout, process.stderr]) emitter.setMaxListeners(0);

/** Runs one command with its output caught. */
async function outcome(argv: readonly string[]): Promise<Outcome> {
  const texts = { stdout: "", stderr: "" };
  const writers = { stdout: process.stdout.write, stderr: process.stderr.write };
  for (const stream of ["stdout", "stderr"] as const) {
    process[stream].write = ((chunk: Uint8Array | string) => {
      texts[stream] += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString();
      return true;
    }) as typeof process.stdout.write;
  }
  process.exitCode = undefined;
  try {
    await main(argv);
  } finally {
    for (const stream of ["stdout", "stderr"] as const) process[stream].write = writers[stream];
  }
  return { exitCode: Number(process.exitCode ?? 0), ...texts };
}

process.on("message", async (words: readonly string[]) => {
  if (!Array.isArray(words)) return;
  const finding: Finding = {
    outcome: await outcome(words),
    peakBytes: 1024 * process.resourceUsage().maxRSS,
  };
  process.send?.(finding);
});
process.send?.("ready");
