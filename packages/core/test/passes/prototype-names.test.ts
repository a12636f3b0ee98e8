// Operators with names that every object has: no table mistakes them for one of its own.
import { describe, expect, it } from "vitest";
import { linearBounds, lipschitzBoundsInTime, splitBounds } from "../../src/bounds/index.ts";
import { canonicalForm, compareNetworks, simplify, symmetryGroup } from "../../src/equivalence/index.ts";
import { ReadableError } from "../../src/graph/error.ts";
import { inferTypes } from "../../src/graph/infer.ts";
import { canonical } from "../../src/graph/upgrade.ts";
import { measureModel } from "../../src/measures/index.ts";
import { layersOf } from "../../src/networks/index.ts";
import {
  boxSlice,
  cost,
  gradient,
  linearPieces,
  lipschitzBound,
  outputBounds,
  pathNorms,
  planeRegions,
  sizes,
} from "../../src/passes/index.ts";
import { trainableWeights, training } from "../../src/train/index.ts";
import { float32, graphWith, nodeWith } from "../graph/operators-runtime.ts";

const names = Object.getOwnPropertyNames(Object.prototype);
const box = { lower: [0, 0], upper: [1, 1] };

const uses: Readonly<Record<string, (g: ReturnType<typeof net>) => unknown>> = {
  inferTypes,
  canonical,
  sizes,
  cost,
  gradient: (g) => gradient(g, { wrt: "both" }),
  outputBounds: (g) => outputBounds(g, { x: box }),
  linearBounds: (g) => linearBounds(g, box),
  splitBounds: (g) => splitBounds(g, box, { seconds: 1 }),
  lipschitzBound: (g) => lipschitzBound(g),
  lipschitzBoundsInTime: (g) => lipschitzBoundsInTime(g, { x: box }, { seconds: 1 }),
  linearPieces: (g) => linearPieces(g, 0, 1),
  planeRegions: (g) => planeRegions(g, boxSlice([0, 0], [1, 1])),
  pathNorms: (g) => pathNorms(g),
  canonicalForm: (g) => canonicalForm(g),
  symmetryGroup: (g) => symmetryGroup(g),
  simplify: (g) => simplify(g, { box }),
  compareNetworks: (g) => compareNetworks(g, g, { box, seconds: 1 }),
  layersOf: (g) => layersOf(g),
  trainableWeights: (g) => trainableWeights(g),
  training: (g) => training(g, { loss: "square" }),
  measureModel: (g) => measureModel(g),
};

const net = (op: string, domain: string) =>
  graphWith({
    inputs: [{ name: "x", type: { type: "float32", shape: ["N", 2] } }],
    initializers: new Map([
      ["w", float32([1, 2], [2, 1])],
      ["v", float32([3], [1])],
    ]),
    nodes: [
      nodeWith("MatMul", ["x", "w"], ["h"]),
      { ...nodeWith(op, ["h", "v"], ["k"]), domain },
      nodeWith("Softmax", ["k"], ["y"]),
    ],
    outputs: [{ name: "y", type: { type: "float32", shape: ["N", 1] } }],
  });

describe.each(Object.entries(uses))("%s", (_, use) => {
  it.each(names.flatMap((name) => [[name, ""] as const, [name, "own"] as const]))(
    "does not know %s of domain %j",
    async (name, domain) => {
      try {
        await use(net(name, domain));
      } catch (error) {
        expect(error).toBeInstanceOf(ReadableError);
      }
    },
  );
});
