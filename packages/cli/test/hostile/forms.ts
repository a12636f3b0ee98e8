// Files that are not what they say: names, types, cycles, weights that are elsewhere, shapes that do not add up.
import { encodeModel, int64, intsAttribute, type NodeProto, node, type TensorProto } from "../fuzz/proto.ts";
import { BOOL, DOUBLE, type Files, FLOAT, file, floats, INT64, integers, model, STRING } from "./model.ts";

const names: Readonly<Record<string, string>> = {
  "two lines": "two\nlines",
  "an escape sequence": "\x1b[2J\x1b[31mred",
  "a second message": "\r\nlemmata: proved",
  "text from right to left": "\u202Eright to left",
  "a separator of lines": "line\u2028separator",
  "a NUL": "nul\0inside",
  "2,000 letters": "long ".repeat(400),
  "the prototype": "__proto__",
  "the constructor": "constructor",
  "a method": "toString",
  "another method": "hasOwnProperty",
  quotes: '"quoted"\\',
  nothing: "",
};

const withName = (text: string): Record<string, Files> => ({
  "as an operator": file({ nodes: [node(text, ["x"], ["y"])] }),
  "as the name of a node": file({ nodes: [{ ...node("Relu", ["x", "unknown"], ["y"]), name: text }] }),
  "as a value": file({ nodes: [node("Relu", ["x"], [text]), node("Relu", [text], ["y"])] }),
  "as an attribute": file({
    nodes: [node("LeakyRelu", ["x"], ["y"], [{ name: text, type: 1, f: 0.5 }])],
  }),
  "as a weight": file({ nodes: [node("Add", ["x", text], ["y"])], weights: [floats(text, [2], [1, 2])] }),
});

const weight = (fields: Partial<TensorProto>): Files =>
  file({ nodes: [node("Add", ["x", "w"], ["y"])], weights: [{ name: "w", ...fields }] });

const external = (entries: Readonly<Record<string, string>>, beside: Files = {}): Files => ({
  ...weight({
    dataType: FLOAT,
    dims: [2],
    dataLocation: 1,
    externalData: Object.entries(entries).map(([key, value]) => ({ key, value })),
  }),
  ...beside,
});

const wiring = (nodes: readonly NodeProto[]): Files => file({ nodes });
const eight = new Uint8Array(8);
const whole = encodeModel(model({ nodes: [node("Relu", ["x"], ["y"])] }));

export const forms: Readonly<Record<string, Files>> = {
  ...Object.fromEntries(
    Object.entries(names).flatMap(([what, text]) =>
      Object.entries(withName(text)).map(([where, files]) => [`${what} ${where}`, files]),
    ),
  ),
  "weight dims beyond 2^64": weight({
    dataType: FLOAT,
    dims: [int64(2n ** 62n), int64(2n ** 62n), 4],
    rawData: eight,
  }),
  "weight dims whose product wraps to 2": weight({
    dataType: FLOAT,
    dims: [int64(2n ** 33n), int64(2n ** 31n), 2],
    rawData: eight,
  }),
  "a negative weight dim": weight({ dataType: FLOAT, dims: [int64(-2n)], rawData: eight }),
  "a weight with too few bytes": weight({ dataType: FLOAT, dims: [3], rawData: eight }),
  "a weight of no type": weight({ dataType: 0, dims: [2], rawData: eight }),
  "a weight of type 99": weight({ dataType: 99, dims: [2], rawData: eight }),
  "a weight of text": weight({ dataType: STRING, dims: [2], stringData: [eight, eight] }),
  "a weight of doubles": weight({ dataType: DOUBLE, dims: [1], rawData: eight }),
  "a weight of truth values": weight({ dataType: BOOL, dims: [8], rawData: eight }),
  "a weight of integers": weight({ dataType: INT64, dims: [1], rawData: eight }),
  "weights that are not finite": weight({
    dataType: FLOAT,
    dims: [2],
    floatData: [Number.NaN, Number.POSITIVE_INFINITY],
  }),
  "external data in /etc/passwd": external({ location: "/etc/passwd" }),
  "external data above the folder": external({ location: "../../../../etc/passwd" }),
  "external data in /dev/zero": external({ location: "/dev/zero" }),
  "external data in nothing": external({ location: "missing.bin" }),
  "external data in the folder itself": external({ location: "." }),
  "external data that ends early": external({ location: "w.bin" }, { "w.bin": new Uint8Array(5) }),
  "external data beyond its end": external(
    { location: "w.bin", offset: "9007199254740000", length: "8" },
    { "w.bin": eight },
  ),
  "external data of another length": external(
    { location: "w.bin", length: "99999999999" },
    { "w.bin": eight },
  ),
  "external data without a place": external({ offset: "0" }),
  "external data in a function": file({
    nodes: [{ ...node("f", ["x"], ["y"]), domain: "own" }],
    functions: [
      {
        name: "f",
        domain: "own",
        input: ["a"],
        output: ["b"],
        opsetImport: [{ domain: "", version: 17 }],
        node: [
          node(
            "Constant",
            [],
            ["c"],
            [
              {
                name: "value",
                type: 4,
                t: {
                  dataType: FLOAT,
                  dims: [2],
                  dataLocation: 1,
                  externalData: [{ key: "location", value: "w.bin" }],
                },
              },
            ],
          ),
          node("Add", ["a", "c"], ["b"]),
        ],
      },
    ],
  }),
  "a cycle": wiring([node("Add", ["x", "b"], ["a"]), node("Relu", ["a"], ["b"]), node("Relu", ["b"], ["y"])]),
  "a node that reads itself": wiring([node("Add", ["x", "y"], ["y"])]),
  "a value that is made twice": wiring([node("Relu", ["x"], ["y"]), node("Neg", ["x"], ["y"])]),
  "an output that nobody makes": wiring([node("Relu", ["x"], ["z"])]),
  "a thousand inputs of one node": wiring([node("Sum", new Array(1000).fill("x"), ["y"])]),
  "a thousand outputs of one node": wiring([
    node("Split", ["x"], ["y", ...Array.from({ length: 1000 }, (_, k) => `o${k}`)]),
  ]),
  "no nodes": wiring([]),
  "an operator of opset 10^9": file({ nodes: [node("Relu", ["x"], ["y"])], opset: 1e9 }),
  "an operator of opset 0": file({ nodes: [node("Relu", ["x"], ["y"])], opset: 0 }),
  "axes that are not there": file({
    nodes: [node("ReduceSum", ["x", "axes"], ["y"])],
    weights: [integers("axes", 2n ** 62n, -(2n ** 63n))],
  }),
  "a permutation that is none": file({
    nodes: [node("Transpose", ["x"], ["y"], [intsAttribute("perm", [0n, 0n])])],
  }),
  "half of a file": { "net.onnx": whole.subarray(0, whole.length / 2) },
  "an empty file": { "net.onnx": new Uint8Array(0) },
  "ones only": { "net.onnx": new Uint8Array(5000).fill(255) },
};
