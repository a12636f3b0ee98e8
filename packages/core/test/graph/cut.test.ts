// A part of a graph computes what the whole computes there; bounds from the inside of a network hold for it.
import { describe, expect, it } from "vitest";
import { boxAround } from "../../src/bounds/box-text.ts";
import { linearBounds } from "../../src/bounds/index.ts";
import { run } from "../../src/engine/index.ts";
import { float64, graph } from "../../src/graph/builder.ts";
import { endingAt, startingFrom } from "../../src/graph/cut.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";
import { createRandom } from "../../src/numbers/random.ts";

const random = createRandom("cut");
const table = tensor(random.normal(7 * 4), { type: "float64", dims: [7, 4] });
const weight = tensor(random.normal(4 * 3), { type: "float64", dims: [4, 3] });
const tokens = graph({ ids: { type: "int64", shape: [5] }, shift: float64(3) }, ({ ids, shift }) => {
  const rows = ids.builder.lift(table, "float64").op("Gather", [ids]);
  return {
    y: rows
      .op("MatMul", [ids.builder.lift(weight, "float64")])
      .op("Relu")
      .add(shift),
  };
});
const embedded = tokens.nodes.find(({ op }) => op === "Gather")!.outputs[0]!;
const data = { ids: tensor([0, 3, 6, 3, 1], { type: "int64" }), shift: tensor([1, 2, 3]) };

describe("parts of a graph", () => {
  it("end at a value and start from it again", async () => {
    const { y } = await run(tokens, data);
    const inside = await run(endingAt(tokens, [embedded]), data);
    const rest = startingFrom(tokens, [embedded]);
    expect(rest.inputs.map(({ name }) => name)).toEqual([embedded, "shift"]);
    const again = await run(rest, { [embedded]: inside[embedded]!, shift: data.shift });
    expect(again.y!.data).toEqual(y!.data);
  });

  it("have bounds that hold for all numbers near an embedding", async () => {
    const inside = await run(endingAt(tokens, [embedded]), data);
    const rest = startingFrom(tokens, [embedded]);
    const radius = 0.2;
    const values = { [embedded]: inside[embedded]!, shift: data.shift };
    const box = boxAround(rest, (name) => ({
      data: numbers(values[name]!) as Float64Array,
      radius: name === embedded ? radius : 0,
    }));
    const { lower, upper } = await linearBounds(rest, box);
    for (let trial = 0; trial < 200; trial++) {
      const moved = (numbers(values[embedded]!) as Float64Array).map(
        (v) => v + radius * (random.uniform() < 0.5 ? -1 : 1),
      );
      const { y } = await run(rest, {
        ...values,
        [embedded]: tensor(moved, { type: "float64", dims: [5, 4] }),
      });
      (numbers(y!) as Float64Array).forEach((v, k) => {
        expect(v).toBeGreaterThanOrEqual(lower[k]! - 1e-12);
        expect(v).toBeLessThanOrEqual(upper[k]! + 1e-12);
      });
    }
  });

  it("are refused for what is not there or not needed", () => {
    expect(() => startingFrom(tokens, ["z"])).toThrow(
      `the model computes no value "z"; its embeddings: "${embedded}"`,
    );
    expect(() => startingFrom(tokens, ["ids"])).toThrow('the model computes no value "ids"');
    const relu = tokens.nodes.find(({ op }) => op === "Relu")!.outputs[0]!;
    expect(() => startingFrom(tokens, [embedded, relu])).toThrow(`no output needs the value "${embedded}"`);
  });
});
