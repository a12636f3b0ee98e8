// Two networks dropped on the page: the verdict is the command line's, and what is wrong is said where it was given.
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encodeData } from "@lemmata/core/data";
import { applySymmetry, randomSymmetry, redundantNetwork, symmetryGroup } from "@lemmata/core/equivalence";
import { type Graph, readModel, tensor, writeModel, writeModelAndWeights } from "@lemmata/core/graph";
import { createRandom } from "@lemmata/core/numbers";
import { sizes } from "@lemmata/core/passes";
import { initialNetwork } from "@lemmata/core/train";
import type { Page } from "playwright-core";
import { describe, expect, it, vi } from "vitest";
import compareCommand from "../../cli/src/commands/compare.ts";
import { modelFiles } from "../src/audit/model-files.ts";
import { boundsCurve, height } from "../src/compare/bounds-curve.ts";
import { down, up } from "../src/compare/wording.ts";
import { executablePath, lab } from "./site.ts";

const folder = mkdtempSync(join(tmpdir(), "lemmata-"));
const file = (name: string, content: Uint8Array | string): string => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};
const model = (name: string, graph: Graph): string => file(name, writeModel(graph));

const net = initialNetwork("2-8-relu-8-relu-1", { seed: 3, type: "float64" });
const first = model("first.onnx", net);
const permuted = model(
  "permuted.onnx",
  applySymmetry(net, randomSymmetry(symmetryGroup(net), createRandom(1), { exact: true })),
);
const other = model("other.onnx", initialNetwork("2-8-relu-8-relu-1", { seed: 4, type: "float64" }));

/** What `lemmata compare --json` prints. */
async function printed(a: string, b: string, options: object = {}): Promise<Record<string, unknown>> {
  let text = "";
  const write = vi.spyOn(process.stdout, "write").mockImplementation((chunk) => {
    text += String(chunk);
    return true;
  });
  const exitCode = process.exitCode;
  try {
    await compareCommand(a, b, {
      json: true,
      quiet: true,
      seed: 1,
      atol: 1e-6,
      rtol: 1e-4,
      timeout: 60,
      ...options,
    });
  } finally {
    write.mockRestore();
    process.exitCode = exitCode;
  }
  return JSON.parse(text);
}

const drop = (page: Page, label: string, ...paths: string[]): Promise<void> =>
  page.getByRole("group", { name: label }).locator("input[type=file]").setInputFiles(paths);
const alert = (page: Page, label: string): Promise<string> =>
  page.getByRole("group", { name: label }).getByRole("alert").innerText();
const verdict = (page: Page): Promise<string> => page.locator("#verdict").innerText();

describe("files", () => {
  const named = (name: string): File => new File(["x"], name);

  it("every .onnx file is a model, the others hold weights", () => {
    const [a, b, w] = [named("a.onnx"), named("b.ONNX"), named("a.onnx.data")];
    expect(modelFiles([a, w, b])).toEqual([
      { model: a, weights: [w] },
      { model: b, weights: [w] },
    ]);
    expect(modelFiles([w])).toEqual([{ model: w, weights: [] }]);
    expect(modelFiles([])).toEqual([]);
  });
});

describe("bounds", () => {
  /** The number that a text of the page means. */
  const read = (text: string): number => {
    const plain = text.replaceAll(",", "").replace(" × 10", "e").replace("⁻", "-");
    return Number(plain.replace(/[⁰¹²³⁴⁵⁶⁷⁸⁹]/g, (c) => String("⁰¹²³⁴⁵⁶⁷⁸⁹".indexOf(c))));
  };

  it("are rounded outward", () => {
    for (const value of [1.23456e-7, 0.99999, 2.34567, 1234.5678]) {
      expect(read(up(value))).toBeGreaterThanOrEqual(value);
      expect(read(up(value))).toBeLessThan(value * 1.001);
      expect(read(down(value))).toBeLessThanOrEqual(value);
      expect(read(down(value))).toBeGreaterThan(value * 0.999);
    }
    expect(up(Number.POSITIVE_INFINITY)).toBe("no bound");
  });

  it("are drawn within the picture, what is proved above what is seen", () => {
    const course = [
      { lower: 0, upper: 2, boxes: 1, seconds: 0 },
      { lower: 1e-3, upper: 0.5, boxes: 9, seconds: 0.4 },
    ];
    const curve = boundsCurve(course, 0.01)!;
    const heights = (path: string): number[] => [...path.matchAll(/[V,]([\d.]+)/g)].map((m) => Number(m[1]));
    for (const y of [...heights(curve.seen), ...heights(curve.proved), curve.tolerance!]) {
      expect(y).toBeGreaterThanOrEqual(0);
      expect(y).toBeLessThanOrEqual(height);
    }
    expect(heights(curve.proved).at(-1)).toBeLessThan(heights(curve.seen).at(-1)!);
    expect(boundsCurve([], 0.01)).toBeUndefined();
  });
});

