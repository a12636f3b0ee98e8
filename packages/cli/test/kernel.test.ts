import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readNpz, writeNpz } from "@lemmata/core/data";
import { float64, graph, numbers, type Tensor, tensor, writeModel } from "@lemmata/core/graph";
import { empiricalKernel, fillSymmetric, limitKernel } from "@lemmata/core/kernels";
import { createRandom } from "@lemmata/core/numbers";
import { initialNetwork } from "@lemmata/core/train";
import { describe, expect, it } from "vitest";
import { kernelData } from "../src/kernel-data.ts";
import { KernelFile } from "../src/kernel-file.ts";
import { kernelPlan } from "../src/kernel-options.ts";
import { directoryOf, localHeader } from "../src/zip-record.ts";
import { lemmata, temporaryFolder } from "./lemmata.ts";

const bin = fileURLToPath(new URL("../bin/lemmata.js", import.meta.url));
const folder = temporaryFolder();
const file = (name: string): string => join(folder, name);

const [n, m] = [60, 25];
const random = createRandom("kernel command");
const points = (count: number): Tensor => tensor(random.normal(count * 3), { dims: [count, 3] });
/** Three classes by the angle of the first two numbers. */
const labels = (x: Tensor): Tensor => {
  const data = numbers(x);
  return tensor(
    Array.from({ length: x.dims[0]! }, (_, i) =>
      Math.floor((3 * (Math.PI + Math.atan2(data[3 * i + 1]!, data[3 * i]!))) / (2 * Math.PI + 1e-9)),
    ),
    { type: "int64" },
  );
};
const [x, z] = [points(n), points(m)];
writeFileSync(file("data.npz"), writeNpz({ x, y: labels(x), x_test: z, y_test: labels(z) }));
const net = initialNetwork("3-8-tanh-2", { type: "float64", seed: 5 });
writeFileSync(file("net.onnx"), writeModel(net));

interface Found {
  readonly kind: string;
  readonly parameterization: string;
  readonly n: number;
  readonly trace: number;
  readonly eigenvalues: { readonly min: number; readonly max: number; readonly effectiveRank: number };
  readonly prediction: {
    readonly trainError: number;
    readonly testError: number | null;
    readonly trainLoss: number;
    readonly testLoss: number | null;
    readonly time: number | string;
    readonly testVariance: { readonly mean: number } | null;
    readonly solver: string;
  };
  readonly layers?: readonly { weight: string; trace: number; share: number; outputs: number[] }[];
  readonly storage: { readonly where: string };
}
const architecture = "3-16-relu-16-relu-3";
const kernel = (...words: string[]): Found => lemmata("kernel", ...words, "--json").json;
const onData = ["--data", file("data.npz")];
const read = (name: string): Record<string, Tensor> => readNpz(readFileSync(file(name)));

