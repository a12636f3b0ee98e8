// Which polynomial of its argument a weighted sum of nodes is.
import type { CertificateNode } from "../compile/certificate.ts";
import type { Exact } from "../engine/exact.ts";
import * as X from "../engine/exact.ts";
import { Refutation } from "./error.ts";
import type { Polynomial } from "./polynomial.ts";
import { describeNode } from "./ranges.ts";

type Nodes = readonly CertificateNode[];
/** node = base^exponent. */
interface Power {
  readonly base: number;
  readonly exponent: number;
}

const greatestDegree = 4096;

/** Reads the nodes from a sum of powers back to the argument; all of them are servants, or none is. */
class Powers {
  readonly #nodes: Nodes;
  readonly #argument: number;
  readonly #areServants: boolean;
  readonly #known = new Map<number, Power>();

  constructor(nodes: Nodes, argument: number, areServants: boolean) {
    [this.#nodes, this.#argument, this.#areServants] = [nodes, argument, areServants];
  }

  #node(id: number): CertificateNode {
    const node = this.#nodes[id]!;
    if ((node.servant !== undefined) !== this.#areServants)
      throw refuse(node, `between it and node ${this.#argument}, servants mix with other nodes`);
    return node;
  }

  /** A square or product of powers of one base; anything else, and the argument itself, is a base. */
  powerOf(id: number): Power {
    const known = this.#known.get(id);
    if (known || id === this.#argument) return known ?? { base: id, exponent: 1 };
    const node = this.#node(id);
    const factors =
      node.op === "square" ? [node.args[0]!, node.args[0]!] : node.op === "product" ? node.args : [];
    const powers = factors.map((a) => this.powerOf(a));
    const base = powers[0]?.base ?? id;
    if (powers.some((p) => p.base !== base)) throw refuse(node, "it is no power of one value");
    const power = {
      base,
      exponent: powers.length === 0 ? 1 : powers.reduce((sum, p) => sum + p.exponent, 0),
    };
    if (power.exponent > greatestDegree) throw refuse(node, "it is too high a power");
    this.#known.set(id, power);
    return power;
  }

  /** A node that is scale times its one argument, plus shift, in doubles. */
  #line(id: number): { readonly of: number; readonly scale: number; readonly shift: number } {
    const node = this.#node(id);
    const [scale, shift] = [node.coefficients?.[0], node.constant];
    const isLine = node.op === "affine" && node.args.length === 1 && scale && shift;
    if (!isLine || scale[0] !== scale[1] || shift[0] !== shift[1])
      throw refuse(node, "it is no scaled argument with coefficients that are doubles");
    return { of: node.args[0]!, scale: scale[0], shift: shift[0] };
  }

  /** The shifts c of z = |... ||u - c_1| - c_2| ...|. */
  #foldsOf(z: number): readonly Exact[] {
    if (z === this.#argument) return [];
    const node = this.#node(z);
    const inner = node.op === "abs" ? this.#line(node.args[0]!) : undefined;
    if (inner?.scale !== 1) throw refuse(node, `it is no fold of node ${this.#argument}`);
    return [...this.#foldsOf(inner.of), X.neg(inner.shift)];
  }

  /** A base as scale times folded argument, plus shift. */
  scaled(base: number): Omit<Polynomial, "coefficients"> {
    if (base === this.#argument) return { folds: [], scale: 1, shift: 0 };
    const { of, scale, shift } = this.#line(base);
    return { folds: this.#foldsOf(of), scale, shift };
  }
}

const refuse = (node: CertificateNode, reason: string): Refutation =>
  new Refutation(describeNode(node), reason);

/** bias + sum of weights times nodes as a polynomial in one function of the argument. */
export function polynomialOf(
  nodes: Nodes,
  argument: number,
  bias: Exact,
  terms: readonly (readonly [number, Exact])[],
  areServants: boolean,
): Polynomial {
  const reading = new Powers(nodes, argument, areServants);
  const powers = terms.map(([id]) => reading.powerOf(id));
  const base = powers[0]?.base ?? argument;
  const stray = powers.findIndex((p) => p.base !== base);
  if (stray >= 0)
    throw refuse(nodes[terms[stray]![0]]!, "it is a power of another value than those added to it");
  const degree = powers.reduce((n, p) => Math.max(n, p.exponent), 0);
  const coefficients: Exact[] = [bias, ...new Array<Exact>(degree).fill(0)];
  powers.forEach(({ exponent }, k) => {
    coefficients[exponent] = X.add(coefficients[exponent]!, terms[k]![1]);
  });
  return { ...reading.scaled(base), coefficients };
}
