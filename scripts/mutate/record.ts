// Set-up of a test file in the undamaged run: writes down which places it reaches, and how long it takes.
import { appendFileSync } from "node:fs";
import { afterAll, expect } from "vitest";
import type { Switch } from "./asleep.ts";

export interface TestCourse {
  readonly file: string;
  readonly milliseconds: number;
  readonly reached: readonly number[];
}

const $m = (globalThis as unknown as { readonly $m: Switch }).$m;
const start = performance.now();
afterAll(() => {
  const course: TestCourse = {
    file: expect.getState().testPath!,
    milliseconds: performance.now() - start,
    reached: $m.reached(),
  };
  appendFileSync(process.env["LEMMATA_REACHED"]!, `${JSON.stringify(course)}\n`);
});
