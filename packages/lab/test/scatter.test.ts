// The page of scattering: bent by sliders, its numbers against the library, resynthesized, linked.
import { fileURLToPath } from "node:url";
import { run } from "@lemmata/core/engine";
import { tensor, writeModel } from "@lemmata/core/graph";
import { gradient } from "@lemmata/core/passes";
import {
  battleLemarieBank,
  propagate,
  type Scattering,
  scattering,
  type TransformOptions,
} from "@lemmata/core/scattering";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { pngBytes } from "../../cli/src/images.ts";
import { deformed } from "../src/scatter/deform.ts";
import { defaults, fromQuery, toQuery } from "../src/scatter/settings.ts";
import {
  decodePicture,
  decodeSignal,
  encodePicture,
  encodeSignal,
  signalNames,
  signalOf,
} from "../src/scatter/source.ts";
import { executablePath, lab } from "./site.ts";

describe("the sources and the link of scattering", () => {
  it("come back from what a link says", () => {
    const queries: readonly Readonly<Record<string, string>>[] = [
      {},
      { signal: "steps", J: "2", noise: "10" },
      { kind: "picture", slope: "40" },
    ];
    for (const query of queries) expect(toQuery(fromQuery(query))).toEqual(query);
    expect(fromQuery({ J: "99", slope: "-3", averages: "none" })).toEqual({
      ...defaults,
      scale: 6,
      slope: 0,
    });
    for (const name of signalNames) {
      const kept = encodeSignal(signalOf(name));
      expect(encodeSignal(decodeSignal(kept)!)).toBe(kept);
      // Links that keep every second sample are read, too.
      const few = [...kept].filter((_, k) => k % 2 === 0).join("");
      expect([...encodeSignal(decodeSignal(few)!)].filter((_, k) => k % 2 === 0).join("")).toBe(few);
    }
    expect(decodeSignal("AAA")).toBeUndefined();
    const greys = Float64Array.from({ length: 1024 }, (_, k) => (k % 64) / 63);
    expect([...decodePicture(encodePicture(greys))!]).toEqual([...greys]);
    expect(decodePicture("A")).toBeUndefined();
  });

  it("move whole samples exactly, and nothing by nothing", () => {
    const x = Float64Array.from({ length: 12 }, (_, k) => k * k);
    const still = { slope: 0, waves: 1, shift: 0, noise: 0 };
    expect([...deformed(x, 2, still)]).toEqual([...x]);
    expect([...deformed(x, 2, { ...still, shift: 2 })]).toEqual([
      16, 25, 0, 1, 4, 9, 100, 121, 36, 49, 64, 81,
    ]);
  });
});

/** The runtime as its makers publish it. */
const runtime = new URL("../../../node_modules/onnxruntime-web/dist/", import.meta.url);
const outputs = (shape: readonly number[]): number => shape.reduce((a, b) => a * b, 1);

/** A picture that grows lighter from left to right. */
function slope(): Buffer {
  const side = 64;
  const rgba = Uint8Array.from({ length: 4 * side * side }, (_, k) =>
    k % 4 === 3 ? 255 : 4 * ((k >> 2) % side),
  );
  return Buffer.from(pngBytes({ width: side, height: side, rgba }));
}

const changed = (page: Page) => page.getByTestId("scattering").innerText();

