const nothing = new Uint8Array(0);

/** Bytes that arrive in pieces: one piece stays a view, more are gathered in a buffer that doubles. */
export class Collected {
  private bytes = nothing;
  private owned = false;
  length = 0;

  /** Adds a piece. The first one is not copied. */
  append(piece: Uint8Array): void {
    if (this.length === 0 && !this.owned) {
      this.bytes = piece as Uint8Array<ArrayBuffer>;
      this.length = piece.length;
    } else {
      const start = this.reserve(piece.length);
      this.bytes.set(piece, start);
    }
  }

  /** Makes room for `count` more bytes, to be filled through `view`, and says where they start. */
  reserve(count: number): number {
    const start = this.length;
    const needed = start + count;
    if (!this.owned || needed > this.bytes.length) {
      const grown = new Uint8Array(this.owned || start > 0 ? Math.max(64, needed, 2 * start) : needed);
      grown.set(this.bytes.subarray(0, start));
      this.bytes = grown;
      this.owned = true;
    }
    this.length = needed;
    return start;
  }

  /** A view for writing; the next `reserve` may outdate it. */
  view(): DataView {
    return new DataView(this.bytes.buffer, this.bytes.byteOffset, this.bytes.byteLength);
  }

  /** What has been collected. */
  result(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }
}
