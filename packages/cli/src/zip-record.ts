// The records of a ZIP archive of stored files, as numpy writes them: with 64-bit sizes and places where 32 bits end.

export interface ZipEntry {
  readonly name: string;
  /** Where its local header begins. */
  readonly start: number;
  readonly size: number;
  readonly checksum: number;
}

const most = 0xffff_ffff;
/** 1 January 1980, so that the same matrices give the same file. */
const date = 0x21;
const [plainVersion, longVersion] = [20, 45];

/** Little-endian numbers, one after the other. */
function record(...fields: readonly (readonly [bytes: 2 | 4 | 8, value: number])[]): Uint8Array {
  const out = new Uint8Array(fields.reduce((sum, [bytes]) => sum + bytes, 0));
  const view = new DataView(out.buffer);
  let at = 0;
  for (const [bytes, value] of fields) {
    if (bytes === 2) view.setUint16(at, value, true);
    else if (bytes === 4) view.setUint32(at, value, true);
    else view.setBigUint64(at, BigInt(value), true);
    at += bytes;
  }
  return out;
}

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

const short = (value: number): number => Math.min(value, most);
const isLong = (value: number): boolean => value >= most;

/** What 32 bits do not hold. */
const longField = (values: readonly number[]): Uint8Array =>
  values.length === 0
    ? new Uint8Array(0)
    : record([2, 1], [2, 8 * values.length], ...values.map((value) => [8, value] as const));

/** The header in front of a stored file. */
export function localHeader({ name, size, checksum }: ZipEntry): Uint8Array {
  const text = new TextEncoder().encode(name);
  const extra = longField(isLong(size) ? [size, size] : []);
  const version = isLong(size) ? longVersion : plainVersion;
  return joined(
    record([4, 0x04034b50], [2, version], [2, 0], [2, 0], [2, 0], [2, date], [4, checksum]),
    record([4, short(size)], [4, short(size)], [2, text.length], [2, extra.length]),
    text,
    extra,
  );
}

function centralHeader({ name, size, checksum, start }: ZipEntry): Uint8Array {
  const text = new TextEncoder().encode(name);
  const extra = longField([...(isLong(size) ? [size, size] : []), ...(isLong(start) ? [start] : [])]);
  const version = extra.length > 0 ? longVersion : plainVersion;
  return joined(
    record([4, 0x02014b50], [2, version], [2, version], [2, 0], [2, 0], [2, 0], [2, date], [4, checksum]),
    record([4, short(size)], [4, short(size)], [2, text.length], [2, extra.length], [2, 0], [2, 0], [2, 0]),
    record([4, 0], [4, short(start)]),
    text,
    extra,
  );
}

/** The directory that follows the files, at this place. */
export function directoryOf(entries: readonly ZipEntry[], start: number): Uint8Array {
  const headers = joined(...entries.map(centralHeader));
  const [count, size] = [entries.length, headers.length];
  const end = start + size;
  const long = isLong(start)
    ? joined(
        record([4, 0x06064b50], [8, 44], [2, longVersion], [2, longVersion], [4, 0], [4, 0]),
        record([8, count], [8, count], [8, size], [8, start]),
        record([4, 0x07064b50], [4, 0], [8, end], [4, 1]),
      )
    : new Uint8Array(0);
  return joined(
    headers,
    long,
    record([4, 0x06054b50], [2, 0], [2, 0], [2, count], [2, count], [4, size], [4, short(start)], [2, 0]),
  );
}
