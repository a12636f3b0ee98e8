// Mutations that know nothing of the format: bits, bytes, blocks.
import type { Random } from "@lemmata/core/numbers";

/** Gives other bytes; `donor` is another model, to splice from. */
export type ByteMutation = (bytes: Uint8Array, random: Random, donor: Uint8Array) => Uint8Array;

const place = (bytes: Uint8Array, random: Random): number => random.integer(0, Math.max(0, bytes.length - 1));
const join = (...parts: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts));

/** A block of up to 64 bytes, or now and then of any length. */
function block(bytes: Uint8Array, random: Random): readonly [start: number, end: number] {
  const start = place(bytes, random);
  const longest = random.uniform() < 0.8 ? Math.min(64, bytes.length - start) : bytes.length - start;
  return [start, start + random.integer(0, Math.max(0, longest))];
}

/** Bytes that mean much to protobuf: ends of varints, tags, signs. */
const tellingBytes = [0, 1, 0x7f, 0x80, 0xff, 0x0a, 0x12, 0x20, 0x40];

export const byteMutations: Readonly<Record<string, ByteMutation>> = {
  flipBits(bytes, random) {
    const changed = bytes.slice();
    for (let k = random.integer(1, 8); k > 0; k--)
      changed[place(bytes, random)]! ^= 1 << random.integer(0, 7);
    return changed;
  },
  flipManyBits(bytes, random) {
    const changed = bytes.slice();
    for (let k = Math.ceil(bytes.length / 50); k > 0; k--)
      changed[place(bytes, random)]! ^= 1 << random.integer(0, 7);
    return changed;
  },
  setBytes(bytes, random) {
    const changed = bytes.slice();
    for (let k = random.integer(1, 4); k > 0; k--)
      changed[place(bytes, random)] = tellingBytes[random.integer(0, tellingBytes.length - 1)]!;
    return changed;
  },
  truncate: (bytes, random) => bytes.slice(0, place(bytes, random)),
  insert(bytes, random) {
    const at = place(bytes, random);
    const added = Uint8Array.from({ length: random.integer(1, 20) }, () => random.integer(0, 255));
    return join(bytes.subarray(0, at), added, bytes.subarray(at));
  },
  remove(bytes, random) {
    const [start, end] = block(bytes, random);
    return join(bytes.subarray(0, start), bytes.subarray(end));
  },
  repeatBlock(bytes, random) {
    const [start, end] = block(bytes, random);
    const times = random.integer(1, 3);
    return join(
      bytes.subarray(0, start),
      ...Array(times).fill(bytes.subarray(start, end)),
      bytes.subarray(start),
    );
  },
  splice(bytes, random, donor) {
    const [start, end] = block(bytes, random);
    const [from, to] = block(donor, random);
    return join(bytes.subarray(0, start), donor.subarray(from, to), bytes.subarray(end));
  },
  /** Two protobuf messages one after the other are one: lists are joined. */
  merge: (bytes, _random, donor) => join(bytes, donor),
};
