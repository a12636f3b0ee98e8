// The one way from weights to the graph of a dense network: affine maps of a batch of rows, an activation between them.
import { graph } from "./builder.ts";
import type { GraphWith } from "./graph.ts";
import type { SparseMatrix } from "./sparse.ts";
import { isSparseMatrix } from "./sparse.ts";
import type { Tensor } from "./tensor.ts";
import type { Value } from "./value.ts";

/** x -> W x + b; without b, the linear map. A tensor is stored as it is, a sparse matrix entry by entry. */
export interface AffineMap {
  readonly W: Tensor | SparseMatrix;
  readonly b?: Tensor | undefined;
}

export interface AffineChainOptions {
  readonly name?: string;
  readonly type?: "float32" | "float64";
  /** Weights are called W1, b1, W2, ..., for those who train them. */
  readonly named?: boolean;
}

/**
 * The network x -> W_L rho(... rho(W_1 x + b_1) ...) + b_L, from a batch "x" of rows to "y".
 * @example affineChain([{ W: tensor([[1], [-1]]) }, { W: tensor([[1, 1]]) }], (z) => z.relu()).nodes.map((n) => n.op) // ["Gemm", "Relu", "Gemm"]
 */
export function affineChain(
  maps: readonly AffineMap[],
  rho: (value: Value) => Value,
  { name, type = "float64", named = false }: AffineChainOptions = {},
): GraphWith<"y"> {
  const stored = <T extends Tensor | SparseMatrix>(x: Value, weight: T, stem: string): T | Value =>
    named && !isSparseMatrix(weight) ? x.builder.weight(weight, stem) : weight;
  const apply = (x: Value, { W, b }: AffineMap, l: number): Value =>
    x.affine(stored(x, W, `W${l + 1}`), b && stored(x, b, `b${l + 1}`));
  const first = maps[0]!.W;
  const inputs = isSparseMatrix(first) ? first.columns : first.dims[1]!;
  return graph(
    { x: { type, shape: ["N", inputs] } },
    ({ x }) => ({ y: maps.reduce((value, map, l) => apply(l === 0 ? value : rho(value), map, l), x) }),
    name === undefined ? {} : { name },
  );
}
