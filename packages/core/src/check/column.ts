// One column of a block: the node that stands there, the values that it reads, and what the certificate claims.

import type { UnivariateName } from "../functions/names.ts";
import type { Exact } from "../numbers/exact/rational.ts";
import * as X from "../numbers/exact/rational.ts";
import type { Interval } from "../numbers/interval/index.ts";
import type { Certificate, CertificateBlock, CertificateNode } from "./certificate.ts";
import type { Circuit, Scalar } from "./circuit.ts";
import { Refutation } from "./error.ts";
import type { RealFunction } from "./functions.ts";
import { around, roundedDown, roundedUp, type Span, spanOf, total } from "./linear.ts";
import { describeNode, isServed } from "./ranges.ts";
import { type FloatFormat, roundingOf } from "./rounding.ts";

/** How far a node's value in the network may be from the node: as a real function, and in a run. */
export interface Errors {
  readonly error: number;
  readonly runError: number;
}

/** What a column is checked against. */
export interface Scene {
  readonly nodes: Certificate["nodes"];
  readonly circuit: Circuit;
  readonly precision: FloatFormat;
  /** Nodes that are confirmed already, with the errors that were found here: what is claimed of them is not used. */
  readonly known: ReadonlyMap<number, Errors>;
}

/** How errors of the arguments come through: a bound of |change of the output| for each kind of error. */
export type Carried = (errorOf: (id: number) => number) => Exact;

/** What was found about one column. */
export interface Finding {
  readonly localError: Exact;
  readonly rounding: Exact;
  readonly carried: Carried;
}

/** One column: its node, the values that it reads, and what is claimed. */
export class Column {
  readonly node: CertificateNode;
  readonly where: string;
  readonly #scene: Scene;
  readonly #index: number;
  readonly #block: CertificateBlock;

  constructor(scene: Scene, block: CertificateBlock, index: number) {
    const node = scene.nodes[block.nodes[index]!];
    if (!node) throw new Refutation(`block "${block.output}"`, `there is no node ${block.nodes[index]}`);
    this.node = node;
    this.where = describeNode(node);
    [this.#scene, this.#block, this.#index] = [scene, block, index];
    if (node.tensor !== block.output || node.column !== index)
      throw this.#refute(`it does not stand in column ${index} of "${block.output}", which computes it`);
  }

  #refute(reason: string): Refutation {
    return new Refutation(this.where, reason);
  }

  /** Column `index` of a named value, of `parts` times as many columns as the block has nodes. */
  value(tensor: string, index = this.#index, parts = 1): Scalar {
    const found = this.#scene.circuit.get(tensor);
    if (found?.shape.length !== 1 || found.shape[0] !== parts * this.#block.nodes.length)
      throw this.#refute(
        `"${tensor}" is no value of the network with ${parts * this.#block.nodes.length} columns`,
      );
    return found.scalars[index]!;
  }

  /**
   * The value of a node that is confirmed already; it must stand in one of the block's inputs. A servant's errors are
   * counted from a computed argument: only a polynomial block, which adds what that argument is off by, may read one
   * for a node that serves nobody.
   */
  source(id: number): Scalar {
    const node = this.#scene.nodes[id];
    if (!node || !this.#scene.known.has(id))
      throw this.#refute(`it reads node ${id}, which is not computed before it`);
    if (node.servant !== undefined && this.node.servant === undefined && this.#block.kind !== "polynomial")
      throw this.#refute(`it serves nobody and reads node ${id}, a servant`);
    if (!this.#block.inputs.includes(node.tensor))
      throw this.#refute(`"${node.tensor}" is no input of its block`);
    return scalarOf(this.#scene.circuit, node);
  }

  /** Sources that the block names by a tensor of its own. */
  selected(tensor: string, id: number): Scalar {
    const source = this.source(id);
    if (this.value(tensor) !== source)
      throw this.#refute(`column ${this.#index} of "${tensor}" is not node ${id}`);
    return source;
  }

  /** From the argument of the function that it serves on, a servant counts errors anew. */
  #isServed(id: number): boolean {
    return isServed(this.node, this.#scene.nodes[id]!);
  }

  /** Where the exact value of a node lies (the range was confirmed before any block), and its computed one. */
  exact(id: number): Span {
    const [lower, upper] = this.#scene.nodes[id]!.range;
    return this.#isServed(id) ? this.computed(id) : spanOf(lower, upper);
  }

  computed(id: number): Span {
    const [lower, upper] = this.#scene.nodes[id]!.range;
    return around(spanOf(lower, upper), this.#scene.known.get(id)!.runError);
  }

  rounding(
    value: Scalar,
    from: ReadonlyMap<Scalar, Span>,
    within?: Span,
  ): { readonly range: Interval; readonly error: number } {
    const ranges = new Map([...from].map(([s, span]) => [s, outward(span)]));
    const own = within ? outward(within) : undefined;
    return roundingOf(value, ranges, this.#scene.precision, this.where, own);
  }

  /** The errors of the column, from those of its arguments as they were found; what is claimed must not be less. */
  confirm({ localError, rounding, carried }: Finding): Errors {
    const { known } = this.#scene;
    const through = (kind: keyof Errors): Exact =>
      carried((id) => (this.#isServed(id) ? 0 : known.get(id)![kind]));
    this.#atMost(localError, this.claimedLocalError, "its block errs by up to");
    this.#atMost(rounding, this.#block.rounding[this.#index]!, "rounding may cost");
    const error = roundedUp(total([localError, through("error")]));
    const runError = Math.max(error, roundedUp(total([localError, rounding, through("runError")])));
    this.#atMost(error, this.node.error, "its error may be");
    this.#atMost(runError, this.node.runError, "its error in a run may be");
    return { error, runError };
  }

  #atMost(found: Exact, claimed: number, what: string): void {
    const isNumber = typeof found !== "number" || Number.isFinite(found);
    if (!isNumber || X.compare(found, claimed) > 0)
      throw this.#refute(`${what} ${roundedUp(found)}, the certificate says ${claimed}`);
  }

  get claimedLocalError(): number {
    return this.#block.localError[this.#index]!;
  }

  get function(): RealFunction {
    return { op: this.node.op as UnivariateName, exponent: this.node.exponent };
  }

  need(isRight: boolean, reason: string): void {
    if (!isRight) throw this.#refute(reason);
  }

  get scene(): Scene {
    return this.#scene;
  }
}

export function scalarOf(circuit: Circuit, { tensor, column, ...node }: CertificateNode): Scalar {
  const found = circuit.get(tensor);
  if (found?.shape.length !== 1 || !(column < found.shape[0]!))
    throw new Refutation(
      describeNode({ tensor, column, ...node }),
      `the network has no column ${column} of "${tensor}"`,
    );
  return found.scalars[column]!;
}

/** Doubles around a span. */
export const outward = ({ lower, upper }: Span): Interval => ({
  lower: roundedDown(lower),
  upper: roundedUp(upper),
});

export const weighted =
  (terms: readonly (readonly [number, Exact])[]): Carried =>
  (errorOf) =>
    total(terms.map(([id, w]) => X.mul(X.abs(w), errorOf(id))));

export type BlockOf<K extends CertificateBlock["kind"]> = CertificateBlock & { kind: K };
export type Rule<K extends CertificateBlock["kind"]> = (
  column: Column,
  block: BlockOf<K>,
  index: number,
) => Finding;
