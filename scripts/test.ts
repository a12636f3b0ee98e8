// `npm test`: everything that must be true before a change lands, in one command.
import { spawnSync } from "node:child_process";
import { findChromium } from "./chromium.ts";

const steps: readonly (readonly [string, readonly string[]])[] = [
  ["build", ["npm", "run", "--silent", "build"]],
  ["lint and format", ["npm", "run", "--silent", "lint"]],
  ["types", ["npm", "run", "--silent", "typecheck"]],
  ["generated documents", ["npm", "run", "--silent", "docs:check"]],
];

function step(label: string, command: readonly string[], env: NodeJS.ProcessEnv = process.env): void {
  console.log(`\n── ${label}`);
  const { status } = spawnSync(command[0]!, command.slice(1), { stdio: "inherit", env });
  if (status !== 0) {
    console.error(`\n${label}: failed`);
    process.exit(status ?? 1);
  }
}

for (const [label, command] of steps) step(label, command);
const chromium = findChromium();
if (!chromium) console.log("\nNo Chromium, and it could not be installed: the browser tests are left out.");
step("tests", ["npx", "vitest", "run", ...process.argv.slice(2)], {
  ...process.env,
  LEMMATA_BUILT: "1",
  ...(chromium ? { LEMMATA_CHROMIUM: chromium } : {}),
});
