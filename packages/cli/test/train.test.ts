import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readNpz } from "@lemmata/core/data";
import { run } from "@lemmata/core/engine";
import { float64, graph, numbers, readModel, tensor, writeModel } from "@lemmata/core/graph";
import { describe, expect, it } from "vitest";
import { lemmata, temporaryFolder } from "./lemmata.ts";

const bin = fileURLToPath(new URL("../bin/lemmata.js", import.meta.url));
const folder = temporaryFolder();
const file = (name: string): string => join(folder, name);
const net = file("net.onnx");
writeFileSync(
  net,
  writeModel(
    graph({ x: float64("N", 2) }, ({ x }) => ({
      y: x
        .affine(
          tensor([
            [1, 2],
            [3, -4],
            [0, 1],
          ]),
          tensor([0.5, 0, -1]),
        )
        .tanh()
        .affine(
          tensor([
            [1, -1, 2],
            [0, 1, 1],
          ]),
        ),
    })),
  ),
);

describe("lemmata gradient", () => {
  it("keeps the model's interface and adds seeds and gradients, as promised", async () => {
    const out = file("g.onnx");
    const answer = lemmata("gradient", net, "--wrt", "both", "--out", out, "--json");
    expect([answer.status, answer.stderr]).toEqual([0, ""]);
    const g = readModel(readFileSync(out));
    expect(g.inputs.map((i) => i.name)).toEqual(["x", "seed_y"]);
    const weights = [...readModel(readFileSync(net)).initializers.keys()];
    expect(g.outputs.map((o) => o.name)).toEqual(["y", "grad_x", ...weights.map((name) => `grad_${name}`)]);
    const x = tensor([[0.1, 0.2]]);
    const { grad_x } = await run(g, { x, seed_y: tensor([[1, 0]]) });
    const f = async (t: number) =>
      numbers((await run(readModel(readFileSync(net)), { x: tensor([[0.1 + t, 0.2]]) })).y!)[0]!;
    expect(Math.abs(numbers(grad_x!)[0]! - ((await f(1e-5)) - (await f(-1e-5))) / 2e-5)).toBeLessThan(1e-8);
  });

  it("with a loss has an input target and the output loss", () => {
    const out = file("gl.onnx");
    expect(lemmata("gradient", net, "--loss", "cross-entropy", "--wrt", "inputs", "--out", out).status).toBe(
      0,
    );
    const g = readModel(readFileSync(out));
    expect(g.inputs.map((i) => i.name)).toEqual(["x", "target"]);
    expect(g.outputs.map((o) => o.name)).toEqual(["loss", "grad_x"]);
  });

  it.each([
    [
      ["--wrt", "everything", "--out", file("no.onnx")],
      /--wrt everything: choose one of inputs, weights, both/,
    ],
    [["--loss", "huber", "--out", file("no.onnx")], /--loss huber: choose one of square/],
    [[], /--out gradient.onnx/],
    [["--out", file("no.txt")], /must end in .onnx/],
    [["--out", join(folder, "nowhere", "g.onnx")], /no such folder/],
  ])("says in one line what is wrong with %j", (words, message) => {
    const { status, stderr } = lemmata("gradient", net, ...words);
    expect(status).toBe(2);
    expect(stderr).toMatch(message);
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(existsSync(file("no.onnx"))).toBe(false);
  });
});

interface Summary {
  readonly steps: number;
  readonly epochs: number;
  readonly trainLoss: number;
  readonly trainAccuracy: number;
  readonly testLoss: number;
  readonly testAccuracy: number;
  readonly seconds: number;
  readonly secondsPerStep: number;
  readonly ended: string;
}
const moons = [
  "2-16-tanh-16-tanh-1",
  "--data",
  "two-moons",
  "--count",
  "300",
  "--noise",
  "0.1",
  "--rate",
  "0.02",
  "--batch",
  "32",
];
const train = (...words: string[]): Summary => lemmata("train", ...words, "--json").json;

