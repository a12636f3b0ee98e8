import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InferenceSession, Tensor as RuntimeTensor } from "onnxruntime-node";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { firstDifference } from "../../src/graph/equal.ts";
import { GraphError } from "../../src/graph/error.ts";
import type { Graph } from "../../src/graph/graph.ts";
import * as web from "../../src/graph/onnx/files.web.ts";
import {
  loadModel,
  readModel,
  saveModel,
  writeModel,
  writeModelAndWeights,
} from "../../src/graph/onnx/index.ts";
import { floatsOf, graphOf, nodeOf, value } from "./onnx-graphs.ts";

const constant = (x: number) => floatsOf(new Array(5000).fill(x));
const outputs = [value("t", [5000])];
const branch = (x: number): Graph =>
  graphOf({
    initializers: new Map([["v", constant(x)]]),
    nodes: [nodeOf("Add", ["w", "v"], ["t"])],
    outputs,
  });
/** y = 1 + (c ? 2 : 3), with the 1 in the graph and the others in its branches. */
const graph = graphOf({
  inputs: [value("c", [], "bool")],
  outputs: [value("y", [5000])],
  initializers: new Map([["w", constant(1)]]),
  nodes: [
    nodeOf("If", ["c"], ["y"], {
      then_branch: { type: "graph", value: branch(2) },
      else_branch: { type: "graph", value: branch(3) },
    }),
  ],
});

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "lemmata-")));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
  vi.unstubAllGlobals();
});
const at = (...parts: string[]) => join(folder, ...parts);

async function runtimeOutput(path: string): Promise<number> {
  const session = await InferenceSession.create(path);
  const { y } = await session.run({ c: new RuntimeTensor("bool", [false], []) });
  await session.release();
  return Number(y?.data[4999]);
}

describe("saveModel and loadModel", () => {
  it("give the same graph, and leave nothing else", async () => {
    await saveModel(graph, at("net.onnx"));
    await saveModel(graph, at("net.onnx"));
    expect(readdirSync(folder)).toEqual(["net.onnx"]);
    expect(firstDifference(graph, await loadModel(at("net.onnx")))).toBeUndefined();
    expect(await runtimeOutput(at("net.onnx"))).toBe(4);
  });

  it("do so with external data, which ONNX Runtime reads too", async () => {
    await saveModel(graph, at("net.onnx"), { external: true });
    expect(readdirSync(folder)).toEqual(["net.onnx", "net.onnx.data"]);
    expect(firstDifference(graph, await loadModel(at("net.onnx")))).toBeUndefined();
    expect(await runtimeOutput(at("net.onnx"))).toBe(4);
  });

  it("say in one line why they cannot", async () => {
    await expect(loadModel(at("none.onnx"))).rejects.toThrow(
      /none.onnx cannot be read: there is no such file/,
    );
    await expect(loadModel(folder)).rejects.toThrow(/is a folder, not an ONNX file/);
    await expect(loadModel("/dev/null")).rejects.toThrow(/is not a file/);
    await expect(saveModel(graph, at("none", "net.onnx"))).rejects.toThrow(
      /cannot be written: there is no such/,
    );
    await expect(saveModel(graph, folder)).rejects.toThrow(/it is a folder/);
    writeFileSync(at("bad.onnx"), "<html>");
    await expect(loadModel(at("bad.onnx"))).rejects.toThrow(/bad.onnx: not a valid ONNX model/);
    for (const path of [at("none.onnx"), folder, at("bad.onnx")]) {
      await expect(loadModel(path)).rejects.toBeInstanceOf(GraphError);
    }
  });

  it("refuse a file over 2 GiB before reading it", async () => {
    writeFileSync(at("big.onnx"), "");
    truncateSync(at("big.onnx"), 2 ** 31);
    await expect(loadModel(at("big.onnx"))).rejects.toThrow(/an ONNX file ends at 2 GiB/);
  });

  it("leave the old file and no temporary one when writing fails", async () => {
    await saveModel(graph, at("net.onnx"));
    mkdirSync(at("net.onnx.data"));
    const other = { ...graph, name: "other" };
    await expect(saveModel(other, at("net.onnx"), { external: true })).rejects.toThrow(GraphError);
    expect(readdirSync(folder)).toEqual(["net.onnx", "net.onnx.data"]);
    expect((await loadModel(at("net.onnx"))).name).toBe("g");
  });
});

