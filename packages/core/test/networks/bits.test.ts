import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";
import { bits } from "../../src/networks/bits.ts";
import { sizes } from "../../src/passes/sizes.ts";

const read = async (network: ReturnType<typeof bits>, x: number) => [
  ...numbers((await run(network, { x: tensor([[x]]) })).y!),
];

describe("bit extraction", () => {
  it("reads the digits of numbers that keep the guard", async () => {
    const guard = 2 ** -20;
    const network = bits(8, { guard });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 255 }),
        fc.double({ min: guard, max: 2 ** -8 - guard, noNaN: true }),
        async (code, rest) => {
          const digits = [...code.toString(2).padStart(8, "0")].map(Number);
          // The ramps multiply the rounding of x by 1 / guard.
          (await read(network, code / 256 + rest)).forEach((digit, i) => {
            expect(digit).toBeCloseTo(digits[i]!, 8);
          });
        },
      ),
      { numRuns: 60 },
    );
  });

  it("gives digits between 0 and 1 everywhere", async () => {
    const x = Float64Array.from({ length: 1001 }, (_, k) => k / 1000);
    const { y } = await run(bits(5), { x: tensor(x, { dims: [1001, 1] }) });
    expect(numbers(y!).every((d) => d >= 0 && d <= 1)).toBe(true);
  });

  it("gives the Gray code when asked", async () => {
    expect(await read(bits(4, { code: "gray" }), 11.5 / 16)).toEqual([1, 1, 1, 0]); // 1011 is 1110 in Gray code
  });

  it("has the widths that carrying digits takes", () => {
    expect(sizes(bits(1)).widths).toEqual([2]);
    expect(sizes(bits(4)).widths).toEqual([3, 4, 6, 6, 5]);
    expect(sizes(bits(4, { code: "gray" })).widths).toEqual([3, 4, 5, 5]);
  });

  it("refuses a guard that leaves no room", () => {
    expect(() => bits(3, { guard: 0.1 })).toThrow(/a guard of 0.1; .* at most 2\^-4/);
    expect(() => bits(3, { guard: 0 })).toThrow(/positive/);
  });
});
