// `lemmata landscape`: what it prints, draws, and refuses.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeModel } from "@lemmata/core/graph";
import { denseNetwork } from "@lemmata/core/train";
import { describe, expect, it } from "vitest";
import { lemmata, temporaryFolder } from "./lemmata.ts";

const folder = temporaryFolder();
const file = (name: string) => join(folder, name);
const relu = denseNetwork(
  [
    {
      W: [
        [1, 0.5],
        [-1, 2],
        [0.3, 1],
      ],
    },
    { W: [[1, -1, 0.5]] },
  ],
  "relu",
);
writeFileSync(file("net.onnx"), writeModel(relu));
const lines = Array.from({ length: 30 }, (_, k) => {
  const [a, b] = [Math.sin(k), Math.cos(3 * k)];
  return `${a},${b},${a - b * b}`;
});
writeFileSync(file("points.csv"), `a,b,y\n${lines.join("\n")}\n`);
const words = ["landscape", file("net.onnx"), "--data", file("points.csv"), "--loss", "square"];

interface Found {
  readonly loss: number;
  readonly gradientNorm: number;
  readonly hessian: {
    readonly min: number;
    readonly max: number;
    readonly trace: number;
    readonly negative: number;
    readonly density: readonly (readonly number[])[];
  };
  readonly kind: string;
}

describe("lemmata landscape", () => {
  it("prints one object", () => {
    const found: Found = lemmata(...words, "--json").json;
    const values = lines.map((line) => line.split(",").map(Number) as [number, number, number]);
    const each = values.map(([a, b, y]) => {
      const f = Math.max(0, a + 0.5 * b) - Math.max(0, 2 * b - a) + 0.5 * Math.max(0, 0.3 * a + b);
      return (f - y) ** 2;
    });
    expect(found.loss).toBeCloseTo(each.reduce((s, v) => s + v, 0) / 30, 6);
    expect(found.kind).toBe("not critical");
    expect(found.hessian.min).toBeLessThan(found.hessian.max);
    expect(found.hessian.density.length).toBeGreaterThan(10);
  });

  it("draws, and says what it wrote", () => {
    const { stdout, status } = lemmata(...words, "--svg", file("l.svg"), "--grid", "5", "--decay", "0.1");
    expect(status).toBe(0);
    expect(stdout).toMatch(/square loss \+ 0\.1\/2 \|w\|²/);
    expect(stdout).toMatch(/kind: not critical/);
    expect(readFileSync(file("l.svg"), "utf8")).toMatch(/^<svg/);
  });

  it.each([
    [["--svg", "picture.png"], /--svg/],
    [["--loss", "cubic"], /--loss/],
    [["--radius", "0"], /--radius is above 0/],
    [["--decay", "-1"], /decay is a number from 0 up/],
  ])("refuses %j", (more, message) => {
    const { status, stderr } = lemmata(...words, ...more);
    expect(status).toBe(2);
    expect(stderr).toMatch(message);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });

  it("goes from one network to another", () => {
    const twin = denseNetwork(
      [
        {
          W: [
            [0.3, 1],
            [-1, 2],
            [1, 0.5],
          ],
        },
        { W: [[0.5, -1, 1]] },
      ],
      "relu",
    );
    writeFileSync(file("twin.onnx"), writeModel(twin));
    const [command, net, ...rest] = words as [string, string, ...string[]];
    const ways = [command, net, file("twin.onnx"), ...rest, "--curve-steps", "300"];
    interface Ways {
      readonly barrier: Readonly<Record<"line" | "aligned" | "curve" | "constructive", number>>;
      readonly certificate: { readonly barrier: number };
      readonly ends: readonly [number, number];
      readonly profiles: { readonly line: readonly (readonly [number, number])[] };
    }
    const { barrier, certificate, ends, profiles }: Ways = lemmata(...ways, "--json").json;
    const alone: Found = lemmata(...words, "--json").json;
    expect(ends[0]).toBeCloseTo(alone.loss, 6);
    expect(ends[1]).toBeCloseTo(ends[0], 6);
    expect(barrier.aligned).toBe(0);
    expect(barrier.line).toBeGreaterThan(0);
    expect(barrier.curve).toBeLessThan(barrier.line);
    expect(barrier.constructive).toBeLessThanOrEqual(certificate.barrier);
    // Halfway the first and third neuron are both (0.65, 0.75), with outputs of 0.75.
    const half = lines.map((line) => {
      const [a, b, y] = line.split(",").map(Number) as [number, number, number];
      return (1.5 * Math.max(0, 0.65 * a + 0.75 * b) - Math.max(0, 2 * b - a) - y) ** 2;
    });
    expect(profiles.line[20]![1]).toBeCloseTo(half.reduce((s, v) => s + v, 0) / 30, 6);
    const { stdout } = lemmata(...ways, "--svg", file("ways.svg"));
    expect(stdout).toMatch(/straight line/);
    expect(stdout).toMatch(/no place is above/);
    expect(readFileSync(file("ways.svg"), "utf8")).toMatch(/^<svg/);
    expect(lemmata(...ways, "--certify", "--decay", "1").stderr).toMatch(/--certify is for one network/);
  });

  it("needs data", () => {
    expect(lemmata("landscape", file("net.onnx")).stderr).toMatch(/--data/);
  });
});
