// A heap: the part with the greatest bound first.
export class PartQueue<Part> {
  readonly #heap: Part[] = [];
  readonly #bound: (part: Part) => number;

  constructor(bound: (part: Part) => number) {
    this.#bound = bound;
  }

  get count(): number {
    return this.#heap.length;
  }

  get top(): Part | undefined {
    return this.#heap[0];
  }

  /** -Infinity when there is none. */
  get greatest(): number {
    return this.top === undefined ? Number.NEGATIVE_INFINITY : this.#bound(this.top);
  }

  get parts(): readonly Part[] {
    return this.#heap;
  }

  push(part: Part): void {
    const heap = this.#heap;
    const bound = this.#bound(part);
    let at = heap.push(part) - 1;
    for (; at > 0 && this.#bound(heap[(at - 1) >> 1]!) < bound; at = (at - 1) >> 1)
      heap[at] = heap[(at - 1) >> 1]!;
    heap[at] = part;
  }

  pop(): Part | undefined {
    const heap = this.#heap;
    const [top, last] = [heap[0], heap.pop()];
    if (last === undefined || heap.length === 0) return top;
    const bound = this.#bound(last);
    let at = 0;
    for (let child = 1; child < heap.length; child = 2 * at + 1) {
      if (child + 1 < heap.length && this.#bound(heap[child + 1]!) > this.#bound(heap[child]!)) child++;
      if (this.#bound(heap[child]!) <= bound) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
    return top;
  }
}
