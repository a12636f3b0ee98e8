// Digits drawn, images and networks dropped: relevance follows, the link holds it all, and errors say what is wrong.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { explain } from "@lemmata/core/explain";
import { float32, graph, numbers, tensor, writeModel } from "@lemmata/core/graph";
import { initialNetwork } from "@lemmata/core/train";
import { encode } from "fast-png";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { decodeDrawing, emptyDrawing, encodeDrawing, stroke } from "../src/explain/drawing.ts";
import { exampleDigits } from "../src/explain/example-digits.ts";
import { imageLayout } from "../src/explain/image-layout.ts";
import { fromQuery, toQuery, uniformComposite, uniformRule } from "../src/explain/settings.ts";
import { executablePath, lab } from "./site.ts";

const folder = mkdtempSync(join(tmpdir(), "lemmata-"));
const file = (name: string, content: Uint8Array | string): string => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};

describe("a drawing", () => {
  it("comes back from its link", () => {
    for (const text of exampleDigits) expect(encodeDrawing(decodeDrawing(text))).toBe(text);
    const line = stroke(emptyDrawing(), "pen", { x: 2, y: 2 }, { x: 25.5, y: 20 });
    expect(decodeDrawing(encodeDrawing(line))).toEqual(line);
    expect(encodeDrawing(emptyDrawing())).toBe("");
  });

  it("is 28 x 28 whatever the link says", () => {
    expect(decodeDrawing("P".repeat(5000))).toEqual(new Uint8Array(784).fill(15));
    expect(decodeDrawing("<?>é")).toEqual(emptyDrawing());
  });

  it("is erased by the eraser", () => {
    const [from, to] = [
      { x: 5, y: 14 },
      { x: 22, y: 14 },
    ];
    const line = stroke(emptyDrawing(), "pen", from, to);
    expect(line[14 * 28 + 14]).toBe(15);
    expect(stroke(line, "eraser", from, to)).toEqual(emptyDrawing());
  });
});

describe("the settings", () => {
  it("come back from their link", () => {
    const queries: readonly Readonly<Record<string, string>>[] = [
      {},
      { composite: "uniform(gamma=0.5)", target: "3-5", colours: "gray", centre: "no" },
      { method: "smoothgrad", samples: "9", noise: "0.2", target: "4", pixels: "mnist", invert: "yes" },
    ];
    for (const query of queries) expect(toQuery(fromQuery(query))).toEqual(query);
    expect(uniformRule(uniformComposite({ rule: "alpha-beta", parameter: "" }))).toEqual({
      rule: "alpha-beta",
      parameter: "2",
    });
  });

  it("know where the pixels of an input are", () => {
    const own = { width: 5, height: 4 };
    const of = (...shape: (number | string)[]) =>
      imageLayout({ name: "x", type: { type: "float32", shape } }, own);
    expect(of("N", 3, "H", "W")).toMatchObject({ channels: 3, dims: [1, 3, 4, 5], isLast: false });
    expect(of(1, 32, 16, 3)).toMatchObject({ width: 16, height: 32, isLast: true });
    expect(of("N", 784)).toMatchObject({ width: 28, height: 28, channels: 1, dims: [1, 784] });
    expect(of(3072)).toMatchObject({ width: 32, channels: 3, dims: [3072] });
    expect(() => of("N", 10)).toThrow('input "x" takes [N, 10]: that is no image');
    expect(() => of(8, 1, 28, 28)).toThrow("8 examples at once");
  });
});

const board = (page: Page) => page.getByLabel("Board to draw on");
const sum = (page: Page) => page.getByTestId("sum");
const fields = (page: Page, label: string) => page.getByLabel(label, { exact: true });
/** The colours of the relevance, as text. */
const colours = (page: Page): Promise<string> =>
  page.getByTestId("relevance").evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL());
/** What is there after something is done that changes it. */
async function changed<T>(read: () => Promise<T>, act: () => Promise<unknown>): Promise<T> {
  const before = await read();
  await act();
  await expect.poll(read).not.toEqual(before);
  return read();
}
/** A stroke through points of the unit square. */
async function draw(page: Page, ...points: readonly (readonly [number, number])[]): Promise<void> {
  const { x, y, width, height } = (await board(page).boundingBox())!;
  const to = ([a, b]: readonly [number, number]) =>
    page.mouse.move(x + a * width, y + b * height, { steps: 4 });
  await to(points[0]!);
  await page.mouse.down();
  for (const point of points.slice(1)) await to(point);
  await page.mouse.up();
}
const drop = (page: Page, label: string, ...paths: string[]): Promise<void> =>
  page.getByRole("group", { name: label }).locator("input[type=file]").setInputFiles(paths);
