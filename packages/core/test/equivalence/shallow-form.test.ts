// The normal form is for one layer of bends: units that read others through a bend have none.
import { expect, it } from "vitest";
import { networkOf } from "../../src/bounds/linear.ts";
import { shallowForm } from "../../src/equivalence/compare/shallow-form.ts";
import type { Layer } from "../../src/networks/layers/layered.ts";
import { layer, network } from "../../src/networks/layers/layers.ts";

const formOf = (...layers: Layer[]) => shallowForm(networkOf(network(layers)));

it("one hidden layer has a form", () => {
  expect(formOf(layer([[1], [2]], [1, -1]), layer([[1, 1]]))!.ridges.size).toBe(2);
});

it("two hidden layers have none, however few weights join them", () => {
  expect(formOf(layer([[1]], [1]), layer([[2]], [-1]), layer([[1]]))).toBeUndefined();
  const joined = layer([
    [0, 0],
    [0, 3],
  ]);
  expect(formOf(layer([[1], [2]], [1, -1]), joined, layer([[1, 1]]))).toBeUndefined();
});
