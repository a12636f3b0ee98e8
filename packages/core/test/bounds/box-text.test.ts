import { describe, expect, it } from "vitest";
import { inputBox, parseIntervals } from "../../src/bounds/box-text.ts";
import { float64, graph, int64 } from "../../src/graph/builder.ts";
import { GraphError } from "../../src/graph/error.ts";

const net = graph({ x: float64(1), Z: float64(2, 2) }, ({ x, Z }) => ({ y: Z.add(x) }));

describe("a box as people write it", () => {
  it("has entries in their order", () => {
    expect(parseIntervals("0..1, x=-2, Z[0,1]=3..4")).toEqual([
      { name: undefined, lower: 0, upper: 1 },
      { name: "x", lower: -2, upper: -2 },
      { name: "Z[0,1]", lower: 3, upper: 4 },
    ]);
  });

  it("is flat over all inputs; names override the default wherever they stand", () => {
    const { names, lower, upper } = inputBox(net, "Z[1,0]=5, 0..1, x4=7..8");
    expect(names).toEqual(["x", "Z[0]", "Z[1]", "Z[2]", "Z[3]"]);
    expect([...lower]).toEqual([0, 0, 0, 5, 7]);
    expect([...upper]).toEqual([1, 1, 1, 5, 8]);
  });

  it.each([
    ["", /^the box "": write/],
    ["1..0", /1 is greater than 0/],
    ["x=0..1..2", /write name=lower\.\.upper/],
    ["0..1, 2", /the default is given twice/],
    ["x=1", /^the box says nothing of Z\[0\], Z\[1\]/],
    ["0..1, w=1", /no input "w"; its inputs: x, Z\[0\]/],
    ["0..1, Z[2,0]=1", /outside the shape \[2, 2\]/],
    ["nan..1", /write name/],
  ])("%j is refused in one line", (text, message) => {
    expect(() => inputBox(net, text)).toThrow(GraphError);
    expect(() => inputBox(net, text)).toThrow(message);
  });

  it("of one number has one short name", () => {
    const one = graph({ z: float64(1) }, ({ z }) => ({ y: z.exp() }));
    expect(() => inputBox(one, "w=1")).toThrow(/its inputs: z \(also x0\)$/);
  });

  it("is of floating-point inputs", () => {
    const words = graph({ ids: int64("N", 3) }, ({ ids }) => ({ y: ids.op("Cast", [], { to: 1 }) }));
    expect(() => inputBox(words, "0..1")).toThrow(
      'input "ids" holds int64, and only floating-point inputs can vary in a box',
    );
  });

  it("says who wrote it", () => {
    expect(() => inputBox(net, "1..0", "--on")).toThrow(/^--on "1\.\.0"/);
  });
});
