// The truth table on the compile page, in a browser; what it gives away is read and checked in Node.
import { readFileSync } from "node:fs";
import { checkCircuit } from "@lemmata/core/check";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { executablePath, lab } from "./site.ts";

const network = (page: Page) =>
  page.locator("section", { has: page.getByRole("heading", { name: "Network" }) });
const field = (page: Page) => page.getByLabel("Truth table or formulas");

describe.skipIf(!executablePath)("the compile page for truth tables", { timeout: 600_000 }, () => {
  const { open } = lab();

  it("compiles a table, turns a value round by a click, takes formulas, and marks what is wrong", async () => {
    const { page, errors } = await open("/compile/table?t=y%3A%200110");
    await network(page).getByText("error 0").waitFor();
    expect(await network(page).innerText()).toMatch(/2 ReLUs in 1 hidden layer/);
    await page.getByRole("button", { name: "y where x1 is 1, x2 is 1" }).click();
    await page.waitForFunction(() => location.hash.includes("0111"));
    await network(page)
      .getByText(/1 ReLU in/)
      .waitFor();
    await field(page).fill("s = a ^ b ^ c\ncarry = maj(a, b, c)");
    await network(page).getByText("3 ReLUs in 1 hidden layer").waitFor();
    expect(await page.getByRole("row", { name: /^carry 4 3 4/ }).count()).toBe(1);
    await field(page).fill("y: 011");
    const alert = page.getByRole("alert");
    await alert.waitFor();
    expect(await alert.innerText()).toContain("line 1: 3 values: a table of n inputs has 2^n");
    expect(errors).toEqual([]);
  });

  it("gives away a network and a certificate that the checker confirms", async () => {
    const { page } = await open("/compile/table?t=maj(a%2C%20b%2C%20c)");
    await network(page).getByText("error 0").waitFor();
    const files: Buffer[] = [];
    for (const button of ["Download ONNX", "Download certificate"]) {
      const [file] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: button }).click(),
      ]);
      files.push(readFileSync(await file.path()));
    }
    expect(await checkCircuit(files[0]!, JSON.parse(files[1]!.toString()))).toMatchObject({
      ok: true,
      gates: 1,
    });
    await page.getByRole("button", { name: "Verify" }).click();
    await page.getByText("the network is the circuit on all 23 inputs, 1 gates").waitFor();
  });
});
