// What every command that takes a model must know: half precision, open sizes, several outputs.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Graph, graph, type NumericType, tensor, writeModel } from "@lemmata/core/graph";
import { afterAll, describe, expect, it } from "vitest";
import { createProgram } from "../src/program.ts";
import { Worker } from "./fuzz/crew.ts";
import { bench, everyCommand } from "./fuzz/every-command.ts";

const tools = bench(mkdtempSync(join(tmpdir(), "lemmata-every-")));
const folder = dirname(tools.out);
const worker = new Worker();
afterAll(async () => {
  await worker.stop();
  rmSync(folder, { recursive: true });
});

const written = (name: string, model: Graph): string => {
  const path = join(folder, `${name}.onnx`);
  writeFileSync(path, writeModel(model));
  return path;
};
const asked = async (...words: string[]) => {
  const trial = await worker.try(...words);
  if (trial.kind !== "finding") throw new Error(`${trial.kind}: ${trial.reason}`);
  return trial.finding.outcome;
};

/** Weights are multiples of 1/8: half precision holds them. */
const layers = (type: NumericType, bends = true): Graph =>
  graph({ x: { type, shape: ["N", 2] } }, ({ x }) => {
    const hidden = x.affine(
      tensor(
        [
          [1, -0.5],
          [0.25, 2],
          [-1, 1],
        ],
        { type },
      ),
      tensor([0.5, 0, -0.125], { type }),
    );
    return {
      y: (bends ? hidden.relu() : hidden).affine(tensor([[1, -2, 0.5]], { type }), tensor([0.25], { type })),
    };
  });

/** They ask for a model of their own; none has this certificate. */
const special = new Set(["recover by an operator", "recover by a generator", "verify a certificate"]);

describe.each(["float16", "bfloat16"] as const)("a model in %s", (type) => {
  const path = written(type, layers(type));
  it.each(Object.entries(everyCommand(path, tools)).filter(([name]) => !special.has(name)))(
    "%s",
    async (_, words) => {
      const { exitCode, stdout, stderr } = await asked(...words);
      // Sampling and the time limit may leave a question open: 3.
      expect([0, 1, 3], stderr).toContain(exitCode);
      expect(() => JSON.parse(stdout)).not.toThrow();
    },
  );

  it("a linear one, as measurements", async () => {
    const linear = written(
      `${type}-linear`,
      graph({ x: { type, shape: [1, 2] } }, ({ x }) => ({
        y: x.matmul(
          tensor(
            [
              [1, 0.5],
              [-0.5, 2],
            ],
            { type },
          ),
        ),
      })),
    );
    const { exitCode, stderr } = await asked(...everyCommand(linear, tools)["recover by an operator"]!);
    expect(exitCode, stderr).toBe(0);
  });

  it("one that makes signals", async () => {
    const generator = written(
      `${type}-generator`,
      graph({ z: { type, shape: ["N", 1] } }, ({ z }) => ({
        y: z.affine(tensor([[1], [-0.5]], { type }), tensor([0.25, 0], { type })).relu(),
      })),
    );
    const { exitCode, stderr } = await asked(...everyCommand(generator, tools)["recover by a generator"]!);
    expect(exitCode, stderr).toBe(0);
  });

  it("is the function of its numbers", async () => {
    const { stdout } = await asked("bound", path, "--on", "x0=0.5, x1=0.25", "--json");
    const [{ lower, upper }] = (JSON.parse(stdout) as { outputs: [{ lower: number; upper: number }] })
      .outputs;
    // relu(0.5 - 0.125 + 0.5) - 2 relu(0.125 + 0.5) + 0.5 relu(-0.5 + 0.25 - 0.125) + 0.25
    expect(lower).toBeLessThanOrEqual(-0.125);
    expect(upper).toBeGreaterThanOrEqual(-0.125);
    expect(upper - lower).toBeLessThan(1e-9);
  });
});

describe("open sizes and several outputs", () => {
  const type = "float32";
  const two = written(
    "two",
    graph({ x: { type, shape: ["N", 2] } }, ({ x }) => ({
      sum: x.affine(tensor([[1, 1]], { type })).relu(),
      difference: x.affine(tensor([[1, -1]], { type })).relu(),
    })),
  );
  const both = ["--output", "difference", "--shape", "x:1,2"];
  const commands = Object.entries(everyCommand(two, tools));
  const takes = (name: string, option: string): boolean =>
    createProgram()
      .commands.find((command) => command.name() === name)!
      .options.some(({ long }) => long === option);

  it("commands that compute with a model have the options", () => {
    const lacking = (option: string) => [
      ...new Set(commands.map(([, [name]]) => name!).filter((name) => !takes(name, option))),
    ];
    // info speaks of all outputs; measurements and generators have one; the kernel counts outputs, and --shape of recover is a signal's; a simplified model keeps all.
    expect(lacking("--output")).toEqual(["info", "simplify", "recover"]);
    expect(lacking("--shape")).toEqual(["kernel"]);
  });

  it.each(["bound", "compare", "gradient", "explain", "verify", "align", "audit", "landscape", "train"])(
    "%s",
    async (name) => {
      const words = everyCommand(two, tools)[name]!;
      const { exitCode, stderr } = await asked(
        ...words,
        ...(name === "audit" || name === "landscape" || name === "train" ? both.slice(0, 2) : both),
      );
      expect([0, 1, 3], stderr).toContain(exitCode);
      const unknown = await asked(...words, "--output", "product");
      expect(unknown.exitCode).toBe(2);
      expect(unknown.stderr).toMatch(
        /no (floating-point )?output "product"; (its outputs are "sum", "difference"|there are sum, difference)/,
      );
      const shape = await asked(...words, "--shape", "z:1,2");
      expect(shape.exitCode).toBe(2);
      expect(shape.stderr).toContain('the model has no input "z"; its inputs are "x"');
    },
  );

  it("verify: a query speaks of the outputs that are meant", async () => {
    const query = join(folder, "difference.vnnlib");
    const text = (value: number) =>
      `(declare-const X_0 Real)(declare-const X_1 Real)(declare-const Y_0 Real)
       (assert (and (>= X_0 0) (<= X_0 1) (>= X_1 0) (<= X_1 1) (>= Y_0 ${value})))`;
    writeFileSync(query, text(1.5));
    const verdict = async (output: string) =>
      (await asked("verify", query, "--network", two, "--output", output, "--timeout", "5")).stdout.split(
        "\n",
      )[0];
    expect([await verdict("difference"), await verdict("sum")]).toEqual(["unsat", "sat"]);
  });
});
