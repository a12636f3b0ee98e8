// Witnesses on bounds that are written with many digits, and inputs that no run can have.
import { describe, expect, it } from "vitest";
import { exactDecimal } from "../../../src/bounds/query/linear.ts";
import { type VerifyOptions, verifyQuery } from "../../../src/bounds/query/verify.ts";
import { parseVnnlib } from "../../../src/bounds/query/vnnlib.ts";
import { float32, float64, graph } from "../../../src/graph/builder.ts";
import { compare, div } from "../../../src/numbers/exact/rational.ts";

/** x0 + x1. */
const sum = graph({ X: float32(1, 2) }, ({ X }) => ({ y: X.matmul([[1], [1]]) }));
const doubleSum = graph({ X: float64(1, 2) }, ({ X }) => ({ y: X.matmul([[1], [1]]) }));
const declarations = "(declare-const X_0 Real) (declare-const X_1 Real) (declare-const Y_0 Real)";
const between = (lower: string, upper: string): string =>
  [0, 1].map((i) => `(assert (>= X_${i} ${lower})) (assert (<= X_${i} ${upper}))`).join(" ");
const asked = (text: string, options: VerifyOptions = {}, net = sum) =>
  verifyQuery(parseVnnlib(`${declarations} ${text}`), new Map([["", net]]), options);
const at = (found: Awaited<ReturnType<typeof asked>>, name: string): number =>
  found.witness!.find((w) => w.name === name)!.value;

describe("a query whose only points lie on its bounds", () => {
  // Decimals of 17 digits of float32 numbers: on one side of them or on the other.
  const uppers = [0.05, 0.3, 0.7, 1.1, 3.3].map((x) => Math.fround(x).toPrecision(17));
  it.each(uppers)("sat at the upper bound %s of both inputs", async (upper) => {
    const greatest = Number(upper);
    const inside = compare(greatest, exactDecimal(upper)!) <= 0;
    // What the greatest float32 inside gives: less than that many steps below 2 * upper is only had there.
    const found = await asked(
      `${between("0", upper)} (assert (>= Y_0 ${2 * greatest - (inside ? 1e-15 : 2 ** -21)}))`,
    );
    expect(found.verdict).toBe("sat");
    for (const name of ["X_0", "X_1"]) {
      expect(compare(at(found, name), exactDecimal(upper)!)).toBeLessThanOrEqual(0);
      expect(greatest - at(found, name)).toBeLessThanOrEqual(2 ** -21);
    }
  });

  it("strict bounds are kept", async () => {
    const inside = between("0", "1").replaceAll("<=", "<");
    const found = await asked(`${inside} (assert (>= Y_0 1.9999998))`);
    expect(found.verdict).toBe("sat");
    expect(at(found, "X_0")).toBeLessThan(1);
    expect((await asked(`${between("1", "1").replaceAll("<=", "<")}`)).reason).toMatch(/^trivially/);
  });

  it("doubles too: 0.3 is no double, and the nearest is below it", async () => {
    const found = await asked(`${between("0.1", "0.3")} (assert (>= Y_0 0.59999999999999))`, {}, doubleSum);
    expect(found.verdict).toBe("sat");
    expect(compare(at(found, "X_0"), div(3, 10))).toBeLessThanOrEqual(0);
  });
});

describe("inputs that the query fixes at what is no number of their type", () => {
  const fixed = `${between("0", "1")} (assert (== X_0 0.1)) (assert (>= Y_0 0.6))`;

  it("are told at once; a witness needs the tolerance that is named", async () => {
    const remarks: string[] = [];
    const found = await asked(fixed, { onRemark: (text) => remarks.push(text) });
    expect(found.verdict).toBe("unknown");
    expect(remarks).toHaveLength(1);
    expect(remarks[0]).toMatch(
      /^the query fixes X_0 at 0\.1, which is no float32: no run can have it; --tolerance 1\.5e-9 /,
    );
    expect(found.reason).toContain("there the query holds on ONNX Runtime");
    expect((await asked(fixed, { tolerance: 1.4e-9 })).verdict).toBe("unknown");
    const allowed = await asked(fixed, { tolerance: 1.5e-9 });
    expect(allowed).toMatchObject({ verdict: "sat", strength: "checked", outside: 1.5e-9 });
    expect(at(allowed, "X_0")).toBe(Math.fround(0.1));
  });

  it("the tolerance is for them alone: other inputs stay in their bounds, outputs keep theirs", async () => {
    const found = await asked(`${between("0", "0.5")} (assert (== X_0 0.1)) (assert (>= Y_0 0.5))`, {
      tolerance: 1e-2,
    });
    expect(at(found, "X_1")).toBeLessThanOrEqual(0.5);
    const above = await asked(`${between("0", "0.5")} (assert (== X_0 0.1)) (assert (>= Y_0 0.605))`, {
      tolerance: 1e-2,
    });
    expect(above.verdict).toBe("unsat");
  });

  it("unsat is proved all the same", async () => {
    expect(await asked(fixed.replace("0.6", "1.2"))).toMatchObject({ verdict: "unsat", strength: "proved" });
  });

  it("no number of the type between two bounds", async () => {
    const { reason } = await asked(
      `${between("0", "1")} (assert (and (>= X_0 0.1) (<= X_0 0.100000001))) (assert (>= Y_0 0.5))`,
    );
    expect(reason).toMatch(/^no float32 lies between the bounds of X_0: /);
  });
});

describe("the reason is the true one", () => {
  it("the time was over", async () => {
    const found = await asked(`${between("0", "1")} (assert (>= Y_0 3))`, { seconds: -1 });
    // So small a query may be decided before anybody looks at the clock.
    if (found.verdict === "timed-out") expect(found.reason).toMatch(/^the time was over /);
    else expect(found.verdict).toBe("unsat");
  });

  it("a run misses by its rounding", async () => {
    // Real: y = x0 + x1 + 1e-9; in float32 the last sum rounds that away. Only there is Y > X_0 + X_1.
    const net = graph({ X: float32(1, 2) }, ({ X }) => ({ y: X.matmul([[1], [1]]).add(1e-9) }));
    const found = await asked("(assert (== X_0 1)) (assert (== X_1 1)) (assert (> Y_0 2))", {}, net);
    expect(found.verdict).toBe("unknown");
    expect(found.reason).toMatch(
      /1 point that satisfied it in double precision did not on ONNX Runtime, by 0 or more/,
    );
  });
});
