import { findProgram } from "./debian-program.ts";

/** The path of a Chromium for the browser tests, or undefined when there is none and none can be installed. */
export const findChromium = (): string | undefined =>
  findProgram({
    names: ["chromium", "chromium-browser", "google-chrome"],
    package: "chromium",
    variable: "LEMMATA_CHROMIUM",
    purpose: "the browser tests",
  });
