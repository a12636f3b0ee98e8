import { type Expansion, proved, wholeSeries } from "../../src/compile/expansion.ts";
import { foldings } from "../../src/compile/fold.ts";
import { arithmetics } from "../../src/compile/precision.ts";
import { type ServantCircuit, servantCircuit } from "../../src/compile/servant-circuit.ts";
import type { Univariate } from "../../src/functions/univariate.ts";
import type { Interval } from "../../src/numbers/interval/index.ts";

/** The expansion by one polynomial, without folds. */
export function expand(f: Univariate, on: Interval, delta: number): Expansion {
  const [plain] = foldings(f, on, arithmetics.f64);
  const circuit = servantCircuit(wholeSeries(f, on, delta, arithmetics.f64)!, 0, arithmetics.f64);
  return proved(circuit, plain!, on, delta)!;
}

/** A circuit in doubles. */
export function circuitValue({ nodes, output }: ServantCircuit, z: number): number {
  const values = [z];
  for (const node of nodes.slice(1)) {
    const [a, b] = node.args.map((k) => values[k]!) as [number, number];
    if (node.op === "affine")
      values.push(
        node.args.reduce((s, k, j) => s + node.coefficients[j]!.lower * values[k]!, node.constant.lower),
      );
    else if (node.op === "square") values.push(a * a);
    else if (node.op === "product") values.push(a * b);
    else if (node.op === "max" || node.op === "min") values.push(Math[node.op](a, b));
    else throw new Error(`no rule for ${node.op}`);
  }
  return [...output.terms].reduce((s, [id, w]) => s + w * values[id]!, output.constant);
}