describe("external data", () => {
  /** A model in folder/in whose weights are said to be at `location`. */
  const placed = (location: string): string => {
    mkdirSync(at("in"), { recursive: true });
    // Written under a harmless name of the same length, which is then replaced: the writer refuses such places too.
    const harmless = "x".repeat(location.length);
    const { model, weights } = writeModelAndWeights(graph, { location: harmless });
    const bytes = Buffer.from(model);
    for (let k = bytes.indexOf(harmless); k >= 0; k = bytes.indexOf(harmless, k + 1))
      bytes.write(location, k);
    writeFileSync(at("in", "net.onnx"), bytes);
    writeFileSync(at("secret"), Buffer.concat(weights));
    return at("in", "net.onnx");
  };

  it.each([
    "../secret",
    "a/../../secret",
    "..",
    "a\\..\\secret",
    "C:secret",
    "%2e%2e/secret",
    "a\0b",
    "a//b",
  ])("outside the folder is refused: %j", async (location) => {
    await expect(loadModel(placed(location))).rejects.toThrow(
      /is refused: it must be a relative path inside/,
    );
    expect(() => writeModelAndWeights(graph, { location })).toThrow(/is refused/);
  });

  it("at an absolute path is refused", async () => {
    await expect(loadModel(placed(at("secret")))).rejects.toThrow(/is refused/);
  });

  it("through a symbolic link out of the folder is refused, within it is read", async () => {
    const model = placed("link");
    symlinkSync(at("secret"), at("in", "link"));
    await expect(loadModel(model)).rejects.toThrow(/is refused: it leads out of the model's folder/);
    rmSync(at("in", "link"));
    execFileSync("cp", [at("secret"), at("in", "weights")]);
    symlinkSync("weights", at("in", "link"));
    expect(firstDifference(graph, await loadModel(model))).toBeUndefined();
    const deeper = placed("out/secret");
    symlinkSync(folder, at("in", "out"));
    await expect(loadModel(deeper)).rejects.toThrow(/leads out of the model's folder/);
  });

  it("in a folder below, or with a leading ./, is read", async () => {
    mkdirSync(at("in", "below"), { recursive: true });
    for (const location of ["below/weights", "./below/weights"]) {
      const model = placed(location);
      execFileSync("cp", [at("secret"), at("in", "below", "weights")]);
      expect(firstDifference(graph, await loadModel(model))).toBeUndefined();
    }
  });

  it("that is missing, too short or a folder is one clear line", async () => {
    const model = placed("weights");
    await expect(loadModel(model)).rejects.toThrow(
      /external data "weights" cannot be read: there is no such/,
    );
    writeFileSync(at("in", "weights"), "short");
    await expect(loadModel(model)).rejects.toThrow(/"weights" has 5 bytes: 20000 from 0 on are not there/);
    rmSync(at("in", "weights"));
    mkdirSync(at("in", "weights"));
    await expect(loadModel(model)).rejects.toThrow(/"weights" is not a file/);
  });
});

describe("in a browser", () => {
  const serve = (files: Record<string, Uint8Array>) => {
    const asked: string[] = [];
    vi.stubGlobal("fetch", async (url: string) => {
      asked.push(url);
      const bytes = files[url];
      return bytes ? new Response(bytes as Uint8Array<ArrayBuffer>) : new Response("", { status: 404 });
    });
    return asked;
  };

  it("loadModel fetches the model and its weights beside it", async () => {
    const { model, weights } = writeModelAndWeights(graph, { location: "net data/w.bin" });
    const asked = serve({
      "https://example.org/models/net.onnx": model,
      "https://example.org/models/net%20data/w.bin": Buffer.concat(weights),
    });
    const read = await web.loadModel("https://example.org/models/net.onnx");
    expect(firstDifference(graph, read)).toBeUndefined();
    expect(asked).toHaveLength(2);
  });

  it("loadModel says what the server said", async () => {
    serve({});
    await expect(web.loadModel("https://example.org/net.onnx")).rejects.toThrow(/the server says 404/);
  });

  it("loadModel asks for no file outside the model's folder", async () => {
    const { model } = writeModelAndWeights(graph, { location: "xxxxxxxxxxxxx" });
    const bytes = Buffer.from(model);
    for (let k = bytes.indexOf("xxxx"); k >= 0; k = bytes.indexOf("xxxx", k + 13))
      bytes.write("//evil.org/ab", k);
    const asked = serve({ "https://example.org/net.onnx": bytes });
    await expect(web.loadModel("https://example.org/net.onnx")).rejects.toThrow(/is refused/);
    expect(asked).toHaveLength(1);
  });

  it("saveModel points to writeModel", async () => {
    await expect(web.saveModel(graph, "net.onnx")).rejects.toThrow(/use writeModel/);
    expect(writeModel(graph).length).toBeGreaterThan(0);
  });
});

it("a page that a server sends in place of a model is called that", () => {
  const page = new TextEncoder().encode("\n<!DOCTYPE html><html><title>404</title></html>");
  expect(() => readModel(page)).toThrow("a page of HTML");
});
