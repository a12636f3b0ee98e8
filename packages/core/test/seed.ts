// Every property test draws from one seed, so that a run of the tests is the same every time; a hunt brings its own.
import fc from "fast-check";

/** fast-check prints the seed of a test that fails; LEMMATA_SEED=n draws from another one. */
const seed = Number(process.env["LEMMATA_SEED"] ?? 1);
const hunted = Number(process.env["LEMMATA_HUNT"] ?? 0);

fc.configureGlobal({
  seed,
  ...(hunted > 0 && { numRuns: Math.min(hunted, 5000) }), // tests that say how many runs they make keep to it
});
