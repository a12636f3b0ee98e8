// Nobody has found a false certificate that the checker accepts: here somebody looks for one, ten thousand times in
// every run of the tests, or LEMMATA_HUNT times with another seed.
import { expect, it } from "vitest";
import { checkCertificate } from "../../../src/check/check.ts";
import { campaign, subjects } from "./forge.ts";

const hunt = Number(process.env["LEMMATA_HUNT"] ?? 0);
const seed = process.env["LEMMATA_SEED"] ?? (hunt > 0 ? String(Date.now()) : "forger");
const shown = hunt > 0 ? hunt : 10_000;

it(`${shown} forgeries with seed ${seed}: none that is false is accepted`, {
  timeout: Math.max(600_000, 1000 * shown),
}, async () => {
  const { accepted, edits, found } = await campaign(
    checkCertificate,
    await subjects(checkCertificate),
    shown,
    seed,
  );
  expect(found).toBeUndefined();
  // Harmless edits are accepted, and compared with the truth: otherwise nothing was tried. Of few, few are.
  if (shown < 2000) return;
  expect(accepted).toBeGreaterThan(shown / 50);
  expect(edits.size).toBeGreaterThan(12);
});
