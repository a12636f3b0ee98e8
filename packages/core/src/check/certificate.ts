// The certificate of a compiled network: what a checker needs to prove again, block by block, that the network computes
// its formula up to `certifiedError`. docs/certificate.md says what each number claims.
import { z } from "zod";
import { univariateNames } from "../functions/names.ts";

const finite = z.number();
/** A real number by two doubles around it; they are equal where the number is a double. */
const enclosure = z.tuple([finite, finite]);
const count = z.number().int().nonnegative();

/** A node of the function graph: what it is in real arithmetic, and how far the network's value may be from it. */
export const certificateNode = z.strictObject({
  id: count,
  op: z.enum(["variable", "affine", "square", "product", "max", "min", "abs", ...univariateNames]),
  /** Ids of its arguments. */
  args: z.array(count),
  /** Of a variable. */
  name: z.string().optional(),
  /** Of an affine node: constant + sum_k coefficients[k] args[k]. */
  coefficients: z.array(enclosure).optional(),
  constant: enclosure.optional(),
  /** Of a power. */
  exponent: finite.optional(),
  /** A node that is no part of the formula: it helps to evaluate this node by a polynomial. */
  servant: count.optional(),
  /** Holds the node's exact value, for every point of the box. */
  range: enclosure,
  /** Bounds |network - exact| for the real function that the stored weights define. */
  error: finite.nonnegative(),
  /** Bounds |computed - exact| for a run in `dtype`; at least `error`. */
  runError: finite.nonnegative(),
  /** The value of the ONNX graph, of shape [N, k], and its column that hold the node. */
  tensor: z.string(),
  column: count,
});
export type CertificateNode = z.infer<typeof certificateNode>;

const blockParts = {
  /** Ids of the nodes that it computes, one for each column of its output. */
  nodes: z.array(count),
  /** Named values of the ONNX graph from which the block is computed, and the one that it makes, [N, k]. */
  inputs: z.array(z.string()),
  output: z.string(),
  /** By column: what the block itself errs by, as a real function of its (inexact) arguments. */
  localError: z.array(finite.nonnegative()),
  /** By column: what rounding in `dtype` adds, in one run of the block. */
  rounding: z.array(finite.nonnegative()),
};

/** The chain s_0 = t, s_j = |s_{j-1}| - 2^-j of a square: names of s_0 ... s_m, and of the value that is about t^2. */
const foldChain = z.strictObject({ folds: z.array(z.string()), square: z.string() });

export const certificateBlock = z.discriminatedUnion("kind", [
  /** A weighted sum of columns of its inputs. */
  z.strictObject({ kind: z.literal("affine"), ...blockParts }),
  /** A piecewise-linear function of each column of `argument`, after `folds` (absolute values, each a named value). */
  z.strictObject({
    kind: z.literal("spline"),
    ...blockParts,
    argument: z.string(),
    folds: z.array(z.string()),
    pieces: count,
  }),
  /** u^2 = r^2 t^2 + affine with t = (u - c) / r; `scaled` holds t. */
  z.strictObject({
    kind: z.literal("square"),
    ...blockParts,
    argument: z.string(),
    scaled: z.string(),
    chain: foldChain,
  }),
  /** u v = a (p^2 - q^2) + affine; `scaled` [N, 2k] holds first all p, then all q. */
  z.strictObject({
    kind: z.literal("product"),
    ...blockParts,
    left: z.string(),
    right: z.string(),
    scaled: z.string(),
    chain: foldChain,
  }),
  /** abs, max or min of columns by one unit each: piecewise linear, without a local error. */
  z.strictObject({
    kind: z.literal("exact"),
    ...blockParts,
    left: z.string(),
    right: z.string().optional(),
  }),
  /** A weighted sum of servants, about a function of one variable: localError bounds what the polynomial misses. */
  z.strictObject({ kind: z.literal("polynomial"), ...blockParts, argument: z.array(count) }),
]);
export type CertificateBlock = z.infer<typeof certificateBlock>;

export const certificateSchema = z.strictObject({
  version: z.literal(1),
  formula: z.string(),
  /** One entry for each column of the network's input, in order. */
  box: z.array(z.strictObject({ name: z.string(), lower: finite, upper: finite })),
  eps: finite.positive(),
  /** Bounds |computed - formula| on the box for a run in `dtype`: the output node's runError. */
  certifiedError: finite.nonnegative(),
  /** The same for the real function that the stored weights define: the output node's error. */
  realError: finite.nonnegative(),
  dtype: z.enum(["f32", "f64"]),
  network: z.strictObject({
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
    input: z.string(),
    output: z.string(),
  }),
  /** The id of the node that is the formula. */
  output: count,
  nodes: z.array(certificateNode),
  /** In the order in which they are computed: a block reads only nodes of blocks before it. */
  blocks: z.array(certificateBlock),
});

/** What `lemmata compile --certificate c.json` writes and `lemmata verify` reads. */
export type Certificate = z.infer<typeof certificateSchema>;

/**
 * The SHA-256 of an ONNX file, as a certificate has it.
 * @example await sha256(new Uint8Array()) // "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
 */
export async function sha256(bytes: Uint8Array): Promise<string> {
  const digest = await globalThis.crypto.subtle.digest("SHA-256", new Uint8Array(bytes));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
