// ReLU networks written as affine forms of the units of the layer before, one layer after the other.
import type { Graph } from "../../graph/graph.ts";
import type { Layer } from "../../networks/layers/layered.ts";
import { network, sparseLayer } from "../../networks/layers/layers.ts";

/** constant + sum of weight times unit of the layer before. */
export interface Form {
  readonly constant: number;
  readonly terms: readonly (readonly [unit: number, weight: number])[];
}

export const unit = (column: number, weight = 1): Form => ({ constant: 0, terms: [[column, weight]] });
export const constant = (value: number): Form => ({ constant: value, terms: [] });
export const plus = (...forms: readonly Form[]): Form => ({
  constant: forms.reduce((sum, f) => sum + f.constant, 0),
  terms: forms.flatMap((f) => f.terms),
});
export const times = ({ constant: c, terms }: Form, by: number): Form => ({
  constant: c * by,
  terms: terms.map(([u, w]) => [u, w * by]),
});
export const minus = (a: Form, b: Form): Form => plus(a, times(b, -1));

/** Collects layers: each call of `relu` ends one, and gives its units as forms. */
export class FormNetwork {
  readonly #layers: Layer[] = [];
  #width: number;

  constructor(inputs: number) {
    this.#width = inputs;
  }

  relu(forms: readonly Form[]): Form[] {
    this.#push(forms);
    return forms.map((_, k) => unit(k));
  }

  finish(outputs: readonly Form[], name: string): Graph {
    this.#push(outputs);
    return network(this.#layers, { name });
  }

  #push(forms: readonly Form[]): void {
    const entries = forms.flatMap(({ terms }, r) => terms.map(([c, w]) => [r, c, w] as const));
    const bias = forms.map((f) => f.constant);
    this.#layers.push(sparseLayer(forms.length, this.#width, entries, bias));
    this.#width = forms.length;
  }
}
