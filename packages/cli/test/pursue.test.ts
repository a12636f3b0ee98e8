import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readNpz, writeNpy } from "@lemmata/core/data";
import { run } from "@lemmata/core/engine";
import { numbers, readModel, tensor } from "@lemmata/core/graph";
import { createRandom } from "@lemmata/core/numbers";
import { describe, expect, it } from "vitest";
import { lemmata, temporaryFolder } from "./lemmata.ts";

const folder = temporaryFolder();
const file = (name: string): string => join(folder, name);
const random = createRandom("pursue");
const write = (name: string, dims: readonly number[], data: Float64Array): void =>
  writeFileSync(file(name), writeNpy(tensor(data, { type: "float64", dims: [...dims] })));
const [first, second, signals] = [random.normal(8 * 12), random.normal(12 * 16), random.normal(2 * 8)];
write("D.npy", [8, 12], first);
write("D2.npy", [12, 16], second);
write("y.npy", [8], signals.slice(0, 8));
write("Y.npy", [2, 8], signals);

interface Report {
  readonly objective: number;
  readonly residual: number;
  readonly dualityGap: number;
  readonly support: readonly number[];
  readonly uniqueness: { readonly certified: boolean; readonly reason: string };
}

const pursue = (...words: string[]) => lemmata("pursue", ...words);

describe("lemmata pursue", () => {
  it("finds a code within its duality gap of the least objective", () => {
    const found: Report = pursue(
      ...[file("y.npy"), "--dictionary", file("D.npy"), "--lambda", "0.5", "--out", file("c.npz"), "--json"],
    ).json;
    const x = [...numbers(readNpz(readFileSync(file("c.npz"))).x1!)].map(Number);
    const residual = Array.from({ length: 8 }, (_, i) =>
      x.reduce((left, v, j) => left - v * first[12 * i + j]!, signals[i]!),
    );
    const square = residual.reduce((s, v) => s + v * v, 0);
    expect(found.objective).toBeCloseTo(square / 2 + 0.5 * x.reduce((s, v) => s + Math.abs(v), 0), 12);
    expect(found.residual).toBeCloseTo(Math.sqrt(square), 12);
    expect(found.dualityGap).toBeLessThan(1e-10);
    expect(found.support).toEqual(x.flatMap((v, j) => (v === 0 ? [] : [j])));
    // |D^T r| is 1/2 on the support, and less elsewhere.
    x.forEach((v, j) => {
      const c = residual.reduce((s, r, i) => s + r * first[12 * i + j]!, 0);
      if (v === 0) expect(Math.abs(c)).toBeLessThan(0.5 + 1e-5);
      else expect(c).toBeCloseTo(0.5 * Math.sign(v), 5);
    });
  });

  it("writes iterations as a network that gives the same codes", async () => {
    const words = ["--dictionary", file("D.npy"), "--dictionary", file("D2.npy"), "--lambda", "0.2,0.1"];
    for (const method of ["ml-ista", "ml-fista", "forward"]) {
      const more = method === "forward" ? [] : ["--iterations", "7"];
      pursue(
        ...[file("Y.npy"), ...words, "--method", method, ...more, "--nonnegative"],
        ...["--out", file("c.npz"), "--graph", file("u.onnx")],
      );
      const codes = readNpz(readFileSync(file("c.npz")));
      const found = await run(readModel(readFileSync(file("u.onnx"))), {
        y: tensor(signals, { type: "float64", dims: [2, 8] }),
      });
      for (const name of ["x1", "x2"]) {
        const [ours, theirs] = [numbers(codes[name]!), numbers(found[name]!)];
        expect(ours.length).toBe(theirs.length);
        for (let k = 0; k < ours.length; k++) expect(Number(ours[k])).toBeCloseTo(Number(theirs[k]), 12);
      }
    }
  });

  it("certifies a code with fewer nonzeros than half the spark", () => {
    const { uniqueness, support }: Report = pursue(
      ...[file("y.npy"), "--dictionary", file("D.npy"), "--sparsity", "2", "--json"],
    ).json;
    expect(support).toHaveLength(2);
    // Eight normal numbers: nine atoms depend on each other, eight do not.
    expect(uniqueness).toEqual({
      certified: true,
      reason:
        "2 nonzeros are fewer than half the spark, which is at least 9: no other code of D x is so sparse",
    });
  });

  it("says in one line what is wrong", () => {
    const wrong = (...words: string[]): string => {
      const { status, stderr } = pursue(...words);
      expect(status).toBe(2);
      return stderr.trim();
    };
    const ours = [file("y.npy"), "--dictionary", file("D.npy")];
    expect(wrong(...ours, "--graph", file("g.onnx"))).toMatch(/^lemmata: --graph needs --lambda/);
    expect(wrong(...ours, "--lambda", "0")).toMatch(/--lambda is a positive number, not 0/);
    expect(wrong(...ours, "--method", "omp")).toMatch(/--method omp needs --sparsity/);
    expect(wrong(...ours, "--method", "magic", "--lambda", "1")).toMatch(/--method is one of lasso, omp/);
    expect(wrong(file("y.npy"), "--dictionary", file("D2.npy"), "--lambda", "1")).toMatch(
      /signals of 8 numbers, but the dictionary's atoms have 12/,
    );
    expect(wrong(...ours, "--sparsity", "2", "--graph", file("g.onnx"))).toMatch(/--graph is there for/);
    write(
      "nan.npy",
      [8],
      Float64Array.from({ length: 8 }, () => Number.NaN),
    );
    expect(wrong(file("nan.npy"), "--dictionary", file("D.npy"), "--lambda", "1")).toMatch(/number 0 is NaN/);
  });
});