describe.skipIf(!executablePath)("the page", () => {
  const { open } = lab();

  it("proves two networks equivalent, as the command line does", async () => {
    const { page, errors } = await open("/compare");
    await drop(page, "First network", first, permuted);
    await page.getByRole("button", { name: "Compare", exact: true }).click();
    expect(await verdict(page)).toMatch(/equivalent, proved/);
    const prints = await page.locator(".fingerprint").allInnerTexts();
    expect(prints[0]).toBe(prints[1]);
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download JSON" }).click();
    const found = JSON.parse(readFileSync(await (await download).path(), "utf8"));
    const wanted = await printed(first, permuted);
    expect({ ...found, seconds: 0 }).toEqual({ ...wanted, seconds: 0 });
    expect(errors).toEqual([]);
  });

  it("shows where two networks differ, node by node", async () => {
    const { page, errors } = await open("/compare?on=0..1");
    await drop(page, "First network", first);
    await drop(page, "Second network", other);
    await page.getByRole("button", { name: "Compare", exact: true }).click();
    expect(await verdict(page)).toMatch(/different, checked/);
    const wanted = await printed(first, other, { on: "0..1" });
    const { at } = wanted["witness"] as { readonly at: readonly number[] };
    const cells = await page
      .getByRole("table", { name: "The point where they differ" })
      .getByRole("cell")
      .allInnerTexts();
    expect(cells.map(Number)).toEqual(at);
    expect(
      await page
        .getByRole("table", { name: /^Node by node/ })
        .getByText("differs")
        .count(),
    ).toBeGreaterThan(0);
    expect(errors).toEqual([]);
  });

  it("takes files that are dragged, and compares on data", async () => {
    const { page } = await open("/compare");
    const bytes = [first, other].map((path) => [...readFileSync(path)]);
    const transfer = await page.evaluateHandle((files) => {
      const dropped = new DataTransfer();
      files.forEach((content, k) => {
        dropped.items.add(new File([Uint8Array.from(content)], `${k}.onnx`));
      });
      return dropped;
    }, bytes);
    await page
      .getByRole("group", { name: "Second network" })
      .dispatchEvent("drop", { dataTransfer: transfer });
    const points = [
      [0.5, -0.25],
      [0, 1],
    ];
    await drop(page, "Data", file("points.npy", encodeData("points.npy", { "": tensor(points) })));
    await page.getByRole("button", { name: "Compare", exact: true }).click();
    expect(await verdict(page)).toMatch(/different/);
    expect(await page.getByText("on 2 points of the data").count()).toBe(1);
  });

  it("makes a network smaller and gives it as a file", async () => {
    const { graph } = redundantNetwork(createRandom(2), 2, 5, 2);
    const { page } = await open("/compare?on=-1..1");
    await drop(page, "First network", model("redundant.onnx", graph));
    await page.getByRole("button", { name: "Simplify" }).first().click();
    const button = page.getByRole("button", { name: "Download the smaller network" });
    await button.waitFor();
    const download = page.waitForEvent("download");
    await button.click();
    const smaller = readModel(readFileSync(await (await download).path()));
    expect(sizes(smaller).hiddenUnits!).toBeLessThan(sizes(graph).hiddenUnits!);
  });

  it("says at its place what is wrong", async () => {
    const { page } = await open("/compare");
    await drop(page, "First network", file("broken.onnx", "not a model"));
    expect(await alert(page, "First network")).toMatch(/^broken\.onnx: /);
    await drop(page, "First network", file("empty.onnx", ""));
    expect(await alert(page, "First network")).toBe("empty.onnx: the file is empty");
    await drop(page, "First network", first);
    await page.getByRole("button", { name: "Compare", exact: true }).click();
    expect(await alert(page, "Second network")).toMatch(/missing/);
    await drop(page, "Second network", permuted);
    await drop(page, "Data", file("nan.csv", "a,b\n1,2\nNaN,1\n"));
    await page.getByRole("button", { name: "Compare", exact: true }).click();
    expect(await alert(page, "Data")).toMatch(/^nan\.csv: .*NaN/);
    await drop(page, "Data", file("odd.csv", "a,b,c\n1,2,3\n"));
    await page.getByRole("button", { name: "Compare", exact: true }).click();
    expect(await alert(page, "Data")).toMatch(/odd\.csv: 3 numbers are no rows of 2/);
    await page.getByRole("button", { name: "Remove Data" }).click();
    await page.getByLabel("Box").fill("1..0");
    await page.getByRole("button", { name: "Compare", exact: true }).click();
    await page.locator("#box-note", { hasText: "1 is greater than 0" }).waitFor();
  });

  it("reads weights that a model keeps in another file", async () => {
    const { model: bytes, weights } = writeModelAndWeights(net, { location: "outside.data", threshold: 16 });
    const outside = file("outside.onnx", bytes);
    const { page } = await open("/compare");
    await drop(page, "First network", outside);
    expect(await alert(page, "First network")).toMatch(
      /^outside\.onnx: .*"outside\.data": drop that file together with it/,
    );
    await drop(page, "First network", outside, file("outside.data", Buffer.concat(weights)));
    await drop(page, "Second network", first);
    await page.getByRole("button", { name: "Compare", exact: true }).click();
    expect(await verdict(page)).toMatch(/equivalent, proved/);
  });

  it("stops when asked, and goes on to another", async () => {
    const wide = (seed: number): Graph => initialNetwork("6-40-relu-40-relu-1", { seed, type: "float64" });
    const far = model("wide.onnx", wide(1));
    const near = model("near.onnx", perturbed(wide(1)));
    const { page } = await open("/compare?tolerance=1&tighten=true&seconds=100");
    await drop(page, "First network", far, near);
    await page.getByRole("button", { name: "Compare", exact: true }).click();
    await page.getByText(/proved: at most [\d.]/).waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("progressbar").waitFor({ state: "detached" });
    expect(await page.locator("#verdict").count()).toBe(0);
    await drop(page, "First network", first, permuted);
    await page.getByRole("button", { name: "Compare", exact: true }).click();
    expect(await verdict(page)).toMatch(/equivalent, proved/);
  });

  it("shows hostile names as they are", async () => {
    const name = `<img src=x onerror="document.title='broken'">`;
    const hostile = {
      ...net,
      outputs: [{ ...net.outputs[0]!, name }],
      nodes: net.nodes.map((n) => ({
        ...n,
        outputs: n.outputs.map((o) => (o === net.outputs[0]!.name ? name : o)),
      })),
    };
    const { page, errors } = await open("/compare");
    await drop(page, "First network", model("<b>bold.onnx", hostile));
    await drop(page, "Second network", other);
    await page.getByRole("button", { name: "Compare", exact: true }).click();
    expect(await verdict(page)).toMatch(/different/);
    expect(await page.locator("main img, main b").count()).toBe(0);
    expect(await page.locator("main").innerText()).toContain(name);
    expect(await page.title()).not.toBe("broken");
    expect(errors).toEqual([]);
  });

  it("has pairs to try, each with its own address", async () => {
    const { page, errors } = await open("/compare?pair=rounded&tolerance=0.0015&on=-1..1");
    expect(await verdict(page)).toMatch(/within 0\.0015, proved/);
    await page.getByRole("button", { name: "One weight changed" }).click();
    await page.getByText("different, checked").waitFor();
    expect(page.url()).toMatch(/pair=changed/);
    await page.getByRole("button", { name: "Superfluous units" }).click();
    await page.getByText("equivalent, proved").waitFor();
    expect(errors).toEqual([]);
  });
});

/** Every weight a little off. */
function perturbed(graph: Graph): Graph {
  const random = createRandom(7);
  const initializers = new Map(
    [...graph.initializers].map(([name, weight]) => [
      name,
      "data" in weight
        ? { ...weight, data: (weight.data as Float64Array).map((v) => v + 0.001 * random.normal()) }
        : weight,
    ]),
  );
  return { ...graph, initializers } as Graph;
}
