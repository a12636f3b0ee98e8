// `npm test`: everything that must be true before a change lands, in one command.
import { spawn } from "node:child_process";
import { findChromium } from "./chromium.ts";

interface Step {
  readonly label: string;
  readonly command: readonly string[];
}

const npmRun = (label: string, script: string): Step => ({
  label,
  command: ["npm", "run", "--silent", script],
});

/** What needs no build's result but the generated registry; each leaves a core idle for a part of its time. */
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

/** Runs a step and shows what it prints at once. */
function shown({ label, command }: Step, env: NodeJS.ProcessEnv = process.env): Promise<void> {
  console.log(`\n── ${label}`);
  const child = spawn(command[0]!, command.slice(1), { stdio: "inherit", env });
  return new Promise((resolve) =>
    child.once("close", (status) => (status === 0 ? resolve() : fail(label, status))),
  );
}

/** Runs steps at the same time; what each prints comes in one piece when it ends, and the first that fails ends all. */
async function together(steps: readonly Step[]): Promise<void> {
  const children = steps.map(({ label, command }) => {
    const child = spawn(command[0]!, command.slice(1), {
      stdio: ["ignore", "pipe", "pipe"],
      detached: true, // with what it starts, so that all of it can be ended
      env: { ...process.env, ...(process.stdout.isTTY && { FORCE_COLOR: "1" }) },
    });
    let said = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        said += text;
      });
    const ended = new Promise<void>((resolve) =>
      child.once("close", (status) => {
        running.delete(child.pid!);
        console.log(`\n── ${label}`);
        process.stdout.write(said);
        if (status !== 0) fail(label, status);
        resolve();
      }),
    );
    return { child, ended };
  });
  const running = new Set(children.map(({ child }) => child.pid!));
  const end = (): void => {
    for (const pid of running) {
      try {
        process.kill(-pid, "SIGTERM");
      } catch {
        // it has just ended by itself
      }
    }
  };
  process.once("exit", end);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));
  await Promise.all(children.map(({ ended }) => ended));
  process.off("exit", end);
}

await shown(npmRun("build", "build"));
await together(sideBySide);
const chromium = findChromium();
if (!chromium) console.log("\nNo Chromium, and it could not be installed: the browser tests are left out.");
await shown(
  { label: "tests", command: ["npx", "vitest", "run", ...process.argv.slice(2)] },
  { ...process.env, LEMMATA_BUILT: "1", ...(chromium ? { LEMMATA_CHROMIUM: chromium } : {}) },
);
