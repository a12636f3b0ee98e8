// What the late levels of a stage add to gates and sums, in running sums of their own: the sum of all that came before
// is copied from layer to layer, which rounds nothing, and the tails are so small that their rounding does not matter.
import { type Exact, max, min, mul, sub } from "../../numbers/exact/rational.ts";
import { type Gate, squaresOf, takesAbsolute } from "./circuit.ts";
import type { Form } from "./form.ts";
import { addTo, type Running, running } from "./running.ts";

interface Tail {
  readonly sum: Running;
  readonly gates: Set<Gate>;
}

export class Tails {
  readonly #split: number;
  readonly #tails = new Map<number, Tail>();

  /** Tails begin after this layer of a stage. */
  constructor(split: number) {
    this.#split = split;
  }

  isLate(layer: number): boolean {
    return layer > this.#split;
  }

  /**
   * Adds coefficient * part, of a gate, to the tail of a gate or sum. T^j(s) / 4^j <= c / 4^j for all late levels j:
   * together they are below 2 c / 4^j for the first of them.
   */
  add(value: number, gate: Gate, coefficient: Exact, part: Form): void {
    const tail = this.#tails.get(value) ?? { sum: running(0), gates: new Set() };
    this.#tails.set(value, tail);
    if (!tail.gates.has(gate)) {
      tail.gates.add(gate);
      const first = this.#split - 1 - (takesAbsolute(gate) ? 1 : 0);
      for (const { coefficient: c, bound } of squaresOf(gate)) {
        const reach = mul(mul(coefficient, mul(c, mul(bound, bound))), 2 / 4 ** first);
        tail.sum.low = sub(tail.sum.low, max(0, reach));
        tail.sum.high = sub(tail.sum.high, min(0, reach));
      }
    }
    addTo(tail.sum, coefficient, part);
  }

  /** The tails that have begun, by value. */
  begun(): (readonly [number, Running])[] {
    return [...this.#tails].map(([value, { sum }]) => [value, sum] as const);
  }

  clear(): void {
    this.#tails.clear();
  }
}