describe("lemmata train", () => {
  it("learns two moons, and writes the network, the log and the picture", async () => {
    const [out, log, svg] = [file("moons.onnx"), file("run.csv"), file("curve.svg")];
    const found = train(...moons, "--epochs", "40", "--out", out, "--log", log, "--svg", svg);
    expect(found.trainAccuracy).toBeGreaterThan(0.97);
    expect(found.testAccuracy).toBeGreaterThan(0.9);
    expect(found.steps).toBe(40 * 8);
    expect(found.epochs).toBe(40);
    const rows = readFileSync(log, "utf8").trim().split("\n");
    expect(rows[0]).toBe("step,epoch,rate,loss,accuracy,test_loss,test_accuracy");
    expect(rows).toHaveLength(1 + found.steps);
    expect(Number(rows.at(-1)!.split(",").at(-1))).toBeCloseTo(found.testAccuracy, 6);
    expect(readFileSync(svg, "utf8")).toMatch(/^<svg/);
    const model = readModel(readFileSync(out));
    const { y } = await run(model, {
      x: tensor(
        [
          [0, 1],
          [1, -0.5],
        ],
        { type: "float32" },
      ),
    });
    expect(Array.from(numbers(y!), Math.sign)).toEqual([-1, 1]);
  });

  it("goes on from a checkpoint as if never stopped, bit by bit", () => {
    const checkpoint = file("run.npz");
    const [whole, half] = [file("whole.onnx"), file("half.onnx")];
    const words = [...moons, "--steps", "60", "--schedule", "cosine"];
    train(...words, "--out", whole);
    // A run that is stopped by its loss on the way, then continued without that.
    const first = train(...words, "--stop-below", "0.55", "--checkpoint", checkpoint);
    expect(first.ended).toBe("floor");
    expect(first.steps).toBeLessThan(60);
    expect(Number(numbers(readNpz(readFileSync(checkpoint)).step!)[0])).toBe(first.steps);
    train(...words, "--checkpoint", checkpoint, "--resume", "--out", half);
    expect(readFileSync(half).equals(readFileSync(whole))).toBe(true);
  });

  it("refuses to go on with other settings", () => {
    const { status, stderr } = lemmata(
      "train",
      ...moons,
      "--steps",
      "70",
      "--schedule",
      "cosine",
      "--checkpoint",
      file("run.npz"),
      "--resume",
    );
    expect(status).toBe(2);
    expect(stderr).toMatch(/of a run with steps 60, not 70/);
  });

  it.each(["SIGINT", "SIGTERM"] as const)(
    "saves on Ctrl-C, and when it is asked to end: %s",
    async (signal) => {
      const out = file(`${signal}.onnx`);
      const child = spawn(process.execPath, [bin, "train", ...moons, "--steps", "1000000", "--out", out]);
      child.stdout.once("data", () => child.kill(signal));
      const code = await new Promise((resolve) => child.once("close", resolve));
      expect(code).toBe(130);
      expect(readModel(readFileSync(out)).initializers.size).toBe(6);
    },
  );

  it("stops when it diverges, says so, and keeps the last good weights", async () => {
    const out = file("diverged.onnx");
    const answer = lemmata(
      "train",
      "2-8-relu-1",
      "--data",
      "circles",
      "--loss",
      "square",
      "--optimizer",
      "gd",
      "--rate",
      "30",
      "--steps",
      "500",
      "--out",
      out,
    );
    expect(answer.status).toBe(1);
    expect(answer.stderr).toMatch(
      /the loss became .* in step \d+: training stopped, with the weights of step \d+/,
    );
    const weights = [...readModel(readFileSync(out)).initializers.values()];
    expect(weights.every((w) => numbers(w as never).every(Number.isFinite))).toBe(true);
  });

  it("makes outputs smaller with --penalty", async () => {
    const sizes = [];
    for (const penalty of [[], ["--penalty", "darc1=0.5"], ["--penalty", "darc=0.5"]]) {
      const out = file(`penalty${sizes.length}.onnx`);
      lemmata("train", "2-16-relu-2", "--data", "two-moons", "--epochs", "20", ...penalty, "--out", out);
      const x = tensor(
        [
          [0, 0.5],
          [1, 0],
          [0.5, -0.5],
          [-1, 0],
        ],
        { type: "float32" },
      );
      const { y } = await run(readModel(readFileSync(out)), { x });
      sizes.push(Array.from(numbers(y!), Math.abs).reduce((s, v) => s + v, 0));
    }
    expect(sizes[1]).toBeLessThan(sizes[0]! / 2);
    expect(sizes[2]).toBeLessThan(sizes[0]!);
  });

  it("keeps the best weights with --patience", () => {
    const found = train(...moons, "--epochs", "400", "--patience", "3", "--rate", "0.2");
    expect(found.ended).toBe("enough");
    expect(found.epochs).toBeLessThan(400);
  });

  it("trains an ONNX file on numbers from a CSV file", () => {
    const rows = Array.from({ length: 50 }, (_, k) => [k / 50, ((k * 7) % 50) / 50]);
    writeFileSync(
      file("plane.csv"),
      ["a,b,y", ...rows.map(([a, b]) => `${a},${b},${a! - 2 * b!}`)].join("\n"),
    );
    const model = file("linear.onnx");
    writeFileSync(
      model,
      writeModel(
        graph({ x: float64("N", 2) }, ({ x }) => ({ y: x.affine(tensor([[0.1, 0.1]]), tensor([0.2])) })),
      ),
    );
    const found = train(
      model,
      "--data",
      file("plane.csv"),
      "--optimizer",
      "gd",
      "--rate",
      "0.3",
      "--batch",
      "full",
      "--steps",
      "3000",
    );
    expect(found.trainLoss).toBeLessThan(1e-20);
    expect(found.testLoss).toBeLessThan(1e-20);
    expect(found.trainAccuracy).toBeNull();
  });

  it("takes integers as numbers when the loss is one for numbers, and -1 and 1 as classes else", async () => {
    const table = (name: string, y: (k: number) => number): string => {
      writeFileSync(
        file(name),
        ["a,y", ...Array.from({ length: 81 }, (_, k) => `${k / 10},${y(k)}`)].join("\n"),
      );
      return file(name);
    };
    const out = file("age.onnx");
    const words = ["--loss", "square", "--optimizer", "gd", "--rate", "0.03", "--steps", "4000"];
    const found = train(
      "1-1",
      "--data",
      table("age.csv", (k) => k),
      ...words,
      "--out",
      out,
    );
    expect(found.trainLoss).toBeLessThan(1e-4);
    const { y } = await run(readModel(readFileSync(out)), { x: tensor([[5]], { type: "float32" }) });
    expect(numbers(y!)[0]).toBeCloseTo(50, 1);
    const signs = table("signs.csv", (k) => (k < 40 ? -1 : 1));
    expect(
      train("1-8-tanh-1", "--data", signs, "--rate", "0.1", "--epochs", "100").trainAccuracy,
    ).toBeGreaterThan(0.95);
  });

  it("trains a network whose output has one axis, and inputs with slashes in their names", () => {
    const model = file("flat.onnx");
    writeFileSync(
      model,
      writeModel(
        graph({ "model/in:0": float64("N", 2) }, (inputs) => ({
          y: inputs["model/in:0"].affine(tensor([[0.1, 0.1]])).reshape([-1]),
        })),
      ),
    );
    const found = train(model, "--data", "two-moons", "--loss", "square", "--steps", "50");
    expect(found.trainLoss).toBeLessThan(1);
  });

  it("with --resume goes on with the log", () => {
    const [checkpoint, log] = [file("log.npz"), file("log.csv")];
    const words = [...moons, "--checkpoint", checkpoint, "--log", log];
    train(...words, "--steps", "20");
    const found = train(...words, "--steps", "50", "--resume");
    const steps = readFileSync(log, "utf8")
      .trim()
      .split("\n")
      .slice(1)
      .map((row) => Number(row.split(",")[0]));
    expect(steps).toEqual(Array.from({ length: 50 }, (_, k) => k + 1));
    expect(found.steps).toBe(50);
  });

  it.each([
    [["2-8-rleu-1", "--data", "circles"], /"2-8-rleu-1", character 5/],
    [["3-8-relu-1", "--data", "circles"], /an example is \[2\], but the network reads \[3\]/],
    [["2-8-relu-1", "--data", "circle"], /no data set "circle"; there are mnist/],
    [["2-8-relu-1", "--data", "circles", "--optimizer", "lion"], /--optimizer lion: choose one of gd/],
    [["2-8-relu-1", "--data", "circles", "--batch", "many"], /--batch many/],
    [["2-8-relu-1", "--data", "circles", "--out", "x.pt"], /must end in .onnx/],
    [["2-8-relu-1", "--data", "circles", "--loss", "cross-entropy"], /needs an output for each class/],
    [["2-8-relu-1", "--data", "circles", "--clip", "0"], /clipped to norm 0/],
    [
      ["2-8-relu-1", "--data", "circles", "--penalty", "darc2=1"],
      /--penalty darc2: choose one of darc, darc1/,
    ],
    [["2-8-relu-1", "--data", "circles", "--penalty", "darc1"], /a name and a number that is not negative/],
    [
      ["2-8-relu-1", "--data", "circles", "--penalty", "darc1=-1"],
      /a name and a number that is not negative/,
    ],
    [
      ["2-8-relu-1", "--data", "circles", "--patience", "2", "--test-fraction", "0"],
      /--patience needs test data/,
    ],
    [["2-8-relu-1", "--data", "circles", "--patience", "2", "--checkpoint", "c.npz"], /exclude each other/],
    [["nosuch.json", "--data", "circles"], /cannot read nosuch.json: there is no such file/],
    [["2-8-relu-1", "--data", "circles", "--resume"], /--resume needs --checkpoint/],
    [["784-8-relu-1", "--data", "mnist"], /mnist has 10 classes: the network needs as many outputs, not 1/],
    [["784-8-relu-5", "--data", "mnist"], /mnist has 10 classes, but the network has 5 outputs/],
  ])("says in one line what is wrong with %j", (words, message) => {
    const { status, stderr } = lemmata("train", ...words);
    expect(stderr).toMatch(message);
    expect(status).toBe(2);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });
});

