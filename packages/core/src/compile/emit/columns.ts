// Where nodes stand in the graph that is written: each is a column of a value of shape [N, k].
import type { Value } from "../../graph/value.ts";

interface Place {
  readonly tensor: Value;
  readonly column: number;
}

export class Columns {
  readonly #places = new Map<number, Place>();
  readonly #widths = new Map<string, number>();
  readonly #joined = new Map<string, Value>();

  /** Says that the columns of a value are these nodes. */
  place(tensor: Value, ids: readonly number[]): void {
    this.#widths.set(tensor.name, ids.length);
    ids.forEach((id, column) => {
      this.#places.set(id, { tensor, column });
    });
  }

  of(id: number): Place {
    return this.#places.get(id)!;
  }

  /** Names of the values that hold these nodes. */
  sources(ids: readonly number[]): readonly string[] {
    return [...new Set(ids.map((id) => this.of(id).tensor.name))];
  }

  /** One value that has these nodes among its columns, and the column of each. */
  joined(ids: readonly number[]): {
    readonly tensor: Value;
    readonly width: number;
    readonly columns: readonly number[];
  } {
    const tensors = [...new Map(ids.map((id) => [this.of(id).tensor.name, this.of(id).tensor])).values()];
    const [first, ...rest] = tensors as [Value, ...Value[]];
    const key = tensors.map((t) => t.name).join(" ");
    const tensor = this.#joined.get(key) ?? (rest.length === 0 ? first : first.concat(rest, 1));
    this.#joined.set(key, tensor);
    const starts = new Map<string, number>();
    let width = 0;
    for (const t of tensors) {
      starts.set(t.name, width);
      width += this.#widths.get(t.name)!;
    }
    return {
      tensor,
      width,
      columns: ids.map((id) => starts.get(this.of(id).tensor.name)! + this.of(id).column),
    };
  }

  /** These nodes as the columns of one value, in this order. */
  select(ids: readonly number[]): Value {
    const { tensor, width, columns } = this.joined(ids);
    const isWhole = columns.length === width && columns.every((c, k) => c === k);
    return isWhole ? tensor : tensor.gather([...columns], 1);
  }
}
