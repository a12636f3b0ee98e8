// Few nodes that ask for endless work, or for memory that doubles at each of them.
import type { onnx } from "onnx-proto";
import {
  type GraphProto,
  intAttribute,
  type NodeProto,
  node,
  type TensorProto,
  valueInfo,
} from "../fuzz/proto.ts";
import {
  BOOL,
  beside,
  type Files,
  FLOAT,
  file,
  floats,
  graphAttribute,
  INT64,
  integer,
  truth,
} from "./model.ts";

const axis = (k: bigint) => intAttribute("axis", k);

/** A loop whose state starts as x; `body` makes "next" of "state". */
function loop(turns: bigint, body: readonly NodeProto[], weights: readonly TensorProto[] = []): Files {
  const inner: GraphProto = {
    name: "body",
    node: [node("Identity", ["go"], ["on"]), ...body],
    input: [valueInfo("turn", INT64, []), valueInfo("go", BOOL, []), valueInfo("state", FLOAT)],
    output: [valueInfo("on", BOOL), valueInfo("next", FLOAT)],
  };
  return file({
    nodes: beside("last", [node("Loop", ["turns", "yes", "x"], ["last"], [graphAttribute("body", inner)])]),
    weights: [integer("turns", turns), truth("yes"), ...weights],
  });
}

/** Loops inside of loops, each with this many turns. */
function nested(depth: number, turns: bigint): Files {
  const level = (k: number): GraphProto => ({
    name: `level${k}`,
    node: [
      node("Identity", [`go${k}`], [`on${k}`]),
      k === 0
        ? node("Add", ["state0", "state0"], ["next0"])
        : node("Loop", ["turns", "yes", `state${k}`], [`next${k}`], [graphAttribute("body", level(k - 1))]),
    ],
    input: [valueInfo(`turn${k}`, INT64, []), valueInfo(`go${k}`, BOOL, []), valueInfo(`state${k}`, FLOAT)],
    output: [valueInfo(`on${k}`, BOOL), valueInfo(`next${k}`, FLOAT)],
  });
  return file({
    nodes: beside("last", [
      node("Loop", ["turns", "yes", "x"], ["last"], [graphAttribute("body", level(depth))]),
    ]),
    weights: [integer("turns", turns), truth("yes")],
  });
}

/** Each node doubles, squares or sums up what the one before made. */
const chain = (count: number, step: (from: string, to: string) => NodeProto): NodeProto[] =>
  Array.from({ length: count }, (_, k) => step(k === 0 ? "x" : `v${k}`, k === count - 1 ? "e" : `v${k + 1}`));

/** Function k calls function k - 1 twice: 2^depth nodes when written out. */
function functionBomb(depth: number): Files {
  const functions: onnx.IFunctionProto[] = Array.from({ length: depth + 1 }, (_, k) => ({
    name: `f${k}`,
    domain: "own",
    input: ["a"],
    output: ["b"],
    opsetImport: [
      { domain: "", version: 17 },
      { domain: "own", version: 1 },
    ],
    node:
      k === 0
        ? [node("Relu", ["a"], ["b"])]
        : [
            { ...node(`f${k - 1}`, ["a"], ["c"]), domain: "own" },
            { ...node(`f${k - 1}`, ["c"], ["b"]), domain: "own" },
          ],
  }));
  return file({ nodes: [{ ...node(`f${depth}`, ["x"], ["y"]), domain: "own" }], functions });
}

const recursive: onnx.IFunctionProto = {
  name: "f0",
  domain: "own",
  input: ["a"],
  output: ["b"],
  opsetImport: [{ domain: "own", version: 1 }],
  node: [{ ...node("f0", ["a"], ["b"]), domain: "own" }],
};

const branches = (depth: number): GraphProto => ({
  name: `branch${depth}`,
  node: [
    depth === 0
      ? node("Relu", ["x"], ["o0"])
      : node(
          "If",
          ["yes"],
          [`o${depth}`],
          [graphAttribute("then_branch", branches(depth - 1)), graphAttribute("else_branch", branches(0))],
        ),
  ],
  output: [valueInfo(`o${depth}`, FLOAT)],
});