describe.skipIf(!executablePath)("the page of scattering", () => {
  const { open, url } = lab();

  it("says how far coefficients move, as the library does, and keeps it in the link", async () => {
    const { page, errors } = await open("/scatter?signal=chirp&shift=3&slope=0&J=3");
    await expect.poll(() => changed(page)).toMatch(/\d/);
    const x = signalOf("chirp");
    const settings = fromQuery({ signal: "chirp", shift: "3", slope: "0", J: "3" });
    const bank = battleLemarieBank({ length: x.length, scale: 3 });
    const [a, b] = [x, deformed(x, 1, settings)].map((z) => propagate(z, bank));
    let [off, all] = [0, 0];
    a!.forEach(({ averaged }, k) => {
      averaged.forEach((v, u) => {
        off += (v - b![k]!.averaged[u]!) ** 2;
      });
    });
    for (const v of x) all += v * v;
    expect(Number(await changed(page)) / Math.sqrt(off / all)).toBeCloseTo(1, 2);
    const slider = page.getByLabel("Noise");
    const before = await changed(page);
    await slider.focus();
    for (let k = 0; k < 8; k++) await page.keyboard.press("ArrowRight");
    await expect.poll(() => changed(page)).not.toBe(before);
    await expect.poll(() => page.url()).toMatch(/noise=8/);
    const now = await changed(page);
    await page.reload();
    await expect.poll(() => changed(page)).toBe(now);
    expect(errors).toEqual([]);
  });

  it.each<[string, TransformOptions]>([
    ["a signal", { shape: [100], scale: 4, quality: 4 }],
    ["a picture", { shape: [20, 28], scale: 2, angles: 4 }],
  ])("another runtime in the browser runs the graph and its gradient: %s", async (_, options) => {
    const { page } = await open("/scatter", { bypassPolicy: true });
    await page.route("**/stock/*", (route) => {
      const name = new URL(route.request().url()).pathname.split("/").at(-1)!;
      return route.fulfill({ path: fileURLToPath(new URL(name, runtime)) });
    });
    const { graph, paths, geometry }: Scattering = scattering(options);
    const size = options.shape.reduce((a, b) => a * b, 2);
    const x = Float32Array.from({ length: size }, (__, k) => Math.sin(k * k * 0.01) + ((7 * k) % 11) / 11);
    const dims = [2, ...options.shape];
    const seeds = Float32Array.from(
      { length: 2 * paths.length * outputs(geometry.output) },
      (__, k) => k % 3,
    );
    const seedDims = [2, paths.length, ...geometry.output];
    const slope = gradient(graph);
    const own = await run(slope, {
      x: tensor(x, { type: "float32", dims }),
      seed_s: tensor(seeds, { type: "float32", dims: seedDims }),
    });
    await page.addScriptTag({ url: `${url()}stock/ort.wasm.min.js` });
    const found = await page.evaluate(
      async ({ base, model, x: given, dims: shape, seeds: back, seedDims: backShape }) => {
        const { ort } = globalThis as unknown as { ort: typeof import("onnxruntime-web") };
        [ort.env.wasm.wasmPaths, ort.env.wasm.numThreads] = [`${base}stock/`, 1];
        const session = await ort.InferenceSession.create(Uint8Array.from(model));
        const { s, grad_x } = await session.run({
          x: new ort.Tensor("float32", Float32Array.from(given), shape),
          seed_s: new ort.Tensor("float32", Float32Array.from(back), backShape),
        });
        const numbersOf = (t: typeof s): number[] => Array.from(t!.data as Float32Array);
        return { s: numbersOf(s), grad_x: numbersOf(grad_x) };
      },
      { base: url(), model: [...writeModel(slope)], x: [...x], dims, seeds: [...seeds], seedDims },
    );
    for (const name of ["s", "grad_x"] as const) {
      const wanted = own[name]!.data as Float32Array;
      expect(found[name]).toHaveLength(wanted.length);
      const off = Math.hypot(...found[name].map((v, k) => v - wanted[k]!));
      expect(off / Math.hypot(...wanted)).toBeLessThan(1e-5);
    }
  });

  it("a dropped picture stays in the link, as light as it is", async () => {
    const { page, errors } = await open("/scatter?kind=picture");
    await expect.poll(() => changed(page)).toMatch(/\d/);
    const before = await changed(page);
    await page
      .getByRole("group", { name: "File" })
      .locator("input[type=file]")
      .setInputFiles({ name: "slope.png", mimeType: "image/png", buffer: slope() });
    await expect.poll(() => changed(page)).not.toBe(before);
    await expect.poll(() => page.url()).toMatch(/g=/);
    const now = await changed(page);
    await page.reload();
    await page.getByRole("button", { name: "Draw instead" }).waitFor();
    // A link keeps 64 greys.
    await expect.poll(async () => Number(await changed(page)) / Number(now)).toBeCloseTo(1, 1);
    await page.getByRole("button", { name: "Draw instead" }).click();
    await expect.poll(() => changed(page)).toBe(before);
    expect(errors).toEqual([]);
  });

  it("is drawn on, shows the disk of a picture, and makes one from its coefficients", async () => {
    const { page, errors } = await open("/scatter");
    await expect.poll(() => changed(page)).toMatch(/\d/);
    const before = await changed(page);
    const { x, y, width, height } = (await page.getByLabel("The signal: draw on it").boundingBox())!;
    await page.mouse.move(x + 0.2 * width, y + 0.2 * height);
    await page.mouse.down();
    await page.mouse.move(x + 0.5 * width, y + 0.8 * height, { steps: 3 });
    await page.mouse.up();
    await expect.poll(() => changed(page)).not.toBe(before);
    await expect.poll(() => page.url()).toMatch(/d=/);
    await page.getByRole("button", { name: "Resynthesise" }).click();
    await expect
      .poll(() => page.getByTestId("made").innerText(), { timeout: 300_000 })
      .toMatch(/after \d+ steps/);
    await page.getByRole("button", { name: "Picture", exact: true }).click();
    await page.getByLabel("Order 2 on the disk of frequencies, deformed").waitFor();
    await page
      .getByRole("group", { name: "File" })
      .locator("input[type=file]")
      .setInputFiles({
        name: "no.png",
        mimeType: "image/png",
        buffer: Buffer.from("this is text"),
      });
    await expect.poll(() => page.getByRole("alert").innerText()).toMatch(/^no\.png: this is no picture/);
    expect(errors).toEqual([]);
  });
});
