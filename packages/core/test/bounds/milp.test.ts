import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, expect, it } from "vitest";
import { linearBounds } from "../../src/bounds/linear.ts";
import { type MilpSolver, milpBounds } from "../../src/bounds/milp.ts";
import { splitBounds } from "../../src/bounds/split.ts";
import { randomLayers, relu } from "../passes/regions-networks.ts";
import { randomNetwork } from "./linear-bounds-networks.ts";

const folder = new URL("../../../../node_modules/highs", import.meta.url).pathname;
const missing = !existsSync(folder);
if (missing) console.warn("tests of mixed-integer programs left out: highs is not installed");

type Highs = { solve(problem: string, options: object): ReturnType<MilpSolver> };

/** HiGHS, to the optimum. */
async function solver(): Promise<MilpSolver> {
  const load = createRequire(import.meta.url)(folder) as () => Promise<Highs>;
  const highs = await load();
  return (problem) => highs.solve(problem, { mip_rel_gap: 0, mip_abs_gap: 1e-9 });
}

describe.skipIf(missing)("bounds by mixed-integer programs", () => {
  it.each([["Relu"], ["Abs"], ["Max"], ["LeakyRelu, concave"], ["MaxPool"]])(
    "agree with branch and bound: %s",
    async (name) => {
      const net =
        name === "Relu" ? relu(randomLayers("milp", [3, 8, 8, 2])) : randomNetwork(`milp/${name}`, [name]);
      const count = name === "Relu" ? 3 : 6;
      const box = { lower: new Float64Array(count).fill(-0.3), upper: new Float64Array(count).fill(0.4) };
      const [exact, split] = [
        await milpBounds(net, box, await solver()),
        await splitBounds(net, box, { tolerance: 1e-4 }),
      ];
      expect(split.complete).toBe(true);
      exact.lower.forEach((l, k) => {
        const near = 3e-4 * (1 + Math.abs(l)); // of the tolerance, and 1e-6 of the solver
        expect(Math.abs(l - split.lower[k]!)).toBeLessThan(near);
        expect(Math.abs(exact.upper[k]! - split.upper[k]!)).toBeLessThan(
          3e-4 * (1 + Math.abs(exact.upper[k]!)),
        );
      });
    },
    60_000,
  );

  it("when the time is over: linear bounds, and not complete; failures of the solver are told", async () => {
    const net = relu(randomLayers("milp", [3, 8, 8, 2]));
    const box = { lower: [-1, -1, -1], upper: [1, 1, 1] };
    const late = await milpBounds(net, box, () => ({ Status: "Time limit reached", ObjectiveValue: 0 }));
    expect(late).toEqual({ ...linearBounds(net, box), complete: false });
    expect((await milpBounds(net, box, await solver(), { seconds: 0 })).complete).toBe(false);
    const broken = () => {
      throw new Error("out of luck");
    };
    await expect(milpBounds(net, box, broken)).rejects.toThrow(
      "the mixed-integer solver failed: out of luck",
    );
  });

  it("names what is not piecewise linear", async () => {
    const box = { lower: new Float64Array(6), upper: new Float64Array(6).fill(1) };
    await expect(milpBounds(randomNetwork(1, ["Tanh"]), box, await solver())).rejects.toThrow(
      /Tanh node .* piecewise linear/,
    );
  });
});
