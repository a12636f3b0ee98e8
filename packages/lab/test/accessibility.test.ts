// Every page in both themes, wide and narrow, by the rules of WCAG 2.2 AA and good practice that a machine can check.
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { executablePath, lab } from "./site.ts";

const axeFile = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** What is wrong with the page: rule, place, and what would mend it. */
async function violations(page: Page): Promise<readonly string[]> {
  await page.addScriptTag({ path: axeFile });
  const found = await page.evaluate(
    (values) =>
      (window as unknown as { axe: { run: (...args: unknown[]) => Promise<AxeResults> } }).axe.run(document, {
        runOnly: { type: "tag", values },
        resultTypes: ["violations"],
      }),
    rules,
  );
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(" ")}: ${failureSummary}`),
  );
}

/** Colours change in the frames after the scheme does, some of them slowly. */
const settled = (page: Page, dark: boolean) =>
  page.waitForFunction(
    async (isDark) => {
      for (let k = 0; k < 2; k++) await new Promise(requestAnimationFrame);
      const moving = document.getAnimations().filter(({ playState }) => playState === "running");
      return (
        matchMedia("(prefers-color-scheme: dark)").matches === isDark &&
        moving.every((animation) => !(animation instanceof CSSTransition))
      );
    },
    dark,
    { timeout: 600_000 },
  );

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const done = (page: Page) => page.locator("article[data-state=done]").waitFor();

/** A state of the lab: where it is, and how one gets there. */
const states: Readonly<Record<string, readonly [string, (page: Page) => Promise<unknown>]>> = {
  "the first page": ["/", (page) => page.getByText("linear pieces").waitFor()],
  "the list of lemmata": ["/theory", (page) => page.getByText("T-27").first().waitFor()],
  "the lemmata by subject": ["/theory?by=subject", (page) => page.getByText("T-27").first().waitFor()],
  "a lemma with errata and a figure, attacked": [
    "/theory/T-27",
    async (page) => {
      await done(page);
      await page.locator(".plot svg").first().waitFor();
      await button(page, "Try to break it").click();
      await page.getByText("Nothing broke").waitFor();
    },
  ],
  "a lemma whose formulas are wide": ["/theory/P-21", done],
  "a page that is not there": ["/nowhere", (page) => page.getByText("nowhere").waitFor()],
  "a compiled formula": ["/compile?f=x*y&on=x%3D0..1,y%3D0..1", (page) => button(page, "sampled").waitFor()],
  "a formula with a mistake after one without": [
    "/compile?f=x%5E2&on=x%3D0..1",
    async (page) => {
      await button(page, "sampled").waitFor();
      await page.getByLabel("Formula", { exact: true }).fill("x^2 + sni(x)");
      await page.locator("form").getByRole("alert").waitFor();
      await page.getByText("The last result").waitFor();
    },
  ],
  "a run of the playground": [
    "/train",
    async (page) => {
      await page.getByTestId("regions").getByText("linear regions, exact").waitFor();
      await button(page, "Step").click();
    },
  ],
  "an audit without files": [
    "/audit",
    async (page) => {
      await button(page, "Audit").click();
      await page.getByRole("alert").first().waitFor();
    },
  ],
  "an explanation": [
    "/explain?target=3-5&composite=uniform(gamma%3D0.25)",
    (page) => page.getByTestId("sum").waitFor(),
  ],
  "priors that compete": ["/recover?damage=box", (page) => page.getByTestId("tv").getByText("dB").waitFor()],
  "a bent picture": ["/scatter?kind=picture", (page) => page.getByTestId("scattering").waitFor()],
  "a bent signal": ["/scatter", (page) => page.getByTestId("scattering").waitFor()],
  "a comparison": ["/compare?pair=rounded", (page) => page.locator("#verdict").waitFor({ timeout: 600_000 })],
};

describe.skipIf(!executablePath)("accessibility", { timeout: 600_000 }, () => {
  const { open } = lab();
  for (const [name, [address, prepare]] of Object.entries(states))
    it(`of ${name}`, async () => {
      // The policy of the page is for its own scripts; the checker is a guest.
      const { page } = await open(address, { width: 1280, bypassPolicy: true });
      await prepare(page);
      for (const dark of [false, true]) {
        await page.emulateMedia({ colorScheme: dark ? "dark" : "light" });
        await page.setViewportSize({ width: dark ? 360 : 1280, height: 800 });
        await settled(page, dark);
        expect(await violations(page)).toEqual([]);
        const overhang = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        await expect.poll(overhang, { message: "nothing sticks out of the window" }).toBeLessThanOrEqual(0);
      }
      await page.close();
    });
});