describe("on MNIST", () => {
  it("five epochs of 784-256-256-10 reach 97.5 % on the test set", () => {
    const words = "--data mnist --loss cross-entropy --optimizer adam --epochs 5".split(" ");
    const { stdout } = spawnSync(process.execPath, [
      bin,
      "train",
      "784-256-relu-256-relu-10",
      ...words,
      "--json",
    ]);
    const found = JSON.parse(String(stdout)) as Summary;
    expect(found.steps).toBe(5 * 469);
    expect(found.testAccuracy).toBeGreaterThanOrEqual(0.975);
  }, 300_000);
});

describe("lemmata train with fewer connections", () => {
  const points = (...words: string[]) =>
    lemmata("train", "2-16-tanh-1", "--data", "two-moons", "--epochs", "2", "--count", "200", ...words);
  const zerosOf = (path: string): number[] => {
    const weight = readModel(readFileSync(path)).initializers.get("layer1.weight");
    return Array.from(numbers(weight as never), (v) => Number(v === 0));
  };

  it("--prune cuts in rounds, and --sparsity-graph takes the connections to another start", () => {
    const [ticket, redrawn] = [file("ticket.onnx"), file("redrawn.onnx")];
    const { status, json } = points("--prune", "0.75", "--prune-rounds", "2", "--out", ticket, "--json");
    expect(status).toBe(0);
    const { rounds } = json as { rounds: { sparsity: number; testAccuracy: number }[] };
    expect(rounds.map((r) => r.sparsity)).toEqual([0, 0.5, 0.75]);
    expect(zerosOf(ticket).filter((z) => z === 1).length).toBe(24);
    expect(points("--sparsity-graph", ticket, "--seed", "7", "--out", redrawn).status).toBe(0);
    expect(zerosOf(redrawn)).toEqual(zerosOf(ticket));
    expect(readFileSync(redrawn)).not.toEqual(readFileSync(ticket));
  });

  it("reads lists of inputs", () => {
    const [lists, out] = [file("lists.json"), file("listed.onnx")];
    const units = Array.from({ length: 16 }, (_, u) => [u % 2]);
    writeFileSync(lists, JSON.stringify({ "layer1.weight": units }));
    expect(points("--sparsity-graph", lists, "--out", out).status).toBe(0);
    expect(zerosOf(out)).toEqual(Array.from({ length: 32 }, (_, k) => Number(Math.floor(k / 16) !== k % 2)));
  });

  it("does not take the connections of a network whose weights have other names, with zeros or without", () => {
    const other = file("other.onnx");
    for (const value of [1, 0]) {
      const named = graph({ x: float64("N", 2) }, ({ x }) => ({ y: x.affine(tensor([[value, 1]])) }));
      writeFileSync(other, writeModel(named));
      const { status, stderr } = points("--sparsity-graph", other);
      expect(status).toBe(2);
      expect(stderr).toContain("none of its weights has a name of this network's");
    }
  });

  it.each([
    [["--prune", "1"], /between 0 and 1, not 1/],
    [["--prune-rounds", "2"], /need --prune SHARE/],
    [["--prune", "0.5", "--prune-by", "luck"], /choose one of magnitude, random/],
    [["--prune", "0.5", "--patience", "2"], /exclude each other/],
    [["--sparsity-graph", "graph.txt"], /an \.onnx, \.json or \.npz file/],
  ])("%j is refused in one line", (words, message) => {
    const { status, stderr } = points(...words);
    expect(status).toBe(2);
    expect(stderr).toMatch(message);
    expect(stderr.trim().split("\n").length).toBe(1);
  });
});
