import { findProgram } from "./debian-program.ts";

const chromium = { variable: "LEMMATA_CHROMIUM", purpose: "the browser tests" };

/**
 * The path of a Chromium for the browser tests, or undefined when there is none and none can be installed.
 * The headless shell has the same engine and no windows around its pages: it takes two thirds of the processor time.
 */
export const findChromium = (): string | undefined =>
  findProgram({ ...chromium, names: ["chromium-headless-shell"], package: "chromium-headless-shell" }) ??
  findProgram({
    ...chromium,
    names: ["chromium", "chromium-browser", "google-chrome"],
    package: "chromium",
  });
