// A heap: what has the least key first.
export class Heap<Item> {
  readonly #items: Item[] = [];
  readonly #key: (item: Item) => number;

  constructor(key: (item: Item) => number) {
    this.#key = key;
  }

  get items(): readonly Item[] {
    return this.#items;
  }

  /** Infinity when there is none. */
  get least(): number {
    return this.#items.length === 0 ? Number.POSITIVE_INFINITY : this.#key(this.#items[0]!);
  }

  push(item: Item): void {
    const items = this.#items;
    const key = this.#key(item);
    let at = items.push(item) - 1;
    for (; at > 0 && this.#key(items[(at - 1) >> 1]!) > key; at = (at - 1) >> 1)
      items[at] = items[(at - 1) >> 1]!;
    items[at] = item;
  }

  pop(): Item | undefined {
    const items = this.#items;
    const [top, last] = [items[0], items.pop()];
    if (last === undefined || items.length === 0) return top;
    const key = this.#key(last);
    let at = 0;
    for (let child = 1; child < items.length; child = 2 * at + 1) {
      if (child + 1 < items.length && this.#key(items[child + 1]!) < this.#key(items[child]!)) child++;
      if (this.#key(items[child]!) >= key) break;
      items[at] = items[child]!;
      at = child;
    }
    items[at] = last;
    return top;
  }
}
