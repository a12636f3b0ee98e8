// Protobuf's wire format, written: small fields gather in one list, large ones are kept as they are until `finish`.
import { GraphError } from "../error.ts";

/** Fields of at least this many bytes are not copied before `finish`. */
const largeField = 1024;
/** Protobuf readers, ONNX Runtime's too, stop here. */
export const maxModelBytes = 2 ** 31 - 1;

const utf8 = new TextEncoder();
const scratch = new DataView(new ArrayBuffer(8));

/** One message under construction. */
export class WireWriter {
  private readonly parts: Uint8Array[] = [];
  private pending: number[] = [];
  private partBytes = 0;

  get size(): number {
    return this.partBytes + this.pending.length;
  }

  /** An integer field; negative ones take ten bytes, as protobuf's int32 and int64 do. */
  integer(field: number, value: number | bigint): void {
    this.tag(field, 0);
    this.varint64(value);
  }

  /** A repeated integer field, packed. */
  integers(field: number, values: Iterable<number | bigint>): void {
    const packed = new WireWriter();
    for (const value of values) packed.varint64(value);
    if (packed.size > 0) this.message(field, packed);
  }

  float(field: number, value: number): void {
    this.tag(field, 5);
    scratch.setFloat32(0, value, true);
    for (let k = 0; k < 4; k++) this.pending.push(scratch.getUint8(k));
  }

  /** A repeated f32 field, packed. */
  floats(field: number, values: readonly number[]): void {
    const packed = new Float32Array(values);
    if (packed.length > 0) this.bytes(field, new Uint8Array(packed.buffer));
  }

  string(field: number, value: string): void {
    if (isShortAscii(value)) {
      this.tag(field, 2);
      this.pending.push(value.length); // below 128: one byte
      for (let k = 0; k < value.length; k++) this.pending.push(value.charCodeAt(k));
      return;
    }
    if (/\p{Surrogate}/u.test(value)) {
      throw new GraphError(`${JSON.stringify(value)} has half of a surrogate pair, which UTF-8 cannot hold`);
    }
    this.bytes(field, utf8.encode(value));
  }

  /** Keeps a large `value` by reference: it must not change before `finish`. */
  bytes(field: number, value: Uint8Array): void {
    this.tag(field, 2);
    this.varint(value.length);
    if (value.length < largeField) for (const byte of value) this.pending.push(byte);
    else this.part(value);
  }

  message(field: number, inner: WireWriter): void {
    this.tag(field, 2);
    this.varint(inner.size);
    for (const part of inner.parts) this.part(part);
    if (inner.pending.length < largeField) for (const byte of inner.pending) this.pending.push(byte);
    else this.part(Uint8Array.from(inner.pending));
  }

  /** The whole message, in one allocation. */
  finish(): Uint8Array<ArrayBuffer> {
    if (this.size > maxModelBytes) {
      throw new GraphError(
        `the model takes ${this.size} bytes, over protobuf's 2 GiB: write its weights as external data`,
      );
    }
    const whole = new Uint8Array(this.size);
    let position = 0;
    for (const part of this.parts) {
      whole.set(part, position);
      position += part.length;
    }
    whole.set(this.pending, position);
    return whole;
  }

  private part(bytes: Uint8Array): void {
    if (this.pending.length > 0) {
      this.parts.push(Uint8Array.from(this.pending));
      this.partBytes += this.pending.length;
      this.pending = [];
    }
    this.parts.push(bytes);
    this.partBytes += bytes.length;
  }

  private tag(field: number, wire: number): void {
    this.varint(field * 8 + wire);
  }

  private varint(value: number): void {
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 128)) this.pending.push((rest % 128) | 0x80);
    this.pending.push(rest);
  }

  private varint64(value: number | bigint): void {
    if (value >= 0 && value <= Number.MAX_SAFE_INTEGER) {
      this.varint(Number(value));
      return;
    }
    const integer = BigInt(value);
    if (BigInt.asIntN(64, integer) !== integer) throw new GraphError(`${value} does not fit in 64 bits`);
    let rest = BigInt.asUintN(64, integer);
    for (; rest >= 0x80n; rest >>= 7n) this.pending.push(Number(rest & 0x7fn) | 0x80);
    this.pending.push(Number(rest));
  }
}

function isShortAscii(text: string): boolean {
  if (text.length >= 128) return false;
  for (let k = 0; k < text.length; k++) if (text.charCodeAt(k) >= 128) return false;
  return true;
}
