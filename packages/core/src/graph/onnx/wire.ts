// Protobuf's wire format, read: a cursor over one message. Anything malformed is a GraphError that says where.
import { GraphError } from "../error.ts";
import type { Collected } from "./collected.ts";

const varint = 0;
const fixed64 = 1;
const delimited = 2;
const fixed32 = 5;
const wireNames = ["a varint", "8 bytes", "a length-delimited field", "a group", "a group", "4 bytes"];

/** Three messages (node, attribute, graph) a level of subgraphs: a hundred of these, and some for types. */
const maxDepth = 320;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Walks the fields of one message: `while (reader.next()) switch (reader.field) { ... default: reader.skip() }`.
 * Varints are read as two 32-bit words, so that no BigInt is made for each of a million values.
 */
export class WireReader {
  /** The number of the field that the cursor is at. */
  field = 0;
  private wire = varint;
  private low = 0;
  private high = 0;
  private readonly start: number;

  constructor(
    private readonly bytes: Uint8Array,
    private readonly what: string,
    private position = 0,
    private readonly end = bytes.length,
    private readonly depth = 0,
  ) {
    this.start = position;
  }

  /** Goes to the next field; false at the end of the message. */
  next(): boolean {
    if (this.position >= this.end) return false;
    this.readVarint();
    this.field = this.low >>> 3;
    this.wire = this.low & 7;
    if (this.high !== 0 || this.field === 0) this.fail("a field number is out of range");
    if (this.wire === 3 || this.wire === 4)
      this.fail(`field ${this.field} is a group, which ONNX does not use`);
    if (this.wire > 5) this.fail(`field ${this.field} has the unknown wire type ${this.wire}`);
    return true;
  }

  skip(): void {
    if (this.wire === varint) this.readVarint();
    else this.take(this.wire === delimited ? this.readLength() : this.wire === fixed32 ? 4 : 8);
  }

  /** A signed 64-bit integer. */
  int64(): bigint {
    this.expect(varint);
    this.readVarint();
    return (BigInt(this.high) << 32n) | BigInt(this.low >>> 0);
  }

  /** A signed 64-bit integer that a number holds exactly. */
  integer(): number {
    this.expect(varint);
    this.readVarint();
    const value = this.high * 2 ** 32 + (this.low >>> 0);
    if (!Number.isSafeInteger(value)) this.fail(`field ${this.field} is beyond 2^53`);
    return value;
  }

  float(): number {
    this.expect(fixed32);
    const four = this.take(4);
    return new DataView(four.buffer, four.byteOffset, 4).getFloat32(0, true);
  }

  /** A view of the bytes: no copy. */
  delimited(): Uint8Array {
    this.expect(delimited);
    return this.take(this.readLength());
  }

  string(): string {
    const bytes = this.delimited();
    const short = bytes.length <= 24 ? asciiString(bytes) : undefined;
    if (short !== undefined) return short;
    try {
      return utf8.decode(bytes);
    } catch {
      return this.fail(`field ${this.field} is not valid UTF-8 text`);
    }
  }

  /** A cursor over the message in this field. */
  message(what: string): WireReader {
    this.expect(delimited);
    if (this.depth >= maxDepth) this.fail(`messages nest over ${maxDepth} levels deep`);
    const length = this.readLength();
    this.position += length;
    return new WireReader(this.bytes, what, this.position - length, this.position, this.depth + 1);
  }

  /** All bytes of this message. */
  encoded(): Uint8Array {
    return this.bytes.subarray(this.start, this.end);
  }

  /** Adds a repeated integer field, packed or not, as 8 bytes a value. */
  varints(into: Collected): void {
    if (this.wire === varint) {
      this.readVarint();
      const start = into.reserve(8);
      this.storeWords(into.view(), start);
      return;
    }
    this.expect(delimited);
    const end = this.readLength() + this.position;
    if (end === this.position) return;
    // The last byte ends a number, so none reaches beyond the field.
    if (this.bytes[end - 1]! >= 0x80) this.fail(`the numbers of field ${this.field} are cut short`);
    let count = 0;
    for (let k = this.position; k < end; k++) if (this.bytes[k]! < 0x80) count++;
    let start = into.reserve(8 * count);
    const view = into.view();
    for (; this.position < end; start += 8) {
      this.readVarint();
      this.storeWords(view, start);
    }
  }

  /** Adds a repeated field of 4- or 8-byte values, packed or not. */
  fixed(into: Collected, width: 4 | 8): void {
    if (this.wire === (width === 4 ? fixed32 : fixed64)) {
      into.append(this.take(width));
      return;
    }
    const packed = this.delimited();
    if (packed.length % width !== 0) {
      this.fail(`field ${this.field} has ${packed.length} bytes, no multiple of ${width}`);
    }
    into.append(packed);
  }

  fail(problem: string): never {
    throw new GraphError(`not a valid ONNX model: ${this.what} near byte ${this.position}: ${problem}`);
  }

  private expect(wire: number): void {
    if (this.wire !== wire) {
      this.fail(`field ${this.field} is ${wireNames[this.wire]}, where ${wireNames[wire]} belongs`);
    }
  }

  private storeWords(view: DataView, start: number): void {
    view.setInt32(start, this.low, true);
    view.setInt32(start + 4, this.high, true);
  }

  private take(count: number): Uint8Array {
    if (count > this.end - this.position) {
      this.fail(`field ${this.field} needs ${count} bytes, but ${this.end - this.position} are left`);
    }
    this.position += count;
    return this.bytes.subarray(this.position - count, this.position);
  }

  private readLength(): number {
    this.readVarint();
    const length = this.low >>> 0;
    const left = this.end - this.position;
    if (this.high !== 0 || length > left) {
      this.fail(
        `field ${this.field} says it has ${this.high ? "over 2^32" : length} bytes, but ${left} are left`,
      );
    }
    return length;
  }

  private readVarint(): void {
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      if (this.position >= this.end) this.fail("a number is cut short");
      const byte = this.bytes[this.position++]!;
      const bits = byte & 0x7f;
      if (shift < 32) low |= bits << shift;
      if (shift === 28) high |= bits >>> 4;
      else if (shift > 28) high |= bits << (shift - 32);
      if (byte < 0x80) {
        this.low = low;
        this.high = high;
        return;
      }
    }
    this.fail("a number is longer than ten bytes");
  }
}

function asciiString(bytes: Uint8Array): string | undefined {
  let text = "";
  for (const byte of bytes) {
    if (byte >= 0x80) return undefined;
    text += String.fromCharCode(byte);
  }
  return text;
}