const alert = (page: Page, label: string) => page.getByRole("group", { name: label }).getByRole("alert");
const score = async (page: Page, k: number): Promise<string> =>
  page.getByTestId("scores").getByRole("button").nth(k).innerText();

const small = initialNetwork("784-6-relu-3", { seed: 4 });

describe.skipIf(!executablePath)("the page of explanations", () => {
  const { open: openLab } = lab();

  /** What the first visit stored: the network of the digits is trained in one page, the others have it from there. */
  let session: Readonly<Record<string, string>> = {};
  const open: typeof openLab = (address) => openLab(address, { session });
  const keepSession = async (page: Page): Promise<void> => {
    session = await page.evaluate(() => ({ ...sessionStorage }));
  };

  it("explains a drawn digit, otherwise by another rule, and again after a reload", async () => {
    const { page, errors } = await open("/explain?d=");
    await sum(page).waitFor();
    await keepSession(page);
    expect(Object.keys(session)).not.toEqual([]);
    await changed(
      () => colours(page),
      () => draw(page, [0.3, 0.25], [0.7, 0.25], [0.5, 0.8]),
    );
    expect(await page.getByTestId("ledger").locator("tbody tr").count()).toBeGreaterThan(4);
    expect(await sum(page).innerText()).toMatch(/nothing is lost$/);
    await changed(
      () => colours(page),
      () => fields(page, "Composite").selectOption("one rule in every layer"),
    );
    await changed(
      () => colours(page),
      () => fields(page, "Rule").selectOption("gamma"),
    );
    await expect.poll(() => sum(page).innerText()).toMatch(/nothing is lost$/);
    await changed(
      () => sum(page).innerText(),
      async () => {
        await fields(page, "Class").fill("7");
        await fields(page, "Class").blur();
        await fields(page, "Against").fill("1");
        await fields(page, "Against").blur();
      },
    );
    await expect.poll(() => page.url()).toMatch(/d=\w+.*composite=uniform.*target=7-1/);
    await page.getByLabel("Relevance for class 7 against 1").waitFor();
    const [picture, books] = [await colours(page), await sum(page).innerText()];
    await page.reload();
    await expect.poll(() => sum(page).innerText()).toBe(books);
    expect(await colours(page)).toBe(picture);
    expect(errors).toEqual([]);
  });

  it("is drawn on by keys and cleared, and read pixel by pixel", async () => {
    const { page } = await open("/explain?d=&centre=no");
    await sum(page).waitFor();
    await changed(
      () => colours(page),
      async () => {
        await board(page).focus();
        for (const key of [" ", "ArrowDown", "ArrowDown", "ArrowRight", " "]) await page.keyboard.press(key);
      },
    );
    await page.getByTestId("relevance").focus();
    await page.keyboard.press("ArrowDown");
    expect(await page.getByTestId("readout").innerText()).toMatch(/^row 14, column 14: .*\d/);
    await page.keyboard.press("ArrowUp");
    expect(await page.getByTestId("readout").innerText()).toMatch(/^row 13, column 14/);
    await page.getByTestId("relevance").hover({ position: { x: 3, y: 3 } });
    expect(await page.getByTestId("readout").innerText()).toMatch(/^row 0, column 0/);
    await expect.poll(() => page.url()).toMatch(/d=\w/);
    await page.getByRole("button", { name: "Clear" }).click();
    await page.getByText("Nothing is drawn").waitFor();
    await expect.poll(() => page.url()).toMatch(/d=&/);
  });

  it("explains a dropped network and a dropped image as the library does", async () => {
    const { page, errors } = await open("/explain?d=&composite=uniform(epsilon%3D0.1)&target=2");
    await drop(page, "Network", file("small.onnx", writeModel(small)));
    await expect.poll(() => page.getByTestId("scores").getByRole("button").count()).toBe(3);
    const ramp = Uint8Array.from({ length: 784 }, (_, k) => k % 256);
    const png = encode({ width: 28, height: 28, data: ramp, channels: 1, depth: 8 });
    const before = await score(page, 2);
    await drop(page, "Image", file("ramp.png", png));
    await expect.poll(() => score(page, 2)).not.toBe(before);
    const x = tensor(
      Array.from(ramp, (v) => v / 255),
      { type: "float32", dims: [1, 784] },
    );
    const { name } = small.inputs[0]!;
    const found = await explain(
      small,
      { [name]: x },
      {
        composite: "uniform(epsilon=0.1)",
        target: { kind: "class", index: 2 },
      },
    );
    const relevance = numbers(found.relevance.get(name)!);
    const { width, height } = (await page.getByTestId("relevance").boundingBox())!;
    const at = async (row: number, column: number): Promise<number> => {
      await page.getByTestId("relevance").hover({
        position: { x: ((column + 0.5) * width) / 28, y: ((row + 0.5) * height) / 28 },
      });
      const [, digits, exponent] =
        /: (−?[\d.]+)(?: × 10(.*))?$/.exec(await page.getByTestId("readout").innerText()) ?? [];
      const power = [...(exponent ?? "⁰")].map((c) =>
        "⁰¹²³⁴⁵⁶⁷⁸⁹".indexOf(c) < 0 ? "-" : "⁰¹²³⁴⁵⁶⁷⁸⁹".indexOf(c),
      );
      return Number(`${digits!.replace("−", "-")}e${power.join("")}`);
    };
    for (const [row, column] of [
      [9, 3],
      [20, 20],
    ] as const) {
      const wanted = relevance[28 * row + column]!;
      expect(Math.abs((await at(row, column)) - wanted)).toBeLessThanOrEqual(1e-3 * Math.abs(wanted) + 1e-9);
    }
    await changed(
      () => score(page, 2),
      () => page.getByLabel("invert: the ink is dark").check(),
    );
    expect(errors).toEqual([]);
  });

  it("is drawn on by a finger, and takes a photograph", async () => {
    const { page, errors } = await open("/explain?d=");
    await sum(page).waitFor();
    const { x, y, width, height } = (await board(page).boundingBox())!;
    const touch = await page.context().newCDPSession(page);
    await touch.send("Emulation.setTouchEmulationEnabled", { enabled: true });
    const finger = (type: "touchStart" | "touchMove", a: number, b: number) =>
      touch.send("Input.dispatchTouchEvent", {
        type,
        touchPoints: [{ x: x + a * width, y: y + b * height }],
      });
    await changed(
      () => colours(page),
      async () => {
        await finger("touchStart", 0.3, 0.25);
        for (const at of [0.4, 0.5, 0.6]) await finger("touchMove", at, 0.25);
        await touch.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
      },
    );
    await expect.poll(() => page.url()).toMatch(/d=\w/);
    expect(await page.evaluate(() => window.scrollY)).toBe(0); // the finger drew, it did not scroll
    const photograph = await page.evaluate(() => {
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [40, 30];
      const brush = canvas.getContext("2d")!;
      brush.fillStyle = "#fff";
      brush.fillRect(15, 5, 6, 20);
      return canvas.toDataURL("image/jpeg").split(",")[1]!;
    });
    await changed(
      () => colours(page),
      () => drop(page, "Image", file("photograph.jpg", Buffer.from(photograph, "base64"))),
    );
    expect(await sum(page).innerText()).toMatch(/nothing is lost$/);
    expect(errors).toEqual([]);
  });

  it("says in one line what is wrong", async () => {
    const { page } = await open("/explain?d=&target=12");
    await page.getByText("no class 12: there are 10, from 0 to 9").waitFor();
    await drop(page, "Network", file("broken.onnx", "\u0001\u0002"));
    await expect.poll(() => alert(page, "Network").innerText()).toMatch(/^broken\.onnx: /);
    await drop(page, "Network", file("ten.onnx", writeModel(initialNetwork("10-4-relu-2"))));
    await expect.poll(() => alert(page, "Network").innerText()).toMatch(/\[.*10\]: that is no image/);
    const signs = graph({ x: float32("N", 784) }, ({ x }) => ({ y: x.op("Sign") }));
    await drop(page, "Network", file("signs.onnx", writeModel(signs)));
    await page.getByText('cannot read Sign node "sign"').waitFor();
    await drop(page, "Network", file("small.onnx", writeModel(small)));
    await page.getByText("no class 12: there are 3, from 0 to 2").waitFor();
    await fields(page, "Class").fill("");
    await fields(page, "Class").blur();
    await sum(page).waitFor();
    await drop(page, "Image", file("no.png", "this is text"));
    await expect.poll(() => alert(page, "Image").innerText()).toMatch(/^no\.png: this is no image/);
    await page.getByRole("button", { name: "Remove Image" }).click();
    await fields(page, "Method").selectOption("occlusion");
    await fields(page, "Side of a patch").fill("many");
    await fields(page, "Side of a patch").blur();
    await page.getByText('side of a patch: "many" is no whole number').waitFor();
    await fields(page, "Side of a patch").fill("7");
    await fields(page, "Side of a patch").blur();
    await expect.poll(() => page.getByRole("alert").count()).toBe(0);
    expect(await sum(page).innerText()).toMatch(/promises/);
  });
});
