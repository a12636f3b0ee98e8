// Sizes beyond all memory, said in a few bytes.
import { intAttribute, intsAttribute, node } from "../fuzz/proto.ts";
import { beside, type Files, file, floats, integer, integers } from "./model.ts";

const huge = {
  million: 10n ** 6n,
  billion: 10n ** 9n,
  "2^33": 2n ** 33n,
  "2^62": 2n ** 62n,
  most: 2n ** 63n - 1n,
};

/** One model for each huge number. */
const forEachSize = (name: string, build: (size: bigint) => Files): Record<string, Files> =>
  Object.fromEntries(Object.entries(huge).map(([size, value]) => [`${name} of ${size}`, build(value)]));

const image = [1, 1, 3, 3];
const kernel = floats("w", [1, 1, 2, 2], [1, 2, 3, 4]);

const sparse = (dims: readonly bigint[]) => ({
  dims: dims as unknown as number[],
  values: floats("w", [1], [1]),
  indices: integers("", 0n),
});

export const sizes: Readonly<Record<string, Files>> = {
  ...forEachSize("padding of Conv", (n) =>
    file({
      nodes: [node("Conv", ["x", "w"], ["y"], [intsAttribute("pads", [n, n, n, n])])],
      weights: [kernel],
      input: image,
    }),
  ),
  ...forEachSize("dilation of Conv", (n) =>
    file({
      nodes: [
        node(
          "Conv",
          ["x", "w"],
          ["y"],
          [intsAttribute("dilations", [n, n]), intsAttribute("pads", [n, n, n, n])],
        ),
      ],
      weights: [kernel],
      input: image,
    }),
  ),
  ...forEachSize("stride of ConvTranspose", (n) =>
    file({
      nodes: [node("ConvTranspose", ["x", "w"], ["y"], [intsAttribute("strides", [n, n])])],
      weights: [kernel],
      input: image,
    }),
  ),
  ...forEachSize("window of MaxPool", (n) =>
    file({
      nodes: [
        node(
          "MaxPool",
          ["x"],
          ["y"],
          [intsAttribute("kernel_shape", [n, n]), intsAttribute("pads", [n / 2n, n / 2n, n / 2n, n / 2n])],
        ),
      ],
      input: image,
    }),
  ),
  ...forEachSize("window of AveragePool", (n) =>
    file({
      nodes: [
        node(
          "AveragePool",
          ["x"],
          ["y"],
          [
            intsAttribute("kernel_shape", [n, n]),
            intsAttribute("pads", [n - 1n, n - 1n, n - 1n, n - 1n]),
            intAttribute("count_include_pad", 1n),
          ],
        ),
      ],
      input: image,
    }),
  ),
  ...forEachSize("Expand", (n) =>
    file({
      nodes: beside("e", [node("Expand", ["x", "shape"], ["e"])]),
      weights: [integers("shape", n, 1n, 2n)],
    }),
  ),
  ...forEachSize("Tile", (n) =>
    file({ nodes: beside("e", [node("Tile", ["x", "times"], ["e"])]), weights: [integers("times", n, 3n)] }),
  ),
  ...forEachSize("Pad", (n) =>
    file({
      nodes: beside("e", [node("Pad", ["x", "pads"], ["e"])]),
      weights: [integers("pads", 0n, n, 0n, n)],
    }),
  ),
  ...forEachSize("Pad by reflection", (n) =>
    file({
      nodes: beside("e", [
        node(
          "Pad",
          ["x", "pads"],
          ["e"],
          [{ name: "mode", type: 3, s: new TextEncoder().encode("reflect") }],
        ),
      ]),
      weights: [integers("pads", 0n, n, 0n, 0n)],
    }),
  ),
  ...forEachSize("ConstantOfShape", (n) =>
    file({
      nodes: beside("e", [node("ConstantOfShape", ["shape"], ["e"])]),
      weights: [integers("shape", n, 2n)],
    }),
  ),
  ...forEachSize("Range", (n) =>
    file({
      nodes: [
        node("Range", ["from", "to", "step"], ["r"]),
        node("Cast", ["r"], ["e"], [intAttribute("to", 1n)]),
        ...beside("e", []),
      ],
      weights: [integer("from", 0n), integer("to", n), integer("step", 1n)],
    }),
  ),
  ...forEachSize("OneHot", (n) =>
    file({
      nodes: beside("e", [node("OneHot", ["at", "depth", "values"], ["e"])]),
      weights: [integers("at", 0n, 1n), integer("depth", n), floats("values", [2], [0, 1])],
    }),
  ),
  ...forEachSize("Reshape", (n) =>
    file({ nodes: [node("Reshape", ["x", "shape"], ["y"])], weights: [integers("shape", n, -1n)] }),
  ),
  ...forEachSize("Split", (n) =>
    file({
      nodes: [node("Split", ["x", "parts"], ["y", "z"], [intAttribute("axis", 1n)])],
      weights: [integers("parts", n, 2n - n)],
    }),
  ),
  ...forEachSize("sparse weight", (n) =>
    file({ nodes: [node("MatMul", ["x", "w"], ["y"])], sparse: [sparse([2n, n])] }),
  ),
  ...forEachSize("sparse weight, added", (n) =>
    file({ nodes: beside("e", [node("Add", ["w", "w"], ["e"])]), sparse: [sparse([n])] }),
  ),
  "Resize by 10^9": file({
    nodes: [node("Resize", ["x", "", "scales"], ["y"])],
    weights: [floats("scales", [4], [1, 1, 1e9, 1e9])],
    input: image,
  }),
  "Resize to 2^40": file({
    nodes: [node("Resize", ["x", "", "", "sizes"], ["y"])],
    weights: [integers("sizes", 1n, 1n, 2n ** 40n, 2n ** 40n)],
    input: image,
  }),
  "an input of 2^60 numbers": file({ nodes: [node("Relu", ["x"], ["y"])], input: [2 ** 30, 2 ** 30] }),
  "an input of 10^9 numbers": file({ nodes: [node("Relu", ["x"], ["y"])], input: [1e9] }),
  "an input of negative size": file({ nodes: [node("Relu", ["x"], ["y"])], input: [-1, 2] }),
  "Einsum of an outer product": file({
    nodes: beside(
      "e",
      [1, 2, 3, 4, 5].map((k) =>
        node(
          "Einsum",
          k === 1 ? ["x", "x"] : [`e${k - 1}`, `e${k - 1}`],
          [k === 5 ? "e" : `e${k}`],
          [
            {
              name: "equation",
              type: 3,
              s: new TextEncoder().encode("ab,cd->ac"),
            },
          ],
        ),
      ),
    ),
    weights: [],
    input: [1000, 1000],
  }),
  "Einsum to eight axes": file({
    nodes: beside("e", [
      node(
        "Einsum",
        ["x", "x", "x", "x"],
        ["e"],
        [{ name: "equation", type: 3, s: new TextEncoder().encode("ab,cd,ef,gh->abcdefgh") }],
      ),
    ]),
    input: [300, 300],
  }),
};