describe("lemmata kernel", () => {
  it("writes the limit kernels, and says what they are like and what they predict", async () => {
    const found = kernel(architecture, ...onData, "--w-std", "1.4", "--b-std", "0.1", "--out", file("k.npz"));
    const options = { wStd: 1.4, bStd: 0.1 };
    const { ntk } = await limitKernel(architecture, x, options);
    const { k, k_test } = read("k.npz");
    expect([k!.dims, k_test!.dims]).toEqual([
      [n, n],
      [m, n],
    ]);
    expect(numbers(k!)).toEqual(ntk);
    expect(numbers(k_test!)).toEqual((await limitKernel(architecture, z, { ...options, other: x })).ntk);
    expect(found).toMatchObject({ kind: "ntk", parameterization: "ntk", n, storage: { where: "memory" } });
    const trace = Array.from({ length: n }, (_, i) => ntk[i * (n + 1)]!).reduce((s, v) => s + v, 0);
    expect(found.trace).toBeCloseTo(trace, 9);
    expect(found.prediction).toMatchObject({ trainError: 0, time: "inf" });
    expect(found.prediction.trainLoss).toBeLessThan(1e-20);
    expect(found.prediction.testError).toBeLessThan(0.3);
    expect(found.prediction.testVariance!.mean).toBeGreaterThan(0);
  });

  it("on disk is the same file, byte by byte, with the same predictions", () => {
    const [whole, stored] = [
      kernel(
        architecture,
        ...onData,
        "--out",
        file("a.npz"),
        "--ridge",
        "0.01",
        "--predictions",
        file("pa.npz"),
      ),
      kernel(
        ...[
          architecture,
          ...onData,
          "--out",
          file("b.npz"),
          "--ridge",
          "0.01",
          "--predictions",
          file("pb.npz"),
        ],
        "--on-disk",
        "--variance",
      ),
    ];
    expect(readFileSync(file("b.npz"))).toEqual(readFileSync(file("a.npz")));
    expect(existsSync(file("b.npz.part"))).toBe(false);
    expect(stored.storage.where).toBe("disk");
    expect(stored.prediction.solver).toBe("conjugate gradients");
    expect(stored.prediction.testLoss).toBeCloseTo(whole.prediction.testLoss!, 5);
    expect(stored.eigenvalues.max / whole.eigenvalues.max).toBeCloseTo(1, 6);
    const [a, b] = [read("pa.npz"), read("pb.npz")];
    numbers(a["test"]!).forEach((v, k) => {
      expect(numbers(b["test"]!)[k]).toBeCloseTo(v, 4);
    });
    expect(a["variance"]!.dims).toEqual([m]);
    numbers(a["variance"]!).forEach((v, k) => {
      expect(numbers(b["variance"]!)[k]).toBeCloseTo(v, 4);
    });
    expect(stored.prediction.testVariance!.mean / whole.prediction.testVariance!.mean).toBeCloseTo(1, 4);
  });

  it("follows training in time: gradient flow, or steps of descent", () => {
    const [start, later] = ["0", "3"].map(
      (time) => kernel(architecture, ...onData, "--time", time).prediction.trainLoss,
    );
    expect(start).toBeCloseTo(2 / 3, 12); // the centred targets themselves
    expect(later).toBeLessThan(start!);
    const steps = kernel(architecture, ...onData, "--time", "300", "--optimizer-rate", "0.01").prediction;
    expect(steps.trainLoss).toBeCloseTo(later!, 2);
  });

  it("of an ONNX file has its tangent kernel, weight by weight", async () => {
    const words = [file("net.onnx"), ...onData, "--kind", "empirical", "--out", file("e.npz")];
    const found = kernel(...words, "--output", "1");
    const { ntk } = await empiricalKernel(net, x, { outputs: 1 });
    numbers(read("e.npz")["k"]!).forEach((v, k) => {
      expect(v).toBeCloseTo(ntk[k]!, 10);
    });
    expect(found.layers!.map(({ weight }) => weight)).toEqual([...net.initializers.keys()]);
    expect(found.layers!.reduce((sum, { trace }) => sum + trace, 0)).toBeCloseTo(found.trace, 9);
    expect(found.layers!.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 12);
    expect(found.layers!.every(({ outputs, trace }) => outputs[1] === trace)).toBe(true);
  });

  it("draws an architecture with the deviations that the limit has", () => {
    const empirical = (...words: string[]): Found =>
      kernel(architecture, ...onData, "--kind", "empirical", "--no-prediction", ...words);
    const part = ({ layers }: Found, weight: string): number =>
      layers!.find((layer) => layer.weight === weight)!.trace;
    const [plain, wide] = [empirical(), empirical("--w-std", "2", "--b-std", "0.5")];
    // Without biases each of the three layers doubles the outputs, and with them the derivatives by what is trained.
    expect(part(plain, "layer3.bias")).toBe(0);
    expect(part(wide, "layer3.bias")).toBeCloseTo(n / 4, 10);
    const doubled = empirical("--w-std", "2");
    expect(doubled.trace / plain.trace).toBeCloseTo(4 ** 3, 10);
  });

  it("says how far quadrature may be off, where there is no closed form", () => {
    const found = (activation: string): number =>
      (kernel(`3-16-${activation}-2`, ...onData, "--no-prediction") as unknown as { quadratureError: number })
        .quadratureError;
    expect(found("relu")).toBe(0);
    expect(found("elu")).toBeGreaterThan(0);
    expect(found("elu")).toBeLessThan(1e-3);
  });

  it("prints what a person reads, with targets of its own for quantities", () => {
    writeFileSync(file("line.csv"), "a,b,c,y\n1,0,0,0.5\n0,1,0,1.5\n0,0,1,2.5\n1,1,0,2.1\n");
    const { stdout, stderr, status } = lemmata(
      "kernel",
      architecture,
      "--data",
      file("line.csv"),
      "--kind",
      "nngp",
    );
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(
      /^covariance of infinitely wide 3-16-relu-16-relu-3, ntk .*, on 4 examples of line.csv/,
    );
    expect(stdout).toMatch(/gradient flow to its end; targets are used as they are/);
    expect(stdout).toMatch(/training +\S+ +\S+\n$/);
  });

  it.each([
    [["--time", "9", "--optimizer-rate", "1e3"], /diverges: .* allows rates below/],
    [["--kind", "empirical", "--output", "7"], /no output 7; there are 0 to 2/],
    [
      ["--optimizer-rate", "1e3", "--on-disk", "--quiet", "--out", file("rate.npz")],
      /diverges: .* allows rates below/,
    ],
    [["--w-std", "1e200"], /the kernel of examples 1 and 1 is NaN: numbers of this size do not fit float64/],
    [["--out", file("data.npz")], /--out .*data.npz is the file of --data, which it would replace/],
    [["--predictions", join(folder, ".", "data.npz")], /--predictions .* is the file of --data/],
    [
      ["--out", file("same.npz"), "--predictions", file("same.npz")],
      /--predictions .*same.npz is the file of --out/,
    ],
    [["--test-fraction", "0.3"], /--test-fraction 0.3: .*data.npz has examples to test with/],
    [["--resume", "--out", file("no.npz")], /there is no .*no.npz.part/],
    [["--memory", "0.4"], /a kernel of 60 examples takes .* GB of memory: --out K.npz keeps it on disk/],
  ])("says in one line what is wrong with %j", (words, message) => {
    const { status, stderr } = lemmata("kernel", architecture, ...onData, ...words);
    expect(status).toBe(2);
    expect(stderr).toMatch(message);
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(existsSync(file("no.npz")) || existsSync(file("no.npz.part"))).toBe(false);
  });

  const given = { kind: "ntk", ridge: 0, time: "inf", prediction: true, data: "mnist", seed: 1 };
  it.each([
    [{ kind: "foo" }, /--kind foo: choose one of ntk, nngp, empirical/],
    [{ time: "soon" }, /--time soon: a number from 0 up, or inf/],
    [{ time: "-1" }, /--time -1: a number from 0 up, or inf/],
    [{ time: "2.5", optimizerRate: 0.1 }, /whole number of steps/],
    [{ optimizerRate: 0 }, /a rate is above 0/],
    [{ output: "1" }, /--output is for --kind empirical/],
    [{ variance: true, prediction: false }, /--variance and --no-prediction exclude each other/],
    [{ kind: "empirical", output: "first" }, /--output first: the number of an output/],
    [
      { kind: "empirical", bStd: 1 },
      /--b-std is for --kind ntk and nngp, or an architecture: an ONNX file has its weights/,
    ],
    [{ kind: "empirical", parameterization: "ntk" }, /an ONNX file has its weights/],
    [{ parameterization: "mup" }, /--parameterization mup: choose one of ntk, standard/],
    [{ resume: true }, /--resume needs --out/],
    [{ onDisk: true }, /--on-disk needs --out/],
    [{ predictions: "p.npz", prediction: false }, /exclude each other/],
    [{ out: file("no.txt") }, /must end in .npz/],
  ])("refuses %j", (options, message) => {
    expect(() => kernelPlan("net.onnx", { ...given, ...options })).toThrow(message);
  });

  it.each([
    [{ count: 61 }, /--count 61: there are 60 examples/],
    [{ testCount: 26 }, /--test-count 26: there are 25 examples/],
    [{ test: file("data.npz") }, /--test is the file of --data/],
    [{ test: "two-moons" }, /two-moons: an example is \[2\], but the network reads \[3\]/],
    [{ task: "guess" }, /--task guess: choose one of classification, regression/],
  ])("refuses data that do not fit: %j", (options, message) => {
    expect(() => kernelData([3], { data: file("data.npz"), seed: 1, ...options })).toThrow(message);
  });

  it("refuses what has no limit kernel by node and operator, before a file is begun", () => {
    const sorted = graph({ x: float64("N", 3) }, ({ x: value }) => ({
      y: value
        .affine(tensor([[1, 2, 3]]))
        .op("Cos")
        .op("ReduceMax", [tensor([1], { type: "int64" })], { keepdims: 1 }),
    }));
    writeFileSync(file("max.onnx"), writeModel(sorted));
    const { status, stderr } = lemmata(
      ...(["kernel", file("max.onnx"), ...onData, "--out", file("never.npz"), "--on-disk"] as const),
    );
    expect([status, stderr.trim().split("\n").length]).toEqual([2, 1]);
    expect(stderr).toMatch(/ReduceMax node "/);
    expect(existsSync(file("never.npz.part"))).toBe(false);
  });
});

describe("a kernel on disk that was killed", () => {
  const words = [architecture, ...onData, "--no-prediction", "--on-disk"];

  /** Is killed by itself at its sixth write: two headers, a note, the kernel, a note, and then the test examples. */
  function killed(out: string, before = "writeSync", count = 6): number | null {
    const preload = file("killed.cjs");
    writeFileSync(
      preload,
      `const fs = require("node:fs");
       const call = fs.${before};
       let calls = 0;
       fs.${before} = (...words) => {
         const isCounted = ${before === "writeSync"} ? typeof words[4] === "number" : true;
         if (isCounted && ++calls === ${count}) process.kill(process.pid, "SIGKILL");
         return call(...words);
       };
       require("node:module").syncBuiltinESMExports();`,
    );
    const { status } = spawnSync(process.execPath, [
      "--require",
      preload,
      bin,
      "kernel",
      ...words,
      "--out",
      out,
    ]);
    return status;
  }

  it("goes on where it was, with the bytes of one that was not", () => {
    const [out, other] = [file("killed.npz"), file("whole.npz")];
    expect(killed(out)).toBe(2);
    expect([existsSync(out), existsSync(`${out}.part`)]).toEqual([false, true]);
    const again = lemmata("kernel", ...words, "--out", out);
    expect(again.stderr).toMatch(/killed.npz.part is there from a run that was not finished: --resume/);
    const changed = lemmata("kernel", ...words, "--out", out, "--resume", "--b-std", "1");
    expect(changed.stderr).toMatch(/of a run with another bStd \(0, not 1\)/);
    expect(lemmata("kernel", ...words, "--out", out, "--resume").status).toBe(0);
    expect(lemmata("kernel", ...words, "--out", other).status).toBe(0);
    expect(readFileSync(out).equals(readFileSync(other))).toBe(true);
  });

  // Headers of the archive are written then, and its directory: what was done must still be known.
  it.each([
    ["fsyncSync", 1],
    ["ftruncateSync", 1],
    ["writeSync", 8],
    ["writeSync", 10],
  ] as const)("at the very end goes on, too: before %s number %d", (before, count) => {
    const out = file(`end-${before}-${count}.npz`);
    expect(killed(out, before, count)).toBe(2);
    expect([existsSync(out), existsSync(`${out}.part`)]).toEqual([false, true]);
    const again = lemmata("kernel", ...words, "--out", out, "--resume");
    expect([again.stderr, again.status]).toEqual(["", 0]);
    expect(readNpz(readFileSync(out))["k_test"]!.dims).toEqual([m, n]);
  });

  it("between its last two steps is whole, and it says so", () => {
    const out = file("last.npz");
    expect(killed(out, "renameSync", 1)).toBe(2);
    const again = lemmata("kernel", ...words, "--out", out, "--resume");
    expect(again.stderr).toMatch(/last.npz.part is whole, .* rename it to .*last.npz/);
    expect(readNpz(readFileSync(`${out}.part`))["k"]!.dims).toEqual([n, n]);
  });

  it("has the rows that were noted, and no others are computed again", async () => {
    const shapes = [{ name: "k", rows: n, columns: n }];
    const entry = (i: number, j: number): number => i * j + 1 / (1 + i + j);
    const computed: number[] = [];
    const rows = async (from: number, to: number): Promise<Float64Array> => {
      computed.push(from);
      return Float64Array.from({ length: (to - from) * to }, (_, e) =>
        entry(from + Math.floor(e / to), e % to),
      );
    };
    const fill = async (path: string, resume: boolean, until: number): Promise<void> => {
      const kept = KernelFile.open(path, shapes, { kind: "test" }, { resume });
      const stop = new AbortController();
      // So many columns that a block has 16 rows.
      const matrix = { ...kept.matrix("k"), columns: 2 ** 18 };
      const filled = fillSymmetric(matrix, rows, {
        from: kept.done("k"),
        signal: stop.signal,
        onRows(done) {
          kept.note("k", done);
          if (done >= until) stop.abort();
        },
      });
      if (until < n) {
        await expect(filled).rejects.toThrow();
        kept.close();
      } else {
        await filled;
        kept.finish();
      }
    };
    await fill(file("one.npz"), false, n);
    expect(computed.splice(0)).toEqual([0, 16, 32, 48]);
    await fill(file("two.npz"), false, 32);
    await fill(file("two.npz"), true, n);
    expect(computed).toEqual([0, 16, 32, 48]);
    expect(readFileSync(file("two.npz"))).toEqual(readFileSync(file("one.npz")));
    const exact = Array.from({ length: n * n }, (_, e) => entry(Math.floor(e / n), e % n));
    expect(Array.from(numbers(read("one.npz")["k"]!))).toEqual(exact);
  });

  it("is refused when what is there is something else", () => {
    writeFileSync(file("strange.npz.part"), new Uint8Array(1000));
    const { status, stderr } = lemmata("kernel", ...words, "--out", file("strange.npz"), "--resume");
    expect(status).toBe(2);
    expect(stderr).toMatch(/strange.npz.part is not a kernel of this many examples that was begun here/);
  });
});

describe("records of an archive", () => {
  it("have 64 bits where 32 do not hold", () => {
    const [small, large] = [2 ** 20, 5 * 2 ** 30];
    const view = (bytes: Uint8Array): DataView => new DataView(bytes.buffer);
    const local = view(localHeader({ name: "k.npy", start: 0, size: large, checksum: 7 }));
    expect(local.getUint32(18, true)).toBe(0xffff_ffff);
    expect(Number(local.getBigUint64(30 + 5 + 4, true))).toBe(large);
    const end = directoryOf([{ name: "k.npy", start: large, size: small, checksum: 7 }], large + small);
    const place = view(end);
    // The last record says to look for the one of 64 bits, whose place is in the record before it.
    expect(place.getUint32(end.length - 6, true)).toBe(0xffff_ffff);
    const at = Number(place.getBigUint64(end.length - 22 - 20 + 8, true)) - (large + small);
    expect(place.getUint32(at, true)).toBe(0x06064b50);
    expect(Number(place.getBigUint64(at + 48, true))).toBe(large + small);
  });
});
