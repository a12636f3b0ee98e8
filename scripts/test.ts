// `npm test`: everything that must be true before a change lands, in one command.
import { type ChildProcess, spawn } from "node:child_process";
import { findChromium } from "./chromium.ts";

interface Step {
  readonly label: string;
  readonly command: readonly string[];
}

const npmRun = (label: string, script: string): Step => ({
  label,
  command: ["npm", "run", "--silent", script],
});

/** What needs no build's result but the generated registry: it runs while the tests do, which often wait. */
const sideBySide: readonly Step[] = [
  npmRun("lint and format", "lint"),
  npmRun("types", "typecheck"),
  npmRun("generated documents", "docs:check"),
];

/** Ends everything with one line that says what failed. */
function fail(label: string, status: number | null): never {
  console.error(`\n${label}: failed`);
  process.exit(status || 1);
}

/** Children that run now, each with what it started: all of them end when this process does. */
const running = new Set<number>();
process.once("exit", () => {
  for (const pid of running) {
    try {
      process.kill(-pid, "SIGTERM");
    } catch {
      // it has just ended by itself
    }
  }
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));

/** Resolves when the child has ended well; one that fails ends everything, after what it had to say. */
function ended(child: ChildProcess, { label }: Step, said: () => string): Promise<void> {
  running.add(child.pid!);
  return new Promise((resolve) =>
    child.once("close", (status) => {
      running.delete(child.pid!);
      process.stdout.write(said());
      if (status === 0) resolve();
      else fail(label, status);
    }),
  );
}

/** Runs a step and shows what it prints at once. */
function shown(step: Step, env: NodeJS.ProcessEnv = process.env): Promise<void> {
  console.log(`\n── ${step.label}`);
  const [program, ...words] = step.command;
  const child = spawn(program!, words, { stdio: ["ignore", "inherit", "inherit"], env, detached: true });
  return ended(child, step, () => "");
}

/** Runs a step beside others: what it prints comes in one piece when it ends. */
function beside(step: Step): Promise<void> {
  const [program, ...words] = step.command;
  const child = spawn(program!, words, {
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
    env: { ...process.env, ...(process.stdout.isTTY && { FORCE_COLOR: "1" }) },
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
  return ended(child, step, () => `\n── ${step.label}\n${said}`);
}

await shown(npmRun("build", "build"));
const checks = sideBySide.map(beside);
const chromium = findChromium();
if (!chromium) console.log("\nNo Chromium, and it could not be installed: the browser tests are left out.");
const tests = shown(
  { label: "tests", command: ["npx", "vitest", "run", ...process.argv.slice(2)] },
  { ...process.env, LEMMATA_BUILT: "1", ...(chromium ? { LEMMATA_CHROMIUM: chromium } : {}) },
);
await Promise.all([...checks, tests]);