describe("lemmata pursue in layers, and along a path", () => {
  it("says how far iterations are from the least objective, and what lies between the codes", () => {
    const words = ["--dictionary", file("D.npy"), "--dictionary", file("D2.npy"), "--lambda", "0.2"];
    const least = pursue(file("y.npy"), ...words, "--method", "ml-bp", "--json").json as Report;
    const near = pursue(file("y.npy"), ...words, "--json").json as Report & {
      readonly between: readonly number[];
    };
    expect(least.dualityGap).toBeLessThan(1e-6);
    expect(near.objective).toBeGreaterThanOrEqual(least.objective - least.dualityGap);
    expect(near.objective - near.dualityGap).toBeLessThanOrEqual(least.objective + 1e-9);
    expect(near.between[0]).toBeLessThan(1e-12);
  });

  it("holistic and projection take a sparsity for each layer", () => {
    const words = [file("y.npy"), "--dictionary", file("D.npy"), "--dictionary", file("D2.npy")];
    for (const method of ["holistic", "projection"]) {
      const { sparsities } = pursue(...words, "--method", method, "--sparsity", "11,4", "--json").json as {
        sparsities: number[];
      };
      expect(sparsities[0]).toBeLessThanOrEqual(11);
      expect(sparsities[1]).toBeLessThanOrEqual(4);
    }
    expect(pursue(...words, "--method", "holistic", "--sparsity", "3").stderr).toBe(
      "lemmata: --sparsity has 1 numbers for 2 dictionaries\n",
    );
  });

  it("a path ends where --lambda says, with the code of that lambda", () => {
    const words = [file("y.npy"), "--dictionary", file("D.npy"), "--lambda", "0.5", "--json"];
    const { path } = pursue(...words, "--path", "4").json as {
      path: { lambda: number; objective: number; sparsity: number }[];
    };
    expect(path).toHaveLength(4);
    expect(path[0]!.sparsity).toBe(0);
    expect(path[3]!.lambda).toBeCloseTo(0.5, 12);
    expect(path[3]!.objective).toBeCloseTo((pursue(...words).json as Report).objective, 9);
  });

  it("takes filters for all places of a periodic signal, as their atoms one by one", () => {
    const taps = [1, -0.5, 0.25, 0.3, 0.7, -0.2];
    write("F.npy", [2, 1, 3], Float64Array.from(taps));
    const atoms = new Float64Array(8 * 16);
    for (let f = 0; f < 2; f++)
      for (let at = 0; at < 8; at++)
        for (let k = 0; k < 3; k++) atoms[((at + k) % 8) * 16 + 8 * f + at]! += taps[3 * f + k]!;
    write("FD.npy", [8, 16], atoms);
    const [filters, matrix] = ["F.npy", "FD.npy"].map(
      (name) => pursue(file("y.npy"), "--dictionary", file(name), "--lambda", "0.3", "--json").json as Report,
    ) as [Report, Report];
    expect(filters.objective).toBeCloseTo(matrix.objective, 10);
    expect(filters.support).toEqual(matrix.support);
    write("F9.npy", [2, 1, 9], new Float64Array(18));
    expect(pursue(file("y.npy"), "--dictionary", file("F9.npy")).status).toBe(2);
  });

  it("certifies codes in layers where Theorem 7.1 does", () => {
    const unit = (n: number) => Float64Array.from({ length: n * n }, (_, k) => Number(k % (n + 1) === 0));
    write("I8.npy", [8, 8], unit(8));
    write("e.npy", [8], Float64Array.of(0, 2, 0, 0, 0, 0, 0, 0));
    const words = ["--dictionary", file("I8.npy"), "--dictionary", file("I8.npy")];
    const { uniqueness } = pursue(
      file("e.npy"),
      ...words,
      "--method",
      "projection",
      "--sparsity",
      "1,1",
      "--json",
    ).json as Report;
    expect(uniqueness.certified).toBe(true);
  });
});