export const work: Readonly<Record<string, Files>> = {
  ...Object.fromEntries(
    [10n, 40n, 10n ** 6n, 2n ** 40n, 2n ** 63n - 1n].flatMap((turns) => [
      [
        `a loop of ${turns} turns that doubles`,
        loop(turns, [node("Concat", ["state", "state"], ["next"], [axis(0n)])]),
      ],
      [`a loop of ${turns} turns that adds`, loop(turns, [node("Add", ["state", "state"], ["next"])])],
      [
        `a loop of ${turns} turns that adds a row`,
        loop(
          turns,
          [node("Concat", ["state", "row"], ["next"], [axis(0n)])],
          [floats("row", [1, 2], [1, 2])],
        ),
      ],
    ]),
  ),
  ...Object.fromEntries(
    (
      [
        [3, 1000n],
        [6, 100n],
        [10, 10n],
        [30, 2n],
      ] as const
    ).map(([depth, turns]) => [
      `${depth} loops inside of each other, ${turns} turns each`,
      nested(depth, turns),
    ]),
  ),
  ...Object.fromEntries(
    [10, 20, 30, 60].flatMap((count) => [
      [
        `${count} times Concat with itself`,
        file({
          nodes: beside(
            "e",
            chain(count, (a, b) => node("Concat", [a, a], [b], [axis(0n)])),
          ),
        }),
      ],
      [
        `${count} times Tile by 2`,
        file({
          nodes: beside(
            "e",
            chain(count, (a, b) => node("Tile", [a, "two"], [b])),
          ),
          weights: [
            { ...integer("two", 2n), dims: [2], rawData: new Uint8Array(BigInt64Array.of(2n, 2n).buffer) },
          ],
        }),
      ],
      [
        `${count} times the sum with itself`,
        file({
          nodes: beside(
            "e",
            chain(count, (a, b) => node("Add", [a, a], [b])),
          ),
        }),
      ],
      [
        `${count} times the square of itself`,
        file({
          nodes: beside(
            "e",
            chain(count, (a, b) => node("Mul", [a, a], [b])),
          ),
        }),
      ],
    ]),
  ),
  "Gemm of columns that grow": file({
    nodes: beside("e", [
      ...Array.from({ length: 14 }, (_, k) =>
        node("Concat", [k === 0 ? "x" : `c${k}`, k === 0 ? "x" : `c${k}`], [`c${k + 1}`], [axis(0n)]),
      ),
      node("Gemm", ["c14", "c14"], ["e"], [intAttribute("transB", 1n)]),
    ]),
  }),
  "MatMul of constants that were expanded": file({
    nodes: beside("e", [
      node("ConstantOfShape", ["shape"], ["ones"]),
      node("MatMul", ["ones", "ones"], ["square"]),
      node("MatMul", ["square", "square"], ["e"]),
    ]),
    weights: [
      { ...integer("shape", 0n), dims: [2], rawData: new Uint8Array(BigInt64Array.of(9000n, 9000n).buffer) },
    ],
  }),
  "functions that call each other 2^20 times": functionBomb(20),
  "functions that call each other 2^40 times": functionBomb(40),
  "a function that calls itself": file({
    nodes: [{ ...node("f0", ["x"], ["y"]), domain: "own" }],
    functions: [recursive],
  }),
  "branches 60 levels deep": file({
    nodes: [...branches(60).node!, node("Identity", ["o60"], ["y"])],
    weights: [truth("yes")],
  }),
  "a loop without a limit": file({
    nodes: beside("last", [
      node(
        "Loop",
        ["", "yes", "x"],
        ["last"],
        [
          graphAttribute("body", {
            name: "body",
            node: [node("Identity", ["go"], ["on"]), node("Identity", ["state"], ["next"])],
            input: [valueInfo("turn", INT64, []), valueInfo("go", BOOL, []), valueInfo("state", FLOAT)],
            output: [valueInfo("on", BOOL), valueInfo("next", FLOAT)],
          }),
        ],
      ),
    ]),
    weights: [truth("yes")],
  }),
};
